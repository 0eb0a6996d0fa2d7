/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared endpoints do not exist on this adapter: their slots in the dispatch tables answer
 * STATUS_NOT_SUPPORTED and start nothing.
 */
#include "adapter.h"

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
