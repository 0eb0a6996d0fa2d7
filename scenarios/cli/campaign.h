/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A campaign of `ndksim fuzz`: many runs of one cell of one scenario, each with its own seed.
 *
 *   cmd_fuzz.c         workers, and the parent that hands out and takes back
 *   campaign.c         what the parent adds up; which failures are distinct; what is kept of them
 *   campaign_report.c  what it says: text, JSON, JUnit
 *   campaign_watch.c   the first run that failed, once more, for --log, --trace, --pcap, --ports
 */
#ifndef SCN_CLI_CAMPAIGN_H
#define SCN_CLI_CAMPAIGN_H

#include "cli/results.h"
#include "cli/session.h"

#define SCN_CAMPAIGN_DISTINCT_MAX 256u
#define SCN_CAMPAIGN_PLAN_MAX 256u
#define SCN_CAMPAIGN_STEP_MAX 1024u
#define SCN_CAMPAIGN_EXPECT_MAX 64u

/* What a worker reports of one run. */
struct scn_fuzz_result {
    int32_t verdict;
    uint32_t deviation_count;
    uint64_t signature;
    uint64_t order_hash;
    uint64_t time_ns;
    uint64_t event_count;
    uint64_t fired[SCN_CAMPAIGN_PLAN_MAX / 64]; /* plans that fired */
    uint64_t begun[SCN_CAMPAIGN_STEP_MAX / 64]; /* steps that began */
    uint64_t expected;                          /* expected findings that came, by index */
    struct scn_coverage coverage;               /* with --coverage */
    int32_t record_error;                       /* errno of writing the record */
    bool until_reached;
    char sentence[256];
};

struct scn_distinct {
    uint64_t signature;
    uint64_t first_index;
    uint64_t count;
    enum sim_verdict verdict;
    bool is_death; /* the worker died with the run */
    char sentence[256];
    char file[512]; /* its record; "" when there is none */
};

/* Open addressing over 64-bit hashes; grows by doubling. */
struct scn_hash_set {
    uint64_t *slots;
    size_t capacity;
    size_t count;
};

struct scn_campaign {
    const struct scn_options *options;
    const char *file;
    uint32_t cell;
    uint32_t cell_count;
    struct scn_scenario *scenario; /* the parent's own copy, for names and expectations */
    struct scn_session session;    /* the worker's */
    struct sim_chooser *chooser;   /* the worker's */
    char suffix[SCN_SUFFIX_BYTES]; /* of its files */
    uint64_t seed;
    uint64_t run_count;
    uint64_t stop_wall_ns; /* 0: none */
    const char *out_dir;
    long owner; /* the parent's process id: campaigns may share a folder */
    /* The parent's sums. */
    struct scn_hash_set orders;
    uint64_t deviation_total;
    uint64_t event_total;
    uint64_t done_count;
    uint64_t failed_count;
    uint64_t until_count; /* ended by --until: then the campaign is asked for nothing */
    uint64_t fired[SCN_CAMPAIGN_PLAN_MAX]; /* in how many runs */
    uint64_t begun[SCN_CAMPAIGN_STEP_MAX];
    uint64_t expected[SCN_CAMPAIGN_EXPECT_MAX];
    struct scn_coverage_sum coverage;
    struct scn_distinct distinct[SCN_CAMPAIGN_DISTINCT_MAX];
    size_t distinct_count;
    uint64_t start_wall_ns;
    bool is_terminal;
    bool record_failed;
    bool has_differed; /* a run, done again, was another one */
};

/* The worker's side: the machine and the chooser of its runs; what one run is asked for. */
bool scn_campaign_prepare(struct scn_campaign *campaign);
struct scn_run_options scn_campaign_run_options(const struct scn_campaign *campaign,
                                                uint64_t index);
/* Where a worker leaves the record of a failing run. */
void scn_campaign_candidate(const struct scn_campaign *campaign, uint64_t index, char *path,
                            size_t size);

/* The parent's side, in the order of indexes. A result, or a worker that died with its run. */
void scn_campaign_take(struct scn_campaign *campaign, uint64_t index,
                       const struct scn_fuzz_result *result);
void scn_campaign_take_death(struct scn_campaign *campaign, uint64_t index, const char *death);
void scn_campaign_free(struct scn_campaign *campaign);

/*
 * What the whole campaign was to show and did not: number `*at` and on. False when there is no
 * more; else `text` says it and `*at` is the next number.
 */
bool scn_campaign_unmet(const struct scn_campaign *campaign, uint32_t *at, char *text, size_t size);
/* 134, 6, 3, 4, 1 and what is left undone. */
enum sim_verdict scn_campaign_worst(const struct scn_campaign *campaign);
/* Larger: worse. */
uint32_t scn_campaign_weight(enum sim_verdict verdict);

/* Prints it as text or JSON, and adds its cases. */
void scn_campaign_report(const struct scn_campaign *campaign, struct scn_results *results);

/*
 * Runs the first failing run again with the files of --log, --trace, --pcap, --ports open; says so,
 * or that there is none and so no file. False after an error, which has been printed.
 */
bool scn_campaign_watch(struct scn_campaign *campaign);

#endif
