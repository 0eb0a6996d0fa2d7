/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sums of a campaign. Results come in the order of run numbers, so that what is found does not
 * depend on the number of jobs. A worker writes the record of a failing run before it reports it;
 * here the first of each distinct failure is kept under its final name, the others are dropped.
 */
#include "cli/campaign.h"

#include <errno.h>
#include <sim/host.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/script.h"

#define SET_FIRST 4096u
#define CHECK_STEPS_DEFAULT 4096u

static bool set_add(struct scn_hash_set *set, uint64_t hash) {
    size_t at;

    if (set->count * 2 >= set->capacity) {
        struct scn_hash_set bigger = {.capacity =
                                          set->capacity > 0 ? set->capacity * 2 : SET_FIRST};

        bigger.slots = calloc(bigger.capacity, sizeof(*bigger.slots));
        SIM_ASSERT(bigger.slots != NULL);
        for (size_t i = 0; i < set->capacity; i++)
            if (set->slots[i] != 0)
                set_add(&bigger, set->slots[i]);
        free(set->slots);
        *set = bigger;
    }
    if (hash == 0)
        hash = 1;
    for (at = hash & (set->capacity - 1); set->slots[at] != 0; at = (at + 1) & (set->capacity - 1))
        if (set->slots[at] == hash)
            return false;
    set->slots[at] = hash;
    set->count++;
    return true;
}

/* The worker's side. */

void scn_campaign_candidate(const struct scn_campaign *campaign, uint64_t index, char *path,
                            size_t size) {
    snprintf(path, size, "%s/.%s-%ld-%llu.candidate", campaign->out_dir, campaign->scenario->name,
             campaign->owner, (unsigned long long)index);
}

bool scn_campaign_prepare(struct scn_campaign *campaign) {
    static struct scn_diagnostics diagnostics;
    struct scn_scenario *scenario;

    scn_session_host();
    scn_diagnostics_init(&diagnostics);
    scenario = scn_scenario_load(campaign->file, campaign->options->sets,
                                 campaign->options->set_count, campaign->cell, NULL, &diagnostics);
    SIM_ASSERT(scenario != NULL); /* the parent has loaded it already */
    if (!scn_session_open(&campaign->session, campaign->options, scenario))
        return false;
    campaign->chooser = scn_session_random(scenario);
    return true;
}

struct scn_run_options scn_campaign_run_options(const struct scn_campaign *campaign,
                                                uint64_t index) {
    return (struct scn_run_options){
        .seed = campaign->seed + index,
        .chooser = campaign->chooser,
        .until_ns = campaign->options->until_ns,
        .check_steps = campaign->options->check_steps != 0 ? campaign->options->check_steps
                                                           : CHECK_STEPS_DEFAULT,
        .is_exploring = true,
        .keep_going = campaign->options->keep_going,
        .special_pool = campaign->options->special_pool,
    };
}

/* The parent's side. */

static struct scn_distinct *distinct_of(struct scn_campaign *campaign, uint64_t signature) {
    for (size_t i = 0; i < campaign->distinct_count; i++)
        if (campaign->distinct[i].signature == signature)
            return &campaign->distinct[i];
    return NULL;
}

static void drop_candidate(const struct scn_campaign *campaign, uint64_t index) {
    char path[1024];

    scn_campaign_candidate(campaign, index, path, sizeof(path));
    unlink(path);
}

/* Keeps the candidate of the first run of a failure under its final name. */
static void keep_candidate(struct scn_campaign *campaign, uint64_t index,
                           struct scn_distinct *distinct, int record_error) {
    char path[1024];

    scn_campaign_candidate(campaign, index, path, sizeof(path));
    snprintf(distinct->file, sizeof(distinct->file), "%.300s/%.100s-%016llx.ndkrun",
             campaign->out_dir, campaign->scenario->name, (unsigned long long)distinct->signature);
    if (record_error == 0 && rename(path, distinct->file) != 0)
        record_error = errno;
    if (record_error == 0)
        return;
    fprintf(stderr, "ndksim: %s: the failing run %llu could not be kept: %s; seed %llu finds it\n",
            distinct->file, (unsigned long long)index, strerror(record_error),
            (unsigned long long)(campaign->seed + index));
    campaign->record_failed = true;
    distinct->file[0] = '\0';
}

static struct scn_distinct *note_failure(struct scn_campaign *campaign, uint64_t index,
                                         enum sim_verdict verdict, uint64_t signature,
                                         const char *sentence) {
    struct scn_distinct *distinct = distinct_of(campaign, signature);

    campaign->failed_count++;
    if (distinct != NULL || campaign->distinct_count == SCN_CAMPAIGN_DISTINCT_MAX) {
        if (distinct != NULL)
            distinct->count++;
        drop_candidate(campaign, index);
        return NULL;
    }
    distinct = &campaign->distinct[campaign->distinct_count++];
    distinct->signature = signature;
    distinct->first_index = index;
    distinct->count = 1;
    distinct->verdict = verdict;
    snprintf(distinct->sentence, sizeof(distinct->sentence), "%s", sentence);
    return distinct;
}

/* A worker died with a run: its death is the failure, its seed the way to see it again. */
void scn_campaign_take_death(struct scn_campaign *campaign, uint64_t index, const char *death) {
    struct scn_distinct *distinct;
    char sentence[256];

    campaign->done_count++;
    snprintf(sentence, sizeof(sentence), "the process died: %s (run it with --seed %llu)", death,
             (unsigned long long)(campaign->seed + index));
    fprintf(stderr, "ndksim: run %llu: %s\n%s", (unsigned long long)index, sentence,
            sim_host_worker_records());
    drop_candidate(campaign, index);
    distinct = note_failure(campaign, index, SIM_VERDICT_INTERNAL, sim_hash_text(death), sentence);
    if (distinct != NULL)
        distinct->is_death = true;
}

static void add_bits(uint64_t *counts, size_t count, const uint64_t *bits) {
    for (size_t i = 0; i < count; i++)
        counts[i] += bits[i / 64] >> (i % 64) & 1;
}

void scn_campaign_take(struct scn_campaign *campaign, uint64_t index,
                       const struct scn_fuzz_result *result) {
    struct scn_distinct *distinct;

    campaign->done_count++;
    set_add(&campaign->orders, result->order_hash);
    campaign->deviation_total += result->deviation_count;
    campaign->event_total += result->event_count;
    campaign->until_count += result->until_reached;
    scn_coverage_add(&campaign->coverage, &result->coverage);
    add_bits(campaign->fired, SIM_ARRAY_COUNT(campaign->fired), result->fired);
    add_bits(campaign->begun, SIM_ARRAY_COUNT(campaign->begun), result->begun);
    add_bits(campaign->expected, SIM_ARRAY_COUNT(campaign->expected), &result->expected);
    if (result->verdict == SIM_VERDICT_HELD)
        return;
    distinct = note_failure(campaign, index, (enum sim_verdict)result->verdict, result->signature,
                            result->sentence);
    if (distinct != NULL)
        keep_candidate(campaign, index, distinct, result->record_error);
}

void scn_campaign_free(struct scn_campaign *campaign) {
    scn_scenario_free(campaign->scenario);
    free(campaign->orders.slots);
    free(campaign);
}

/* Verdicts. */

uint32_t scn_campaign_weight(enum sim_verdict verdict) {
    static const enum sim_verdict order[] = {SIM_VERDICT_HELD,     SIM_VERDICT_EXPECTATION,
                                             SIM_VERDICT_STUCK,    SIM_VERDICT_RULE,
                                             SIM_VERDICT_BUGCHECK, SIM_VERDICT_INTERNAL};

    for (uint32_t i = 0; i < SIM_ARRAY_COUNT(order); i++)
        if (order[i] == verdict)
            return i;
    return SIM_ARRAY_COUNT(order);
}

static bool is_fault_unmet(const struct scn_campaign *campaign, uint32_t index, char *text,
                           size_t size) {
    const struct scn_fault *fault = &campaign->scenario->faults[index];

    if (index >= SCN_CAMPAIGN_PLAN_MAX || fault->free_ppm != 0 || campaign->fired[index] > 0)
        return false;
    snprintf(text, size, "%s: the fault \"%s\" never fired in %llu runs", fault->place,
             fault->point, (unsigned long long)campaign->done_count);
    return true;
}

static bool is_step_unmet(const struct scn_campaign *campaign, uint32_t index, char *text,
                          size_t size) {
    if (index >= SCN_CAMPAIGN_STEP_MAX || campaign->begun[index] > 0)
        return false;
    scn_step_never_began(campaign->scenario, index, text, size);
    return true;
}

static bool is_expect_unmet(const struct scn_campaign *campaign, uint32_t index, char *text,
                            size_t size) {
    const struct scn_expect *expect = &campaign->scenario->expects[index];

    if (expect->kind != SCN_EXPECT_FINDING ||
        campaign->expected[index % SCN_CAMPAIGN_EXPECT_MAX] > 0)
        return false;
    snprintf(text, size, "%s: \"%s\" was expected and not found in %llu runs", expect->place,
             expect->name, (unsigned long long)campaign->done_count);
    return true;
}

/* Plans, steps and expected findings are judged once over the whole campaign. */
bool scn_campaign_unmet(const struct scn_campaign *campaign, uint32_t *at, char *text,
                        size_t size) {
    const struct scn_scenario *scenario = campaign->scenario;
    const struct {
        uint32_t count;
        bool (*is_unmet)(const struct scn_campaign *campaign, uint32_t index, char *text,
                         size_t size);
    } parts[] = {{scenario->fault_count, is_fault_unmet},
                 {scenario->step_count, is_step_unmet},
                 {scenario->expect_count, is_expect_unmet}};
    uint32_t first = 0;

    if (sim_host_interrupted() || campaign->until_count > 0)
        return false;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(parts); i++) {
        for (; *at < first + parts[i].count; ++*at) {
            if (parts[i].is_unmet(campaign, *at - first, text, size)) {
                ++*at;
                return true;
            }
        }
        first += parts[i].count;
    }
    return false;
}

enum sim_verdict scn_campaign_worst(const struct scn_campaign *campaign) {
    enum sim_verdict worst = SIM_VERDICT_HELD;
    char text[512];
    uint32_t at = 0;

    for (size_t i = 0; i < campaign->distinct_count; i++)
        if (scn_campaign_weight(campaign->distinct[i].verdict) > scn_campaign_weight(worst))
            worst = campaign->distinct[i].verdict;
    if (worst == SIM_VERDICT_HELD && scn_campaign_unmet(campaign, &at, text, sizeof(text)))
        worst = SIM_VERDICT_EXPECTATION;
    if (worst == SIM_VERDICT_HELD && sim_host_interrupted())
        worst = SIM_VERDICT_INTERRUPTED;
    return worst;
}
