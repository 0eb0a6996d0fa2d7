/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of the built-in device that an adapter may set, by the names of rnic_config's fields. */
#ifndef SCN_RUN_LIMITS_H
#define SCN_RUN_LIMITS_H

#include <rnic/device.h>

#include "model/scenario.h"

/* Puts the adapter's limits into `config`; an error for each that is unknown or out of bounds. */
void scn_set_limits(const struct scn_adapter *adapter, struct rnic_config *config,
                    struct scn_diagnostics *diagnostics);

/* Names of the limits, NULL past the end; what a limit takes, as text ("1 to 16"). */
const char *scn_limit_name(size_t index);
const char *scn_limit_bounds(size_t index, char *text, size_t size);

#endif
