/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scenario's steps and planned faults, running.
 *
 *   step:  WAITING --time, event or the step before--> STARTED --done--> DONE
 *
 * Steps live in PRIVATE memory, so that a reset of the world takes their progress back. A step that
 * takes no time (a link goes down) is done at once.
 */
#ifndef SCN_RUN_SCRIPT_H
#define SCN_RUN_SCRIPT_H

#include "run/outcome.h"

enum scn_progress {
    SCN_WAITING,
    SCN_STARTED,
    SCN_DONE,
};

/* Before the snapshot: registers fault plans and makes the steps' memory. */
void scn_script_prepare(struct scn_machine *machine, struct scn_diagnostics *diagnostics);

/* After the reset: starts drivers without a load step and arms times and events. */
void scn_script_start(struct scn_machine *machine);

bool scn_script_is_done(const struct scn_machine *machine);
/* True when all that is left are steps whose event has not come (and steps after such ones). */
bool scn_script_waits_for_events(const struct scn_machine *machine);
enum scn_progress scn_script_progress(const struct scn_machine *machine, uint32_t step);

/* Takes all links, switches and partitions of the steps back to whole, and switches faults off. */
void scn_script_heal(struct scn_machine *machine);

/*
 * The end: unloads what is loaded, consumers in reverse order, then miniports. Asked again and
 * again by the runner until it answers true.
 */
bool scn_script_unload(struct scn_machine *machine);

/*
 * Steps that ended otherwise than the scenario wants, and drivers that did not load or unload, the
 * likely cause first. In an exploring run a step that never began is none: the campaign judges
 * that. Where the explorer has let something fail, statuses are what drivers made of it, and only
 * steps that did not end are told. `text` begins with `place` ("file:line", or "" for a driver).
 */
typedef void scn_failure_visit(void *context, const char *place, const char *text);
void scn_script_failures(const struct scn_machine *machine, bool is_exploring,
                         scn_failure_visit *visit, void *context);

/*
 * Drivers whose load has failed against the scenario's will, in any run: also one that a finding
 * ended, and where the explorer has let something fail.
 */
typedef void scn_not_loaded_visit(void *context, uint32_t driver, int32_t status);
void scn_script_not_loaded(const struct scn_machine *machine, scn_not_loaded_visit *visit,
                           void *context);

/* What to say of a step that never began: "file:line: steps[2] (load) never began: ...". */
const char *scn_step_never_began(const struct scn_scenario *scenario, uint32_t step, char *text,
                                 size_t size);

/* "steps[2] (ioctl)" for reports. */
const char *scn_step_text(const struct scn_scenario *scenario, uint32_t step, char *text,
                          size_t size);

#endif
