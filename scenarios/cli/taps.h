/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What --pcap asks for: [TAP=]FILE, several times. Each FILE is one capture; a FILE given again
 * gets another tap. TAP is WHERE[:WHEN]. WHERE names an adapter, a port, a switch or a link, by
 * name or by a pattern with `*`. WHEN is `before` (what a port sends, before any fault), `after`
 * (what arrives at a port, after the faults) or `both`; when absent, `before` for links and `both`
 * for others. Without a TAP: each frame once, at the port whose owner made it, before any fault.
 *
 * A FILE with a `=` in its name is given with a folder: ./a=b.
 */
#ifndef SCN_CLI_TAPS_H
#define SCN_CLI_TAPS_H

#include <net/capture.h>

#include "cli/options.h"
#include "run/machine.h"

/* An error for each --pcap that names nothing of the machine, or no file. */
void scn_taps_check(const struct scn_options *options, const struct scn_machine *machine,
                    struct scn_diagnostics *diagnostics);

/* The files, each once, in the order of the options; NULL past the end. */
const char *scn_taps_file(const struct scn_options *options, uint32_t index);

/* Adds the taps of that file to a capture. */
void scn_taps_add(const struct scn_options *options, const struct scn_machine *machine,
                  const char *file, struct net_capture *capture);

#endif
