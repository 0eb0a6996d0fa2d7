/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage of a campaign as JSON: {"runs": N, "<group>": {"<point>": runs that saw it, ...}, ...}.
 */
#ifndef SCN_REPORT_COVERAGE_FILE_H
#define SCN_REPORT_COVERAGE_FILE_H

#include <stdio.h>

#include "run/coverage.h"

/* 0, or the errno of the failure. */
int scn_coverage_write(const char *path, const struct scn_coverage_sum *sum);

/* "coverage: 30 of close_order, ..." */
void scn_coverage_print(FILE *stream, const struct scn_coverage_sum *sum);

#endif
