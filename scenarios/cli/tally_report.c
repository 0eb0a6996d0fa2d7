/* SPDX-License-Identifier: Apache-2.0 */
/* What a campaign says. JSON has nothing of the host in it: two equal campaigns print the same. */
#include <string.h>

#include "cli/tally.h"

#include "report/plural.h"

static unsigned long long wide(uint64_t value) {
    return value;
}

/* A campaign whose runs --until cut has been asked for nothing that comes at their end. */
static const char *so_far(const struct scn_tally *tally) {
    return scn_tally_worst(tally) == SIM_VERDICT_HELD && tally->until_count > 0 ? " so far" : "";
}

/* ---- Text ---- */

static void print_failures(const struct scn_tally *tally) {
    for (size_t i = 0; i < tally->distinct_count; i++) {
        const struct scn_distinct *one = &tally->distinct[i];

        printf("%s%s: %s\n  %llu of %llu run%s, first run %llu (seed %llu)%s%s\n",
               one->is_known ? "known, " : "", sim_verdict_name(one->verdict), one->sentence,
               wide(one->run_count), wide(tally->run_count), scn_plural(tally->run_count),
               wide(one->first_index), wide(one->first_seed),
               one->file[0] != '\0' ? "\n  replay   ndksim replay " : "", one->file);
    }
}

/* --verbose: how often the plans fired, the steps began and the expected findings came. */
static void print_details(const struct scn_tally *tally) {
    for (size_t i = 0; i < tally->demand_count; i++)
        printf("%s in %llu run%s\n", tally->demands[i].about, wide(tally->demands[i].run_count),
               scn_plural(tally->demands[i].run_count));
    printf("events   %llu per run\n",
           wide(tally->run_count > 0 ? tally->event_total / tally->run_count : 0));
}

static void print_seeds(const struct scn_tally *tally) {
    for (size_t i = 0; i < tally->part_count; i++) {
        const struct scn_part *one = &tally->parts[i];
        uint64_t last = one->run_count > 0 ? (one->run_count - 1) * one->shard_count : 0;

        printf(", ");
        if (one->has_one_seed)
            printf("seed %llu", wide(one->seed));
        else if (last == 0)
            printf("seed %llu", wide(one->seed + one->shard - 1));
        else
            printf("seeds %llu to %llu", wide(one->seed + one->shard - 1),
                   wide(one->seed + one->shard - 1 + last));
        if (one->shard_count > 1)
            printf(" (shard %u of %u)", one->shard, one->shard_count);
    }
}

static void print_line(struct scn_tally *tally, const struct scn_tally_said *said) {
    uint64_t done = tally->run_count, wall_ms = said->wall_ns / SIM_NS_PER_MS;
    uint64_t mean_milli = done > 0 ? tally->deviation_total * 1000 / done : 0;
    bool is_exact;
    uint64_t orders = scn_orders_count(&tally->orders, &is_exact);

    printf("%s%s: %s", sim_verdict_name(scn_tally_worst(tally)), so_far(tally),
           tally->identity.name);
    print_seeds(tally);
    printf(", %llu run%s, %llu failed (%zu distinct)", wide(done), scn_plural(done),
           wide(tally->failed_count + tally->known_count), tally->distinct_count);
    if (tally->known_count > 0)
        printf(", %llu of them known", wide(tally->known_count));
    printf(", %s%llu distinct order%s%s, %llu.%03llu deviations per run", is_exact ? "" : "about ",
           wide(orders), scn_plural(orders), is_exact ? "" : " (within 0.5 %)",
           wide(mean_milli / 1000), wide(mean_milli % 1000));
    if (tally->ending[0] != '\0')
        printf(", %s", tally->ending);
    if (said->wall_ns > 0)
        printf(", %llu runs/s", wide(wall_ms > 0 ? done * 1000 / wall_ms : 0));
    fputc('\n', stdout);
}

/* A clean campaign's certificate. */
static void print_certificate(const struct scn_tally *tally) {
    uint64_t bound = scn_tally_bound(tally);
    char text[512];

    if (tally->failed_count == 0 && tally->claim[0] != '\0')
        printf("proved   %s\n", tally->claim);
    if (bound > 1)
        printf("bound    one more such run fails%s with a chance of less than 1 in %llu (99 %% "
               "confidence, %llu run%s)\n",
               tally->known_count > 0 ? " otherwise" : "", wide(bound), wide(tally->run_count),
               scn_plural(tally->run_count));
    if (tally->covered_count > 0)
        printf("coverage %s\n", scn_coverage_summary(tally, text, sizeof(text)));
}

static void print(struct scn_tally *tally, const struct scn_tally_said *said) {
    char text[2 * SCN_TALLY_TEXT_BYTES];
    size_t at = 0;

    print_failures(tally);
    while (scn_tally_unmet(tally, &at, text, sizeof(text)))
        printf("EXPECTATION %s\n", text);
    if (tally->until_count > 0)
        printf(
            "note     %llu run%s stopped where --until says; faults, steps and expectations were "
            "not judged\n",
            wide(tally->until_count), scn_plural(tally->until_count));
    if (!tally->is_whole)
        printf("note     faults, steps and expectations of the whole are judged by ndksim merge, "
               "when all shards are there\n");
    if (said->options->verbosity > 1)
        print_details(tally);
    if (said->options->verbosity > 0)
        print_certificate(tally);
    if (said->options->verbosity > 0 && said->replaces != NULL)
        printf("kept     %s, in place of the campaign that was there\n", said->replaces);
    if (said->stopped != NULL)
        printf("%s\n", said->stopped);
    print_line(tally, said);
}

/* ---- JSON ---- */

static void failure_json(const struct scn_distinct *one) {
    fputs("\n    {\"verdict\": ", stdout);
    scn_json_string(stdout, sim_verdict_name(one->verdict));
    printf(", \"exit\": %d, \"known\": %s, \"sentence\": ", (int)one->verdict,
           one->is_known ? "true" : "false");
    scn_json_string(stdout, one->sentence);
    printf(", \"signature\": \"0x%016llx\",\n     \"runs\": %llu, \"first_run\": %llu, "
           "\"seed\": %llu, \"record\": ",
           wide(one->signature), wide(one->run_count), wide(one->first_index),
           wide(one->first_seed));
    if (one->file[0] != '\0')
        scn_json_string(stdout, one->file);
    else
        fputs("null", stdout);
    scn_not_loaded_list_json(stdout, one->not_loaded);
    fputc('}', stdout);
}

static void certificate_json(const struct scn_tally *tally) {
    uint64_t bound = scn_tally_bound(tally);
    char text[512];

    if (bound > 1)
        printf(",\n  \"bound\": {\"confidence_percent\": 99, \"less_than_one_in\": %llu}",
               wide(bound));
    else
        printf(",\n  \"bound\": null");
    if (tally->claim[0] != '\0' && tally->failed_count == 0) {
        printf(", \"proved\": ");
        scn_json_string(stdout, tally->claim);
    }
    if (tally->ending[0] != '\0') {
        printf(", \"exhaustive\": ");
        scn_json_string(stdout, tally->ending);
    }
    if (tally->covered_count > 0) {
        printf(", \"coverage\": ");
        scn_json_string(stdout, scn_coverage_summary(tally, text, sizeof(text)));
    }
}

static void counts_json(struct scn_tally *tally) {
    bool is_exact;
    uint64_t orders = scn_orders_count(&tally->orders, &is_exact);

    printf("\"runs\": %llu, \"failed\": %llu, \"known\": %llu, \"distinct\": %zu, "
           "\"orders\": %llu, \"orders_exact\": %s,\n  \"deviations\": %llu, \"events\": %llu",
           wide(tally->run_count), wide(tally->failed_count), wide(tally->known_count),
           tally->distinct_count, wide(orders), is_exact ? "true" : "false",
           wide(tally->deviation_total), wide(tally->event_total));
}

static void print_json(struct scn_tally *tally) {
    enum sim_verdict worst = scn_tally_worst(tally);
    char text[2 * SCN_TALLY_TEXT_BYTES];
    size_t at = 0, count = 0;

    fputs("{\n  \"scenario\": ", stdout);
    scn_json_string(stdout, tally->identity.name);
    printf(", \"cell\": %u, \"cells\": %u, \"verdict\": ", tally->identity.cell,
           tally->identity.cell_count);
    snprintf(text, sizeof(text), "%s%s", sim_verdict_name(worst), so_far(tally));
    scn_json_string(stdout, text);
    printf(", \"runs_cut\": %llu, \"exit\": %d, \"seed\": %llu,\n  \"strategy\": ",
           wide(tally->until_count), (int)worst,
           wide(tally->part_count > 0 ? tally->parts[0].seed : 0));
    scn_json_string(stdout, tally->identity.strategy);
    fputs(",\n  ", stdout);
    counts_json(tally);
    printf(",\n  \"interrupted\": %s, \"unmet\": [", tally->was_interrupted ? "true" : "false");
    while (scn_tally_unmet(tally, &at, text, sizeof(text))) {
        fputs(count++ > 0 ? ", " : "", stdout);
        scn_json_string(stdout, text);
    }
    fputc(']', stdout);
    certificate_json(tally);
    fputs(",\n  \"failures\": [", stdout);
    for (size_t i = 0; i < tally->distinct_count; i++) {
        fputs(i > 0 ? "," : "", stdout);
        failure_json(&tally->distinct[i]);
    }
    fputs(tally->distinct_count > 0 ? "\n  ]\n}\n" : "]\n}\n", stdout);
}

/* ---- JUnit ---- */

static void case_name(const struct scn_tally *tally, char *name, size_t size) {
    if (tally->identity.settings[0] != '\0')
        snprintf(name, size, "%.60s[%.90s]", tally->identity.name, tally->identity.settings);
    else if (tally->identity.cell_count > 1)
        snprintf(name, size, "%.100s[%u]", tally->identity.name, tally->identity.cell);
    else
        snprintf(name, size, "%s", tally->identity.name);
}

static void add_case(struct scn_tally *tally, struct scn_results *results) {
    struct scn_junit_case one = {.verdict = scn_tally_worst(tally)};
    char text[2 * SCN_TALLY_TEXT_BYTES];
    size_t at = 0, used = 0;

    case_name(tally, one.name, sizeof(one.name));
    if (tally->until_count > 0)
        snprintf(one.note, sizeof(one.note),
                 "%llu run%s stopped where --until says; faults, steps and expectations were not "
                 "judged",
                 wide(tally->until_count), scn_plural(tally->until_count));
    if (tally->failed_count > 0)
        used = (size_t)snprintf(one.text, sizeof(one.text),
                                "%llu of %llu run%s failed (%zu distinct)\n",
                                wide(tally->failed_count), wide(tally->run_count),
                                scn_plural(tally->run_count), tally->distinct_count);
    while (scn_tally_unmet(tally, &at, text, sizeof(text)) &&
           used + strlen(text) + 2 < sizeof(one.text))
        used += (size_t)snprintf(one.text + used, sizeof(one.text) - used, "%s\n", text);
    if (one.verdict == SIM_VERDICT_INTERRUPTED)
        snprintf(one.text, sizeof(one.text), "interrupted after %llu run%s", wide(tally->run_count),
                 scn_plural(tally->run_count));
    scn_results_add(results, &one);
}

static void add_failure(const struct scn_tally *tally, const struct scn_distinct *distinct,
                        struct scn_results *results) {
    struct scn_junit_case one = {.verdict = distinct->verdict, .is_skipped = distinct->is_known};
    char name[192];

    case_name(tally, name, sizeof(name));
    snprintf(one.name, sizeof(one.name), "%.160s %016llx", name, wide(distinct->signature));
    snprintf(one.text, sizeof(one.text), "%s%s\n%llu of %llu run%s, first run %llu (seed %llu)%s%s",
             distinct->is_known ? "known: " : "", distinct->sentence, wide(distinct->run_count),
             wide(tally->run_count), scn_plural(tally->run_count), wide(distinct->first_index),
             wide(distinct->first_seed), distinct->file[0] != '\0' ? "\nndksim replay " : "",
             distinct->file);
    scn_not_loaded_list_add(distinct->not_loaded, one.text, sizeof(one.text));
    scn_results_add(results, &one);
}

void scn_tally_report(struct scn_tally *tally, const struct scn_tally_said *said,
                      struct scn_results *results) {
    if (said->options->json) {
        fputs(scn_results_json_next(results), stdout);
        print_json(tally);
    } else {
        print(tally, said);
    }
    add_case(tally, results);
    for (size_t i = 0; i < tally->distinct_count; i++)
        add_failure(tally, &tally->distinct[i], results);
}
