/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCN_CLI_LIST_DEVICES_H
#define SCN_CLI_LIST_DEVICES_H

#include "cli/options.h"

/* Devices with what a scenario may set of them: the built-in one, or the modules that are named. */
int scn_list_devices(const struct scn_options *options);
/* What "limits" may say of the built-in one. */
int scn_list_limits(const struct scn_options *options);

#endif
