/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a miniport answers to the OIDs of NDK, held against R-NDIS-03 and 10 to 22. A query's buffer
 * was filled with a pattern before, so that it shows what was written and what was not.
 */
#include <string.h>

#include "adapter.h"
#include "ndis_judge.h"

/* ---- Both kinds of lists ---- */

/* Connections and local endpoints: the same head, entries of their own. */
struct list {
    const char *name;
    const char *rule;
    size_t entry_bytes;
    uint32_t count;
    bool is_mapped;
    const uint8_t *entries;
};

/* A member that nobody wrote shows the pattern in all of its bytes. */
static bool is_untouched(const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != KRN_OID_FILL) {
            return false;
        }
    }
    return true;
}

static bool is_address(const SOCKADDR_INET *address) {
    return address->si_family == AF_INET || address->si_family == AF_INET6;
}

/* False: the rest cannot be looked at. */
static bool list_head_judge(struct krn_adapter *adapter, const struct list *list,
                            const NDIS_OBJECT_HEADER *header, uint64_t bytes) {
    uint64_t size =
        sizeof(NDIS_OBJECT_HEADER) + 3 * sizeof(ULONG) + list->count * list->entry_bytes;

    if (header->Type != NDIS_OBJECT_TYPE_DEFAULT || header->Revision != 1) {
        krn_adapter_broken(adapter, list->rule, "the header of %s has type 0x%X, revision %u",
                           list->name, header->Type, header->Revision);
        return false;
    }
    if (bytes != size) {
        krn_adapter_broken(adapter, list->rule, "%s: Count is %u, which is %llu bytes, not %llu",
                           list->name, list->count, (unsigned long long)size,
                           (unsigned long long)bytes);
        return false;
    }
    if (header->Size != (size < MAXUSHORT ? size : MAXUSHORT)) {
        krn_adapter_broken(adapter, "R-NDIS-20", "Header.Size of %s is %u; it has %llu bytes",
                           list->name, header->Size, (unsigned long long)size);
    }
    if (list->is_mapped && list->count % 2 != 0) {
        krn_adapter_broken(adapter, "R-NDIS-19", "%s is mapped to TCP and has %u entries, no pairs",
                           list->name, list->count);
    }
    return true;
}

/* `at`, `bytes`: the members behind the addresses. */
static void owner_judge(struct krn_adapter *adapter, const struct list *list, uint32_t index,
                        const uint8_t *members, size_t bytes) {
    if (list->is_mapped && index % 2 != 0) {
        if (!is_untouched(members, bytes)) {
            krn_adapter_broken(adapter, "R-NDIS-19",
                               "entry %u of %s is a TCP address and has other members written",
                               index, list->name);
        }
    } else if (members[0] != FALSE) {
        krn_adapter_broken(adapter, "R-NDIS-34", "UserModeOwner of entry %u of %s is %u", index,
                           list->name, members[0]);
    }
}

static void address_judge(struct krn_adapter *adapter, const struct list *list, uint32_t index,
                          const SOCKADDR_INET *address) {
    if (!is_address(address)) {
        krn_adapter_broken(adapter, list->rule, "entry %u of %s has an address of family %u", index,
                           list->name, address->si_family);
    }
}

/* ---- Each OID ---- */

static void connections_judge(struct krn_adapter *adapter, const void *buffer, uint64_t bytes) {
    const NDIS_NDK_CONNECTIONS *answer = buffer;
    struct list list = {.name = "OID_NDK_CONNECTIONS",
                        .rule = "R-NDIS-17",
                        .entry_bytes = sizeof(NDIS_NDK_CONNECTION_ENTRY)};

    if (bytes < NDIS_SIZEOF_NDK_CONNECTIONS_REVISION_1(0)) {
        krn_adapter_broken(adapter, list.rule, "%s was answered with %llu bytes", list.name,
                           (unsigned long long)bytes);
        return;
    }
    list.count = answer->Count;
    list.is_mapped = answer->NDConnectionsMappedtoTCPConnections != FALSE;
    if (!list_head_judge(adapter, &list, &answer->Header, bytes)) {
        return;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        const NDIS_NDK_CONNECTION_ENTRY *entry = &answer->Connections[i];

        address_judge(adapter, &list, i, &entry->Local);
        address_judge(adapter, &list, i, &entry->Remote);
        owner_judge(adapter, &list, i, &entry->UserModeOwner,
                    sizeof(*entry) - offsetof(NDIS_NDK_CONNECTION_ENTRY, UserModeOwner));
    }
}

static void endpoints_judge(struct krn_adapter *adapter, const void *buffer, uint64_t bytes) {
    const NDIS_NDK_LOCAL_ENDPOINTS *answer = buffer;
    struct list list = {.name = "OID_NDK_LOCAL_ENDPOINTS",
                        .rule = "R-NDIS-18",
                        .entry_bytes = sizeof(NDIS_NDK_LOCAL_ENDPOINT_ENTRY)};

    if (bytes < NDIS_SIZEOF_NDK_LOCAL_ENDPOINTS_REVISION_1(0)) {
        krn_adapter_broken(adapter, list.rule, "%s was answered with %llu bytes", list.name,
                           (unsigned long long)bytes);
        return;
    }
    list.count = answer->Count;
    list.is_mapped = answer->NDLocalEndpointsMappedtoTCPLocalEndpoints != FALSE;
    if (!list_head_judge(adapter, &list, &answer->Header, bytes)) {
        return;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        const NDIS_NDK_LOCAL_ENDPOINT_ENTRY *entry = &answer->LocalEndpoints[i];

        address_judge(adapter, &list, i, &entry->Local);
        owner_judge(adapter, &list, i, &entry->UserModeOwner,
                    sizeof(*entry) - offsetof(NDIS_NDK_LOCAL_ENDPOINT_ENTRY, UserModeOwner));
    }
}

static void statistics_judge(struct krn_adapter *adapter, const void *buffer, uint64_t bytes) {
    const NDIS_NDK_STATISTICS_INFO *answer = buffer;
    const ULONG64 *counters = (const ULONG64 *)(const void *)&answer->CounterSet;

    if (bytes < NDIS_SIZEOF_NDK_STATISTICS_INFO_REVISION_1) {
        krn_adapter_broken(adapter, "R-NDIS-35", "OID_NDK_STATISTICS was answered with %llu bytes",
                           (unsigned long long)bytes);
        return;
    }
    if (answer->Header.Type != NDIS_OBJECT_TYPE_DEFAULT ||
        answer->Header.Revision != NDIS_NDK_STATISTICS_INFO_REVISION_1 ||
        answer->Header.Size != NDIS_SIZEOF_NDK_STATISTICS_INFO_REVISION_1) {
        krn_adapter_broken(adapter, "R-NDIS-35",
                           "the header of OID_NDK_STATISTICS has type 0x%X, revision %u, size %u",
                           answer->Header.Type, answer->Header.Revision, answer->Header.Size);
    }
    for (size_t at = offsetof(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved01) / sizeof(ULONG64);
         at <= offsetof(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved20) / sizeof(ULONG64); at++) {
        if (counters[at] != 0) {
            krn_adapter_broken(adapter, "R-NDIS-21",
                               "reserved counter %u of OID_NDK_STATISTICS is "
                               "not 0",
                               (unsigned)at);
        }
    }
}

/* ---- Refusals ---- */

static const struct {
    ULONG oid;
    const char *name;
    const char *short_rule; /* broken by a refusal that names no size */
    void (*judge)(struct krn_adapter *adapter, const void *buffer, uint64_t bytes);
} queries[] = {
    {OID_NDK_STATISTICS, "OID_NDK_STATISTICS", "R-NDIS-35", statistics_judge},
    {OID_NDK_CONNECTIONS, "OID_NDK_CONNECTIONS", "R-NDIS-17", connections_judge},
    {OID_NDK_LOCAL_ENDPOINTS, "OID_NDK_LOCAL_ENDPOINTS", "R-NDIS-18", endpoints_judge},
};

static bool is_unknown(int32_t status) {
    return status == NDIS_STATUS_NOT_SUPPORTED || status == NDIS_STATUS_INVALID_OID ||
           status == NDIS_STATUS_NOT_RECOGNIZED;
}

static void set_judge(struct krn_adapter *adapter, const struct krn_oid *oid, int32_t status) {
    if (is_unknown(status)) {
        krn_adapter_broken(adapter, "R-NDIS-03", "OID_NDK_SET_STATE is not supported");
    } else if (status == NDIS_STATUS_SUCCESS && oid->bytes != sizeof(BOOLEAN)) {
        krn_adapter_broken(adapter, "R-NDIS-10", "OID_NDK_SET_STATE with %u bytes was not refused",
                           oid->bytes);
    }
}

static void query_judge(struct krn_adapter *adapter, const struct krn_oid *oid, size_t index,
                        int32_t status, uint64_t bytes) {
    const char *name = queries[index].name;

    if (is_unknown(status) && oid->is_direct) {
        if (oid->oid == OID_NDK_STATISTICS) {
            krn_adapter_broken(adapter, "R-NDIS-22", "%s is not served on the direct path", name);
        }
    } else if (is_unknown(status)) {
        krn_adapter_broken(adapter, "R-NDIS-03", "%s is not supported", name);
    } else if (status == NDIS_STATUS_SUCCESS && bytes > oid->bytes) {
        krn_adapter_broken(adapter, queries[index].short_rule,
                           "%s wrote %llu bytes into a buffer of %u", name,
                           (unsigned long long)bytes, oid->bytes);
    } else if (status == NDIS_STATUS_SUCCESS) {
        queries[index].judge(adapter, oid->buffer, bytes);
    } else if ((status == NDIS_STATUS_BUFFER_TOO_SHORT || status == NDIS_STATUS_INVALID_LENGTH ||
                status == NDIS_STATUS_BUFFER_OVERFLOW) &&
               oid->bytes_needed <= oid->bytes) {
        krn_adapter_broken(adapter, queries[index].short_rule,
                           "%s refused a buffer of %u bytes and says that it needs %u", name,
                           oid->bytes, oid->bytes_needed);
    }
}

void krn_oid_judge(struct krn_adapter *adapter, const struct krn_oid *oid, int32_t status,
                   uint64_t bytes) {
    if (!adapter->miniport->has_ndk || !adapter->has_ndk) {
        return;
    }
    if (oid->oid == OID_NDK_SET_STATE && oid->is_set && !oid->is_direct) {
        set_judge(adapter, oid, status);
    }
    for (size_t i = 0; i < SIM_ARRAY_COUNT(queries); i++) {
        if (queries[i].oid == oid->oid && !oid->is_set) {
            query_judge(adapter, oid, i, status, bytes);
        }
    }
}
