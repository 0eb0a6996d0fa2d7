/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/eth.h"

#include "support.h"

static const struct wire_mac mac_a = {{0x02, 0, 0, 0, 0, 0x0A}};
static const struct wire_mac mac_b = {{0x02, 0, 0, 0, 0, 0x0B}};

static void untagged_header_has_exact_bytes(void **state) {
    (void)state;
    struct wire_eth eth = {.dst = mac_b, .src = mac_a, .type = WIRE_ETHERTYPE_IPV4};
    uint8_t out[18];
    uint8_t expected[18];
    from_hex("02000000000b 02000000000a 0800", expected, sizeof expected);
    assert_int_equal(wire_eth_encode(&eth, out), 14);
    assert_memory_equal(out, expected, 14);
}

static void tagged_header_has_exact_bytes(void **state) {
    (void)state;
    struct wire_eth eth = {.dst = mac_b,
                           .src = mac_a,
                           .tagged = true,
                           .priority = 3,
                           .vlan_id = 0x123,
                           .type = WIRE_ETHERTYPE_IPV6};
    struct wire_eth back;
    size_t header_bytes;
    uint8_t out[18];
    uint8_t expected[18];
    from_hex("02000000000b 02000000000a 8100 6123 86dd", expected, sizeof expected);
    assert_int_equal(wire_eth_encode(&eth, out), 18);
    assert_memory_equal(out, expected, 18);
    assert_int_equal(wire_eth_decode(out, 18, &back, &header_bytes), WIRE_OK);
    assert_int_equal(header_bytes, 18);
    assert_true(back.tagged);
    assert_int_equal(back.priority, 3);
    assert_int_equal(back.vlan_id, 0x123);
    assert_int_equal(back.type, WIRE_ETHERTYPE_IPV6);
    assert_memory_equal(back.src.bytes, mac_a.bytes, 6);
    assert_memory_equal(back.dst.bytes, mac_b.bytes, 6);
}

static void every_truncation_of_a_header_is_refused(void **state) {
    (void)state;
    struct wire_eth eth = {.tagged = true, .type = WIRE_ETHERTYPE_IPV6};
    size_t header_bytes;
    uint8_t out[18];
    wire_eth_encode(&eth, out);
    for (size_t bytes = 0; bytes < sizeof out; bytes++) {
        uint8_t *copy = exact_copy(out, bytes);
        assert_int_equal(wire_eth_decode(copy, bytes, &eth, &header_bytes), WIRE_ERROR_TRUNCATED);
        free(copy);
    }
}

static void pfc_frame_has_exact_bytes(void **state) {
    (void)state;
    struct wire_pfc pfc = {.src = mac_a, .enabled = 1u << 3, .quanta = {[3] = 0xFFFF}};
    struct wire_pfc back;
    uint8_t out[WIRE_PFC_FRAME_BYTES];
    uint8_t expected[WIRE_PFC_FRAME_BYTES] = {0};
    from_hex("0180c2000001 02000000000a 8808 0101 0008 0000 0000 0000 ffff", expected,
             sizeof expected);
    wire_pfc_encode(&pfc, out);
    assert_memory_equal(out, expected, sizeof out);
    assert_int_equal(wire_pfc_decode(out, sizeof out, &back), WIRE_OK);
    assert_int_equal(back.enabled, 8);
    assert_int_equal(back.quanta[3], 0xFFFF);
    assert_memory_equal(back.src.bytes, mac_a.bytes, 6);
}

static void malformed_pfc_frames_are_refused_with_a_reason(void **state) {
    (void)state;
    struct wire_pfc pfc = {.src = mac_a, .enabled = 1};
    uint8_t out[WIRE_PFC_FRAME_BYTES];
    wire_pfc_encode(&pfc, out);
    for (size_t bytes = 0; bytes < 34; bytes++) {
        uint8_t *copy = exact_copy(out, bytes);
        assert_int_equal(wire_pfc_decode(copy, bytes, &pfc), WIRE_ERROR_TRUNCATED);
        free(copy);
    }
    out[0] ^= 2;
    assert_int_equal(wire_pfc_decode(out, sizeof out, &pfc), WIRE_ERROR_VALUE);
    out[0] ^= 2;
    out[16] = 1; /* the high half of the class vector is reserved */
    assert_int_equal(wire_pfc_decode(out, sizeof out, &pfc), WIRE_ERROR_VALUE);
    out[16] = 0;
    out[15] = 2;
    assert_int_equal(wire_pfc_decode(out, sizeof out, &pfc), WIRE_ERROR_OPCODE);
    out[13] = 0;
    assert_int_equal(wire_pfc_decode(out, sizeof out, &pfc), WIRE_ERROR_ETHERTYPE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(untagged_header_has_exact_bytes),
        cmocka_unit_test(tagged_header_has_exact_bytes),
        cmocka_unit_test(every_truncation_of_a_header_is_refused),
        cmocka_unit_test(pfc_frame_has_exact_bytes),
        cmocka_unit_test(malformed_pfc_frames_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
