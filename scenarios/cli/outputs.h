/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a command line wants to write. */
#ifndef SCN_CLI_OUTPUTS_H
#define SCN_CLI_OUTPUTS_H

#include "cli/options.h"

/*
 * False, after an error that has been printed, when a file's folder is not there (unless it is that
 * of --out, which is made), when two options name one file, or an option names a scenario or record
 * that is read: one would overwrite the other. What is no regular file, such as /dev/null, may be
 * named as often as wanted, and taps may share a capture.
 */
bool scn_outputs_check(const struct scn_options *options);

#endif
