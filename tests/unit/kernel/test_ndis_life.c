/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to an adapter while it lives, how WSK comes up, and what the kernel finds amiss. */
#include "mini.h"

#define LOW_POWER 0xC023002Fu /* NDIS_STATUS_LOW_POWER_STATE */
#define NOT_READY 0xC00000A3u
#define NOT_FOUND 0xC0000225u
#define WRONG_STATE 0xC0000184u

static char rules[128];

static void on_broken(struct sim_world *in, const char *rule, struct krn_driver *by,
                      struct sim_object *subject, const struct sim_kept_site *made,
                      const char *sentence) {
    (void)in;
    (void)made;
    assert_non_null(by);
    assert_non_null(subject);
    assert_non_null(sentence);
    strcat(rules, rule);
    strcat(rules, " ");
}

static void watch_rules(void) {
    static const struct krn_ndk_interposer interposer = {.broken = on_broken};

    rules[0] = '\0';
    krn_ndk_interposer_set(world, &interposer);
}

static void begin(void) {
    load(miniport);
    load(client);
}

static void rest(void) {
    sim_run(world, NULL, NULL, sim_now_ns(world) + SIM_NS_PER_MS);
}

/* ---- Power, reset, restart, insertion ---- */

static void power_goes_when_the_client_has_closed_and_comes_back(void **state) {
    static struct krn_step down;

    (void)state;
    begin();
    assert_int_equal(control(OPEN, 1, 7), 0);
    krn_adapter_pnp(adapter, KRN_PNP_POWER_DOWN, &down);
    rest();
    assert_false(down.is_done);
    assert_int_equal(counter(client, "events"), 1);
    assert_int_equal(counter(miniport, "power"), UINT64_MAX);
    control(CLOSE, 0, 0);
    assert_int_equal(finish(&down), 0);
    assert_int_equal(counter(miniport, "power"), 4);
    assert_int_equal(control(OPEN, 1, 7), (int32_t)NOT_READY);
    assert_int_equal(oid(OID_PENDS, false, 0, NULL), (int32_t)LOW_POWER);
    assert_int_equal(pnp(KRN_PNP_POWER_DOWN), (int32_t)WRONG_STATE);
    assert_int_equal(pnp(KRN_PNP_RESET), (int32_t)WRONG_STATE);
    assert_int_equal(pnp(KRN_PNP_POWER_UP), 0);
    assert_int_equal(counter(miniport, "power"), 1);
    assert_int_equal(counter(client, "events"), 2);
    assert_int_equal(control(OPEN, 1, 7), 0);
    control(CLOSE, 0, 0);
}

static void an_adapter_without_power_is_halted(void **state) {
    (void)state;
    begin();
    assert_int_equal(pnp(KRN_PNP_POWER_DOWN), 0);
    assert_int_equal(pnp(KRN_PNP_HALT), 0);
    assert_int_equal(pnp(KRN_PNP_POWER_UP), (int32_t)WRONG_STATE);
    assert_int_equal(pnp(KRN_PNP_INITIALIZE), 0);
    assert_int_equal(control(OPEN, 1, 7), 0);
    control(CLOSE, 0, 0);
    assert_int_equal(unload(miniport), 0);
}

static void a_reset_is_answered_later(void **state) {
    (void)state;
    begin();
    assert_int_equal(pnp(KRN_PNP_RESET), 0);
    assert_int_equal(counter(miniport, "resets"), 1);
    assert_int_equal(control(OPEN, 1, 7), 0);
    control(CLOSE, 0, 0);
}

static void keywords_are_read_again_at_a_restart(void **state) {
    (void)state;
    begin();
    krn_adapter_keyword_set(adapter, "*NetworkDirect", "0");
    assert_int_equal(pnp(KRN_PNP_RESTART), 0);
    assert_false(krn_ndk_is_enabled(adapter));
    assert_int_equal(control(OPEN, 1, 7), (int32_t)NOT_READY);
    krn_adapter_keyword_set(adapter, "*NetworkDirect", "1");
    assert_int_equal(pnp(KRN_PNP_RESTART), 0);
    assert_true(krn_ndk_is_enabled(adapter));
    assert_int_equal(control(OPEN, 1, 7), 0);
    control(CLOSE, 0, 0);
}

static void a_removed_device_can_be_put_back(void **state) {
    (void)state;
    begin();
    assert_int_equal(pnp(KRN_PNP_INSERT), (int32_t)WRONG_STATE);
    assert_int_equal(pnp(KRN_PNP_SURPRISE_REMOVE), 0);
    assert_int_equal(control(OPEN, 1, 7), (int32_t)NOT_FOUND);
    assert_int_equal(pnp(KRN_PNP_INSERT), 0);
    assert_int_equal(control(OPEN, 1, 7), 0);
    control(CLOSE, 0, 0);
}

/* ---- WSK ---- */

static void a_capture_for_ever_waits_for_wsk(void **state) {
    (void)state;
    krn_wsk_ready_set(node, 5 * SIM_NS_PER_MS);
    load(miniport);
    assert_int_equal(load(client), 0);
    assert_true(sim_now_ns(world) >= 5 * SIM_NS_PER_MS);
    assert_int_equal(control(OPEN, 1, 7), 0);
    control(CLOSE, 0, 0);
    assert_int_equal(unload(client), 0);
}

static void an_adapter_that_no_protocol_is_bound_to_is_not_found(void **state) {
    (void)state;
    krn_adapter_keyword_set(adapter, "UpperRange", "ndis4");
    watch_rules();
    begin();
    assert_string_equal(rules, "R-NDIS-30 ");
    assert_int_equal(control(OPEN, 1, 7), (int32_t)NOT_FOUND);
}

/* ---- What the kernel finds amiss ---- */

static void four_bytes_for_a_boolean_break_a_rule(void **state) {
    (void)state;
    begin();
    watch_rules();
    assert_string_equal(rules, "");
    assert_int_equal(oid(OID_NDK_SET_STATE, true, 1, NULL), 0);
    assert_string_equal(rules, "R-NDIS-10 ");
}

static void an_oid_that_is_not_served_breaks_a_rule(void **state) {
    (void)state;
    begin();
    watch_rules();
    oid(0xFC040202u, false, 0, NULL);
    oid(0xFC040203u, false, 0, NULL);
    oid(0xFC040204u, false, 0, NULL);
    assert_string_equal(rules, "R-NDIS-03 R-NDIS-03 R-NDIS-03 ");
}

static void a_second_open_that_is_refused_breaks_none(void **state) {
    (void)state;
    begin();
    watch_rules();
    assert_int_equal(control(OPEN, 1, 7), 0);
    assert_int_equal(control(OPEN, 1, 7), (int32_t)NOT_READY);
    control(CLOSE, 0, 0);
    assert_string_equal(rules, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        NDIS_TEST(power_goes_when_the_client_has_closed_and_comes_back),
        NDIS_TEST(an_adapter_without_power_is_halted),
        NDIS_TEST(a_reset_is_answered_later),
        NDIS_TEST(keywords_are_read_again_at_a_restart),
        NDIS_TEST(a_removed_device_can_be_put_back),
        NDIS_TEST(a_capture_for_ever_waits_for_wsk),
        NDIS_TEST(an_adapter_that_no_protocol_is_bound_to_is_not_found),
        NDIS_TEST(four_bytes_for_a_boolean_break_a_rule),
        NDIS_TEST(an_oid_that_is_not_served_breaks_a_rule),
        NDIS_TEST(a_second_open_that_is_refused_breaks_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
