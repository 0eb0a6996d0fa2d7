/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parse/locate.h"

static const char text[] = "{ \"a\": [1, {\"b.c\": \"x,]}\\\"\"},\n"
                           "  {\"deep\" : [[], {}, [ 7 ]]}],\n"
                           " \"z\": null }\n";

static void expect_place(const char *path, bool of_key, uint32_t line, uint32_t column) {
    struct scn_place place = scn_locate(text, path, of_key);

    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
}

static void values_and_keys_are_found(void **state) {
    (void)state;
    expect_place("$", false, 1, 1);
    expect_place("$.a", false, 1, 8);
    expect_place("$.a", true, 1, 3);
    expect_place("$.a[0]", false, 1, 9);
    expect_place("$.a[1][\"b.c\"]", false, 1, 20);
    expect_place("$.a[1][\"b.c\"]", true, 1, 13);
    expect_place("$.a[2].deep[2][0]", false, 2, 24);
    expect_place("$.z", false, 3, 7);
    expect_place("$.z", true, 3, 2);
}

static void paths_that_lead_nowhere_give_line_0(void **state) {
    (void)state;
    expect_place("$.b", false, 0, 0);
    expect_place("$.a[3]", false, 0, 0);
    expect_place("$.a[2].deep[0][0]", false, 0, 0);
    expect_place("$.z.a", false, 0, 0);
    expect_place("a", false, 0, 0);
    expect_place("$[x]", false, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_keys_are_found),
        cmocka_unit_test(paths_that_lead_nowhere_give_line_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
