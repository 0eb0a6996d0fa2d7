/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <sim/memory.h>

#define SLOTS_FIRST 16u

void rnic_table_init(struct sim_world *world, struct rnic_table *table, uint32_t count_max,
                     uint32_t first) {
    SIM_ASSERT(count_max != 0 && (count_max & (count_max - 1)) == 0);
    uint32_t count = count_max < SLOTS_FIRST ? count_max : SLOTS_FIRST;
    table->slots = sim_alloc(world, count * sizeof *table->slots);
    table->mask = count - 1;
    table->mask_max = count_max - 1;
    table->next = first;
    table->first = first;
    table->used = 0;
}

static void grow(struct sim_world *world, struct rnic_table *table) {
    uint32_t count = table->mask + 1;
    uint32_t mask = 2 * count - 1;
    struct rnic_numbered **slots = sim_alloc(world, (mask + 1u) * sizeof *slots);
    for (uint32_t i = 0; i < count; i++)
        slots[table->slots[i]->number & mask] = table->slots[i];
    sim_free(world, table->slots, count * sizeof *slots);
    table->slots = slots;
    table->mask = mask;
}

bool rnic_table_add(struct sim_world *world, struct rnic_table *table,
                    struct rnic_numbered *entry) {
    if (table->used > table->mask_max)
        return false;
    if (table->used > table->mask)
        grow(world, table);
    uint32_t number = table->next;
    while (table->slots[number & table->mask] != NULL)
        number = number == RNIC_NUMBER_MASK ? table->first : number + 1;
    entry->number = number;
    table->slots[number & table->mask] = entry;
    table->next = number == RNIC_NUMBER_MASK ? table->first : number + 1;
    table->used++;
    return true;
}

void rnic_table_remove(struct rnic_table *table, struct rnic_numbered *entry) {
    SIM_ASSERT(table->slots[entry->number & table->mask] == entry);
    table->slots[entry->number & table->mask] = NULL;
    table->used--;
}

void *rnic_table_next(const struct rnic_table *table, uint32_t *slot) {
    while (*slot <= table->mask) {
        struct rnic_numbered *entry = table->slots[(*slot)++];
        if (entry != NULL)
            return entry;
    }
    return NULL;
}
