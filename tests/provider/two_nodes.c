/* SPDX-License-Identifier: Apache-2.0 */
/* See two_nodes.h. */
#include "two_nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <krn/counter.h>
#include <net/link.h>
#include <net/topology.h>
#include <rnic/device.h>
#include <sim/choice.h>
#include <sim/finding.h>
#include <sim/run.h>
#include <vrf/verifier.h>

#define VALUES_MAX 16

struct two_nodes two_nodes;

static void on_record(struct sim_sink *sink, struct sim_world *in,
                      const struct sim_record *record) {
    char line[512];
    (void)sink;
    if (getenv("PAIR_TRACE") != NULL)
        fprintf(stderr, "%s\n", sim_record_format(in, record, line, sizeof line));
}

static void on_text(struct sim_sink *sink, struct sim_world *in, struct sim_object *who,
                    const char *text) {
    char name[SIM_NAME_BYTES];
    (void)sink;
    (void)in;
    fprintf(stderr, "%s: %s\n", sim_object_name(who, name, sizeof name), text);
}

static struct sim_sink sink = {on_record, on_text};

static void addresses_of(unsigned side, bool ipv6, struct wire_ip_addr *wire, struct krn_ip *ip) {
    *ip = (struct krn_ip){.version = ipv6 ? 6 : 4, .prefix_bits = ipv6 ? 64 : 24};
    if (ipv6) {
        *wire = (struct wire_ip_addr){{0xFD, [15] = (uint8_t)(side + 1)}};
        memcpy(ip->bytes, wire->bytes, 16);
    } else {
        *wire = wire_ip_addr_from_v4(0x0A000001u + side);
        memcpy(ip->bytes, wire->bytes + 12, 4);
    }
}

static struct krn_driver *driver_make(unsigned side, const char *name, const char *module,
                                      const struct krn_keyword *values, size_t count) {
    struct krn_driver_config config = {
        .name = name, .module = module, .values = values, .value_count = count};
    char error[256] = "";
    struct krn_driver *driver =
        krn_driver_create(two_nodes.nodes[side], &config, error, sizeof error);
    if (driver == NULL)
        fail_msg("%s", error);
    return driver;
}

static void adapter_make(unsigned side, struct rnic_device *devices[TWO_NODES],
                         const struct two_nodes_options *options) {
    struct wire_ip_addr wire;
    struct krn_ip own;
    struct krn_neighbour neighbour = {0};
    struct krn_adapter_config config = {.name = "rdma0",
                                        .driver = side ? "rnic1" : "rnic0",
                                        .device = rnic_device_bus(devices[side]),
                                        .keywords = options->keywords,
                                        .keyword_count = options->keyword_count,
                                        .addresses = &own,
                                        .address_count = 1,
                                        .neighbours = &neighbour,
                                        .neighbour_count = 1};
    addresses_of(1 - side, options->ipv6, &wire, &neighbour.address);
    memcpy(neighbour.mac, rnic_device_port(devices[1 - side])->mac.bytes, 6);
    addresses_of(side, options->ipv6, &wire, &own);
    memcpy(config.mac, rnic_device_port(devices[side])->mac.bytes, 6);
    assert_non_null(krn_adapter_add(two_nodes.nodes[side], &config));
}

static void consumer_make(unsigned side, const struct two_nodes_options *options) {
    static const char *const texts[2][TWO_NODES] = {{"10.0.0.1", "10.0.0.2"},
                                                    {"fd00::1", "fd00::2"}};
    struct krn_keyword values[VALUES_MAX];
    size_t count = options->value_counts[side];
    char seed[24];
    snprintf(seed, sizeof seed, "%u", (unsigned)(options->seed * 2 + side + 1));
    assert_true(count + 3 <= VALUES_MAX);
    for (size_t i = 0; i < count; i++)
        values[i] = options->values[side][i];
    values[count++] = (struct krn_keyword){"Local", texts[options->ipv6][side]};
    values[count++] = (struct krn_keyword){"Peer", texts[options->ipv6][1 - side]};
    values[count++] = (struct krn_keyword){"Seed", seed};
    two_nodes.consumers[side] =
        driver_make(side, side ? "init" : "target", options->consumer, values, count);
}

struct sim_fault_plan two_nodes_fault_of(const char *name) {
    struct sim_fault_plan plan = {.point = sim_fault_point_find(two_nodes.world, name),
                                  .to_ns = SIM_TIME_NEVER,
                                  .source = "test"};
    assert_non_null(plan.point);
    return plan;
}

void two_nodes_fault(const char *name, uint32_t ppm, uint64_t parameter) {
    struct sim_fault_plan plan = two_nodes_fault_of(name);
    plan.ppm = ppm;
    plan.parameter = parameter;
    assert_non_null(sim_fault_plan_add(two_nodes.world, &plan));
}

static void machines_make(const struct two_nodes_options *options) {
    struct rnic_device *devices[TWO_NODES];
    for (unsigned i = 0; i < TWO_NODES; i++) {
        struct krn_node_config node = {.name = i ? "client" : "server"};
        struct wire_ip_addr wire;
        struct krn_ip ip;
        two_nodes.nodes[i] = krn_node_create(two_nodes.world, &node);
        struct rnic_config device = {.owner = krn_node_object(two_nodes.nodes[i]),
                                     .cap_flags = options->cap_flags};
        devices[i] = rnic_device_create(two_nodes.world, &device);
        addresses_of(i, options->ipv6, &wire, &ip);
        assert_true(net_port_address_add(rnic_device_port(devices[i]), &wire));
    }
    (void)net_link_create(two_nodes.world, NULL, "link", SIM_NAME_INDEXED,
                          rnic_device_port(devices[0]), rnic_device_port(devices[1]), NULL);
    for (unsigned i = 0; i < TWO_NODES; i++) {
        adapter_make(i, devices, options);
        two_nodes.providers[i] =
            driver_make(i, i ? "rnic1" : "rnic0", TWO_NODES_MODULE("ndksim-rnic"), NULL, 0);
        consumer_make(i, options);
    }
}

/* Warnings are no failures. */
static void no_finding(void) {
    for (size_t i = 0; i < sim_finding_count(two_nodes.world); i++) {
        const struct sim_finding *finding = sim_finding_at(two_nodes.world, i);
        if (finding->severity == SIM_SEVERITY_ERROR)
            fail_msg("%s: %s (%s) %s", finding->id, finding->sentence, finding->guilty,
                     finding->detail);
    }
}

static bool step_is_done(struct sim_world *in, void *step) {
    (void)in;
    return ((struct krn_step *)step)->is_done;
}

static void finish(struct krn_step *step) {
    enum sim_run_end end = sim_run(two_nodes.world, step_is_done, step, SIM_TIME_NEVER);
    no_finding();
    assert_int_equal(end, SIM_RUN_UNTIL);
    assert_int_equal(step->status, 0);
}

static void load(struct krn_driver *driver, unsigned index) {
    memset(&two_nodes.steps[index], 0, sizeof two_nodes.steps[index]);
    krn_driver_load(driver, &two_nodes.steps[index]);
    finish(&two_nodes.steps[index]);
}

static void unload(struct krn_driver *driver, unsigned index) {
    memset(&two_nodes.steps[index], 0, sizeof two_nodes.steps[index]);
    krn_driver_unload(driver, &two_nodes.steps[index]);
    finish(&two_nodes.steps[index]);
}

void two_nodes_make(const struct two_nodes_options *options) {
    struct sim_config config = {.seed = options->seed + 1};
    struct sim_chooser_random_options random = {.step_ppm = options->random_ppm,
                                                .other_ppm = options->random_ppm};
    two_nodes.chooser =
        options->random_ppm == 0 ? sim_chooser_quiet_create() : sim_chooser_random_create(&random);
    config.chooser = two_nodes.chooser;
    two_nodes.world = sim_world_create(&config);
    assert_non_null(two_nodes.world);
    sim_sink_set(two_nodes.world, &sink);
    net_init(two_nodes.world);
    rnic_init(two_nodes.world);
    krn_start(two_nodes.world);
    vrf_start(two_nodes.world);
    vrf_blame_only(options->provider_only ? VRF_PROVIDER : VRF_BOTH);
    machines_make(options);
    if (options->loss_ppm != 0)
        two_nodes_fault("link.drop", options->loss_ppm, 0);
    if (options->chaos_ppm != 0) {
        two_nodes_fault("link.duplicate", options->chaos_ppm, 0);
        two_nodes_fault("link.delay", options->chaos_ppm, 3000000);
    }
    for (unsigned i = 0; i < TWO_NODES; i++)
        load(two_nodes.providers[i], i);
}

void two_nodes_load_consumer(unsigned side) {
    load(two_nodes.consumers[side], TWO_NODES + side);
}

void two_nodes_unload_consumer(unsigned side) {
    unload(two_nodes.consumers[side], TWO_NODES + side);
}

void two_nodes_until(bool (*done)(struct sim_world *, void *), void *context) {
    enum sim_run_end end = sim_run(two_nodes.world, done, context, SIM_TIME_NEVER);
    no_finding();
    if (end != SIM_RUN_UNTIL) {
        vrf_blame_stuck(two_nodes.world);
        no_finding();
        fail_msg("the run ended before the consumers (%d)", (int)end);
    }
}

bool two_nodes_counter_is_set(unsigned side, const char *name) {
    uint64_t value;
    return krn_counter_get(two_nodes.consumers[side], name, &value) && value != 0;
}

struct wanted_counter {
    unsigned side;
    const char *name;
};

static bool wanted_is_set(struct sim_world *in, void *context) {
    const struct wanted_counter *wanted = context;
    (void)in;
    return two_nodes_counter_is_set(wanted->side, wanted->name);
}

void two_nodes_until_counter(unsigned side, const char *name) {
    two_nodes_until(wanted_is_set, &(struct wanted_counter){side, name});
}

uint64_t two_nodes_end(void) {
    for (unsigned i = 0; i < TWO_NODES; i++)
        unload(two_nodes.providers[i], i);
    vrf_check_end(two_nodes.world);
    no_finding();
    uint64_t digest = sim_digest(two_nodes.world);
    for (size_t i = 0; getenv("PAIR_FAULTS") != NULL && i < sim_fault_plan_count(two_nodes.world);
         i++) {
        const struct sim_fault_plan *plan = sim_fault_plan_at(two_nodes.world, i);
        fprintf(stderr, "%s %u of %u\n", plan->point->name, plan->fired_count, plan->passed_count);
    }
    sim_world_destroy(two_nodes.world);
    sim_chooser_destroy(two_nodes.chooser);
    return digest;
}

uint64_t two_nodes_number(const char *variable, uint64_t otherwise) {
    const char *text = getenv(variable);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}
