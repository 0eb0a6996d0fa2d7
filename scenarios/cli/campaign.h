/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A campaign of `ndksim fuzz`: many runs of one cell of one scenario, planned by an explorer, in
 * rounds. A run is a function of (seed, index, what was learned in the rounds before), so that what
 * is found does not depend on the number of workers.
 *
 *   cmd_fuzz.c         the command: scenarios and cells, rounds, when to stop
 *   campaign_worker.c  a worker's side: one run, and what it reports
 *   campaign.c         the parent's side: what is added up, which failures are distinct, what is
 * kept campaign_watch.c   the first run that failed, once more, for --log, --trace, --pcap, --ports
 *   tally.h            the sums, and what is said of them
 */
#ifndef SCN_CLI_CAMPAIGN_H
#define SCN_CLI_CAMPAIGN_H

#include <sim/explore.h>

#include "cli/known.h"
#include "cli/session.h"
#include "cli/tally.h"

/* What a worker reports of one run; behind it the bits of demands, of coverage, and the note. */
struct scn_fuzz_result {
    int32_t verdict;
    uint32_t deviation_count;
    uint64_t signature;
    uint64_t order_hash;
    uint64_t event_count;
    int32_t record_error; /* errno of writing the record */
    bool has_record;      /* a candidate was written */
    bool until_reached;
    uint32_t note_bytes;
    char sentence[256];
    char not_loaded[SCN_NOT_LOADED_BYTES];
    uint64_t words[];
};

/* Signatures that a worker has left a record of, each with the lowest index it was for. */
struct scn_recorded {
    struct {
        uint64_t signature;
        uint64_t index;
    } * entries;
    size_t count;
};

struct scn_campaign {
    const struct scn_options *options;
    struct scn_scenario *scenario; /* the session's */
    struct sim_explorer *explorer;
    struct scn_tally tally;
    const struct scn_known *known;
    char suffix[SCN_SUFFIX_BYTES]; /* of its files */
    const char *out_dir;
    long owner;            /* the parent's process id: campaigns may share a folder */
    uint64_t run_count;    /* at most */
    bool has_own_count;    /* the scenario's, for nobody gave another one */
    uint64_t stop_wall_ns; /* 0: none */
    uint64_t start_wall_ns;
    uint64_t round;       /* number, from 1 */
    uint64_t round_first; /* index */
    bool ends_by_itself;  /* the strategy has nothing left to try */
    char stopped[512];    /* where an option or an interrupt ended it; "" */
    size_t met_words;
    size_t coverage_words; /* 0: nobody asked */
    struct scn_coverage_map *coverage;
    uint64_t *covered; /* by point of the map: runs that saw it */
    bool is_terminal;
    bool record_failed;
    bool has_differed; /* a run, done again, was another one */
    bool watch_failed;
    bool has_no_focus;            /* --focus names nothing that there is */
    bool has_no_reader;           /* of standard output, any more */
    struct scn_session session;   /* the machine; each process runs its own copy */
    struct scn_recorded recorded; /* the worker's */
};

/* ---- Both sides ---- */

/* The seed of run `index`. */
uint64_t scn_campaign_seed(const struct scn_campaign *campaign, uint64_t index);
struct scn_run_options scn_campaign_run_options(const struct scn_campaign *campaign,
                                                uint64_t index);
/* Where a worker leaves the record of a failing run. Returns `path`. */
const char *scn_campaign_candidate(const struct scn_campaign *campaign, uint64_t index, char *path,
                                   size_t size);

/* ---- A worker's side (campaign_worker.c) ---- */

size_t scn_campaign_result_bytes(const struct scn_campaign *campaign);
/* Plans and runs `index`; `note` (SIM_EXPLORER_NOTE_BYTES_MAX) may be NULL. Returns its bytes. */
size_t scn_campaign_run(struct scn_campaign *campaign, uint64_t index,
                        const struct scn_run_options *options, struct scn_outcome *outcome,
                        void *note);
/* As a worker: runs it, keeps its record, fills the result. */
size_t scn_campaign_work(struct scn_campaign *campaign, uint64_t index,
                         struct scn_fuzz_result *result);

/* ---- When to stop, and what to say of it (campaign_stop.c), by the parent ---- */

struct sim_workers;
bool scn_campaign_has_time_left(const struct scn_campaign *campaign);
bool scn_campaign_has_found_enough(const struct scn_campaign *campaign);
/* `option` has stopped it, and run `next` would be the next one. */
void scn_campaign_say_stopped(struct scn_campaign *campaign, const char *option, uint64_t next);
/* Whether --time is over by more than a run under way is given: see sim_workers.is_late. */
bool scn_campaign_is_late(void *context);
/* With the run that was under way, where it had taken long. */
void scn_campaign_say_interrupted(struct scn_campaign *campaign, const struct sim_workers *workers);

/* ---- --focus (campaign_focus.c), by the parent ---- */

/* False when the runs so far have had nothing that it names; ends the round if that is so. */
bool scn_campaign_has_focus(struct scn_campaign *campaign);
/* Says so, with the names that there are. */
void scn_campaign_say_no_focus(struct scn_campaign *campaign);

/* ---- The parent's side, in the order of indexes ---- */

void scn_campaign_take(struct scn_campaign *campaign, uint64_t index,
                       const struct scn_fuzz_result *result);
void scn_campaign_take_death(struct scn_campaign *campaign, uint64_t index, const char *death);
/* At its end: removes candidates that are left, makes the points of coverage. */
void scn_campaign_settle(struct scn_campaign *campaign);
void scn_campaign_free(struct scn_campaign *campaign);

/*
 * Runs a failing run again with the files of --log, --trace, --pcap, --ports open, in the round in
 * which it failed; says so. False after an error, which has been printed.
 */
bool scn_campaign_watch(struct scn_campaign *campaign, const struct scn_distinct *distinct);
/* At the end of a campaign without failures: says that no file was written. */
void scn_campaign_watched_none(const struct scn_campaign *campaign);

#endif
