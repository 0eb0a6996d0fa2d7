/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statuses of memory and posts that have no cause of their own come by faults, on every route
 * that they may take: the call itself, the completion routine, the result.
 */
#include "two_nodes.h"

#include <stdio.h>

#include <krn/counter.h>

#include "memory/cases.h"
#include "memory/status.h"

#define INSUFFICIENT_RESOURCES 0xC000009Au
#define INTERNAL_ERROR 0xC00000E5u
#define DATA_OVERRUN 0xC000003Cu

static void world_make(const char *shape, STATUS_CALL call) {
    char number[12];
    char wanted[12];
    struct krn_keyword keywords[] = {{"AnswerShape", shape}};
    struct krn_keyword peer[] = {{"Role", "0"}};
    struct krn_keyword client[] = {{"Role", "1"}, {"Case", number}, {"Call", wanted}};
    struct two_nodes_options options = {
        .keywords = keywords,
        .keyword_count = 1,
        .consumer = TWO_NODES_MODULE("test_ndk_memory"),
        .provider_only = true,
        .values = {peer, client},
        .value_counts = {1, 3},
    };
    snprintf(number, sizeof number, "%d", CaseEveryCallOnce);
    snprintf(wanted, sizeof wanted, "%d", (int)call);
    two_nodes_make(&options);
    two_nodes_load_consumer(0);
    two_nodes_until_counter(0, "listening");
    two_nodes_load_consumer(1);
    two_nodes_until_counter(1, "ready");
}

static void world_end(void) {
    two_nodes_until_counter(1, "done");
    two_nodes_unload_consumer(1);
    two_nodes_unload_consumer(0);
    two_nodes_end();
}

static uint64_t counter(const char *name) {
    uint64_t value = 0;
    (void)krn_counter_get(two_nodes.consumers[1], name, &value);
    return value;
}

/* The client's next passing of the point fires. */
static void fault_once(const char *name) {
    struct sim_fault_plan plan = two_nodes_fault_of(name);
    plan.subject = "init*";
    plan.nth = 1;
    assert_non_null(sim_fault_plan_add(two_nodes.world, &plan));
}

static void fault_gives(const char *name, const char *shape, STATUS_CALL call, uint32_t status,
                        STATUS_ROUTE route) {
    world_make(shape, call);
    fault_once(name);
    two_nodes_until_counter(1, "done");
    assert_int_equal(sim_fault_plan_at(two_nodes.world, 0)->fired_count, 1);
    if (counter("failed.call") != (uint64_t)call + 1 || counter("failed.status") != status ||
        counter("failed.route") != (uint64_t)route)
        fail_msg("%s: call %u status 0x%08X route %u", name, (unsigned)counter("failed.call") - 1,
                 (unsigned)counter("failed.status"), (unsigned)counter("failed.route"));
    world_end();
}

static void without_a_fault_nothing_fails(void **state) {
    (void)state;
    const STATUS_CALL calls[] = {CallReceive, CallSend};
    for (size_t i = 0; i < 2; i++) {
        world_make("0", calls[i]);
        two_nodes_until_counter(1, "done");
        assert_int_equal(counter("failed.call"), 0);
        world_end();
    }
}

static void creates_and_requests_run_short_on_either_route(void **state) {
    (void)state;
    static const struct {
        const char *name;
        STATUS_CALL call;
    } faults[] = {
        {"provider.create_pd.insufficient_resources", CallCreatePd},
        {"provider.create_mr.insufficient_resources", CallCreateMr},
        {"provider.create_mw.insufficient_resources", CallCreateMw},
        {"provider.register_mr.insufficient_resources", CallRegisterMr},
        {"provider.initialize_fast_register_mr.insufficient_resources",
         CallInitializeFastRegisterMr},
        {"provider.build_lam.insufficient_resources", CallBuildLam},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        fault_gives(faults[i].name, "1", faults[i].call, INSUFFICIENT_RESOURCES, RouteCall);
        fault_gives(faults[i].name, "2", faults[i].call, INSUFFICIENT_RESOURCES, RouteCallback);
        fault_gives(faults[i].name, "3", faults[i].call, INSUFFICIENT_RESOURCES, RouteCallback);
    }
}

static const struct {
    const char *function;
    STATUS_CALL call;
    bool moves_data;
} posts[] = {
    {"receive", CallReceive, false},
    {"bind", CallBind, false},
    {"fast_register", CallFastRegister, false},
    {"invalidate", CallInvalidate, false},
    {"write", CallWrite, true},
    {"read", CallRead, true},
    {"send", CallSend, true},
    {"send_and_invalidate", CallSendAndInvalidate, true},
};
#define POST_COUNT (sizeof posts / sizeof *posts)

static void post_gives(size_t index, const char *what, uint32_t status, STATUS_ROUTE route) {
    char name[96];
    snprintf(name, sizeof name, "provider.%s.%s", posts[index].function, what);
    fault_gives(name, "0", posts[index].call, status, route);
}

static void posts_fail_at_the_call_or_in_their_result(void **state) {
    (void)state;
    for (size_t i = 0; i < POST_COUNT; i++) {
        post_gives(i, "insufficient_resources", INSUFFICIENT_RESOURCES, RouteCall);
        post_gives(i, "completion.internal_error", INTERNAL_ERROR, RouteResult);
        if (posts[i].moves_data)
            post_gives(i, "completion.data_overrun", DATA_OVERRUN, RouteResult);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_fault_nothing_fails),
        cmocka_unit_test(creates_and_requests_run_short_on_either_route),
        cmocka_unit_test(posts_fail_at_the_call_or_in_their_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
