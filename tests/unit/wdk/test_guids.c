/* SPDX-License-Identifier: Apache-2.0 */
/*
 * <initguid.h> turns declarations of identifiers into definitions, with their documented bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "initguid.h"
#include "ntddndis.h"

static void identifiers_of_the_rdma_oids_have_their_documented_value(void **state) {
    static const GUID capabilities = {
        0x7969BA4D, 0xDD80, 0x4BC7, {0xB3, 0xE6, 0x68, 0x04, 0x39, 0x97, 0xE5, 0x19}};
    static const GUID ndk_state = {
        0x530C69C9, 0x2F51, 0x49DE, {0xA1, 0xAF, 0x08, 0x8D, 0x54, 0xFF, 0xA4, 0x74}};

    (void)state;
    assert_true(IsEqualGUID(&GUID_NDIS_NDK_CAPABILITIES, &capabilities));
    assert_true(IsEqualGUID(&GUID_NDIS_NDK_STATE, &ndk_state));
    assert_false(IsEqualGUID(&GUID_NDIS_NDK_CAPABILITIES, &GUID_NDIS_NDK_STATE));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identifiers_of_the_rdma_oids_have_their_documented_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
