/* SPDX-License-Identifier: Apache-2.0 */
/* Address and port references; see endpoint.h. */
#include "adapter.h"

VOID EndpointsInit(RNIC_ENDPOINTS *Endpoints) {
    ULONG i;

    InitializeListHead(&Endpoints->All);
    for (i = 0; i < RNIC_PORT_BUCKETS; i++) {
        InitializeListHead(&Endpoints->ByPort[i]);
    }
}

static PLIST_ENTRY PortBucket(PRNIC_ADAPTER Adapter, USHORT Port) {
    return &Adapter->Cm.Endpoints.ByPort[Port % RNIC_PORT_BUCKETS];
}

static BOOLEAN AddressesClash(const RNIC_IP *A, const RNIC_IP *B) {
    if (IpIsV4(A) != IpIsV4(B)) {
        return FALSE;
    }
    return IpEqual(A, B) || IpIsWildcard(A) || IpIsWildcard(B);
}

static BOOLEAN EndpointIsTaken(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip, USHORT Port) {
    PLIST_ENTRY Bucket = PortBucket(Adapter, Port);
    PLIST_ENTRY Entry;

    for (Entry = Bucket->Flink; Entry != Bucket; Entry = Entry->Flink) {
        PRNIC_ENDPOINT Endpoint = CONTAINING_RECORD(Entry, RNIC_ENDPOINT, PortLink);

        if (Endpoint->Port == Port && AddressesClash(&Endpoint->Ip, Ip)) {
            return TRUE;
        }
    }
    return FALSE;
}

/* The next free ephemeral port, round the range; 0: none. */
static USHORT EndpointFreePort(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip) {
    RNIC_ENDPOINTS *Endpoints = &Adapter->Cm.Endpoints;
    ULONG First = Adapter->Settings.PortFirst;
    ULONG Count = Adapter->Settings.PortLast - First + 1;
    ULONG i;

    for (i = 0; i < Count; i++) {
        USHORT Port = (USHORT)(First + (Endpoints->NextPort + i) % Count);

        if (!EndpointIsTaken(Adapter, Ip, Port)) {
            Endpoints->NextPort = (Endpoints->NextPort + i + 1) % Count;
            return Port;
        }
    }
    return 0;
}

NTSTATUS EndpointOpen(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip, USHORT Port,
                      RNIC_ENDPOINT_KIND Kind, PRNIC_ENDPOINT *Endpoint) {
    PRNIC_ENDPOINT New;

    if (Port == 0) {
        Port = EndpointFreePort(Adapter, Ip);
        if (Port == 0) {
            return STATUS_TOO_MANY_ADDRESSES;
        }
    } else if (EndpointIsTaken(Adapter, Ip, Port)) {
        return STATUS_SHARING_VIOLATION;
    }
    New = PoolGet(sizeof(*New));
    if (New == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    New->Ip = *Ip;
    New->Port = Port;
    New->Kind = Kind;
    New->References = 1;
    InitializeListHead(&New->Users);
    InsertTailList(&Adapter->Cm.Endpoints.All, &New->Link);
    InsertTailList(PortBucket(Adapter, Port), &New->PortLink);
    *Endpoint = New;
    return STATUS_SUCCESS;
}

VOID EndpointPut(PRNIC_ENDPOINT Endpoint) {
    NT_ASSERT(Endpoint->References != 0);
    if (--Endpoint->References == 0) {
        NT_ASSERT(IsListEmpty(&Endpoint->Users));
        RemoveEntryList(&Endpoint->Link);
        RemoveEntryList(&Endpoint->PortLink);
        PoolPut(Endpoint);
    }
}

VOID EndpointJoin(PRNIC_ENDPOINT Endpoint, PRNIC_CONNECTOR Connector) {
    NT_ASSERT(Connector->Endpoint == NULL);
    Endpoint->References++;
    Connector->Endpoint = Endpoint;
    InsertTailList(&Endpoint->Users, &Connector->EndpointLink);
}

VOID EndpointLeave(PRNIC_CONNECTOR Connector) {
    PRNIC_ENDPOINT Endpoint = Connector->Endpoint;

    if (Endpoint != NULL) {
        Connector->Endpoint = NULL;
        RemoveEntryList(&Connector->EndpointLink);
        EndpointPut(Endpoint);
    }
}

BOOLEAN EndpointHasPeer(const RNIC_ENDPOINT *Endpoint, PRNIC_CONNECTOR Connector,
                        const RNIC_IP *PeerIp, USHORT PeerPort) {
    PLIST_ENTRY Entry;

    for (Entry = Endpoint->Users.Flink; Entry != &Endpoint->Users; Entry = Entry->Flink) {
        PRNIC_CONNECTOR User = CONTAINING_RECORD(Entry, RNIC_CONNECTOR, EndpointLink);

        if (User != Connector && User->State != CmIdle && User->PeerPort == PeerPort &&
            IpEqual(&User->PeerIp, PeerIp)) {
            return TRUE;
        }
    }
    return FALSE;
}
