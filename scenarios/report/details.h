/* SPDX-License-Identifier: Apache-2.0 */
/* What --verbose adds: who took part, and how far each fault, step and choice came. */
#ifndef SCN_REPORT_DETAILS_H
#define SCN_REPORT_DETAILS_H

#include <stdio.h>

#include "run/outcome.h"

/* Drivers with their modules and builds, and how much there is of the rest. */
void scn_report_cast(FILE *stream, const struct scn_machine *machine);

/* The same, then every fault and step of the run, and its choices. */
void scn_report_details(FILE *stream, const struct scn_machine *machine,
                        const struct scn_outcome *outcome);

#endif
