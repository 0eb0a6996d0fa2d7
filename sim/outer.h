/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a world that lives in host memory and survives resets. One per process.
 */
#ifndef SIM_OUTER_H
#define SIM_OUTER_H

#include "world.h"

#define SIM_HOOK_COUNT_MAX 1024u
#define SIM_RING_KEPT_COUNT 64u

/* Host memory that is reserved at once and committed as it is used. */
struct sim_span {
    void *base;
    size_t reserved_bytes;
    size_t committed_bytes;
};

bool sim_span_open(struct sim_span *span, void *at, size_t bytes);
void sim_span_close(struct sim_span *span);
/* Makes [base, base + bytes) usable; false beyond the reservation or without memory. */
bool sim_span_commit(struct sim_span *span, size_t bytes);

/* A deviation as it is recorded; made into text by sim_deviations. */
struct sim_raw_deviation {
    uint64_t time_ns;
    uint64_t choice;
    const char *topic;
    const char *label; /* NULL: the actor's name */
    uint32_t subject_id;
    uint32_t actor_id;
    uint32_t ordinal;
    uint16_t kind;
    uint16_t twin; /* options with the same label before it */
};

struct sim_recorder {
    struct sim_span raw;
    size_t count;
    struct sim_deviation *named; /* malloc, rebuilt by sim_deviations */
    char *texts;
    bool is_named; /* they are of what is recorded now */
};

struct sim_copy {
    unsigned char *bytes; /* malloc */
    uint64_t count;
    uint64_t capacity;
};

struct sim_outer {
    const char *(*status_namer)(uint32_t status);            /* for people; NULL: none */
    uint64_t status_types[(SIM_TRACE_TYPE_COUNT + 63) / 64]; /* bit: its first value is a status */
    struct sim_world *world;
    struct sim_chooser *quiet;
    struct sim_chooser *chooser;
    bool chooser_begun;
    uintptr_t stack_top; /* of the thread that made the world: bound of stack walks */

    struct sim_span regions[SIM_REGION_COUNT];
    struct sim_span stacks; /* committed stack by stack */
    uint32_t stack_committed;
    bool has_snapshot;
    struct sim_copy copies[SIM_REGION_COUNT];
    struct sim_copy stack_copy; /* live parts, one after the other */

    struct sim_world_hook hooks[SIM_HOOK_COUNT_MAX];
    uint32_t hook_count;
    uint32_t hook_count_kept; /* at the snapshot */

    struct sim_recorder recorder;

    struct sim_record *ring;
    uint32_t ring_floor; /* records up to this sequence are not in the ring */
    uint32_t ring_kept_floor;
    struct sim_record ring_kept[SIM_RING_KEPT_COUNT];
    struct sim_sink *sink;
    volatile bool is_telling; /* inside the sink, who may wait for whoever reads what it writes */

    struct sim_finding *findings; /* SIM_FINDING_COUNT_MAX */
    size_t finding_count;
    uint64_t finding_left_out;
    uint64_t finding_errors;
};

#endif
