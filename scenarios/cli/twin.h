/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sanitised twin. A module that was built with AddressSanitizer needs a program that has its
 * run-time; the plain program hands its command line to one that does.
 */
#ifndef SCN_CLI_TWIN_H
#define SCN_CLI_TWIN_H

#include "cli/options.h"

/*
 * When files of the command line name such a module and this program has no sanitizer: becomes the
 * twin, which is $NDKSIM_ASAN, else ndksim-asan beside this program. Returns when there is no such
 * module, or after a message (false) when there is no twin.
 */
bool scn_twin_become(const struct scn_options *options, char **words);

#endif
