/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a node is doing, for reports, `ndksim dump` and expectations. Pure queries in birth order.
 */
#ifndef KRN_STATE_H
#define KRN_STATE_H

#include <krn/driver.h>
#include <krn/node.h>

struct krn_thread_state {
    struct sim_object *object;
    struct krn_driver *driver; /* whose code it was made to run; NULL: the kernel's own worker */
    struct sim_cpu *cpu;
    enum sim_task_state state;
    uint8_t level;         /* IRQL of its CPU while it runs, else PASSIVE or what it raised to */
    const char *waits_why; /* static text: "KeWaitForSingleObject", NULL when it does not wait */
    struct sim_object *waits_for;
    uint64_t waits_since_ns;
    uint64_t deadline_ns; /* SIM_TIME_NEVER: none */
    bool is_idle_worker;  /* a worker thread that waits for work: keeps nothing from ending */
};
void krn_thread_visit(struct krn_node *node,
                      void (*visit)(void *context, const struct krn_thread_state *thread),
                      void *context);

struct krn_lock_state {
    struct sim_object *object;
    struct sim_object *holder; /* task */
    struct sim_cpu *cpu;
    uint64_t since_ns;
    bool is_queued; /* in-stack queued */
};
/* Held spin locks, mutexes and fast mutexes, in the order of their objects' ids. */
void krn_lock_visit(struct krn_node *node,
                    void (*visit)(void *context, const struct krn_lock_state *lock), void *context);

/* A spin lock that the running context holds and `maker` initialised; NULL for none. Cheap. */
struct sim_object *krn_lock_held_of(struct sim_world *world, const struct krn_driver *maker);

enum krn_pending_kind {
    KRN_PENDING_DPC,
    KRN_PENDING_TIMER,
    KRN_PENDING_WORK_ITEM,
    KRN_PENDING_IRP,
};
struct krn_pending {
    enum krn_pending_kind kind;
    struct sim_object *object;
    struct krn_driver *driver;
    uint64_t due_ns; /* timers */
};
void krn_pending_visit(struct krn_node *node,
                       void (*visit)(void *context, const struct krn_pending *pending),
                       void *context);

/* What a driver holds now; all zero after a clean unload. */
struct krn_leftovers {
    uint64_t pool_blocks;
    uint64_t pool_bytes;
    uint32_t threads;
    uint32_t timers;
    uint32_t dpcs;
    uint32_t work_items;
    uint32_t devices;
    uint32_t irps;
    uint32_t ndk_adapters;
    uint32_t wsk_registrations;
    uint32_t locked_mdls;
    uint32_t lookaside_lists;
    uint32_t handles;
};
void krn_driver_leftovers(struct krn_driver *driver, struct krn_leftovers *leftovers);

const char *krn_irql_name(uint8_t level); /* "PASSIVE", "APC", "DISPATCH", "DIRQL" */

#endif
