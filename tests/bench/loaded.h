/* SPDX-License-Identifier: Apache-2.0 */
/* A scenario's machine for a benchmark, and its runs. What is wrong ends the program. */
#ifndef BENCH_LOADED_H
#define BENCH_LOADED_H

#include "run/machine.h"
#include "run/outcome.h"

struct loaded {
    struct scn_scenario *scenario;
    struct scn_machine *machine;
    uint64_t digest; /* of the first run; all others must have it too */
};

void loaded_open(struct loaded *loaded, const char *file, const char *drivers,
                 const struct scn_override *overrides, size_t override_count);
/* One run, which must hold. */
void loaded_run(struct loaded *loaded, const struct scn_run_options *options,
                struct scn_outcome *outcome);
void loaded_close(struct loaded *loaded);

#endif
