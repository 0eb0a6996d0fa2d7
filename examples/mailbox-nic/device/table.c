/* SPDX-License-Identifier: Apache-2.0 */
/* Objects by number: the low 12 bits are the slot, the others count how often it was used. */
#include "nic.h"

#include <string.h>

static void grow(struct mbx_nic *nic, struct mbx_table *table) {
    uint32_t capacity = table->capacity > 0 ? table->capacity * 2 : 16;
    struct mbx_slot *slots = sim_alloc(nic->world, capacity * sizeof(*slots));

    if (table->capacity > 0) {
        memcpy(slots, table->slots, table->capacity * sizeof(*slots));
        sim_free(nic->world, table->slots, table->capacity * sizeof(*slots));
    }
    for (uint32_t i = table->capacity; i < capacity; i++)
        slots[i].generation = table->generation;
    table->slots = slots;
    table->capacity = capacity;
}

uint32_t mbx_table_add(struct mbx_nic *nic, struct mbx_table *table, void *object) {
    uint32_t slot = 0;

    while (slot < table->capacity && table->slots[slot].object != NULL)
        slot++;
    if (slot == MBX_TABLE_MAX)
        return 0;
    if (slot == table->capacity)
        grow(nic, table);
    table->slots[slot].object = object;
    table->slots[slot].generation = (table->slots[slot].generation + 1) & 0x7FFFFu;
    if (table->slots[slot].generation == 0)
        table->slots[slot].generation = 1;
    return table->slots[slot].generation << 12 | slot;
}

void *mbx_table_find(const struct mbx_table *table, uint32_t number) {
    uint32_t slot = number & (MBX_TABLE_MAX - 1);

    if (slot >= table->capacity || table->slots[slot].generation != number >> 12)
        return NULL;
    return table->slots[slot].object;
}

void mbx_table_remove(struct mbx_table *table, uint32_t number) {
    SIM_ASSERT(mbx_table_find(table, number) != NULL);
    table->slots[number & (MBX_TABLE_MAX - 1)].object = NULL;
}

void *mbx_table_next(const struct mbx_table *table, uint32_t *slot) {
    while (*slot < table->capacity) {
        void *object = table->slots[(*slot)++].object;

        if (object != NULL)
            return object;
    }
    return NULL;
}

void mbx_table_clear(struct mbx_nic *nic, struct mbx_table *table, uint32_t generation) {
    if (table->capacity > 0)
        sim_free(nic->world, table->slots, table->capacity * sizeof(*table->slots));
    memset(table, 0, sizeof(*table));
    table->generation = generation;
}
