/* SPDX-License-Identifier: Apache-2.0 */
/* See complain.h. */
#include "parse/complain.h"

#include <stdarg.h>
#include <stdio.h>

static char first[1024];

static void keep(const char *line) {
    if (first[0] == '\0')
        snprintf(first, sizeof(first), "%.1023s", line);
}

void scn_complain(const char *format, ...) {
    char line[8192];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    fprintf(stderr, "ndksim: %s\n", line);
    keep(line);
}

void scn_complain_line(const char *line) {
    fprintf(stderr, "%s\n", line);
    keep(line);
}

const char *scn_first_complaint(void) {
    return first;
}
