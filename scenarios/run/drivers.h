/* SPDX-License-Identifier: Apache-2.0 */
/* The drivers of a scenario as modules of its nodes. Part of building a machine. */
#ifndef SCN_RUN_DRIVERS_H
#define SCN_RUN_DRIVERS_H

#include "run/machine.h"

/* Fills machine->drivers; an error for each module that is not there and each --driver for nobody.
 */
void scn_make_drivers(struct scn_machine *machine, const struct scn_machine_options *options,
                      struct scn_diagnostics *diagnostics);

/* Frees machine->loads. */
void scn_forget_loads(struct scn_machine *machine);

#endif
