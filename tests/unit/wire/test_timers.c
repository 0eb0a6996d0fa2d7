/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/timers.h"

#include "support.h"

static void ack_timeout_is_four_microseconds_times_a_power_of_two(void **state) {
    (void)state;
    assert_int_equal(wire_ack_timeout_ns(0), 0);
    assert_int_equal(wire_ack_timeout_ns(1), 8192);
    assert_int_equal(wire_ack_timeout_ns(8), 1048576);
    assert_int_equal(wire_ack_timeout_ns(14), 67108864);
    assert_int_equal(wire_ack_timeout_ns(20), UINT64_C(4294967296));
    assert_int_equal(wire_ack_timeout_ns(31), UINT64_C(4096) << 31);
    assert_int_equal(wire_ack_timeout_ns(32 + 14), 67108864);
}

static void cm_timeout_has_no_never(void **state) {
    (void)state;
    assert_int_equal(wire_cm_timeout_ns(0), 4096);
    for (uint8_t code = 1; code < WIRE_TIMER_CODE_COUNT; code++) {
        assert_int_equal(wire_cm_timeout_ns(code), wire_ack_timeout_ns(code));
    }
}

static void timeout_codes_are_the_smallest_that_suffice(void **state) {
    (void)state;
    assert_int_equal(wire_cm_timeout_code(0), 0);
    assert_int_equal(wire_ack_timeout_code(0), 1);
    for (uint8_t code = 1; code < WIRE_TIMER_CODE_COUNT; code++) {
        uint64_t ns = wire_cm_timeout_ns(code);
        assert_int_equal(wire_cm_timeout_code(ns), code);
        assert_int_equal(wire_ack_timeout_code(ns), code);
        assert_int_equal(wire_cm_timeout_code(ns + 1), code == 31 ? 31 : code + 1);
    }
    assert_int_equal(wire_cm_timeout_code(UINT64_MAX), 31);
}

static void rnr_timers_are_those_of_the_table(void **state) {
    (void)state;
    /* In microseconds. */
    static const uint32_t expected[WIRE_TIMER_CODE_COUNT] = {
        655360, 10,    20,    30,    40,    60,     80,     120,    160,    240,    320,
        480,    640,   960,   1280,  1920,  2560,   3840,   5120,   7680,   10240,  15360,
        20480,  30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520,
    };
    for (uint8_t code = 0; code < WIRE_TIMER_CODE_COUNT; code++) {
        assert_int_equal(wire_rnr_timer_ns(code), (uint64_t)expected[code] * 1000);
    }
}

static void rnr_codes_are_the_shortest_that_suffice(void **state) {
    (void)state;
    assert_int_equal(wire_rnr_timer_code(0), 1);
    assert_int_equal(wire_rnr_timer_code(10001), 2);
    for (uint8_t code = 0; code < WIRE_TIMER_CODE_COUNT; code++) {
        assert_int_equal(wire_rnr_timer_code(wire_rnr_timer_ns(code)), code);
    }
    assert_int_equal(wire_rnr_timer_code(UINT64_MAX), 0);
}

static void credit_codes_grow_and_end_unlimited(void **state) {
    (void)state;
    assert_int_equal(wire_credit_count(0), 0);
    assert_int_equal(wire_credit_count(10), 32);
    assert_int_equal(wire_credit_count(30), 32768);
    assert_int_equal(wire_credit_count(31), WIRE_CREDIT_UNLIMITED);
    for (uint8_t code = 1; code < 32; code++) {
        assert_true(wire_credit_count(code) > wire_credit_count((uint8_t)(code - 1)));
    }
}

static void mtu_codes_and_sizes_are_inverse(void **state) {
    (void)state;
    assert_int_equal(wire_mtu_bytes(0), 0);
    assert_int_equal(wire_mtu_bytes(6), 0);
    assert_int_equal(wire_mtu_bytes(5), 4096);
    for (uint8_t code = 1; code <= 5; code++) {
        assert_int_equal(wire_mtu_code(wire_mtu_bytes(code)), code);
    }
    assert_int_equal(wire_mtu_code(1000), 0);
}

static void path_mtu_leaves_room_for_the_longest_headers(void **state) {
    (void)state;
    assert_int_equal(wire_mtu_for_link(1500, false), 1024);
    assert_int_equal(wire_mtu_for_link(2200, false), 2048);
    assert_int_equal(wire_mtu_for_link(4200, true), 4096);
    assert_int_equal(wire_mtu_for_link(4096 + 64, false), 4096);
    assert_int_equal(wire_mtu_for_link(4096 + 63, false), 2048);
    assert_int_equal(wire_mtu_for_link(4096 + 84, true), 4096);
    assert_int_equal(wire_mtu_for_link(4096 + 83, true), 2048);
    assert_int_equal(wire_mtu_for_link(300, true), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ack_timeout_is_four_microseconds_times_a_power_of_two),
        cmocka_unit_test(cm_timeout_has_no_never),
        cmocka_unit_test(timeout_codes_are_the_smallest_that_suffice),
        cmocka_unit_test(rnr_timers_are_those_of_the_table),
        cmocka_unit_test(rnr_codes_are_the_shortest_that_suffice),
        cmocka_unit_test(credit_codes_grow_and_end_unlimited),
        cmocka_unit_test(mtu_codes_and_sizes_are_inverse),
        cmocka_unit_test(path_mtu_leaves_room_for_the_longest_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
