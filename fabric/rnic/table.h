/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbered objects of the device. A number has 24 bits and is not given out again before all
 * others were; its slot is number modulo table size. Entries begin with their number. Tables grow
 * with use: entries that differ modulo a size differ modulo its double.
 */
#ifndef RNIC_TABLE_H
#define RNIC_TABLE_H

#include <sim/base.h>

#define RNIC_NUMBER_MASK 0x00FFFFFFu

struct rnic_numbered {
    uint32_t number;
};

struct rnic_table {
    struct rnic_numbered **slots;
    uint32_t mask; /* slots - 1 */
    uint32_t mask_max;
    uint32_t next; /* number to try first */
    uint32_t first;
    uint32_t used;
};

/* `count_max` is a power of two; numbers run from `first` (at least 1). */
void rnic_table_init(struct sim_world *world, struct rnic_table *table, uint32_t count_max,
                     uint32_t first);

/* Gives the entry its number; false when the table is full. */
bool rnic_table_add(struct sim_world *world, struct rnic_table *table, struct rnic_numbered *entry);
void rnic_table_remove(struct rnic_table *table, struct rnic_numbered *entry);

static inline void *rnic_table_find(const struct rnic_table *table, uint32_t number) {
    struct rnic_numbered *entry = table->slots[number & table->mask];
    return entry != NULL && entry->number == number ? entry : NULL;
}

/* The entry in the first used slot at or after *slot, which moves behind it; NULL: none left. */
void *rnic_table_next(const struct rnic_table *table, uint32_t *slot);

#endif
