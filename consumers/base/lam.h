/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logical address mappings: the adapter pages of a pool buffer, as fast registration wants them.
 * PASSIVE_LEVEL.
 */
#ifndef CONSUMERS_BASE_LAM_H
#define CONSUMERS_BASE_LAM_H

#include "sync.h"

typedef struct _RDMA_MAPPING {
    NDK_LOGICAL_ADDRESS_MAPPING *Lam; /* NULL: none */
    ULONG FirstByteOffset;
    BOOLEAN IsBuilt;
} RDMA_MAPPING, *PRDMA_MAPPING;

NTSTATUS MappingBuild(PRDMA_MAPPING Mapping, NDK_ADAPTER *Adapter, PMDL Mdl, ULONG Bytes);
/* No request uses it any more. Accepts a zeroed one. */
VOID MappingRelease(PRDMA_MAPPING Mapping, NDK_ADAPTER *Adapter);

#endif
