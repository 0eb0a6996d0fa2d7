/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference provider between two nodes: connections over IPv4 and IPv6, data both ways, the
 * shapes of answers, orderly and abrupt ends, refusals; everything unloads without a leftover.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <krn/counter.h>
#include <krn/driver.h>
#include <krn/node.h>
#include <net/link.h>
#include <net/topology.h>
#include <rnic/device.h>
#include <sim/choice.h>
#include <sim/fault.h>
#include <sim/finding.h>
#include <sim/run.h>
#include <vrf/verifier.h>

#define PROVIDER TEST_DRIVER_DIR "/ndksim-rnic.so"
#define CONSUMER TEST_DRIVER_DIR "/test_ndk_pair.so"
#define SIDES 2

struct options {
    bool ipv6;
    const char *shape; /* the provider's AnswerShape */
    const char *frame_bytes;
    const char *count;
    const char *abort;
    const char *no_peer;
    const char *rounds;
    bool race;
    uint64_t seed;
    uint32_t random_ppm; /* 0: quiet */
    uint32_t loss_ppm;
    uint32_t chaos_ppm; /* duplicates and delays */
    uint32_t short_ppm; /* pool, commands, creates fail */
    const char *broken; /* a fault point of a device, once, at broken_ns */
    uint64_t broken_ns;
};

static struct sim_world *world;
static struct sim_chooser *chooser;
static struct krn_node *nodes[SIDES];
static struct krn_driver *providers[SIDES];
static struct krn_driver *consumers[SIDES];
static struct krn_step steps[2 * SIDES];

static const char *or_else(const char *value, const char *otherwise) {
    return value != NULL ? value : otherwise;
}

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

static void addresses_of(unsigned side, const struct options *options, struct wire_ip_addr *wire,
                         struct krn_ip *ip) {
    *ip = (struct krn_ip){.version = options->ipv6 ? 6 : 4, .prefix_bits = options->ipv6 ? 64 : 24};
    if (options->ipv6) {
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
    struct krn_driver *driver = krn_driver_create(nodes[side], &config, error, sizeof error);
    if (driver == NULL)
        fail_msg("%s", error);
    return driver;
}

static void adapter_make(unsigned side, struct rnic_device *devices[SIDES],
                         const struct options *options) {
    struct wire_ip_addr wire;
    struct krn_ip own;
    struct krn_neighbour neighbour = {0};
    const struct krn_keyword keywords[] = {
        {"AnswerShape", or_else(options->shape, "0")},
        {"*NetworkDirectRoCEFrameSize", or_else(options->frame_bytes, "1024")},
    };
    struct krn_adapter_config config = {.name = "rdma0",
                                        .driver = side ? "rnic1" : "rnic0",
                                        .device = rnic_device_bus(devices[side]),
                                        .keywords = keywords,
                                        .keyword_count = 2,
                                        .addresses = &own,
                                        .address_count = 1,
                                        .neighbours = &neighbour,
                                        .neighbour_count = 1};
    addresses_of(1 - side, options, &wire, &neighbour.address);
    memcpy(neighbour.mac, rnic_device_port(devices[1 - side])->mac.bytes, 6);
    addresses_of(side, options, &wire, &own);
    memcpy(config.mac, rnic_device_port(devices[side])->mac.bytes, 6);
    assert_non_null(krn_adapter_add(nodes[side], &config));
}

static void consumer_make(unsigned side, const struct options *options) {
    const char *local =
        options->ipv6 ? (side ? "fd00::2" : "fd00::1") : (side ? "10.0.0.2" : "10.0.0.1");
    const char *peer =
        options->ipv6 ? (side ? "fd00::1" : "fd00::2") : (side ? "10.0.0.1" : "10.0.0.2");
    static const char *const roles[2][SIDES] = {{"0", "1"}, {"2", "3"}};
    char seed[24];
    snprintf(seed, sizeof seed, "%u", (unsigned)(options->seed * 2 + side + 1));
    const struct krn_keyword values[] = {
        {"Role", roles[options->race][side]},
        {"Seed", seed},
        {"Local", local},
        {"Peer", peer},
        {"Count", or_else(options->count, "8")},
        {"Abort", or_else(options->abort, "0")},
        {"NoPeer", or_else(options->no_peer, "0")},
        {"Rounds", or_else(options->rounds, "1")},
    };
    consumers[side] = driver_make(side, side ? "init" : "target", CONSUMER, values,
                                  sizeof values / sizeof *values);
}

static struct sim_fault_plan fault_of(const char *name) {
    struct sim_fault_plan plan = {
        .point = sim_fault_point_find(world, name), .to_ns = SIM_TIME_NEVER, .source = "test"};
    assert_non_null(plan.point);
    return plan;
}

static void fault_plan(const char *name, uint32_t ppm, uint64_t parameter) {
    struct sim_fault_plan plan = fault_of(name);
    plan.ppm = ppm;
    plan.parameter = parameter;
    assert_non_null(sim_fault_plan_add(world, &plan));
}

static void shortage_plan(uint32_t ppm) {
    static const char *const points[] = {
        "provider.create_cq.insufficient_resources",
        "provider.create_qp.insufficient_resources",
        "provider.create_connector.insufficient_resources",
        "provider.create_listener.insufficient_resources",
        "provider.connect.insufficient_resources",
        "provider.listen.insufficient_resources",
        "provider.post.insufficient_resources",
        "rnic.command_fail",
        "rnic.table_full",
        "pool.fail",
    };
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        struct sim_fault_plan plan = fault_of(points[i]);
        plan.ppm = ppm;
        plan.subject = strcmp(points[i], "pool.fail") == 0 ? "rnic*" : NULL;
        assert_non_null(sim_fault_plan_add(world, &plan));
    }
}

static void broken_plan(const struct options *options) {
    struct sim_fault_plan plan = fault_of(options->broken);
    plan.from_ns = sim_now_ns(world) + options->broken_ns;
    plan.nth = 0;
    plan.count_max = 1;
    assert_non_null(sim_fault_plan_add(world, &plan));
}

static void faults_plan(const struct options *options) {
    if (options->loss_ppm != 0)
        fault_plan("link.drop", options->loss_ppm, 0);
    if (options->chaos_ppm != 0) {
        fault_plan("link.duplicate", options->chaos_ppm, 0);
        fault_plan("link.delay", options->chaos_ppm, 3000000);
    }
}

/* Once both drivers stand. */
static void late_faults_plan(const struct options *options) {
    if (options->short_ppm != 0)
        shortage_plan(options->short_ppm);
    if (options->broken != NULL)
        broken_plan(options);
}

static void world_make(const struct options *options) {
    struct sim_config config = {.seed = options->seed + 1};
    struct rnic_device *devices[SIDES];
    struct sim_chooser_random_options random = {.step_ppm = options->random_ppm,
                                                .other_ppm = options->random_ppm};
    chooser =
        options->random_ppm == 0 ? sim_chooser_quiet_create() : sim_chooser_random_create(&random);
    config.chooser = chooser;
    world = sim_world_create(&config);
    assert_non_null(world);
    sim_sink_set(world, &sink);
    net_init(world);
    rnic_init(world);
    krn_start(world);
    vrf_start(world);
    for (unsigned i = 0; i < SIDES; i++) {
        struct krn_node_config node = {.name = i ? "client" : "server"};
        struct wire_ip_addr wire;
        struct krn_ip ip;
        nodes[i] = krn_node_create(world, &node);
        struct rnic_config device = {.owner = krn_node_object(nodes[i])};
        devices[i] = rnic_device_create(world, &device);
        addresses_of(i, options, &wire, &ip);
        assert_true(net_port_address_add(rnic_device_port(devices[i]), &wire));
    }
    (void)net_link_create(world, NULL, "link", SIM_NAME_INDEXED, rnic_device_port(devices[0]),
                          rnic_device_port(devices[1]), NULL);
    for (unsigned i = 0; i < SIDES; i++) {
        adapter_make(i, devices, options);
        providers[i] = driver_make(i, i ? "rnic1" : "rnic0", PROVIDER, NULL, 0);
        consumer_make(i, options);
    }
    faults_plan(options);
}

static void world_end(void) {
    sim_world_destroy(world);
    sim_chooser_destroy(chooser);
}

static void no_finding(void) {
    if (sim_finding_count(world) != 0) {
        const struct sim_finding *finding = sim_finding_at(world, 0);
        fail_msg("%s: %s (%s) %s", finding->id, finding->sentence, finding->guilty,
                 finding->detail);
    }
}

static bool step_is_done(struct sim_world *in, void *step) {
    (void)in;
    return ((struct krn_step *)step)->is_done;
}

static void finish(struct krn_step *step) {
    enum sim_run_end end = sim_run(world, step_is_done, step, SIM_TIME_NEVER);
    no_finding();
    assert_int_equal(end, SIM_RUN_UNTIL);
    assert_int_equal(step->status, 0);
}

static void load(struct krn_driver *driver, unsigned index) {
    memset(&steps[index], 0, sizeof steps[index]);
    krn_driver_load(driver, &steps[index]);
    finish(&steps[index]);
}

static void unload(struct krn_driver *driver, unsigned index) {
    memset(&steps[index], 0, sizeof steps[index]);
    krn_driver_unload(driver, &steps[index]);
    finish(&steps[index]);
}

static bool counter_is_set(struct krn_driver *driver, const char *name) {
    uint64_t value;
    return krn_counter_get(driver, name, &value) && value != 0;
}

static bool server_listens(struct sim_world *in, void *context) {
    (void)in;
    (void)context;
    return counter_is_set(consumers[0], "listening");
}

static bool client_is_open(struct sim_world *in, void *context) {
    (void)in;
    (void)context;
    return counter_is_set(consumers[1], "open");
}

static bool client_is_done(struct sim_world *in, void *context) {
    (void)in;
    (void)context;
    return counter_is_set(consumers[1], "done");
}

static bool both_are_done(struct sim_world *in, void *context) {
    return client_is_done(in, context) && counter_is_set(consumers[0], "done");
}

static void until(bool (*done)(struct sim_world *, void *), void *context) {
    enum sim_run_end end = sim_run(world, done, context, SIM_TIME_NEVER);
    no_finding();
    if (end != SIM_RUN_UNTIL) {
        vrf_blame_stuck(world);
        no_finding();
        fail_msg("the run ended before the consumers (%d)", (int)end);
    }
}

static uint64_t pair_run(const struct options *options) {
    bool client_only = options->no_peer != NULL;
    world_make(options);
    for (unsigned i = 0; i < SIDES; i++)
        load(providers[i], i);
    if (!client_only) {
        load(consumers[0], 2);
        until(server_listens, NULL);
    }
    load(consumers[1], 3);
    until(client_is_open, NULL);
    late_faults_plan(options);
    until(client_only || options->race ? client_is_done : both_are_done, NULL);
    if (!client_only)
        unload(consumers[0], 2);
    unload(consumers[1], 3);
    for (unsigned i = 0; i < SIDES; i++)
        unload(providers[i], i);
    vrf_check_end(world);
    no_finding();
    uint64_t digest = sim_digest(world);
    for (size_t i = 0; getenv("PAIR_FAULTS") != NULL && i < sim_fault_plan_count(world); i++)
        fprintf(stderr, "%s %u of %u\n", sim_fault_plan_at(world, i)->point->name,
                sim_fault_plan_at(world, i)->fired_count,
                sim_fault_plan_at(world, i)->passed_count);
    world_end();
    return digest;
}

static void a_connection_over_ipv4_carries_everything(void **state) {
    (void)state;
    pair_run(&(struct options){0});
}

static void a_connection_over_ipv6_carries_everything(void **state) {
    (void)state;
    pair_run(&(struct options){.ipv6 = true, .frame_bytes = "4096"});
}

static void every_forced_shape_of_answer_works(void **state) {
    (void)state;
    pair_run(&(struct options){.shape = "1"});
    pair_run(&(struct options){.shape = "2"});
    pair_run(&(struct options){.shape = "3"});
}

static void the_same_pair_connects_again_and_again(void **state) {
    (void)state;
    const char *rounds = getenv("PAIR_ROUNDS");
    pair_run(&(struct options){.rounds = rounds != NULL ? rounds : "5"});
}

static void either_side_may_close_instead_of_disconnecting(void **state) {
    (void)state;
    pair_run(&(struct options){.abort = "1", .rounds = "2"});
    pair_run(&(struct options){.abort = "2", .rounds = "2"});
}

static void a_connect_is_refused_where_nobody_listens(void **state) {
    (void)state;
    pair_run(&(struct options){.no_peer = "1"});
}

static void lost_frames_are_made_good(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++)
        pair_run(&(struct options){.seed = seed, .loss_ppm = 50000, .rounds = "2"});
}

/* PAIR_FIRST and PAIR_RUNS choose other seeds, for campaigns. */
static uint64_t number_of(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static void any_order_and_any_shape_works(void **state) {
    (void)state;
    uint64_t first = number_of("PAIR_FIRST", 0);
    uint64_t runs = number_of("PAIR_RUNS", 60);
    for (uint64_t seed = first; seed < first + runs; seed++) {
        const char *ends[] = {"0", "1", "2"};
        if (getenv("PAIR_RUNS") != NULL && seed % 1000 == 0)
            fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
        pair_run(&(struct options){.seed = seed,
                                   .random_ppm = 20000,
                                   .loss_ppm = seed % 4 == 3 ? 20000 : 0,
                                   .ipv6 = seed % 2 != 0,
                                   .abort = ends[seed % 3],
                                   .rounds = "2",
                                   .count = "4"});
    }
}

static void either_side_may_give_up_at_any_moment(void **state) {
    (void)state;
    uint64_t first = number_of("PAIR_FIRST", 0);
    uint64_t runs = number_of("PAIR_RUNS", 60);
    for (uint64_t seed = first; seed < first + runs; seed++) {
        if (getenv("PAIR_RUNS") != NULL && seed % 100 == 0)
            fprintf(stderr, "race %llu\n", (unsigned long long)seed);
        pair_run(&(struct options){.seed = seed,
                                   .race = true,
                                   .random_ppm = seed % 2 != 0 ? 30000 : 0,
                                   .loss_ppm = seed % 4 >= 2 ? 30000 : 0,
                                   .chaos_ppm = seed % 8 >= 4 ? 100000 : 0,
                                   .ipv6 = seed % 3 == 0,
                                   .rounds = "20"});
    }
}

static void shortage_anywhere_is_survived(void **state) {
    (void)state;
    uint64_t first = number_of("PAIR_FIRST", 0);
    uint64_t runs = number_of("PAIR_RUNS", 40);
    for (uint64_t seed = first; seed < first + runs; seed++)
        pair_run(&(struct options){.seed = seed,
                                   .race = true,
                                   .random_ppm = seed % 2 != 0 ? 30000 : 0,
                                   .short_ppm = 30000,
                                   .rounds = "30"});
}

static void a_broken_device_lets_everybody_go(void **state) {
    (void)state;
    static const char *const points[] = {"rnic.reset", "rnic.firmware_hang", "rnic.qp_error",
                                         "rnic.cq_overrun"};
    uint64_t first = number_of("PAIR_FIRST", 0);
    uint64_t runs = number_of("PAIR_RUNS", 40);
    for (uint64_t seed = first; seed < first + runs; seed++)
        pair_run(&(struct options){.seed = seed,
                                   .race = true,
                                   .random_ppm = seed % 2 != 0 ? 30000 : 0,
                                   .broken = points[seed % 4],
                                   .broken_ns = seed * 137000,
                                   .rounds = "30"});
}

static void equal_runs_have_equal_digests(void **state) {
    (void)state;
    const struct options options = {.seed = 7, .random_ppm = 20000};
    assert_true(pair_run(&options) == pair_run(&options));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_connection_over_ipv4_carries_everything),
        cmocka_unit_test(a_connection_over_ipv6_carries_everything),
        cmocka_unit_test(every_forced_shape_of_answer_works),
        cmocka_unit_test(the_same_pair_connects_again_and_again),
        cmocka_unit_test(either_side_may_close_instead_of_disconnecting),
        cmocka_unit_test(a_connect_is_refused_where_nobody_listens),
        cmocka_unit_test(lost_frames_are_made_good),
        cmocka_unit_test(any_order_and_any_shape_works),
        cmocka_unit_test(either_side_may_give_up_at_any_moment),
        cmocka_unit_test(shortage_anywhere_is_survived),
        cmocka_unit_test(a_broken_device_lets_everybody_go),
        cmocka_unit_test(equal_runs_have_equal_digests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
