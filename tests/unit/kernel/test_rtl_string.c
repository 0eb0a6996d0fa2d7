/* SPDX-License-Identifier: Apache-2.0 */
/* Strings, numbers, GUIDs, bit maps, addresses. */
#include <ntddk.h>

#include <ip2string.h>
#include <ntstrsafe.h>

#include "wide.h"

#include "node.h"

static void counted_strings_compare_copy_and_append(void **state) {
    WCHAR room[8];
    UNICODE_STRING one;
    UNICODE_STRING other;
    UNICODE_STRING to = {0, sizeof(room), room};

    (void)state;
    RtlInitUnicodeString(&one, u"Hello");
    RtlInitUnicodeString(&other, u"hELLO");
    assert_int_equal(one.Length, 10);
    assert_int_equal(one.MaximumLength, 12);
    assert_true(RtlEqualUnicodeString(&one, &other, TRUE));
    assert_false(RtlEqualUnicodeString(&one, &other, FALSE));
    assert_true(RtlCompareUnicodeString(&one, &other, FALSE) < 0);
    RtlCopyUnicodeString(&to, &one);
    assert_int_equal(to.Length, 10);
    assert_int_equal(RtlAppendUnicodeToString(&to, u"ab"), STATUS_SUCCESS);
    assert_int_equal(room[7], 0);
    assert_int_equal(RtlAppendUnicodeStringToString(&to, &one), STATUS_BUFFER_TOO_SMALL);
    assert_true(RtlPrefixUnicodeString(&other, &to, TRUE));
}

static void conversions(void *argument) {
    UNICODE_STRING wide;
    ANSI_STRING narrow;
    ANSI_STRING source;
    GUID guid = {0x12345678, 0x9ABC, 0xDEF0, {1, 2, 3, 4, 5, 6, 7, 0xFF}};
    GUID back;
    char text[64];

    (void)argument;
    RtlInitAnsiString(&source, "abc");
    assert_int_equal(RtlAnsiStringToUnicodeString(&wide, &source, TRUE), STATUS_SUCCESS);
    assert_int_equal(wide.Length, 6);
    assert_int_equal(RtlUnicodeStringToAnsiString(&narrow, &wide, TRUE), STATUS_SUCCESS);
    assert_string_equal(narrow.Buffer, "abc");
    RtlFreeUnicodeString(&wide);
    RtlFreeAnsiString(&narrow);
    assert_int_equal(RtlStringFromGUID(&guid, &wide), STATUS_SUCCESS);
    assert_string_equal(krn_wide_text(&wide, text, sizeof(text)),
                        "{12345678-9ABC-DEF0-0102-0304050607FF}");
    assert_int_equal(RtlGUIDFromString(&wide, &back), STATUS_SUCCESS);
    assert_memory_equal(&guid, &back, sizeof(guid));
    RtlFreeUnicodeString(&wide);
    assert_int_equal(krn_pool_live_count(node), 0);
}

static void strings_of_the_kernel_are_freed_by_the_driver(void **state) {
    (void)state;
    in_thread(conversions, NULL);
}

static ULONG integer_of(PCWSTR text, ULONG base) {
    UNICODE_STRING string;
    ULONG value = 99;

    RtlInitUnicodeString(&string, text);
    RtlUnicodeStringToInteger(&string, base, &value);
    return value;
}

static void integers_are_read_and_written(void **state) {
    WCHAR room[8];
    UNICODE_STRING string = {0, sizeof(room), room};

    (void)state;
    assert_int_equal(integer_of(u" 42x", 0), 42);
    assert_int_equal(integer_of(u"0x2A", 0), 42);
    assert_int_equal(integer_of(u"2a", 16), 42);
    assert_int_equal(integer_of(u"-1", 0), 0xFFFFFFFF);
    assert_int_equal(RtlIntegerToUnicodeString(255, 16, &string), STATUS_SUCCESS);
    assert_int_equal(string.Length, 4);
    assert_int_equal(room[0], 'F');
    assert_int_equal(RtlInt64ToUnicodeString(123456789, 10, &string), STATUS_BUFFER_OVERFLOW);
}

static void bounded_copies_end_with_nul(void **state) {
    char narrow[4];
    WCHAR wide[4];
    SIZE_T length;

    (void)state;
    assert_int_equal(RtlStringCchCopyA(narrow, 4, "abcdef"), STATUS_BUFFER_OVERFLOW);
    assert_string_equal(narrow, "abc");
    assert_int_equal(RtlStringCbCatA(narrow, 4, "x"), STATUS_BUFFER_OVERFLOW);
    assert_int_equal(RtlStringCbCopyW(wide, sizeof(wide), u"ab"), STATUS_SUCCESS);
    assert_int_equal(RtlStringCchCatW(wide, 4, u"c"), STATUS_SUCCESS);
    assert_int_equal(RtlStringCbLengthW(wide, sizeof(wide), &length), STATUS_SUCCESS);
    assert_int_equal(length, 6);
    assert_int_equal(RtlStringCchCopyA(narrow, 0, ""), STATUS_INVALID_PARAMETER);
}

static void bit_maps_find_runs(void **state) {
    ULONG words[2];
    RTL_BITMAP map;

    (void)state;
    RtlInitializeBitMap(&map, words, 40);
    RtlClearAllBits(&map);
    RtlSetBits(&map, 0, 5);
    assert_int_equal(RtlFindClearBitsAndSet(&map, 3, 0), 5);
    assert_int_equal(RtlNumberOfSetBits(&map), 8);
    assert_int_equal(RtlFindClearBits(&map, 33, 0), MAXULONG);
    assert_int_equal(RtlFindClearBits(&map, 10, 35), 8);
    assert_int_equal(RtlFindSetBits(&map, 8, 0), 0);
    assert_true(RtlAreBitsClear(&map, 8, 32));
    RtlClearBits(&map, 2, 2);
    assert_false(RtlTestBit(&map, 3));
}

static void check_ipv6(const char *text, const char *back) {
    IN6_ADDR address;
    char out[64];
    PCSTR end;

    assert_int_equal(RtlIpv6StringToAddressA(text, &end, &address), STATUS_SUCCESS);
    assert_int_equal(*end, '\0');
    RtlIpv6AddressToStringA(&address, out);
    assert_string_equal(out, back);
}

static void addresses_are_read_and_written(void **state) {
    static const char *const wrong[] = {
        "", ":", ":::", "1:2:3:4:5:6:7", "1::2::3", "12345::", "1:2:3:4:5:6:7:8:9", "g::"};
    IN6_ADDR six;
    IN_ADDR four;
    USHORT port;
    ULONG scope;
    PCSTR end;
    char out[64];

    (void)state;
    assert_int_equal(RtlIpv4StringToAddressExA("10.0.0.1:445", TRUE, &four, &port), STATUS_SUCCESS);
    assert_int_equal(port, RtlUshortByteSwap(445));
    RtlIpv4AddressToStringA(&four, out);
    assert_string_equal(out, "10.0.0.1");
    assert_int_equal(RtlIpv4StringToAddressA("10.0.0", TRUE, &end, &four),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlIpv4StringToAddressA("10.0.0.256", TRUE, &end, &four),
                     STATUS_INVALID_PARAMETER);
    check_ipv6("fd00:0:0:1::2", "fd00:0:0:1::2");
    check_ipv6("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8");
    check_ipv6("::", "::");
    check_ipv6("::1", "::1");
    check_ipv6("1::", "1::");
    check_ipv6("fe80:0:0:0:1:0:0:1", "fe80::1:0:0:1");
    check_ipv6("::ffff:1.2.3.4", "::ffff:1.2.3.4");
    for (size_t i = 0; i < SIM_ARRAY_COUNT(wrong); i++) {
        NTSTATUS status = RtlIpv6StringToAddressA(wrong[i], &end, &six);

        if (NT_SUCCESS(status) && *end == '\0') {
            fail_msg("%s was taken", wrong[i]);
        }
    }
    assert_int_equal(RtlIpv6StringToAddressExA("[fe80::1%3]:80", &six, &scope, &port),
                     STATUS_SUCCESS);
    assert_int_equal(scope, 3);
    assert_int_equal(port, RtlUshortByteSwap(80));
    assert_int_equal(RtlIpv4StringToAddressExW(u"1.2.3.4", TRUE, &four, &port), STATUS_SUCCESS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(counted_strings_compare_copy_and_append),
        KERNEL_TEST(strings_of_the_kernel_are_freed_by_the_driver),
        KERNEL_TEST(integers_are_read_and_written),
        KERNEL_TEST(bounded_copies_end_with_nul),
        KERNEL_TEST(bit_maps_find_runs),
        KERNEL_TEST(addresses_are_read_and_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
