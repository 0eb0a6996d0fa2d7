/* SPDX-License-Identifier: Apache-2.0 */
/* What the program says of the strategies of explorers. */
#ifndef SCN_CLI_STRATEGIES_H
#define SCN_CLI_STRATEGIES_H

#include "cli/options.h"

/* Whether `text` ("pct:3") names one; else `error` says what is wrong and the nearest name. */
bool scn_strategy_check(const char *text, char *error, size_t size);

/* `ndksim list strategies`: a table with one sentence each; with --json a list. */
int scn_list_strategies(const struct scn_options *options);

#endif
