/* SPDX-License-Identifier: Apache-2.0 */
/* The headers that every file of this driver needs, and its pool tag. */
#ifndef PROVIDER_COMMON_H
#define PROVIDER_COMMON_H

#include <ntddk.h>
#include <ndis.h>
#include <ndkpi.h>
#include <ndisndk.h>
#include <netioapi.h>
#include <ndksim.h>
#include <rnic_hw/rnic.h>

#define RNIC_POOL_TAG 'cinR'

typedef struct _RNIC_ADAPTER RNIC_ADAPTER, *PRNIC_ADAPTER;
typedef struct _RNIC_CONNECTOR RNIC_CONNECTOR, *PRNIC_CONNECTOR;
typedef struct _RNIC_CQ RNIC_CQ, *PRNIC_CQ;
typedef struct _RNIC_LISTENER RNIC_LISTENER, *PRNIC_LISTENER;
typedef struct _RNIC_MR RNIC_MR, *PRNIC_MR;
typedef struct _RNIC_MW RNIC_MW, *PRNIC_MW;
typedef struct _RNIC_OPEN RNIC_OPEN, *PRNIC_OPEN;
typedef struct _RNIC_PD RNIC_PD, *PRNIC_PD;
typedef struct _RNIC_QP RNIC_QP, *PRNIC_QP;
typedef struct _RNIC_SHARED_ENDPOINT RNIC_SHARED_ENDPOINT, *PRNIC_SHARED_ENDPOINT;
typedef struct _RNIC_SRQ RNIC_SRQ, *PRNIC_SRQ;

/* Zeroed, non-paged. */
static inline PVOID PoolGet(SIZE_T Bytes) {
    return ExAllocatePool2(POOL_FLAG_NON_PAGED, Bytes, RNIC_POOL_TAG);
}

static inline VOID PoolPut(PVOID Block) {
    if (Block != NULL) {
        ExFreePoolWithTag(Block, RNIC_POOL_TAG);
    }
}

#endif
