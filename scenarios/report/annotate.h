/* SPDX-License-Identifier: Apache-2.0 */
/* --annotate github: a failure as a line that GitHub shows at its place in a change. */
#ifndef SCN_REPORT_ANNOTATE_H
#define SCN_REPORT_ANNOTATE_H

#include <stdio.h>

#include "run/outcome.h"

/*
 * "::error file=F,line=N,title=T::S" for what made the run's verdict; nothing when it held. The
 * place is where the driver to blame was, else the first place known, else what the reason begins
 * with, else the scenario.
 */
void scn_annotate_run(FILE *stream, const struct scn_machine *machine,
                      const struct scn_outcome *outcome);
/* The same of any text about a file. */
void scn_annotate(FILE *stream, const char *file, const char *line, const char *title,
                  const char *text);

#endif
