/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local addresses in use: one port space per address, shared by listeners, connectors and shared
 * endpoints (D-35). All under the CM lock. Who counts (R-EP-01 to R-EP-06, R-SHEP-04):
 *
 *   of a connector  that connector, from its connect to its close
 *   of a listener   the listener until it is closed, every connector accepted over it until its own
 *   shared          the object until it is closed, every connector that connects over it
 *
 * The address is free again when nobody counts any more. `Users` are the connectors.
 */
#ifndef PROVIDER_ENDPOINT_H
#define PROVIDER_ENDPOINT_H

#include "address.h"

#define RNIC_PORT_BUCKETS 64u

typedef enum _RNIC_ENDPOINT_KIND {
    EndpointOfConnector,
    EndpointOfListener,
    EndpointShared
} RNIC_ENDPOINT_KIND;

typedef struct _RNIC_ENDPOINT {
    LIST_ENTRY Link;
    LIST_ENTRY PortLink;
    LIST_ENTRY Users;
    RNIC_IP Ip; /* may be a listener's wildcard */
    USHORT Port;
    RNIC_ENDPOINT_KIND Kind;
    ULONG References;
} RNIC_ENDPOINT, *PRNIC_ENDPOINT;

typedef struct _RNIC_ENDPOINTS {
    LIST_ENTRY All; /* by age */
    LIST_ENTRY ByPort[RNIC_PORT_BUCKETS];
    ULONG NextPort; /* offset of the ephemeral port to be tried next */
} RNIC_ENDPOINTS;

VOID EndpointsInit(RNIC_ENDPOINTS *Endpoints);

/*
 * Takes an address; port 0 asks for an ephemeral one. The caller has the first reference.
 * STATUS_SHARING_VIOLATION, STATUS_TOO_MANY_ADDRESSES or STATUS_INSUFFICIENT_RESOURCES otherwise.
 */
NTSTATUS EndpointOpen(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip, USHORT Port,
                      RNIC_ENDPOINT_KIND Kind, PRNIC_ENDPOINT *Endpoint);
/* Drops one reference. */
VOID EndpointPut(PRNIC_ENDPOINT Endpoint);

/* A connector uses the endpoint, with a reference of its own, until it leaves. */
VOID EndpointJoin(PRNIC_ENDPOINT Endpoint, PRNIC_CONNECTOR Connector);
VOID EndpointLeave(PRNIC_CONNECTOR Connector);

/* Another user than `Connector` has, or is about to have, a connection with this peer. */
BOOLEAN EndpointHasPeer(const RNIC_ENDPOINT *Endpoint, PRNIC_CONNECTOR Connector,
                        const RNIC_IP *PeerIp, USHORT PeerPort);

#endif
