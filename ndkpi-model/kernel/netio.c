/* SPDX-License-Identifier: Apache-2.0 */
/* IP helper: the scenario's adapters, addresses, neighbours and routes as Windows' tables. */
#include <ntddk.h>

#include <netioapi.h>

#include <string.h>

#include "adapter.h"
#include "call_error.h"
#include "pool.h"
#include "wide.h"

#define MIB_TAG 0x2062694Du /* Mib */

uint64_t krn_adapter_luid(const struct krn_adapter *adapter) {
    NET_LUID luid = {.Value = 0};

    luid.Info.IfType = IF_TYPE_ETHERNET_CSMACD;
    luid.Info.NetLuidIndex = 0x8000u + adapter->interface_index;
    return luid.Value;
}

static struct krn_adapter *by_luid(const struct krn_node *node, uint64_t luid) {
    struct krn_adapter *adapter = node->adapter_first;

    while (adapter != NULL && krn_adapter_luid(adapter) != luid) {
        adapter = adapter->next;
    }
    return adapter;
}

static void address_set(SOCKADDR_INET *to, const struct krn_ip *from) {
    memset(to, 0, sizeof(*to));
    if (from->version == 6) {
        to->Ipv6.sin6_family = AF_INET6;
        memcpy(&to->Ipv6.sin6_addr, from->bytes, 16);
    } else {
        to->Ipv4.sin_family = AF_INET;
        memcpy(&to->Ipv4.sin_addr, from->bytes, 4);
    }
}

static bool address_get(const SOCKADDR_INET *from, struct krn_ip *to) {
    memset(to, 0, sizeof(*to));
    if (from->si_family == AF_INET6) {
        to->version = 6;
        memcpy(to->bytes, &from->Ipv6.sin6_addr, 16);
    } else if (from->si_family == AF_INET) {
        to->version = 4;
        memcpy(to->bytes, &from->Ipv4.sin_addr, 4);
    }
    return to->version != 0;
}

static bool family_wanted(ADDRESS_FAMILY family, uint8_t version) {
    return family == AF_UNSPEC || (family == AF_INET6) == (version == 6);
}

static bool bits_equal(const struct krn_ip *one, const struct krn_ip *other, uint32_t bits) {
    uint32_t bytes = bits / 8;
    uint32_t rest = bits % 8;

    if (one->version != other->version || memcmp(one->bytes, other->bytes, bytes) != 0) {
        return false;
    }
    return rest == 0 || ((one->bytes[bytes] ^ other->bytes[bytes]) >> (8 - rest)) == 0;
}

static uint32_t bits_of(const struct krn_ip *ip) {
    return ip->version == 6 ? 128 : 32;
}

static PVOID table_make(const struct krn_call *call, uint64_t bytes) {
    struct krn_pool_request request = {
        .node = call->node,
        .driver = krn_call_driver(call),
        .bytes = bytes,
        .tag = MIB_TAG,
        .kind = KRN_POOL_KERNEL,
        .zero = true,
    };

    return krn_pool_take(&request);
}

VOID NTAPI FreeMibTable(PVOID Memory) {
    KRN_CALL(DISPATCH_LEVEL);
    const struct krn_chunk *chunk = krn_chunk_live_at(call.krn, Memory);

    krn_call_point(&call, krn_call_owner(&call), SIM_ACCESS_CLOSE);
    if (chunk == NULL || chunk->tag != MIB_TAG) {
        krn_bad_pointer(&call, Memory, "table");
    }
    krn_pool_give(&call, Memory);
}

NTSTATUS NTAPI ConvertInterfaceIndexToLuid(NET_IFINDEX InterfaceIndex, PNET_LUID InterfaceLuid) {
    KRN_CALL(DISPATCH_LEVEL);
    const struct krn_adapter *adapter = krn_adapter_by_index(call.node, InterfaceIndex);

    krn_check_memory(&call, InterfaceLuid, sizeof(*InterfaceLuid), "LUID");
    if (adapter == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    InterfaceLuid->Value = krn_adapter_luid(adapter);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI ConvertInterfaceLuidToIndex(const NET_LUID *InterfaceLuid,
                                           PNET_IFINDEX InterfaceIndex) {
    KRN_CALL(DISPATCH_LEVEL);
    const struct krn_adapter *adapter;

    krn_check_memory(&call, InterfaceLuid, sizeof(*InterfaceLuid), "LUID");
    krn_check_memory(&call, InterfaceIndex, sizeof(*InterfaceIndex), "interface index");
    adapter = by_luid(call.node, InterfaceLuid->Value);
    if (adapter == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    *InterfaceIndex = adapter->interface_index;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI ConvertInterfaceLuidToAlias(const NET_LUID *InterfaceLuid, PWSTR InterfaceAlias,
                                           SIZE_T Length) {
    KRN_CALL(DISPATCH_LEVEL);
    const struct krn_adapter *adapter;
    size_t needed;

    krn_check_memory(&call, InterfaceLuid, sizeof(*InterfaceLuid), "LUID");
    krn_check_memory(&call, InterfaceAlias, Length * sizeof(WCHAR), "alias buffer");
    adapter = by_luid(call.node, InterfaceLuid->Value);
    if (adapter == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    needed = krn_wide_from_text(adapter->name, NULL, 0) + 1;
    if (Length < needed) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    (void)krn_wide_from_text(adapter->name, InterfaceAlias, Length);
    InterfaceAlias[needed - 1] = 0;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI ConvertInterfaceAliasToLuid(const WCHAR *InterfaceAlias, PNET_LUID InterfaceLuid) {
    KRN_CALL(DISPATCH_LEVEL);
    const struct krn_adapter *adapter;
    size_t count = 0;
    char name[256];

    krn_check_memory(&call, InterfaceAlias, sizeof(WCHAR), "alias");
    krn_check_memory(&call, InterfaceLuid, sizeof(*InterfaceLuid), "LUID");
    while (InterfaceAlias[count] != 0) {
        count++;
    }
    adapter = krn_adapter_find(call.node,
                               krn_wide_buffer_text(InterfaceAlias, count, name, sizeof(name)));
    if (adapter == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    InterfaceLuid->Value = krn_adapter_luid(adapter);
    return STATUS_SUCCESS;
}

static ULONG addresses_count(const struct krn_node *node, ADDRESS_FAMILY family) {
    ULONG count = 0;

    for (const struct krn_adapter *adapter = node->adapter_first; adapter != NULL;
         adapter = adapter->next) {
        for (size_t i = 0; i < adapter->address_count; i++) {
            count += family_wanted(family, adapter->addresses[i].version);
        }
    }
    return count;
}

NTSTATUS NTAPI GetUnicastIpAddressTable(ADDRESS_FAMILY Family, PMIB_UNICASTIPADDRESS_TABLE *Table) {
    KRN_CALL(PASSIVE_LEVEL);
    ULONG count = addresses_count(call.node, Family);
    PMIB_UNICASTIPADDRESS_TABLE table;
    PMIB_UNICASTIPADDRESS_ROW row;

    krn_check_memory(&call, Table, sizeof(*Table), "table pointer");
    krn_call_point(&call, NULL, SIM_ACCESS_READ);
    *Table = NULL;
    if (count == 0) {
        return STATUS_NOT_FOUND;
    }
    table = table_make(&call, sizeof(*table) + count * sizeof(*row));
    if (table == NULL) {
        return STATUS_NO_MEMORY;
    }
    table->NumEntries = count;
    row = table->Table;
    for (const struct krn_adapter *adapter = call.node->adapter_first; adapter != NULL;
         adapter = adapter->next) {
        for (size_t i = 0; i < adapter->address_count; i++) {
            if (!family_wanted(Family, adapter->addresses[i].version)) {
                continue;
            }
            address_set(&row->Address, &adapter->addresses[i]);
            row->InterfaceLuid.Value = krn_adapter_luid(adapter);
            row->InterfaceIndex = adapter->interface_index;
            row->PrefixOrigin = IpPrefixOriginManual;
            row->ValidLifetime = 0xFFFFFFFF;
            row->PreferredLifetime = 0xFFFFFFFF;
            row->OnLinkPrefixLength = adapter->addresses[i].prefix_bits;
            row->DadState = IpDadStatePreferred;
            row++;
        }
    }
    *Table = table;
    return STATUS_SUCCESS;
}

static void neighbour_set(PMIB_IPNET_ROW2 row, const struct krn_adapter *adapter,
                          const struct krn_neighbour *neighbour) {
    memset(row, 0, sizeof(*row));
    address_set(&row->Address, &neighbour->address);
    row->InterfaceIndex = adapter->interface_index;
    row->InterfaceLuid.Value = krn_adapter_luid(adapter);
    memcpy(row->PhysicalAddress, neighbour->mac, sizeof(neighbour->mac));
    row->PhysicalAddressLength = sizeof(neighbour->mac);
    row->State = NlnsPermanent;
    row->IsRouter = neighbour->is_router;
}

NTSTATUS NTAPI GetIpNetTable2(ADDRESS_FAMILY Family, PMIB_IPNET_TABLE2 *Table) {
    KRN_CALL(PASSIVE_LEVEL);
    PMIB_IPNET_TABLE2 table;
    ULONG count = 0;

    krn_check_memory(&call, Table, sizeof(*Table), "table pointer");
    krn_call_point(&call, NULL, SIM_ACCESS_READ);
    *Table = NULL;
    for (const struct krn_adapter *adapter = call.node->adapter_first; adapter != NULL;
         adapter = adapter->next) {
        for (const struct krn_neighbour_entry *entry = adapter->neighbour_first; entry != NULL;
             entry = entry->next) {
            count += family_wanted(Family, entry->neighbour.address.version);
        }
    }
    if (count == 0) {
        return STATUS_NOT_FOUND;
    }
    table = table_make(&call, sizeof(*table) + count * sizeof(table->Table[0]));
    if (table == NULL) {
        return STATUS_NO_MEMORY;
    }
    for (const struct krn_adapter *adapter = call.node->adapter_first; adapter != NULL;
         adapter = adapter->next) {
        for (const struct krn_neighbour_entry *entry = adapter->neighbour_first; entry != NULL;
             entry = entry->next) {
            if (family_wanted(Family, entry->neighbour.address.version)) {
                neighbour_set(&table->Table[table->NumEntries++], adapter, &entry->neighbour);
            }
        }
    }
    *Table = table;
    return STATUS_SUCCESS;
}

static NTSTATUS entry_get(const struct krn_call *call, PMIB_IPNET_ROW2 row) {
    const struct krn_adapter *adapter;
    struct krn_ip wanted;

    krn_check_memory(call, row, sizeof(*row), "row");
    adapter = row->InterfaceLuid.Value != 0 ? by_luid(call->node, row->InterfaceLuid.Value)
                                            : krn_adapter_by_index(call->node, row->InterfaceIndex);
    krn_call_point(call, NULL, SIM_ACCESS_READ);
    if (adapter == NULL || !address_get(&row->Address, &wanted)) {
        return STATUS_INVALID_PARAMETER;
    }
    for (const struct krn_neighbour_entry *entry = adapter->neighbour_first; entry != NULL;
         entry = entry->next) {
        if (bits_equal(&entry->neighbour.address, &wanted, bits_of(&wanted))) {
            neighbour_set(row, adapter, &entry->neighbour);
            return STATUS_SUCCESS;
        }
    }
    return STATUS_NOT_FOUND;
}

NTSTATUS NTAPI GetIpNetEntry2(PMIB_IPNET_ROW2 Row) {
    KRN_CALL(DISPATCH_LEVEL);
    return entry_get(&call, Row);
}

NTSTATUS NTAPI ResolveIpNetEntry2(PMIB_IPNET_ROW2 Row, const SOCKADDR_INET *SourceAddress) {
    KRN_CALL(PASSIVE_LEVEL);
    UNREFERENCED_PARAMETER(SourceAddress);
    return entry_get(&call, Row);
}

NTSTATUS NTAPI GetIpPathTable(ADDRESS_FAMILY Family, PMIB_IPPATH_TABLE *Table) {
    KRN_CALL(PASSIVE_LEVEL);
    UNREFERENCED_PARAMETER(Family);
    krn_check_memory(&call, Table, sizeof(*Table), "table pointer");
    *Table = table_make(&call, sizeof(**Table));
    return *Table != NULL ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

struct route {
    const struct krn_adapter *adapter;
    const struct krn_ip *source;
    const struct krn_neighbour *router; /* NULL: on link */
};

static bool route_on_link(const struct krn_adapter *adapter, const struct krn_ip *to,
                          struct route *route) {
    for (size_t i = 0; i < adapter->address_count; i++) {
        if (bits_equal(&adapter->addresses[i], to, adapter->addresses[i].prefix_bits)) {
            *route = (struct route){adapter, &adapter->addresses[i], NULL};
            return true;
        }
    }
    return false;
}

static bool route_by_router(const struct krn_adapter *adapter, const struct krn_ip *to,
                            struct route *route) {
    const struct krn_neighbour_entry *entry = adapter->neighbour_first;

    while (entry != NULL &&
           (!entry->neighbour.is_router || entry->neighbour.address.version != to->version)) {
        entry = entry->next;
    }
    for (size_t i = 0; entry != NULL && i < adapter->address_count; i++) {
        if (adapter->addresses[i].version == to->version) {
            *route = (struct route){adapter, &adapter->addresses[i], &entry->neighbour};
            return true;
        }
    }
    return false;
}

static bool route_find(const struct krn_node *node, const struct krn_adapter *only,
                       const struct krn_ip *to, struct route *route) {
    for (const struct krn_adapter *adapter = node->adapter_first; adapter != NULL;
         adapter = adapter->next) {
        if ((only == NULL || only == adapter) && route_on_link(adapter, to, route)) {
            return true;
        }
    }
    for (const struct krn_adapter *adapter = node->adapter_first; adapter != NULL;
         adapter = adapter->next) {
        if ((only == NULL || only == adapter) && route_by_router(adapter, to, route)) {
            return true;
        }
    }
    return false;
}

NTSTATUS NTAPI GetBestRoute2(NET_LUID *InterfaceLuid, NET_IFINDEX InterfaceIndex,
                             const SOCKADDR_INET *SourceAddress,
                             const SOCKADDR_INET *DestinationAddress, ULONG AddressSortOptions,
                             PMIB_IPFORWARD_ROW2 BestRoute, SOCKADDR_INET *BestSourceAddress) {
    KRN_CALL(DISPATCH_LEVEL);
    const struct krn_adapter *only = NULL;
    struct route route;
    struct krn_ip to;

    UNREFERENCED_PARAMETER(SourceAddress);
    UNREFERENCED_PARAMETER(AddressSortOptions);
    krn_check_memory(&call, DestinationAddress, sizeof(*DestinationAddress), "address");
    krn_check_memory(&call, BestRoute, sizeof(*BestRoute), "route");
    krn_check_memory(&call, BestSourceAddress, sizeof(*BestSourceAddress), "source address");
    krn_call_point(&call, NULL, SIM_ACCESS_READ);
    if (InterfaceLuid != NULL) {
        only = by_luid(call.node, InterfaceLuid->Value);
    } else if (InterfaceIndex != 0) {
        only = krn_adapter_by_index(call.node, InterfaceIndex);
    }
    if (!address_get(DestinationAddress, &to)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!route_find(call.node, only, &to, &route)) {
        return STATUS_NETWORK_UNREACHABLE;
    }
    memset(BestRoute, 0, sizeof(*BestRoute));
    BestRoute->InterfaceLuid.Value = krn_adapter_luid(route.adapter);
    BestRoute->InterfaceIndex = route.adapter->interface_index;
    address_set(&BestRoute->DestinationPrefix.Prefix, &to);
    BestRoute->DestinationPrefix.PrefixLength = (UCHAR)bits_of(&to);
    if (route.router != NULL) {
        address_set(&BestRoute->NextHop, &route.router->address);
    } else {
        BestRoute->NextHop.si_family = DestinationAddress->si_family;
    }
    BestRoute->ValidLifetime = 0xFFFFFFFF;
    BestRoute->PreferredLifetime = 0xFFFFFFFF;
    BestRoute->Protocol = RouteProtocolNetMgmt;
    address_set(BestSourceAddress, route.source);
    return STATUS_SUCCESS;
}
