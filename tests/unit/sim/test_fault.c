/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include "record_types.h"
#include "world.h"

static struct sim_fault_point drop = {
    .name = "test.drop", .layer = "packet", .about = "A test.", .free = true};
static struct sim_fault_point late = {
    .name = "test.late", .layer = "packet", .about = "A test.", .parameter = "delay_ns"};
static struct sim_fault_point *const points[] = {&drop, &late};
static struct sim_fault_point unregistered = {.name = "test.none"};

static struct sim_object *setup(struct sim_world *world) {
    struct sim_object *object = sim_alloc(world, sizeof(*object));

    sim_fault_register(world, points, SIM_ARRAY_COUNT(points));
    sim_object_init(world, object, NULL, "link", SIM_NAME_INDEXED);
    return object;
}

/* Which of the next `count` passings fire, as text. */
static const char *pass(struct sim_world *world, struct sim_object *subject, uint32_t count) {
    static char text[100];

    for (uint32_t i = 0; i < count; i++) {
        text[i] = sim_fault_hit(world, &drop, subject, NULL) ? 'F' : '.';
    }
    text[count] = '\0';
    return text;
}

static void a_point_without_a_plan_never_fires(void **state) {
    struct sim_world *world = *state;
    struct sim_object *link = setup(world);
    const struct sim_fault_plan plan = {.point = &late};

    sim_fault_plan_add(world, &plan);
    assert_string_equal(pass(world, link, 5), ".....");
    assert_false(sim_fault_planned(world, &drop));
    assert_true(sim_fault_planned(world, &late));
    assert_false(sim_fault_hit(world, &unregistered, link, NULL));
}

static void a_plan_without_conditions_fires_always_with_its_parameter(void **state) {
    struct sim_world *world = *state;
    struct sim_object *link = setup(world);
    const struct sim_fault_plan plan = {.point = &late, .parameter = 77};
    uint64_t parameter = 0;

    sim_fault_plan_add(world, &plan);
    assert_true(sim_fault_hit(world, &late, link, &parameter));
    assert_int_equal(parameter, 77);
    assert_int_equal(sim_trace_last(world, 0)->type, SIM_RECORD_FAULT_FIRE);
    assert_int_equal(sim_fault_plan_at(world, 0)->fired_count, 1);
}

static void nth_and_count_choose_among_passings(void **state) {
    struct sim_world *world = *state;
    struct sim_object *link = setup(world);
    const struct sim_fault_plan third = {.point = &drop, .nth = 3};
    const struct sim_fault_plan two = {.point = &drop, .count_max = 2, .from_ns = 100};

    sim_fault_plan_add(world, &third);
    assert_string_equal(pass(world, link, 6), "..F...");
    sim_fault_plan_add(world, &two);
    assert_string_equal(pass(world, link, 3), "...");
    world->now_ns = 100;
    assert_string_equal(pass(world, link, 5), "FF...");
    assert_int_equal(sim_fault_plan_at(world, 0)->passed_count, 14);
    assert_int_equal(sim_fault_plan_at(world, 1)->passed_count, 5);
}

static void adding_a_plan_moves_no_number_of_another(void **state) {
    struct sim_world *world = *state;
    struct sim_object *link = setup(world);
    const struct sim_fault_plan first = {.point = &drop, .nth = 2};
    const struct sim_fault_plan second = {.point = &drop, .nth = 4};

    sim_fault_plan_add(world, &first);
    sim_fault_plan_add(world, &second);
    assert_string_equal(pass(world, link, 6), ".F.F..");
}

static void a_window_is_half_open(void **state) {
    struct sim_world *world = *state;
    struct sim_object *link = setup(world);
    const struct sim_fault_plan plan = {.point = &drop, .from_ns = 10, .to_ns = 20};

    sim_fault_plan_add(world, &plan);
    for (world->now_ns = 0; world->now_ns < 30; world->now_ns++) {
        assert_int_equal(sim_fault_hit(world, &drop, link, NULL),
                         world->now_ns >= 10 && world->now_ns < 20);
    }
}

static void subject_and_class_patterns_pick_what_passes(void **state) {
    struct sim_world *world = *state;
    struct sim_object *link = setup(world);
    struct sim_object *other = sim_alloc(world, sizeof(*other));
    const struct sim_fault_plan plan = {
        .point = &drop, .subject = "link[*]", .class_pattern = "cm.*", .nth = 2};

    sim_object_init(world, other, NULL, "port", SIM_NAME_INDEXED);
    sim_fault_plan_add(world, &plan);
    assert_false(sim_fault_hit(world, &drop, link, NULL));
    assert_false(sim_fault_hit_class(world, &drop, link, "cm.req", NULL));
    assert_false(sim_fault_hit_class(world, &drop, link, "rc.send", NULL));
    assert_false(sim_fault_hit_class(world, &drop, other, "cm.rep", NULL));
    assert_true(sim_fault_hit_class(world, &drop, link, "cm.rep", NULL));
}

static void a_plan_is_armed_by_the_nth_event_of_a_matching_object(void **state) {
    struct sim_world *world = *state;
    struct sim_object *link = setup(world);
    struct sim_object *other = sim_alloc(world, sizeof(*other));
    const struct sim_fault_plan plan = {.point = &drop,
                                        .after_event = "cm.rep",
                                        .after_object = "init.*",
                                        .after_nth = 2,
                                        .count_max = 1};
    uint16_t type = sim_trace_type_of(world, "cm.rep");

    sim_object_init(world, other, NULL, "init.x", SIM_NAME_PLAIN);
    sim_fault_plan_add(world, &plan);
    for (uint32_t i = 0; i < 3; i++) {
        sim_trace(world, type, SIM_ACCESS_NONE, link, NULL, NULL, 0, 0);
    }
    sim_trace(world, type, SIM_ACCESS_NONE, NULL, other, NULL, 0, 0);
    assert_string_equal(pass(world, link, 2), "..");
    sim_trace(world, type, SIM_ACCESS_NONE, NULL, other, NULL, 0, 0);
    assert_string_equal(pass(world, link, 3), "F..");
}

static void probability_is_a_planned_draw(void **state) {
    struct sim_world *world = *state;
    struct sim_object *link = setup(world);
    const struct sim_fault_plan plan = {.point = &drop, .ppm = 50000};
    struct sim_fault_plan *kept = sim_fault_plan_add(world, &plan);

    for (uint32_t i = 0; i < 20000; i++) {
        sim_fault_hit(world, &drop, link, NULL);
    }
    assert_in_range(kept->fired_count, 850, 1150);
    assert_int_equal(sim_choice_count(world), 20000);
}

static void a_free_plan_fires_under_an_exploring_chooser_only(void **state) {
    const struct sim_chooser_random_options rates = {.step_ppm = 0, .other_ppm = 0};
    struct sim_chooser *random = sim_chooser_random_create(&rates);
    struct sim_world *world = *state;
    struct sim_object *link = setup(world);
    const struct sim_fault_plan plan = {.point = &drop, .free_ppm = 200000};
    const struct sim_config config = {.seed = 4, .chooser = random};
    struct sim_fault_plan *kept = sim_fault_plan_add(world, &plan);

    sim_world_snapshot(world);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_false(sim_fault_hit(world, &drop, link, NULL));
    }
    sim_world_reset(world, &config);
    for (uint32_t i = 0; i < 1000; i++) {
        sim_fault_hit(world, &drop, link, NULL);
    }
    assert_in_range(kept->fired_count, 140, 260);
    reset_with_seed(world, 4);
    assert_int_equal(kept->fired_count, 0);
    sim_chooser_destroy(random);
}

static void healing_switches_every_plan_off_and_on(void **state) {
    struct sim_world *world = *state;
    struct sim_object *link = setup(world);
    const struct sim_fault_plan plan = {.point = &drop};

    sim_fault_plan_add(world, &plan);
    sim_fault_enable(world, false);
    assert_false(sim_fault_planned(world, &drop));
    assert_string_equal(pass(world, link, 3), "...");
    sim_fault_enable(world, true);
    assert_string_equal(pass(world, link, 3), "FFF");
}

static void a_silent_point_is_told_once_it_has_fired(void **state) {
    struct sim_world *world = *state;
    struct sim_object *link = setup(world);
    const struct sim_fault_plan plans[] = {{.point = &late}, {.point = &drop, .nth = 2}};

    sim_fault_plan_add(world, &plans[0]);
    sim_fault_plan_add(world, &plans[1]);
    drop.silent = true;
    assert_true(sim_fault_hit(world, &late, link, NULL));
    pass(world, link, 1);
    assert_null(sim_fault_silent(world));
    pass(world, link, 1);
    assert_ptr_equal(sim_fault_silent(world), sim_fault_plan_at(world, 1));
    drop.silent = false;
}

static void points_are_listed_in_order_of_registration(void **state) {
    struct sim_world *world = *state;
    size_t before = sim_fault_point_count(world);

    setup(world);
    assert_int_equal(sim_fault_point_count(world), before + 2);
    assert_ptr_equal(sim_fault_point_at(world, before), &drop);
    assert_ptr_equal(sim_fault_point_at(world, before + 1), &late);
    assert_null(sim_fault_point_at(world, before + 2));
    assert_ptr_equal(sim_fault_point_find(world, "test.late"), &late);
    assert_null(sim_fault_point_find(world, "test.lat"));
    assert_null(sim_fault_plan_at(world, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_point_without_a_plan_never_fires),
        WORLD_TEST(a_plan_without_conditions_fires_always_with_its_parameter),
        WORLD_TEST(nth_and_count_choose_among_passings),
        WORLD_TEST(adding_a_plan_moves_no_number_of_another),
        WORLD_TEST(a_window_is_half_open),
        WORLD_TEST(subject_and_class_patterns_pick_what_passes),
        WORLD_TEST(a_plan_is_armed_by_the_nth_event_of_a_matching_object),
        WORLD_TEST(probability_is_a_planned_draw),
        WORLD_TEST(a_free_plan_fires_under_an_exploring_chooser_only),
        WORLD_TEST(healing_switches_every_plan_off_and_on),
        WORLD_TEST(a_silent_point_is_told_once_it_has_fired),
        WORLD_TEST(points_are_listed_in_order_of_registration),
    };

    return cmocka_run_group_tests_name("fault", tests, NULL, NULL);
}
