/* SPDX-License-Identifier: Apache-2.0 */
/* Known answers: three frames captured on hardware, and two unreliable-connection packets. */
#include "wire/icrc.h"

#include "support.h"
#include "wire/checksum.h"

#define ETH_BYTES 14

/* Whole Ethernet frames, ICRC included. */
static const char cnp_ipv4[] =
    "e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a001201000012b700280000"
    "8100ffff400001180000000000000000000000000000000000000000 82fd002a";
static const char write_only_v1[] =
    "7cfe90753cd87cfe90753cd889156020000000281b4000000000000000000000ffff0f00000200000000"
    "000000000000ffff0f0000020a70ffff0000010a80a788bc000055d4c07260000000 47b3000000050000"
    "000001000000 e3d856bb";
static const char ack_v1[] =
    "7cfe90753cd87cfe90753cd889156020000000141b4000000000000000000000ffff0f00000200000000"
    "000000000000ffff0f0000021140ffff0000010900a788c000000005 25f0c038";

/* IP packets: total length and header checksum of the first are filled in by the test. */
static const char uc_bth_and_payload[] = "24 60 ffff 00 0000d3 00 cf1710"
                                         "4630818be28935d90e9a95505401be885e500000";
static const char uc_ipv4_header[] = "4501 0000 0478 4000 40 11 0000 c0a80007 c0a80007";
static const char uc_ipv6_header[] = "6e21face 002c 11 ff"
                                     "20220000000000000000000000001023"
                                     "20230000000000000000000000001024";

static void check_frame(const char *hex) {
    uint8_t frame[128];
    size_t bytes = from_hex(hex, frame, sizeof frame);
    assert_true(bytes > ETH_BYTES + WIRE_ICRC_BYTES);
    size_t covered = bytes - ETH_BYTES - WIRE_ICRC_BYTES;
    uint8_t *copy = exact_copy(frame + ETH_BYTES, covered);
    assert_int_equal(wire_icrc(copy, covered), wire_icrc_get(frame + bytes - WIRE_ICRC_BYTES));
    free(copy);
}

static void check_uc(const char *ip_header_hex, uint32_t udp_bytes, const uint8_t *expected) {
    uint8_t packet[128];
    uint8_t stored[WIRE_ICRC_BYTES];
    size_t ip_bytes = from_hex(ip_header_hex, packet, sizeof packet);
    size_t bytes = ip_bytes;
    if (ip_bytes == 20) {
        packet[3] = (uint8_t)(ip_bytes + udp_bytes);
    }
    bytes += from_hex("c000 12b7 002c 0000", packet + bytes, sizeof packet - bytes);
    bytes += from_hex(uc_bth_and_payload, packet + bytes, sizeof packet - bytes);
    wire_icrc_put(stored, wire_icrc(packet, bytes));
    assert_memory_equal(stored, expected, sizeof stored);
}

static void connectx_cnp_over_ipv4_is_reproduced(void **state) {
    (void)state;
    check_frame(cnp_ipv4);
}

static void roce_v1_write_is_reproduced(void **state) {
    (void)state;
    check_frame(write_only_v1);
}

static void roce_v1_ack_is_reproduced(void **state) {
    (void)state;
    check_frame(ack_v1);
}

static void uc_send_over_ipv4_is_reproduced(void **state) {
    (void)state;
    const uint8_t expected[] = {0x78, 0xF3, 0x53, 0xF3};
    check_uc(uc_ipv4_header, 8 + 12 + 20 + 4, expected);
}

static void uc_send_over_ipv6_is_reproduced(void **state) {
    (void)state;
    const uint8_t expected[] = {0x3E, 0x5B, 0x74, 0x3B};
    check_uc(uc_ipv6_header, 8 + 12 + 20 + 4, expected);
}

/* Flips each bit of the IPv4 CNP in turn. */
static void only_mutable_fields_are_outside_the_icrc(void **state) {
    (void)state;
    uint8_t frame[128];
    size_t bytes = from_hex(cnp_ipv4, frame, sizeof frame) - WIRE_ICRC_BYTES;
    uint8_t *packet = frame + ETH_BYTES;
    size_t covered = bytes - ETH_BYTES;
    uint32_t expected = wire_icrc(packet, covered);
    for (size_t i = 0; i < covered; i++) {
        int masked = i == 1 || i == 8 || i == 10 || i == 11 || i == 26 || i == 27 || i == 32;
        /* The version nibble and the protocol steer the reader. */
        for (int bit = 0; bit < (i == 0 ? 4 : 8); bit++) {
            packet[i] ^= (uint8_t)(1 << bit);
            assert_int_equal(wire_icrc(packet, covered) == expected, masked);
            packet[i] ^= (uint8_t)(1 << bit);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connectx_cnp_over_ipv4_is_reproduced),
        cmocka_unit_test(roce_v1_write_is_reproduced),
        cmocka_unit_test(roce_v1_ack_is_reproduced),
        cmocka_unit_test(uc_send_over_ipv4_is_reproduced),
        cmocka_unit_test(uc_send_over_ipv6_is_reproduced),
        cmocka_unit_test(only_mutable_fields_are_outside_the_icrc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
