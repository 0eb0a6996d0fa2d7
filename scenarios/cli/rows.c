/* SPDX-License-Identifier: Apache-2.0 */
/* See rows.h. */
#include "cli/rows.h"

#include <stdio.h>

#include "report/report.h"

static void put_object(struct scn_rows *rows, const char *const *cells) {
    const char *before = "{";

    fputs(rows->row_count == 0 ? "[\n  " : ",\n  ", stdout);
    for (size_t i = 0; i < rows->column_count; i++) {
        if (cells[i] == NULL)
            continue;
        printf("%s\"%s\": ", before, rows->keys[i]);
        scn_json_string(stdout, cells[i]);
        before = ", ";
    }
    fputc('}', stdout);
}

void scn_rows_put(struct scn_rows *rows, const char *const *cells) {
    if (rows->is_json) {
        put_object(rows, cells);
    } else {
        for (size_t i = 0; i + 1 < rows->column_count; i++)
            printf("%-*s ", rows->widths[i], cells[i] != NULL ? cells[i] : "");
        puts(cells[rows->column_count - 1]);
    }
    rows->row_count++;
}

void scn_rows_end(const struct scn_rows *rows) {
    if (rows->is_json)
        puts(rows->row_count == 0 ? "[]" : "\n]");
}
