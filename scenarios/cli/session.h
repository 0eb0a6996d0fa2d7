/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What run, fuzz and replay share: from options to a scenario, a machine and the files that watch a
 * run. A session belongs to one cell of one scenario.
 */
#ifndef SCN_CLI_SESSION_H
#define SCN_CLI_SESSION_H

#include <net/capture.h>
#include <sim/trace.h>
#include <stdio.h>

#include "cli/log.h"
#include "cli/options.h"
#include "report/report.h"
#include "run/coverage.h"
#include "run/machine.h"

#define SCN_SUFFIX_BYTES 128u

/* One file of --pcap. */
struct scn_capture {
    const char *file; /* as given */
    struct net_capture *capture;
    int error; /* errno of opening it */
};

/* What drivers said while the machine was built: kept once, shown with every run. */
struct scn_prelude {
    struct sim_sink sink;
    struct scn_log log; /* writes to logged */
    FILE *show;         /* writes to shown */
    char *logged;
    char *shown;
    size_t logged_bytes;
    size_t shown_bytes;
};

struct scn_session {
    const struct scn_options *options;
    struct scn_scenario *scenario;
    struct scn_machine *machine;
    struct sim_sink sink;
    const char *suffix; /* of the names of all files; the caller's */
    struct scn_log log;
    struct scn_prelude prelude; /* lines of drivers that started before the run */
    FILE *trace;
    struct scn_capture *captures;
    uint32_t capture_count;
    char capture_comment[512];
    struct scn_coverage_map *coverage; /* NULL: not wanted */
    uint64_t *coverage_bits;           /* of each run */
    bool shows_text;                   /* the drivers' lines go to standard output */
    void (*on_begin)(void *context);   /* of the run's options */
    void *begin_context;
    struct scn_chronicle *chronicle; /* for the story of a failure; NULL: none is kept */
    struct scn_telling telling;      /* filled by scn_session_tell */
    bool has_no_record;              /* --record could not be written */
};

/* Installs containment, watchdog and signals for this process. Once. */
void scn_session_host(void);
/* In a forked process: the same without signals, which are its parent's. */
void scn_session_contain(void);

/*
 * Builds the machine of a loaded scenario, applies --rule, checks --pcap. Takes the scenario. False
 * after an error that has been printed.
 */
bool scn_session_open(struct scn_session *session, const struct scn_options *options,
                      struct scn_scenario *scenario);
/* The same, and leaves it to the caller to print what is wrong. */
bool scn_session_build(struct scn_session *session, const struct scn_options *options,
                       struct scn_scenario *scenario, struct scn_diagnostics *diagnostics);
void scn_session_close(struct scn_session *session);

/*
 * Each run of a command that has several writes files of its own: "-NAME" by the operand, when
 * there are several, and "-3" by the cell of a matrix stand before the extension. Both return their
 * buffer.
 */
const char *scn_suffix(const struct scn_options *options, uint32_t operand, uint32_t cell,
                       uint32_t cell_count, char *suffix, size_t size);
const char *scn_suffixed(const char *file, const char *suffix, char *path, size_t size);

/* Whether any of --log, --trace, --pcap, --ports was given. */
bool scn_session_has_files(const struct scn_options *options);
/* Opens --log, --trace and --pcap for one run. `suffix` and `shows_text`: as in the session. */
bool scn_session_watch(struct scn_session *session, uint64_t seed, const char *suffix,
                       bool shows_text);
/* Closes them, writes --ports; false after an error that has been printed (a full disk). */
bool scn_session_unwatch(struct scn_session *session);
/* Captures begin after the world's reset; the log and what is shown begin with the prelude. */
void scn_session_begin_files(struct scn_session *session);
/* Around the building of the machine. The end may come without a begin, and twice. */
void scn_session_prelude_begin(struct scn_session *session, struct sim_world *world);
void scn_session_prelude_end(struct scn_session *session);
/* Into the log and to standard output, as far as they are wanted. */
void scn_session_prelude_show(struct scn_session *session);
void scn_session_prelude_free(struct scn_session *session);
/* What must see the run's records and lines, NULL when nothing must. */
struct sim_sink *scn_session_sink(struct scn_session *session);

/* Runs once, with sink and log expectations in place. */
void scn_session_run(struct scn_session *session, const struct scn_run_options *options,
                     struct scn_outcome *outcome);

/* The next runs keep what their stories need: a chronicle of so many records. */
void scn_session_remember(struct scn_session *session, uint32_t room);
/*
 * After a run: its decisions in words, for reports. `others` (may be NULL): how runs without each
 * of them end, by decision. Valid until the next run or the session's end.
 */
const struct scn_telling *scn_session_tell(struct scn_session *session, const char *const *others);

/* The chooser of exploring runs, as the scenario wants it. */
struct sim_chooser *scn_session_random(const struct scn_scenario *scenario);

/* Prints collected input errors to stderr. */
void scn_print_diagnostics(const struct scn_diagnostics *diagnostics);
/* The first line of what was printed last. */
const char *scn_first_diagnostic(void);

#endif
