/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fault registry. A point's byte in the world's fault_flags is set while some plan names it
 * and plans are switched on, so that a passing nobody planned for costs one test.
 *
 *   plan:  waiting for its event --seen after_nth times--> armed --passings--> fires
 *
 * A passing counts for a plan when subject, class, time window and arming hold; then `nth`,
 * `count_max` and probability decide. Every plan of the point counts the passing, even when an
 * earlier plan fires: adding a plan must not move the numbers of another.
 */
#include <string.h>

#include "record_types.h"
#include "world.h"

struct sim_fault_entry {
    struct sim_fault_plan plan;
    struct sim_watch watch; /* of after_event */
    uint32_t seen_count;
    uint32_t number; /* from 0 */
    struct sim_fault_entry *next;
};

#define POINTS_FIRST 64u

/* A point's byte of the world's fault_flags. */
#define FLAG_PLANNED 1u
#define FLAG_ASKED 2u /* its failures are choices */

/* Memory of a world is never given back; doubling wastes less than the half. */
static void points_grow(struct sim_world *world) {
    struct sim_faults *faults = &world->faults;
    uint32_t capacity = faults->point_capacity > 0 ? 2 * faults->point_capacity : POINTS_FIRST;
    struct sim_fault_point **points = sim_alloc(world, capacity * sizeof(*points));
    uint16_t *chain_next = sim_alloc(world, (capacity + 1) * sizeof(*chain_next));

    if (faults->point_count > 0) {
        memcpy(points, faults->points, faults->point_count * sizeof(*points));
        memcpy(chain_next, faults->chain_next, (faults->point_count + 1) * sizeof(*chain_next));
    }
    faults->points = points;
    faults->chain_next = chain_next;
    faults->point_capacity = capacity;
}

void sim_fault_register(struct sim_world *world, struct sim_fault_point *const *points,
                        size_t count) {
    struct sim_faults *faults = &world->faults;

    for (size_t i = 0; i < count; i++) {
        uint16_t *chain;

        SIM_ASSERT(sim_fault_point_find(world, points[i]->name) == NULL);
        SIM_ASSERT(faults->point_count < SIM_FAULT_POINT_COUNT_MAX);
        if (faults->point_count == faults->point_capacity) {
            points_grow(world);
        }
        faults->points[faults->point_count++] = points[i];
        points[i]->index = (uint16_t)faults->point_count;
        chain = &faults->chains[sim_hash_text(points[i]->name) % SIM_FAULT_CHAIN_COUNT];
        faults->chain_next[points[i]->index] = *chain;
        *chain = points[i]->index;
    }
}

size_t sim_fault_point_count(const struct sim_world *world) {
    return world->faults.point_count;
}

const struct sim_fault_point *sim_fault_point_at(const struct sim_world *world, size_t index) {
    return index < world->faults.point_count ? world->faults.points[index] : NULL;
}

const struct sim_fault_point *sim_fault_point_find(const struct sim_world *world,
                                                   const char *name) {
    const struct sim_faults *faults = &world->faults;
    uint16_t index = faults->chains[sim_hash_text(name) % SIM_FAULT_CHAIN_COUNT];

    while (index != 0 && strcmp(faults->points[index - 1]->name, name) != 0) {
        index = faults->chain_next[index];
    }
    return index != 0 ? faults->points[index - 1] : NULL;
}

static bool may_fail(const struct sim_fault_point *point) {
    return strcmp(point->layer, "resource") == 0 || strcmp(point->layer, "driver") == 0;
}

static void set_flags(struct sim_world *world) {
    const struct sim_faults *faults = &world->faults;

    memset(&world->fault_flags, 0, sizeof(world->fault_flags));
    if (faults->is_off) {
        return;
    }
    for (uint32_t i = 0; faults->asks_failures && i < faults->point_count; i++) {
        world->fault_flags.planned[i + 1] = may_fail(faults->points[i]) ? FLAG_ASKED : 0;
    }
    for (const struct sim_fault_entry *entry = world->faults.first; entry != NULL;
         entry = entry->next) {
        world->fault_flags.planned[entry->plan.point->index] |= FLAG_PLANNED;
    }
}

static void on_event(struct sim_world *world, struct sim_watch *watch,
                     const struct sim_record *record) {
    struct sim_fault_entry *entry = SIM_CONTAINER_OF(watch, struct sim_fault_entry, watch);
    uint32_t wanted = entry->plan.after_nth == 0 ? 1 : entry->plan.after_nth;

    (void)world;
    (void)record;
    if (++entry->seen_count == wanted) {
        entry->plan.armed = true;
    }
}

struct sim_fault_plan *sim_fault_plan_add(struct sim_world *world,
                                          const struct sim_fault_plan *plan) {
    struct sim_faults *faults = &world->faults;
    struct sim_fault_entry *entry = sim_alloc(world, sizeof(*entry));

    SIM_ASSERT(plan->point != NULL && plan->point->index != 0);
    entry->plan = *plan;
    entry->plan.passed_count = 0;
    entry->plan.fired_count = 0;
    entry->plan.fired_ns = 0;
    entry->plan.armed = plan->after_event == NULL;
    entry->number = (uint32_t)faults->plan_count++;
    if (plan->after_event != NULL) {
        entry->watch.type = sim_trace_type_of(world, plan->after_event);
        entry->watch.pattern = plan->after_object;
        entry->watch.seen = on_event;
        sim_watch_add(world, &entry->watch);
    }
    if (faults->last != NULL) {
        faults->last->next = entry;
    } else {
        faults->first = entry;
    }
    faults->last = entry;
    set_flags(world);
    return &entry->plan;
}

size_t sim_fault_plan_count(const struct sim_world *world) {
    return world->faults.plan_count;
}

struct sim_fault_plan *sim_fault_plan_at(const struct sim_world *world, size_t index) {
    struct sim_fault_entry *entry = world->faults.first;

    while (entry != NULL && index-- > 0) {
        entry = entry->next;
    }
    return entry != NULL ? &entry->plan : NULL;
}

const struct sim_fault_plan *sim_fault_silent(const struct sim_world *world) {
    for (const struct sim_fault_entry *entry = world->faults.first; entry != NULL;
         entry = entry->next) {
        if (entry->plan.fired_count != 0 && entry->plan.point->silent) {
            return &entry->plan;
        }
    }
    return NULL;
}

void sim_fault_enable(struct sim_world *world, bool on) {
    if (world->faults.is_off == !on) {
        return;
    }
    world->faults.is_off = !on;
    set_flags(world);
    sim_trace(world, SIM_RECORD_FAULT_ENABLE, SIM_ACCESS_NONE, NULL, NULL, NULL, on ? 1 : 0, 0);
}

static bool is_passing(const struct sim_world *world, const struct sim_fault_plan *plan,
                       const struct sim_fault_point *point, const struct sim_object *subject,
                       const char *class_name) {
    /* A module's copy of a point that another one brought has its number, not its place. */
    return plan->point->index == point->index && plan->armed && world->now_ns >= plan->from_ns &&
           (plan->to_ns == 0 || world->now_ns < plan->to_ns) &&
           (plan->class_pattern == NULL ||
            (class_name != NULL && sim_text_matches(class_name, plan->class_pattern))) &&
           (plan->subject == NULL || sim_object_matches(subject, plan->subject));
}

static const struct sim_option options[2] = {{.label = "no"}, {.label = "fire"}};

/* A fault that an exploring chooser may fire; quiet never does. */
static bool choose_free(struct sim_world *world, const char *topic, struct sim_object *subject,
                        uint32_t free_ppm) {
    const struct sim_choice choice = {
        .kind = SIM_CHOICE_FAULT,
        .topic = topic,
        .subject = subject,
        .options = options,
        .option_count = SIM_ARRAY_COUNT(options),
        .free_ppm = free_ppm,
    };

    return sim_choose(world, &choice) == 1;
}

static bool decides_to_fire(struct sim_world *world, const struct sim_fault_plan *plan,
                            struct sim_object *subject) {
    if ((plan->nth != 0 && plan->passed_count != plan->nth) ||
        (plan->count_max != 0 && plan->fired_count >= plan->count_max)) {
        return false;
    }
    if (plan->ppm != 0) {
        return sim_choose_fault(world, plan->point->name, subject, plan->ppm);
    }
    return plan->free_ppm == 0 || choose_free(world, plan->point->name, subject, plan->free_ppm);
}

void sim_fault_code_hash_set(struct sim_world *world,
                             uint64_t (*code_hash)(const struct sim_world *world, uintptr_t code)) {
    world->faults.code_hash = code_hash;
}

void sim_fault_begin(struct sim_world *world, bool asks_failures) {
    if (world->faults.asks_failures != asks_failures) {
        world->faults.asks_failures = asks_failures;
        set_flags(world);
    }
}

/* The drivers' part of the calls that led here. */
static uint64_t path_here(const struct sim_world *world, const struct sim_fault_point *point) {
    uintptr_t frames[SIM_FINDING_FRAMES];
    uint8_t count =
        sim_site_walk((uintptr_t)__builtin_frame_address(0), frames, SIM_FINDING_FRAMES);
    uint64_t path = sim_hash_text(point->name);

    for (uint8_t i = 0; world->faults.code_hash != NULL && i < count; i++) {
        uint64_t code = world->faults.code_hash(world, frames[i] - 1);

        path = code != 0 ? sim_hash_mix(path, code) : path;
    }
    return path;
}

static bool choose_failure(struct sim_world *world, const struct sim_fault_point *point,
                           struct sim_object *subject) {
    const struct sim_choice choice = {
        .kind = SIM_CHOICE_FAILURE,
        .topic = point->name,
        .subject = subject,
        .options = options,
        .option_count = SIM_ARRAY_COUNT(options),
        .path = path_here(world, point),
    };

    if (sim_choose(world, &choice) != 1) {
        return false;
    }
    world->faults.chosen_count++;
    return true;
}

uint32_t sim_fault_chosen_count(const struct sim_world *world) {
    return world->faults.chosen_count;
}

/* What no plan fired. */
static bool fails_here(struct sim_world *world, const struct sim_fault_point *point,
                       struct sim_object *subject, uint64_t *parameter) {
    if ((world->fault_flags.planned[point->index] & FLAG_ASKED) == 0 || subject == NULL ||
        !choose_failure(world, point, subject)) {
        return false;
    }
    if (parameter != NULL) {
        *parameter = 0;
    }
    sim_trace(world, SIM_RECORD_FAULT_FIRE, SIM_ACCESS_NONE, subject, NULL, NULL, UINT32_MAX, 0);
    return true;
}

bool sim_fault_hit_slow(struct sim_world *world, const struct sim_fault_point *point,
                        struct sim_object *subject, uint64_t *parameter) {
    return sim_fault_hit_class_slow(world, point, subject, NULL, parameter);
}

bool sim_fault_hit_class_slow(struct sim_world *world, const struct sim_fault_point *point,
                              struct sim_object *subject, const char *class_name,
                              uint64_t *parameter) {
    const struct sim_fault_entry *fired = NULL;

    for (struct sim_fault_entry *entry = world->faults.first; entry != NULL; entry = entry->next) {
        struct sim_fault_plan *plan = &entry->plan;

        if (!is_passing(world, plan, point, subject, class_name)) {
            continue;
        }
        plan->passed_count++;
        if (fired == NULL && decides_to_fire(world, plan, subject)) {
            plan->fired_count++;
            plan->fired_ns = world->now_ns;
            fired = entry;
        }
    }
    if (fired == NULL) {
        return fails_here(world, point, subject, parameter);
    }
    if (parameter != NULL) {
        *parameter = fired->plan.parameter;
    }
    sim_trace(world, SIM_RECORD_FAULT_FIRE, SIM_ACCESS_NONE, subject, NULL, NULL, fired->number,
              fired->plan.parameter);
    return true;
}
