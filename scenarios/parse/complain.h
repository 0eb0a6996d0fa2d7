/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program says is wrong, on standard error. The first complaint is kept, for results that
 * other programs read.
 */
#ifndef SCN_PARSE_COMPLAIN_H
#define SCN_PARSE_COMPLAIN_H

#include <sim/base.h>

/* "ndksim: ...", a line. */
void scn_complain(const char *format, ...) SIM_PRINTF(1, 2);
/* A line as it stands. */
void scn_complain_line(const char *line);
/* Without "ndksim: "; "" for none. */
const char *scn_first_complaint(void);

#endif
