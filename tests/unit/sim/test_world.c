/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include "world.h"

static void a_process_has_one_world_at_a_time(void **state) {
    const struct sim_config config = {.seed = 9, .steps_max = 3};
    struct sim_world *first;

    (void)state;
    assert_null(sim_world_active());
    first = sim_world_create(&config);
    assert_ptr_equal(sim_world_active(), first);
    assert_int_equal(sim_seed(first), 9);
    assert_int_equal(sim_world_config(first)->steps_max, 3);
    assert_int_equal(sim_now_ns(first), 0);
    assert_int_equal(sim_step_count(first), 0);
    sim_world_destroy(first);
    assert_null(sim_world_active());
    assert_ptr_equal(sim_world_create(&config), first);
    sim_world_destroy(first);
    sim_world_destroy(NULL);
}

static void slots_hold_the_state_of_modules_and_are_reset(void **state) {
    struct sim_world *world = *state;
    int kernel, other;

    assert_null(sim_world_slot(world, SIM_SLOT_KERNEL));
    sim_world_slot_set(world, SIM_SLOT_KERNEL, &kernel);
    sim_world_snapshot(world);
    sim_world_slot_set(world, SIM_SLOT_KERNEL, &other);
    sim_world_slot_set(world, SIM_SLOT_NET, &other);
    reset_with_seed(world, 2);
    assert_ptr_equal(sim_world_slot(world, SIM_SLOT_KERNEL), &kernel);
    assert_null(sim_world_slot(world, SIM_SLOT_NET));
    assert_int_equal(sim_seed(world), 2);
}

static char hook_log[64];

static void save(void *context) {
    strcat(hook_log, "s");
    strcat(hook_log, context);
}

static void restore(void *context) {
    strcat(hook_log, "r");
    strcat(hook_log, context);
}

static void hooks_are_called_in_order_and_late_ones_vanish_with_their_run(void **state) {
    struct sim_world *world = *state;
    char names[3][2] = {"a", "b", "c"};
    struct sim_world_hook hook = {.save = save, .restore = restore};

    hook_log[0] = '\0';
    for (uint32_t i = 0; i < 3; i++) {
        hook.context = names[i];
        if (i == 2) {
            sim_world_snapshot(world);
            hook.save = NULL;
        }
        sim_world_hook_add(world, &hook);
    }
    reset_with_seed(world, 1);
    reset_with_seed(world, 1);
    assert_string_equal(hook_log, "sasbrarbrarb");
}

static void the_clock_and_counts_go_back_with_a_reset(void **state) {
    struct sim_world *world = *state;

    world->now_ns = 1000;
    sim_world_snapshot(world);
    world->now_ns = 2000;
    world->step_count = 50;
    world->order_hash = 7;
    reset_with_seed(world, 3);
    assert_int_equal(sim_now_ns(world), 1000);
    assert_int_equal(sim_step_count(world), 0);
    assert_int_equal(sim_order_hash(world), 0);
}

/* A mixed load over all parts; returns the digest. */
static uint64_t mixed_run(struct sim_world *world) {
    for (uint32_t i = 0; i < 2000; i++) {
        struct sim_object *object = sim_alloc(world, sizeof(*object));
        char name[16];

        snprintf(name, sizeof(name), "mine.%u", i % 40);
        sim_object_init(world, object, NULL, "thing", SIM_NAME_INDEXED);
        if (sim_choose_fault(world, "coin", object, 300000)) {
            world->now_ns += 13;
        }
        sim_trace(world, sim_trace_type_of(world, name), SIM_ACCESS_CREATE, object, NULL, NULL, i,
                  sim_region_used_bytes(world, SIM_REGION_PRIVATE));
    }
    return sim_digest(world);
}

static void equal_seeds_give_equal_digests_however_the_world_came_to_be(void **state) {
    struct sim_world *world = *state;
    const struct sim_config config = {.seed = 5};
    uint64_t digests[4];

    sim_world_snapshot(world);
    mixed_run(world);
    reset_with_seed(world, 5);
    digests[0] = mixed_run(world);
    reset_with_seed(world, 6);
    digests[1] = mixed_run(world);
    reset_with_seed(world, 5);
    digests[2] = mixed_run(world);
    sim_world_destroy(world);
    *state = world = sim_world_create(&config);
    digests[3] = mixed_run(world);
    assert_true(digests[0] == digests[2] && digests[0] == digests[3]);
    assert_true(digests[0] != digests[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_has_one_world_at_a_time),
        WORLD_TEST(slots_hold_the_state_of_modules_and_are_reset),
        WORLD_TEST(hooks_are_called_in_order_and_late_ones_vanish_with_their_run),
        WORLD_TEST(the_clock_and_counts_go_back_with_a_reset),
        WORLD_TEST(equal_seeds_give_equal_digests_however_the_world_came_to_be),
    };

    return cmocka_run_group_tests_name("world", tests, NULL, NULL);
}
