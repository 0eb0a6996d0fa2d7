/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory and posts of the reference provider, as a consumer meets them: each case of
 * memory/cases.h undisturbed, with each forced shape of answer, and under random choices, some over
 * a link that loses frames.
 */
#include "memory/cases.h"
#include "two_nodes.h"

#include <stdio.h>
#include <stdlib.h>

#include <rnic_hw/rnic.h>

struct variant {
    unsigned number; /* of the case */
    const char *name;
    struct krn_keyword keyword; /* of the adapters and of the drivers */
    uint32_t cap_flags;
    struct krn_keyword other; /* of the adapters */
};

static uint64_t memory_run(const struct variant *variant, const char *shape, uint64_t seed,
                           uint32_t random_ppm, uint32_t loss_ppm) {
    char number[12];
    struct krn_keyword keywords[] = {{"AnswerShape", shape}, variant->keyword, variant->other};
    struct krn_keyword peer[] = {{"Role", "0"}};
    struct krn_keyword client[] = {{"Role", "1"},
                                   {"Case", number},
                                   {"Lossy", loss_ppm != 0 ? "1" : "0"},
                                   {"Quiet", random_ppm == 0 && *shape == '0' ? "1" : "0"},
                                   variant->keyword};
    size_t extra = variant->keyword.name != NULL;
    struct two_nodes_options options = {
        .ipv6 = seed % 2 != 0,
        .seed = seed,
        .random_ppm = random_ppm,
        .loss_ppm = loss_ppm,
        .cap_flags = variant->cap_flags,
        .keywords = keywords,
        .keyword_count = 1 + extra + (variant->other.name != NULL),
        .consumer = TWO_NODES_MODULE("test_ndk_memory"),
        .provider_only = true,
        .values = {peer, client},
        .value_counts = {1, 4 + extra},
    };
    snprintf(number, sizeof number, "%u", variant->number);
    if (getenv("MEMORY_VERBOSE") != NULL)
        fprintf(stderr, "%s: shape %s seed %llu\n", variant->name, shape, (unsigned long long)seed);
    two_nodes_make(&options);
    two_nodes_load_consumer(0);
    two_nodes_until_counter(0, "listening");
    two_nodes_load_consumer(1);
    two_nodes_until_counter(1, "done");
    two_nodes_unload_consumer(1);
    two_nodes_unload_consumer(0);
    return two_nodes_end();
}

static void run_variant(void **state) {
    const struct variant *variant = *state;
    static const char *const shapes[] = {"0", "1", "2", "3"};
    uint64_t first = two_nodes_number("MEMORY_FIRST", 0);
    uint64_t runs = two_nodes_number("MEMORY_RUNS", 8);
    for (size_t i = 0; first == 0 && i < sizeof shapes / sizeof *shapes; i++)
        memory_run(variant, shapes[i], i, 0, 0);
    for (uint64_t seed = first; seed < first + runs; seed++)
        memory_run(variant, "0", seed, 20000, seed % 4 >= 2 ? 20000 : 0);
}

#define MEMORY_VARIANT(case_name) {.number = Case##case_name, .name = #case_name},
#define SINK_REQUIRED (RNIC_CAP_READ_SINK_REQUIRED | RNIC_CAP_MW_TYPE_2 | RNIC_CAP_IN_ORDER_DMA)
#define NO_READ_INVALIDATE (RNIC_CAP_MW_TYPE_2 | RNIC_CAP_IN_ORDER_DMA)
static struct variant variants[] = {
    MEMORY_CASES(MEMORY_VARIANT) /* and with other settings: */
    {CaseRegionRights, "RegionRights, sinks named", {0}, SINK_REQUIRED, {0}},
    {CasePrivilegedToken, "PrivilegedToken, sinks named", {0}, SINK_REQUIRED, {0}},
    {CaseRegionTokens, "RegionTokens, equal", {"TokensEqual", "1"}, 0, {0}},
    {CaseRegionOfAnotherPd, "RegionOfAnotherPd, equal", {"TokensEqual", "1"}, 0, {0}},
    {CasePrivilegedToken, "PrivilegedToken, equal", {"TokensEqual", "1"}, 0, {0}},
    {CaseFastTokens, "FastTokens, rotating", {"TokenRotates", "1"}, 0, {0}},
    {CaseFastTwice, "FastTwice, rotating", {"TokenRotates", "1"}, 0, {0}},
    {CaseMappingAnswers, "MappingAnswers, late", {"LamPends", "1"}, 0, {0}},
    {CaseVersions, "Versions, 1.1", {"NdkMajorMax", "1"}, 0, {"NdkMinorMax1", "1"}},
    {CaseVersions, "Versions, 1.2", {"NdkMajorMax", "1"}, 0, {0}},
    {CaseVersions, "Versions, 2.0", {"NdkMinorMax2", "0"}, 0, {0}},
    {CaseExtensions, "Extensions, one", {"HoldersExtension", "1"}, 0, {0}},
    {CasePostInline, "PostInline, 1.1", {"NdkMajorMax", "1"}, 0, {"NdkMinorMax1", "1"}},
    {CaseRegionBounds, "RegionBounds, 1.1", {"NdkMajorMax", "1"}, 0, {"NdkMinorMax1", "1"}},
    {CaseFastRights, "FastRights, 1.1", {"NdkMajorMax", "1"}, 0, {"NdkMinorMax1", "1"}},
    {CaseWindowGivesItsRange, "Windows, 1.1", {"NdkMajorMax", "1"}, 0, {"NdkMinorMax1", "1"}},
    {CasePostReadAndInvalidate, "PostReadAndInvalidate, not known", {0}, NO_READ_INVALIDATE, {0}},
    {CasePostQueueFull, "PostQueueFull, strict", {"StrictSlots", "1"}, 0, {0}},
    {CasePostSilently, "PostSilently, early", {"PostsFailEarly", "1"}, 0, {0}},
    {CaseDeferReleases, "DeferReleases, never held", {"DeferHolds", "0"}, 0, {0}},
    {CaseDeferReleases, "DeferReleases, by choice", {"DeferHolds", "2"}, 0, {0}},
    {CaseWindowRefusals, "WindowRefusals, read freely", {"WindowsReadFreely", "1"}, 0, {0}},
};
#define VARIANT_COUNT (sizeof variants / sizeof *variants)

int main(void) {
    struct CMUnitTest tests[VARIANT_COUNT];
    for (size_t i = 0; i < VARIANT_COUNT; i++)
        tests[i] = (struct CMUnitTest){
            .name = variants[i].name, .test_func = run_variant, .initial_state = &variants[i]};
    /* One case, or those of a pattern. */
    if (getenv("MEMORY_CASE") != NULL)
        cmocka_set_test_filter(getenv("MEMORY_CASE"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
