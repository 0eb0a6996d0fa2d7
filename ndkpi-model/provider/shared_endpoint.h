/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared endpoints: a local address from which many connectors connect, each to another peer. The
 * object is the antecedent of every connector that was told to use it, until that is closed or told
 * to use another.
 */
#ifndef PROVIDER_SHARED_ENDPOINT_H
#define PROVIDER_SHARED_ENDPOINT_H

#include "endpoint.h"
#include "object.h"

struct _RNIC_SHARED_ENDPOINT {
    RNIC_OBJECT Object;
    PRNIC_OPEN Open;
    PRNIC_ENDPOINT Endpoint; /* NULL from the close on; guarded by the CM lock */
};

NTSTATUS NdkCreateSharedEndpoint(NDK_ADAPTER *pNdkAdapter, const struct sockaddr *pAddress,
                                 ULONG AddressLength, NDK_FN_CREATE_COMPLETION CreateCompletion,
                                 PVOID RequestContext, NDK_SHARED_ENDPOINT **ppNdkSharedEndpoint);

static inline PRNIC_SHARED_ENDPOINT SharedEndpointOf(NDK_SHARED_ENDPOINT *pNdkSharedEndpoint) {
    return CONTAINING_RECORD(pNdkSharedEndpoint, RNIC_SHARED_ENDPOINT, Object.Ndk.SharedEndpoint);
}

#endif
