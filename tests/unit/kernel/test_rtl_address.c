/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses as text: older forms of IPv4, ports and scopes both ways, both widths. */
#include <ntddk.h>

#include <ip2string.h>

#include "node.h"

static ULONG value_of(const IN_ADDR *address) {
    const UCHAR *bytes = (const UCHAR *)address;

    return (ULONG)bytes[0] << 24 | (ULONG)bytes[1] << 16 | (ULONG)bytes[2] << 8 | bytes[3];
}

static void older_forms_are_read_when_it_need_not_be_strict(void **state) {
    static const struct {
        const char *text;
        ULONG value;
        BOOLEAN is_strict;
    } good[] = {
        {"10.0.0.1", 0x0A000001, TRUE},
        {"255.255.255.255", 0xFFFFFFFF, TRUE},
        {"0.0.0.0", 0, TRUE},
        {"10.1", 0x0A000001, FALSE},
        {"10.1.2", 0x0A010002, FALSE},
        {"167772161", 0x0A000001, FALSE},
        {"0x0a.0.0.1", 0x0A000001, FALSE},
        {"012.0.0.1", 0x0A000001, FALSE},
        {"0xFFFFFFFF", 0xFFFFFFFF, FALSE},
        {"10.0xFFFFFF", 0x0AFFFFFF, FALSE},
    };
    static const char *const bad[] = {"",           "10.0.0.256", "10.256.1", "10.16777216",
                                      "4294967296", "10..1",      "a",        ".1",
                                      "10.0.0.",    "08.0.0.1x"};
    IN_ADDR address;
    PCSTR end;

    (void)state;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(good); i++) {
        assert_int_equal(RtlIpv4StringToAddressA(good[i].text, FALSE, &end, &address), 0);
        assert_int_equal(*end, '\0');
        assert_int_equal(value_of(&address), good[i].value);
        assert_int_equal(NT_SUCCESS(RtlIpv4StringToAddressA(good[i].text, TRUE, &end, &address)),
                         good[i].is_strict);
    }
    for (size_t i = 0; i < SIM_ARRAY_COUNT(bad); i++) {
        if (NT_SUCCESS(RtlIpv4StringToAddressA(bad[i], FALSE, &end, &address)) && *end == '\0') {
            fail_msg("%s was taken", bad[i]);
        }
    }
}

static void what_was_written_is_read_again(void **state) {
    static const char *const texts[] = {"[fe80::1%4294967295]:65535", "fe80::1%7", "::1.2.3.4",
                                        "::ffff:10.0.0.1", "[1:2:3:4:5:6:7:8]:1"};
    ULONG length;
    CHAR narrow[64];
    WCHAR wide[64];

    (void)state;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(texts); i++) {
        IN6_ADDR address;
        USHORT port;
        ULONG scope;

        assert_int_equal(RtlIpv6StringToAddressExA(texts[i], &address, &scope, &port), 0);
        length = sizeof(narrow);
        assert_int_equal(RtlIpv6AddressToStringExA(&address, scope, port, narrow, &length), 0);
        assert_string_equal(narrow, texts[i]);
        assert_int_equal(length, strlen(texts[i]) + 1);
        assert_int_equal(RtlIpv6AddressToStringExW(&address, scope, port, wide, &length), 0);
        assert_int_equal(wide[length - 2], texts[i][length - 2]);
        length--;
        assert_int_equal(RtlIpv6AddressToStringExA(&address, scope, port, narrow, &length),
                         STATUS_INVALID_PARAMETER);
        assert_int_equal(length, strlen(texts[i]) + 1);
    }
}

static void ports_of_ipv4_go_both_ways(void **state) {
    const UCHAR bytes[4] = {10, 0, 0, 1};
    ULONG length = 16;
    IN_ADDR address;
    CHAR narrow[24];

    (void)state;
    memcpy(&address, bytes, sizeof(address));
    assert_int_equal(RtlIpv4AddressToStringExA(&address, RtlUshortByteSwap(445), narrow, &length),
                     0);
    assert_string_equal(narrow, "10.0.0.1:445");
    assert_int_equal(length, 13);
    length = 5;
    assert_int_equal(RtlIpv4AddressToStringExA(&address, 0, narrow, &length),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(length, 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(older_forms_are_read_when_it_need_not_be_strict),
        cmocka_unit_test(what_was_written_is_read_again),
        cmocka_unit_test(ports_of_ipv4_go_both_ways),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
