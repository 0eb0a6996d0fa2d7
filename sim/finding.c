/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings and call sites. A site is taken by walking frame pointers between the bounds of the
 * current stack: x86-64 and arm64 both keep {caller's frame, return address} where the frame
 * pointer points. Code built without frame pointers shortens the walk and cannot derail it: a
 * frame must lie above the one before it and inside the stack.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "outer.h"

static const struct {
    enum sim_verdict verdict;
    const char *name;
} verdict_names[] = {
    {SIM_VERDICT_HELD, "held"},
    {SIM_VERDICT_EXPECTATION, "expectation failed"},
    {SIM_VERDICT_USAGE, "invalid input"},
    {SIM_VERDICT_RULE, "rule broken"},
    {SIM_VERDICT_STUCK, "stuck"},
    {SIM_VERDICT_DIFFERED, "runs differed"},
    {SIM_VERDICT_BUGCHECK, "bugcheck"},
    {SIM_VERDICT_GONE, "did not recur"},
    {SIM_VERDICT_INTERRUPTED, "interrupted"},
    {SIM_VERDICT_INTERNAL, "internal error"},
};

const char *sim_verdict_name(enum sim_verdict verdict) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(verdict_names); i++) {
        if (verdict_names[i].verdict == verdict) {
            return verdict_names[i].name;
        }
    }
    return "?";
}

void sim_finding_init(struct sim_finding *finding, enum sim_verdict verdict, const char *id,
                      const char *name) {
    memset(finding, 0, sizeof(*finding));
    finding->verdict = verdict;
    finding->severity = SIM_SEVERITY_ERROR;
    snprintf(finding->id, sizeof(finding->id), "%s", id);
    snprintf(finding->name, sizeof(finding->name), "%s", name != NULL ? name : "");
}

void sim_finding_say(struct sim_finding *finding, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(finding->sentence, sizeof(finding->sentence), format, arguments);
    va_end(arguments);
}

void sim_finding_detail(struct sim_finding *finding, const char *format, ...) {
    size_t at = strlen(finding->detail);
    va_list arguments;

    if (at != 0 && at + 1 < sizeof(finding->detail)) {
        finding->detail[at++] = '\n';
        finding->detail[at] = '\0';
    }
    va_start(arguments, format);
    vsnprintf(finding->detail + at, sizeof(finding->detail) - at, format, arguments);
    va_end(arguments);
}

void sim_finding_object(struct sim_finding *finding, struct sim_object *object) {
    if (object == NULL || finding->object_count == SIM_FINDING_OBJECTS) {
        return;
    }
    for (uint32_t i = 0; i < finding->object_count; i++) {
        if (finding->objects[i] == object) {
            return;
        }
    }
    finding->objects[finding->object_count++] = object;
}

#if defined(__x86_64__) || defined(__aarch64__)
/* Reads frames of code that a sanitizer watches, redzones between them included. */
__attribute__((no_sanitize("address", "undefined"))) static uint8_t
walk(uintptr_t frame, uintptr_t low, uintptr_t high, uintptr_t *frames, uint8_t count_max) {
    uint8_t count = 0;

    while (count < count_max && frame >= low && frame % sizeof(uintptr_t) == 0 &&
           frame <= high - 2 * sizeof(uintptr_t)) {
        const uintptr_t *words = (const uintptr_t *)frame;

        if (words[1] == 0) {
            break;
        }
        frames[count++] = words[1];
        if (words[0] <= frame) {
            break;
        }
        frame = words[0];
    }
    return count;
}
#endif

static void capture_frames(struct sim_site *site, uintptr_t frame, uintptr_t low, uintptr_t high) {
#if defined(__x86_64__) || defined(__aarch64__)
    site->frame_count = walk(frame, low, high, site->frames, SIM_FINDING_FRAMES);
#else
    (void)site;
    (void)frame;
    (void)low;
    (void)high;
#endif
}

void sim_site_capture(struct sim_site *site, const char *what) {
    struct sim_task *task = sim_task_current();
    struct sim_world *world = sim_world_active();
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    uintptr_t low = frame;
    uintptr_t high;

    memset(site, 0, sizeof(*site));
    site->what = what;
    if (world == NULL) {
        return;
    }
    site->time_ns = world->now_ns;
    site->level = world->actor_level;
    high = world->outer->stack_top;
    if (task != NULL) {
        site->actor = sim_task_object(task);
        sim_task_stack(task, &low, &high);
    }
    if (frame < high) {
        capture_frames(site, frame, low, high);
    }
}

void sim_site_of_blocked(struct sim_site *site, const char *what,
                         const struct sim_blocked *blocked) {
    const struct sim_task *task = (const struct sim_task *)blocked->task;

    memset(site, 0, sizeof(*site));
    site->what = what;
    site->actor = blocked->task;
    site->time_ns = blocked->since_ns;
    site->level = task->level;
    capture_frames(site, task->wait_frame, task->stack_low, task->stack_high);
}

void sim_site_of_frame(struct sim_site *site, const char *what, struct sim_task *task,
                       uintptr_t frame) {
    memset(site, 0, sizeof(*site));
    site->what = what;
    site->actor = sim_task_object(task);
    site->time_ns = task->world->now_ns;
    site->level = task->level;
    capture_frames(site, frame, task->stack_low, task->stack_high);
}

void sim_finding_site_here(struct sim_finding *finding, const char *what) {
    if (finding->site_count < SIM_ARRAY_COUNT(finding->sites)) {
        sim_site_capture(&finding->sites[finding->site_count++], what);
    }
}

uint8_t sim_site_walk(uintptr_t frame, uintptr_t *frames, uint8_t count_max) {
    const struct sim_task *task = sim_task_current();
    uintptr_t low;
    uintptr_t high;

    if (task == NULL) {
        return 0;
    }
    sim_task_stack(task, &low, &high);
#if defined(__x86_64__) || defined(__aarch64__)
    return walk(frame, low, high, frames, count_max);
#else
    (void)frame;
    (void)frames;
    (void)count_max;
    return 0;
#endif
}

/*
 * Labels and states, not numbers: the same failure at another object is the same failure, and so it
 * is of another driver of the same role ("consumer init" and "consumer target"). Where there is a
 * site, it says more than a state, which for one and the same bug may be any of several.
 */
static uint64_t signature_of(const struct sim_finding *finding) {
    uint64_t hash = sim_hash_text(finding->id);
    size_t role = strcspn(finding->guilty, " ");

    hash = sim_hash_bytes(hash, finding->guilty, role);
    for (uint32_t i = 0; i < finding->object_count; i++) {
        const struct sim_object *object = finding->objects[i];

        hash = sim_hash_mix(hash, sim_hash_text(object->label));
        if (finding->site_count == 0) {
            hash = sim_hash_mix(hash, object->state != NULL ? sim_hash_text(object->state) : 0);
        }
    }
    return hash;
}

static bool ends_run(const struct sim_world *world, const struct sim_finding *finding) {
    return finding->severity == SIM_SEVERITY_ERROR &&
           !(world->config.keep_going && finding->verdict == SIM_VERDICT_RULE);
}

/* How many places a finding may see taken and still get one. */
static size_t places_for(const struct sim_finding *finding, bool is_expected, bool ends) {
    if (ends) {
        return SIM_FINDING_COUNT_MAX;
    }
    if (finding->severity == SIM_SEVERITY_ERROR && !is_expected) {
        return SIM_FINDING_COUNT_MAX - 1;
    }
    return SIM_FINDING_COUNT_MAX - SIM_FINDING_UNEXPECTED;
}

static void keep(struct sim_world *world, const struct sim_finding *finding, bool ends) {
    const struct sim_config *config = &world->config;
    struct sim_outer *outer = world->outer;
    struct sim_finding *kept;
    bool is_expected =
        config->is_expected != NULL && config->is_expected(config->expected_context, finding);

    outer->finding_errors += finding->severity == SIM_SEVERITY_ERROR;
    if (outer->finding_count >= places_for(finding, is_expected, ends)) {
        outer->finding_left_out++;
        return;
    }
    kept = &outer->findings[outer->finding_count++];
    *kept = *finding;
    kept->expected = is_expected;
    kept->time_ns = world->now_ns;
    kept->sequence = world->trace.sequence;
    kept->signature = signature_of(finding);
}

void sim_find(struct sim_world *world, const struct sim_finding *finding) {
    bool ends;

    if (finding->severity == SIM_SEVERITY_OFF) {
        return;
    }
    ends = ends_run(world, finding);
    keep(world, finding, ends);
    if (ends) {
        world->has_ended = true;
        if (sim_task_current() != NULL) {
            sim_step_abandon();
        }
    }
}

size_t sim_finding_count(const struct sim_world *world) {
    return world->outer->finding_count;
}

bool sim_has_ended(const struct sim_world *world) {
    return world->has_ended;
}

uint64_t sim_finding_left_out(const struct sim_world *world) {
    return world->outer->finding_left_out;
}

uint64_t sim_finding_errors(const struct sim_world *world) {
    return world->outer->finding_errors;
}

const struct sim_finding *sim_finding_at(const struct sim_world *world, size_t index) {
    SIM_ASSERT(index < world->outer->finding_count);
    return &world->outer->findings[index];
}
