/* SPDX-License-Identifier: Apache-2.0 */
/* Address and port references; see endpoint.h. */
#include "adapter.h"

static BOOLEAN AddressesClash(const RNIC_IP *A, const RNIC_IP *B) {
    if (IpIsV4(A) != IpIsV4(B)) {
        return FALSE;
    }
    return IpEqual(A, B) || IpIsWildcard(A) || IpIsWildcard(B);
}

static BOOLEAN EndpointIsTaken(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip, USHORT Port) {
    PLIST_ENTRY Entry;

    for (Entry = Adapter->Cm.Endpoints.Flink; Entry != &Adapter->Cm.Endpoints;
         Entry = Entry->Flink) {
        PRNIC_ENDPOINT Endpoint = CONTAINING_RECORD(Entry, RNIC_ENDPOINT, Link);

        if (Endpoint->Port == Port && AddressesClash(&Endpoint->Ip, Ip)) {
            return TRUE;
        }
    }
    return FALSE;
}

/* The next free ephemeral port, round the range; 0: none. */
static USHORT EndpointFreePort(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip) {
    ULONG First = Adapter->Settings.PortFirst;
    ULONG Count = Adapter->Settings.PortLast - First + 1;
    ULONG i;

    for (i = 0; i < Count; i++) {
        USHORT Port = (USHORT)(First + (Adapter->Cm.NextPort + i) % Count);

        if (!EndpointIsTaken(Adapter, Ip, Port)) {
            Adapter->Cm.NextPort = (Adapter->Cm.NextPort + i + 1) % Count;
            return Port;
        }
    }
    return 0;
}

NTSTATUS EndpointOpen(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip, USHORT Port, BOOLEAN Listens,
                      PRNIC_ENDPOINT *Endpoint) {
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
    New->Listens = Listens;
    New->References = 1;
    InsertTailList(&Adapter->Cm.Endpoints, &New->Link);
    *Endpoint = New;
    return STATUS_SUCCESS;
}

VOID EndpointGet(PRNIC_ENDPOINT Endpoint) {
    Endpoint->References++;
}

VOID EndpointPut(PRNIC_ENDPOINT Endpoint) {
    NT_ASSERT(Endpoint->References != 0);
    if (--Endpoint->References == 0) {
        RemoveEntryList(&Endpoint->Link);
        PoolPut(Endpoint);
    }
}
