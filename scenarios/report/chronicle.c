/* SPDX-License-Identifier: Apache-2.0 */
/* See chronicle.h. */
#include "report/chronicle.h"

#include <krn/driver.h>
#include <sim/run.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAYING_COUNT_MAX 2048u

struct scn_chronicle *scn_chronicle_create(uint32_t room) {
    struct scn_chronicle *chronicle = calloc(1, sizeof(*chronicle));

    SIM_ASSERT(chronicle != NULL && room > 0);
    chronicle->room = room;
    /* Untouched pages of it cost nothing. */
    chronicle->moments = calloc(room, sizeof(*chronicle->moments));
    chronicle->sayings = calloc(SAYING_COUNT_MAX, sizeof(*chronicle->sayings));
    SIM_ASSERT(chronicle->moments != NULL && chronicle->sayings != NULL);
    return chronicle;
}

void scn_chronicle_destroy(struct scn_chronicle *chronicle) {
    if (chronicle == NULL)
        return;
    free(chronicle->moments);
    free(chronicle->sayings);
    free(chronicle);
}

void scn_chronicle_clear(struct scn_chronicle *chronicle) {
    chronicle->first = 0;
    chronicle->last = 0;
    chronicle->saying_count = 0;
}

/* What drivers do themselves: calls, pool, what they trace. The rest has no line of theirs. */
static bool is_by_driver(const struct sim_record *record) {
    return record->actor_id != 0 &&
           (record->type >= SIM_TRACE_NDK ||
            (record->type >= SIM_TRACE_KERNEL && record->type < SIM_TRACE_NET));
}

static uintptr_t code_of(struct sim_world *world) {
    uintptr_t frames[SIM_FINDING_FRAMES];
    uint8_t count =
        sim_site_walk((uintptr_t)__builtin_frame_address(0), frames, SIM_FINDING_FRAMES);

    for (uint8_t i = 0; i < count; i++)
        if (krn_driver_of_code(world, (const void *)(frames[i] - 1)) != NULL)
            return frames[i];
    return 0;
}

void scn_chronicle_record(struct scn_chronicle *chronicle, struct sim_world *world,
                          const struct sim_record *record) {
    struct scn_moment *moment = &chronicle->moments[record->sequence % chronicle->room];

    moment->record = *record;
    moment->code = is_by_driver(record) ? code_of(world) : 0;
    if (chronicle->first == 0)
        chronicle->first = record->sequence;
    if (record->sequence - chronicle->first >= chronicle->room)
        chronicle->first = record->sequence - chronicle->room + 1;
    chronicle->last = record->sequence;
}

void scn_chronicle_text(struct scn_chronicle *chronicle, struct sim_world *world,
                        const struct sim_object *who, const char *text) {
    struct scn_saying *saying = &chronicle->sayings[chronicle->saying_count++ % SAYING_COUNT_MAX];

    saying->time_ns = sim_now_ns(world);
    saying->sequence = chronicle->last;
    saying->who_id = who != NULL ? who->id : 0;
    saying->code = code_of(world);
    snprintf(saying->text, sizeof(saying->text), "%s", text);
}

const struct scn_moment *scn_chronicle_at(const struct scn_chronicle *chronicle,
                                          uint32_t sequence) {
    if (chronicle->first == 0 || sequence < chronicle->first || sequence > chronicle->last)
        return NULL;
    return &chronicle->moments[sequence % chronicle->room];
}

const struct scn_saying *scn_chronicle_saying(const struct scn_chronicle *chronicle,
                                              uint32_t back) {
    if (back >= SAYING_COUNT_MAX || back >= chronicle->saying_count)
        return NULL;
    return &chronicle->sayings[(chronicle->saying_count - 1 - back) % SAYING_COUNT_MAX];
}
