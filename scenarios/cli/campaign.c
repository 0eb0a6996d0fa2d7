/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parent's side of a campaign. Results come in the order of run numbers. A worker writes the
 * record of a failing run before it reports it; here the first of each distinct failure is kept
 * under its final name, the others are dropped.
 */
#include "cli/campaign.h"

#include <dirent.h>
#include <errno.h>
#include <sim/host.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parse/complain.h"
#include "parse/tidy_path.h"
#include "report/file.h"
#include "report/plural.h"

#define CHECK_STEPS_DEFAULT 4096u

static unsigned long long wide(uint64_t value) {
    return value;
}

/* ---- Both sides ---- */

uint64_t scn_campaign_seed(const struct scn_campaign *campaign, uint64_t index) {
    const struct scn_part *part = &campaign->tally.parts[0];

    return part->has_one_seed ? part->seed
                              : part->seed + index * part->shard_count + part->shard - 1;
}

struct scn_run_options scn_campaign_run_options(const struct scn_campaign *campaign,
                                                uint64_t index) {
    return (struct scn_run_options){
        .seed = scn_campaign_seed(campaign, index),
        .until_ns = campaign->options->until_ns,
        .check_steps = campaign->options->check_steps != 0 ? campaign->options->check_steps
                                                           : CHECK_STEPS_DEFAULT,
        .is_exploring = true,
        .keep_going = campaign->options->keep_going,
        .special_pool = campaign->options->special_pool,
    };
}

/* ".NAME-PROCESS-", the beginning of its candidates' names. */
static void candidate_prefix(const struct scn_campaign *campaign, char *prefix, size_t size) {
    char name[128];

    snprintf(prefix, size, ".%s-%ld-",
             scn_file_name(campaign->tally.identity.name, name, sizeof(name)), campaign->owner);
}

const char *scn_campaign_candidate(const struct scn_campaign *campaign, uint64_t index, char *path,
                                   size_t size) {
    char prefix[192];

    candidate_prefix(campaign, prefix, sizeof(prefix));
    snprintf(path, size, "%s/%s%llu.candidate", campaign->out_dir, prefix, wide(index));
    return path;
}

/* ---- Failures ---- */

/* Keeps the candidate of the first run of a failure under its final name. */
static void keep_candidate(struct scn_campaign *campaign, uint64_t index,
                           struct scn_distinct *distinct, int record_error) {
    const struct scn_identity *identity = &campaign->tally.identity;
    char path[SCN_PATH_BYTES], name[128], cell[16] = "";

    scn_campaign_candidate(campaign, index, path, sizeof(path));
    if (identity->cell_count > 1)
        snprintf(cell, sizeof(cell), "-%u", identity->cell);
    snprintf(distinct->file, sizeof(distinct->file), "%.300s/%s%s-%016llx.ndkrun",
             campaign->out_dir, scn_file_name(identity->name, name, sizeof(name)), cell,
             wide(distinct->signature));
    scn_path_tidy(distinct->file, sizeof(distinct->file));
    if (distinct->is_known && access(distinct->file, F_OK) == 0) {
        unlink(path); /* --known is this folder: what an earlier campaign kept there stays */
        return;
    }
    if (record_error == 0 && rename(path, distinct->file) != 0)
        record_error = errno;
    if (record_error == 0)
        return;
    scn_complain("%s: the failing run %llu (seed %llu) could not be kept: %s", distinct->file,
                 wide(index), wide(distinct->first_seed), strerror(record_error));
    campaign->record_failed = true;
    distinct->file[0] = '\0';
}

static void drop_candidate(const struct scn_campaign *campaign, uint64_t index) {
    char path[SCN_PATH_BYTES];

    unlink(scn_campaign_candidate(campaign, index, path, sizeof(path)));
}

/* The failure's entry when it is a new one, else NULL. */
static struct scn_distinct *note_failure(struct scn_campaign *campaign, uint64_t index,
                                         enum sim_verdict verdict, uint64_t signature,
                                         const char *sentence) {
    struct scn_tally *tally = &campaign->tally;
    struct scn_distinct *distinct = scn_tally_find(tally, signature);
    struct scn_distinct one = {.signature = signature,
                               .first_index = index,
                               .first_seed = scn_campaign_seed(campaign, index),
                               .verdict = verdict,
                               .is_known = scn_known_find(campaign->known, signature) != NULL};
    bool is_new = distinct == NULL;

    snprintf(one.sentence, sizeof(one.sentence), "%.255s", sentence);
    if (is_new)
        distinct = scn_tally_add_distinct(tally, &one);
    distinct->run_count++;
    if (distinct->is_known)
        tally->known_count++;
    else
        tally->failed_count++;
    return is_new ? distinct : NULL;
}

/* The first failure that is news is done once more, for the files that watch it. */
static void watch_first(struct scn_campaign *campaign, const struct scn_distinct *distinct) {
    for (size_t i = 0; i < campaign->tally.distinct_count; i++)
        if (&campaign->tally.distinct[i] != distinct && !campaign->tally.distinct[i].is_known)
            return;
    if (!distinct->is_known && scn_session_has_files(campaign->options) &&
        !scn_campaign_watch(campaign, distinct))
        campaign->watch_failed = true;
}

/* A worker died with a run: its death is the failure, its number the way to see it again. */
void scn_campaign_take_death(struct scn_campaign *campaign, uint64_t index, const char *death) {
    struct scn_distinct *distinct;
    char sentence[256];

    campaign->tally.run_count++;
    snprintf(sentence, sizeof(sentence), "the process died: %s", death);
    fprintf(stderr, "ndksim: run %llu (seed %llu): %s\n%s", wide(index),
            wide(scn_campaign_seed(campaign, index)), sentence, sim_host_worker_records());
    distinct = note_failure(campaign, index, SIM_VERDICT_INTERNAL, sim_hash_text(death), sentence);
    if (distinct == NULL)
        return;
    distinct->is_death = true;
    watch_first(campaign, distinct);
}

/* ---- Sums ---- */

static void add_demands(struct scn_tally *tally, const uint64_t *bits) {
    for (size_t i = 0; i < tally->demand_count; i++)
        tally->demands[i].run_count += bits[i / 64] >> (i % 64) & 1;
}

static void add_coverage(struct scn_campaign *campaign, const uint64_t *bits) {
    for (size_t i = 0; i < campaign->coverage_words; i++)
        for (uint64_t word = bits[i]; word != 0; word &= word - 1)
            campaign->covered[i * 64 + (size_t)__builtin_ctzll(word)]++;
    campaign->tally.covered_count += campaign->coverage_words > 0;
}

void scn_campaign_take(struct scn_campaign *campaign, uint64_t index,
                       const struct scn_fuzz_result *result) {
    const uint64_t *coverage = result->words + campaign->met_words;
    struct scn_tally *tally = &campaign->tally;
    struct scn_distinct *distinct;

    tally->run_count++;
    tally->deviation_total += result->deviation_count;
    tally->event_total += result->event_count;
    tally->until_count += result->until_reached;
    scn_orders_add(&tally->orders, result->order_hash);
    add_demands(tally, result->words);
    add_coverage(campaign, coverage);
    sim_explorer_learn(campaign->explorer, coverage + campaign->coverage_words, result->note_bytes);
    if (result->verdict == SIM_VERDICT_HELD)
        return;
    distinct = note_failure(campaign, index, (enum sim_verdict)result->verdict, result->signature,
                            result->sentence);
    if (distinct != NULL) {
        snprintf(distinct->not_loaded, sizeof(distinct->not_loaded), "%s", result->not_loaded);
        keep_candidate(campaign, index, distinct, result->record_error);
        watch_first(campaign, distinct);
    } else if (result->has_record) {
        drop_candidate(campaign, index);
    }
}

/* ---- The end ---- */

/* Of runs behind the one that a time limit ended it with, and of workers that were killed. */
static void drop_candidates(const struct scn_campaign *campaign) {
    DIR *directory = opendir(campaign->out_dir);
    char prefix[192], path[SCN_PATH_BYTES];
    const struct dirent *entry;

    candidate_prefix(campaign, prefix, sizeof(prefix));
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        snprintf(path, sizeof(path), "%s/%s", campaign->out_dir, entry->d_name);
        unlink(path);
    }
    if (directory != NULL)
        closedir(directory);
}

static void make_points(struct scn_campaign *campaign) {
    const struct scn_coverage_map *map = campaign->coverage;

    for (uint32_t i = 0; map != NULL && i < scn_coverage_point_count(map); i++) {
        struct scn_point one = {.run_count = campaign->covered[i]};

        one.group = scn_coverage_name(map, i, one.name, sizeof(one.name));
        if (one.name[0] != '\0' && (one.run_count > 0 || !scn_coverage_is_open(map, i)))
            scn_tally_add_point(&campaign->tally, &one);
    }
}

/* The last round, where the runs end with it: nobody else has ended it. */
static void end_round(struct scn_campaign *campaign) {
    uint64_t first, count = sim_explorer_round(campaign->explorer, &first);
    const void *lesson;

    if (campaign->tally.run_count == first + count)
        sim_explorer_round_end(campaign->explorer, &lesson);
}

/* An exhaustive strategy that has not tried all says so: nobody is to take its runs for all. */
static void say_ending(struct scn_campaign *campaign) {
    struct scn_tally *tally = &campaign->tally;
    char scope[96];

    if (!sim_explorer_is_exhaustive(campaign->explorer))
        return;
    end_round(campaign);
    sim_explorer_scope(campaign->explorer, scope, sizeof(scope));
    if (sim_explorer_is_complete(campaign->explorer))
        snprintf(tally->ending, sizeof(tally->ending), "complete %s", scope);
    else if (sim_explorer_is_done(campaign->explorer))
        snprintf(tally->ending, sizeof(tally->ending),
                 "not complete %s: what follows some of the runs is not known", scope);
    else
        snprintf(tally->ending, sizeof(tally->ending), "cut short at %llu run%s%s, not complete %s",
                 wide(tally->run_count), scn_plural(tally->run_count),
                 campaign->has_own_count && tally->run_count == campaign->run_count
                     ? ", which the scenario asks for (--runs N: more)"
                     : "",
                 scope);
}

void scn_campaign_settle(struct scn_campaign *campaign) {
    drop_candidates(campaign);
    say_ending(campaign);
    make_points(campaign);
    campaign->tally.parts[0].run_count = campaign->tally.run_count;
    scn_tally_settle(&campaign->tally);
    sim_explorer_claim(campaign->explorer, campaign->tally.claim, sizeof(campaign->tally.claim));
}

void scn_campaign_free(struct scn_campaign *campaign) {
    sim_explorer_destroy(campaign->explorer);
    scn_coverage_map_free(campaign->coverage);
    scn_tally_free(&campaign->tally);
    scn_session_close(&campaign->session);
    free(campaign->covered);
    free(campaign->recorded.entries);
    free(campaign);
}
