/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared receive queues and shared endpoints do not exist on this adapter: their slots in the
 * dispatch tables answer STATUS_NOT_SUPPORTED and start nothing.
 */
#include "adapter.h"

NTSTATUS NdkCreateSrq(NDK_PD *pNdkPd, ULONG SrqDepth, ULONG MaxReceiveRequestSge,
                      ULONG NotifyThreshold, NDK_FN_SRQ_NOTIFICATION_CALLBACK SrqNotification,
                      PVOID SrqNotificationContext, GROUP_AFFINITY *Affinity,
                      NDK_FN_CREATE_COMPLETION CreateCompletion, PVOID RequestContext,
                      NDK_SRQ **ppNdkSrq) {
    UNREFERENCED_PARAMETER(pNdkPd);
    UNREFERENCED_PARAMETER(SrqDepth);
    UNREFERENCED_PARAMETER(MaxReceiveRequestSge);
    UNREFERENCED_PARAMETER(NotifyThreshold);
    UNREFERENCED_PARAMETER(SrqNotification);
    UNREFERENCED_PARAMETER(SrqNotificationContext);
    UNREFERENCED_PARAMETER(Affinity);
    UNREFERENCED_PARAMETER(CreateCompletion);
    UNREFERENCED_PARAMETER(RequestContext);
    UNREFERENCED_PARAMETER(ppNdkSrq);
    return STATUS_NOT_SUPPORTED;
}

NTSTATUS NdkCreateQpWithSrq(NDK_PD *pNdkPd, NDK_CQ *pReceiveCq, NDK_CQ *pInitiatorCq, NDK_SRQ *pSrq,
                            PVOID QPContext, ULONG InitiatorQueueDepth,
                            ULONG MaxInitiatorRequestSge, ULONG InlineDataSize,
                            NDK_FN_CREATE_COMPLETION CreateCompletion, PVOID RequestContext,
                            NDK_QP **ppNdkQp) {
    UNREFERENCED_PARAMETER(pNdkPd);
    UNREFERENCED_PARAMETER(pReceiveCq);
    UNREFERENCED_PARAMETER(pInitiatorCq);
    UNREFERENCED_PARAMETER(pSrq);
    UNREFERENCED_PARAMETER(QPContext);
    UNREFERENCED_PARAMETER(InitiatorQueueDepth);
    UNREFERENCED_PARAMETER(MaxInitiatorRequestSge);
    UNREFERENCED_PARAMETER(InlineDataSize);
    UNREFERENCED_PARAMETER(CreateCompletion);
    UNREFERENCED_PARAMETER(RequestContext);
    UNREFERENCED_PARAMETER(ppNdkQp);
    return STATUS_NOT_SUPPORTED;
}

NTSTATUS NdkCreateSharedEndpoint(NDK_ADAPTER *pNdkAdapter, const struct sockaddr *pAddress,
                                 ULONG AddressLength, NDK_FN_CREATE_COMPLETION CreateCompletion,
                                 PVOID RequestContext, NDK_SHARED_ENDPOINT **ppNdkSharedEndpoint) {
    UNREFERENCED_PARAMETER(pNdkAdapter);
    UNREFERENCED_PARAMETER(pAddress);
    UNREFERENCED_PARAMETER(AddressLength);
    UNREFERENCED_PARAMETER(CreateCompletion);
    UNREFERENCED_PARAMETER(RequestContext);
    UNREFERENCED_PARAMETER(ppNdkSharedEndpoint);
    return STATUS_NOT_SUPPORTED;
}

NTSTATUS NdkConnectWithSharedEndpoint(NDK_CONNECTOR *pNdkConnector, NDK_QP *pNdkQp,
                                      NDK_SHARED_ENDPOINT *pNdkSharedEndpoint,
                                      const struct sockaddr *pDestAddress, ULONG DestAddressLength,
                                      ULONG InboundReadLimit, ULONG OutboundReadLimit,
                                      CONST PVOID pPrivateData, ULONG PrivateDataLength,
                                      NDK_FN_REQUEST_COMPLETION RequestCompletion,
                                      PVOID RequestContext) {
    UNREFERENCED_PARAMETER(pNdkConnector);
    UNREFERENCED_PARAMETER(pNdkQp);
    UNREFERENCED_PARAMETER(pNdkSharedEndpoint);
    UNREFERENCED_PARAMETER(pDestAddress);
    UNREFERENCED_PARAMETER(DestAddressLength);
    UNREFERENCED_PARAMETER(InboundReadLimit);
    UNREFERENCED_PARAMETER(OutboundReadLimit);
    UNREFERENCED_PARAMETER(pPrivateData);
    UNREFERENCED_PARAMETER(PrivateDataLength);
    UNREFERENCED_PARAMETER(RequestCompletion);
    UNREFERENCED_PARAMETER(RequestContext);
    return STATUS_NOT_SUPPORTED;
}
