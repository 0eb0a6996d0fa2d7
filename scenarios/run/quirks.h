/* SPDX-License-Identifier: Apache-2.0 */
/* An adapter's quirks against the settings that its miniport declares (NdksimSettings). */
#ifndef SCN_RUN_QUIRKS_H
#define SCN_RUN_QUIRKS_H

#include "run/machine.h"

/*
 * An error for each quirk of the driver's adapters that `module`, the file of the driver, does not
 * declare (with the nearest that it does), and for each number out of its range. A module that
 * declares none may read anything. Of one that --driver puts in, nothing is asked.
 */
void scn_check_quirks(const struct scn_machine *machine, uint32_t driver, const char *module,
                      struct scn_diagnostics *diagnostics);

#endif
