/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Function types of connectors, listeners, shared endpoints, and of requests posted to QPs and
 * SRQs. A post that returns success completes through the CQ, not by a callback.
 */
#ifndef NDKSIM_WDK_NDK_CONNECTIONS_H
#define NDKSIM_WDK_NDK_CONNECTIONS_H

#include "functions.h"
#include "types.h"

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_CONNECT)(
    _In_ NDK_CONNECTOR *pNdkConnector, _In_ NDK_QP *pNdkQp,
    _In_reads_bytes_(SrcAddressLength) const struct sockaddr *pSrcAddress,
    _In_ ULONG SrcAddressLength,
    _In_reads_bytes_(DestAddressLength) const struct sockaddr *pDestAddress,
    _In_ ULONG DestAddressLength, _In_ ULONG InboundReadLimit, _In_ ULONG OutboundReadLimit,
    _In_reads_bytes_opt_(PrivateDataLength) CONST PVOID pPrivateData, _In_ ULONG PrivateDataLength,
    _In_ NDK_FN_REQUEST_COMPLETION RequestCompletion, _In_opt_ PVOID RequestContext);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_CONNECT_WITH_SHARED_ENDPOINT)(
    _In_ NDK_CONNECTOR *pNdkConnector, _In_ NDK_QP *pNdkQp,
    _In_ NDK_SHARED_ENDPOINT *pNdkSharedEndpoint,
    _In_reads_bytes_(DestAddressLength) const struct sockaddr *pDestAddress,
    _In_ ULONG DestAddressLength, _In_ ULONG InboundReadLimit, _In_ ULONG OutboundReadLimit,
    _In_reads_bytes_opt_(PrivateDataLength) CONST PVOID pPrivateData, _In_ ULONG PrivateDataLength,
    _In_ NDK_FN_REQUEST_COMPLETION RequestCompletion, _In_opt_ PVOID RequestContext);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_COMPLETE_CONNECT)(
    _In_ NDK_CONNECTOR *pNdkConnector, _In_opt_ NDK_FN_DISCONNECT_EVENT_CALLBACK DisconnectEvent,
    _In_opt_ PVOID DisconnectEventContext, _In_ NDK_FN_REQUEST_COMPLETION RequestCompletion,
    _In_opt_ PVOID RequestContext);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_COMPLETE_CONNECT_EX)(
    _In_ NDK_CONNECTOR *pNdkConnector, _In_opt_ NDK_FN_DISCONNECT_EVENT_CALLBACK_EX DisconnectEvent,
    _In_opt_ PVOID DisconnectEventContext, _In_ NDK_FN_REQUEST_COMPLETION RequestCompletion,
    _In_opt_ PVOID RequestContext);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_ACCEPT)(
    _In_ NDK_CONNECTOR *pNdkConnector, _In_ NDK_QP *pNdkQp, _In_ ULONG InboundReadLimit,
    _In_ ULONG OutboundReadLimit, _In_reads_bytes_opt_(PrivateDataLength) CONST PVOID pPrivateData,
    _In_ ULONG PrivateDataLength, _In_opt_ NDK_FN_DISCONNECT_EVENT_CALLBACK DisconnectEvent,
    _In_opt_ PVOID DisconnectEventContext, _In_ NDK_FN_REQUEST_COMPLETION RequestCompletion,
    _In_opt_ PVOID RequestContext);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_ACCEPT_EX)(
    _In_ NDK_CONNECTOR *pNdkConnector, _In_ NDK_QP *pNdkQp, _In_ ULONG InboundReadLimit,
    _In_ ULONG OutboundReadLimit, _In_reads_bytes_opt_(PrivateDataLength) CONST PVOID pPrivateData,
    _In_ ULONG PrivateDataLength, _In_opt_ NDK_FN_DISCONNECT_EVENT_CALLBACK_EX DisconnectEvent,
    _In_opt_ PVOID DisconnectEventContext, _In_ NDK_FN_REQUEST_COMPLETION RequestCompletion,
    _In_opt_ PVOID RequestContext);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_REJECT)(
    _In_ NDK_CONNECTOR *pNdkConnector,
    _In_reads_bytes_opt_(PrivateDataLength) CONST PVOID pPrivateData, _In_ ULONG PrivateDataLength);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_GET_CONNECTION_DATA)(
    _In_ NDK_CONNECTOR *pNdkConnector, _Out_opt_ ULONG *pInboundReadLimit,
    _Out_opt_ ULONG *pOutboundReadLimit,
    _Out_writes_bytes_to_opt_(*pPrivateDataLength, *pPrivateDataLength) PVOID pPrivateData,
    _Inout_ ULONG *pPrivateDataLength);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_GET_LOCAL_ADDRESS)(
    _In_ NDK_CONNECTOR *pNdkConnector,
    _Out_writes_bytes_to_opt_(*pAddressLength, *pAddressLength) PSOCKADDR pAddress,
    _Inout_ ULONG *pAddressLength);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_GET_PEER_ADDRESS)(
    _In_ NDK_CONNECTOR *pNdkConnector,
    _Out_writes_bytes_to_opt_(*pAddressLength, *pAddressLength) PSOCKADDR pAddress,
    _Inout_ ULONG *pAddressLength);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_DISCONNECT)(
    _In_ NDK_CONNECTOR *pNdkConnector, _In_ NDK_FN_REQUEST_COMPLETION RequestCompletion,
    _In_opt_ PVOID RequestContext);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_DISCONNECT_EX)(
    _In_ NDK_CONNECTOR *pNdkConnector, _In_ BOOLEAN Abortive,
    _In_ NDK_FN_REQUEST_COMPLETION RequestCompletion, _In_opt_ PVOID RequestContext);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_LISTEN)(
    _In_ NDK_LISTENER *pNdkListener,
    _In_reads_bytes_(AddressLength) const struct sockaddr *pAddress, _In_ ULONG AddressLength,
    _In_ NDK_FN_REQUEST_COMPLETION RequestCompletion, _In_opt_ PVOID RequestContext);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_GET_LISTENER_LOCAL_ADDRESS)(
    _In_ NDK_LISTENER *pNdkListener,
    _Out_writes_bytes_to_opt_(*pAddressLength, *pAddressLength) PSOCKADDR pAddress,
    _Inout_ ULONG *pAddressLength);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef VOID (*NDK_FN_CONTROL_CONNECT_EVENTS)(
    _In_ NDK_LISTENER *pNdkListener, _In_ BOOLEAN Pause);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_GET_SHARED_ENDPOINT_LOCAL_ADDRESS)(
    _In_ NDK_SHARED_ENDPOINT *pNdkSharedEndpoint,
    _Out_writes_bytes_to_opt_(*pAddressLength, *pAddressLength) PSOCKADDR pAddress,
    _Inout_ ULONG *pAddressLength);

/* Posts. */

_IRQL_requires_max_(DISPATCH_LEVEL) typedef VOID (*NDK_FN_FLUSH)(_In_ NDK_QP *pNdkQp);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_SEND)(
    _In_ NDK_QP *pNdkQp, _In_opt_ PVOID RequestContext, _In_reads_(nSge) CONST NDK_SGE *pSgl,
    _In_ ULONG nSge, _In_ ULONG Flags);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_SEND_AND_INVALIDATE)(
    _In_ NDK_QP *pNdkQp, _In_opt_ PVOID RequestContext, _In_reads_(nSge) CONST NDK_SGE *pSgl,
    _In_ ULONG nSge, _In_ ULONG Flags, _In_ UINT32 RemoteToken);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_RECEIVE)(
    _In_ NDK_QP *pNdkQp, _In_opt_ PVOID RequestContext, _In_reads_(nSge) CONST NDK_SGE *pSgl,
    _In_ ULONG nSge);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_SRQ_RECEIVE)(
    _In_ NDK_SRQ *pNdkSrq, _In_opt_ PVOID RequestContext, _In_reads_(nSge) CONST NDK_SGE *pSgl,
    _In_ ULONG nSge);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_BIND)(
    _In_ NDK_QP *pNdkQp, _In_opt_ PVOID RequestContext, _In_ NDK_MR *pMr, _In_ NDK_MW *pMw,
    _In_ PVOID VirtualAddress, _In_ SIZE_T Length, _In_ ULONG Flags);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_FAST_REGISTER)(
    _In_ NDK_QP *pNdkQp, _In_opt_ PVOID RequestContext, _In_ NDK_MR *pMr,
    _In_ ULONG AdapterPageCount,
    _In_reads_(AdapterPageCount) CONST NDK_LOGICAL_ADDRESS *AdapterPageArray, _In_ ULONG FBO,
    _In_ SIZE_T Length, _In_ PVOID BaseVirtualAddress, _In_ ULONG Flags);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_INVALIDATE)(
    _In_ NDK_QP *pNdkQp, _In_opt_ PVOID RequestContext, _In_ NDK_OBJECT_HEADER *pNdkMrOrMw,
    _In_ ULONG Flags);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_READ)(
    _In_ NDK_QP *pNdkQp, _In_opt_ PVOID RequestContext, _In_reads_(nSge) CONST NDK_SGE *pSgl,
    _In_ ULONG nSge, _In_ UINT64 RemoteAddress, _In_ UINT32 RemoteToken, _In_ ULONG Flags);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_WRITE)(
    _In_ NDK_QP *pNdkQp, _In_opt_ PVOID RequestContext, _In_reads_(nSge) CONST NDK_SGE *pSgl,
    _In_ ULONG nSge, _In_ UINT64 RemoteAddress, _In_ UINT32 RemoteToken, _In_ ULONG Flags);

#endif
