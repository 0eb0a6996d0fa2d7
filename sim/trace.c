/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trace records: digest, ring, watches, sink. A record costs a few nanoseconds when nobody
 * watches: the digest takes its seven words side by side and then one step of the chain.
 *
 * The ring lies in host memory. After a reset it holds again the last records before the snapshot
 * (as many as were kept), so that a report never shows records of another run.
 */
#include <string.h>

#include "outer.h"

static uint64_t turn(uint64_t value, unsigned bits) {
    return value << bits | value >> (64 - bits);
}

/*
 * Neighbouring fields are written as one word, of which the first field is the lower half: to write
 * them one by one and to read them as a word for the digest costs more than all the rest.
 */
#define FIELDS(record, first) ((unsigned char *)(record) + offsetof(struct sim_record, first))

static inline void put_word(unsigned char *fields, uint64_t word) {
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    word = word << 32 | word >> 32;
#endif
    memcpy(fields, &word, sizeof(word));
}

/* Sequence, type, access and level, in this order from the lowest bits on. */
static inline void put_head(struct sim_record *record, uint64_t word) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    put_word(FIELDS(record, sequence), word);
#else
    record->sequence = (uint32_t)word;
    record->type = (uint16_t)(word >> 32);
    record->access = (uint8_t)(word >> 48);
    record->level = (uint8_t)(word >> 56);
#endif
}

_Static_assert(offsetof(struct sim_record, level) == offsetof(struct sim_record, sequence) + 7,
               "the head is a word");
_Static_assert(offsetof(struct sim_record, object_id) == offsetof(struct sim_record, actor_id) + 4,
               "the actor and the first object are a word");
_Static_assert(offsetof(struct sim_record, choice) == offsetof(struct sim_record, cause) + 4,
               "the cause and the count of choices are a word");

static bool concerns(const struct sim_world *world, const struct sim_record *record,
                     const char *pattern) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(record->object_id); i++) {
        const struct sim_object *object = sim_object_by_id(world, record->object_id[i]);

        if (object != NULL && sim_object_matches(object, pattern)) {
            return true;
        }
    }
    return false;
}

static void call_watches(struct sim_world *world, struct sim_watch *watch,
                         const struct sim_record *record, uint16_t type) {
    for (; watch != NULL; watch = watch->next) {
        if (watch->type == type &&
            (watch->pattern == NULL || concerns(world, record, watch->pattern))) {
            watch->seen(world, watch, record);
            SIM_ASSERT(world->trace.sequence == record->sequence);
        }
    }
}

/* Somebody watches. Returns the record's number. */
static SIM_NOINLINE uint32_t show(struct sim_world *world, const struct sim_record *record) {
    struct sim_trace_state *trace = &world->trace;
    struct sim_sink *sink = world->outer->sink;

    if (sink != NULL && sink->record != NULL) {
        world->outer->is_telling = true;
        sink->record(sink, world, record);
        world->outer->is_telling = false;
    }
    if (trace->watched[record->type]) {
        call_watches(world, trace->watches[record->type % SIM_WATCH_LIST_COUNT], record,
                     record->type);
    }
    call_watches(world, trace->every, record, SIM_TRACE_TYPE_COUNT);
    return record->sequence;
}

static uint32_t id_of(const struct sim_object *object) {
    return object != NULL ? object->id : 0;
}

uint32_t sim_trace(struct sim_world *world, uint16_t type, enum sim_access access,
                   struct sim_object *first, struct sim_object *second, struct sim_object *third,
                   uint64_t value0, uint64_t value1) {
    struct sim_trace_state *trace = &world->trace;
    struct sim_outer *outer = world->outer;
    uint32_t sequence = ++trace->sequence;
    struct sim_record *record = &outer->ring[sequence % SIM_TRACE_RING_COUNT];
    /* Words are made of the fields' values: the digest is equal on every host. */
    uint64_t word = sequence | (uint64_t)type << 32 | (uint64_t)(uint8_t)access << 48 |
                    (uint64_t)world->actor_level << 56;
    uint64_t sum;

    SIM_ASSERT(type < SIM_TRACE_TYPE_COUNT && sequence != 0);
    record->time_ns = world->now_ns;
    sum = world->now_ns * UINT64_C(0x9E3779B185EBCA87);
    put_head(record, word);
    sum += turn(word * UINT64_C(0xC2B2AE3D27D4EB4F), 29);
    word = world->actor_id | (uint64_t)id_of(first) << 32;
    put_word(FIELDS(record, actor_id), word);
    sum ^= turn(word * UINT64_C(0x165667B19E3779F9), 17);
    word = id_of(second) | (uint64_t)id_of(third) << 32;
    put_word(FIELDS(record, object_id[1]), word);
    sum += turn(word * UINT64_C(0x85EBCA77C2B2AE63), 43);
    word = world->cause | world->choice_count << 32;
    put_word(FIELDS(record, cause), word);
    sum ^= turn(word * UINT64_C(0x27D4EB2F165667C5), 11);
    record->value[0] = value0;
    sum += turn(value0 * UINT64_C(0xFF51AFD7ED558CCD), 37);
    record->value[1] = value1;
    sum ^= turn(value1 * UINT64_C(0xC4CEB9FE1A85EC53), 23);
    trace->digest = sim_hash_mix(trace->digest, sum);
    world->cause_next = sequence;
    if (SIM_UNLIKELY(trace->watched[type] || trace->every != NULL || outer->sink != NULL)) {
        return show(world, record);
    }
    return sequence;
}

uint32_t sim_trace_cause(const struct sim_world *world) {
    return world->cause;
}

uint64_t sim_digest(const struct sim_world *world) {
    return world->trace.digest;
}

uint64_t sim_trace_count(const struct sim_world *world) {
    return world->trace.sequence;
}

const struct sim_record *sim_trace_last(const struct sim_world *world, uint32_t back) {
    uint32_t sequence = world->trace.sequence;

    if (back >= SIM_TRACE_RING_COUNT || back >= sequence - world->outer->ring_floor) {
        return NULL;
    }
    return &world->outer->ring[(sequence - back) % SIM_TRACE_RING_COUNT];
}

void sim_trace_save(struct sim_world *world) {
    struct sim_outer *outer = world->outer;
    uint32_t count = 0;

    for (; count < SIM_RING_KEPT_COUNT; count++) {
        const struct sim_record *record = sim_trace_last(world, count);

        if (record == NULL) {
            break;
        }
        outer->ring_kept[count] = *record;
    }
    outer->ring_kept_floor = world->trace.sequence - count;
}

void sim_trace_restore(struct sim_world *world) {
    struct sim_outer *outer = world->outer;
    uint32_t sequence = world->trace.sequence;

    outer->ring_floor = outer->ring_kept_floor;
    for (uint32_t back = 0; back < sequence - outer->ring_floor; back++) {
        outer->ring[(sequence - back) % SIM_TRACE_RING_COUNT] = outer->ring_kept[back];
    }
}

void sim_watch_add(struct sim_world *world, struct sim_watch *watch) {
    struct sim_trace_state *trace = &world->trace;
    struct sim_watch **link;

    SIM_ASSERT(watch->type <= SIM_TRACE_TYPE_COUNT);
    SIM_ASSERT(sim_region_of(world, watch) == SIM_REGION_PRIVATE);
    if (watch->type == SIM_TRACE_TYPE_COUNT) {
        link = &trace->every;
    } else {
        trace->watched[watch->type] = 1;
        link = &trace->watches[watch->type % SIM_WATCH_LIST_COUNT];
    }
    while (*link != NULL) {
        link = &(*link)->next;
    }
    watch->next = NULL;
    *link = watch;
}

void sim_sink_set(struct sim_world *world, struct sim_sink *sink) {
    world->outer->sink = sink;
}

void sim_text(struct sim_world *world, struct sim_object *who, const char *text) {
    struct sim_sink *sink = world->outer->sink;

    if (sink != NULL && sink->text != NULL) {
        world->outer->is_telling = true;
        sink->text(sink, world, who, text);
        world->outer->is_telling = false;
    }
}
