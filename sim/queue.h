/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event queue's structure; see queue.c for how it works. Lives in the world.
 */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include <sim/event.h>

#define SIM_QUEUE_RUNG_COUNT 8u

/* A list; head->previous is its tail, tail->next is NULL. */
struct sim_bucket {
    struct sim_event *head;
    uint64_t count;
};

/*
 * Covers [boundary_ns, end_ns); bucket b begins at start_ns + (b << shift), the last one takes the
 * rest. Buckets before `current` are empty.
 */
struct sim_rung {
    struct sim_bucket *buckets;
    uint64_t start_ns;
    uint64_t boundary_ns; /* what is due earlier belongs further down */
    uint64_t end_ns;
    uint64_t count;
    uint32_t shift;
    uint32_t bucket_count;
    uint32_t current; /* next bucket to take */
    uint32_t capacity;
};

struct sim_queue {
    uint64_t sequence; /* of the last event scheduled */
    uint64_t count;
    uint64_t top_start_ns; /* what is due here or later is in the top */
    uint64_t top_min_ns;
    uint64_t top_max_ns;
    uint32_t rung_count;
    struct sim_bucket
        bottom;            /* sorted; empty only if the queue is, or the head was not asked for */
    struct sim_bucket top; /* in order of scheduling */
    struct sim_rung rungs[SIM_QUEUE_RUNG_COUNT]; /* widest first */
};

/* For the check: every list has what it counts, the bottom is sorted. */
bool sim_events_hold(struct sim_world *world, char *text, size_t size);

/* The head when the bottom has it, else what sim_event_head says. */
static inline struct sim_event *sim_queue_head(struct sim_world *world, struct sim_queue *queue) {
    return SIM_LIKELY(queue->bottom.head != NULL) ? queue->bottom.head : sim_event_head(world);
}

#endif
