/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data races in modules whose loads and stores call the program (instrument.c): happens-before, by
 * vector clocks.
 *
 *   actor    a thread; a CPU's DPC layer; its interrupt layer. What one actor does is in order
 *   key      an address that stands for what orders actors: a record (lock, event, DPC, ...), an
 *            interlocked variable, a CPU's IRQL, a device, a step from outside
 *   access   actor, its time, bytes of a word, read or write, and where it came from
 *
 * A call on a record is a release and an acquire of it, as the system's own lock around it would
 * be. Interlocked operations and volatile accesses are both too, and never race among themselves.
 * DPC routines of one CPU are one actor, and a thread that raised its IRQL by itself is ordered
 * with them. A device orders what came before a register write with what runs after its interrupt.
 *
 * Words of driver memory have the accesses that are not behind another one by whoever comes: lists
 * are short. Stacks are left out. All state is in the PRIVATE region: a run begins with none.
 */
#ifndef KRN_RACE_INTERNAL_H
#define KRN_RACE_INTERNAL_H

#include <krn/race.h>

#include "kernel.h"

struct krn_races;
struct krn_thread;

struct krn_actor {
    struct sim_task *task;
    uint32_t index;
    uint32_t count; /* of `clock` */
    uint32_t *clock;
};

enum krn_access_kind {
    KRN_ACCESS_READ = 0,
    KRN_ACCESS_WRITE = 1,
    KRN_ACCESS_ATOMIC = 2, /* together with one of the others */
};

/* From here on the world looks for races. */
void krn_races_start(struct krn_world *krn);

/* ---- Order (race_order.c); `races` is the world's ---- */

void krn_order_acquire(struct krn_races *races, const void *key);
void krn_order_release(struct krn_races *races, const void *key);
/* A thread has been made by whoever runs, and is nobody who was before. */
void krn_race_born(const struct krn_world *krn, const struct krn_thread *thread);

struct krn_order;
struct krn_order *krn_order_create(struct sim_world *world);
struct krn_actor *krn_order_actor(struct krn_order *order, struct sim_task *task);
struct krn_order *krn_races_order(struct krn_races *races);
/* The actor's own time. */
static inline uint32_t krn_actor_now(const struct krn_actor *actor) {
    return actor->clock[actor->index];
}
/* What `actor` knows of the time of the one with that index. */
static inline uint32_t krn_actor_knows(const struct krn_actor *actor, uint32_t index) {
    return index < actor->count ? actor->clock[index] : 0;
}

/* A release and an acquire: an operation of the kernel on what the key stands for. */
static inline void krn_race_sync(const struct krn_world *krn, const void *key) {
    if (SIM_UNLIKELY(krn->races != NULL)) {
        krn_order_acquire(krn->races, key);
        krn_order_release(krn->races, key);
    }
}
static inline void krn_race_after(const struct krn_world *krn, const void *key) {
    if (SIM_UNLIKELY(krn->races != NULL)) {
        krn_order_acquire(krn->races, key);
    }
}
static inline void krn_race_before(const struct krn_world *krn, const void *key) {
    if (SIM_UNLIKELY(krn->races != NULL)) {
        krn_order_release(krn->races, key);
    }
}
/* Around sim_task_wake and behind sim_task_wait. */
static inline void krn_race_wakes(const struct krn_world *krn, const struct sim_task *task) {
    krn_race_before(krn, task);
}
static inline void krn_race_woken(const struct krn_world *krn) {
    if (SIM_UNLIKELY(krn->races != NULL)) {
        krn_order_acquire(krn->races, sim_task_current());
    }
}

/* Keys of what has no record. */
static inline const void *krn_race_dispatch(const struct krn_cpu *cpu) {
    return &cpu->dpc_since_ns;
}
static inline const void *krn_race_device(const struct krn_node *node) {
    return &node->boot_ns;
}
static inline const void *krn_race_outside(const struct krn_world *krn) {
    return &krn->counter_changes;
}

/* ---- Accesses (race.c) ---- */

/* A load or store of an instrumented module, about to happen: a schedule point, then judged. */
void krn_race_access(struct sim_task *task, uintptr_t address, uint64_t bytes, uint32_t kind,
                     uintptr_t code, uintptr_t frame);
/* An interlocked operation at its moment: an order, and an access that plain ones may race with. */
void krn_race_interlocked(const struct krn_call *call, const volatile void *address, size_t bytes);
/* A block of the pool is freed: what touched it must have come before. Then it is unknown. */
void krn_race_freed(const struct krn_call *call, const void *block, uint64_t bytes);
/* Whole pages that the device reaches from now on, until they are freed. */
void krn_race_shared(struct krn_world *krn, const void *block, uint64_t bytes);

#endif
