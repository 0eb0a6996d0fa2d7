/* SPDX-License-Identifier: Apache-2.0 */
/* `ndksim list classes` and `list objects`: names that faults, triggers and --focus go by. */
#ifndef SCN_CLI_LIST_NAMES_H
#define SCN_CLI_LIST_NAMES_H

#include "cli/options.h"

/* Exit codes. */
int scn_list_classes(const struct scn_options *options);
int scn_list_objects(const struct scn_options *options);

#endif
