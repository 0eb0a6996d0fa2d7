/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event queue: a ladder (Tang, Goh, Thng 2005) of intrusive lists.
 *
 *     schedule --> top --(bottom and rungs empty)--> rung 0 --bucket--> rung 1 ... --> bottom -->
 * take
 *
 *   top      what is due at top_start_ns or later, unsorted, in order of scheduling
 *   rung r   a stretch of time cut into buckets of 2^shift ns, widest rung first; a bucket with
 *            more than SORT_COUNT_MAX events is cut again into the next rung
 *   bottom   sorted by (due, sequence); its head is the head of the queue
 *
 * Invariants: everything in bottom is due before the boundary of every rung; a deeper rung lies
 * before the boundary of the one above; rungs lie before top_start_ns. Lists keep the order of
 * scheduling among equal due times, and moving a list keeps its order, so equal times never need
 * sorting. `slot` of an event says which list it is in, which makes cancelling O(1).
 */
#include <stdio.h>
#include <string.h>

#include "world.h"

#define SORT_COUNT_MAX 24u
#define BUCKET_COUNT_MAX (UINT32_C(1) << 16)
#define BUCKET_COUNT_MIN 32u

/* Slots: 0 not scheduled, 1 bottom, 2 top, then rung * BUCKET_COUNT_MAX + bucket. */
#define SLOT_BOTTOM 1u
#define SLOT_TOP 2u
#define SLOT_RUNGS 4u

static void append(struct sim_bucket *list, struct sim_event *event) {
    struct sim_event *head = list->head;

    event->next = NULL;
    if (head == NULL) {
        event->previous = event;
        list->head = event;
    } else {
        event->previous = head->previous;
        head->previous->next = event;
        head->previous = event;
    }
    list->count++;
}

static void remove_from(struct sim_bucket *list, struct sim_event *event) {
    struct sim_event *next = event->next;

    if (event == list->head) {
        list->head = next;
        if (next != NULL) {
            next->previous = event->previous;
        }
    } else {
        event->previous->next = next;
        (next != NULL ? next : list->head)->previous = event->previous;
    }
    list->count--;
}

/* True if `event` comes before `other`. */
static bool is_before(const struct sim_event *event, const struct sim_event *other) {
    return event->due_ns != other->due_ns ? event->due_ns < other->due_ns
                                          : event->sequence < other->sequence;
}

static void insert_bottom(struct sim_bucket *bottom, struct sim_event *event) {
    struct sim_event *head = bottom->head;
    struct sim_event *after;

    event->slot = SLOT_BOTTOM;
    if (head == NULL || !is_before(event, head->previous)) {
        append(bottom, event);
        return;
    }
    bottom->count++;
    if (is_before(event, head)) {
        event->next = head;
        event->previous = head->previous;
        head->previous = event;
        bottom->head = event;
        return;
    }
    after = head->previous->previous;
    while (is_before(event, after)) {
        after = after->previous;
    }
    event->next = after->next;
    event->previous = after;
    after->next->previous = event;
    after->next = event;
}

static uint64_t add_saturated(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void insert_rung(struct sim_queue *queue, uint32_t number, struct sim_event *event) {
    struct sim_rung *rung = &queue->rungs[number];
    uint64_t at = (event->due_ns - rung->start_ns) >> rung->shift;
    uint32_t bucket = at < rung->bucket_count ? (uint32_t)at : rung->bucket_count - 1;

    event->slot = SLOT_RUNGS + number * BUCKET_COUNT_MAX + bucket;
    append(&rung->buckets[bucket], event);
    rung->count++;
}

/*
 * Spreads `list` over a new deepest rung that covers [start_ns, end_ns). Its buckets are cut for
 * what is due up to `last_ns`; the last one takes everything beyond.
 */
static void push_rung(struct sim_world *world, struct sim_bucket *list, uint64_t start_ns,
                      uint64_t last_ns, uint64_t end_ns) {
    struct sim_queue *queue = &world->queue;
    struct sim_rung *rung = &queue->rungs[queue->rung_count];
    uint64_t wanted = list->count < BUCKET_COUNT_MAX ? list->count : BUCKET_COUNT_MAX;
    uint64_t span = last_ns - start_ns;
    struct sim_event *event = list->head;
    uint32_t shift = 0;
    uint32_t bucket_count;

    while (span >> shift >= wanted) {
        shift++;
    }
    bucket_count = (uint32_t)(span >> shift) + 1;
    if (rung->capacity < bucket_count) {
        uint32_t capacity = BUCKET_COUNT_MIN;

        while (capacity < bucket_count) {
            capacity *= 2;
        }
        sim_free(world, rung->buckets, rung->capacity * sizeof(*rung->buckets));
        rung->buckets = sim_alloc(world, capacity * sizeof(*rung->buckets));
        rung->capacity = capacity;
    }
    /* Buckets of a rung that is left are all empty, so they need no clearing. */
    rung->start_ns = start_ns;
    rung->boundary_ns = start_ns;
    rung->end_ns = end_ns;
    rung->shift = shift;
    rung->bucket_count = bucket_count;
    rung->current = 0;
    rung->count = 0;
    while (event != NULL) {
        struct sim_event *next = event->next;

        insert_rung(queue, queue->rung_count, event);
        event = next;
    }
    list->head = NULL;
    list->count = 0;
    queue->rung_count++;
}

static void move_to_bottom(struct sim_queue *queue, struct sim_bucket *list) {
    struct sim_event *event = list->head;

    while (event != NULL) {
        struct sim_event *next = event->next;

        insert_bottom(&queue->bottom, event);
        event = next;
    }
    list->head = NULL;
    list->count = 0;
}

/* Takes the next bucket of the deepest rung, or the rung away when nothing is left in it. */
static void lower_rung(struct sim_world *world) {
    struct sim_queue *queue = &world->queue;
    struct sim_rung *rung = &queue->rungs[queue->rung_count - 1];
    struct sim_bucket *bucket;
    uint64_t start_ns;

    if (rung->count == 0) {
        queue->rung_count--;
        return;
    }
    while (rung->buckets[rung->current].count == 0) {
        rung->current++;
    }
    bucket = &rung->buckets[rung->current];
    start_ns = rung->start_ns + ((uint64_t)rung->current << rung->shift);
    rung->current++;
    rung->boundary_ns = rung->current == rung->bucket_count
                            ? rung->end_ns
                            : start_ns + (UINT64_C(1) << rung->shift);
    rung->count -= bucket->count;
    if (bucket->count <= SORT_COUNT_MAX || rung->boundary_ns - start_ns == 1 ||
        queue->rung_count == SIM_QUEUE_RUNG_COUNT) {
        move_to_bottom(queue, bucket);
    } else {
        push_rung(world, bucket, start_ns, rung->boundary_ns - 1, rung->boundary_ns);
    }
}

static void lower_top(struct sim_world *world) {
    struct sim_queue *queue = &world->queue;
    uint64_t end_ns = queue->top_max_ns + 1;

    if (queue->top.count <= SORT_COUNT_MAX || queue->top_min_ns == queue->top_max_ns) {
        move_to_bottom(queue, &queue->top);
    } else {
        push_rung(world, &queue->top, queue->top_min_ns, queue->top_max_ns, end_ns);
    }
    queue->top_start_ns = end_ns;
}

static void fill_bottom(struct sim_world *world) {
    struct sim_queue *queue = &world->queue;

    while (queue->bottom.count == 0) {
        if (queue->rung_count > 0) {
            lower_rung(world);
        } else {
            lower_top(world);
        }
    }
}

/* A bottom that got long is cut into a rung of its own. */
static void relieve_bottom(struct sim_world *world) {
    struct sim_queue *queue = &world->queue;
    uint64_t first_ns = queue->bottom.head->due_ns;
    uint64_t last_ns = queue->bottom.head->previous->due_ns;

    if (first_ns != last_ns && queue->rung_count < SIM_QUEUE_RUNG_COUNT) {
        push_rung(world, &queue->bottom, first_ns, last_ns,
                  queue->rung_count > 0 ? queue->rungs[queue->rung_count - 1].boundary_ns
                                        : queue->top_start_ns);
    }
}

static void insert(struct sim_world *world, struct sim_event *event) {
    struct sim_queue *queue = &world->queue;
    uint64_t due_ns = event->due_ns;

    if (due_ns >= queue->top_start_ns) {
        if (queue->top.count == 0 || due_ns < queue->top_min_ns) {
            queue->top_min_ns = due_ns;
        }
        if (queue->top.count == 0 || due_ns > queue->top_max_ns) {
            queue->top_max_ns = due_ns;
        }
        event->slot = SLOT_TOP;
        append(&queue->top, event);
        return;
    }
    for (uint32_t i = 0; i < queue->rung_count; i++) {
        if (due_ns >= queue->rungs[i].boundary_ns) {
            insert_rung(queue, i, event);
            return;
        }
    }
    insert_bottom(&queue->bottom, event);
    if (SIM_UNLIKELY(queue->bottom.count > 2 * SORT_COUNT_MAX)) {
        relieve_bottom(world);
    }
}

static void take_out(struct sim_queue *queue, struct sim_event *event) {
    if (event->slot == SLOT_BOTTOM) {
        remove_from(&queue->bottom, event);
    } else if (event->slot == SLOT_TOP) {
        remove_from(&queue->top, event);
    } else {
        uint32_t at = event->slot - SLOT_RUNGS;
        struct sim_rung *rung = &queue->rungs[at / BUCKET_COUNT_MAX];

        remove_from(&rung->buckets[at % BUCKET_COUNT_MAX], event);
        rung->count--;
    }
    event->slot = 0;
    if (--queue->count == 0) {
        queue->rung_count = 0;
        queue->top_start_ns = 0;
    }
}

void sim_event_init(struct sim_event *event, const char *label, struct sim_object *subject,
                    void (*deliver)(struct sim_world *world, struct sim_event *event)) {
    memset(event, 0, sizeof(*event));
    event->label = label;
    event->subject = subject;
    event->deliver = deliver;
}

void sim_event_schedule_at(struct sim_world *world, struct sim_event *event, uint64_t due_ns) {
    SIM_ASSERT(event->slot == 0);
    SIM_ASSERT(due_ns >= world->now_ns && due_ns != SIM_TIME_NEVER);
    event->due_ns = due_ns;
    event->sequence = ++world->queue.sequence;
    event->cause = world->cause_next;
    world->queue.count++;
    insert(world, event);
}

void sim_event_schedule(struct sim_world *world, struct sim_event *event, uint64_t delay_ns) {
    sim_event_schedule_at(world, event, add_saturated(world->now_ns, delay_ns));
}

bool sim_event_cancel(struct sim_world *world, struct sim_event *event) {
    if (event->slot == 0) {
        return false;
    }
    take_out(&world->queue, event);
    return true;
}

uint64_t sim_event_count(const struct sim_world *world) {
    return world->queue.count;
}

struct sim_event *sim_event_head(struct sim_world *world) {
    struct sim_queue *queue = &world->queue;

    if (queue->count == 0) {
        return NULL;
    }
    if (queue->bottom.count == 0) {
        fill_bottom(world);
    }
    return queue->bottom.head;
}

struct sim_event *sim_event_take(struct sim_world *world) {
    struct sim_event *event = sim_event_head(world);

    SIM_ASSERT(event != NULL);
    take_out(&world->queue, event);
    return event;
}

static bool any_of(const struct sim_bucket *list,
                   bool (*test)(void *context, const struct sim_event *event), void *context) {
    for (const struct sim_event *event = list->head; event != NULL; event = event->next) {
        if (test(context, event)) {
            return true;
        }
    }
    return false;
}

bool sim_event_any(const struct sim_world *world,
                   bool (*test)(void *context, const struct sim_event *event), void *context) {
    const struct sim_queue *queue = &world->queue;

    for (uint32_t i = 0; i < queue->rung_count; i++) {
        const struct sim_rung *rung = &queue->rungs[i];

        for (uint32_t bucket = rung->current; bucket < rung->bucket_count; bucket++) {
            if (any_of(&rung->buckets[bucket], test, context)) {
                return true;
            }
        }
    }
    return any_of(&queue->bottom, test, context) || any_of(&queue->top, test, context);
}

/* ---- The check ---- */

static bool bucket_holds(const struct sim_bucket *bucket) {
    const struct sim_event *last = NULL;
    uint64_t count = 0;

    for (const struct sim_event *event = bucket->head; event != NULL; event = event->next) {
        if (event->slot == 0 || (last != NULL && event->previous != last)) {
            return false;
        }
        last = event;
        count++;
    }
    return count == bucket->count && (last == NULL || bucket->head->previous == last);
}

bool sim_events_hold(struct sim_world *world, char *text, size_t size) {
    const struct sim_queue *queue = &world->queue;
    uint64_t count = queue->bottom.count + queue->top.count;

    for (uint32_t i = 0; i < queue->rung_count; i++) {
        count += queue->rungs[i].count;
    }
    if (count != queue->count || !bucket_holds(&queue->bottom) || !bucket_holds(&queue->top)) {
        (void)snprintf(text, size, "%llu events are pending, %llu are counted",
                       (unsigned long long)count, (unsigned long long)queue->count);
        return false;
    }
    for (const struct sim_event *event = queue->bottom.head; event != NULL && event->next != NULL;
         event = event->next) {
        if (!is_before(event, event->next)) {
            (void)snprintf(text, size, "an event due at %llu ns stands before one at %llu ns",
                           (unsigned long long)event->due_ns,
                           (unsigned long long)event->next->due_ns);
            return false;
        }
    }
    return true;
}
