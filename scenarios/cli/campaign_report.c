/* SPDX-License-Identifier: Apache-2.0 */
/* What a campaign says. JSON has nothing of the host in it: two equal campaigns print the same. */
#include <sim/host.h>
#include <string.h>

#include "cli/campaign.h"
#include "report/coverage_file.h"
#include "run/script.h"

static unsigned long long wide(uint64_t value) {
    return value;
}

/* Text. */

static void print_failures(const struct scn_campaign *campaign) {
    for (size_t i = 0; i < campaign->distinct_count; i++) {
        const struct scn_distinct *one = &campaign->distinct[i];

        printf("%s: %s\n  %llu of %llu runs, first run %llu (seed %llu)%s%s\n",
               sim_verdict_name(one->verdict), one->sentence, wide(one->count),
               wide(campaign->done_count), wide(one->first_index),
               wide(campaign->seed + one->first_index),
               one->file[0] != '\0' ? "\n  replay   ndksim replay " : "", one->file);
    }
}

/* --verbose: how often the plans fired, the steps began and the expected findings came. */
static void print_details(const struct scn_campaign *campaign) {
    const struct scn_scenario *scenario = campaign->scenario;
    char text[64];

    for (uint32_t i = 0; i < scenario->fault_count && i < SCN_CAMPAIGN_PLAN_MAX; i++)
        printf("fault    %s: %s fired in %llu runs\n", scenario->faults[i].place,
               scenario->faults[i].point, wide(campaign->fired[i]));
    for (uint32_t i = 0; i < scenario->step_count && i < SCN_CAMPAIGN_STEP_MAX; i++)
        printf("step     %s: %s began in %llu runs\n", scenario->steps[i].place,
               scn_step_text(scenario, i, text, sizeof(text)), wide(campaign->begun[i]));
    for (uint32_t i = 0; i < scenario->expect_count; i++)
        if (scenario->expects[i].kind == SCN_EXPECT_FINDING)
            printf("expect   %s: \"%s\" came in %llu runs\n", scenario->expects[i].place,
                   scenario->expects[i].name,
                   wide(campaign->expected[i % SCN_CAMPAIGN_EXPECT_MAX]));
    printf("events   %llu per run\n",
           wide(campaign->done_count > 0 ? campaign->event_total / campaign->done_count : 0));
}

static void print_line(const struct scn_campaign *campaign) {
    uint64_t done = campaign->done_count;
    uint64_t wall_ms = (sim_host_wall_ns() - campaign->start_wall_ns) / SIM_NS_PER_MS;
    uint64_t mean_milli = done > 0 ? campaign->deviation_total * 1000 / done : 0;

    printf("%s: %s, seeds %llu to %llu, %llu runs, %llu failed (%zu distinct), %zu distinct "
           "orders, %llu.%03llu deviations per run, %llu runs/s\n",
           sim_verdict_name(scn_campaign_worst(campaign)), campaign->scenario->name,
           wide(campaign->seed), wide(campaign->seed + (done > 0 ? done - 1 : 0)), wide(done),
           wide(campaign->failed_count), campaign->distinct_count, campaign->orders.count,
           wide(mean_milli / 1000), wide(mean_milli % 1000),
           wide(wall_ms > 0 ? done * 1000 / wall_ms : 0));
}

static void print(const struct scn_campaign *campaign) {
    char text[512];
    uint32_t at = 0;

    print_failures(campaign);
    while (scn_campaign_unmet(campaign, &at, text, sizeof(text)))
        printf("EXPECTATION %s\n", text);
    if (campaign->until_count > 0)
        printf("note     %llu runs stopped where --until says; faults, steps and expectations were "
               "not judged\n",
               wide(campaign->until_count));
    if (campaign->options->verbosity > 1)
        print_details(campaign);
    if (campaign->options->coverage_file != NULL)
        scn_coverage_print(stdout, &campaign->coverage);
    if (sim_host_interrupted())
        printf("interrupted after %llu runs; what was found is kept\n", wide(campaign->done_count));
    print_line(campaign);
}

/* JSON. */

static void failure_json(const struct scn_campaign *campaign, const struct scn_distinct *one) {
    fputs("\n    {\"verdict\": ", stdout);
    scn_json_string(stdout, sim_verdict_name(one->verdict));
    printf(", \"exit\": %d, \"sentence\": ", (int)one->verdict);
    scn_json_string(stdout, one->sentence);
    printf(", \"signature\": \"0x%016llx\",\n     \"runs\": %llu, \"first_run\": %llu, "
           "\"seed\": %llu, \"record\": ",
           wide(one->signature), wide(one->count), wide(one->first_index),
           wide(campaign->seed + one->first_index));
    if (one->file[0] != '\0')
        scn_json_string(stdout, one->file);
    else
        fputs("null", stdout);
    fputc('}', stdout);
}

static void print_json(const struct scn_campaign *campaign) {
    enum sim_verdict worst = scn_campaign_worst(campaign);
    char text[512];
    uint32_t at = 0, count = 0;

    fputs("{\n  \"scenario\": ", stdout);
    scn_json_string(stdout, campaign->scenario->name);
    printf(", \"cell\": %u, \"cells\": %u, \"verdict\": ", campaign->cell, campaign->cell_count);
    scn_json_string(stdout, sim_verdict_name(worst));
    printf(
        ", \"exit\": %d, \"seed\": %llu,\n  \"runs\": %llu, \"failed\": %llu, \"distinct\": %zu, "
        "\"orders\": %zu, \"deviations\": %llu, \"events\": %llu,\n  \"interrupted\": %s, "
        "\"unmet\": [",
        (int)worst, wide(campaign->seed), wide(campaign->done_count), wide(campaign->failed_count),
        campaign->distinct_count, campaign->orders.count, wide(campaign->deviation_total),
        wide(campaign->event_total), sim_host_interrupted() ? "true" : "false");
    while (scn_campaign_unmet(campaign, &at, text, sizeof(text))) {
        fputs(count++ > 0 ? ", " : "", stdout);
        scn_json_string(stdout, text);
    }
    fputs("],\n  \"failures\": [", stdout);
    for (size_t i = 0; i < campaign->distinct_count; i++) {
        fputs(i > 0 ? "," : "", stdout);
        failure_json(campaign, &campaign->distinct[i]);
    }
    fputs(campaign->distinct_count > 0 ? "\n  ]\n}\n" : "]\n}\n", stdout);
}

/* JUnit. */

static void add_case(const struct scn_campaign *campaign, struct scn_results *results) {
    struct scn_junit_case one = {.verdict = scn_campaign_worst(campaign)};
    char text[512];
    uint32_t at = 0;
    size_t used = 0;

    scn_case_name(campaign->scenario, campaign->cell, campaign->cell_count, one.name,
                  sizeof(one.name));
    if (campaign->failed_count > 0)
        used = (size_t)snprintf(
            one.text, sizeof(one.text), "%llu of %llu runs failed (%zu distinct)\n",
            wide(campaign->failed_count), wide(campaign->done_count), campaign->distinct_count);
    while (scn_campaign_unmet(campaign, &at, text, sizeof(text)) &&
           used + strlen(text) + 2 < sizeof(one.text))
        used += (size_t)snprintf(one.text + used, sizeof(one.text) - used, "%s\n", text);
    if (sim_host_interrupted() && one.verdict == SIM_VERDICT_HELD) {
        one.verdict = SIM_VERDICT_INTERRUPTED;
        snprintf(one.text, sizeof(one.text), "interrupted after %llu runs",
                 wide(campaign->done_count));
    }
    scn_results_add(results, &one);
}

static void add_failure(const struct scn_campaign *campaign, const struct scn_distinct *distinct,
                        struct scn_results *results) {
    struct scn_junit_case one = {.verdict = distinct->verdict};
    char name[128];

    scn_case_name(campaign->scenario, campaign->cell, campaign->cell_count, name, sizeof(name));
    snprintf(one.name, sizeof(one.name), "%s %016llx", name, wide(distinct->signature));
    snprintf(one.text, sizeof(one.text), "%s\n%llu of %llu runs, first run %llu (seed %llu)%s%s",
             distinct->sentence, wide(distinct->count), wide(campaign->done_count),
             wide(distinct->first_index), wide(campaign->seed + distinct->first_index),
             distinct->file[0] != '\0' ? "\nndksim replay " : "", distinct->file);
    scn_results_add(results, &one);
}

void scn_campaign_report(const struct scn_campaign *campaign, struct scn_results *results) {
    if (campaign->options->json)
        print_json(campaign);
    else
        print(campaign);
    add_case(campaign, results);
    for (size_t i = 0; i < campaign->distinct_count; i++)
        add_failure(campaign, &campaign->distinct[i], results);
}
