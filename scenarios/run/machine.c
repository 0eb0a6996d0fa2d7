/* SPDX-License-Identifier: Apache-2.0 */
/* Building a scenario's world in the order of dependence, then its prelude. See machine.h. */
#include "run/machine.h"

#include <net/topology.h>
#include <rnic/device.h>
#include <sim/fault.h>
#include <sim/memory.h>
#include <sim/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vrf/verifier.h>

#include "run/devices.h"
#include "run/drivers.h"
#include "run/events.h"
#include "run/judge.h"
#include "run/names.h"
#include "run/script.h"

#define PRELUDE_LIMIT_NS (60 * SIM_NS_PER_S)
#define PRELUDE_REST_NS SIM_NS_PER_MS

static void *host_array(size_t count, size_t bytes) {
    void *array = calloc(count + 1, bytes);

    SIM_ASSERT(array != NULL);
    return array;
}

static struct net_port *port_of(const struct scn_machine *machine, const struct scn_link_end *end) {
    return end->adapter != SCN_NONE
               ? scn_device_port(machine, end->adapter)
               : net_switch_port(machine->switches[end->switch_index], end->switch_port);
}

static void make_fabric(struct scn_machine *machine) {
    const struct scn_scenario *scenario = machine->scenario;

    for (uint32_t i = 0; i < scenario->switch_count; i++) {
        const struct scn_switch *sw = &scenario->switches[i];
        const struct net_switch_config config = {
            .port_count = sw->port_count > 0 ? sw->port_count : 1,
            .latency_ns = sw->latency_ns,
            .queue_bytes_max = sw->queue_bytes,
        };

        machine->switches[i] =
            net_switch_create(machine->world, NULL, sw->name, SIM_NAME_PLAIN, &config);
    }
    for (uint32_t i = 0; i < scenario->link_count; i++) {
        const struct scn_link *link = &scenario->links[i];
        const struct net_link_config config = {
            .rate_bps = link->rate_bps,
            .delay_ns = link->delay_ns,
            .queue_bytes_max = link->queue_bytes,
            .mtu_bytes = link->mtu_bytes,
            .jitter_max_ns = link->jitter_ns,
        };

        machine->links[i] = net_link_create(machine->world, NULL, link->name, SIM_NAME_PLAIN,
                                            port_of(machine, &link->ends[0]),
                                            port_of(machine, &link->ends[1]), &config);
    }
}

static struct krn_ip kernel_address(const struct scn_ip *ip) {
    struct krn_ip address = {.version = ip->version, .prefix_bits = ip->prefix_bits};

    memcpy(address.bytes, ip->bytes, sizeof(address.bytes));
    return address;
}

/* Everybody whom the adapter's port reaches, itself and the rest of its own addresses included. */
static size_t list_neighbours(const struct scn_machine *machine, uint32_t index,
                              struct krn_neighbour *neighbours) {
    const struct scn_scenario *scenario = machine->scenario;
    struct net_port *port = scn_device_port(machine, index);
    size_t count = 0;

    for (uint32_t i = 0; i < scenario->adapter_count; i++) {
        for (uint32_t k = 0; k < scenario->adapters[i].address_count; k++) {
            const struct scn_ip *ip = &scenario->adapters[i].addresses[k];
            struct wire_ip_addr address = scn_wire_address(ip);
            struct net_neighbour found;

            if (!net_neighbour_find(port, &address, &found))
                continue;
            neighbours[count] = (struct krn_neighbour){.address = kernel_address(ip)};
            memcpy(neighbours[count].mac, found.mac.bytes, sizeof(neighbours[count].mac));
            count++;
        }
    }
    return count;
}

static const char *technology_number(const char *technology) {
    static const char *const names[] = {"iwarp", "infiniband", "roce", "roce2"};
    static const char *const numbers[] = {"1", "2", "3", "4"};

    for (size_t i = 0; i < SIM_ARRAY_COUNT(names); i++)
        if (strcmp(names[i], technology) == 0)
            return numbers[i];
    return "4";
}

static void make_adapter(struct scn_machine *machine, uint32_t index) {
    const struct scn_scenario *scenario = machine->scenario;
    const struct scn_adapter *adapter = &scenario->adapters[index];
    struct net_port *port = scn_device_port(machine, index);
    size_t address_total = 0, keyword_count = 0;
    struct krn_neighbour *neighbours;
    struct krn_keyword *keywords;
    struct krn_ip *addresses;
    struct krn_adapter_config config = {0};

    for (uint32_t i = 0; i < scenario->adapter_count; i++)
        address_total += scenario->adapters[i].address_count;
    neighbours = host_array(address_total, sizeof(*neighbours));
    addresses = host_array(adapter->address_count, sizeof(*addresses));
    keywords = host_array(adapter->keywords.count + adapter->quirks.count + 1, sizeof(*keywords));
    for (uint32_t i = 0; i < adapter->address_count; i++)
        addresses[i] = kernel_address(&adapter->addresses[i]);
    if (adapter->technology != NULL)
        keywords[keyword_count++] = (struct krn_keyword){"*NetworkDirectTechnology",
                                                         technology_number(adapter->technology)};
    for (uint32_t i = 0; i < adapter->keywords.count; i++)
        keywords[keyword_count++] = (struct krn_keyword){adapter->keywords.entries[i].name,
                                                         adapter->keywords.entries[i].text};
    for (uint32_t i = 0; i < adapter->quirks.count; i++)
        keywords[keyword_count++] =
            (struct krn_keyword){adapter->quirks.entries[i].name, adapter->quirks.entries[i].text};
    config.name = adapter->name;
    config.driver = scenario->drivers[adapter->driver].as;
    config.interface_index = adapter->interface_index;
    config.device = scn_device_bus(machine, index);
    memcpy(config.mac, port->mac.bytes, sizeof(config.mac));
    config.mtu_bytes = net_port_mtu_bytes(port);
    config.link_speed_bps = net_port_rate_bps(port);
    config.keywords = keywords;
    config.keyword_count = keyword_count;
    config.addresses = addresses;
    config.address_count = adapter->address_count;
    config.neighbours = neighbours;
    config.neighbour_count = list_neighbours(machine, index, neighbours);
    machine->adapters[index] = krn_adapter_add(machine->nodes[adapter->node], &config);
    free(neighbours);
    free(addresses);
    free(keywords);
}

static void make_nodes(struct scn_machine *machine, const struct scn_machine_options *options) {
    const struct scn_scenario *scenario = machine->scenario;

    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct krn_node_config config = {
            .name = scenario->nodes[i].name,
            .cpu_count = scenario->nodes[i].cpu_count,
            .worker_count = scenario->nodes[i].worker_count,
            .pool_max_bytes = scenario->nodes[i].pool_max_bytes,
            .special_pool = options->special_pool,
        };

        machine->nodes[i] = krn_node_create(machine->world, &config);
    }
}

static bool is_step_done(struct sim_world *world, void *context) {
    (void)world;
    return ((const struct krn_step *)context)->is_done;
}

/* Loads the drivers of the prelude one after the other. */
static void prelude(struct scn_machine *machine, struct scn_diagnostics *diagnostics) {
    const struct scn_scenario *scenario = machine->scenario;

    sim_fault_enable(machine->world, false);
    for (uint32_t i = 0; i < scenario->driver_count; i++) {
        const struct scn_driver *driver = &scenario->drivers[i];
        char status[SCN_STATUS_TEXT_BYTES];
        struct krn_step *step;

        if (!driver->is_in_prelude)
            continue;
        step = sim_alloc(machine->world, sizeof(*step));
        krn_driver_load(machine->drivers[i], step);
        machine->was_interrupted =
            sim_run(machine->world, is_step_done, step, PRELUDE_LIMIT_NS) == SIM_RUN_INTERRUPTED;
        if (machine->was_interrupted || sim_has_ended(machine->world))
            return;
        if (step->is_done && step->status == 0)
            continue;
        scn_diagnose_value(diagnostics, driver->source, true, "driver \"%s\" did not start: %s",
                           driver->as, scn_status_text(step->status, status, sizeof(status)));
        scn_diagnostics_idle(diagnostics);
    }
    /* At rest: nothing runs and what is due soon has happened. */
    machine->was_interrupted =
        sim_run(machine->world, NULL, NULL, sim_now_ns(machine->world) + PRELUDE_REST_NS) ==
        SIM_RUN_INTERRUPTED;
    sim_fault_enable(machine->world, true);
}

/* What the prelude found and let pass is found by every run: resets forget findings. */
static void keep_findings(struct scn_machine *machine) {
    machine->early_count = sim_finding_count(machine->world);
    machine->early = host_array(machine->early_count + 1, sizeof(*machine->early));
    for (size_t i = 0; i < machine->early_count; i++)
        machine->early[i] = *sim_finding_at(machine->world, i);
}

struct scn_machine *scn_machine_create(const struct scn_scenario *scenario,
                                       const struct scn_machine_options *options,
                                       struct scn_diagnostics *diagnostics) {
    struct scn_machine *machine = host_array(1, sizeof(*machine));
    struct sim_config config = {
        .keep_going = options->keep_going,
        .special_pool = options->special_pool,
        .is_expected = scn_judge_expects,
        .expected_context = machine,
    };

    machine->scenario = scenario;
    machine->nodes = host_array(scenario->node_count, sizeof(void *));
    machine->devices = host_array(scenario->adapter_count, sizeof(*machine->devices));
    machine->adapters = host_array(scenario->adapter_count, sizeof(void *));
    machine->drivers = host_array(scenario->driver_count, sizeof(void *));
    machine->loads = host_array(scenario->driver_count, sizeof(void *));
    machine->switches = host_array(scenario->switch_count, sizeof(void *));
    machine->links = host_array(scenario->link_count, sizeof(void *));
    machine->world = sim_world_create(&config);
    if (machine->world == NULL) {
        scn_diagnose(diagnostics, scenario->file, 0, 0, NULL,
                     "the world's memory cannot be reserved; is the address space limited "
                     "(ulimit -v)?");
        scn_machine_destroy(machine);
        return NULL;
    }
    sim_trace_status_namer(machine->world, scn_status_name_of);
    net_init(machine->world);
    rnic_init(machine->world);
    krn_start(machine->world);
    vrf_start(machine->world);
    if (options->on_start != NULL)
        options->on_start(machine->world, options->context, diagnostics);
    make_nodes(machine, options);
    scn_make_devices(machine, options, diagnostics);
    if (diagnostics->count > 0) {
        scn_machine_destroy(machine);
        return NULL;
    }
    make_fabric(machine);
    for (uint32_t i = 0; i < scenario->adapter_count; i++)
        make_adapter(machine, i);
    scn_make_drivers(machine, options, diagnostics);
    scn_script_prepare(machine, diagnostics);
    scn_check_events(machine, diagnostics);
    scn_check_names(machine, diagnostics);
    if (diagnostics->count == 0)
        prelude(machine, diagnostics);
    if (diagnostics->count > 0) {
        scn_machine_destroy(machine);
        return NULL;
    }
    machine->has_failed_prelude = sim_has_ended(machine->world);
    if (!machine->has_failed_prelude && !machine->was_interrupted) {
        keep_findings(machine);
        sim_world_snapshot(machine->world);
    }
    return machine;
}

void scn_machine_destroy(struct scn_machine *machine) {
    if (machine == NULL)
        return;
    scn_destroy_devices(machine);
    if (machine->world != NULL)
        sim_world_destroy(machine->world);
    free(machine->nodes);
    free(machine->devices);
    free(machine->adapters);
    free(machine->drivers);
    scn_forget_loads(machine);
    free(machine->switches);
    free(machine->links);
    free(machine->early);
    free(machine);
}
