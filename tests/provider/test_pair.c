/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference provider between two nodes: connections over IPv4 and IPv6, data both ways, the
 * shapes of answers, orderly and abrupt ends, refusals; everything unloads without a leftover.
 */
#include "two_nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/run.h>

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

static const char *or_else(const char *value, const char *otherwise) {
    return value != NULL ? value : otherwise;
}

static void shortage_plan(uint32_t ppm) {
    static const char *const points[] = {
        "provider.create_cq.insufficient_resources",
        "provider.create_qp.insufficient_resources",
        "provider.create_connector.insufficient_resources",
        "provider.create_listener.insufficient_resources",
        "provider.connect.insufficient_resources",
        "provider.listen.insufficient_resources",
        "provider.send.insufficient_resources",
        "provider.write.insufficient_resources",
        "provider.receive.insufficient_resources",
        "rnic.command_fail",
        "rnic.table_full",
        "pool.fail",
    };
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        struct sim_fault_plan plan = two_nodes_fault_of(points[i]);
        plan.ppm = ppm;
        plan.subject = strcmp(points[i], "pool.fail") == 0 ? "rnic*" : NULL;
        assert_non_null(sim_fault_plan_add(two_nodes.world, &plan));
    }
}

static void broken_plan(const struct options *options) {
    struct sim_fault_plan plan = two_nodes_fault_of(options->broken);
    plan.from_ns = sim_now_ns(two_nodes.world) + options->broken_ns;
    plan.nth = 0;
    plan.count_max = 1;
    assert_non_null(sim_fault_plan_add(two_nodes.world, &plan));
}

/* Once both drivers stand. */
static void late_faults_plan(const struct options *options) {
    if (options->short_ppm != 0)
        shortage_plan(options->short_ppm);
    if (options->broken != NULL)
        broken_plan(options);
}

static void world_make(const struct options *options) {
    static const char *const roles[2][TWO_NODES] = {{"0", "1"}, {"2", "3"}};
    const struct krn_keyword keywords[] = {
        {"AnswerShape", or_else(options->shape, "0")},
        {"*NetworkDirectRoCEFrameSize", or_else(options->frame_bytes, "1024")},
    };
    struct krn_keyword values[TWO_NODES][5];
    struct two_nodes_options nodes = {
        .ipv6 = options->ipv6,
        .seed = options->seed,
        .random_ppm = options->random_ppm,
        .loss_ppm = options->loss_ppm,
        .chaos_ppm = options->chaos_ppm,
        .keywords = keywords,
        .keyword_count = 2,
        .consumer = TWO_NODES_MODULE("test_ndk_pair"),
    };
    for (unsigned i = 0; i < TWO_NODES; i++) {
        values[i][0] = (struct krn_keyword){"Role", roles[options->race][i]};
        values[i][1] = (struct krn_keyword){"Count", or_else(options->count, "8")};
        values[i][2] = (struct krn_keyword){"Abort", or_else(options->abort, "0")};
        values[i][3] = (struct krn_keyword){"NoPeer", or_else(options->no_peer, "0")};
        values[i][4] = (struct krn_keyword){"Rounds", or_else(options->rounds, "1")};
        nodes.values[i] = values[i];
        nodes.value_counts[i] = 5;
    }
    two_nodes_make(&nodes);
}

static uint64_t pair_run(const struct options *options) {
    bool client_only = options->no_peer != NULL;
    world_make(options);
    if (!client_only) {
        two_nodes_load_consumer(0);
        two_nodes_until_counter(0, "listening");
    }
    two_nodes_load_consumer(1);
    two_nodes_until_counter(1, "open");
    late_faults_plan(options);
    two_nodes_until_counter(1, "done");
    if (!client_only && !options->race)
        two_nodes_until_counter(0, "done");
    if (!client_only)
        two_nodes_unload_consumer(0);
    two_nodes_unload_consumer(1);
    return two_nodes_end();
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

static void any_order_and_any_shape_works(void **state) {
    (void)state;
    uint64_t first = two_nodes_number("PAIR_FIRST", 0);
    uint64_t runs = two_nodes_number("PAIR_RUNS", 60);
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
    uint64_t first = two_nodes_number("PAIR_FIRST", 0);
    uint64_t runs = two_nodes_number("PAIR_RUNS", 60);
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
    uint64_t first = two_nodes_number("PAIR_FIRST", 0);
    uint64_t runs = two_nodes_number("PAIR_RUNS", 40);
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
    uint64_t first = two_nodes_number("PAIR_FIRST", 0);
    uint64_t runs = two_nodes_number("PAIR_RUNS", 40);
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
    cmocka_set_test_filter(getenv("PAIR_TEST"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
