/* SPDX-License-Identifier: Apache-2.0 */
/* Counting distinct orders: exact, estimated, added up, kept in files. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/orders.h"

#define FILE_NAME "test_orders.orders"

static void add_range(struct scn_orders *orders, uint64_t first, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        scn_orders_add(orders, first + i);
}

static void equal_orders_count_once(void **state) {
    struct scn_orders orders = {0};
    bool is_exact;

    (void)state;
    assert_int_equal(scn_orders_count(&orders, &is_exact), 0);
    add_range(&orders, 0, 5000);
    add_range(&orders, 2500, 5000);
    assert_int_equal(scn_orders_count(&orders, &is_exact), 7500);
    assert_true(is_exact);
    scn_orders_free(&orders);
}

static void sums_are_what_one_would_have_had(void **state) {
    struct scn_orders one = {0}, other = {0};

    (void)state;
    add_range(&one, 0, 3000);
    add_range(&other, 1000, 9000);
    scn_orders_merge(&one, &other);
    assert_int_equal(scn_orders_count(&one, NULL), 10000);
    scn_orders_free(&one);
    scn_orders_free(&other);
}

/* What is estimated does not depend on which part saw what. */
static void many_are_estimated_within_the_error_said(void **state) {
    const uint64_t many = 3 * SCN_ORDERS_EXACT_MAX;
    struct scn_orders whole = {0}, one = {0}, other = {0};
    uint64_t count;
    bool is_exact;

    (void)state;
    add_range(&whole, 0, many);
    count = scn_orders_count(&whole, &is_exact);
    assert_false(is_exact);
    assert_in_range(count, many - many * SCN_ORDERS_ERROR_PER_MILLE / 1000,
                    many + many * SCN_ORDERS_ERROR_PER_MILLE / 1000);
    add_range(&one, 0, many * 2 / 3);
    add_range(&other, many / 2, many / 2);
    scn_orders_merge(&other, &one);
    assert_int_equal(scn_orders_count(&other, NULL), count);
    scn_orders_free(&whole);
    scn_orders_free(&one);
    scn_orders_free(&other);
}

static void a_file_gives_them_back(void **state) {
    struct scn_orders one = {0}, other = {0};

    (void)state;
    add_range(&one, 7, 12345);
    assert_int_equal(scn_orders_write(&one, FILE_NAME), 0);
    add_range(&other, 0, 10);
    assert_int_equal(scn_orders_read(&other, FILE_NAME), 0);
    assert_int_equal(scn_orders_count(&other, NULL), 12345 + 7);
    scn_orders_free(&one);
    scn_orders_free(&other);
    remove(FILE_NAME);
}

static int read_back(const char *text, size_t bytes) {
    struct scn_orders orders = {0};
    FILE *file = fopen(FILE_NAME, "wb");
    int error;

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
    error = scn_orders_read(&orders, FILE_NAME);
    scn_orders_free(&orders);
    remove(FILE_NAME);
    return error;
}

static void what_is_no_such_file_is_refused(void **state) {
    static const char unsorted[] = "NDKORD1\n\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0";

    (void)state;
    assert_int_equal(read_back("", 0), EINVAL);
    assert_int_equal(read_back("{\"a\": 1}, which is JSON", 23), EINVAL);
    assert_int_equal(read_back(unsorted, sizeof(unsorted)), EINVAL);
    assert_int_equal(read_back(unsorted, sizeof(unsorted) - 3), EINVAL);
    assert_int_equal(read_back(unsorted, 24), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_orders_count_once),
        cmocka_unit_test(sums_are_what_one_would_have_had),
        cmocka_unit_test(many_are_estimated_within_the_error_said),
        cmocka_unit_test(a_file_gives_them_back),
        cmocka_unit_test(what_is_no_such_file_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
