/* SPDX-License-Identifier: Apache-2.0 */
/* "1 run", "2 runs". */
#ifndef SCN_REPORT_PLURAL_H
#define SCN_REPORT_PLURAL_H

#include <sim/base.h>

/* What stands behind a noun of which there are `count`. */
static inline const char *scn_plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

#endif
