/* SPDX-License-Identifier: Apache-2.0 */
/* Slots that exist and say so: shared endpoints. */
#ifndef PROVIDER_UNSUPPORTED_H
#define PROVIDER_UNSUPPORTED_H

#include "common.h"

NTSTATUS NdkCreateSharedEndpoint(NDK_ADAPTER *pNdkAdapter, const struct sockaddr *pAddress,
                                 ULONG AddressLength, NDK_FN_CREATE_COMPLETION CreateCompletion,
                                 PVOID RequestContext, NDK_SHARED_ENDPOINT **ppNdkSharedEndpoint);
NTSTATUS NdkConnectWithSharedEndpoint(NDK_CONNECTOR *pNdkConnector, NDK_QP *pNdkQp,
                                      NDK_SHARED_ENDPOINT *pNdkSharedEndpoint,
                                      const struct sockaddr *pDestAddress, ULONG DestAddressLength,
                                      ULONG InboundReadLimit, ULONG OutboundReadLimit,
                                      CONST PVOID pPrivateData, ULONG PrivateDataLength,
                                      NDK_FN_REQUEST_COMPLETION RequestCompletion,
                                      PVOID RequestContext);

#endif
