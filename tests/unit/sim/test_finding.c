/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include "world.h"

static struct sim_object *birth(struct sim_world *world, const char *label) {
    struct sim_object *object = sim_alloc(world, sizeof(*object));

    sim_object_init(world, object, NULL, label, SIM_NAME_INDEXED);
    return object;
}

static void rule(struct sim_finding *finding, struct sim_object *object) {
    sim_finding_init(finding, SIM_VERDICT_RULE, "R-OWN-04", "DOUBLE_COMPLETION");
    snprintf(finding->guilty, sizeof(finding->guilty), "provider ndksim-rnic");
    sim_finding_object(finding, object);
}

static void a_finding_gets_its_time_sequence_and_signature(void **state) {
    struct sim_world *world = *state;
    struct sim_finding finding;

    world->now_ns = 99;
    sim_trace(world, 3, SIM_ACCESS_NONE, NULL, NULL, NULL, 0, 0);
    rule(&finding, birth(world, "qp"));
    sim_finding_say(&finding, "request %d was completed twice", 31);
    sim_find(world, &finding);
    assert_int_equal(sim_finding_count(world), 1);
    assert_int_equal(sim_finding_at(world, 0)->time_ns, 99);
    assert_int_equal(sim_finding_at(world, 0)->sequence, 1);
    assert_true(sim_finding_at(world, 0)->signature != 0);
    assert_string_equal(sim_finding_at(world, 0)->sentence, "request 31 was completed twice");
    assert_true(world->has_ended);
}

static void the_signature_sees_labels_and_states_but_no_numbers(void **state) {
    struct sim_world *world = *state;
    struct sim_object *first = birth(world, "qp");
    struct sim_object *second = birth(world, "qp");
    struct sim_object *other = birth(world, "cq");
    struct sim_finding finding;

    first->state = second->state = "closing";
    rule(&finding, first);
    sim_find(world, &finding);
    rule(&finding, second);
    sim_find(world, &finding);
    second->state = "open";
    rule(&finding, second);
    sim_find(world, &finding);
    rule(&finding, other);
    sim_find(world, &finding);
    assert_true(sim_finding_at(world, 0)->signature == sim_finding_at(world, 1)->signature);
    assert_true(sim_finding_at(world, 0)->signature != sim_finding_at(world, 2)->signature);
    assert_true(sim_finding_at(world, 0)->signature != sim_finding_at(world, 3)->signature);
}

static void warnings_and_switched_off_rules_do_not_end_a_run(void **state) {
    struct sim_world *world = *state;
    struct sim_finding finding;

    rule(&finding, birth(world, "qp"));
    finding.severity = SIM_SEVERITY_WARN;
    sim_find(world, &finding);
    finding.severity = SIM_SEVERITY_OFF;
    sim_find(world, &finding);
    assert_int_equal(sim_finding_count(world), 1);
    assert_false(world->has_ended);
}

static void keep_going_is_for_rules_only(void **state) {
    struct sim_world *world = *state;
    const struct sim_config config = {.keep_going = true};
    struct sim_object *qp = birth(world, "qp");
    struct sim_finding finding;

    sim_world_snapshot(world);
    sim_world_reset(world, &config);
    rule(&finding, qp);
    sim_find(world, &finding);
    assert_false(world->has_ended);
    sim_finding_init(&finding, SIM_VERDICT_BUGCHECK, "0xD5", NULL);
    sim_find(world, &finding);
    assert_true(world->has_ended);
    sim_world_reset(world, &config);
    assert_false(world->has_ended);
    assert_int_equal(sim_finding_count(world), 0);
}

static void a_flood_of_findings_leaves_room_for_the_one_that_ends_the_run(void **state) {
    struct sim_world *world = *state;
    struct sim_finding finding;

    rule(&finding, birth(world, "qp"));
    finding.severity = SIM_SEVERITY_WARN;
    for (uint32_t i = 0; i < 2 * SIM_FINDING_COUNT_MAX; i++) {
        sim_find(world, &finding);
    }
    assert_int_equal(sim_finding_count(world), SIM_FINDING_COUNT_MAX - SIM_FINDING_UNEXPECTED);
    assert_int_equal(sim_finding_left_out(world), SIM_FINDING_COUNT_MAX + SIM_FINDING_UNEXPECTED);
    assert_int_equal(sim_finding_errors(world), 0);
    sim_finding_init(&finding, SIM_VERDICT_BUGCHECK, "0x9F", NULL);
    sim_find(world, &finding);
    assert_int_equal(sim_finding_errors(world), 1);
    assert_string_equal(sim_finding_at(world, sim_finding_count(world) - 1)->id, "0x9F");
}

/* Answers that findings of rule "R-OWN-01" are asked for, and counts the questions. */
static bool expects(void *context, const struct sim_finding *finding) {
    (*(uint32_t *)context)++;
    return strcmp(finding->id, "R-OWN-01") == 0;
}

static void an_unexpected_error_finds_a_place_after_any_number_of_others(void **state) {
    struct sim_world *world = *state;
    uint32_t asked = 0;
    const struct sim_config config = {
        .keep_going = true, .is_expected = expects, .expected_context = &asked};
    struct sim_object *qp = birth(world, "qp");
    struct sim_finding finding;

    sim_world_snapshot(world);
    sim_world_reset(world, &config);
    sim_finding_init(&finding, SIM_VERDICT_RULE, "R-OWN-01", NULL);
    sim_finding_object(&finding, qp);
    for (uint32_t i = 0; i < 300; i++) {
        sim_find(world, &finding);
    }
    assert_true(sim_finding_at(world, 0)->expected);
    sim_finding_init(&finding, SIM_VERDICT_RULE, "R-OWN-02", NULL);
    for (uint32_t i = 0; i < 300; i++) {
        sim_find(world, &finding);
    }
    assert_int_equal(asked, 600);
    assert_int_equal(sim_finding_errors(world), 600);
    assert_int_equal(sim_finding_count(world), SIM_FINDING_COUNT_MAX - 1);
    assert_int_equal(sim_finding_left_out(world), 600 - (SIM_FINDING_COUNT_MAX - 1));
    assert_string_equal(sim_finding_at(world, SIM_FINDING_COUNT_MAX - SIM_FINDING_UNEXPECTED)->id,
                        "R-OWN-02");
    sim_finding_init(&finding, SIM_VERDICT_BUGCHECK, "0x9F", NULL);
    sim_find(world, &finding);
    assert_string_equal(sim_finding_at(world, SIM_FINDING_COUNT_MAX - 1)->id, "0x9F");
    assert_true(world->has_ended);
}

static void details_are_lines_and_objects_are_named_once(void **state) {
    struct sim_world *world = *state;
    struct sim_object *object = birth(world, "qp");
    struct sim_finding finding;

    rule(&finding, object);
    sim_finding_object(&finding, object);
    sim_finding_object(&finding, NULL);
    assert_int_equal(finding.object_count, 1);
    sim_finding_detail(&finding, "one %d", 1);
    sim_finding_detail(&finding, "two");
    assert_string_equal(finding.detail, "one 1\ntwo");
    for (uint32_t i = 0; i < 200; i++) {
        sim_finding_object(&finding, birth(world, "cq"));
        sim_finding_detail(&finding, "a further line");
    }
    assert_int_equal(finding.object_count, SIM_FINDING_OBJECTS);
    assert_true(strlen(finding.detail) < sizeof(finding.detail));
}

static struct sim_world *ended;
static struct sim_site task_site;

__attribute__((noinline)) static void inner(struct sim_site *site) {
    sim_site_capture(site, "used");
    __asm__ volatile("" ::: "memory");
}

static void find_in_task(void *argument) {
    struct sim_finding finding;

    (void)argument;
    inner(&task_site);
    rule(&finding, sim_task_object(sim_task_current()));
    sim_finding_site_here(&finding, "called");
    sim_find(ended, &finding);
    fail_msg("a finding that ends the run came back to its task");
}

static void in_a_task_a_finding_does_not_return_and_knows_its_site(void **state) {
    struct sim_world *world = *state;
    struct sim_object *node = birth(world, "host");
    struct sim_cpu *cpu = sim_cpu_create(world, node);
    const struct sim_finding *finding;

    ended = world;
    sim_task_create(cpu, node, "thread", find_in_task, NULL, NULL);
    assert_int_equal(sim_run(world, NULL, NULL, SIM_TIME_NEVER), SIM_RUN_FINDING);
    finding = sim_finding_at(world, 0);
    assert_int_equal(finding->site_count, 1);
    assert_string_equal(finding->sites[0].what, "called");
    assert_non_null(finding->sites[0].actor);
#if defined(__x86_64__) || defined(__aarch64__)
    assert_true(task_site.frame_count >= 2);
    assert_true(finding->sites[0].frame_count >= 2);
#endif
}

static void outside_of_tasks_a_site_has_frames_but_no_actor(void **state) {
    struct sim_site site;

    (void)state;
    inner(&site);
    assert_null(site.actor);
    assert_string_equal(site.what, "used");
}

static void verdicts_have_names(void **state) {
    (void)state;
    assert_string_equal(sim_verdict_name(SIM_VERDICT_HELD), "held");
    assert_string_equal(sim_verdict_name(SIM_VERDICT_RULE), "rule broken");
    assert_string_equal(sim_verdict_name(SIM_VERDICT_INTERNAL), "internal error");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_finding_gets_its_time_sequence_and_signature),
        WORLD_TEST(the_signature_sees_labels_and_states_but_no_numbers),
        WORLD_TEST(warnings_and_switched_off_rules_do_not_end_a_run),
        WORLD_TEST(keep_going_is_for_rules_only),
        WORLD_TEST(a_flood_of_findings_leaves_room_for_the_one_that_ends_the_run),
        WORLD_TEST(an_unexpected_error_finds_a_place_after_any_number_of_others),
        WORLD_TEST(details_are_lines_and_objects_are_named_once),
        WORLD_TEST(in_a_task_a_finding_does_not_return_and_knows_its_site),
        WORLD_TEST(outside_of_tasks_a_site_has_frames_but_no_actor),
        cmocka_unit_test(verdicts_have_names),
    };

    return cmocka_run_group_tests_name("finding", tests, NULL, NULL);
}
