/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that are printed as columns for people and as a JSON array of objects for programs. */
#ifndef SCN_CLI_ROWS_H
#define SCN_CLI_ROWS_H

#include <sim/base.h>

#define SCN_ROW_CELLS_MAX 8u

struct scn_rows {
    bool is_json;
    size_t column_count;
    const char *keys[SCN_ROW_CELLS_MAX]; /* of the objects */
    int widths[SCN_ROW_CELLS_MAX];       /* of the columns but the last */
    size_t row_count;                    /* so far */
};

/* One row: a text for each column; NULL in JSON leaves the member out. */
void scn_rows_put(struct scn_rows *rows, const char *const *cells);
/* Behind the last row. */
void scn_rows_end(const struct scn_rows *rows);

#endif
