/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world's own structure. It stands at the start of the PRIVATE region, so that restoring the
 * region restores it. What must outlive a reset (recorder, findings, ring, sink, snapshot copies)
 * is `struct sim_outer`, in host memory; see outer.h.
 *
 *   kept by the stepper (step.c): now_ns, step_count, actor_id, actor_level, cause
 *   kept by its own file:         everything else
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include <sim/check.h>
#include <sim/choice.h>
#include <sim/event.h>
#include <sim/fault.h>
#include <sim/memory.h>
#include <sim/object.h>
#include <sim/run.h>
#include <sim/trace.h>

#include "count.h"
#include "queue.h"
#include "region.h"
#include "scheduler.h"

struct sim_outer;

#define SIM_OBJECT_PAGE_COUNT 256u

struct sim_objects {
    struct sim_object ***pages; /* of SIM_OBJECT_PAGE_COUNT each; entry i has id i + 1 */
    uint32_t page_capacity;
    uint32_t count;
    struct sim_counters births;
};

#define SIM_WATCH_LIST_COUNT 64u
#define SIM_NAME_CHAIN_COUNT 256u
#define SIM_NAME_HIT_COUNT 64u
#define SIM_NAME_PAGE_COUNT 32u

struct sim_trace_name {
    const char *name;
    uint16_t type;
    uint16_t next; /* in its chain: index + 1 */
};

struct sim_trace_state {
    uint64_t digest;
    uint32_t sequence;  /* of the last record */
    bool watches_every; /* some watch sees every record */
    uint8_t watched[SIM_TRACE_TYPE_COUNT];
    struct sim_watch *watches[SIM_WATCH_LIST_COUNT]; /* by type modulo, in order of adding */
    struct sim_watch *every;
    uint16_t driver_name_count;
    uint16_t name_count;
    /* Registered and brought by drivers. In pages: growing copies nothing. */
    struct sim_trace_name *name_pages[SIM_TRACE_TYPE_COUNT / SIM_NAME_PAGE_COUNT];
    uint16_t name_chains[SIM_NAME_CHAIN_COUNT]; /* by hash: index in `names` + 1 */
    uint16_t name_hits[SIM_NAME_HIT_COUNT];     /* of look-ups, by where the text lies: likewise */
};

struct sim_path;

struct sim_paths {
    struct sim_path **by_number; /* [0, count); entry i is path i + 1 */
    uint32_t *slots;             /* by hash: number, 0: free; twice `capacity` */
    uint32_t capacity;
    uint32_t count;
};

struct sim_machine;
struct sim_machines {
    const struct sim_machine *entries[16];
    uint32_t count;
};

struct sim_fault_entry;

#define SIM_FAULT_CHAIN_COUNT 64u

struct sim_faults {
    struct sim_fault_point **points; /* entry i has index i + 1 */
    uint32_t point_count;
    uint32_t point_capacity;
    struct sim_fault_entry *first; /* plans in order of adding */
    struct sim_fault_entry *last;
    size_t plan_count;
    bool is_off;
    bool asks_failures;
    uint32_t chosen_count; /* failures that the chooser asked for, in this run */
    uint64_t (*code_hash)(const struct sim_world *world, uintptr_t code); /* or NULL */
    uint16_t chains[SIM_FAULT_CHAIN_COUNT]; /* by hash of the name: index; 0: none */
    uint16_t *chain_next;                   /* by index; as many as `points` and one more */
};

#define SIM_CHECK_LIST_MAX 16u

struct sim_checks {
    struct sim_check_list {
        const struct sim_check *checks;
        size_t count;
    } lists[SIM_CHECK_LIST_MAX]; /* one for each registration */
    uint32_t list_count;
};

struct sim_world {
    struct sim_fault_flags fault_flags; /* first: sim/fault.h reads it there */
    struct sim_outer *outer;
    struct sim_config config;

    uint64_t now_ns;
    uint64_t step_count;
    uint64_t choice_count;
    uint64_t order_hash;
    /*
     * The running task's object id and its CPU's level, for trace records; 0 and 0xFF outside of
     * tasks. Set at every switch, raise and lower.
     */
    uint32_t actor_id;
    uint8_t actor_level;
    bool is_level_high; /* as level_watch was told last */
    void (*level_watch)(struct sim_world *world, bool is_high);
    bool has_ended; /* a finding ended the run: no further step */
    uint32_t cause; /* of what happens now: sim_cause_begin */
    uint32_t cause_next;

    struct sim_memory memory;
    struct sim_objects objects;
    struct sim_paths paths;
    struct sim_queue queue;
    struct sim_counters ordinals;
    struct sim_trace_state trace;
    struct sim_faults faults;
    struct sim_machines machines;
    struct sim_checks checks;
    void *slots[SIM_SLOT_COUNT];
    struct sim_sched sched;
};

void sim_level_tell(struct sim_world *world);

/* Who runs now, at what level; 0xFF outside of tasks. */
static inline void sim_level_note(struct sim_world *world, uint8_t level) {
    world->actor_level = level;
    if (SIM_UNLIKELY(world->level_watch != NULL)) {
        sim_level_tell(world);
    }
}

/* The stepper calls it when an event is delivered or a context goes on. */
static inline void sim_cause_begin(struct sim_world *world, uint32_t cause) {
    world->cause = cause;
    world->cause_next = cause;
}

/* What an event scheduled, a call queued or a task woken now will have as its cause. */
static inline uint32_t sim_cause_next(const struct sim_world *world) {
    return world->cause_next;
}

/* Steps in a row of the context that ran last. */
static inline uint64_t sim_row_count(const struct sim_world *world) {
    return world->step_count - world->sched.row_first_step;
}

/* Due so late that to wait for it would pass over whoever is ready for longer than is allowed. */
static inline bool sim_event_is_far(const struct sim_world *world, const struct sim_event *event) {
    return event->due_ns > world->now_ns &&
           event->due_ns - world->now_ns > world->config.starve_max_ns;
}

/* What a step choice leaves behind besides a deviation. */
static inline void sim_order_mix(struct sim_world *world, uint32_t actor_id, uint32_t object_id) {
    world->order_hash = sim_hash_mix(world->order_hash, (uint64_t)actor_id << 32 | object_id);
}

/* A step choice of `subject` was answered with option 0. */
static inline void sim_choice_count_step(struct sim_world *world, struct sim_object *subject,
                                         uint32_t actor_id, uint32_t object_id) {
    subject->step_choices++;
    world->choice_count++;
    sim_order_mix(world, actor_id, object_id);
}

/* The parts' own starts, saves and restores, called by world.c. */
void sim_trace_init(struct sim_world *world);
void sim_trace_save(struct sim_world *world);
void sim_trace_restore(struct sim_world *world);

/* A run begins: whether its chooser wants to be asked for failures. */
void sim_fault_begin(struct sim_world *world, bool asks_failures);

/* Registers the checks of sim itself. */
void sim_checks_init(struct sim_world *world);

/* Takes the head event out for delivery; the queue must not be empty. */
struct sim_event *sim_event_take(struct sim_world *world);

#endif
