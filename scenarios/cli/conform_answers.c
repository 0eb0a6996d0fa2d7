/* SPDX-License-Identifier: Apache-2.0 */
/* See conform_answers.h. */
#include "cli/conform_answers.h"

#include <sim/memory.h>
#include <sim/trace.h>
#include <stdio.h>
#include <string.h>

#define STATUS_PENDING 0x00000103u
#define STATUS_NOT_IMPLEMENTED 0xC0000002u
#define STATUS_NOT_SUPPORTED 0xC00000BBu

#define DONE ".done"

struct watcher {
    struct sim_watch watch;
    struct scn_answers *answers;
};

static void on_record(struct sim_world *world, struct sim_watch *watch,
                      const struct sim_record *record) {
    struct scn_answers *answers = SIM_CONTAINER_OF(watch, struct watcher, watch)->answers;
    uint32_t status = (uint32_t)record->value[0], index = record->type - SIM_TRACE_NDK;

    (void)world;
    if (record->type < SIM_TRACE_NDK || index >= SCN_ANSWERS_MAX || status == STATUS_PENDING)
        return;
    if (status == STATUS_NOT_SUPPORTED || status == STATUS_NOT_IMPLEMENTED)
        answers->declined[index]++;
    else
        answers->other[index]++;
}

void scn_answers_begin(struct sim_world *world, struct scn_answers *answers) {
    struct watcher *watcher = sim_alloc(world, sizeof(*watcher));

    memset(answers, 0, sizeof(*answers));
    watcher->answers = answers;
    watcher->watch.type = SIM_TRACE_TYPE_COUNT;
    watcher->watch.seen = on_record;
    sim_watch_add(world, &watcher->watch);
}

/* A provider may decline these and be whole: extensions are none, moderation has a flag. */
static bool may_be_declined(const char *name) {
    return strcmp(name, "ndk.query_extension") == 0 ||
           strcmp(name, "ndk.control_cq_interrupt_moderation") == 0;
}

static bool is_lacking(const struct sim_world *world, const struct scn_answers *answers,
                       uint32_t index, const char *name) {
    uint32_t declined = answers->declined[index], other = answers->other[index];
    char done[64];
    uint16_t type;

    snprintf(done, sizeof(done), "%s" DONE, name);
    if (sim_trace_type_find(world, done, &type) && type < SIM_TRACE_NDK + SCN_ANSWERS_MAX) {
        declined += answers->declined[type - SIM_TRACE_NDK];
        other += answers->other[type - SIM_TRACE_NDK];
    }
    return declined > 0 && other == 0 && !may_be_declined(name);
}

bool scn_answers_lack(const struct sim_world *world, const struct scn_answers *answers, char *text,
                      size_t size) {
    uint16_t end = SIM_TRACE_NDK;

    sim_trace_type_find(world, "ndk.call", &end);
    for (uint32_t i = 0; i < SCN_ANSWERS_MAX && SIM_TRACE_NDK + i < end; i++) {
        const char *name = sim_trace_type_name(world, (uint16_t)(SIM_TRACE_NDK + i));

        if (strstr(name, DONE) != NULL || !is_lacking(world, answers, i, name))
            continue;
        snprintf(text, size, "this provider answers that it does not support %s", name);
        return true;
    }
    return false;
}
