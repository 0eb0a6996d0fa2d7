/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of a driver to an RDMA adapter: WSK client, 'NDKD', open by interface index. All at
 * PASSIVE_LEVEL. Also memory that is registered for the adapter.
 */
#ifndef CONSUMERS_BASE_ADAPTER_H
#define CONSUMERS_BASE_ADAPTER_H

#include "sync.h"

typedef struct _RDMA_ADAPTER {
    WSK_REGISTRATION Registration;
    WSK_PROVIDER_NPI Npi;
    WSK_PROVIDER_NDK_DISPATCH Ndk;
    NET_IFINDEX Interface;
    KEVENT Changed;       /* synchronization: adapters come or go; ask AdapterMustClose */
    NDK_ADAPTER *Adapter; /* NULL: not open */
    NDK_ADAPTER_INFO Info;
    BOOLEAN HasVersion12; /* send and invalidate, extended results, deferring */
    BOOLEAN Registered;
    BOOLEAN Captured;
} RDMA_ADAPTER, *PRDMA_ADAPTER;

/* Undoes what it did when it fails. Asks for NDK 2.0, then for 1.0. */
NTSTATUS AdapterOpen(PRDMA_ADAPTER Rdma, NET_IFINDEX Interface);
/* Blocks until all objects of the adapter are closed. Accepts what was never opened. */
VOID AdapterClose(PRDMA_ADAPTER Rdma);

/*
 * After Changed: whether this adapter is to be closed. WSK does not say which one is meant; one
 * that goes away cannot be opened again, and that is how it is told apart.
 */
BOOLEAN AdapterMustClose(PRDMA_ADAPTER Rdma);
/* Closes the adapter and stays WSK's client. */
VOID AdapterShut(PRDMA_ADAPTER Rdma);
/* After AdapterShut. When it fails, AdapterShut again. */
NTSTATUS AdapterReopen(PRDMA_ADAPTER Rdma);
/* Tries until it is back, `Stop` is set (STATUS_CANCELLED), or so much time has passed. */
NTSTATUS AdapterAwait(PRDMA_ADAPTER Rdma, PKEVENT Stop, ULONG LimitMs);

/* A pool buffer, its MDL, and a normal MR for it. Zeroed: nothing there. */
typedef struct _RDMA_REGION {
    PUCHAR Buffer;
    ULONG Bytes;
    PMDL Mdl;
    NDK_MR *Mr;
    UINT32 LocalToken;
    UINT32 RemoteToken;
    BOOLEAN IsRegistered;
    BOOLEAN IsBorrowed; /* the buffer is somebody else's */
} RDMA_REGION, *PRDMA_REGION;

/*
 * Makes and registers. `Buffer` NULL: taken from pool and freed by RegionFree; else the caller's,
 * non-paged. `Flags` are NDK_MR_FLAG_...; on failure RegionClose and RegionFree clean up.
 */
NTSTATUS RegionCreate(PRDMA_REGION Region, NDK_PD *Pd, PVOID Buffer, ULONG Bytes, ULONG Flags);
/* Deregisters and waits. No request of ours uses it any more. */
VOID RegionDeregister(PRDMA_REGION Region);
/* Deregisters and closes the MR, if there is one. */
VOID RegionClose(PRDMA_REGION Region);
/* Frees MDL and buffer; the MR is closed. */
VOID RegionFree(PRDMA_REGION Region);

#define BASE_POOL_TAG 'bRdN'

#endif
