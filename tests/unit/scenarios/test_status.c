/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses and their names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/scenario.h"

static void a_status_is_shown_by_its_name_and_number(void **state) {
    char text[SCN_STATUS_TEXT_BYTES];

    (void)state;
    assert_string_equal(scn_status_text((int32_t)0xC0000120, text, sizeof(text)),
                        "STATUS_CANCELLED (0xC0000120)");
    assert_string_equal(scn_status_text((int32_t)0xC0009999, text, sizeof(text)),
                        "status 0xC0009999");
    /* NDIS has other names for some; the kernel's own come first. */
    assert_string_equal(scn_status_name_of(0xC0000001), "STATUS_UNSUCCESSFUL");
    assert_string_equal(scn_status_name_of(0xC0010004), "NDIS_STATUS_BAD_VERSION");
}

static void failures_in_a_line_get_their_names(void **state) {
    static const struct {
        const char *line;
        const char *wanted;
    } cases[] = {
        {"connect failed (0xC0000236)", "connect failed (0xC0000236 STATUS_CONNECTION_REFUSED)"},
        {"0xc0000120, then 0xC00000BB",
         "0xc0000120 STATUS_CANCELLED, then 0xC00000BB STATUS_NOT_SUPPORTED"},
        {"done: 0x00000000", "done: 0x00000000"},
        {"0xC0009999 0xC000012 0xC00001200 0x", "0xC0009999 0xC000012 0xC00001200 0x"},
        {"", ""},
    };
    char line[256];

    (void)state;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(cases); i++)
        assert_string_equal(scn_status_annotate(cases[i].line, line, sizeof(line)),
                            cases[i].wanted);
    assert_string_equal(scn_status_annotate("0xC0000236 and more", line, 20),
                        "0xC0000236 STATUS_C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_status_is_shown_by_its_name_and_number),
        cmocka_unit_test(failures_in_a_line_get_their_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
