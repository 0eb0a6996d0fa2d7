/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See coverage.h. Watches every record of a run; objects are found through the world's registry.
 * Points are numbered group by group; orders of events come last, a square of them.
 */
#include "run/coverage.h"

#include <sim/fault.h>
#include <sim/machine.h>
#include <sim/memory.h>
#include <sim/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vrf/verifier.h>

#define KINDS 9u /* of NDK objects below an adapter */
#define TEXTS 24u
#define NUMBERS 64u
#define MACHINES 16u
#define OWNERS 16u /* consumers whose orders are seen */
#define EVENTS_ORDERED_MAX 256u
#define CLOSE_PREFIX "ndk.close_"

enum {
    TEXT_FIRST = KINDS * KINDS,
    NUMBER_FIRST = TEXT_FIRST + TEXTS,
    EVENT_FIRST = NUMBER_FIRST + NUMBERS
};

static const char *const kinds[KINDS] = {
    "connector", "cq", "listener", "mr", "mw", "pd", "qp", "shared_endpoint", "srq",
};

/* A consumer's events of a run: when each came first and last, by its number among the ordered. */
struct moments {
    uint32_t owner_id;                  /* 0: free */
    uint32_t first[EVENTS_ORDERED_MAX]; /* record number; 0: it did not come */
    uint32_t last[EVENTS_ORDERED_MAX];
};

/* A machine's points: its states, then its transitions, by the number of both states. */
struct machine {
    const struct sim_machine *self;
    uint32_t first;
    uint16_t type; /* 0: no driver has left such a record yet */
};

struct scn_coverage_map {
    const struct sim_world *world;
    uint16_t point_of[SIM_TRACE_DRIVER];   /* events, less EVENT_FIRST, plus 1; 0: none */
    uint16_t ordered_of[SIM_TRACE_DRIVER]; /* plus 1; 0: not looked at */
    uint16_t ordered[EVENTS_ORDERED_MAX];  /* types */
    uint16_t *types;                       /* by event point */
    uint32_t event_count;
    uint32_t ordered_count;
    uint32_t fault_first;
    uint32_t fault_count;
    uint32_t state_first;
    uint32_t order_first;
    struct machine machines[MACHINES];
    uint32_t machine_count;
    struct moments moments[OWNERS]; /* of the run */
};

/* PRIVATE memory: goes with the run. */
struct watcher {
    struct sim_watch watch;
    struct scn_coverage_map *map;
    uint64_t *bits;
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

static void set_bit(uint64_t *bits, uint32_t point) {
    bits[point / 64] |= UINT64_C(1) << (point % 64);
}

static void see(struct watcher *watcher, uint32_t point) {
    set_bit(watcher->bits, point);
}

static uint32_t kind_of(const char *label) {
    uint32_t kind = 0;

    while (kind < KINDS && strcmp(kinds[kind], label) != 0)
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
        if (other_kind < KINDS)
            see(watcher, kind * KINDS + other_kind);
    }
}

/* ---- States of connectors ---- */

static void see_text(struct watcher *watcher, const char *text) {
    for (uint32_t i = 0; i < TEXTS && vrf_connector_state_at(i) != NULL; i++)
        if (text != NULL && strcmp(vrf_connector_state_at(i), text) == 0)
            see(watcher, TEXT_FIRST + i);
}

static void see_number(struct watcher *watcher, uint64_t number) {
    if (number < NUMBERS)
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

    if (object == NULL || kind == KINDS)
        return;
    see_orders(watcher, world, object, kind);
    if (strcmp(label, "connector") == 0) {
        see_text(watcher, object->state);
        watcher->closing_id = object->id;
        watcher->closing_actor_id = record->actor_id;
        watcher->closing_is_known = false;
    }
}

/* ---- Machines ---- */

static void see_step(struct watcher *watcher, const struct machine *machine,
                     const struct sim_record *record) {
    const struct sim_machine *self = machine->self;
    uint64_t from = self->is_packed ? record->value[0] >> 8 : record->value[0];
    uint64_t to = self->is_packed ? record->value[0] & 0xFF : record->value[1];

    if (from >= self->state_count || to >= self->state_count)
        return;
    see(watcher, machine->first + (uint32_t)from);
    see(watcher, machine->first + (uint32_t)to);
    see(watcher, machine->first + self->state_count * (1 + (uint32_t)from) + (uint32_t)to);
}

static void see_machines(struct watcher *watcher, const struct sim_world *world,
                         const struct sim_record *record) {
    struct scn_coverage_map *map = watcher->map;

    for (uint32_t i = 0; i < map->machine_count; i++) {
        struct machine *machine = &map->machines[i];

        if (machine->type == 0 && record->type >= SIM_TRACE_DRIVER)
            sim_trace_type_find(world, machine->self->event, &machine->type);
        if (machine->type == record->type && record->type != 0)
            see_step(watcher, machine, record);
    }
}

/* ---- Events and their orders ---- */

static struct moments *moments_of(struct scn_coverage_map *map, uint32_t owner_id) {
    for (uint32_t i = 0; i < OWNERS; i++) {
        struct moments *moments = &map->moments[i];

        if (moments->owner_id == 0) {
            memset(moments, 0, sizeof(*moments));
            moments->owner_id = owner_id;
        }
        if (moments->owner_id == owner_id)
            return moments;
    }
    return NULL;
}

static void see_moment(struct watcher *watcher, const struct sim_world *world,
                       const struct sim_record *record, uint32_t number) {
    const struct sim_object *object = sim_object_by_id(world, record->object_id[0]);
    struct moments *moments;

    if (object == NULL || object->owner == NULL)
        return;
    moments = moments_of(watcher->map, object->owner->id);
    if (moments == NULL)
        return;
    if (moments->first[number] == 0)
        moments->first[number] = record->sequence;
    moments->last[number] = record->sequence;
}

static void see_event(struct watcher *watcher, const struct sim_world *world,
                      const struct sim_record *record) {
    const struct scn_coverage_map *map = watcher->map;

    if (record->type >= SIM_TRACE_DRIVER)
        return;
    if (map->point_of[record->type] != 0)
        see(watcher, EVENT_FIRST + map->point_of[record->type] - 1u);
    if (map->ordered_of[record->type] != 0)
        see_moment(watcher, world, record, map->ordered_of[record->type] - 1u);
}

static void see_pairs(const struct scn_coverage_map *map, const struct moments *moments,
                      uint64_t *bits) {
    for (uint32_t one = 0; one < map->ordered_count; one++) {
        if (moments->first[one] == 0)
            continue;
        for (uint32_t other = 0; other < map->ordered_count; other++)
            if (other != one && moments->last[other] > moments->first[one])
                set_bit(bits, map->order_first + one * map->ordered_count + other);
    }
}

static void on_record(struct sim_world *world, struct sim_watch *watch,
                      const struct sim_record *record) {
    struct watcher *watcher = SIM_CONTAINER_OF(watch, struct watcher, watch);

    see_event(watcher, world, record);
    see_machines(watcher, world, record);
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

void scn_coverage_begin(struct sim_world *world, struct scn_coverage_map *map, uint64_t *bits) {
    struct watcher *watcher = sim_alloc(world, sizeof(*watcher));
    bool is_known = sim_trace_type_find(world, "ndk.call", &watcher->call_type);

    SIM_ASSERT(is_known);
    memset(bits, 0, scn_coverage_words(map) * sizeof(*bits));
    for (uint32_t i = 0; i < OWNERS; i++)
        map->moments[i].owner_id = 0;
    /* Numbers of drivers' events are a run's own. */
    for (uint32_t i = 0; i < map->machine_count; i++)
        if (map->machines[i].type >= SIM_TRACE_DRIVER)
            map->machines[i].type = 0;
    watcher->map = map;
    watcher->bits = bits;
    watcher->watch.type = SIM_TRACE_TYPE_COUNT;
    watcher->watch.seen = on_record;
    sim_watch_add(world, &watcher->watch);
}

void scn_coverage_end(struct sim_world *world, struct scn_coverage_map *map, uint64_t *bits) {
    for (size_t i = 0; i < sim_fault_plan_count(world); i++) {
        const struct sim_fault_plan *plan = sim_fault_plan_at(world, i);

        for (uint32_t k = 0; plan->fired_count > 0 && k < map->fault_count; k++)
            if (sim_fault_point_at(world, k) == plan->point)
                set_bit(bits, map->fault_first + k);
    }
    for (uint32_t i = 0; i < OWNERS && map->moments[i].owner_id != 0; i++)
        see_pairs(map, &map->moments[i], bits);
}

/* ---- The map ---- */

/* Events of NDK, but for the calls' beginnings, which are the same function's. */
static bool is_ordered(uint16_t type, const char *name) {
    return type >= SIM_TRACE_NDK && type < SIM_TRACE_SCENARIO && strcmp(name, "ndk.call") != 0;
}

static void add_event(struct scn_coverage_map *map, uint16_t type, const char *name) {
    map->types[map->event_count++] = type;
    map->point_of[type] = (uint16_t)map->event_count;
    if (is_ordered(type, name) && map->ordered_count < EVENTS_ORDERED_MAX) {
        map->ordered[map->ordered_count++] = type;
        map->ordered_of[type] = (uint16_t)map->ordered_count;
    }
}

static void add_machine(struct scn_coverage_map *map, const struct sim_machine *self) {
    struct machine *machine = &map->machines[map->machine_count++];

    machine->self = self;
    machine->first = map->order_first;
    sim_trace_type_find(map->world, self->event, &machine->type);
    map->order_first += self->state_count * (1 + self->state_count);
}

struct scn_coverage_map *scn_coverage_map_create(const struct sim_world *world) {
    struct scn_coverage_map *map = calloc(1, sizeof(*map));

    SIM_ASSERT(map != NULL);
    map->world = world;
    map->types = calloc(SIM_TRACE_DRIVER, sizeof(*map->types));
    SIM_ASSERT(map->types != NULL);
    for (uint32_t type = 0; type < SIM_TRACE_DRIVER; type++) {
        const char *name = sim_trace_type_name(world, (uint16_t)type);

        if (strcmp(name, "?") != 0)
            add_event(map, (uint16_t)type, name);
    }
    map->fault_first = EVENT_FIRST + map->event_count;
    map->fault_count = (uint32_t)sim_fault_point_count(world);
    map->state_first = map->fault_first + map->fault_count;
    map->order_first = map->state_first;
    for (size_t i = 0; i < sim_machine_count(world) && i < MACHINES; i++)
        add_machine(map, sim_machine_at(world, i));
    return map;
}

void scn_coverage_map_free(struct scn_coverage_map *map) {
    if (map != NULL)
        free(map->types);
    free(map);
}

uint32_t scn_coverage_point_count(const struct scn_coverage_map *map) {
    return map->order_first + map->ordered_count * map->ordered_count;
}

bool scn_coverage_is_open(const struct scn_coverage_map *map, uint32_t point) {
    return point >= map->order_first || (point >= NUMBER_FIRST && point < EVENT_FIRST);
}

/* "ndk.event.cq" is "event.cq" where all are NDK's. */
static const char *short_name(const struct scn_coverage_map *map, uint32_t number) {
    const char *name = sim_trace_type_name(map->world, map->ordered[number]);

    return strncmp(name, "ndk.", 4) == 0 ? name + 4 : name;
}

/* "connector: Idle", "connector: Idle to ReqSent"; "" for a step that no machine makes. */
static const char *machine_name(const struct scn_coverage_map *map, uint32_t point, char *name,
                                size_t size) {
    const struct machine *machine = &map->machines[map->machine_count - 1];
    const struct sim_machine *self;
    uint32_t from, to;

    while (point < machine->first)
        machine--;
    self = machine->self;
    point -= machine->first;
    if (point < self->state_count) {
        snprintf(name, size, "%s: %s", self->name, self->states[point]);
        return "state";
    }
    from = point / self->state_count - 1;
    to = point % self->state_count;
    if ((self->next[from] >> to & 1) != 0)
        snprintf(name, size, "%s: %s to %s", self->name, self->states[from], self->states[to]);
    else
        name[0] = '\0';
    return "transition";
}

const char *scn_coverage_name(const struct scn_coverage_map *map, uint32_t point, char *name,
                              size_t size) {
    const char *text;

    if (point < TEXT_FIRST) {
        snprintf(name, size, "%s before %s", kinds[point / KINDS], kinds[point % KINDS]);
        return "close_order";
    }
    if (point < NUMBER_FIRST) {
        text = vrf_connector_state_at(point - TEXT_FIRST);
        snprintf(name, size, "%s", text != NULL ? text : "");
        return "connector_at_close";
    }
    if (point < EVENT_FIRST) {
        snprintf(name, size, "%u", point - NUMBER_FIRST);
        return "provider_connector_at_close";
    }
    if (point < map->fault_first) {
        snprintf(name, size, "%s",
                 sim_trace_type_name(map->world, map->types[point - EVENT_FIRST]));
        return "event";
    }
    if (point >= map->state_first && point < map->order_first)
        return machine_name(map, point, name, size);
    if (point < map->state_first) {
        snprintf(name, size, "%s", sim_fault_point_at(map->world, point - map->fault_first)->name);
        return "fault";
    }
    point -= map->order_first;
    snprintf(name, size, "%s before %s", short_name(map, point / map->ordered_count),
             short_name(map, point % map->ordered_count));
    return "order";
}
