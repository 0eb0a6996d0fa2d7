/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from a breach that was let pass is no fault of the other side. */
#include "excuse.h"
#include "find.h"
#include "fixture.h"
#include "shadow.h"

static void *first, *second;

static void open_both(void *argument) {
    (void)argument;
    open_adapter();
    first = open_cq();
    second = open_pd();
}

static struct vrf_world *cq_and_pd(struct vrf_shadow **one, struct vrf_shadow **other) {
    struct vrf_world *verifier = vrf_world_of(fixture.world);

    run(open_both);
    *one = vrf_shadow_find(verifier, first);
    *other = vrf_shadow_find(verifier, second);
    assert_non_null(*one);
    assert_non_null(*other);
    return verifier;
}

/* The consumer breaks a rule at `shadow`. */
static bool break_rule(struct vrf_world *verifier, enum vrf_rule_number rule,
                       struct vrf_shadow *shadow) {
    struct sim_finding finding;

    return vrf_find_begin_by(verifier, &finding, rule, shadow, VRF_CONSUMER) &&
           vrf_find(verifier, &finding);
}

static enum sim_severity severity_of(struct vrf_world *verifier, enum vrf_rule_number rule,
                                     struct vrf_shadow *shadow, enum vrf_bound side,
                                     char reason[128]) {
    struct sim_finding finding;

    assert_true(vrf_find_begin_by(verifier, &finding, rule, shadow, side));
    snprintf(reason, 128, "%s", finding.reason);
    return finding.severity;
}

static void the_object_and_what_it_relies_on_are_excused(void **state) {
    struct vrf_shadow *one, *other;
    struct vrf_world *verifier = cq_and_pd(&one, &other);
    char reason[128];

    (void)state;
    assert_true(vrf_rule_set(fixture.world, "R-OWN-08", SIM_SEVERITY_WARN, "known"));
    assert_false(break_rule(verifier, VRF_RULE_OWN_08, one));
    assert_int_equal(severity_of(verifier, VRF_RULE_OWN_09, one, VRF_PROVIDER, reason),
                     SIM_SEVERITY_WARN);
    assert_non_null(strstr(reason, "excused since R-OWN-08 of the consumer at "));
    assert_int_equal(severity_of(verifier, VRF_RULE_OWN_09, one->adapter, VRF_PROVIDER, reason),
                     SIM_SEVERITY_WARN);
    assert_int_equal(severity_of(verifier, VRF_RULE_OWN_09, other, VRF_PROVIDER, reason),
                     SIM_SEVERITY_ERROR);
    assert_int_equal(severity_of(verifier, VRF_RULE_OWN_10, one, VRF_CONSUMER, reason),
                     SIM_SEVERITY_ERROR);
    vrf_rules_reset();
}

static void what_relies_on_the_object_is_excused(void **state) {
    struct vrf_shadow *one, *other;
    struct vrf_world *verifier = cq_and_pd(&one, &other);
    char reason[128];

    (void)state;
    vrf_blame_only(VRF_PROVIDER);
    assert_false(break_rule(verifier, VRF_RULE_OWN_08, one->adapter));
    assert_int_equal(severity_of(verifier, VRF_RULE_OWN_09, other, VRF_PROVIDER, reason),
                     SIM_SEVERITY_WARN);
    vrf_rules_reset();
}

static void a_rule_that_is_off_excuses_as_well(void **state) {
    struct vrf_shadow *one, *other;
    struct vrf_world *verifier = cq_and_pd(&one, &other);
    char reason[128];

    (void)state;
    assert_true(vrf_rule_set(fixture.world, "R-OWN-08", SIM_SEVERITY_OFF, "known"));
    assert_false(break_rule(verifier, VRF_RULE_OWN_08, one));
    assert_int_equal(severity_of(verifier, VRF_RULE_OWN_09, one, VRF_PROVIDER, reason),
                     SIM_SEVERITY_WARN);
    vrf_rules_reset();
}

static void advice_excuses_nothing(void **state) {
    struct vrf_shadow *one, *other;
    struct vrf_world *verifier = cq_and_pd(&one, &other);
    char reason[128];

    (void)state;
    assert_int_equal(vrf_rule_at(VRF_RULE_CONN_26)->severity, SIM_SEVERITY_WARN);
    assert_false(break_rule(verifier, VRF_RULE_CONN_26, one));
    assert_int_equal(severity_of(verifier, VRF_RULE_OWN_09, one, VRF_PROVIDER, reason),
                     SIM_SEVERITY_ERROR);
}

/* Else the first breach would let both sides do as they like. */
static void what_is_excused_excuses_nothing(void **state) {
    struct vrf_shadow *one, *other;
    struct vrf_world *verifier = cq_and_pd(&one, &other);
    struct sim_finding finding;
    char reason[128];

    (void)state;
    assert_true(vrf_rule_set(fixture.world, "R-OWN-08", SIM_SEVERITY_WARN, "known"));
    assert_false(break_rule(verifier, VRF_RULE_OWN_08, one));
    assert_true(vrf_find_begin(verifier, &finding, VRF_RULE_OWN_09, one));
    assert_false(vrf_find(verifier, &finding));
    assert_int_equal(severity_of(verifier, VRF_RULE_OWN_10, one, VRF_CONSUMER, reason),
                     SIM_SEVERITY_ERROR);
    vrf_rules_reset();
}

static void a_report_names_what_was_let_pass(void **state) {
    struct vrf_shadow *one, *other;
    struct vrf_world *verifier = cq_and_pd(&one, &other);
    struct sim_finding finding;

    (void)state;
    assert_true(vrf_rule_set(fixture.world, "R-OWN-08", SIM_SEVERITY_WARN, "known"));
    assert_false(break_rule(verifier, VRF_RULE_OWN_08, other));
    sim_finding_init(&finding, SIM_VERDICT_BUGCHECK, "0x50", NULL);
    vrf_say_passed(fixture.world, &finding);
    assert_non_null(strstr(finding.detail, "let pass before: R-OWN-08 of the consumer at "));
    vrf_rules_reset();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        VRF_TEST(the_object_and_what_it_relies_on_are_excused),
        VRF_TEST(what_relies_on_the_object_is_excused),
        VRF_TEST(a_rule_that_is_off_excuses_as_well),
        VRF_TEST(advice_excuses_nothing),
        VRF_TEST(what_is_excused_excuses_nothing),
        VRF_TEST(a_report_names_what_was_let_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
