/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world: its life, its clock, its stepping and what ends a run.
 *
 *   create -> (set-up: nodes, devices, drivers; may be stepped) -> snapshot -> [run -> reset]* ->
 * destroy
 *
 * A process has at most one world at a time. snapshot keeps the state; reset brings it back for the
 * next run with another seed or chooser. Without a snapshot, destroy and create give a fresh world
 * at the same addresses.
 */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include <sim/base.h>
#include <sim/choice.h>
#include <sim/cpu.h>
#include <sim/event.h>
#include <sim/finding.h>
#include <sim/object.h>

struct sim_config {
    uint64_t seed;
    struct sim_chooser *chooser; /* borrowed; NULL: quiet */
    uint64_t steps_max;          /* 0: 2^40 */
    uint64_t time_max_ns;        /* 0: none; reaching it is a stuck verdict */
    uint64_t starve_max_ns;      /* 0: 50 ms */
    uint64_t check_steps;        /* registered checks are looked at every so many steps; 0: never */
    bool keep_going;             /* rule findings do not end the run */
    bool special_pool;           /* honoured by the kernel's pool */
    /* Whether somebody asked for this finding; NULL: nobody does. Asked once for each. */
    bool (*is_expected)(void *context, const struct sim_finding *finding);
    void *expected_context;
};

struct sim_world *sim_world_create(const struct sim_config *config);
void sim_world_destroy(struct sim_world *world);
void sim_world_snapshot(struct sim_world *world);
void sim_world_reset(struct sim_world *world, const struct sim_config *config);
const struct sim_config *sim_world_config(const struct sim_world *world);

/* Called in registration order at snapshot (save) and reset (restore): module segments, shadows. */
struct sim_world_hook {
    void (*save)(void *context);
    void (*restore)(void *context);
    void *context;
};
void sim_world_hook_add(struct sim_world *world, const struct sim_world_hook *hook);

/* A root object each module may hang its own state on; slots are module constants. */
enum sim_world_slot {
    SIM_SLOT_KERNEL,
    SIM_SLOT_VERIFIER,
    SIM_SLOT_NET,
    SIM_SLOT_RNIC,
    SIM_SLOT_SCENARIO,
    SIM_SLOT_DEVICES,
    SIM_SLOT_COUNT,
};
void *sim_world_slot(const struct sim_world *world, enum sim_world_slot slot);
void sim_world_slot_set(struct sim_world *world, enum sim_world_slot slot, void *state);
/* The world that is running or being set up, NULL for none. For signal handlers and assertions. */
struct sim_world *sim_world_active(void);

uint64_t sim_seed(const struct sim_world *world);
uint64_t sim_step_count(const struct sim_world *world);
uint64_t sim_choice_count(const struct sim_world *world);

enum sim_run_end {
    SIM_RUN_IDLE,        /* nothing runnable and no event: all tasks wait, or there are none */
    SIM_RUN_FINDING,     /* a finding ended it */
    SIM_RUN_UNTIL,       /* `until` answered true, or the time limit of this call was reached */
    SIM_RUN_LIMIT,       /* steps_max or time_max_ns of the configuration */
    SIM_RUN_INTERRUPTED, /* sim_run_interrupt */
};

/*
 * Steps the world until something ends it. `until_ns` (SIM_TIME_NEVER for none) is a virtual time.
 *
 * `until` (may be NULL) sees the world only. It is asked at the start, after each delivery of an
 * event, whenever a context is left for another one, waits, spins, ends or has gone its row of
 * 1,000 points: at places that the choices decide, so that runs stay equal. A condition that comes
 * and goes while one context runs on may be missed.
 */
enum sim_run_end sim_run(struct sim_world *world, bool (*until)(struct sim_world *, void *),
                         void *context, uint64_t until_ns);

/* Async-signal-safe: the current or next sim_run returns SIM_RUN_INTERRUPTED. */
void sim_run_interrupt(void);
/* Forgets an interrupt that no sim_run has taken: what follows is to be done in spite of it. */
void sim_run_interrupt_forget(void);

/*
 * Visits every context that cannot go on: thread tasks that wait (what, why, since), spinners (key,
 * holder). In birth order. For stuck verdicts and their cycles.
 */
struct sim_blocked {
    struct sim_object *task;
    struct sim_object *what;   /* waited for; may be NULL */
    struct sim_object *holder; /* of a spin; may be NULL */
    const char *why;
    uint64_t since_ns;
    uint64_t deadline_ns;
    void *context; /* sim_task_context */
};
void sim_blocked_visit(struct sim_world *world,
                       void (*visit)(void *context, const struct sim_blocked *blocked),
                       void *context);

/* A context as it stands between steps, blocked or not. Those that ended are not visited. */
struct sim_standing {
    struct sim_object *task;
    struct sim_cpu *cpu;
    enum sim_layer layer;
    enum sim_task_state state;
    uint8_t level;              /* its own */
    bool is_left_behind;        /* a finding that ended the run stopped it */
    bool is_idle;               /* a CPU's layer that runs nothing */
    struct sim_object *subject; /* of the call that a layer runs; else what it is about to touch */
    struct sim_object *what;    /* waited for, or about to be touched */
    const char *why;            /* of a wait, else NULL */
    struct sim_object *holder;  /* of what it spins on; may be NULL */
    uint64_t steps;             /* of the world, that were its own */
    uint64_t since_ns;
    uint64_t deadline_ns;
};
void sim_standing_visit(struct sim_world *world,
                        void (*visit)(void *context, const struct sim_standing *standing),
                        void *context);
/* Its stack, as a site; without frames for one that is idle. */
void sim_site_of_standing(struct sim_site *site, const char *what,
                          const struct sim_standing *standing);

#endif
