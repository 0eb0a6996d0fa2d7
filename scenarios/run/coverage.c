/* SPDX-License-Identifier: Apache-2.0 */
/* See coverage.h. Watches every record of a run; objects are found through the world's registry. */
#include "run/coverage.h"

#include <sim/memory.h>
#include <stdio.h>
#include <string.h>
#include <vrf/verifier.h>

#define TEXT_FIRST (SCN_COVERAGE_KINDS * SCN_COVERAGE_KINDS)
#define NUMBER_FIRST (TEXT_FIRST + SCN_COVERAGE_TEXTS)
#define CLOSE_PREFIX "ndk.close_"

static const char *const kinds[SCN_COVERAGE_KINDS] = {
    "connector", "cq", "listener", "mr", "mw", "pd", "qp", "shared_endpoint", "srq",
};

/* PRIVATE memory: goes with the run. */
struct watcher {
    struct sim_watch watch;
    struct scn_coverage *coverage;
    uint16_t call_type;
    uint16_t state_type; /* 0: no provider has left such a record yet */
    uint32_t closing_id; /* a connector whose close is in its call ... */
    uint32_t closing_actor_id;
    bool closing_is_known; /* ... and has told its state */
    struct state {
        uint32_t id;
        uint32_t number;
    } * states; /* the provider's last ones, of connectors */
    uint32_t state_count;
    uint32_t state_room;
};

static void see(struct watcher *watcher, uint32_t point) {
    watcher->coverage->bits[point / 64] |= UINT64_C(1) << (point % 64);
}

static uint32_t kind_of(const char *label) {
    uint32_t kind = 0;

    while (kind < SCN_COVERAGE_KINDS && strcmp(kinds[kind], label) != 0)
        kind++;
    return kind;
}

/* ---- Orders ---- */

static bool is_open(const struct sim_object *object) {
    return !object->closed && object->state != NULL && strcmp(object->state, "closing") != 0;
}

static void see_orders(struct watcher *watcher, const struct sim_world *world,
                       const struct sim_object *closed, uint32_t kind) {
    const struct sim_object *other;

    for (uint32_t id = 1; (other = sim_object_by_id(world, id)) != NULL; id++) {
        uint32_t other_kind;

        if (other == closed || other->owner != closed->owner || !is_open(other))
            continue;
        other_kind = kind_of(other->label);
        if (other_kind < SCN_COVERAGE_KINDS)
            see(watcher, kind * SCN_COVERAGE_KINDS + other_kind);
    }
}

/* ---- States of connectors ---- */

static void see_text(struct watcher *watcher, const char *text) {
    for (uint32_t i = 0; i < SCN_COVERAGE_TEXTS && vrf_connector_state_at(i) != NULL; i++)
        if (text != NULL && strcmp(vrf_connector_state_at(i), text) == 0)
            see(watcher, TEXT_FIRST + i);
}

static void see_number(struct watcher *watcher, uint64_t number) {
    if (number < SCN_COVERAGE_NUMBERS)
        see(watcher, NUMBER_FIRST + (uint32_t)number);
}

static struct state *state_of(struct watcher *watcher, uint32_t id) {
    for (uint32_t i = watcher->state_count; i-- > 0;)
        if (watcher->states[i].id == id)
            return &watcher->states[i];
    return NULL;
}

static void keep_state(struct watcher *watcher, struct sim_world *world, uint32_t id,
                       uint32_t number) {
    struct state *state = state_of(watcher, id);

    if (state == NULL) {
        if (watcher->state_count == watcher->state_room) {
            uint32_t room = watcher->state_room * 2 + 16;
            struct state *states = sim_alloc(world, room * sizeof(*states));

            if (watcher->state_count > 0)
                memcpy(states, watcher->states, watcher->state_count * sizeof(*states));
            watcher->states = states;
            watcher->state_room = room;
        }
        state = &watcher->states[watcher->state_count++];
        state->id = id;
    }
    state->number = number;
}

static void on_state(struct watcher *watcher, struct sim_world *world,
                     const struct sim_record *record) {
    uint32_t id = record->object_id[0];

    if (id == watcher->closing_id && record->actor_id == watcher->closing_actor_id &&
        !watcher->closing_is_known) {
        watcher->closing_is_known = true;
        see_number(watcher, record->value[0]);
    }
    keep_state(watcher, world, id, (uint32_t)record->value[1]);
}

/* The close's call has returned: a state that did not change is the one it was closed in. */
static void on_closed(struct watcher *watcher) {
    const struct state *state = state_of(watcher, watcher->closing_id);

    if (!watcher->closing_is_known && state != NULL)
        see_number(watcher, state->number);
    watcher->closing_id = 0;
}

/* ---- Records ---- */

static void on_close(struct watcher *watcher, struct sim_world *world,
                     const struct sim_record *record, const char *label) {
    const struct sim_object *object = sim_object_by_id(world, record->object_id[0]);
    uint32_t kind = kind_of(label);

    if (object == NULL || kind == SCN_COVERAGE_KINDS)
        return;
    see_orders(watcher, world, object, kind);
    if (strcmp(label, "connector") == 0) {
        see_text(watcher, object->state);
        watcher->closing_id = object->id;
        watcher->closing_actor_id = record->actor_id;
        watcher->closing_is_known = false;
    }
}

static void on_record(struct sim_world *world, struct sim_watch *watch,
                      const struct sim_record *record) {
    struct watcher *watcher = SIM_CONTAINER_OF(watch, struct watcher, watch);

    if (record->type == watcher->call_type) {
        const char *name = sim_trace_type_name(world, (uint16_t)record->value[0]);

        if (strncmp(name, CLOSE_PREFIX, strlen(CLOSE_PREFIX)) == 0)
            on_close(watcher, world, record, name + strlen(CLOSE_PREFIX));
    } else if (watcher->state_type == 0 && record->type >= SIM_TRACE_DRIVER) {
        sim_trace_type_find(world, "connector.state", &watcher->state_type);
    }
    if (record->type == watcher->state_type)
        on_state(watcher, world, record);
    else if (watcher->closing_id != 0 && record->object_id[0] == watcher->closing_id &&
             record->actor_id == watcher->closing_actor_id &&
             strcmp(sim_trace_type_name(world, record->type), CLOSE_PREFIX "connector") == 0)
        on_closed(watcher);
}

void scn_coverage_begin(struct sim_world *world, struct scn_coverage *coverage) {
    struct watcher *watcher = sim_alloc(world, sizeof(*watcher));
    bool is_known = sim_trace_type_find(world, "ndk.call", &watcher->call_type);

    SIM_ASSERT(is_known);
    memset(coverage, 0, sizeof(*coverage));
    watcher->coverage = coverage;
    watcher->watch.type = SIM_TRACE_TYPE_COUNT;
    watcher->watch.seen = on_record;
    sim_watch_add(world, &watcher->watch);
}

/* ---- Sums and names ---- */

void scn_coverage_add(struct scn_coverage_sum *sum, const struct scn_coverage *coverage) {
    sum->run_count++;
    for (uint32_t point = 0; point < SCN_COVERAGE_POINTS; point++)
        sum->seen[point] += coverage->bits[point / 64] >> (point % 64) & 1;
}

const char *scn_coverage_name(uint32_t point, char *name, size_t size) {
    const char *text;

    if (point < TEXT_FIRST) {
        snprintf(name, size, "%s before %s", kinds[point / SCN_COVERAGE_KINDS],
                 kinds[point % SCN_COVERAGE_KINDS]);
        return "close_order";
    }
    if (point < NUMBER_FIRST) {
        text = vrf_connector_state_at(point - TEXT_FIRST);
        snprintf(name, size, "%s", text != NULL ? text : "");
        return "connector_at_close";
    }
    snprintf(name, size, "%u", point - NUMBER_FIRST);
    return point < SCN_COVERAGE_POINTS ? "provider_connector_at_close" : NULL;
}

uint32_t scn_coverage_count(const struct scn_coverage_sum *sum, const char *group) {
    uint32_t count = 0;
    char name[64];

    for (uint32_t point = 0; point < SCN_COVERAGE_POINTS; point++)
        count += sum->seen[point] > 0 &&
                 strcmp(scn_coverage_name(point, name, sizeof(name)), group) == 0;
    return count;
}
