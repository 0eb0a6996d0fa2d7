/* SPDX-License-Identifier: Apache-2.0 */
/* Adapters as the scenario made them: names, keywords, addresses, neighbours. */
#include "adapter.h"

#include <string.h>

#include "call_error.h"
#include "race.h"
#include "wide.h"

static void keyword_put(struct krn_adapter *adapter, const char *name, const char *value) {
    struct krn_keyword_entry **at = &adapter->keyword_first;

    while (*at != NULL && !krn_text_equal_fold((*at)->name, name)) {
        at = &(*at)->next;
    }
    if (*at == NULL) {
        *at = sim_alloc(adapter->node->world, sizeof(**at));
        (*at)->name = sim_text_keep(adapter->node->world, name);
    }
    (*at)->value = sim_text_keep(adapter->node->world, value);
}

static uint32_t index_free(const struct krn_node *node) {
    uint32_t index = 1;

    while (krn_adapter_by_index(node, index) != NULL) {
        index++;
    }
    return index;
}

static void adapter_append(struct krn_node *node, struct krn_adapter *adapter) {
    if (node->adapter_last != NULL) {
        node->adapter_last->next = adapter;
    } else {
        node->adapter_first = adapter;
    }
    node->adapter_last = adapter;
}

struct krn_adapter *krn_adapter_add(struct krn_node *node,
                                    const struct krn_adapter_config *config) {
    struct sim_world *world = node->world;
    struct krn_adapter *adapter = sim_alloc(world, sizeof(*adapter));

    SIM_ASSERT(config->name != NULL && krn_adapter_find(node, config->name) == NULL);
    SIM_ASSERT(config->interface_index == 0 ||
               krn_adapter_by_index(node, config->interface_index) == NULL);
    adapter->node = node;
    adapter->name = sim_text_keep(world, config->name);
    adapter->driver_name = config->driver != NULL ? sim_text_keep(world, config->driver) : NULL;
    adapter->interface_index =
        config->interface_index != 0 ? config->interface_index : index_free(node);
    adapter->serial = ++node->krn->adapter_serial;
    adapter->device = config->device;
    memcpy(adapter->mac, config->mac, sizeof(adapter->mac));
    adapter->mtu_bytes = config->mtu_bytes != 0 ? config->mtu_bytes : 4148;
    adapter->link_speed_bps =
        config->link_speed_bps != 0 ? config->link_speed_bps : UINT64_C(100000000000);
    adapter->link_is_up = true;
    /* The device has the adapter's own name already; what serves it is below it. */
    if (adapter->device != NULL)
        sim_object_init(world, &adapter->object, &adapter->device->object, "miniport",
                        SIM_NAME_PLAIN);
    else
        sim_object_init(world, &adapter->object, &node->object, adapter->name, SIM_NAME_PLAIN);
    for (size_t i = 0; i < config->keyword_count; i++) {
        keyword_put(adapter, config->keywords[i].name, config->keywords[i].value);
    }
    adapter->address_count = config->address_count;
    if (config->address_count != 0) {
        adapter->addresses =
            sim_alloc(world, config->address_count * sizeof(adapter->addresses[0]));
        memcpy(adapter->addresses, config->addresses,
               config->address_count * sizeof(adapter->addresses[0]));
    }
    adapter_append(node, adapter);
    for (size_t i = 0; i < config->neighbour_count; i++) {
        krn_adapter_neighbour_add(adapter, &config->neighbours[i]);
    }
    krn_gate_init(node, &adapter->ndk_closed, &adapter->object, "ndk_closed");
    krn_gate_init(node, &adapter->answer, &adapter->object, "answer");
    krn_gate_init(node, &adapter->oid_free, &adapter->object, "oid_free");
    return adapter;
}

struct krn_adapter *krn_adapter_find(const struct krn_node *node, const char *name) {
    struct krn_adapter *adapter = node->adapter_first;

    while (adapter != NULL && strcmp(adapter->name, name) != 0) {
        adapter = adapter->next;
    }
    return adapter;
}

struct krn_adapter *krn_adapter_by_index(const struct krn_node *node, uint32_t interface_index) {
    struct krn_adapter *adapter = node->adapter_first;

    while (adapter != NULL && adapter->interface_index != interface_index) {
        adapter = adapter->next;
    }
    return adapter;
}

struct krn_adapter *krn_adapter_at(const struct krn_node *node, size_t position) {
    struct krn_adapter *adapter = node->adapter_first;

    while (adapter != NULL && position-- > 0) {
        adapter = adapter->next;
    }
    return adapter;
}

struct krn_adapter *krn_adapter_of_handle(const struct krn_call *call, NDIS_HANDLE handle) {
    struct krn_adapter *adapter = call->node->adapter_first;

    while (adapter != NULL && (NDIS_HANDLE)adapter != handle) {
        adapter = adapter->next;
    }
    if (adapter == NULL || adapter->miniport == NULL) {
        krn_call_error(call, 0x7C, 0, 0, "the handle is none of an initialised miniport adapter");
    }
    krn_race_sync(call->krn, adapter);
    return adapter;
}

struct sim_object *krn_adapter_object(struct krn_adapter *adapter) {
    return &adapter->object;
}

struct krn_node *krn_adapter_node(const struct krn_adapter *adapter) {
    return adapter->node;
}

struct sim_bus_device *krn_adapter_device(const struct krn_adapter *adapter) {
    return adapter->device;
}

uint32_t krn_adapter_interface_index(const struct krn_adapter *adapter) {
    return adapter->interface_index;
}

const char *krn_adapter_keyword(const struct krn_adapter *adapter, const char *name) {
    const struct krn_keyword_entry *keyword = adapter->keyword_first;

    while (keyword != NULL && !krn_text_equal_fold(keyword->name, name)) {
        keyword = keyword->next;
    }
    return keyword != NULL ? keyword->value : NULL;
}

/* What INF files of network adapters declare; consumers find no adapter without it (R-NDIS-30). */
bool krn_adapter_is_bound_above(const struct krn_adapter *adapter) {
    const char *range = krn_adapter_keyword(adapter, "UpperRange");

    return range == NULL || strstr(range, "ndis5") != NULL;
}

void krn_adapter_keyword_set(struct krn_adapter *adapter, const char *name, const char *value) {
    keyword_put(adapter, name, value);
}

void krn_adapter_neighbour_add(struct krn_adapter *adapter, const struct krn_neighbour *neighbour) {
    struct krn_neighbour_entry *entry = sim_alloc(adapter->node->world, sizeof(*entry));

    entry->neighbour = *neighbour;
    if (adapter->neighbour_last != NULL) {
        adapter->neighbour_last->next = entry;
    } else {
        adapter->neighbour_first = entry;
    }
    adapter->neighbour_last = entry;
}

void krn_adapter_link_set(struct krn_adapter *adapter, bool is_up) {
    adapter->link_is_up = is_up;
}
