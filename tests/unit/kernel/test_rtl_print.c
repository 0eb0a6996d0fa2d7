/* SPDX-License-Identifier: Apache-2.0 */
/* Windows' format rules. */
#include <ntddk.h>

#include <ntstrsafe.h>

#include "rtl_print.h"

#include "node.h"

static char text[256];

static void format_now(const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    krn_format_text(world, text, sizeof(text), format, arguments);
    va_end(arguments);
}

#define CHECK(expected, ...)                                                                       \
    do {                                                                                           \
        format_now(__VA_ARGS__);                                                                   \
        assert_string_equal(text, expected);                                                       \
    } while (0)

static void numbers(void **state) {
    (void)state;
    CHECK("-5 5 4294967291", "%d %i %u", -5, 5, -5);
    CHECK("ff FF 0xff 377", "%x %X %#x %o", 255, 255, 255, 255);
    CHECK("[   42][42   ][00042][+42]", "[%5d][%-5d][%05d][%+d]", 42, 42, 42, 42);
    CHECK("[  007][007  ]", "[%5.3d][%-5.3d]", 7, 7);
    CHECK("1234567890123 -1 18446744073709551615", "%I64d %I64d %I64u", 1234567890123LL, -1LL,
          -1LL);
    CHECK("123456789012345 abcdef0123456789", "%llu %llx", 123456789012345ULL,
          0xABCDEF0123456789ULL);
    /* Windows' long has 32 bits. */
    CHECK("-1 4294967295", "%ld %lu", -1, -1);
    CHECK("7 8", "%I32d %Iu", 7, (size_t)8);
    CHECK("-1 255 65535", "%hhd %hhu %hu", 255, 255, -1);
    CHECK("[   9][9   ]", "[%*d][%*d]", 4, 9, -4, 9);
    CHECK("0 ", "%d %.0d", 0, 0);
    CHECK("C0000005", "%08X", (unsigned)STATUS_ACCESS_VIOLATION);
}

static void strings(void **state) {
    static const WCHAR wide[] = {'w', 'i', 'd', 'e', 0};
    UNICODE_STRING counted = {8, 8, (PWCH)(uintptr_t)wide};
    ANSI_STRING narrow = {3, 3, (PCHAR)(uintptr_t) "abcdef"};

    (void)state;
    CHECK("abc wide wide wide abc", "%s %S %ls %ws %hs", "abc", wide, wide, wide, "abc");
    CHECK("[   ab][ab   ][abc]", "[%5s][%-5s][%.3s]", "ab", "ab", "abcdef");
    CHECK("wide [  wide] abc", "%wZ [%6wZ] %Z", &counted, &counted, &narrow);
    CHECK("(null) (null)", "%s %wZ", (const char *)NULL, (const void *)NULL);
    CHECK("x y z", "%c %C %wc", 'x', 'y', 'z');
    CHECK("100% q", "100%% %q");
}

static void pointers_are_names(void **state) {
    (void)state;
    CHECK("NULL", "%p", (void *)NULL);
    CHECK("NULL+0x10", "%p", (void *)16);
    CHECK("nowhere", "%p", (void *)&text[0]);
}

static void long_text_is_cut(void **state) {
    char small[8];
    WCHAR wide[4];
    UNICODE_STRING string = {0, sizeof(wide), wide};

    (void)state;
    (void)string;
    assert_int_equal(RtlStringCbPrintfA(small, sizeof(small), "%s", "0123456789"),
                     STATUS_BUFFER_OVERFLOW);
    assert_string_equal(small, "0123456");
    assert_int_equal(RtlStringCchPrintfA(small, sizeof(small), "%u", 1234567u), STATUS_SUCCESS);
    assert_int_equal(_snprintf(small, sizeof(small), "%s", "12345678"), 8);
    assert_int_equal(small[7], '8');
    assert_int_equal(_snprintf(small, sizeof(small), "%s", "123456789"), -1);
    assert_int_equal(RtlStringCchPrintfW(wide, 4, u"%s", u"abcdef"), STATUS_BUFFER_OVERFLOW);
    assert_int_equal(wide[2], 'c');
    assert_int_equal(wide[3], 0);
    assert_int_equal(RtlUnicodeStringPrintf(&string, u"%d", 12345), STATUS_BUFFER_OVERFLOW);
    assert_int_equal(string.Length, 8);
}

static void cut(void *argument) {
    long_text_is_cut(argument);
}

static void printing_into_buffers_cuts(void **state) {
    (void)state;
    in_thread(cut, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(numbers),
        KERNEL_TEST(strings),
        KERNEL_TEST(pointers_are_names),
        KERNEL_TEST(printing_into_buffers_cuts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
