/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that driver and device share. It is had at any IRQL up to DISPATCH_LEVEL, since NDK
 * objects may be made there. It is cut from blocks of contiguous pages that the driver keeps until
 * it halts, in units of 64 bytes, so that a small queue costs no page of its own. Up to a page
 * never crosses a page; more is whole pages. What no block can hold is contiguous memory of its
 * own.
 */
#ifndef PROVIDER_DMA_H
#define PROVIDER_DMA_H

#include "common.h"

struct _RNIC_DMA_BLOCK;

typedef struct _RNIC_DMA {
    PUCHAR Va; /* NULL: nothing held */
    ULONG64 Address;
    ULONG Bytes;
    struct _RNIC_DMA_BLOCK *Block; /* NULL: contiguous memory of its own */
} RNIC_DMA, *PRNIC_DMA;

typedef struct _RNIC_DMA_POOL {
    KSPIN_LOCK Lock;
    LIST_ENTRY Blocks; /* oldest first */
} RNIC_DMA_POOL;

VOID DmaInit(PRNIC_ADAPTER Adapter);
/* All memory has been given back. */
VOID DmaDeinit(PRNIC_ADAPTER Adapter);

/* Zeroed, aligned to 64 bytes; to a page when it is a page or more. */
NTSTATUS DmaGet(PRNIC_ADAPTER Adapter, ULONG Bytes, PRNIC_DMA Dma);
/* A zeroed `Dma` is let through. */
VOID DmaPut(PRNIC_ADAPTER Adapter, PRNIC_DMA Dma);

/* How a command names the memory of `Dma`. */
VOID DmaPages(const RNIC_DMA *Dma, struct rnic_pages *Pages);

/*
 * How a command names pages anywhere: in place when they are contiguous, else by lists of addresses
 * in `Lists`, which must stay until the command has finished. Addresses are page aligned.
 */
#define RNIC_DMA_LISTS_MAX (RNIC_PAGE_LIST_COUNT * RNIC_PAGE_LIST_COUNT)
NTSTATUS DmaDescribe(PRNIC_ADAPTER Adapter, const ULONG64 *Addresses, ULONG Count,
                     struct rnic_pages *Pages, PRNIC_DMA Lists);

#endif
