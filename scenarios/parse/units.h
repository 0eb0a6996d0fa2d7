/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values with their units written in: "2us", "100Gbps", "64KiB", "0.1%". Integers only: a decimal
 * fraction is kept exact by scaling (0.1% is 1000 ppm; "1.5us" is 1500 ns), never by floating
 * point.
 */
#ifndef SCN_PARSE_UNITS_H
#define SCN_PARSE_UNITS_H

#include <sim/base.h>

enum scn_unit {
    SCN_UNIT_DURATION,    /* to ns: ns us ms s min h */
    SCN_UNIT_MOMENT,      /* the same, or "never": SIM_TIME_NEVER */
    SCN_UNIT_SIZE,        /* to bytes: B KiB MiB GiB TiB, and kB MB GB as powers of ten */
    SCN_UNIT_RATE,        /* to bits per second: bps kbps Mbps Gbps Tbps */
    SCN_UNIT_PROBABILITY, /* to ppm: "0.1%", "250ppm" */
    SCN_UNIT_COUNT,       /* plain integer, decimal or 0x hexadecimal */
};

/* NULL when parsed, else what is wrong and what is wanted, as static text. */
const char *scn_unit_parse(enum scn_unit unit, const char *text, uint64_t *value);

/* "duration such as \"2us\"": for messages. */
const char *scn_unit_example(enum scn_unit unit);

#endif
