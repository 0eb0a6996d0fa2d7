/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event queue against a model: an array that is searched for its smallest element.
 */
#include "fixture.h"

#include "world.h"

#define EVENT_COUNT 4000u

struct probe {
    struct sim_event event;
    uint32_t number;
};

struct model {
    struct sim_world *world;
    struct probe *probes;
    bool *is_scheduled;
    uint64_t count;
};

static void deliver(struct sim_world *world, struct sim_event *event) {
    (void)world;
    (void)event;
}

static void model_init(struct model *model, struct sim_world *world) {
    model->world = world;
    model->probes = sim_alloc(world, EVENT_COUNT * sizeof(*model->probes));
    model->is_scheduled = sim_alloc(world, EVENT_COUNT * sizeof(bool));
    model->count = 0;
    for (uint32_t i = 0; i < EVENT_COUNT; i++) {
        sim_event_init(&model->probes[i].event, "probe", NULL, deliver);
        model->probes[i].number = i;
    }
}

static bool comes_first(const struct sim_event *a, const struct sim_event *b) {
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->sequence < b->sequence;
}

static struct sim_event *model_head(struct model *model, uint32_t range) {
    struct sim_event *head = NULL;

    for (uint32_t i = 0; i < range; i++) {
        struct sim_event *event = &model->probes[i].event;

        if (model->is_scheduled[i] && (head == NULL || comes_first(event, head))) {
            head = event;
        }
    }
    return head;
}

static void schedule(struct model *model, uint32_t number, uint64_t due_ns) {
    sim_event_schedule_at(model->world, &model->probes[number].event, due_ns);
    model->is_scheduled[number] = true;
    model->count++;
}

static void take(struct model *model, uint32_t range) {
    struct sim_event *expected = model_head(model, range);
    struct sim_event *got = sim_event_head(model->world);

    assert_ptr_equal(got, expected);
    if (got != NULL) {
        assert_ptr_equal(sim_event_take(model->world), expected);
        assert_false(sim_event_is_scheduled(got));
        model->is_scheduled[SIM_CONTAINER_OF(got, struct probe, event)->number] = false;
        model->count--;
        model->world->now_ns = got->due_ns;
    }
}

/* Near, far, equal and immediate times, in proportions that `flavour` decides. */
static uint64_t some_delay(struct dice *dice, uint32_t flavour) {
    switch ((roll(dice) + flavour) % 7) {
    case 0:
        return 0;
    case 1:
        return roll_below(dice, 3);
    case 2:
        return roll_below(dice, 1000);
    case 3:
        return 500;
    case 4:
        return flavour % 3 == 0 ? roll_below(dice, UINT64_C(1) << 40) : roll_below(dice, 50);
    case 5:
        return flavour % 2 == 0 ? UINT64_C(4000000000) : roll_below(dice, 100000);
    default:
        return roll_below(dice, UINT64_C(1) << (flavour % 30));
    }
}

static void play(struct sim_world *world, uint32_t flavour, uint32_t range, uint32_t op_count) {
    struct dice dice = {flavour};
    struct model model;

    model_init(&model, world);
    for (uint32_t op = 0; op < op_count; op++) {
        uint32_t number = (uint32_t)roll_below(&dice, range);
        /* The load swings between nearly empty and nearly full. */
        bool is_growing = op / (range * 2) % 2 == 0;
        uint64_t what = roll_below(&dice, 10);

        if (what < (is_growing ? 6u : 3u)) {
            if (!model.is_scheduled[number]) {
                schedule(&model, number, world->now_ns + some_delay(&dice, flavour));
            }
        } else if (what < 7) {
            assert_int_equal(sim_event_cancel(world, &model.probes[number].event),
                             model.is_scheduled[number]);
            model.count -= model.is_scheduled[number] ? 1 : 0;
            model.is_scheduled[number] = false;
        } else {
            take(&model, range);
        }
        assert_int_equal(sim_event_count(world), model.count);
    }
    while (model.count != 0) {
        take(&model, range);
    }
    assert_null(sim_event_head(world));
}

static void long_random_sequences_agree_with_a_sorted_model(void **state) {
    for (uint32_t flavour = 0; flavour < 60; flavour++) {
        play(*state, flavour, 3 + flavour * 7, 20000);
    }
}

static void large_loads_agree_with_a_sorted_model(void **state) {
    for (uint32_t flavour = 0; flavour < 4; flavour++) {
        play(*state, flavour, EVENT_COUNT, 40000);
    }
}

static void equal_times_come_in_order_of_scheduling(void **state) {
    struct model model;

    model_init(&model, *state);
    for (uint32_t i = 0; i < EVENT_COUNT; i++) {
        schedule(&model, i, 77);
    }
    for (uint32_t i = 0; i < EVENT_COUNT; i++) {
        assert_ptr_equal(sim_event_take(*state), &model.probes[i].event);
    }
}

static void an_event_scheduled_for_now_comes_after_the_others_of_now(void **state) {
    struct sim_world *world = *state;
    struct model model;

    model_init(&model, world);
    schedule(&model, 0, 10);
    schedule(&model, 1, 10);
    schedule(&model, 2, 11);
    assert_ptr_equal(sim_event_take(world), &model.probes[0].event);
    world->now_ns = 10;
    sim_event_schedule(world, &model.probes[0].event, 0);
    assert_ptr_equal(sim_event_take(world), &model.probes[1].event);
    assert_ptr_equal(sim_event_take(world), &model.probes[0].event);
    assert_ptr_equal(sim_event_take(world), &model.probes[2].event);
}

static void cancelling_the_head_brings_up_the_next(void **state) {
    struct model model;

    model_init(&model, *state);
    for (uint32_t i = 0; i < EVENT_COUNT; i++) {
        schedule(&model, i, 1000 + i * 13);
    }
    for (uint32_t i = 0; i < EVENT_COUNT; i++) {
        assert_ptr_equal(sim_event_head(*state), &model.probes[i].event);
        assert_true(sim_event_cancel(*state, &model.probes[i].event));
        assert_false(sim_event_cancel(*state, &model.probes[i].event));
    }
    assert_null(sim_event_head(*state));
}

static void the_last_moment_of_time_can_be_scheduled(void **state) {
    struct model model;

    model_init(&model, *state);
    for (uint32_t i = 0; i < 100; i++) {
        schedule(&model, i, SIM_TIME_NEVER - 1 - (i % 50));
    }
    schedule(&model, 100, 5);
    for (uint32_t i = 0; i < 101; i++) {
        take(&model, 101);
    }
}

static void a_reset_brings_back_the_queue_of_the_snapshot(void **state) {
    struct sim_world *world = *state;
    struct model model;
    uint64_t due_ns[50];

    model_init(&model, world);
    for (uint32_t i = 0; i < 50; i++) {
        schedule(&model, i, 100 + (i * 7919) % 1000);
    }
    sim_event_head(world);
    sim_world_snapshot(world);
    for (uint32_t run = 0; run < 3; run++) {
        for (uint32_t i = 50; i < 3000; i++) {
            sim_event_schedule_at(world, &model.probes[i].event, 100 + (i * 31) % 5000);
        }
        for (uint32_t i = 0; i < 1000; i++) {
            sim_event_take(world);
        }
        reset_with_seed(world, run);
        assert_int_equal(sim_event_count(world), 50);
    }
    for (uint32_t i = 0; i < 50; i++) {
        due_ns[i] = sim_event_take(world)->due_ns;
        assert_true(i == 0 || due_ns[i - 1] <= due_ns[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(long_random_sequences_agree_with_a_sorted_model),
        WORLD_TEST(large_loads_agree_with_a_sorted_model),
        WORLD_TEST(equal_times_come_in_order_of_scheduling),
        WORLD_TEST(an_event_scheduled_for_now_comes_after_the_others_of_now),
        WORLD_TEST(cancelling_the_head_brings_up_the_next),
        WORLD_TEST(the_last_moment_of_time_can_be_scheduled),
        WORLD_TEST(a_reset_brings_back_the_queue_of_the_snapshot),
    };

    return cmocka_run_group_tests_name("event", tests, NULL, NULL);
}
