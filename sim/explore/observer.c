/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See observer.h. All memory is host memory that is kept from run to run; entries of another run
 * are known by their number, so that a run begins without clearing anything.
 */
#include "observer.h"

#include <sim/trace.h>

#include "../world.h"

#define VALUE_MAX                                                                                  \
    4096u /* larger values are no statuses, states or names: counts, sizes, offsets                \
           */

struct seen_object {
    uint32_t run;
    uint32_t life;
    uint64_t kind_hash;
    uint64_t last; /* event, status and actor of the last record about it */
    const char *state;
};

struct sim_observer {
    const char *const *life_events;
    const char *pattern; /* NULL: whatever has a life */
    bool wants_features;
    uint32_t run;
    struct seen_object *objects; /* by id - 1 */
    size_t object_capacity;
    struct sim_hashset features;            /* of this run */
    uint8_t life_of_type[SIM_TRACE_DRIVER]; /* 0: not asked yet; else 1 + life bits */
};

struct watcher {
    struct sim_watch watch;
    struct sim_observer *observer;
};

struct sim_observer *sim_observer_create(const char *const *life_events, const char *pattern) {
    struct sim_observer *observer = calloc(1, sizeof(*observer));

    SIM_ASSERT(observer != NULL);
    observer->life_events = life_events;
    observer->pattern = pattern;
    return observer;
}

void sim_observer_destroy(struct sim_observer *observer) {
    if (observer != NULL) {
        sim_hashset_free(&observer->features);
        free(observer->objects);
        free(observer);
    }
}

void sim_observer_begin(struct sim_observer *observer, bool wants_features) {
    observer->wants_features = wants_features;
    observer->run++;
    sim_hashset_empty(&observer->features);
}

/* ---- Objects ---- */

/* Of the name without its numbers. */
static uint64_t kind_of(const struct sim_object *object) {
    uint64_t hash = SIM_HASH_TEXT_START;

    for (; object != NULL; object = object->owner) {
        hash = sim_hash_mix(hash, sim_hash_text(object->label));
    }
    return hash;
}

static struct seen_object *seen(struct sim_observer *observer, const struct sim_world *world,
                                uint32_t id) {
    struct seen_object *object;

    if (id > observer->object_capacity) {
        size_t capacity = observer->object_capacity * 2 + 1024;

        capacity = capacity < id ? id : capacity;
        observer->objects = realloc(observer->objects, capacity * sizeof(*observer->objects));
        SIM_ASSERT(observer->objects != NULL);
        memset(observer->objects + observer->object_capacity, 0,
               (capacity - observer->object_capacity) * sizeof(*observer->objects));
        observer->object_capacity = capacity;
    }
    object = &observer->objects[id - 1];
    if (object->run != observer->run) {
        *object = (struct seen_object){.run = observer->run,
                                       .kind_hash = kind_of(sim_object_by_id(world, id))};
    }
    return object;
}

/* ---- Life ---- */

static bool is_life_event(const struct sim_observer *observer, const struct sim_world *world,
                          uint16_t type) {
    const char *name = sim_trace_type_name(world, type);

    for (const char *const *pattern = observer->life_events; *pattern != NULL; pattern++) {
        if (sim_text_matches(name, *pattern)) {
            return true;
        }
    }
    return false;
}

static uint32_t life_of(struct sim_observer *observer, const struct sim_world *world,
                        const struct sim_record *record) {
    uint8_t *known = &observer->life_of_type[record->type];

    if (*known == 0) {
        *known = 1;
        if (observer->life_events == NULL || is_life_event(observer, world, record->type)) {
            *known = 2;
        }
    }
    if (*known == 1) {
        return 0;
    }
    switch (record->access) {
    case SIM_ACCESS_CREATE:
        return SIM_LIFE_CREATED;
    case SIM_ACCESS_CLOSE:
        return SIM_LIFE_CLOSED;
    default:
        return observer->life_events != NULL ? SIM_LIFE_OTHER : 0;
    }
}

/* What is created is the second object of a record, where there is one. */
static void note_life(struct sim_observer *observer, const struct sim_world *world,
                      const struct sim_record *record) {
    uint32_t life = record->type < SIM_TRACE_DRIVER ? life_of(observer, world, record) : 0;
    uint32_t at = life == SIM_LIFE_CREATED && record->object_id[1] != 0 ? 1 : 0;

    if (life != 0 && record->object_id[at] != 0) {
        seen(observer, world, record->object_id[at])->life |= life;
    }
}

/* ---- Features ---- */

static uint64_t moment_of(struct sim_observer *observer, const struct sim_world *world,
                          const struct sim_record *record) {
    uint64_t actor = record->actor_id != 0 ? seen(observer, world, record->actor_id)->kind_hash : 0;
    uint64_t value = record->value[0] < VALUE_MAX ? record->value[0] : VALUE_MAX;

    return sim_hash_mix(sim_hash_mix(actor, record->type), value);
}

static void note_feature(struct sim_observer *observer, const struct sim_world *world, uint32_t id,
                         uint64_t moment) {
    struct seen_object *object = seen(observer, world, id);
    const char *state = sim_object_by_id(world, id)->state;

    sim_hashset_add(&observer->features,
                    sim_hash_mix(sim_hash_mix(object->kind_hash, object->last), moment));
    if (state != object->state && state != NULL) {
        uint64_t before = object->state != NULL ? sim_hash_text(object->state) : 0;

        sim_hashset_add(&observer->features, sim_hash_mix(sim_hash_mix(object->kind_hash, before),
                                                          sim_hash_text(state)));
        object->state = state;
    }
    object->last = moment;
}

static void on_record(struct sim_world *world, struct sim_watch *watch,
                      const struct sim_record *record) {
    struct sim_observer *observer = SIM_CONTAINER_OF(watch, struct watcher, watch)->observer;

    if (observer->pattern == NULL) {
        note_life(observer, world, record);
    }
    if (observer->wants_features) {
        uint64_t moment = moment_of(observer, world, record);

        for (uint32_t i = 0; i < 2 && record->object_id[i] != 0; i++) {
            note_feature(observer, world, record->object_id[i], moment);
        }
    }
}

void sim_observer_watch(struct sim_observer *observer, struct sim_world *world) {
    struct watcher *watcher = sim_alloc(world, sizeof(*watcher));

    watcher->observer = observer;
    watcher->watch.type = SIM_TRACE_TYPE_COUNT;
    watcher->watch.seen = on_record;
    sim_watch_add(world, &watcher->watch);
}

/* ---- What is told ---- */

static int by_value(const void *a, const void *b) {
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return one < other ? -1 : one > other;
}

uint32_t sim_observer_features(struct sim_observer *observer, const struct sim_hashset *known,
                               uint64_t features[SIM_NOTE_FEATURE_MAX]) {
    const struct sim_hashset *own = &observer->features;
    uint64_t *fresh;
    uint32_t count = 0;

    if (own->count == 0) {
        return 0;
    }
    fresh = malloc(own->count * sizeof(*fresh));
    SIM_ASSERT(fresh != NULL);
    for (size_t i = 0; i < own->capacity; i++) {
        if (own->slots[i] != 0 && !sim_hashset_has(known, own->slots[i])) {
            fresh[count++] = own->slots[i];
        }
    }
    qsort(fresh, count, sizeof(*fresh), by_value);
    count = count < SIM_NOTE_FEATURE_MAX ? count : SIM_NOTE_FEATURE_MAX;
    memcpy(features, fresh, count * sizeof(*fresh));
    free(fresh);
    return count;
}

/* Each object of the world, by its name. */
static void find_by_pattern(struct sim_observer *observer, const struct sim_world *world) {
    uint32_t count = sim_object_count(world);

    for (uint32_t id = 1; id <= count; id++) {
        if (sim_object_matches(sim_object_by_id(world, id), observer->pattern)) {
            seen(observer, world, id)->life = SIM_LIFE_ASKED;
        }
    }
}

uint32_t sim_observer_objects(struct sim_observer *observer, const struct sim_world *world,
                              const struct sim_hashmap *known,
                              struct sim_note_object objects[SIM_NOTE_OBJECT_MAX]) {
    uint32_t count = 0;

    if (observer->pattern != NULL) {
        find_by_pattern(observer, world);
    }
    for (uint32_t i = 0; i < observer->object_capacity && count < SIM_NOTE_OBJECT_MAX; i++) {
        const struct seen_object *object = &observer->objects[i];
        const struct sim_object *named;

        if (object->run != observer->run || object->life == 0) {
            continue;
        }
        named = sim_object_by_id(world, i + 1);
        if (sim_hashmap_find(known, named->name_hash) == NULL) {
            objects[count++] = (struct sim_note_object){.name_hash = named->name_hash,
                                                        .kind_hash = object->kind_hash,
                                                        .life = object->life};
        }
    }
    return count;
}
