/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys, ordinals, the recorder, and the three choosers.
 */
#include "fixture.h"

#include "outer.h"
#include "world.h"

static struct sim_object *birth(struct sim_world *world, const char *label) {
    struct sim_object *object = sim_alloc(world, sizeof(*object));

    sim_object_init(world, object, NULL, label, SIM_NAME_INDEXED);
    return object;
}

static const struct sim_option three[3] = {{.label = "on"}, {.label = "left"}, {.label = "right"}};

static uint32_t ask(struct sim_world *world, enum sim_choice_kind kind, const char *topic,
                    struct sim_object *subject) {
    const struct sim_choice choice = {
        .kind = kind, .topic = topic, .subject = subject, .options = three, .option_count = 3};

    return sim_choose(world, &choice);
}

/* A chooser that answers 0 and writes down what it was asked. */
struct spy {
    struct sim_chooser chooser;
    struct sim_choice_key keys[64];
    uint32_t count;
    uint32_t begin_count;
    uint32_t end_count;
    uint64_t seed;
    uint32_t answer;
};

static void spy_begin(struct sim_chooser *chooser, uint64_t seed) {
    struct spy *spy = SIM_CONTAINER_OF(chooser, struct spy, chooser);

    spy->begin_count++;
    spy->seed = seed;
}

static uint32_t spy_choose(struct sim_chooser *chooser, struct sim_world *world,
                           const struct sim_choice *choice, const struct sim_choice_key *key) {
    struct spy *spy = SIM_CONTAINER_OF(chooser, struct spy, chooser);

    (void)world;
    (void)choice;
    spy->keys[spy->count++ % 64] = *key;
    return spy->answer;
}

static void spy_end(struct sim_chooser *chooser) {
    SIM_CONTAINER_OF(chooser, struct spy, chooser)->end_count++;
}

static void spy_init(struct spy *spy) {
    memset(spy, 0, sizeof(*spy));
    spy->chooser.begin = spy_begin;
    spy->chooser.choose = spy_choose;
    spy->chooser.end = spy_end;
}

static struct sim_world *world_with(struct sim_chooser *chooser, uint64_t seed) {
    const struct sim_config config = {.seed = seed, .chooser = chooser};

    return sim_world_create(&config);
}

static void ordinals_count_by_kind_topic_and_subject(void **state) {
    struct spy spy;
    struct sim_world *world;
    struct sim_object *a, *b;
    const uint32_t expected[] = {1, 1, 2, 1, 1, 2, 1, 2};

    (void)state;
    spy_init(&spy);
    world = world_with(&spy.chooser, 5);
    a = birth(world, "a");
    b = birth(world, "b");
    ask(world, SIM_CHOICE_FAULT, "drop", a);
    ask(world, SIM_CHOICE_FAULT, "drop", b);
    ask(world, SIM_CHOICE_FAULT, "drop", a);
    ask(world, SIM_CHOICE_FAULT, "delay", a);
    ask(world, SIM_CHOICE_STEP, NULL, a);
    ask(world, SIM_CHOICE_STEP, NULL, a);
    ask(world, SIM_CHOICE_DELAY, "drop", a);
    ask(world, SIM_CHOICE_FAULT, "drop", b);
    for (uint32_t i = 0; i < SIM_ARRAY_COUNT(expected); i++) {
        assert_int_equal(spy.keys[i].ordinal, expected[i]);
    }
    assert_true(spy.keys[0].subject_hash == sim_hash_text("a[0]"));
    assert_true(sim_choice_key_hash(&spy.keys[0]) != sim_choice_key_hash(&spy.keys[2]));
    assert_true(sim_choice_key_hash(&spy.keys[0]) != sim_choice_key_hash(&spy.keys[6]));
    assert_int_equal(sim_choice_count(world), 8);
    assert_int_equal(spy.begin_count, 1);
    assert_int_equal(spy.seed, 5);
    sim_world_destroy(world);
    assert_int_equal(spy.end_count, 1);
}

static void a_choice_of_one_asks_nobody(void **state) {
    const struct sim_choice choice = {.kind = SIM_CHOICE_ANSWER,
                                      .subject = birth(*state, "a"),
                                      .options = three,
                                      .option_count = 1};

    assert_int_equal(sim_choose(*state, &choice), 0);
    assert_int_equal(sim_choice_count(*state), 0);
}

static void quiet_answers_zero_but_honours_planned_draws(void **state) {
    struct sim_world *world = *state;
    struct sim_object *a = birth(world, "a");
    uint32_t fired = 0;
    size_t count;

    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(ask(world, SIM_CHOICE_STEP, NULL, a), 0);
        assert_false(sim_choose_fault(world, "free", a, 0));
        assert_true(sim_choose_fault(world, "sure", a, 1000000));
    }
    for (uint32_t i = 0; i < 100000; i++) {
        fired += sim_choose_fault(world, "drop", a, 10000) ? 1 : 0;
    }
    assert_in_range(fired, 850, 1150);
    sim_deviations(world, &count);
    assert_int_equal(count, 1000 + fired);
}

static void one_more_draw_in_one_place_moves_no_other(void **state) {
    bool answers[2][500];

    (void)state;
    for (uint32_t turn = 0; turn < 2; turn++) {
        struct sim_world *world = world_with(NULL, 77);
        struct sim_object *a = birth(world, "a");
        struct sim_object *b = birth(world, "b");

        for (uint32_t i = 0; i < 500; i++) {
            if (turn == 1 && i % 3 == 0) {
                sim_choose_fault(world, "drop", b, 500000);
            }
            answers[turn][i] = sim_choose_fault(world, "drop", a, 500000);
        }
        sim_world_destroy(world);
    }
    assert_memory_equal(answers[0], answers[1], sizeof(answers[0]));
}

static void random_deviates_at_its_rates_and_by_seed_only(void **state) {
    const struct sim_chooser_random_options options = {.step_ppm = 100000, .other_ppm = 300000};
    struct sim_chooser *chooser = sim_chooser_random_create(&options);
    uint32_t taken[2][3] = {{0}};
    uint64_t order[3];

    (void)state;
    for (uint32_t turn = 0; turn < 3; turn++) {
        struct sim_world *world = world_with(chooser, turn == 2 ? 12 : 11);
        struct sim_object *a = birth(world, "a");

        for (uint32_t i = 0; i < 30000; i++) {
            taken[0][ask(world, SIM_CHOICE_STEP, NULL, a)]++;
            taken[1][ask(world, SIM_CHOICE_ANSWER, "shape", a)]++;
        }
        for (uint32_t i = 0; i < 1000; i++) {
            const struct sim_choice free_choice = {.kind = SIM_CHOICE_FAULT,
                                                   .topic = "free",
                                                   .subject = a,
                                                   .options = three,
                                                   .option_count = 2,
                                                   .free_ppm = 1000000};

            assert_int_equal(sim_choose(world, &free_choice), 1);
        }
        order[turn] = sim_order_hash(world);
        sim_world_destroy(world);
    }
    /* The options carry no ids here, so all orders are one. */
    assert_true(order[0] == order[1] && order[0] == order[2]);
    assert_in_range(taken[0][1] + taken[0][2], 8400, 9600);
    assert_in_range(taken[0][1], 4000, 5000);
    assert_in_range(taken[1][1] + taken[1][2], 26000, 28000);
    sim_chooser_destroy(chooser);
}

static void the_order_hash_tells_orders_apart(void **state) {
    const struct sim_option options[2] = {{.actor_id = 1, .label = "a"},
                                          {.actor_id = 2, .label = "b"}};
    const struct sim_chooser_random_options rates = {.step_ppm = 500000, .other_ppm = 0};
    struct sim_chooser *chooser = sim_chooser_random_create(&rates);
    uint64_t orders[3];

    (void)state;
    for (uint32_t turn = 0; turn < 3; turn++) {
        struct sim_world *world = world_with(chooser, turn == 2 ? 4 : 3);
        const struct sim_choice choice = {.kind = SIM_CHOICE_STEP,
                                          .subject = birth(world, "a"),
                                          .options = options,
                                          .option_count = 2};

        for (uint32_t i = 0; i < 50; i++) {
            sim_choose(world, &choice);
        }
        orders[turn] = sim_order_hash(world);
        sim_world_destroy(world);
    }
    assert_true(orders[0] == orders[1]);
    assert_true(orders[0] != orders[2]);
    sim_chooser_destroy(chooser);
}

struct answers {
    uint32_t of[500];
};

/* The same questions every time, with a few more in front when `shift` is set. */
static void question(struct sim_world *world, bool shift, struct answers *answers) {
    struct sim_object *a = birth(world, "a");
    struct sim_object *b = birth(world, "b");
    /* Several of one name, as a driver may have it. */
    static const struct sim_option alike[4] = {
        {.label = "mr"}, {.label = "mr"}, {.label = "mr-file"}, {.label = "mr"}};
    const struct sim_choice driver = {.kind = SIM_CHOICE_DRIVER,
                                      .topic = "order",
                                      .subject = a,
                                      .options = alike,
                                      .option_count = 4};
    /* No labels: the actors' names stand in. */
    const struct sim_option unnamed[2] = {{.actor_id = a->id}, {.actor_id = b->id}};
    const struct sim_choice step = {.kind = SIM_CHOICE_STEP,
                                    .topic = "named",
                                    .subject = b,
                                    .options = unnamed,
                                    .option_count = 2};

    for (uint32_t i = 0; i < 100; i++) {
        if (shift) {
            ask(world, SIM_CHOICE_SCENARIO, "new", a);
        }
        answers->of[4 * i] = ask(world, SIM_CHOICE_STEP, NULL, a);
        answers->of[4 * i + 1] = ask(world, SIM_CHOICE_ANSWER, "shape", b);
        answers->of[4 * i + 2] = sim_choose_fault(world, "drop", a, 100000) ? 1 : 0;
        answers->of[4 * i + 3] = sim_choose(world, &step);
        answers->of[400 + i] = sim_choose(world, &driver);
    }
}

static struct sim_deviation *keep(const struct sim_world *world, size_t *count) {
    const struct sim_deviation *deviations = sim_deviations(world, count);
    struct sim_deviation *kept = calloc(*count + 1, sizeof(*kept));

    for (size_t i = 0; i < *count; i++) {
        kept[i] = deviations[i];
        kept[i].topic = strdup(deviations[i].topic);
        kept[i].subject = strdup(deviations[i].subject);
        kept[i].label = strdup(deviations[i].label);
    }
    return kept;
}

static void drop(struct sim_deviation *kept, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free((char *)(uintptr_t)kept[i].topic);
        free((char *)(uintptr_t)kept[i].subject);
        free((char *)(uintptr_t)kept[i].label);
    }
    free(kept);
}

static void a_recorded_run_comes_again_though_other_choices_are_new(void **state) {
    const struct sim_chooser_random_options rates = {.step_ppm = 200000, .other_ppm = 200000};
    struct sim_chooser *random = sim_chooser_random_create(&rates);
    struct sim_world *world = world_with(random, 1234);
    struct answers first, second;
    struct sim_deviation *kept;
    struct sim_chooser *recorded;
    size_t count, fired = 0;

    (void)state;
    question(world, false, &first);
    kept = keep(world, &count);
    for (uint32_t i = 0; i < SIM_ARRAY_COUNT(first.of); i++) {
        fired += first.of[i] != 0;
    }
    assert_int_equal(count, fired);
    assert_true(count > 20);
    sim_world_destroy(world);
    sim_chooser_destroy(random);

    recorded = sim_chooser_recorded_create(kept, count);
    for (uint32_t turn = 0; turn < 2; turn++) {
        world = world_with(recorded, 9);
        question(world, turn == 1, &second);
        assert_memory_equal(&first, &second, sizeof(first));
        for (size_t i = 0; i < count; i++) {
            assert_true(kept[i].used);
        }
        sim_world_destroy(world);
    }
    sim_chooser_destroy(recorded);
    drop(kept, count);
}

static void a_deviation_whose_label_or_key_is_gone_stays_unused(void **state) {
    struct sim_deviation deviations[] = {
        {.kind = SIM_CHOICE_ANSWER, .topic = "t", .subject = "a[0]", .ordinal = 2, .label = "gone"},
        {.kind = SIM_CHOICE_ANSWER, .topic = "t", .subject = "a[7]", .ordinal = 1, .label = "left"},
        {.kind = SIM_CHOICE_ANSWER,
         .topic = "t",
         .subject = "a[0]",
         .ordinal = 3,
         .label = "right"},
    };
    struct sim_chooser *recorded = sim_chooser_recorded_create(deviations, 3);
    struct sim_world *world = world_with(recorded, 1);
    struct sim_object *a = birth(world, "a");

    (void)state;
    assert_int_equal(ask(world, SIM_CHOICE_ANSWER, "t", a), 0);
    assert_int_equal(ask(world, SIM_CHOICE_ANSWER, "t", a), 0);
    assert_int_equal(ask(world, SIM_CHOICE_ANSWER, "t", a), 2);
    assert_false(sim_choose_fault(world, "planned", a, 1000000));
    assert_false(deviations[0].used);
    assert_false(deviations[1].used);
    assert_true(deviations[2].used);
    sim_world_destroy(world);
    sim_chooser_destroy(recorded);
}

static void snapshot_and_reset_start_the_list_of_deviations_anew(void **state) {
    struct sim_world *world = *state;
    struct sim_object *a = birth(world, "a");
    const struct sim_deviation *deviations;
    size_t count;

    sim_choose_fault(world, "sure", a, 1000000);
    sim_world_snapshot(world);
    for (uint32_t run = 0; run < 2; run++) {
        sim_deviations(world, &count);
        assert_int_equal(count, 0);
        sim_choose_fault(world, "sure", a, 1000000);
        deviations = sim_deviations(world, &count);
        assert_int_equal(count, 1);
        assert_int_equal(deviations[0].ordinal, 2);
        assert_string_equal(deviations[0].label, "fire");
        assert_string_equal(deviations[0].subject, "a[0]");
        reset_with_seed(world, run);
    }
}

static void more_decisions_than_a_record_holds_are_a_finding(void **state) {
    struct spy spy;
    struct sim_world *world;
    struct sim_object *subject;
    struct sim_span *raw;
    size_t reserved_bytes;

    (void)state;
    spy_init(&spy);
    spy.answer = 1;
    world = world_with(&spy.chooser, 5);
    subject = birth(world, "a");
    raw = &world->outer->recorder.raw;
    reserved_bytes = raw->reserved_bytes;
    ask(world, SIM_CHOICE_ANSWER, "t", subject);
    raw->reserved_bytes = raw->committed_bytes;
    while (world->outer->recorder.count < raw->committed_bytes / sizeof(struct sim_raw_deviation)) {
        ask(world, SIM_CHOICE_ANSWER, "t", subject);
    }
    assert_int_equal(sim_finding_count(world), 0);
    ask(world, SIM_CHOICE_ANSWER, "t", subject);
    assert_int_equal(sim_finding_count(world), 1);
    assert_int_equal(sim_finding_at(world, 0)->verdict, SIM_VERDICT_STUCK);
    assert_string_equal(sim_finding_at(world, 0)->id, "decisions");
    assert_non_null(strstr(sim_finding_at(world, 0)->sentence, "more than a record can hold"));
    raw->reserved_bytes = reserved_bytes;
    sim_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinals_count_by_kind_topic_and_subject),
        WORLD_TEST(a_choice_of_one_asks_nobody),
        WORLD_TEST(quiet_answers_zero_but_honours_planned_draws),
        cmocka_unit_test(one_more_draw_in_one_place_moves_no_other),
        cmocka_unit_test(random_deviates_at_its_rates_and_by_seed_only),
        cmocka_unit_test(the_order_hash_tells_orders_apart),
        cmocka_unit_test(a_recorded_run_comes_again_though_other_choices_are_new),
        cmocka_unit_test(a_deviation_whose_label_or_key_is_gone_stays_unused),
        cmocka_unit_test(more_decisions_than_a_record_holds_are_a_finding),
        WORLD_TEST(snapshot_and_reset_start_the_list_of_deviations_anew),
    };

    return cmocka_run_group_tests_name("choice", tests, NULL, NULL);
}
