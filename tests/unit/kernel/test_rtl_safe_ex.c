/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded strings that say more, and the secure forms of the C run-time's output. */
#include <ntddk.h>

#include <ntstrsafe.h>

#include "rtl_print.h"

#include "node.h"

static void counts_bound_what_is_taken(void **state) {
    CHAR narrow[8] = "";
    WCHAR wide[8];

    (void)state;
    assert_int_equal(RtlStringCchCopyNA(narrow, 8, "abcdef", 3), STATUS_SUCCESS);
    assert_string_equal(narrow, "abc");
    assert_int_equal(RtlStringCbCatNA(narrow, 8, "defghij", 4), STATUS_SUCCESS);
    assert_string_equal(narrow, "abcdefg");
    assert_int_equal(RtlStringCchCatNA(narrow, 8, "h", 1), STATUS_BUFFER_OVERFLOW);
    assert_string_equal(narrow, "abcdefg");
    assert_int_equal(RtlStringCbCopyNW(wide, sizeof(wide), u"abcdef", 4), STATUS_SUCCESS);
    assert_memory_equal(wide, u"ab", 6);
    assert_int_equal(RtlStringCchCatNW(wide, 8, u"xyz", 2), STATUS_SUCCESS);
    assert_memory_equal(wide, u"abxy", 10);
    assert_int_equal(RtlStringCchCopyNA(narrow, 0, "a", 1), STATUS_INVALID_PARAMETER);
    memset(narrow, 'x', sizeof(narrow));
    assert_int_equal(RtlStringCchCatNA(narrow, 8, "a", 1), STATUS_INVALID_PARAMETER);
}

static void the_end_and_the_room_are_told(void **state) {
    CHAR narrow[8];
    WCHAR wide[8];
    PSTR end;
    PWSTR wide_end;
    SIZE_T left;

    (void)state;
    assert_int_equal(RtlStringCchCopyExA(narrow, 8, "abc", &end, &left, 0), STATUS_SUCCESS);
    assert_ptr_equal(end, narrow + 3);
    assert_int_equal(left, 5);
    assert_int_equal(RtlStringCchCopyExA(end, left, "0123456", &end, &left, 0),
                     STATUS_BUFFER_OVERFLOW);
    assert_string_equal(narrow, "abc0123");
    assert_int_equal(left, 1);
    assert_int_equal(RtlStringCbCopyExW(wide, 15, u"ab", &wide_end, &left, 0), STATUS_SUCCESS);
    assert_ptr_equal(wide_end, wide + 2);
    assert_int_equal(left, 11);
    assert_int_equal(RtlStringCbCatExW(wide, 15, u"c", &wide_end, &left, 0), STATUS_SUCCESS);
    assert_int_equal(left, 9);
}

static void flags_say_what_becomes_of_the_rest(void **state) {
    CHAR text[6];
    PSTR end;
    SIZE_T left;

    (void)state;
    memset(text, 'x', sizeof(text));
    assert_int_equal(RtlStringCchCopyExA(text, 6, "ab", NULL, NULL, STRSAFE_FILL_BYTE('-')),
                     STATUS_SUCCESS);
    assert_memory_equal(text, "ab\0---", 6);
    assert_int_equal(RtlStringCchCopyExA(text, 6, "abcdefg", NULL, NULL, STRSAFE_NO_TRUNCATION),
                     STATUS_BUFFER_OVERFLOW);
    assert_string_equal(text, "");
    assert_int_equal(
        RtlStringCchCopyExA(text, 6, "abcdefg", &end, &left, STRSAFE_FAILURE_BYTE('!')),
        STATUS_BUFFER_OVERFLOW);
    assert_string_equal(text, "!!!!!");
    assert_int_equal(left, 1);
    assert_int_equal(RtlStringCchCatExA(text, 6, "x", &end, &left, STRSAFE_NULL_ON_FAILURE),
                     STATUS_BUFFER_OVERFLOW);
    assert_string_equal(text, "");
    assert_int_equal(left, 6);
    assert_int_equal(RtlStringCchCopyExA(text, 6, NULL, NULL, NULL, STRSAFE_IGNORE_NULLS),
                     STATUS_SUCCESS);
    assert_int_equal(RtlStringCchCopyExA(NULL, 0, "", NULL, NULL, STRSAFE_IGNORE_NULLS),
                     STATUS_SUCCESS);
    assert_int_equal(RtlStringCchCopyExA(NULL, 0, "a", NULL, NULL, STRSAFE_IGNORE_NULLS),
                     STATUS_BUFFER_OVERFLOW);
    assert_int_equal(RtlStringCchCopyExA(text, 6, "a", NULL, NULL, 0x2000),
                     STATUS_INVALID_PARAMETER);
}

static void print(void *argument) {
    CHAR text[8];
    WCHAR wide[8];
    PSTR end;
    SIZE_T left;

    (void)argument;
    assert_int_equal(RtlStringCbPrintfExA(text, 8, &end, &left, 0, "%d", 12), STATUS_SUCCESS);
    assert_string_equal(text, "12");
    assert_int_equal(left, 6);
    assert_int_equal(
        RtlStringCchPrintfExA(text, 8, NULL, NULL, STRSAFE_NO_TRUNCATION, "%s", "much too long"),
        STATUS_BUFFER_OVERFLOW);
    assert_string_equal(text, "");
    assert_int_equal(RtlStringCbPrintfExW(wide, sizeof(wide), NULL, &left, 0, u"%u", 7),
                     STATUS_SUCCESS);
    assert_int_equal(left, 14);
    assert_int_equal(_snprintf_s(text, 8, (size_t)-1, "%s", "0123456789"), -1);
    assert_string_equal(text, "0123456");
    assert_int_equal(_snprintf_s(text, 8, 3, "%s", "0123456789"), -1);
    assert_string_equal(text, "012");
    assert_int_equal(_snprintf_s(text, 8, 3, "%s", "012"), 3);
    assert_int_equal(sprintf_s(text, 8, "%s", "01234567"), -1);
    assert_string_equal(text, "");
    assert_int_equal(swprintf_s(wide, 8, u"%ws", u"abc"), 3);
    assert_memory_equal(wide, u"abc", 8);
}

static void what_is_printed_says_the_same(void **state) {
    make_node(state);
    in_thread(print, NULL);
    end_node(state);
}

static void counted_strings_grow_by_strings(void **state) {
    WCHAR room[6];
    UNICODE_STRING text = {0, sizeof(room), room};
    UNICODE_STRING other;

    (void)state;
    assert_int_equal(RtlUnicodeStringInit(&other, u"abc"), STATUS_SUCCESS);
    assert_int_equal(other.Length, 6);
    assert_int_equal(other.MaximumLength, 8);
    assert_int_equal(RtlUnicodeStringCopy(&text, &other), STATUS_SUCCESS);
    assert_int_equal(RtlUnicodeStringCatString(&text, u"de"), STATUS_SUCCESS);
    assert_int_equal(RtlUnicodeStringCat(&text, &other), STATUS_BUFFER_OVERFLOW);
    assert_int_equal(text.Length, 12);
    assert_memory_equal(room, u"abcdea", 12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_bound_what_is_taken),
        cmocka_unit_test(the_end_and_the_room_are_told),
        cmocka_unit_test(flags_say_what_becomes_of_the_rest),
        cmocka_unit_test(what_is_printed_says_the_same),
        cmocka_unit_test(counted_strings_grow_by_strings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
