/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes, their adapters and drivers. */
#include "model/build.h"

#include <stdio.h>
#include <string.h>

#include "model/address.h"
#include "model/program.h"

/* A part of a birth name: what patterns and paths can speak of without quoting. */
static bool name_is_good(const char *name) {
    static const char *const allowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

    return *name != '\0' && strlen(name) <= 31 && strspn(name, allowed) == strlen(name);
}

void scn_build_check_name(struct scn_build *build, const struct scn_value *value, bool at_key,
                          const char *name) {
    if (!name_is_good(name))
        scn_diagnose_value(build->diagnostics, value, at_key,
                           "\"%s\" is no name: letters, digits, - and _ only, at most 31", name);
}

static uint32_t count_members(const struct scn_value *nodes, const char *key) {
    uint32_t count = 0;

    for (const struct scn_value *node = nodes->first; node != NULL; node = node->next) {
        const struct scn_value *members = scn_member(node, key);

        count += members != NULL ? members->count : 0;
    }
    return count;
}

static void add_driver(struct scn_build *build, const char *as, const char *load, uint32_t node,
                       bool is_miniport, const struct scn_value *registry,
                       const struct scn_value *source) {
    struct scn_scenario *scenario = build->scenario;
    struct scn_driver *driver = &scenario->drivers[scenario->driver_count];

    scn_build_check_name(build, source, is_miniport, as);
    for (uint32_t i = 0; i < scenario->driver_count; i++)
        if (strcmp(scenario->drivers[i].as, as) == 0)
            scn_diagnose_value(build->diagnostics, source, is_miniport,
                               "two drivers are named \"%s\"; names are unique in a scenario", as);
    for (uint32_t i = 0; i < scenario->node_count; i++)
        if (strcmp(scenario->nodes[i].name, as) == 0)
            scn_diagnose_value(build->diagnostics, source, is_miniport,
                               "\"%s\" is a node; a driver needs a name of its own", as);
    driver->as = as;
    driver->load = load;
    driver->node = node;
    driver->is_miniport = is_miniport;
    driver->registry = scn_build_settings(build, registry);
    driver->script = !is_miniport ? scn_member(source->parent, "script") : NULL;
    driver->source = source;
    if (driver->script != NULL && strchr(load, '/') == NULL && strcmp(load, "script") != 0)
        scn_diagnose_value(build->diagnostics, driver->script, true,
                           "\"%s\" takes no script; \"load\": \"script\" does", load);
    if (driver->script == NULL && strcmp(load, "script") == 0)
        scn_diagnose_value(build->diagnostics, source->parent, false,
                           "\"script\" is missing: what the driver is to do");
    scenario->driver_count++;
}

static void read_addresses(struct scn_build *build, struct scn_adapter *adapter,
                           const struct scn_value *list) {
    struct scn_ip *addresses = scn_build_array(build, list->count, sizeof(*addresses));

    for (const struct scn_value *one = list->first; one != NULL; one = one->next) {
        const char *wrong = scn_ip_parse(one->string, &addresses[adapter->address_count]);

        if (wrong != NULL)
            scn_diagnose_value(build->diagnostics, one, false,
                               "\"%s\": %s; expected an address such as \"10.0.0.1/24\" or "
                               "\"fd00::1/64\"",
                               one->string, wrong);
        adapter->address_count++;
    }
    adapter->addresses = addresses;
}

static void add_adapter(struct scn_build *build, uint32_t node, const struct scn_value *source) {
    struct scn_scenario *scenario = build->scenario;
    struct scn_adapter *adapter = &scenario->adapters[scenario->adapter_count];
    const struct scn_value *mac = scn_member(source, "mac");
    const char *as = scn_build_text(source, "as"), *driver = scn_build_text(source, "driver");
    const struct scn_value *device = scn_member(source, "device");
    char text[96];

    scn_build_check_name(build, source, true, source->key);
    adapter->name = source->key;
    snprintf(text, sizeof(text), "%s.%s", scenario->nodes[node].name, source->key);
    adapter->full_name = scn_document_keep(build->document, text);
    adapter->device = "rnic";
    if (device != NULL)
        adapter->device =
            device->type == SCN_STRING ? device->string : scn_build_text(device, "load");
    adapter->node = node;
    adapter->driver = scenario->driver_count;
    adapter->interface_index = (uint32_t)scn_build_number(source, "interface_index", 0);
    adapter->technology = scn_build_text(source, "technology");
    adapter->source = source;
    if (mac != NULL && !(adapter->has_mac = scn_mac_parse(mac->string, adapter->mac)))
        scn_diagnose_value(build->diagnostics, mac, false,
                           "\"%s\" is no unicast MAC; expected one such as \"06:00:00:00:00:01\"",
                           mac->string);
    read_addresses(build, adapter, scn_member(source, "addresses"));
    adapter->keywords = scn_build_settings(build, scn_member(source, "keywords"));
    adapter->quirks = scn_build_settings(build, scn_member(source, "quirks"));
    snprintf(text, sizeof(text), "%s-%s", scenario->nodes[node].name, source->key);
    add_driver(build, as != NULL ? as : scn_document_keep(build->document, text),
               driver != NULL ? driver : SCN_PROVIDER_MODULE, node, true,
               scn_member(source, "registry"), source);
    scenario->adapter_count++;
}

static bool same_ip(const struct scn_ip *a, const struct scn_ip *b) {
    return a->version == b->version && memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

/* An address belongs to one adapter of the scenario. */
static void check_addresses(struct scn_build *build, uint32_t index) {
    const struct scn_scenario *scenario = build->scenario;
    const struct scn_adapter *adapter = &scenario->adapters[index];
    const struct scn_value *list = scn_member(adapter->source, "addresses"), *source = list->first;

    for (uint32_t mine = 0; mine < adapter->address_count; mine++, source = source->next) {
        for (uint32_t i = 0; i <= index; i++) {
            const struct scn_adapter *other = &scenario->adapters[i];
            uint32_t end = i == index ? mine : other->address_count;

            for (uint32_t k = 0; k < end; k++)
                if (same_ip(&adapter->addresses[mine], &other->addresses[k]))
                    scn_diagnose_value(build->diagnostics, source, false,
                                       "%s has this address already", other->full_name);
        }
    }
}

/* Ports without a MAC of their own get 02:00:..., by number. */
static void check_mac(struct scn_build *build, uint32_t index) {
    static const uint8_t given_out[2] = {0x02, 0x00};
    const struct scn_scenario *scenario = build->scenario;
    const struct scn_adapter *adapter = &scenario->adapters[index];
    const struct scn_value *source = scn_member(adapter->source, "mac");

    if (!adapter->has_mac)
        return;
    if (memcmp(adapter->mac, given_out, sizeof(given_out)) == 0)
        scn_diagnose_value(build->diagnostics, source, false,
                           "MACs that begin with 02:00 are given to ports without one; expected "
                           "another such as \"06:00:00:00:00:01\"");
    for (uint32_t i = 0; i < index; i++)
        if (scenario->adapters[i].has_mac &&
            memcmp(scenario->adapters[i].mac, adapter->mac, sizeof(adapter->mac)) == 0)
            scn_diagnose_value(build->diagnostics, source, false, "%s has this MAC already",
                               scenario->adapters[i].full_name);
}

static void check_interface_index(struct scn_build *build, uint32_t index) {
    const struct scn_scenario *scenario = build->scenario;
    const struct scn_adapter *adapter = &scenario->adapters[index];

    if (adapter->interface_index == 0)
        return;
    for (uint32_t i = 0; i < index; i++)
        if (scenario->adapters[i].node == adapter->node &&
            scn_interface_index(scenario, i) == adapter->interface_index)
            scn_diagnose_value(build->diagnostics, scn_member(adapter->source, "interface_index"),
                               false, "%s has this interface index already",
                               scenario->adapters[i].full_name);
}

static void add_node(struct scn_build *build, const struct scn_value *source) {
    struct scn_scenario *scenario = build->scenario;
    struct scn_node *node = &scenario->nodes[scenario->node_count++];

    scn_build_check_name(build, source, true, source->key);
    node->name = source->key;
    node->cpu_count = (uint32_t)scn_build_number(source, "cpus", 2);
    node->worker_count = (uint32_t)scn_build_number(source, "workers", 4);
    node->pool_max_bytes = scn_build_unit(source, "pool_limit", SCN_UNIT_SIZE, 0);
    node->wsk_ready_ns = scn_build_unit(source, "wsk_ready", SCN_UNIT_DURATION, 0);
    node->source = source;
}

void scn_build_machines(struct scn_build *build) {
    struct scn_scenario *scenario = build->scenario;
    const struct scn_value *nodes = scn_member(build->document->root, "nodes");
    uint32_t adapter_count = count_members(nodes, "adapters"), cpu_count = 0;
    uint32_t driver_count = count_members(nodes, "drivers"), at = 0;

    if (adapter_count + driver_count > SCN_DRIVER_COUNT_MAX) {
        scn_diagnose_value(build->diagnostics, nodes, false,
                           "%u adapters and drivers in all; at most %u",
                           adapter_count + driver_count, SCN_DRIVER_COUNT_MAX);
        return;
    }
    scenario->nodes = scn_build_array(build, nodes->count, sizeof(*scenario->nodes));
    scenario->adapters = scn_build_array(build, adapter_count, sizeof(*scenario->adapters));
    scenario->drivers =
        scn_build_array(build, adapter_count + driver_count, sizeof(*scenario->drivers));
    for (const struct scn_value *node = nodes->first; node != NULL; node = node->next) {
        add_node(build, node);
        cpu_count += scenario->nodes[scenario->node_count - 1].cpu_count;
    }
    if (cpu_count > SCN_CPU_COUNT_MAX)
        scn_diagnose_value(build->diagnostics, nodes, false, "%u CPUs in all; at most %u",
                           cpu_count, SCN_CPU_COUNT_MAX);
    for (const struct scn_value *node = nodes->first; node != NULL; node = node->next, at++) {
        const struct scn_value *adapters = scn_member(node, "adapters");

        for (const struct scn_value *one = adapters != NULL ? adapters->first : NULL; one != NULL;
             one = one->next)
            add_adapter(build, at, one);
    }
    at = 0;
    for (const struct scn_value *node = nodes->first; node != NULL; node = node->next, at++) {
        const struct scn_value *drivers = scn_member(node, "drivers");

        for (const struct scn_value *one = drivers != NULL ? drivers->first : NULL; one != NULL;
             one = one->next)
            add_driver(build, scn_build_text(one, "as"), scn_build_text(one, "load"), at, false,
                       scn_member(one, "registry"), scn_member(one, "as"));
    }
    for (uint32_t i = 0; i < scenario->adapter_count && build->diagnostics->count == 0; i++) {
        check_addresses(build, i);
        check_mac(build, i);
        check_interface_index(build, i);
    }
}

void scn_build_programs(struct scn_build *build) {
    for (uint32_t i = 0; i < build->scenario->driver_count; i++)
        if (build->scenario->drivers[i].script != NULL)
            scn_build_program(build, &build->scenario->drivers[i]);
}

const char *const *scn_build_driver_names(struct scn_build *build) {
    const struct scn_scenario *scenario = build->scenario;
    const char **names = scn_build_array(build, scenario->driver_count, sizeof(*names));

    for (uint32_t i = 0; i < scenario->driver_count; i++)
        names[i] = scenario->drivers[i].as;
    return names;
}
