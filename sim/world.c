/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world's life: create, snapshot, reset, destroy; its hooks and slots.
 *
 * A reset brings back, in this order: memory and stacks, the recorded tail of the trace, the
 * scheduler's view, then the hooks of the modules; then the chooser begins the new run. Findings
 * and deviations of the run before are gone.
 */
#include <stdlib.h>
#include <string.h>

#include "outer.h"

#define RECORDER_COUNT_MAX (UINT64_C(8) << 20)
#define STEPS_MAX_DEFAULT (UINT64_C(1) << 40)
#define STARVE_MAX_NS_DEFAULT (50 * SIM_NS_PER_MS)

static struct sim_outer *active;

/*
 * For debuggers (scenarios/debugger/ndksim-gdb.py): where contexts are, as words that need no debug
 * information. A change of order or meaning is another version.
 */
extern const uint64_t *const sim_debug_layout[18];
__attribute__((used)) const uint64_t *const sim_debug_layout[18] = {
#define OFFSET(type, member) (const uint64_t *)offsetof(struct type, member)
    (const uint64_t *)1,
    (const uint64_t *)(const void *)&active,
    (const uint64_t *)(const void *)&sim_task_running,
    OFFSET(sim_outer, world),
    OFFSET(sim_world, sched.live_first),
    OFFSET(sim_task, live_next),
    OFFSET(sim_task, stack_pointer),
    OFFSET(sim_task, cpu),
    OFFSET(sim_task, why),
    OFFSET(sim_task, what),
    OFFSET(sim_task, state),
    OFFSET(sim_task, layer),
    OFFSET(sim_task, level),
    OFFSET(sim_object, label),
    OFFSET(sim_object, owner),
    OFFSET(sim_object, index),
    OFFSET(sim_object, naming),
    OFFSET(sim_task, call),
#undef OFFSET
};

struct sim_world *sim_world_active(void) {
    return active != NULL ? active->world : NULL;
}

static enum sim_asked asked_of(const struct sim_outer *outer) {
    if (outer->chooser == outer->quiet) {
        return SIM_ASKED_NOBODY;
    }
    return outer->chooser->goes_on != NULL ? SIM_ASKED_CHOOSER : SIM_ASKED_SCHEDULER;
}

static void begin_run(struct sim_world *world, const struct sim_config *config) {
    struct sim_outer *outer = world->outer;

    world->config = *config;
    if (config->steps_max == 0) {
        world->config.steps_max = STEPS_MAX_DEFAULT;
    }
    if (config->starve_max_ns == 0) {
        world->config.starve_max_ns = STARVE_MAX_NS_DEFAULT;
    }
    outer->chooser = config->chooser != NULL ? config->chooser : outer->quiet;
    sim_sched_begin(world, asked_of(outer));
    if (outer->chooser->begin != NULL) {
        outer->chooser->begin(outer->chooser, config->seed);
    }
    sim_fault_begin(world, outer->chooser->asks_failures);
    outer->recorder.count = 0;
    outer->recorder.is_named = false;
    outer->finding_count = 0;
    outer->finding_left_out = 0;
    outer->finding_errors = 0;
}

static void end_run(struct sim_outer *outer) {
    if (outer->chooser->end != NULL) {
        outer->chooser->end(outer->chooser);
    }
}

static void free_outer(struct sim_outer *outer) {
    sim_memory_close(outer);
    sim_span_close(&outer->recorder.raw);
    free(outer->recorder.named);
    free(outer->recorder.texts);
    free(outer->ring);
    free(outer->findings);
    sim_chooser_destroy(outer->quiet);
    free(outer);
}

struct sim_world *sim_world_create(const struct sim_config *config) {
    struct sim_outer *outer = calloc(1, sizeof(*outer));
    struct sim_world *world;

    SIM_ASSERT(active == NULL && outer != NULL);
    outer->ring = calloc(SIM_TRACE_RING_COUNT, sizeof(*outer->ring));
    outer->findings = calloc(SIM_FINDING_COUNT_MAX, sizeof(*outer->findings));
    outer->quiet = sim_chooser_quiet_create();
    outer->stack_top = (uintptr_t)__builtin_frame_address(0);
    world = sim_memory_open(outer);
    if (world == NULL || outer->ring == NULL || outer->findings == NULL ||
        !sim_span_open(&outer->recorder.raw, NULL,
                       RECORDER_COUNT_MAX * sizeof(struct sim_raw_deviation))) {
        free_outer(outer);
        return NULL;
    }
    outer->world = world;
    active = outer;
    world->outer = outer;
    world->actor_level = UINT8_MAX;
    sim_memory_init(world);
    sim_trace_init(world);
    begin_run(world, config);
    sim_sched_init(world);
    sim_checks_init(world);
    return world;
}

void sim_world_destroy(struct sim_world *world) {
    struct sim_outer *outer;

    if (world == NULL) {
        return;
    }
    outer = world->outer;
    end_run(outer);
    sim_sched_deinit(world);
    active = NULL;
    free_outer(outer);
}

void sim_world_snapshot(struct sim_world *world) {
    struct sim_outer *outer = world->outer;

    SIM_ASSERT(sim_task_current() == NULL && !world->has_ended);
    outer->recorder.count = 0;
    outer->recorder.is_named = false;
    outer->hook_count_kept = outer->hook_count;
    for (uint32_t i = 0; i < outer->hook_count; i++) {
        if (outer->hooks[i].save != NULL) {
            outer->hooks[i].save(outer->hooks[i].context);
        }
    }
    sim_trace_save(world);
    sim_memory_save(world);
    outer->has_snapshot = true;
}

void sim_world_reset(struct sim_world *world, const struct sim_config *config) {
    struct sim_outer *outer = world->outer;
    struct sim_config next = *config;

    SIM_ASSERT(outer->has_snapshot && sim_task_current() == NULL);
    end_run(outer);
    sim_memory_restore(world);
    sim_trace_restore(world);
    sim_sched_restored(world);
    outer->hook_count = outer->hook_count_kept;
    for (uint32_t i = 0; i < outer->hook_count; i++) {
        if (outer->hooks[i].restore != NULL) {
            outer->hooks[i].restore(outer->hooks[i].context);
        }
    }
    begin_run(world, &next);
}

const struct sim_config *sim_world_config(const struct sim_world *world) {
    return &world->config;
}

void sim_world_hook_add(struct sim_world *world, const struct sim_world_hook *hook) {
    struct sim_outer *outer = world->outer;

    SIM_ASSERT(outer->hook_count < SIM_HOOK_COUNT_MAX);
    outer->hooks[outer->hook_count++] = *hook;
}

void *sim_world_slot(const struct sim_world *world, enum sim_world_slot slot) {
    return world->slots[slot];
}

void sim_world_slot_set(struct sim_world *world, enum sim_world_slot slot, void *state) {
    world->slots[slot] = state;
}

uint64_t sim_now_ns(const struct sim_world *world) {
    return world->now_ns;
}

uint64_t sim_seed(const struct sim_world *world) {
    return world->config.seed;
}

uint64_t sim_step_count(const struct sim_world *world) {
    return world->step_count;
}

uint64_t sim_choice_count(const struct sim_world *world) {
    return world->choice_count;
}
