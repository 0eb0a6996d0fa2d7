/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Function types of the interface, without connections and posts: the callbacks that a consumer
 * gives, and what adapters, CQs, PDs, MRs, MWs and SRQs do.
 */
#ifndef NDKSIM_WDK_NDK_FUNCTIONS_H
#define NDKSIM_WDK_NDK_FUNCTIONS_H

#include "types.h"

/* Callbacks. A completion comes once, and only after STATUS_PENDING. */

_IRQL_requires_max_(DISPATCH_LEVEL) typedef VOID (*NDK_FN_CREATE_COMPLETION)(
    _In_opt_ PVOID Context, _In_ NTSTATUS Status, _In_ NDK_OBJECT_HEADER *pNdkObject);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef VOID (*NDK_FN_CLOSE_COMPLETION)(_In_opt_ PVOID Context);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef VOID (*NDK_FN_REQUEST_COMPLETION)(
    _In_opt_ PVOID Context, _In_ NTSTATUS Status);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef VOID (*NDK_FN_CQ_NOTIFICATION_CALLBACK)(
    _In_opt_ PVOID CqNotificationContext, _In_ NTSTATUS CqStatus);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef VOID (*NDK_FN_SRQ_NOTIFICATION_CALLBACK)(
    _In_opt_ PVOID SrqNotificationContext, _In_ NTSTATUS SrqStatus);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef VOID (*NDK_FN_CONNECT_EVENT_CALLBACK)(
    _In_opt_ PVOID ConnectEventContext, _In_ NDK_CONNECTOR *pNdkConnector);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef VOID (*NDK_FN_DISCONNECT_EVENT_CALLBACK)(
    _In_opt_ PVOID DisconnectEventContext);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef VOID (*NDK_FN_DISCONNECT_EVENT_CALLBACK_EX)(
    _In_opt_ PVOID DisconnectEventContext, _In_ ULONG ProviderDisconnectReason);

/* Functions. */

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_CLOSE_OBJECT)(
    _In_ NDK_OBJECT_HEADER *pNdkObject, _In_ NDK_FN_CLOSE_COMPLETION CloseCompletion,
    _In_opt_ PVOID RequestContext);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_QUERY_EXTENSION_INTERFACE)(
    _In_ NDK_OBJECT_HEADER *pNdkObject, _In_ GUID *ExtensionInterfaceID,
    _In_ NDK_VERSION ExtensionInterfaceVersion, _Out_ NDK_EXTENSION_INTERFACE *pExtensionInterface);

_IRQL_requires_(PASSIVE_LEVEL) typedef NTSTATUS (*NDK_FN_QUERY_ADAPTER_INFO)(
    _In_ NDK_ADAPTER *pNdkAdapter,
    _Out_writes_bytes_to_opt_(*pBufferSize, *pBufferSize) NDK_ADAPTER_INFO *pInfo,
    _Inout_ ULONG *pBufferSize);

_IRQL_requires_(PASSIVE_LEVEL) typedef NTSTATUS (*NDK_FN_QUERY_ADAPTER_INFO_EX)(
    _In_ NDK_ADAPTER *pNdkAdapter, _In_ NDK_VERSION Version,
    _Out_writes_bytes_to_opt_(*pBufferSize, *pBufferSize) NDK_ADAPTER_INFO *pInfo,
    _Inout_ ULONG *pBufferSize);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_CREATE_CQ)(
    _In_ NDK_ADAPTER *pNdkAdapter, _In_ ULONG CqDepth,
    _In_ NDK_FN_CQ_NOTIFICATION_CALLBACK CqNotification, _In_opt_ PVOID CqNotificationContext,
    _In_opt_ GROUP_AFFINITY *Affinity, _In_ NDK_FN_CREATE_COMPLETION CreateCompletion,
    _In_opt_ PVOID RequestContext, _Outptr_ NDK_CQ **ppNdkCq);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_CREATE_PD)(
    _In_ NDK_ADAPTER *pNdkAdapter, _In_ NDK_FN_CREATE_COMPLETION CreateCompletion,
    _In_opt_ PVOID RequestContext, _Outptr_ NDK_PD **ppNdkPd);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_CREATE_SHARED_ENDPOINT)(
    _In_ NDK_ADAPTER *pNdkAdapter, _In_reads_bytes_(AddressLength) const struct sockaddr *pAddress,
    _In_ ULONG AddressLength, _In_ NDK_FN_CREATE_COMPLETION CreateCompletion,
    _In_opt_ PVOID RequestContext, _Outptr_ NDK_SHARED_ENDPOINT **ppNdkSharedEndpoint);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_CREATE_CONNECTOR)(
    _In_ NDK_ADAPTER *pNdkAdapter, _In_ NDK_FN_CREATE_COMPLETION CreateCompletion,
    _In_opt_ PVOID RequestContext, _Outptr_ NDK_CONNECTOR **ppNdkConnector);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_CREATE_LISTENER)(
    _In_ NDK_ADAPTER *pNdkAdapter, _In_ NDK_FN_CONNECT_EVENT_CALLBACK ConnectEvent,
    _In_opt_ PVOID ConnectEventContext, _In_ NDK_FN_CREATE_COMPLETION CreateCompletion,
    _In_opt_ PVOID RequestContext, _Outptr_ NDK_LISTENER **ppNdkListener);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_BUILD_LAM)(
    _In_ NDK_ADAPTER *pNdkAdapter, _In_ MDL *Mdl, _In_ SIZE_T Length,
    _In_opt_ NDK_FN_REQUEST_COMPLETION RequestCompletion, _In_opt_ PVOID RequestContext,
    _Out_writes_bytes_to_opt_(*pLAMSize, *pLAMSize) NDK_LOGICAL_ADDRESS_MAPPING *pNdkLAM,
    _Inout_ ULONG *pLAMSize, _Out_ ULONG *pFBO);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef VOID (*NDK_FN_RELEASE_LAM)(
    _In_ NDK_ADAPTER *pNdkAdapter, _In_ NDK_LOGICAL_ADDRESS_MAPPING *pNdkLAM);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef VOID (*NDK_FN_ARM_CQ)(_In_ NDK_CQ *pNdkCq,
                                                                  _In_ ULONG Type);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_CONTROL_CQ_INTERRUPT_MODERATION)(
    _In_ NDK_CQ *pNdkCq, _In_ ULONG ModerationInterval, _In_ ULONG ModerationCount);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_CREATE_MR)(
    _In_ NDK_PD *pNdkPd, _In_ BOOLEAN FastRegister, _In_ NDK_FN_CREATE_COMPLETION CreateCompletion,
    _In_opt_ PVOID RequestContext, _Outptr_ NDK_MR **ppNdkMr);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_CREATE_MW)(
    _In_ NDK_PD *pNdkPd, _In_ NDK_FN_CREATE_COMPLETION CreateCompletion,
    _In_opt_ PVOID RequestContext, _Outptr_ NDK_MW **ppNdkMw);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_CREATE_QP)(
    _In_ NDK_PD *pNdkPd, _In_ NDK_CQ *pReceiveCq, _In_ NDK_CQ *pInitiatorCq,
    _In_opt_ PVOID QPContext, _In_ ULONG ReceiveQueueDepth, _In_ ULONG InitiatorQueueDepth,
    _In_ ULONG MaxReceiveRequestSge, _In_ ULONG MaxInitiatorRequestSge, _In_ ULONG InlineDataSize,
    _In_ NDK_FN_CREATE_COMPLETION CreateCompletion, _In_opt_ PVOID RequestContext,
    _Outptr_ NDK_QP **ppNdkQp);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_CREATE_QP_WITH_SRQ)(
    _In_ NDK_PD *pNdkPd, _In_ NDK_CQ *pReceiveCq, _In_ NDK_CQ *pInitiatorCq, _In_ NDK_SRQ *pSrq,
    _In_opt_ PVOID QPContext, _In_ ULONG InitiatorQueueDepth, _In_ ULONG MaxInitiatorRequestSge,
    _In_ ULONG InlineDataSize, _In_ NDK_FN_CREATE_COMPLETION CreateCompletion,
    _In_opt_ PVOID RequestContext, _Outptr_ NDK_QP **ppNdkQp);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_CREATE_SRQ)(
    _In_ NDK_PD *pNdkPd, _In_ ULONG SrqDepth, _In_ ULONG MaxReceiveRequestSge,
    _In_ ULONG NotifyThreshold, _In_opt_ NDK_FN_SRQ_NOTIFICATION_CALLBACK SrqNotification,
    _In_opt_ PVOID SrqNotificationContext, _In_opt_ GROUP_AFFINITY *Affinity,
    _In_ NDK_FN_CREATE_COMPLETION CreateCompletion, _In_opt_ PVOID RequestContext,
    _Outptr_ NDK_SRQ **ppNdkSrq);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_DEREGISTER_MR)(
    _In_ NDK_MR *pNdkMr, _In_ NDK_FN_REQUEST_COMPLETION RequestCompletion,
    _In_opt_ PVOID RequestContext);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef ULONG (*NDK_FN_GET_CQ_RESULTS)(
    _In_ NDK_CQ *pNdkCq, _Out_writes_to_(nResults, return ) NDK_RESULT *Results,
    _In_ ULONG nResults);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef ULONG (*NDK_FN_GET_CQ_RESULTS_EX)(
    _In_ NDK_CQ *pNdkCq, _Out_writes_to_(nResults, return ) NDK_RESULT_EX *Results,
    _In_ ULONG nResults);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef UINT32 (*NDK_FN_GET_LOCAL_TOKEN_FROM_MR)(
    _In_ NDK_MR *pNdkMr);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef VOID (*NDK_FN_GET_PRIVILEGED_MEMORY_REGION_TOKEN)(
    _In_ NDK_PD *pNdkPd, _Out_ UINT32 *pToken);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef UINT32 (*NDK_FN_GET_REMOTE_TOKEN_FROM_MR)(
    _In_ NDK_MR *pNdkMr);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef UINT32 (*NDK_FN_GET_REMOTE_TOKEN_FROM_MW)(
    _In_ NDK_MW *pNdkMw);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_INITIALIZE_FAST_REGISTER_MR)(
    _In_ NDK_MR *pNdkMr, _In_ ULONG AdapterPageCount, _In_ BOOLEAN RemoteAccess,
    _In_ NDK_FN_REQUEST_COMPLETION RequestCompletion, _In_opt_ PVOID RequestContext);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_MODIFY_SRQ)(
    _In_ NDK_SRQ *pNdkSrq, _In_ ULONG SrqDepth, _In_ ULONG NotifyThreshold,
    _In_ NDK_FN_REQUEST_COMPLETION RequestCompletion, _In_opt_ PVOID RequestContext);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_REGISTER_MR)(
    _In_ NDK_MR *pNdkMr, _In_ MDL *Mdl, _In_ SIZE_T Length, _In_ ULONG Flags,
    _In_ NDK_FN_REQUEST_COMPLETION RequestCompletion, _In_opt_ PVOID RequestContext);

_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS (*NDK_FN_RESIZE_CQ)(
    _In_ NDK_CQ *pNdkCq, _In_ ULONG CqDepth, _In_ NDK_FN_REQUEST_COMPLETION RequestCompletion,
    _In_opt_ PVOID RequestContext);

#endif
