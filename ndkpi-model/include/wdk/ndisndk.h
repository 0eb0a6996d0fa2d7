/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a miniport registers to be an NDK provider: NdisSetOptionalHandlers with these
 * characteristics, called from MiniportSetOptions.
 */
#ifndef NDKSIM_WDK_NDISNDK_H
#define NDKSIM_WDK_NDISNDK_H

#include "ndis.h"
#include "ndkpi.h"

/* Version: the major wanted and the lowest minor that the consumer can live with. */
typedef struct _NDIS_OPEN_NDK_ADAPTER_PARAMETERS {
    NDK_VERSION Version;
    NDIS_NIC_SWITCH_ID SwitchId;
    NDIS_NIC_SWITCH_VPORT_ID VPortId;
} NDIS_OPEN_NDK_ADAPTER_PARAMETERS, *PNDIS_OPEN_NDK_ADAPTER_PARAMETERS;

_IRQL_requires_(PASSIVE_LEVEL) typedef NDIS_STATUS (*OPEN_NDK_ADAPTER_HANDLER)(
    _In_ NDIS_HANDLE MiniportAdapterContext, _In_ NDIS_OPEN_NDK_ADAPTER_PARAMETERS *Parameters,
    _Outptr_ NDK_ADAPTER **ppNdkAdapter);

/* Blocks until every object of the adapter is closed and every callback has returned. */
_IRQL_requires_(PASSIVE_LEVEL) typedef VOID (*CLOSE_NDK_ADAPTER_HANDLER)(
    _In_ NDIS_HANDLE MiniportAdapterContext, _In_ NDK_ADAPTER *pNdkAdapter);

typedef struct _NDIS_NDK_PROVIDER_CHARACTERISTICS {
    NDIS_OBJECT_HEADER Header;
    ULONG Flags;
    OPEN_NDK_ADAPTER_HANDLER OpenNDKAdapterHandler;
    CLOSE_NDK_ADAPTER_HANDLER CloseNDKAdapterHandler;
} NDIS_NDK_PROVIDER_CHARACTERISTICS, *PNDIS_NDK_PROVIDER_CHARACTERISTICS;

#define NDIS_NDK_PROVIDER_CHARACTERISTICS_REVISION_1 1
#define NDIS_SIZEOF_NDK_PROVIDER_CHARACTERISTICS_REVISION_1                                        \
    RTL_SIZEOF_THROUGH_FIELD(NDIS_NDK_PROVIDER_CHARACTERISTICS, CloseNDKAdapterHandler)

#endif
