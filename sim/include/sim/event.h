/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event queue: what will happen at a virtual time, ordered by (due_ns, sequence). An event is
 * embedded in its owner and never allocated by the queue. Delivery runs in the scheduler, outside
 * any task: it may not wait and has no schedule points. An event may be scheduled again from its
 * own delivery. Cost aims: near a calendar queue's, see tests/bench/bench_queue.c.
 */
#ifndef SIM_EVENT_H
#define SIM_EVENT_H

#include <sim/base.h>
#include <sim/object.h>

struct sim_event {
    uint64_t due_ns;
    uint64_t sequence;
    void (*deliver)(struct sim_world *world, struct sim_event *event);
    struct sim_object *subject; /* whom it concerns: footprints, keys, traces; may be NULL */
    const char *label;          /* static text: "frame", "timer", ... */
    struct sim_event *next;     /* the queue's own */
    struct sim_event *previous;
    uint32_t slot;  /* the queue's own; 0: not scheduled */
    uint32_t cause; /* trace sequence of the record that scheduled it */
};

/* The clock: virtual ns since the world began. */
uint64_t sim_now_ns(const struct sim_world *world);

void sim_event_init(struct sim_event *event, const char *label, struct sim_object *subject,
                    void (*deliver)(struct sim_world *world, struct sim_event *event));

/* Schedules at an absolute virtual time (not before now) or after a delay. Must not be scheduled.
 */
void sim_event_schedule_at(struct sim_world *world, struct sim_event *event, uint64_t due_ns);
void sim_event_schedule(struct sim_world *world, struct sim_event *event, uint64_t delay_ns);

/* Takes it out of the queue; no-op when it is not scheduled. Returns whether it was. */
bool sim_event_cancel(struct sim_world *world, struct sim_event *event);
static inline bool sim_event_is_scheduled(const struct sim_event *event) {
    return event->slot != 0;
}

uint64_t sim_event_count(const struct sim_world *world);

/* True if `test` is true of some scheduled event; asked in no particular order. Rare: it is slow.
 */
bool sim_event_any(const struct sim_world *world,
                   bool (*test)(void *context, const struct sim_event *event), void *context);

/* The head, NULL when empty; for the stepper and for stuck reports. */
struct sim_event *sim_event_head(struct sim_world *world);

#endif
