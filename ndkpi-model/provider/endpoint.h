/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local addresses in use: one port space per address, shared by listeners and connectors (D-35). An
 * endpoint of a listener counts the listener and every connector accepted over it; one of an active
 * connector counts that connector (R-EP-01 to R-EP-06). All under the CM lock.
 */
#ifndef PROVIDER_ENDPOINT_H
#define PROVIDER_ENDPOINT_H

#include "address.h"

typedef struct _RNIC_ENDPOINT {
    LIST_ENTRY Link;
    RNIC_IP Ip; /* may be a listener's wildcard */
    USHORT Port;
    BOOLEAN Listens;
    ULONG References;
} RNIC_ENDPOINT, *PRNIC_ENDPOINT;

/*
 * Takes an address; port 0 asks for an ephemeral one. STATUS_SHARING_VIOLATION,
 * STATUS_TOO_MANY_ADDRESSES or STATUS_INSUFFICIENT_RESOURCES otherwise.
 */
NTSTATUS EndpointOpen(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip, USHORT Port, BOOLEAN Listens,
                      PRNIC_ENDPOINT *Endpoint);
VOID EndpointGet(PRNIC_ENDPOINT Endpoint);
/* The address is free again after the last one. */
VOID EndpointPut(PRNIC_ENDPOINT Endpoint);

#endif
