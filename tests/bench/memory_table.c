/* SPDX-License-Identifier: Apache-2.0 */
#include "memory_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <krn/memory.h>
#include <sim/memory.h>

static struct memory_row *row_of(struct memory_table *table, const char *name) {
    for (uint32_t i = 0; i < table->count; i++) {
        if (strcmp(table->rows[i].name, name) == 0) {
            return &table->rows[i];
        }
    }
    if (table->count == MEMORY_TABLE_ROWS) {
        fprintf(stderr, "more than %u kinds of memory\n", MEMORY_TABLE_ROWS);
        exit(1);
    }
    memset(&table->rows[table->count], 0, sizeof(table->rows[0]));
    snprintf(table->rows[table->count].name, sizeof(table->rows[0].name), "%s", name);
    return &table->rows[table->count++];
}

static void add(struct memory_table *table, const char *name, uint64_t count, uint64_t bytes) {
    struct memory_row *row = row_of(table, name);

    row->count += count;
    row->bytes += bytes;
}

static void pool_seen(void *context, const struct krn_pool_block *block) {
    struct memory_table *table = context;
    char owner[SIM_NAME_BYTES];
    char name[sizeof(table->rows[0].name)];

    sim_object_name(block->owner, owner, sizeof(owner));
    snprintf(name, sizeof(name), "pool of %.32s, %c%c%c%c", owner, (char)block->tag,
             (char)(block->tag >> 8), (char)(block->tag >> 16), (char)(block->tag >> 24));
    add(table, name, 1, block->bytes);
}

static uint64_t sum_of(const struct memory_table *table) {
    uint64_t sum = 0;

    for (uint32_t i = 0; i < table->count; i++) {
        sum += table->rows[i].bytes;
    }
    return sum;
}

void memory_table_take(struct memory_table *table, const struct scn_machine *machine) {
    struct sim_world *world = machine->world;
    uint64_t sum;

    memset(table, 0, sizeof(*table));
    for (int room = 0; room < SIM_ROOM_COUNT; room++) {
        add(table, sim_room_name((enum sim_room)room), 0,
            sim_room_bytes(world, (enum sim_room)room));
    }
    sum = sum_of(table);
    add(table, "free model memory", 0, sim_region_used_bytes(world, SIM_REGION_PRIVATE) - sum);
    sum = sum_of(table);
    for (size_t i = 0; i < machine->scenario->node_count; i++) {
        krn_pool_visit(machine->nodes[i], NULL, pool_seen, table);
    }
    sum = sum_of(table) - sum;
    add(table, "pool: guards, rounding, freed", 0,
        sim_region_used_bytes(world, SIM_REGION_DRIVER) +
            sim_region_used_bytes(world, SIM_REGION_BULK) - sum);
}

static int by_bytes(const void *a, const void *b) {
    const struct memory_row *first = a;
    const struct memory_row *second = b;

    return first->bytes != second->bytes
               ? (first->bytes < second->bytes) - (first->bytes > second->bytes)
               : strcmp(first->name, second->name);
}

void memory_table_print(const struct memory_table *table, const struct memory_table *less,
                        uint64_t divisor) {
    struct memory_table rows = *table;

    for (uint32_t i = 0; less != NULL && i < less->count; i++) {
        struct memory_row *row = row_of(&rows, less->rows[i].name);

        row->count -= row->count < less->rows[i].count ? row->count : less->rows[i].count;
        row->bytes -= row->bytes < less->rows[i].bytes ? row->bytes : less->rows[i].bytes;
    }
    qsort(rows.rows, rows.count, sizeof(rows.rows[0]), by_bytes);
    for (uint32_t i = 0; i < rows.count; i++) {
        const struct memory_row *row = &rows.rows[i];

        if (row->bytes < divisor) {
            continue;
        }
        printf("  %-36s %8llu bytes", row->name, (unsigned long long)(row->bytes / divisor));
        if (row->count != 0) {
            printf("  %llu.%llu blocks", (unsigned long long)(row->count / divisor),
                   (unsigned long long)(row->count * 10 / divisor % 10));
        }
        printf("\n");
    }
}
