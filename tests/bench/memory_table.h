/* SPDX-License-Identifier: Apache-2.0 */
/* Where a world's memory goes: model memory by room, pool by owner and tag. */
#ifndef BENCH_MEMORY_TABLE_H
#define BENCH_MEMORY_TABLE_H

#include <stdint.h>

#include "run/machine.h"

#define MEMORY_TABLE_ROWS 64u

struct memory_row {
    char name[72];
    uint64_t count; /* blocks, 0 for a room */
    uint64_t bytes;
};

struct memory_table {
    struct memory_row rows[MEMORY_TABLE_ROWS];
    uint32_t count;
};

void memory_table_take(struct memory_table *table, const struct scn_machine *machine);
/* `table` less `less` (may be NULL), divided; largest rows first. */
void memory_table_print(const struct memory_table *table, const struct memory_table *less,
                        uint64_t divisor);

#endif
