/* SPDX-License-Identifier: Apache-2.0 */
/* OIDs and their answers as text and numbers; see krn/oid.h. */
#include <krn/oid.h>

#include <stdio.h>
#include <string.h>

#include <ndis.h>

struct member {
    const char *name;
    uint16_t offset;
    uint16_t bytes;
};
#define MEMBER(type, field)                                                                        \
    { #field, (uint16_t)offsetof(type, field), (uint16_t)sizeof(((type *)0)->field) }
#define COUNTER(field)                                                                             \
    {                                                                                              \
#field, (uint16_t)(offsetof(NDIS_NDK_STATISTICS_INFO, CounterSet.field)),                  \
            (uint16_t)sizeof(ULONG64)                                                              \
    }

static const struct member connections[] = {
    MEMBER(NDIS_NDK_CONNECTIONS, Header.Type),
    MEMBER(NDIS_NDK_CONNECTIONS, Header.Revision),
    MEMBER(NDIS_NDK_CONNECTIONS, Header.Size),
    MEMBER(NDIS_NDK_CONNECTIONS, Flags),
    MEMBER(NDIS_NDK_CONNECTIONS, Count),
    MEMBER(NDIS_NDK_CONNECTIONS, NDConnectionsMappedtoTCPConnections),
    {NULL, 0, 0},
};

static const struct member endpoints[] = {
    MEMBER(NDIS_NDK_LOCAL_ENDPOINTS, Header.Type),
    MEMBER(NDIS_NDK_LOCAL_ENDPOINTS, Header.Revision),
    MEMBER(NDIS_NDK_LOCAL_ENDPOINTS, Header.Size),
    MEMBER(NDIS_NDK_LOCAL_ENDPOINTS, Flags),
    MEMBER(NDIS_NDK_LOCAL_ENDPOINTS, Count),
    MEMBER(NDIS_NDK_LOCAL_ENDPOINTS, NDLocalEndpointsMappedtoTCPLocalEndpoints),
    {NULL, 0, 0},
};

static const struct member statistics[] = {
    MEMBER(NDIS_NDK_STATISTICS_INFO, Header.Type),
    MEMBER(NDIS_NDK_STATISTICS_INFO, Header.Revision),
    MEMBER(NDIS_NDK_STATISTICS_INFO, Header.Size),
    MEMBER(NDIS_NDK_STATISTICS_INFO, Flags),
    COUNTER(Connect),
    COUNTER(Accept),
    COUNTER(ConnectFailure),
    COUNTER(ConnectionError),
    COUNTER(ActiveConnection),
    COUNTER(CQError),
    COUNTER(RDMAInOctets),
    COUNTER(RDMAOutOctets),
    COUNTER(RDMAInFrames),
    COUNTER(RDMAOutFrames),
    {NULL, 0, 0},
};

static const struct member general[] = {
    MEMBER(NDIS_STATISTICS_INFO, Header.Type),
    MEMBER(NDIS_STATISTICS_INFO, Header.Revision),
    MEMBER(NDIS_STATISTICS_INFO, Header.Size),
    MEMBER(NDIS_STATISTICS_INFO, SupportedStatistics),
    MEMBER(NDIS_STATISTICS_INFO, ifInDiscards),
    MEMBER(NDIS_STATISTICS_INFO, ifInErrors),
    MEMBER(NDIS_STATISTICS_INFO, ifHCInOctets),
    MEMBER(NDIS_STATISTICS_INFO, ifHCInUcastPkts),
    MEMBER(NDIS_STATISTICS_INFO, ifHCInMulticastPkts),
    MEMBER(NDIS_STATISTICS_INFO, ifHCInBroadcastPkts),
    MEMBER(NDIS_STATISTICS_INFO, ifHCOutOctets),
    MEMBER(NDIS_STATISTICS_INFO, ifHCOutUcastPkts),
    MEMBER(NDIS_STATISTICS_INFO, ifHCOutMulticastPkts),
    MEMBER(NDIS_STATISTICS_INFO, ifHCOutBroadcastPkts),
    MEMBER(NDIS_STATISTICS_INFO, ifOutErrors),
    MEMBER(NDIS_STATISTICS_INFO, ifOutDiscards),
    MEMBER(NDIS_STATISTICS_INFO, ifHCInUcastOctets),
    MEMBER(NDIS_STATISTICS_INFO, ifHCOutUcastOctets),
    {NULL, 0, 0},
};

static const struct member number32[] = {{"value", 0, sizeof(ULONG)}, {NULL, 0, 0}};
static const struct member number64[] = {{"value", 0, sizeof(ULONG64)}, {NULL, 0, 0}};
static const struct member none[] = {{NULL, 0, 0}};

static const struct oid {
    const char *name;
    uint32_t oid;
    const struct member *members;
} oids[] = {
    {"OID_NDK_SET_STATE", OID_NDK_SET_STATE, none},
    {"OID_NDK_STATISTICS", OID_NDK_STATISTICS, statistics},
    {"OID_NDK_CONNECTIONS", OID_NDK_CONNECTIONS, connections},
    {"OID_NDK_LOCAL_ENDPOINTS", OID_NDK_LOCAL_ENDPOINTS, endpoints},
    {"OID_GEN_STATISTICS", OID_GEN_STATISTICS, general},
    {"OID_GEN_XMIT_OK", OID_GEN_XMIT_OK, number64},
    {"OID_GEN_RCV_OK", OID_GEN_RCV_OK, number64},
    {"OID_GEN_HARDWARE_STATUS", OID_GEN_HARDWARE_STATUS, number32},
    {"OID_GEN_CURRENT_PACKET_FILTER", OID_GEN_CURRENT_PACKET_FILTER, number32},
    {"OID_GEN_LINK_STATE", OID_GEN_LINK_STATE, none},
    {"OID_GEN_VENDOR_DESCRIPTION", OID_GEN_VENDOR_DESCRIPTION, none},
    {"OID_802_3_PERMANENT_ADDRESS", OID_802_3_PERMANENT_ADDRESS, none},
    {"OID_802_3_CURRENT_ADDRESS", OID_802_3_CURRENT_ADDRESS, none},
    {"OID_PNP_CAPABILITIES", OID_PNP_CAPABILITIES, none},
    {"OID_PNP_QUERY_POWER", OID_PNP_QUERY_POWER, none},
};

uint32_t krn_oid_by_name(const char *name) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(oids); i++) {
        if (strcmp(oids[i].name, name) == 0) {
            return oids[i].oid;
        }
    }
    return 0;
}

const char *krn_oid_name_at(size_t index) {
    return index < SIM_ARRAY_COUNT(oids) ? oids[index].name : NULL;
}

static const struct member *members_of(uint32_t oid) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(oids); i++) {
        if (oids[i].oid == oid) {
            return oids[i].members;
        }
    }
    return none;
}

const char *krn_oid_member_at(uint32_t oid, size_t index) {
    const struct member *member = members_of(oid);

    while (member->name != NULL && index-- > 0) {
        member++;
    }
    return member->name;
}

bool krn_oid_member(uint32_t oid, const char *name, const void *answer, uint64_t bytes,
                    uint64_t *value) {
    const struct member *member = members_of(oid);

    while (member->name != NULL && strcmp(member->name, name) != 0) {
        member++;
    }
    if (member->name == NULL || (uint64_t)member->offset + member->bytes > bytes) {
        return false;
    }
    /* Driver and simulation have one byte order, the least significant first. */
    *value = 0;
    memcpy(value, (const uint8_t *)answer + member->offset, member->bytes);
    return true;
}

/* ---- Entries ---- */

static void address_text(const SOCKADDR_INET *address, char *text, size_t size) {
    const uint8_t *port = (const uint8_t *)&address->Ipv4.sin_port;
    const uint8_t *ip;
    size_t used = 0;

    if (address->si_family == AF_INET) {
        ip = (const uint8_t *)&address->Ipv4.sin_addr;
        (void)snprintf(text, size, "%u.%u.%u.%u:%u", ip[0], ip[1], ip[2], ip[3],
                       port[0] << 8 | port[1]);
        return;
    }
    ip = (const uint8_t *)&address->Ipv6.sin6_addr;
    for (uint32_t i = 0; i < 16 && used < size; i += 2) {
        used += (size_t)snprintf(text + used, size - used, "%s%x", i == 0 ? "[" : ":",
                                 ip[i] << 8 | ip[i + 1]);
    }
    if (used < size) {
        (void)snprintf(text + used, size - used, "]:%u", port[0] << 8 | port[1]);
    }
}

static void connection_text(const NDIS_NDK_CONNECTION_ENTRY *entry, bool is_tcp, char *text) {
    char local[64];
    char remote[64];

    address_text(&entry->Local, local, sizeof(local));
    address_text(&entry->Remote, remote, sizeof(remote));
    (void)snprintf(text, KRN_OID_ENTRY_BYTES, "%s%s %s%s", is_tcp ? "tcp " : "", local, remote,
                   !is_tcp && entry->UserModeOwner ? " user" : "");
}

static void endpoint_text(const NDIS_NDK_LOCAL_ENDPOINT_ENTRY *entry, bool is_tcp, char *text) {
    const char *kind = entry->Listener ? " listener" : " shared";
    char local[64];

    address_text(&entry->Local, local, sizeof(local));
    (void)snprintf(text, KRN_OID_ENTRY_BYTES, "%s%s%s%s", is_tcp ? "tcp " : "", local,
                   is_tcp ? "" : kind, !is_tcp && entry->UserModeOwner ? " user" : "");
}

bool krn_oid_has_entries(uint32_t oid) {
    return oid == OID_NDK_CONNECTIONS || oid == OID_NDK_LOCAL_ENDPOINTS;
}

bool krn_oid_entry(uint32_t oid, const void *answer, uint64_t bytes, uint32_t index,
                   char text[KRN_OID_ENTRY_BYTES]) {
    if (oid == OID_NDK_CONNECTIONS &&
        bytes >= NDIS_SIZEOF_NDK_CONNECTIONS_REVISION_1((uint64_t)index + 1)) {
        const NDIS_NDK_CONNECTIONS *list = answer;

        connection_text(&list->Connections[index],
                        list->NDConnectionsMappedtoTCPConnections && index % 2 != 0, text);
        return true;
    }
    if (oid == OID_NDK_LOCAL_ENDPOINTS &&
        bytes >= NDIS_SIZEOF_NDK_LOCAL_ENDPOINTS_REVISION_1((uint64_t)index + 1)) {
        const NDIS_NDK_LOCAL_ENDPOINTS *list = answer;

        endpoint_text(&list->LocalEndpoints[index],
                      list->NDLocalEndpointsMappedtoTCPLocalEndpoints && index % 2 != 0, text);
        return true;
    }
    return false;
}
