/* SPDX-License-Identifier: Apache-2.0 */
/* --gdb: this program once more, under the host's debugger, with a breakpoint. */
#ifndef SCN_CLI_DEBUGGER_H
#define SCN_CLI_DEBUGGER_H

#include "cli/options.h"

/*
 * Becomes the debugger (gdb; lldb on macOS), which runs the same command without --gdb and stops at
 * `function`. Returns only when it cannot be started: an exit code, after a message.
 */
int scn_debugger_become(const struct scn_options *options, const char *function);

/* Where a debugger stops when a moment is reached. Does nothing. */
void scn_debugger_stop(void);

#endif
