/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses and neighbours: from the OS to the device's tables, and forms of an address. */
#include "adapter.h"

static const UCHAR MappedPrefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

BOOLEAN IpIsV4(const RNIC_IP *Ip) {
    return RtlEqualMemory(Ip->Bytes, MappedPrefix, sizeof(MappedPrefix));
}

BOOLEAN IpIsWildcard(const RNIC_IP *Ip) {
    static const UCHAR Zero[16];

    return IpIsV4(Ip) ? RtlEqualMemory(Ip->Bytes + 12, Zero, 4)
                      : RtlEqualMemory(Ip->Bytes, Zero, 16);
}

static VOID IpFromV4(const VOID *Address, PRNIC_IP Ip) {
    RtlCopyMemory(Ip->Bytes, MappedPrefix, sizeof(MappedPrefix));
    RtlCopyMemory(Ip->Bytes + 12, Address, 4);
}

NTSTATUS IpFromSockaddr(const struct sockaddr *Address, ULONG Length, PRNIC_IP Ip, PUSHORT Port) {
    if (Address == NULL || Length < sizeof(ADDRESS_FAMILY)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (Address->sa_family == AF_INET && Length >= sizeof(SOCKADDR_IN)) {
        const SOCKADDR_IN *V4 = (const SOCKADDR_IN *)Address;

        IpFromV4(&V4->sin_addr, Ip);
        *Port = RtlUshortByteSwap(V4->sin_port);
        return STATUS_SUCCESS;
    }
    if (Address->sa_family == AF_INET6 && Length >= sizeof(SOCKADDR_IN6)) {
        const SOCKADDR_IN6 *V6 = (const SOCKADDR_IN6 *)Address;

        RtlCopyMemory(Ip->Bytes, &V6->sin6_addr, sizeof(Ip->Bytes));
        *Port = RtlUshortByteSwap(V6->sin6_port);
        return STATUS_SUCCESS;
    }
    return STATUS_INVALID_PARAMETER;
}

VOID IpToInet(const RNIC_IP *Ip, USHORT Port, PSOCKADDR_INET Inet) {
    RtlZeroMemory(Inet, sizeof(*Inet));
    if (IpIsV4(Ip)) {
        Inet->Ipv4.sin_family = AF_INET;
        Inet->Ipv4.sin_port = RtlUshortByteSwap(Port);
        RtlCopyMemory(&Inet->Ipv4.sin_addr, Ip->Bytes + 12, 4);
    } else {
        Inet->Ipv6.sin6_family = AF_INET6;
        Inet->Ipv6.sin6_port = RtlUshortByteSwap(Port);
        RtlCopyMemory(&Inet->Ipv6.sin6_addr, Ip->Bytes, sizeof(Ip->Bytes));
    }
}

NTSTATUS IpToSockaddr(const RNIC_IP *Ip, USHORT Port, PSOCKADDR Address, PULONG Length) {
    ULONG Needed = IpIsV4(Ip) ? sizeof(SOCKADDR_IN) : sizeof(SOCKADDR_IN6);
    SOCKADDR_INET Inet;
    BOOLEAN Fits = Address != NULL && *Length >= Needed;

    *Length = Needed;
    if (!Fits) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    IpToInet(Ip, Port, &Inet);
    RtlCopyMemory(Address, &Inet, Needed);
    return STATUS_SUCCESS;
}

static BOOLEAN IpFromInet(const SOCKADDR_INET *Inet, PRNIC_IP Ip) {
    USHORT Port;

    return NT_SUCCESS(IpFromSockaddr((const struct sockaddr *)Inet, sizeof(*Inet), Ip, &Port));
}

static NTSTATUS AddressSet(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip, UCHAR PrefixBits) {
    RNIC_ADDRESSES *Addresses = &Adapter->Cm.Addresses;
    ULONG Index = Addresses->Count;
    RNIC_BOXED Set;

    if (Index == RNIC_ADDRESS_MAX || Index >= Adapter->Caps.address_count_max) {
        return STATUS_TOO_MANY_ADDRESSES;
    }
    BoxedInit(&Set, RNIC_CMD_SET_ADDRESS, Index, sizeof(Set.In.Address), 0);
    RtlCopyMemory(Set.In.Address.ip, Ip->Bytes, sizeof(Ip->Bytes));
    Set.In.Address.valid = 1;
    if (CommandPolled(Adapter, &Set.Command, NULL, 0) != RNIC_STATUS_OK) {
        return CommandNtStatus(Set.Command.Status);
    }
    Addresses->Ip[Index] = *Ip;
    Addresses->PrefixBits[Index] = IpIsV4(Ip) ? (UCHAR)(PrefixBits + 96) : PrefixBits;
    Addresses->Count++;
    return STATUS_SUCCESS;
}

static NTSTATUS AddressOfOther(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip) {
    RNIC_ADDRESSES *Addresses = &Adapter->Cm.Addresses;

    if (Addresses->OtherCount == RNIC_ADDRESS_OTHERS_MAX) {
        return STATUS_TOO_MANY_ADDRESSES;
    }
    Addresses->Others[Addresses->OtherCount++] = *Ip;
    return STATUS_SUCCESS;
}

static NTSTATUS AddressesRead(PRNIC_ADAPTER Adapter) {
    PMIB_UNICASTIPADDRESS_TABLE Table;
    NTSTATUS Status = GetUnicastIpAddressTable(AF_UNSPEC, &Table);
    ULONG i;

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    for (i = 0; i < Table->NumEntries && NT_SUCCESS(Status); i++) {
        const MIB_UNICASTIPADDRESS_ROW *Row = &Table->Table[i];
        RNIC_IP Ip;

        if (IpFromInet(&Row->Address, &Ip)) {
            Status = Row->InterfaceIndex == Adapter->IfIndex
                         ? AddressSet(Adapter, &Ip, Row->OnLinkPrefixLength)
                         : AddressOfOther(Adapter, &Ip);
        }
    }
    FreeMibTable(Table);
    return Status;
}

static NTSTATUS NeighbourSet(PRNIC_ADAPTER Adapter, const MIB_IPNET_ROW2 *Row, const RNIC_IP *Ip) {
    RNIC_BOXED Set;

    BoxedInit(&Set, RNIC_CMD_SET_NEIGHBOUR, 0, sizeof(Set.In.Neighbour), 0);
    RtlCopyMemory(Set.In.Neighbour.ip, Ip->Bytes, sizeof(Ip->Bytes));
    RtlCopyMemory(Set.In.Neighbour.mac, Row->PhysicalAddress, 6);
    Set.In.Neighbour.valid = 1;
    return CommandNtStatus(CommandPolled(Adapter, &Set.Command, NULL, 0));
}

static NTSTATUS NeighboursRead(PRNIC_ADAPTER Adapter) {
    PMIB_IPNET_TABLE2 Table;
    NTSTATUS Status = GetIpNetTable2(AF_UNSPEC, &Table);
    ULONG i;

    if (!NT_SUCCESS(Status)) {
        return Status == STATUS_NOT_FOUND ? STATUS_SUCCESS : Status;
    }
    for (i = 0; i < Table->NumEntries && NT_SUCCESS(Status); i++) {
        const MIB_IPNET_ROW2 *Row = &Table->Table[i];
        RNIC_IP Ip;

        if (Row->InterfaceIndex == Adapter->IfIndex && Row->PhysicalAddressLength == 6 &&
            IpFromInet(&Row->Address, &Ip)) {
            Status = NeighbourSet(Adapter, Row, &Ip);
        }
    }
    FreeMibTable(Table);
    return Status;
}

NTSTATUS AddressStart(PRNIC_ADAPTER Adapter) {
    NTSTATUS Status;

    Adapter->Cm.Addresses.Count = 0;
    Adapter->Cm.Addresses.OtherCount = 0;
    Status = AddressesRead(Adapter);
    return NT_SUCCESS(Status) ? NeighboursRead(Adapter) : Status;
}

BOOLEAN AddressFind(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip, PUCHAR Index) {
    const RNIC_ADDRESSES *Addresses = &Adapter->Cm.Addresses;
    ULONG i;

    for (i = 0; i < Addresses->Count; i++) {
        if (IpEqual(&Addresses->Ip[i], Ip)) {
            *Index = (UCHAR)i;
            return TRUE;
        }
    }
    return FALSE;
}

BOOLEAN AddressIsOfThisNode(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip) {
    const RNIC_ADDRESSES *Addresses = &Adapter->Cm.Addresses;
    UCHAR Own;
    ULONG i;

    for (i = 0; i < Addresses->OtherCount; i++) {
        if (IpEqual(&Addresses->Others[i], Ip)) {
            return TRUE;
        }
    }
    return AddressFind(Adapter, Ip, &Own);
}

BOOLEAN AddressIsOnLink(PRNIC_ADAPTER Adapter, UCHAR Index, const RNIC_IP *Ip) {
    const UCHAR *Own = Adapter->Cm.Addresses.Ip[Index].Bytes;
    ULONG Bits = Adapter->Cm.Addresses.PrefixBits[Index];
    ULONG Bytes = Bits / 8;

    return RtlEqualMemory(Own, Ip->Bytes, Bytes) &&
           (Bits % 8 == 0 || (Own[Bytes] ^ Ip->Bytes[Bytes]) >> (8 - Bits % 8) == 0);
}

BOOLEAN AddressIsReachable(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip) {
    RNIC_BOXED Resolve;
    struct rnic_neighbour Found;

    BoxedInit(&Resolve, RNIC_CMD_RESOLVE_NEIGHBOUR, 0, sizeof(Resolve.In.Neighbour), 0);
    RtlCopyMemory(Resolve.In.Neighbour.ip, Ip->Bytes, sizeof(Ip->Bytes));
    return CommandPolled(Adapter, &Resolve.Command, &Found, sizeof(Found)) == RNIC_STATUS_OK;
}
