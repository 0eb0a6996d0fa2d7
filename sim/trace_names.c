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

/* A registered table. */
struct sim_name_block {
    struct sim_name_block *next;
    const char *const *names;
    uint16_t first_type;
    uint16_t count;
};

static const char *const access_names[] = {
    [SIM_ACCESS_NONE] = "",         [SIM_ACCESS_READ] = "read",   [SIM_ACCESS_WRITE] = "write",
    [SIM_ACCESS_CREATE] = "create", [SIM_ACCESS_CLOSE] = "close", [SIM_ACCESS_LOCK] = "lock",
};

static uint16_t driver_type_of(const struct sim_trace_state *trace, const char *name,
                               uint64_t hash) {
    uint16_t number = trace->name_chains[hash % SIM_NAME_CHAIN_COUNT];

    while (number != 0 && strcmp(trace->driver_names[number - 1], name) != 0) {
        number = trace->driver_name_next[number - 1];
    }
    return number;
}

static uint16_t registered_type_of(const struct sim_trace_state *trace, const char *name) {
    for (const struct sim_name_block *block = trace->names; block != NULL; block = block->next) {
        for (uint16_t i = 0; i < block->count; i++) {
            if (strcmp(block->names[i], name) == 0) {
                return (uint16_t)(block->first_type + i);
            }
        }
    }
    return SIM_TRACE_TYPE_COUNT;
}

void sim_trace_register(struct sim_world *world, uint16_t first_type, const char *const *names,
                        uint16_t count) {
    struct sim_trace_state *trace = &world->trace;
    struct sim_name_block *block = sim_alloc(world, sizeof(*block));

    SIM_ASSERT(count <= SIM_TRACE_DRIVER && first_type <= SIM_TRACE_DRIVER - count);
    for (uint16_t i = 0; i < count; i++) {
        /* A name that has a number keeps it: two would make triggers miss. */
        SIM_ASSERT(registered_type_of(trace, names[i]) == SIM_TRACE_TYPE_COUNT);
        SIM_ASSERT(driver_type_of(trace, names[i], sim_hash_text(names[i])) == 0);
    }
    block->names = names;
    block->first_type = first_type;
    block->count = count;
    block->next = trace->names;
    trace->names = block;
}

static void grow_driver_names(struct sim_world *world) {
    struct sim_trace_state *trace = &world->trace;
    uint16_t old = trace->driver_name_capacity;
    uint16_t capacity = (uint16_t)(old == 0 ? 16 : old * 2);
    const char **names = sim_alloc(world, capacity * sizeof(*names));
    uint16_t *next = sim_alloc(world, capacity * sizeof(*next));

    if (old != 0) {
        memcpy(names, trace->driver_names, old * sizeof(*names));
        memcpy(next, trace->driver_name_next, old * sizeof(*next));
        sim_free(world, trace->driver_names, old * sizeof(*names));
        sim_free(world, trace->driver_name_next, old * sizeof(*next));
    }
    trace->driver_names = names;
    trace->driver_name_next = next;
    trace->driver_name_capacity = capacity;
}

uint16_t sim_trace_type_of(struct sim_world *world, const char *name) {
    struct sim_trace_state *trace = &world->trace;
    uint64_t hash = sim_hash_text(name);
    uint16_t number = driver_type_of(trace, name, hash);
    uint16_t type;

    if (number != 0) {
        return (uint16_t)(SIM_TRACE_DRIVER + number - 1);
    }
    type = registered_type_of(trace, name);
    if (type != SIM_TRACE_TYPE_COUNT) {
        return type;
    }
    /* The last number is for all names beyond it: a driver must not be able to end the program. */
    if (trace->driver_name_count == DRIVER_NAME_COUNT_MAX) {
        return SIM_TRACE_TYPE_COUNT - 1;
    }
    if (trace->driver_name_count == trace->driver_name_capacity) {
        grow_driver_names(world);
    }
    number = ++trace->driver_name_count;
    trace->driver_names[number - 1] = sim_text_keep(world, name);
    trace->driver_name_next[number - 1] = trace->name_chains[hash % SIM_NAME_CHAIN_COUNT];
    trace->name_chains[hash % SIM_NAME_CHAIN_COUNT] = number;
    return (uint16_t)(SIM_TRACE_DRIVER + number - 1);
}

bool sim_trace_type_find(const struct sim_world *world, const char *name, uint16_t *type) {
    uint16_t number = driver_type_of(&world->trace, name, sim_hash_text(name));

    *type = number != 0 ? (uint16_t)(SIM_TRACE_DRIVER + number - 1)
                        : registered_type_of(&world->trace, name);
    return *type != SIM_TRACE_TYPE_COUNT;
}

const char *sim_trace_type_name(const struct sim_world *world, uint16_t type) {
    const struct sim_trace_state *trace = &world->trace;

    if (type >= SIM_TRACE_DRIVER) {
        uint16_t number = (uint16_t)(type - SIM_TRACE_DRIVER);

        return number < trace->driver_name_count ? trace->driver_names[number] : "?";
    }
    for (const struct sim_name_block *block = trace->names; block != NULL; block = block->next) {
        if (type >= block->first_type && type - block->first_type < block->count) {
            return block->names[type - block->first_type];
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
    at = append(buffer, size, at, " %s", sim_trace_type_name(world, record->type));
    for (size_t i = 0; i < SIM_ARRAY_COUNT(record->object_id); i++) {
        const struct sim_object *object = sim_object_by_id(world, record->object_id[i]);

        if (object != NULL) {
            at = append(buffer, size, at, " %s", sim_object_name(object, name, sizeof(name)));
        }
    }
    if (record->access != SIM_ACCESS_NONE && record->access < SIM_ARRAY_COUNT(access_names)) {
        at = append(buffer, size, at, " %s", access_names[record->access]);
    }
    if (record->value[0] != 0 || record->value[1] != 0) {
        at = append(buffer, size, at, " %" PRIu64 " %" PRIu64, record->value[0], record->value[1]);
    }
    if (record->cause != 0) {
        append(buffer, size, at, " <%" PRIu32, record->cause);
    }
    return buffer;
}
