/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What sim's inner parts cost: the event queue at three sizes and three shapes of load, a trace
 * record, a choice, an object's birth, a reset. The queue is measured by the hold model: take the
 * head, schedule it again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "world.h"

#define HOLD_COUNT UINT64_C(4000000)
#define RECORD_COUNT UINT64_C(20000000)
#define CHOICE_COUNT UINT64_C(5000000)
#define RESET_COUNT UINT64_C(20000)

enum shape {
    SHAPE_UNIFORM,     /* delays in [0, 2 us) times the number of events */
    SHAPE_EXPONENTIAL, /* the same mean, made of whole numbers only */
    SHAPE_NETWORK,     /* nine short delays, one timer of 4 ms that is cancelled and set again */
};

static const char *const shape_names[] = {"uniform", "exponential", "network"};

static uint64_t clock_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SIM_NS_PER_S + (uint64_t)now.tv_nsec;
}

static void print_cost(const char *what, uint64_t ns, uint64_t count) {
    printf("%-40s %8" PRIu64 ".%02" PRIu64 " ns\n", what, ns / count, ns * 100 / count % 100);
}

static uint64_t some_delay(uint64_t draw, enum shape shape, uint64_t count) {
    uint64_t mean = 1000 * count;

    switch (shape) {
    case SHAPE_UNIFORM:
        return draw % (2 * mean);
    case SHAPE_EXPONENTIAL: {
        /* -log2 of a uniform draw: its leading zeros and a linear rest. */
        uint64_t zeros = (uint64_t)__builtin_clzll(draw | 1);
        uint64_t rest = (draw << 1 << zeros) >> 54;

        return ((zeros << 10) + 1024 - rest) * mean * 7 / 10240;
    }
    default:
        return draw % 10 != 0 ? 200 + draw % 2000 : 4 * SIM_NS_PER_MS;
    }
}

static void deliver(struct sim_world *world, struct sim_event *event) {
    (void)world;
    (void)event;
}

static struct sim_world *make_world(struct sim_chooser *chooser) {
    const struct sim_config config = {.seed = 1, .chooser = chooser};
    struct sim_world *world = sim_world_create(&config);

    if (world == NULL) {
        fprintf(stderr, "no world: the regions' addresses are taken\n");
        exit(2);
    }
    return world;
}

static void bench_hold(enum shape shape, uint64_t count) {
    struct sim_world *world = make_world(NULL);
    struct sim_event *events = sim_alloc(world, count * sizeof(*events));
    uint64_t draw = 1;
    uint64_t start_ns = 0;
    char what[64];

    for (uint64_t i = 0; i < count; i++) {
        draw = sim_hash_mix(draw, i);
        sim_event_init(&events[i], "bench", NULL, deliver);
        sim_event_schedule(world, &events[i], some_delay(draw, shape, count));
    }
    /* The first half warms up. */
    for (uint64_t i = 0; i < HOLD_COUNT; i++) {
        struct sim_event *event = sim_event_take(world);

        if (i == HOLD_COUNT / 2) {
            start_ns = clock_ns();
        }
        world->now_ns = event->due_ns;
        draw = sim_hash_mix(draw, i);
        if (shape == SHAPE_NETWORK) {
            struct sim_event *other = &events[draw % count];

            if (sim_event_cancel(world, other)) {
                sim_event_schedule(world, other, some_delay(draw >> 20, shape, count));
            }
        }
        sim_event_schedule(world, event, some_delay(draw, shape, count));
    }
    snprintf(what, sizeof(what), "hold, %s, %" PRIu64 " pending", shape_names[shape], count);
    print_cost(what, clock_ns() - start_ns, HOLD_COUNT - HOLD_COUNT / 2);
    sim_world_destroy(world);
}

static void bench_trace(void) {
    struct sim_world *world = make_world(NULL);
    struct sim_object *object = sim_alloc(world, sizeof(*object));
    uint64_t start_ns;

    sim_object_init(world, object, NULL, "node", SIM_NAME_INDEXED);
    start_ns = clock_ns();
    for (uint64_t i = 0; i < RECORD_COUNT; i++) {
        sim_trace(world, 7, SIM_ACCESS_WRITE, object, object, NULL, i, 3);
    }
    print_cost("trace record", clock_ns() - start_ns, RECORD_COUNT);
    sim_world_destroy(world);
}

static void bench_choices(const char *what, struct sim_chooser *chooser, enum sim_choice_kind kind,
                          const char *topic) {
    struct sim_world *world = make_world(chooser);
    struct sim_object *object = sim_alloc(world, sizeof(*object));
    const struct sim_option options[3] = {
        {.label = "on"}, {.label = "cpu0", .actor_id = 1}, {.label = "event", .actor_id = 2}};
    const struct sim_choice choice = {
        .kind = kind, .topic = topic, .options = options, .option_count = 3, .subject = object};
    uint64_t start_ns;

    sim_object_init(world, object, NULL, "node", SIM_NAME_INDEXED);
    start_ns = clock_ns();
    for (uint64_t i = 0; i < CHOICE_COUNT; i++) {
        sim_choose(world, &choice);
    }
    print_cost(what, clock_ns() - start_ns, CHOICE_COUNT);
    sim_world_destroy(world);
    sim_chooser_destroy(chooser);
}

static void bench_births(void) {
    struct sim_world *world = make_world(NULL);
    struct sim_object *owner = sim_alloc(world, sizeof(*owner));
    uint64_t count = 1000000;
    struct sim_object *objects = sim_alloc(world, count * sizeof(*objects));
    uint64_t start_ns;

    sim_object_init(world, owner, NULL, "init", SIM_NAME_PLAIN);
    start_ns = clock_ns();
    for (uint64_t i = 0; i < count; i++) {
        sim_object_init(world, &objects[i], owner, "send", SIM_NAME_INDEXED);
    }
    print_cost("birth of an object", clock_ns() - start_ns, count);
    sim_world_destroy(world);
}

static void bench_reset(uint64_t bytes) {
    const struct sim_config config = {.seed = 1};
    struct sim_world *world = make_world(NULL);
    uint64_t start_ns;
    char what[64];

    if (sim_region_take(world, SIM_REGION_DRIVER, bytes, 64) == NULL) {
        exit(2);
    }
    sim_world_snapshot(world);
    start_ns = clock_ns();
    for (uint64_t i = 0; i < RESET_COUNT; i++) {
        sim_world_reset(world, &config);
    }
    snprintf(what, sizeof(what), "reset, %" PRIu64 " KiB of driver memory", bytes / 1024);
    print_cost(what, clock_ns() - start_ns, RESET_COUNT);
    sim_world_destroy(world);
}

/* Tasks that wait 2 KiB deep and go down to 6 KiB in each run. */
static void bench_reset_stacks(uint32_t count) {
    const struct sim_config config = {.seed = 1};
    struct sim_world *world = make_world(NULL);
    uintptr_t *saved = sim_alloc(world, count * sizeof(*saved));
    uint64_t total_ns = 0;
    char what[64];

    for (uint32_t i = 0; i < count; i++) {
        uintptr_t low, high;

        sim_stack_slot_take(world, &saved[i], &low, &high);
        saved[i] = high - 2048;
        memset((void *)saved[i], 1, 2048);
    }
    sim_world_snapshot(world);
    for (uint64_t turn = 0; turn < RESET_COUNT; turn++) {
        uint64_t start_ns;

        for (uint32_t i = 0; i < count; i++) {
            memset((void *)(saved[i] - 4096), 2, 6144);
        }
        start_ns = clock_ns();
        sim_world_reset(world, &config);
        total_ns += clock_ns() - start_ns;
    }
    snprintf(what, sizeof(what), "reset, %" PRIu32 " stacks used to 6 KiB", count);
    print_cost(what, total_ns, RESET_COUNT);
    sim_world_destroy(world);
}

int main(void) {
    const struct sim_chooser_random_options options = {.step_ppm = 20000, .other_ppm = 20000};

    for (enum shape shape = SHAPE_UNIFORM; shape <= SHAPE_NETWORK; shape++) {
        bench_hold(shape, 100);
        bench_hold(shape, 10000);
        bench_hold(shape, 1000000);
    }
    bench_trace();
    bench_choices("step choice, quiet", NULL, SIM_CHOICE_STEP, NULL);
    bench_choices("step choice, random", sim_chooser_random_create(&options), SIM_CHOICE_STEP,
                  NULL);
    bench_choices("fault choice, quiet", NULL, SIM_CHOICE_FAULT, "link.drop");
    bench_choices("fault choice, random", sim_chooser_random_create(&options), SIM_CHOICE_FAULT,
                  "link.drop");
    bench_births();
    bench_reset(64 * 1024);
    bench_reset(192 * 1024);
    bench_reset_stacks(8);
    bench_reset_stacks(24);
    return 0;
}
