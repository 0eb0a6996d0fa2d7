/* SPDX-License-Identifier: Apache-2.0 */
/* The rule table, and what a scenario or the command line makes of a rule. */
#include "fixture.h"
#include "rules.h"

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
    assert_int_equal(count, VRF_RULE_COUNT);
    assert_null(vrf_rule_find("R-OWN-99"));
    assert_false(vrf_rule_set(fixture.world, "R-OWN-99", SIM_SEVERITY_OFF, "why"));
}

static void rows_stand_in_the_order_of_their_numbers(void **state) {
#define NAME(name) "R-" #name,
    static const char *const names[] = {VRF_IDS(NAME)};
#undef NAME

    (void)state;
    for (size_t i = 0; i < VRF_RULE_COUNT; i++) {
        char id[16];

        snprintf(id, sizeof(id), "%s", names[i]);
        *strchr(id, '_') = '-';
        assert_string_equal(vrf_rule_at(i)->id, id);
    }
}

static void the_numbered_rules_are_330(void **state) {
    size_t numbered = 0, construction = 0, bound[VRF_BOTH + 1] = {0};
    const struct vrf_rule_area *area;

    (void)state;
    for (size_t i = 0; (area = vrf_rule_area_at(i)) != NULL; i++) {
        if (strcmp(area->name, "R-OWN") == 0) {
            continue;
        }
        numbered += area->count;
        for (size_t k = 0; k < area->count; k++) {
            construction += area->rows[k].held == VRF_CONSTRUCTION;
            bound[area->rows[k].bound]++;
        }
    }
    assert_int_equal(numbered, 330);
    assert_int_equal(bound[VRF_PROVIDER], 255);
    assert_int_equal(bound[VRF_CONSUMER], 57);
    assert_int_equal(bound[VRF_BOTH], 18);
    assert_true(construction <= 10);
}

/* What binds a consumer can only be seen while it runs. */
static void a_row_claims_what_its_kind_can_hold(void **state) {
    (void)state;
    for (size_t i = 0; i < VRF_RULE_COUNT; i++) {
        const struct vrf_rule *rule = vrf_rule_at(i);

        if (rule->bound != VRF_PROVIDER) {
            assert_int_not_equal(rule->held, VRF_TESTED);
        }
        if (rule->held != VRF_WATCHED) {
            assert_false(rule->is_missing);
        }
        if (rule->seen_as != NULL) {
            const struct vrf_rule *other = vrf_rule_find(rule->seen_as);

            assert_false(rule->is_missing);
            assert_non_null(other);
            assert_ptr_not_equal(other, rule);
            assert_null(other->seen_as);
            assert_int_equal(other->held, VRF_WATCHED);
        }
    }
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
    assert_string_equal(sim_finding_at(fixture.world, 0)->reason, "known, see #12");
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

static void findings_against_the_other_side_are_warnings(void **state) {
    (void)state;
    vrf_blame_only(VRF_PROVIDER);
    run(arm_closed);
    assert_int_equal(heard.count, 77);
    assert_int_equal(sim_finding_count(fixture.world), 3);
    assert_int_equal(sim_finding_at(fixture.world, 0)->severity, SIM_SEVERITY_WARN);
    assert_string_equal(sim_finding_at(fixture.world, 0)->reason, "only providers are judged");
    vrf_blame_only(VRF_BOTH);
}

static void findings_against_the_blamed_side_end_the_run(void **state) {
    (void)state;
    vrf_blame_only(VRF_CONSUMER);
    run(arm_closed);
    expect_finding("R-OWN-10", "consumer the program");
    vrf_blame_only(VRF_BOTH);
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
        VRF_TEST(rows_stand_in_the_order_of_their_numbers),
        VRF_TEST(the_numbered_rules_are_330),
        VRF_TEST(a_row_claims_what_its_kind_can_hold),
        VRF_TEST(a_warning_does_not_end_the_run),
        VRF_TEST(a_rule_that_is_off_finds_nothing),
        VRF_TEST(a_severity_survives_a_reset),
        VRF_TEST(a_new_world_begins_with_the_table),
        VRF_TEST(findings_against_the_other_side_are_warnings),
        VRF_TEST(findings_against_the_blamed_side_end_the_run),
        VRF_TEST(keep_going_collects_them_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
