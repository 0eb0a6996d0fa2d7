/* SPDX-License-Identifier: Apache-2.0 */
/* NDK adapters: one per open, the root of everything a consumer makes through it. */
#ifndef PROVIDER_NDK_ADAPTER_H
#define PROVIDER_NDK_ADAPTER_H

#include "object.h"

struct _RNIC_OPEN {
    RNIC_OBJECT Object;
    KEVENT Closed;          /* nobody holds it any more */
    volatile LONG LamCount; /* mappings that were not released */
};

/* The handlers of the provider characteristics. PASSIVE_LEVEL. */
NDIS_STATUS OpenNdkAdapter(NDIS_HANDLE MiniportAdapterContext,
                           NDIS_OPEN_NDK_ADAPTER_PARAMETERS *Parameters,
                           NDK_ADAPTER **ppNdkAdapter);
VOID CloseNdkAdapter(NDIS_HANDLE MiniportAdapterContext, NDK_ADAPTER *pNdkAdapter);

static inline PRNIC_OPEN OpenOf(NDK_ADAPTER *pNdkAdapter) {
    return CONTAINING_RECORD(pNdkAdapter, RNIC_OPEN, Object.Ndk.Adapter);
}

#endif
