/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps about an adapter: device events and OID requests. What an OID's answer holds is compared
 * when the request is done, since counters go on afterwards.
 */
#ifndef SCN_RUN_STEP_ADAPTER_H
#define SCN_RUN_STEP_ADAPTER_H

#include "run/machine.h"

/* PRIVATE memory: a request under way, and what was wrong with its answer. */
struct scn_oid_run {
    struct krn_oid oid;
    const char *wrong; /* NULL: nothing */
};

/* Names that only the kernel knows: of OIDs, of their members. */
void scn_oid_check(const struct scn_step *step, struct scn_diagnostics *diagnostics);
void scn_oid_start(struct scn_machine *machine, const struct scn_step *step,
                   struct scn_oid_run *run, struct krn_step *done);
/* The request is done: compares, and sets `wrong`. */
void scn_oid_judge(struct scn_machine *machine, const struct scn_step *step,
                   struct scn_oid_run *run, const struct krn_step *done);

void scn_pnp_start(struct scn_machine *machine, const struct scn_step *step, struct krn_step *done);

#endif
