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

/* What a driver's source can name, a scenario can, and a report does. */
static void every_status_of_the_headers_has_its_name(void **state) {
    int32_t status;

    (void)state;
    assert_string_equal(scn_status_name_of(0xC0000034), "STATUS_OBJECT_NAME_NOT_FOUND");
    assert_string_equal(scn_status_name_of(0xC000010E), "STATUS_IMAGE_ALREADY_LOADED");
    assert_string_equal(scn_status_name_of(0xC0010018), "NDIS_STATUS_ADAPTER_REMOVED");
    assert_string_equal(scn_status_name_of(0xC000A100), "STATUS_HASH_NOT_SUPPORTED");
    assert_string_equal(scn_status_name_of(0), "STATUS_SUCCESS");
    assert_true(scn_status_parse("NDIS_STATUS_FAILURE", &status));
    assert_int_equal((uint32_t)status, 0xC0000001);
    assert_true(scn_status_parse("STATUS_WAIT_0", &status));
    assert_int_equal(status, 0);
    assert_false(scn_status_parse("STATUS_SEVERITY_ERROR", &status));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_status_is_shown_by_its_name_and_number),
        cmocka_unit_test(every_status_of_the_headers_has_its_name),
        cmocka_unit_test(failures_in_a_line_get_their_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
