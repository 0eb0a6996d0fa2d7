/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code addresses made into text for reports.
 */
#include "child.h"

void function_to_be_named(void);

__attribute__((noinline)) void function_to_be_named(void) {
    __asm__ volatile("");
}

static void a_function_is_named(void **state) {
    char text[256];
    (void)state;
    for (int i = 0; i < 2; i++) {
        sim_host_symbolize((uintptr_t)function_to_be_named, text, sizeof(text));
        assert_non_null(strstr(text, "function_to_be_named"));
        assert_null(strstr(text, "0x"));
    }
}

static uint64_t variables_to_be_named[4];

static void a_variable_is_named_with_the_place_in_it(void **state) {
    uint64_t offset = 7;
    char text[256];
    (void)state;
    variables_to_be_named[0] = 1;
    for (int i = 0; i < 2; i++) {
        sim_host_variable((uintptr_t)&variables_to_be_named[2], text, sizeof(text), &offset);
        assert_string_equal(text, "variables_to_be_named");
        assert_int_equal(offset, 16);
    }
    sim_host_variable(16, text, sizeof(text), &offset);
    assert_string_equal(text, "");
}

static void an_address_of_no_module_has_no_name(void **state) {
    char text[256] = "before";
    (void)state;
    sim_host_symbolize(16, text, sizeof(text));
    assert_string_equal(text, "");
}

static void a_name_is_cut_to_the_buffer(void **state) {
    char text[8];
    (void)state;
    sim_host_symbolize((uintptr_t)function_to_be_named, text, sizeof(text));
    assert_int_equal(strlen(text), 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_is_named),
        cmocka_unit_test(a_variable_is_named_with_the_place_in_it),
        cmocka_unit_test(an_address_of_no_module_has_no_name),
        cmocka_unit_test(a_name_is_cut_to_the_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
