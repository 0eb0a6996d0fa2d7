/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dialect of a driver source: compiled with -fshort-wchar, as driver modules are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ndis.h"
#include "ndkpi.h"
#include "ws2def.h"

/* What this program has in place of the kernel. */
LONG asserts_failed;
VOID NTAPI RtlAssert(PVOID failed, PVOID file, ULONG line, PSTR message) {
    (void)failed;
    (void)file;
    (void)line;
    (void)message;
    asserts_failed++;
}

#undef InterlockedExchangePointer
PVOID InterlockedExchangePointer(PVOID volatile *target, PVOID value) {
    PVOID old = *target;

    *target = value;
    return old;
}
#define InterlockedExchangePointer(Target, Value)                                                  \
    InterlockedExchangePointer((PVOID volatile *)(Target), Value)

/* Names that drivers take for functions of their own. */
static int wait(int value) {
    return value + 1;
}
static int reap(int value) {
    return value + 2;
}
static int complete(int value) {
    return value + 3;
}

FORCEINLINE ULONG plain_inline(_In_ ULONG value) {
    return value + 1;
}
static FORCEINLINE ULONG static_inline(_In_ ULONG value) {
    return plain_inline(value) + 1;
}
static __forceinline ULONG forced_inline(__in ULONG value) {
    return static_inline(value) + 1;
}

__declspec(noinline) static VOID __stdcall old_annotations(__in_bcount(length) const VOID *buffer,
                                                           __in ULONG length, __out PULONG sum) {
    const UCHAR *bytes = buffer;

    *sum = 0;
    while (length > 0) {
        *sum += bytes[--length];
    }
}

typedef struct DECLSPEC_ALIGN(32) _ALIGNED {
    ULONG value;
} ALIGNED;
static __declspec(align(16)) ULONG aligned_value;

static void wide_literals_are_strings_of_wchar(void **state) {
    WCHAR text[] = L"abc";
    DECLARE_CONST_UNICODE_STRING(name, L"\\Device\\x");
    UNICODE_STRING other = RTL_CONSTANT_STRING(L"four");
    NDIS_STRING keyword = NDIS_STRING_CONST("*NetworkDirect");

    (void)state;
    assert_int_equal(sizeof(text), 8);
    assert_int_equal(name.Length, 18);
    assert_int_equal(name.MaximumLength, 20);
    assert_int_equal(other.Length, 8);
    assert_int_equal(keyword.Length, 28);
    assert_int_equal(keyword.Buffer[0], '*');
}

static void wide_string_functions_know_16_bit_characters(void **state) {
    WCHAR text[8];

    (void)state;
    assert_int_equal(wcslen(L"abc"), 3);
    assert_int_equal(wcscmp(L"abc", L"abc"), 0);
    assert_true(wcscmp(L"abc", L"abd") < 0);
    assert_true(wcsncmp(L"abd", L"abc", 3) > 0);
    assert_int_equal(wcsncmp(L"abc", L"abd", 2), 0);
    wcsncpy(text, L"ab", RTL_NUMBER_OF(text));
    assert_int_equal(wcscmp(text, L"ab"), 0);
    assert_int_equal(text[7], 0);
    assert_ptr_equal(wcschr(text, L'b'), text + 1);
    assert_null(wcschr(text, L'x'));
}

static void narrow_helpers_follow_microsofts_rules(void **state) {
    UCHAR small[2] = {1, 2};
    UCHAR large[4] = {3, 4, 5, 6};

    (void)state;
    assert_int_equal(_stricmp("RDMA", "rdma"), 0);
    assert_true(_strnicmp("rdmb", "RDMA", 4) > 0);
    assert_int_equal(_strnicmp("rdmb", "RDMA", 3), 0);
    assert_int_equal(strnlen("abcdef", 3), 3);
    assert_int_equal(memcpy_s(small, sizeof(small), large, 1), 0);
    assert_int_equal(small[0], 3);
    assert_int_not_equal(memcpy_s(small, sizeof(small), large, 4), 0);
    assert_int_equal(small[0], 0);
}

static void driver_spellings_compile_and_mean_what_they_say(void **state) {
    ULONG sum;

    (void)state;
    old_annotations("\1\2\3", 3, &sum);
    assert_int_equal(sum, 6);
    assert_int_equal(forced_inline(1), 4);
    assert_int_equal(wait(0) + reap(0) + complete(0), 6);
    assert_int_equal(min(2, 3), 2);
    assert_int_equal(max(2, 3), 3);
    assert_int_equal(_Alignof(ALIGNED), 32);
    assert_int_equal((ULONG_PTR)&aligned_value % 16, 0);
    assert_int_equal('kdNR', 0x6b644e52);
}

static void an_ipv4_address_is_one_number_or_four_bytes(void **state) {
    SOCKADDR_IN address = {0};

    (void)state;
    address.sin_addr.s_addr = RtlUlongByteSwap(0x0a000102);
    assert_int_equal(address.sin_addr.S_un.S_addr, RtlUlongByteSwap(0x0a000102));
    assert_int_equal(address.sin_addr.S_un.S_un_b.s_b1, 10);
    assert_int_equal(address.sin_addr.S_un.S_un_b.s_b4, 2);
}

static void the_address_of_a_typed_pointer_goes_into_an_interlocked_exchange(void **state) {
    NDK_CQ cq;
    NDK_CQ *slot = &cq;

    (void)state;
    assert_ptr_equal(InterlockedExchangePointer(&slot, NULL), &cq);
    assert_null(slot);
}

static void assertions_are_on_in_every_build(void **state) {
    (void)state;
    asserts_failed = 0;
    NT_ASSERT(1 + 1 == 2);
    assert_int_equal(asserts_failed, 0);
    NT_ASSERT(1 + 1 == 3);
    ASSERT(FALSE);
    assert_int_equal(asserts_failed, 2);
    assert_false(NT_VERIFY(FALSE));
    assert_true(NT_VERIFY(TRUE));
    assert_int_equal(asserts_failed, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_literals_are_strings_of_wchar),
        cmocka_unit_test(wide_string_functions_know_16_bit_characters),
        cmocka_unit_test(narrow_helpers_follow_microsofts_rules),
        cmocka_unit_test(driver_spellings_compile_and_mean_what_they_say),
        cmocka_unit_test(an_ipv4_address_is_one_number_or_four_bytes),
        cmocka_unit_test(the_address_of_a_typed_pointer_goes_into_an_interlocked_exchange),
        cmocka_unit_test(assertions_are_on_in_every_build),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
