/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "parse/units.h"

static void check_value(enum scn_unit unit, const char *text, uint64_t wanted) {
    uint64_t value = 0;

    assert_null(scn_unit_parse(unit, text, &value));
    assert_int_equal(value, wanted);
}

static void check_error(enum scn_unit unit, const char *text, const char *part) {
    uint64_t value = 0;
    const char *wrong = scn_unit_parse(unit, text, &value);

    assert_non_null(wrong);
    assert_non_null(strstr(wrong, part));
}

static void durations_are_nanoseconds(void **state) {
    (void)state;
    check_value(SCN_UNIT_DURATION, "0s", 0);
    check_value(SCN_UNIT_DURATION, "2us", 2000);
    check_value(SCN_UNIT_DURATION, "1.5us", 1500);
    check_value(SCN_UNIT_DURATION, "24h", UINT64_C(86400000000000));
    check_value(SCN_UNIT_MOMENT, "2us", 2000);
    check_value(SCN_UNIT_MOMENT, "never", SIM_TIME_NEVER);
    check_error(SCN_UNIT_DURATION, "never", "starts with a number");
    check_value(SCN_UNIT_DURATION, "876000h", UINT64_C(876000) * 3600 * SIM_NS_PER_S);
    check_error(SCN_UNIT_DURATION, "876001h", "longer than 100 years");
    check_error(SCN_UNIT_DURATION, "2", "ends with its unit");
    check_error(SCN_UNIT_DURATION, "us", "starts with a number");
    check_error(SCN_UNIT_DURATION, "-2us", "starts with a number");
    check_error(SCN_UNIT_DURATION, "0.5ns", "finer than");
    check_error(SCN_UNIT_DURATION, "99999999999h", "longer than");
    check_error(SCN_UNIT_DURATION, "99999999999999999999s", "longer than");
}

static void sizes_rates_and_probabilities_are_exact(void **state) {
    (void)state;
    check_value(SCN_UNIT_SIZE, "64KiB", 65536);
    check_value(SCN_UNIT_SIZE, "1.5KiB", 1536);
    check_error(SCN_UNIT_SIZE, "64K", "ends with its unit");
    check_value(SCN_UNIT_RATE, "100Gbps", UINT64_C(100000000000));
    check_value(SCN_UNIT_RATE, "2.5Gbps", UINT64_C(2500000000));
    check_value(SCN_UNIT_PROBABILITY, "0.1%", 1000);
    check_value(SCN_UNIT_PROBABILITY, "0.0001%", 1);
    check_value(SCN_UNIT_PROBABILITY, "100%", 1000000);
    check_value(SCN_UNIT_PROBABILITY, "7ppm", 7);
    check_error(SCN_UNIT_PROBABILITY, "101%", "at most");
    check_error(SCN_UNIT_PROBABILITY, "0.00001%", "finer than");
}

static void counts_are_decimal_or_hexadecimal(void **state) {
    (void)state;
    check_value(SCN_UNIT_COUNT, "17", 17);
    check_value(SCN_UNIT_COUNT, "0xFfFfFfFfFfFfFfFf", UINT64_MAX);
    check_error(SCN_UNIT_COUNT, "0x1FfFfFfFfFfFfFfFf", "64 bits");
    check_error(SCN_UNIT_COUNT, "0x", "digits only");
    check_error(SCN_UNIT_COUNT, "1e6", "digits only");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_are_nanoseconds),
        cmocka_unit_test(sizes_rates_and_probabilities_are_exact),
        cmocka_unit_test(counts_are_decimal_or_hexadecimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
