/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OID requests: ordinary ones are serialised and come at PASSIVE_LEVEL; direct ones are not
 * serialised and may come at DISPATCH_LEVEL.
 */
#ifndef NDKSIM_WDK_NDIS_OID_H
#define NDKSIM_WDK_NDIS_OID_H

#include "types.h"

typedef enum _NDIS_REQUEST_TYPE {
    NdisRequestQueryInformation,
    NdisRequestSetInformation,
    NdisRequestQueryStatistics,
    NdisRequestOpen,
    NdisRequestClose,
    NdisRequestSend,
    NdisRequestTransferData,
    NdisRequestReset,
    NdisRequestGeneric1,
    NdisRequestGeneric2,
    NdisRequestGeneric3,
    NdisRequestGeneric4,
    NdisRequestMethod
} NDIS_REQUEST_TYPE,
    *PNDIS_REQUEST_TYPE;

#define NDIS_OID_REQUEST_NDIS_RESERVED_SIZE 16
#define NDIS_OID_REQUEST_TIMEOUT_INFINITE 0
#define NDIS_OID_REQUEST_REVISION_1 1
#define NDIS_OID_REQUEST_REVISION_2 2

typedef struct _NDIS_OID_REQUEST {
    NDIS_OBJECT_HEADER Header;
    NDIS_REQUEST_TYPE RequestType;
    NDIS_PORT_NUMBER PortNumber;
    UINT Timeout;
    PVOID RequestId;
    NDIS_HANDLE RequestHandle;
    union _REQUEST_DATA {
        struct _QUERY {
            NDIS_OID Oid;
            PVOID InformationBuffer;
            UINT InformationBufferLength;
            UINT BytesWritten;
            UINT BytesNeeded;
        } QUERY_INFORMATION;
        struct _SET {
            NDIS_OID Oid;
            PVOID InformationBuffer;
            UINT InformationBufferLength;
            UINT BytesRead;
            UINT BytesNeeded;
        } SET_INFORMATION;
        struct _METHOD {
            NDIS_OID Oid;
            PVOID InformationBuffer;
            ULONG InputBufferLength;
            ULONG OutputBufferLength;
            ULONG MethodId;
            UINT BytesWritten;
            UINT BytesRead;
            UINT BytesNeeded;
        } METHOD_INFORMATION;
    } DATA;
    UCHAR NdisReserved[NDIS_OID_REQUEST_NDIS_RESERVED_SIZE * sizeof(PVOID)];
    UCHAR MiniportReserved[2 * sizeof(PVOID)];
    UCHAR SourceReserved[2 * sizeof(PVOID)];
    UCHAR SupportedRevision;
    UCHAR Reserved1;
    USHORT Reserved2;
    NDIS_NIC_SWITCH_ID SwitchId;
    NDIS_NIC_SWITCH_VPORT_ID VPortId;
    ULONG Flags;
} NDIS_OID_REQUEST, *PNDIS_OID_REQUEST;
#define NDIS_SIZEOF_OID_REQUEST_REVISION_1 RTL_SIZEOF_THROUGH_FIELD(NDIS_OID_REQUEST, Reserved2)
#define NDIS_SIZEOF_OID_REQUEST_REVISION_2 RTL_SIZEOF_THROUGH_FIELD(NDIS_OID_REQUEST, Flags)

typedef NDIS_STATUS(MINIPORT_OID_REQUEST)(_In_ NDIS_HANDLE MiniportAdapterContext,
                                          _In_ PNDIS_OID_REQUEST OidRequest);
typedef MINIPORT_OID_REQUEST *MINIPORT_OID_REQUEST_HANDLER;
typedef VOID(MINIPORT_CANCEL_OID_REQUEST)(_In_ NDIS_HANDLE MiniportAdapterContext,
                                          _In_ PVOID RequestId);
typedef MINIPORT_CANCEL_OID_REQUEST *MINIPORT_CANCEL_OID_REQUEST_HANDLER;
typedef NDIS_STATUS(MINIPORT_DIRECT_OID_REQUEST)(_In_ NDIS_HANDLE MiniportAdapterContext,
                                                 _In_ PNDIS_OID_REQUEST OidRequest);
typedef MINIPORT_DIRECT_OID_REQUEST *MINIPORT_DIRECT_OID_REQUEST_HANDLER;
typedef VOID(MINIPORT_CANCEL_DIRECT_OID_REQUEST)(_In_ NDIS_HANDLE MiniportAdapterContext,
                                                 _In_ PVOID RequestId);
typedef MINIPORT_CANCEL_DIRECT_OID_REQUEST *MINIPORT_CANCEL_DIRECT_OID_REQUEST_HANDLER;
typedef NDIS_STATUS(MINIPORT_SYNCHRONOUS_OID_REQUEST)(_In_ NDIS_HANDLE MiniportAdapterContext,
                                                      _In_ PNDIS_OID_REQUEST OidRequest);
typedef MINIPORT_SYNCHRONOUS_OID_REQUEST *MINIPORT_SYNCHRONOUS_OID_REQUEST_HANDLER;

VOID NdisMOidRequestComplete(_In_ NDIS_HANDLE MiniportAdapterHandle,
                             _In_ PNDIS_OID_REQUEST OidRequest, _In_ NDIS_STATUS Status);
VOID NdisMDirectOidRequestComplete(_In_ NDIS_HANDLE MiniportAdapterHandle,
                                   _In_ PNDIS_OID_REQUEST OidRequest, _In_ NDIS_STATUS Status);

#endif
