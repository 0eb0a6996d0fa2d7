/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/psn.h"

#include "support.h"

static void addition_wraps_at_24_bits(void **state) {
    (void)state;
    assert_int_equal(wire_psn_next(wire_psn_make(0xFFFFFF)).value, 0);
    assert_int_equal(wire_psn_add(wire_psn_make(0xFFFFFE), 5).value, 3);
    assert_int_equal(wire_psn_sub(wire_psn_make(2), 3).value, 0xFFFFFF);
    assert_int_equal(wire_psn_add(wire_psn_make(7), 0x1000000).value, 7);
    assert_int_equal(wire_psn_make(0xFF000001).value, 1);
}

static void difference_is_signed_within_half_the_window(void **state) {
    (void)state;
    assert_int_equal(wire_psn_diff(wire_psn_make(1), wire_psn_make(0xFFFFFF)), 2);
    assert_int_equal(wire_psn_diff(wire_psn_make(0xFFFFFF), wire_psn_make(1)), -2);
    assert_int_equal(wire_psn_diff(wire_psn_make(0x7FFFFF), wire_psn_make(0)), 0x7FFFFF);
    assert_int_equal(wire_psn_diff(wire_psn_make(0x800000), wire_psn_make(0)), -0x800000);
    assert_int_equal(wire_psn_diff(wire_psn_make(9), wire_psn_make(9)), 0);
}

static void order_holds_across_the_wrap(void **state) {
    (void)state;
    for (uint32_t start = 0xFFFFF0; start < 0xFFFFF0 + 32; start++) {
        struct wire_psn psn = wire_psn_make(start);
        assert_true(wire_psn_before(psn, wire_psn_next(psn)));
        assert_true(wire_psn_after(wire_psn_next(psn), psn));
        assert_false(wire_psn_before(psn, psn));
        assert_false(wire_psn_after(psn, psn));
        assert_true(wire_psn_equal(psn, wire_psn_sub(wire_psn_next(psn), 1)));
        assert_true(wire_psn_before(psn, wire_psn_add(psn, 0x7FFFFF)));
        assert_true(wire_psn_before(wire_psn_add(psn, 0x800001), psn));
    }
}

static void range_contains_its_ends_across_the_wrap(void **state) {
    (void)state;
    struct wire_psn first = wire_psn_make(0xFFFFFE);
    assert_true(wire_psn_in_range(first, first, 1));
    assert_true(wire_psn_in_range(wire_psn_make(1), first, 4));
    assert_false(wire_psn_in_range(wire_psn_make(2), first, 4));
    assert_false(wire_psn_in_range(wire_psn_make(0xFFFFFD), first, 4));
    assert_false(wire_psn_in_range(first, first, 0));
    assert_int_equal(wire_psn_distance(first, wire_psn_make(1)), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addition_wraps_at_24_bits),
        cmocka_unit_test(difference_is_signed_within_half_the_window),
        cmocka_unit_test(order_holds_across_the_wrap),
        cmocka_unit_test(range_contains_its_ends_across_the_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
