/* SPDX-License-Identifier: Apache-2.0 */
/* Vector clocks of actors and keys; see race.h. Tables are looked up by address, never walked. */
#include <string.h>

#include "race.h"
#include "thread.h"

#define SLOTS_FIRST 256u
#define CLOCK_FIRST 16u

struct key {
    const void *key;
    uint32_t count;
    uint32_t capacity;
    uint32_t *clock;
};

struct slot {
    const void *key;
    void *value;
};

struct table {
    struct slot *slots;
    uint32_t capacity; /* power of two */
    uint32_t count;
};

struct krn_order {
    struct sim_world *world;
    struct table keys;
    struct table actors;    /* by task */
    struct krn_actor *last; /* of the last look-up */
    uint32_t actor_count;
};

static struct slot *slot_of(const struct table *table, const void *key) {
    uint64_t hash = (uintptr_t)key * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(hash >> 32) & (table->capacity - 1);

    while (table->slots[at].key != NULL && table->slots[at].key != key) {
        at = (at + 1) & (table->capacity - 1);
    }
    return &table->slots[at];
}

static void table_grow(struct sim_world *world, struct table *table) {
    struct table old = *table;

    table->capacity = old.capacity != 0 ? old.capacity * 2 : SLOTS_FIRST;
    table->slots = sim_alloc(world, table->capacity * sizeof(table->slots[0]));
    for (uint32_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].key != NULL) {
            *slot_of(table, old.slots[i].key) = old.slots[i];
        }
    }
    if (old.capacity != 0) {
        sim_free(world, old.slots, old.capacity * sizeof(old.slots[0]));
    }
}

static void *table_find(const struct table *table, const void *key) {
    return table->capacity != 0 ? slot_of(table, key)->value : NULL;
}

static void table_put(struct sim_world *world, struct table *table, const void *key, void *value) {
    struct slot *slot;

    if (2 * (table->count + 1) > table->capacity) {
        table_grow(world, table);
    }
    slot = slot_of(table, key);
    table->count += slot->key == NULL;
    slot->key = key;
    slot->value = value;
}

struct krn_order *krn_order_create(struct sim_world *world) {
    struct krn_order *order = sim_alloc(world, sizeof(*order));

    order->world = world;
    return order;
}

static struct krn_actor *actor_make(struct krn_order *order, struct sim_task *task) {
    struct krn_actor *actor = sim_alloc(order->world, sizeof(*actor));

    actor->task = task;
    actor->index = order->actor_count++;
    actor->count = actor->index + 1 > CLOCK_FIRST ? actor->index + 1 : CLOCK_FIRST;
    actor->clock = sim_alloc(order->world, actor->count * sizeof(actor->clock[0]));
    actor->clock[actor->index] = 1;
    table_put(order->world, &order->actors, task, actor);
    order->last = actor;
    return actor;
}

struct krn_actor *krn_order_actor(struct krn_order *order, struct sim_task *task) {
    struct krn_actor *actor = order->last;

    if (SIM_LIKELY(actor != NULL && actor->task == task)) {
        return actor;
    }
    actor = table_find(&order->actors, task);
    if (actor == NULL) {
        return actor_make(order, task);
    }
    order->last = actor;
    return actor;
}

void krn_race_born(const struct krn_world *krn, const struct krn_thread *thread) {
    krn_order_release(krn->races, thread);
    (void)actor_make(krn_races_order(krn->races), thread->task);
}

static uint32_t *widen(struct sim_world *world, uint32_t *clock, uint32_t count, uint32_t wanted) {
    uint32_t *wide = sim_alloc(world, wanted * sizeof(wide[0]));

    if (count != 0) {
        memcpy(wide, clock, count * sizeof(wide[0]));
        sim_free(world, clock, count * sizeof(clock[0]));
    }
    return wide;
}

void krn_order_acquire(struct krn_races *races, const void *key) {
    struct krn_order *order = krn_races_order(races);
    struct sim_task *task = sim_task_current();
    const struct key *known = table_find(&order->keys, key);
    struct krn_actor *actor;

    if (task == NULL || known == NULL) {
        return;
    }
    actor = krn_order_actor(order, task);
    if (known->count > actor->count) {
        actor->clock = widen(order->world, actor->clock, actor->count, known->count);
        actor->count = known->count;
    }
    for (uint32_t i = 0; i < known->count; i++) {
        if (known->clock[i] > actor->clock[i]) {
            actor->clock[i] = known->clock[i];
        }
    }
}

static struct key *key_make(struct krn_order *order, const void *address) {
    struct key *key = sim_alloc(order->world, sizeof(*key));

    key->key = address;
    table_put(order->world, &order->keys, address, key);
    return key;
}

void krn_order_release(struct krn_races *races, const void *address) {
    struct krn_order *order = krn_races_order(races);
    struct sim_task *task = sim_task_current();
    struct krn_actor *actor;
    struct key *key;

    if (task == NULL) {
        return;
    }
    actor = krn_order_actor(order, task);
    key = table_find(&order->keys, address);
    if (key == NULL) {
        key = key_make(order, address);
    }
    if (actor->count > key->capacity) {
        key->clock = widen(order->world, key->clock, key->capacity, actor->count);
        key->capacity = actor->count;
    }
    if (actor->count > key->count) {
        key->count = actor->count;
    }
    for (uint32_t i = 0; i < actor->count; i++) {
        if (actor->clock[i] > key->clock[i]) {
            key->clock[i] = actor->clock[i];
        }
    }
    actor->clock[actor->index]++;
}

void krn_race_acquire(struct sim_world *world, const void *key) {
    krn_race_after(krn_world_of(world), key);
}

void krn_race_release(struct sim_world *world, const void *key) {
    krn_race_before(krn_world_of(world), key);
}
