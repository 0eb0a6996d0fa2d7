/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared receive queues and completion queues of the reference provider, as a consumer meets them:
 * each case of queues/cases.h undisturbed, with each forced shape of answer, and under random
 * choices.
 */
#include "queues/cases.h"
#include "two_nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vrf/verifier.h>

#define KEYWORDS 2
#define FAULTS 5

struct fault {
    const char *point;
    const char *subject;
    uint32_t nth;
    uint32_t ppm;
};

struct variant {
    unsigned number; /* of the case */
    const char *name;
    struct krn_keyword keywords[KEYWORDS]; /* of the adapters and of the drivers */
    struct fault faults[FAULTS];           /* planned before the subject begins */
};

/* What the cases break on purpose: how the provider refuses it is what they look at. */
static const char *const broken_on_purpose[] = {
    "R-CQ-14",   "R-MEM-28",  "R-CQ-20",   "R-MOD-01", "R-MOD-08",
    "R-POST-17", "R-POST-18", "R-POST-19", "R-SRQ-13",
};

static void faults_plan(const struct variant *variant) {
    for (size_t i = 0; i < FAULTS && variant->faults[i].point != NULL; i++) {
        struct sim_fault_plan plan = two_nodes_fault_of(variant->faults[i].point);
        plan.subject = variant->faults[i].subject;
        plan.nth = variant->faults[i].nth;
        plan.ppm = variant->faults[i].ppm;
        assert_non_null(sim_fault_plan_add(two_nodes.world, &plan));
    }
}

static uint64_t queues_run(const struct variant *variant, const char *shape, uint64_t seed,
                           uint32_t random_ppm) {
    char number[12];
    struct krn_keyword keywords[1 + KEYWORDS] = {{"AnswerShape", shape}};
    struct krn_keyword peer[] = {{"Role", "0"}};
    struct krn_keyword subject[3 + KEYWORDS] = {
        {"Role", "1"}, {"Case", number}, {"Exact", random_ppm == 0 ? "1" : "0"}};
    size_t count = 0;
    while (count < KEYWORDS && variant->keywords[count].name != NULL) {
        keywords[1 + count] = variant->keywords[count];
        subject[3 + count] = variant->keywords[count];
        count++;
    }
    struct two_nodes_options options = {
        .ipv6 = seed % 2 != 0,
        .seed = seed,
        .random_ppm = random_ppm,
        .keywords = keywords,
        .keyword_count = 1 + count,
        .consumer = TWO_NODES_MODULE("test_ndk_queues"),
        .values = {peer, subject},
        .value_counts = {1, 3 + count},
    };
    snprintf(number, sizeof number, "%u", variant->number);
    if (getenv("QUEUES_VERBOSE") != NULL)
        fprintf(stderr, "%s: shape %s seed %llu\n", variant->name, shape, (unsigned long long)seed);
    two_nodes_make(&options);
    for (size_t i = 0; i < sizeof broken_on_purpose / sizeof *broken_on_purpose; i++)
        assert_true(vrf_rule_set(two_nodes.world, broken_on_purpose[i], SIM_SEVERITY_OFF,
                                 "the case is about it"));
    two_nodes_load_consumer(0);
    two_nodes_until_counter(0, "listening");
    faults_plan(variant);
    two_nodes_load_consumer(1);
    two_nodes_until_counter(1, "done");
    for (size_t i = 0; i < sim_fault_plan_count(two_nodes.world); i++)
        assert_true(sim_fault_plan_at(two_nodes.world, i)->fired_count != 0);
    two_nodes_unload_consumer(1);
    two_nodes_unload_consumer(0);
    return two_nodes_end();
}

static void run_variant(void **state) {
    const struct variant *variant = *state;
    static const char *const shapes[] = {"0", "1", "2", "3"};
    uint64_t first = two_nodes_number("QUEUES_FIRST", 0);
    uint64_t runs = two_nodes_number("QUEUES_RUNS", 6);
    for (size_t i = 0; first == 0 && i < sizeof shapes / sizeof *shapes; i++)
        queues_run(variant, shapes[i], i, 0);
    for (uint64_t seed = first; seed < first + runs; seed++)
        queues_run(variant, "0", seed, 20000);
}

#define PLAIN(case_name)                                                                           \
    { .number = Case##case_name, .name = #case_name }
#define WITH(case_name, about, ...)                                                                \
    { .number = Case##case_name, .name = #case_name ", " about, __VA_ARGS__ }

static struct variant variants[] = {
    PLAIN(SrqFeedsTwoQps),
    WITH(SrqFeedsTwoQps, "strict slots", .keywords = {{"StrictSlots", "1"}}),
    PLAIN(SrqHoldsWhenEmpty),
    PLAIN(SrqThreshold),
    PLAIN(SrqThresholdArmedLow),
    PLAIN(SrqRefusals),
    PLAIN(SrqChangesDepth),
    PLAIN(SrqClosedFirst),
    PLAIN(SrqClosedInCallback),
    PLAIN(SrqAfterFlush),
    WITH(SrqFails, "by the device", .faults = {{"rnic.srq_fail", NULL, 3, 0}}),
    WITH(SrqFailsUnarmed, "by the device", .faults = {{"rnic.srq_fail", NULL, 3, 0}}),
    WITH(SrqNotOffered, "no depth", .keywords = {{"MaxSrqDepth", "0"}}),
    WITH(SrqShortage, "faults and a limit", .keywords = {{"MaxSrqCount", "1"}},
         .faults = {{"provider.create_srq.insufficient_resources", NULL, 1, 0},
                    {"provider.create_qp_with_srq.insufficient_resources", NULL, 1, 0},
                    {"provider.modify_srq.insufficient_resources", NULL, 1, 0},
                    {"provider.srq_receive.insufficient_resources", NULL, 1, 0}}),
    PLAIN(ArmTypes),
    WITH(ArmTypes, "inline", .keywords = {{"ArmInline", "1"}}),
    PLAIN(ArmCombines),
    PLAIN(ArmOnOldResults),
    WITH(ArmOnOldResults, "knob", .keywords = {{"ArmFiresOnOld", "1"}}),
    PLAIN(ArmInCallback),
    PLAIN(CqClosedInCallback),
    PLAIN(CqResized),
    WITH(CqResized, "strict slots", .keywords = {{"StrictSlots", "1"}}),
    PLAIN(CqPolledWhileResized),
    PLAIN(CqResizeRefusals),
    PLAIN(CqResizesInARow),
    WITH(CqOptionsNotOffered, "knobs", .keywords = {{"CqResize", "0"}, {"CqModeration", "0"}}),
    PLAIN(CqOverrun),
    PLAIN(CqOverrunUnarmed),
    WITH(CqFails, "by the device", .faults = {{"rnic.cq_fail", "client.nic0.cq[2]", 3, 0}}),
    WITH(CqShortage, "faults",
         .faults = {{"provider.create_cq.insufficient_resources", "init.*", 2, 0},
                    {"provider.resize_cq.insufficient_resources", NULL, 1, 0},
                    {"provider.control_cq_interrupt_moderation.insufficient_resources", NULL, 1, 0},
                    {"provider.receive.insufficient_resources", "init.*", 1, 0}}),
    PLAIN(Moderation),
    PLAIN(ModerationSettings),
    PLAIN(Affinity),
    PLAIN(PingPong),
    WITH(PingPong, "lost interrupts", .faults = {{"bus.interrupt_lost", NULL, 0, 200000}}),
    PLAIN(Records),
    WITH(Records, "before 2.1", .keywords = {{"NdkMajorMax", "1"}}),
    PLAIN(AtDispatchLevel),
};
#define VARIANT_COUNT (sizeof variants / sizeof *variants)

int main(void) {
    struct CMUnitTest tests[VARIANT_COUNT];
    for (size_t i = 0; i < VARIANT_COUNT; i++)
        tests[i] = (struct CMUnitTest){
            .name = variants[i].name, .test_func = run_variant, .initial_state = &variants[i]};
    /* One case, or those of a pattern. */
    if (getenv("QUEUES_CASE") != NULL)
        cmocka_set_test_filter(getenv("QUEUES_CASE"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
