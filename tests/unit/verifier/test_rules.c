/* SPDX-License-Identifier: Apache-2.0 */
/* The rule table, and what a scenario or the command line makes of a rule. */
#include "fixture.h"

static void each_rule_says_what_must_hold_and_what_to_do(void **state) {
    size_t count = 0;

    (void)state;
    for (const struct vrf_rule *rule; (rule = vrf_rule_at(count)) != NULL; count++) {
        struct sim_finding finding;

        assert_ptr_equal(vrf_rule_find(rule->id), rule);
        assert_true(strlen(rule->id) < sizeof(finding.id));
        assert_true(strlen(rule->sentence) < sizeof(finding.sentence));
        assert_true(strlen(rule->remedy) < sizeof(finding.remedy));
        assert_int_equal(rule->sentence[strlen(rule->sentence) - 1], '.');
        assert_int_equal(rule->remedy[strlen(rule->remedy) - 1], '.');
        for (size_t i = 0; i < count; i++) {
            assert_string_not_equal(vrf_rule_at(i)->id, rule->id);
        }
    }
    assert_true(count >= 16);
    assert_null(vrf_rule_find("R-OWN-99"));
    assert_false(vrf_rule_set(fixture.world, "R-OWN-99", SIM_SEVERITY_OFF, "why"));
}

static void arm_closed(void *argument) {
    NDK_CQ *cq;

    (void)argument;
    open_adapter();
    cq = open_cq();
    close_object(cq);
    for (int i = 0; i < 3; i++) {
        cq->Dispatch->NdkArmCq(cq, NDK_CQ_NOTIFY_ANY);
    }
    heard.count = 77;
}

static void a_warning_does_not_end_the_run(void **state) {
    (void)state;
    assert_true(vrf_rule_set(fixture.world, "R-OWN-10", SIM_SEVERITY_WARN, "known, see #12"));
    run(arm_closed);
    assert_int_equal(heard.count, 77);
    assert_int_equal(sim_finding_count(fixture.world), 3);
    assert_int_equal(sim_finding_at(fixture.world, 0)->severity, SIM_SEVERITY_WARN);
    assert_non_null(strstr(sim_finding_at(fixture.world, 0)->detail, "known, see #12"));
}

static void a_rule_that_is_off_finds_nothing(void **state) {
    (void)state;
    assert_true(vrf_rule_set(fixture.world, "R-OWN-10", SIM_SEVERITY_OFF, "not now"));
    run(arm_closed);
    assert_int_equal(heard.count, 77);
    expect_no_finding();
}

static void a_severity_survives_a_reset(void **state) {
    const struct sim_config config = {.seed = 2};

    (void)state;
    sim_world_snapshot(fixture.world);
    assert_true(vrf_rule_set(fixture.world, "R-OWN-10", SIM_SEVERITY_OFF, "not now"));
    sim_world_reset(fixture.world, &config);
    run(arm_closed);
    expect_no_finding();
}

static void a_new_world_begins_with_the_table(void **state) {
    (void)state;
    assert_true(vrf_rule_set(fixture.world, "R-OWN-10", SIM_SEVERITY_OFF, "not now"));
    fixture_end();
    fixture_make(NULL, false);
    run(arm_closed);
    expect_finding("R-OWN-10", "consumer the program");
}

static void keep_going_collects_them_all(void **state) {
    (void)state;
    fixture_end();
    fixture_make(NULL, true);
    run(arm_closed);
    assert_int_equal(heard.count, 77);
    assert_int_equal(sim_finding_count(fixture.world), 3);
    assert_true(sim_finding_at(fixture.world, 0)->signature ==
                sim_finding_at(fixture.world, 2)->signature);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        VRF_TEST(each_rule_says_what_must_hold_and_what_to_do),
        VRF_TEST(a_warning_does_not_end_the_run),
        VRF_TEST(a_rule_that_is_off_finds_nothing),
        VRF_TEST(a_severity_survives_a_reset),
        VRF_TEST(a_new_world_begins_with_the_table),
        VRF_TEST(keep_going_collects_them_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
