/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Typed trace records: actor, up to three objects, access, cause, two values. Every record goes
 * into the digest and into a ring of the last ones; a sink (--trace, --log, triggers) may watch.
 * Values are never addresses. The digest is a pure function of (scenario, drivers, choices).
 *
 * Event types are numbered by module ranges so that sim knows none of the modules. A module
 * declares its table of names and registers it at world start; numbers are stable within a release.
 */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include <sim/base.h>
#include <sim/choice.h>
#include <sim/object.h>

enum sim_trace_range {
    SIM_TRACE_SIM = 0x000,
    SIM_TRACE_KERNEL = 0x100,
    SIM_TRACE_NET = 0x200,
    SIM_TRACE_RNIC = 0x300,
    SIM_TRACE_NDK = 0x400,
    SIM_TRACE_SCENARIO = 0x500,
    SIM_TRACE_DRIVER = 0x600, /* names that drivers bring (NdksimTrace), numbered in order of use */
    SIM_TRACE_TYPE_COUNT = 0x800,
};

struct sim_record {
    uint64_t time_ns;
    uint32_t sequence; /* from 1 */
    uint16_t type;
    uint8_t access;    /* enum sim_access */
    uint8_t level;     /* IRQL of the actor's CPU, 0xFF outside tasks */
    uint32_t actor_id; /* a task, or 0 for an event delivery */
    uint32_t object_id[3];
    uint32_t cause;  /* sequence of the record that led here, or 0 */
    uint32_t choice; /* choices taken so far: ties a record to the decisions before it */
    uint64_t value[2];
};

/* `names` and its texts must be static. Names are dotted lower case: "cm.rep", "frame.drop". */
void sim_trace_register(struct sim_world *world, uint16_t first_type, const char *const *names,
                        uint16_t count);
/* For names that come at run time; same name, same number within a run. */
uint16_t sim_trace_type_of(struct sim_world *world, const char *name);
/* That name's own text, which lives as long as the world. */
const char *sim_trace_name_keep(struct sim_world *world, const char *name);
/* As sim_trace_type_of, but makes no number: false for a name that nobody has brought yet. */
bool sim_trace_type_find(const struct sim_world *world, const char *name, uint16_t *type);
/* "?" for a number without a name. */
const char *sim_trace_type_name(const struct sim_world *world, uint16_t type);

/* Adds a record; any object may be NULL. Returns its sequence number. */
uint32_t sim_trace(struct sim_world *world, uint16_t type, enum sim_access access,
                   struct sim_object *first, struct sim_object *second, struct sim_object *third,
                   uint64_t value0, uint64_t value1);

/* The record that is the cause of what happens now (set by the stepper). */
uint32_t sim_trace_cause(const struct sim_world *world);

uint64_t sim_digest(const struct sim_world *world);
uint64_t sim_trace_count(const struct sim_world *world);

/* The n-th last record (0: the last), NULL beyond the ring. */
const struct sim_record *sim_trace_last(const struct sim_world *world, uint32_t back);
#define SIM_TRACE_RING_COUNT 4096u

/*
 * A watch is called for each record whose type is `type` (or SIM_TRACE_TYPE_COUNT: every record)
 * and, when `pattern` is not NULL, one of whose objects matches; those of a type come before those
 * of every record, each in order of adding. It makes no choice and adds no
 * record inside the call; it may schedule events. Embedded by its owner; lives in the PRIVATE
 * region.
 */
struct sim_watch {
    uint16_t type;
    const char *pattern;
    void (*seen)(struct sim_world *world, struct sim_watch *watch, const struct sim_record *record);
    struct sim_watch *next;
};
void sim_watch_add(struct sim_world *world, struct sim_watch *watch);

/* A sink sees every record and each line of text; host memory, survives resets. NULL: none. */
struct sim_sink {
    void (*record)(struct sim_sink *sink, struct sim_world *world, const struct sim_record *record);
    /* A driver's own line (DbgPrint, trace macros), without line end; not part of the digest. */
    void (*text)(struct sim_sink *sink, struct sim_world *world, struct sim_object *who,
                 const char *text);
};
void sim_sink_set(struct sim_world *world, struct sim_sink *sink);
void sim_text(struct sim_world *world, struct sim_object *who, const char *text);

/*
 * The first value of these types is a status: records show it by name, where `namer` has one (NULL
 * for a status that it does not know). Set-up; the digest is of the numbers.
 */
void sim_trace_status_types(struct sim_world *world, uint16_t first, size_t count);
void sim_trace_status_namer(struct sim_world *world, const char *(*namer)(uint32_t status));
/* The name that it gives, NULL without one. */
const char *sim_trace_status_name(const struct sim_world *world, uint32_t status);

/* One line of text for a record: time, actor, event, objects, values. Returns `buffer`. */
const char *sim_record_format(const struct sim_world *world, const struct sim_record *record,
                              char *buffer, size_t size);
/* The part of it that says what happened: event, objects, access, values. */
const char *sim_record_words(const struct sim_world *world, const struct sim_record *record,
                             char *buffer, size_t size);

#endif
