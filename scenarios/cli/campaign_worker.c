/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker's side of a campaign. It is forked from the parent, with the machine as it is before any
 * run, and all that has been learned. A record is written before its run is reported, and only
 * where the worker has none of a lower index for that signature: the parent keeps the lowest.
 */
#include <sim/fault.h>
#include <stdlib.h>
#include <string.h>

#include "cli/campaign.h"
#include "report/record.h"
#include "run/script.h"

size_t scn_campaign_result_bytes(const struct scn_campaign *campaign) {
    return sizeof(struct scn_fuzz_result) +
           (campaign->met_words + campaign->coverage_words) * sizeof(uint64_t) +
           SIM_EXPLORER_NOTE_BYTES_MAX;
}

static void watch(void *context) {
    struct scn_campaign *campaign = context;

    sim_explorer_watch(campaign->explorer, campaign->session.machine->world);
}

size_t scn_campaign_run(struct scn_campaign *campaign, uint64_t index,
                        const struct scn_run_options *options, struct scn_outcome *outcome,
                        void *note) {
    struct scn_run_options planned = *options;

    planned.chooser = sim_explorer_begin(campaign->explorer, index);
    planned.on_begin = watch;
    planned.context = campaign;
    scn_session_run(&campaign->session, &planned, outcome);
    return note != NULL
               ? sim_explorer_note(campaign->explorer, campaign->session.machine->world, note)
               : 0;
}

/* What the run has shown of the campaign's demands, in their order (tally.c). */
static void note_demands(const struct scn_campaign *campaign, const struct scn_outcome *outcome,
                         uint64_t *bits) {
    const struct scn_scenario *scenario = campaign->scenario;
    struct sim_world *world = campaign->session.machine->world;
    uint32_t at = 0;

    for (uint32_t i = 0; i < scenario->fault_count; i++, at++)
        if (i < sim_fault_plan_count(world) && sim_fault_plan_at(world, i)->fired_count > 0)
            bits[at / 64] |= UINT64_C(1) << (at % 64);
    for (uint32_t i = 0; i < scenario->step_count; i++, at++)
        if (scn_script_progress(campaign->session.machine, i) != SCN_WAITING)
            bits[at / 64] |= UINT64_C(1) << (at % 64);
    for (uint32_t i = 0; i < scenario->expect_count; i++, at++)
        if ((outcome->expected_seen >> (i % 64) & 1) != 0)
            bits[at / 64] |= UINT64_C(1) << (at % 64);
}

/* Whether this process has left no record of the signature at a lower index. */
static bool is_first(struct scn_recorded *recorded, uint64_t signature, uint64_t index) {
    size_t at = 0;

    while (at < recorded->count && recorded->entries[at].signature != signature)
        at++;
    if (at == recorded->count) {
        recorded->entries =
            realloc(recorded->entries, (recorded->count + 1) * sizeof(*recorded->entries));
        SIM_ASSERT(recorded->entries != NULL);
        recorded->entries[recorded->count++].signature = signature;
    } else if (recorded->entries[at].index < index) {
        return false;
    }
    recorded->entries[at].index = index;
    return true;
}

static void keep_record(struct scn_campaign *campaign, uint64_t index,
                        const struct scn_run_options *options, const struct scn_outcome *outcome,
                        struct scn_fuzz_result *result) {
    const struct scn_distinct *old = scn_tally_find(&campaign->tally, outcome->signature);
    char path[4096];

    if ((old != NULL && old->first_index < index) ||
        !is_first(&campaign->recorded, outcome->signature, index))
        return;
    scn_campaign_candidate(campaign, index, path, sizeof(path));
    result->has_record = true;
    result->record_error = scn_record_write(path, campaign->session.machine, options, outcome,
                                            sim_explorer_strategy(campaign->explorer));
}

size_t scn_campaign_work(struct scn_campaign *campaign, uint64_t index,
                         struct scn_fuzz_result *result) {
    const struct scn_run_options options = scn_campaign_run_options(campaign, index);
    size_t words = campaign->met_words + campaign->coverage_words;
    struct scn_outcome outcome;

    memset(result, 0, sizeof(*result) + words * sizeof(uint64_t));
    campaign->session.coverage = campaign->coverage;
    campaign->session.coverage_bits = result->words + campaign->met_words;
    result->note_bytes =
        (uint32_t)scn_campaign_run(campaign, index, &options, &outcome, result->words + words);
    result->verdict = (int32_t)outcome.verdict;
    result->signature = outcome.signature;
    result->order_hash = outcome.order_hash;
    result->deviation_count = (uint32_t)outcome.deviation_count;
    result->event_count = outcome.event_count;
    result->until_reached = outcome.until_reached;
    snprintf(result->sentence, sizeof(result->sentence), "%.255s", outcome.reason);
    if (outcome.verdict != SIM_VERDICT_HELD)
        scn_not_loaded_list(campaign->session.machine, result->not_loaded,
                            sizeof(result->not_loaded));
    note_demands(campaign, &outcome, result->words);
    if (outcome.verdict != SIM_VERDICT_HELD && outcome.verdict != SIM_VERDICT_INTERRUPTED)
        keep_record(campaign, index, &options, &outcome, result);
    return sizeof(*result) + words * sizeof(uint64_t) + result->note_bytes;
}
