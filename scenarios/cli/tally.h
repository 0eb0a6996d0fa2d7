/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a campaign has come to, as sums that add up over campaigns: `fuzz` fills one, writes it into
 * its folder and reports it; `merge` reads many, adds them and reports the sum with the same words.
 *
 *   tally.c         filling, adding, judging
 *   tally_file.c    the campaign file
 *   tally_report.c  text, JSON, JUnit
 *   coverage.c      --coverage, --coverage-report
 */
#ifndef SCN_CLI_TALLY_H
#define SCN_CLI_TALLY_H

#include "report/not_loaded.h"
#include "report/orders.h"
#include "cli/results.h"
#include "run/coverage.h"
#include "run/machine.h"

#define SCN_TALLY_TEXT_BYTES 512u

/* One thing that the campaign as a whole is to show: a plan, a step, an expected finding. */
struct scn_demand {
    char missing[SCN_TALLY_TEXT_BYTES]; /* "a.json:3:4: the fault \"link.drop\" never fired" */
    char about[SCN_TALLY_TEXT_BYTES];   /* "fault    a.json:3:4: link.drop fired" */
    bool is_wanted;                     /* else it is only counted */
    uint64_t run_count;                 /* that showed it */
};

/* Runs with consecutive indexes first, first + step, ...; each has a seed of its own. */
struct scn_part {
    uint64_t seed; /* of the campaign */
    uint32_t shard;
    uint32_t shard_count;
    uint64_t run_count;
    bool has_one_seed; /* all runs have it: an exhaustive strategy */
};

struct scn_distinct {
    uint64_t signature;
    uint64_t first_index;
    uint64_t first_seed; /* of that run */
    uint64_t run_count;
    enum sim_verdict verdict;
    bool is_death; /* the worker died with the run */
    bool is_known; /* --known holds it */
    char sentence[256];
    char not_loaded[SCN_NOT_LOADED_BYTES]; /* scn_not_loaded_list of the first run */
    char file[SCN_TALLY_TEXT_BYTES];       /* its record; "" when there is none */
};

/* A point of coverage. */
struct scn_point {
    const char *group; /* static */
    char name[SCN_COVERAGE_NAME_BYTES];
    uint64_t run_count; /* that saw it */
};

/* What must be equal for two campaigns to be added up. */
struct scn_identity {
    char name[128];
    char file[SCN_TALLY_TEXT_BYTES]; /* the scenario's; not compared */
    uint32_t cell;
    uint32_t cell_count;
    char settings[256]; /* of the cell, "1: nodes.client.cpus=2"; not compared; "" when not known */
    uint64_t scenario;  /* hash of what the scenario says, changes included */
    char modules[1024];
    char options[1024];
    char strategy[128];
};

struct scn_tally {
    struct scn_identity identity;
    struct scn_part *parts;
    size_t part_count;
    struct scn_demand *demands;
    size_t demand_count;
    struct scn_distinct *distinct; /* in order of their first runs */
    size_t distinct_count;
    struct scn_orders orders;
    struct scn_point *points; /* those with a name; of orders those that were seen */
    size_t point_count;
    uint64_t covered_count; /* runs whose points were counted; 0: nobody asked */
    uint64_t run_count;
    uint64_t failed_count; /* runs; those of known failures are not among them */
    uint64_t known_count;
    uint64_t until_count; /* ended by --until: then the campaign is asked for nothing */
    uint64_t deviation_total;
    uint64_t event_total;
    char claim[256];  /* what an exhaustive strategy has proved; "" */
    char ending[256]; /* whether it has tried all, with failures too; "" of other strategies */
    bool was_interrupted;
    bool is_whole; /* all shards are there: it is asked for what the whole is to show */
};

/* Fills identity (but for options and strategy) and demands. */
void scn_tally_init(struct scn_tally *tally, const struct scn_machine *machine, uint32_t cell,
                    uint32_t cell_count);
void scn_tally_free(struct scn_tally *tally);
/* Which group this is, as the static text that points have; NULL: none. */
const char *scn_point_group(const char *name);

struct scn_distinct *scn_tally_find(const struct scn_tally *tally, uint64_t signature);
/* A new one at the end. */
struct scn_distinct *scn_tally_add_distinct(struct scn_tally *tally,
                                            const struct scn_distinct *distinct);
struct scn_part *scn_tally_add_part(struct scn_tally *tally, const struct scn_part *part);
void scn_tally_add_demand(struct scn_tally *tally, const struct scn_demand *demand);
void scn_tally_add_point(struct scn_tally *tally, const struct scn_point *point);
/* When all is filled in, before it is merged, written or judged. */
void scn_tally_settle(struct scn_tally *tally);

/* Why two campaigns cannot be added up; NULL when they can. Returns `text`. */
const char *scn_tally_differ(const struct scn_tally *one, const struct scn_tally *other, char *text,
                             size_t size);
/* The same for runs that both have. */
const char *scn_tally_overlap(const struct scn_tally *one, const struct scn_tally *other,
                              char *text, size_t size);
/* Adds `other` to `tally`; they can be added up. */
void scn_tally_merge(struct scn_tally *tally, const struct scn_tally *other);

/*
 * What the whole campaign was to show and did not: number `*at` and on. False when there is no
 * more; else `text` says it and `*at` is the next number.
 */
bool scn_tally_unmet(const struct scn_tally *tally, size_t *at, char *text, size_t size);
/* 134, 6, 3, 4, 1 and what is left undone; known failures do not count. */
enum sim_verdict scn_tally_worst(const struct scn_tally *tally);
/* Larger: worse. */
uint32_t scn_verdict_weight(enum sim_verdict verdict);
/* Of two exit codes: 2 before 130 before verdicts by weight. */
int scn_exit_worse(int a, int b);

/*
 * After N clean runs: at 99 % confidence, one more run fails with less than 1 in this many (0: that
 * says nothing, or there were failures, or runs are not independent).
 */
uint64_t scn_tally_bound(const struct scn_tally *tally);

/* ---- The campaign file ---- */

/* Its path in a folder; `suffix` distinguishes cells and shards. Returns `path`. */
const char *scn_tally_path(const struct scn_tally *tally, const char *folder, char *path,
                           size_t size);
/* A scenario's name as a part of file names. Returns `name`. */
const char *scn_file_name(const char *scenario, char *name, size_t size);
/* Writes it with its orders. False after an error, which has been printed. */
bool scn_tally_write(struct scn_tally *tally, const char *folder);
/* NULL after an error, which has been printed. */
struct scn_tally *scn_tally_read(const char *path);

/* ---- Reports ---- */

struct scn_tally_said {
    const struct scn_options *options;
    uint64_t wall_ns;     /* 0: no speed is said */
    const char *stopped;  /* why and where before its end; NULL */
    const char *replaces; /* the file of an earlier campaign; NULL */
};
void scn_tally_report(struct scn_tally *tally, const struct scn_tally_said *said,
                      struct scn_results *results);

/* --coverage: what was seen, as JSON; --coverage-report: what was not, as text. 0 or an errno. */
int scn_coverage_write(const struct scn_tally *tally, const char *path);
void scn_coverage_report(const struct scn_tally *tally, FILE *stream);
/* "events 120 of 180, transitions 30 of 96, ..." */
const char *scn_coverage_summary(const struct scn_tally *tally, char *text, size_t size);
/* Writes the files of both options. False after an error, which has been printed. */
bool scn_coverage_files(const struct scn_tally *tally, const struct scn_options *options,
                        const char *suffix);

#endif
