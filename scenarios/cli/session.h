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

#include "cli/options.h"
#include "report/report.h"
#include "run/coverage.h"
#include "run/machine.h"

struct scn_session {
    const struct scn_options *options;
    struct scn_scenario *scenario;
    struct scn_machine *machine;
    struct sim_sink sink;
    FILE *log;
    FILE *trace;
    struct net_capture *capture;
    char capture_path[4096]; /* "" for none */
    char capture_comment[512];
    int capture_error;             /* errno of opening it */
    struct scn_coverage *coverage; /* of each run; NULL: not wanted */
    bool shows_text;               /* the drivers' lines go to standard output */
    bool is_sink_needed;
};

/* Installs containment, watchdog and signals for this process. Once. */
void scn_session_host(void);

/*
 * Builds the machine of a loaded scenario, applies --rule. Takes the scenario. False after an error
 * that has been printed.
 */
bool scn_session_open(struct scn_session *session, const struct scn_options *options,
                      struct scn_scenario *scenario);

/* Opens --log, --trace, --pcap for one run (cell or index in `suffix`, "" for none). */
bool scn_session_watch(struct scn_session *session, uint64_t seed, const char *suffix);
/* Closes them; false after an error that has been printed (a full disk). */
bool scn_session_unwatch(struct scn_session *session);

void scn_session_close(struct scn_session *session);

/* Runs once, with sink and log expectations in place. */
void scn_session_run(struct scn_session *session, const struct scn_run_options *options,
                     struct scn_outcome *outcome);

/* Prints collected input errors to stderr. */
void scn_print_diagnostics(const struct scn_diagnostics *diagnostics);

#endif
