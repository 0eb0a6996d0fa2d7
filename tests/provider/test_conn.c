/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection side of the reference provider under its settings: both sides give up at any
 * moment, over lossy links and under random choices, and everything comes to its end. The race of
 * test_pair.c with what consumers may do beside it: shared endpoints, the calls of 2.1.
 */
#include "two_nodes.h"

#include <stdio.h>
#include <stdlib.h>

#define KEYWORDS_MAX 6

struct setting {
    const char *name;
    struct krn_keyword keywords[KEYWORDS_MAX];
    const char *shared;
    const char *extended;
};

static struct setting settings[] = {
    {.name = "shared endpoints", .shared = "1", .extended = "1"},
    {.name = "calls that wait within",
     .keywords = {{"AnswerShape", "1"}, {"AnswerWaits", "1"}},
     .extended = "1"},
    {.name = "callbacks before the return, after a wait",
     .keywords = {{"AnswerShape", "3"}, {"AnswerWaits", "1"}},
     .shared = "1"},
    {.name = "iWARP", .keywords = {{"*NetworkDirectTechnology", "1"}}, .shared = "1"},
    {.name = "NDK 1.1", .keywords = {{"NdkMajorMax", "1"}, {"NdkMinorMax1", "1"}}},
    {.name = "NDK 2.0", .keywords = {{"NdkMinorMax2", "0"}}, .shared = "1"},
    {.name = "events first, receives first, closes that are graceful",
     .keywords = {{"AbortEventFirst", "1"},
                  {"FlushOrder", "1"},
                  {"GracefulClose", "1"},
                  {"EventAfterDisconnect", "1"}},
     .extended = "1"},
    {.name = "events that overlap, MRAs, early failures",
     .keywords = {{"ConnectEventsOverlap", "1"},
                  {"CmMraRep", "1"},
                  {"PostsFailEarly", "1"},
                  {"FlushOrder", "2"},
                  {"DisconnectAborts", "1"}},
     .shared = "1"},
    {.name = "two ports and a backlog of one",
     .keywords = {{"PortFirst", "50000"}, {"PortLast", "50001"}, {"CmBacklog", "1"}},
     .shared = "1"},
};
#define SETTING_COUNT (sizeof settings / sizeof *settings)

/* Whether a connection stood. */
static bool race_run(const struct setting *setting, uint64_t seed) {
    struct krn_keyword values[TWO_NODES][4];
    struct two_nodes_options options = {
        .ipv6 = seed % 3 == 0,
        .seed = seed,
        .random_ppm = seed % 2 != 0 ? 30000 : 0,
        .loss_ppm = seed % 4 >= 2 ? 30000 : 0,
        .chaos_ppm = seed % 8 >= 4 ? 100000 : 0,
        .keywords = setting->keywords,
        .consumer = TWO_NODES_MODULE("test_ndk_pair"),
    };
    while (options.keyword_count < KEYWORDS_MAX &&
           setting->keywords[options.keyword_count].name != NULL)
        options.keyword_count++;
    for (unsigned i = 0; i < TWO_NODES; i++) {
        values[i][0] = (struct krn_keyword){"Role", i != 0 ? "3" : "2"};
        values[i][1] = (struct krn_keyword){"Rounds", "20"};
        values[i][2] =
            (struct krn_keyword){"Shared", setting->shared != NULL ? setting->shared : "0"};
        values[i][3] =
            (struct krn_keyword){"Extended", setting->extended != NULL ? setting->extended : "0"};
        options.values[i] = values[i];
        options.value_counts[i] = 4;
    }
    two_nodes_make(&options);
    two_nodes_load_consumer(0);
    two_nodes_until_counter(0, "listening");
    two_nodes_load_consumer(1);
    two_nodes_until_counter(1, "done");
    bool connected = two_nodes_counter_is_set(1, "connected");
    two_nodes_unload_consumer(0);
    two_nodes_unload_consumer(1);
    (void)two_nodes_end();
    return connected;
}

static void races(void **state) {
    const struct setting *setting = *state;
    uint64_t first = two_nodes_number("CONN_FIRST", 0);
    uint64_t runs = two_nodes_number("CONN_RUNS", 16);
    uint64_t connected = 0;
    for (uint64_t seed = first; seed < first + runs; seed++) {
        if (getenv("CONN_VERBOSE") != NULL)
            fprintf(stderr, "%s: seed %llu\n", setting->name, (unsigned long long)seed);
        connected += race_run(setting, seed);
    }
    assert_true(4 * connected >= runs);
}

int main(void) {
    struct CMUnitTest tests[SETTING_COUNT];
    for (size_t i = 0; i < SETTING_COUNT; i++)
        tests[i] = (struct CMUnitTest){
            .name = settings[i].name, .test_func = races, .initial_state = &settings[i]};
    cmocka_set_test_filter(getenv("CONN_CASE"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
