/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of trace types: tables that modules register, names that drivers bring at run time, and
 * the text of a record.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "outer.h"
#include "record_types.h"

#define DRIVER_NAME_COUNT_MAX (SIM_TRACE_TYPE_COUNT - SIM_TRACE_DRIVER)

_Static_assert(SIM_NAME_HIT_COUNT == 1u << (64 - 58), "six bits of a hash choose the hit");

static const char *const access_names[] = {
    [SIM_ACCESS_NONE] = "",         [SIM_ACCESS_READ] = "read",   [SIM_ACCESS_WRITE] = "write",
    [SIM_ACCESS_CREATE] = "create", [SIM_ACCESS_CLOSE] = "close", [SIM_ACCESS_LOCK] = "lock",
};

/* The entry of a number, from 1. */
static struct sim_trace_name *entry_of(const struct sim_trace_state *trace, uint16_t number) {
    return &trace->name_pages[(number - 1u) / SIM_NAME_PAGE_COUNT]
                             [(number - 1u) % SIM_NAME_PAGE_COUNT];
}

/* The number of a name's entry, 0 for a name that nobody has used. */
static uint16_t find(const struct sim_trace_state *trace, const char *name, uint64_t hash) {
    uint16_t number = trace->name_chains[hash % SIM_NAME_CHAIN_COUNT];

    while (number != 0 && strcmp(entry_of(trace, number)->name, name) != 0) {
        number = entry_of(trace, number)->next;
    }
    return number;
}

static uint16_t add(struct sim_world *world, const char *name, uint64_t hash, uint16_t type) {
    struct sim_trace_state *trace = &world->trace;
    uint16_t *chain = &trace->name_chains[hash % SIM_NAME_CHAIN_COUNT];
    uint16_t number = ++trace->name_count;

    SIM_ASSERT(number <= SIM_TRACE_TYPE_COUNT);
    if ((number - 1u) % SIM_NAME_PAGE_COUNT == 0) {
        trace->name_pages[(number - 1u) / SIM_NAME_PAGE_COUNT] =
            sim_alloc(world, SIM_NAME_PAGE_COUNT * sizeof(struct sim_trace_name));
    }
    *entry_of(trace, number) = (struct sim_trace_name){.name = name, .type = type, .next = *chain};
    *chain = number;
    return number;
}

void sim_trace_register(struct sim_world *world, uint16_t first_type, const char *const *names,
                        uint16_t count) {
    SIM_ASSERT(count <= SIM_TRACE_DRIVER && first_type <= SIM_TRACE_DRIVER - count);
    for (uint16_t i = 0; i < count; i++) {
        uint64_t hash = sim_hash_text(names[i]);

        /* A name that has a number keeps it: two would make triggers miss. */
        SIM_ASSERT(find(&world->trace, names[i], hash) == 0);
        (void)add(world, names[i], hash, (uint16_t)(first_type + i));
    }
}

/* The entry of a name, made if need be; NULL when there are no numbers left. */
static const struct sim_trace_name *find_or_add(struct sim_world *world, const char *name) {
    struct sim_trace_state *trace = &world->trace;
    uint16_t *hit = &trace->name_hits[(uintptr_t)name * UINT64_C(0x9E3779B97F4A7C15) >> 58];
    uint16_t number = *hit;
    uint64_t hash;

    /* A text mostly comes from the place from which it came before. */
    if (number != 0 && strcmp(entry_of(trace, number)->name, name) == 0) {
        return entry_of(trace, number);
    }
    hash = sim_hash_text(name);
    number = find(trace, name, hash);
    if (number == 0 && trace->driver_name_count == DRIVER_NAME_COUNT_MAX) {
        return NULL;
    }
    if (number == 0) {
        number = add(world, sim_text_keep(world, name), hash,
                     (uint16_t)(SIM_TRACE_DRIVER + trace->driver_name_count++));
    }
    *hit = number;
    return entry_of(trace, number);
}

uint16_t sim_trace_type_of(struct sim_world *world, const char *name) {
    const struct sim_trace_name *found = find_or_add(world, name);

    /* The last number is for all names beyond it: a driver must not be able to end the program. */
    return found != NULL ? found->type : SIM_TRACE_TYPE_COUNT - 1;
}

const char *sim_trace_name_keep(struct sim_world *world, const char *name) {
    const struct sim_trace_name *found = find_or_add(world, name);

    return found != NULL ? found->name : "?";
}

bool sim_trace_type_find(const struct sim_world *world, const char *name, uint16_t *type) {
    uint16_t number = find(&world->trace, name, sim_hash_text(name));

    *type = number != 0 ? entry_of(&world->trace, number)->type : SIM_TRACE_TYPE_COUNT;
    return number != 0;
}

const char *sim_trace_type_name(const struct sim_world *world, uint16_t type) {
    const struct sim_trace_state *trace = &world->trace;

    for (uint16_t number = 1; number <= trace->name_count; number++) {
        if (entry_of(trace, number)->type == type) {
            return entry_of(trace, number)->name;
        }
    }
    return "?";
}

#define RECORD_NAME(suffix, name) name,
void sim_trace_init(struct sim_world *world) {
    static const char *const names[] = {SIM_RECORD_TYPES(RECORD_NAME)};

    sim_trace_register(world, SIM_RECORD_FIRST + 1, names, SIM_ARRAY_COUNT(names));
}

/* Appends formatted text at `at`, cut to the buffer; returns the new end. */
SIM_PRINTF(4, 5)
static size_t append(char *buffer, size_t size, size_t at, const char *format, ...) {
    va_list arguments;
    int count;

    va_start(arguments, format);
    count = vsnprintf(buffer + at, size - at, format, arguments);
    va_end(arguments);
    if (count < 0) {
        return at;
    }
    return (size_t)count < size - at ? at + (size_t)count : size - 1;
}

void sim_trace_status_types(struct sim_world *world, uint16_t first, size_t count) {
    for (size_t type = first; type < first + count; type++) {
        world->outer->status_types[type / 64] |= UINT64_C(1) << (type % 64);
    }
}

void sim_trace_status_namer(struct sim_world *world, const char *(*namer)(uint32_t status)) {
    world->outer->status_namer = namer;
}

const char *sim_trace_status_name(const struct sim_world *world, uint32_t status) {
    return world->outer->status_namer != NULL ? world->outer->status_namer(status) : NULL;
}

static size_t append_values(const struct sim_world *world, const struct sim_record *record,
                            char *buffer, size_t size, size_t at) {
    const struct sim_outer *outer = world->outer;
    uint32_t status = (uint32_t)record->value[0];
    const char *name = NULL;

    if (record->value[0] == 0 && record->value[1] == 0) {
        return at;
    }
    if ((outer->status_types[record->type / 64] >> (record->type % 64) & 1) == 0) {
        return append(buffer, size, at, " %" PRIu64 " %" PRIu64, record->value[0],
                      record->value[1]);
    }
    if (outer->status_namer != NULL) {
        name = outer->status_namer(status);
    }
    at = name != NULL ? append(buffer, size, at, " %s", name)
                      : append(buffer, size, at, " 0x%08" PRIX32, status);
    return append(buffer, size, at, " %" PRIu64, record->value[1]);
}

static size_t append_words(const struct sim_world *world, const struct sim_record *record,
                           char *buffer, size_t size, size_t at) {
    char name[SIM_NAME_BYTES];

    at = append(buffer, size, at, "%s", sim_trace_type_name(world, record->type));
    for (size_t i = 0; i < SIM_ARRAY_COUNT(record->object_id); i++) {
        const struct sim_object *object = sim_object_by_id(world, record->object_id[i]);

        if (object != NULL) {
            at = append(buffer, size, at, " %s", sim_object_name(object, name, sizeof(name)));
        }
    }
    if (record->access != SIM_ACCESS_NONE && record->access < SIM_ARRAY_COUNT(access_names)) {
        at = append(buffer, size, at, " %s", access_names[record->access]);
    }
    return append_values(world, record, buffer, size, at);
}

const char *sim_record_words(const struct sim_world *world, const struct sim_record *record,
                             char *buffer, size_t size) {
    (void)append_words(world, record, buffer, size, 0);
    return buffer;
}

const char *sim_record_format(const struct sim_world *world, const struct sim_record *record,
                              char *buffer, size_t size) {
    char name[SIM_NAME_BYTES];
    size_t at;

    if (size == 0) {
        return buffer;
    }
    at = append(buffer, size, 0, "%6" PRIu64 ".%06" PRIu64 " %s", record->time_ns / SIM_NS_PER_MS,
                record->time_ns % SIM_NS_PER_MS,
                sim_object_name(sim_object_by_id(world, record->actor_id), name, sizeof(name)));
    if (record->level != UINT8_MAX) {
        at = append(buffer, size, at, " L%u", (unsigned)record->level);
    }
    at = append(buffer, size, at, " ");
    at = append_words(world, record, buffer, size, at);
    if (record->cause != 0) {
        append(buffer, size, at, " <%" PRIu32, record->cause);
    }
    return buffer;
}
