/* SPDX-License-Identifier: Apache-2.0 */
/* `ndksim explain RUN`: what matters of a recorded run, told. */
#ifndef SCN_CLI_EXPLAIN_RUN_H
#define SCN_CLI_EXPLAIN_RUN_H

#include "cli/options.h"

int scn_explain_run(const struct scn_options *options);

#endif
