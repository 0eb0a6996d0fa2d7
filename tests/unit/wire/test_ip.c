/* SPDX-License-Identifier: Apache-2.0 */
/* IP and UDP headers. */
#include "wire/ip.h"

#include "support.h"
#include "wire/checksum.h"
#include "wire/udp.h"

/* The header of the ConnectX CNP among the ICRC vectors: 10.0.17.1 > 10.0.18.1. */
static const char captured_ipv4[] = "45c2003c718c4000401191610a0011010a001201";

static struct wire_ip sample_v6(void) {
    struct wire_ip ip = {.dscp = 26,
                         .ecn = WIRE_ECN_ECT0,
                         .hop_limit = 64,
                         .protocol = WIRE_IP_PROTOCOL_UDP,
                         .flow_label = 0xABCDE,
                         .payload_bytes = 4};
    from_hex("fd00000000000000 0000000000000001", ip.src.bytes, 16);
    from_hex("fd00000000000000 0000000000000002", ip.dst.bytes, 16);
    return ip;
}

static void captured_ipv4_header_decodes_and_encodes_alike(void **state) {
    (void)state;
    uint8_t packet[20 + 40] = {0};
    uint8_t out[20];
    struct wire_ip ip;
    size_t header_bytes;
    from_hex(captured_ipv4, packet, sizeof packet);
    assert_int_equal(wire_ip_decode(packet, sizeof packet, &ip, &header_bytes), WIRE_OK);
    assert_int_equal(header_bytes, 20);
    assert_int_equal(ip.dscp, 0xC2 >> 2);
    assert_int_equal(ip.ecn, 2);
    assert_int_equal(ip.id, 0x718C);
    assert_int_equal(ip.hop_limit, 64);
    assert_int_equal(ip.payload_bytes, 40);
    assert_int_equal(wire_ip_addr_v4(&ip.src), 0x0A001101);
    assert_true(wire_ip_addr_is_v4(&ip.dst));
    assert_int_equal(wire_ip_encode(&ip, out), 20);
    assert_memory_equal(out, packet, 20);
}

static void ipv6_header_has_exact_bytes(void **state) {
    (void)state;
    struct wire_ip ip = sample_v6();
    struct wire_ip back;
    size_t header_bytes;
    uint8_t out[44] = {0};
    uint8_t expected[40];
    from_hex("66aabcde 0004 11 40 fd000000000000000000000000000001"
             "fd000000000000000000000000000002",
             expected, sizeof expected);
    assert_int_equal(wire_ip_encode(&ip, out), 40);
    assert_memory_equal(out, expected, 40);
    assert_int_equal(wire_ip_decode(out, sizeof out, &back, &header_bytes), WIRE_OK);
    assert_int_equal(header_bytes, 40);
    assert_int_equal(back.dscp, 26);
    assert_int_equal(back.ecn, WIRE_ECN_ECT0);
    assert_int_equal(back.flow_label, 0xABCDE);
    assert_true(wire_ip_addr_equal(&back.src, &ip.src));
    assert_true(wire_ip_addr_equal(&back.dst, &ip.dst));
    assert_false(wire_ip_addr_is_v4(&back.src));
}

static void every_truncation_is_refused(void **state) {
    (void)state;
    uint8_t v4[60] = {0};
    uint8_t v6[44] = {0};
    struct wire_ip ip = sample_v6();
    size_t header_bytes;
    from_hex(captured_ipv4, v4, sizeof v4);
    wire_ip_encode(&ip, v6);
    for (size_t bytes = 0; bytes < sizeof v4; bytes++) {
        uint8_t *copy = exact_copy(v4, bytes);
        assert_int_equal(wire_ip_decode(copy, bytes, &ip, &header_bytes), WIRE_ERROR_TRUNCATED);
        free(copy);
    }
    for (size_t bytes = 0; bytes < sizeof v6; bytes++) {
        uint8_t *copy = exact_copy(v6, bytes);
        assert_int_equal(wire_ip_decode(copy, bytes, &ip, &header_bytes), WIRE_ERROR_TRUNCATED);
        free(copy);
    }
}

/* Stores one byte, makes the header checksum right again, and decodes. */
static enum wire_error decode_with(size_t at, uint8_t value) {
    uint8_t packet[60] = {0};
    struct wire_ip ip;
    size_t header_bytes;
    from_hex(captured_ipv4, packet, sizeof packet);
    packet[at] = value;
    packet[10] = packet[11] = 0;
    wire_put_u16(packet + 10, wire_checksum(packet, 20));
    return wire_ip_decode(packet, sizeof packet, &ip, &header_bytes);
}

static void malformed_ipv4_headers_are_refused_with_a_reason(void **state) {
    (void)state;
    uint8_t packet[60] = {0};
    struct wire_ip ip;
    size_t header_bytes;
    assert_int_equal(decode_with(0, 0x46), WIRE_ERROR_IP_HEADER); /* options */
    assert_int_equal(decode_with(0, 0x44), WIRE_ERROR_IP_HEADER);
    assert_int_equal(decode_with(0, 0x55), WIRE_ERROR_IP_VERSION);
    assert_int_equal(decode_with(3, 19), WIRE_ERROR_IP_HEADER);     /* total length below header */
    assert_int_equal(decode_with(6, 0x20), WIRE_ERROR_IP_FRAGMENT); /* more fragments */
    assert_int_equal(decode_with(7, 0x01), WIRE_ERROR_IP_FRAGMENT); /* offset */
    from_hex(captured_ipv4, packet, sizeof packet);
    packet[8]--;
    assert_int_equal(wire_ip_decode(packet, sizeof packet, &ip, &header_bytes),
                     WIRE_ERROR_IP_CHECKSUM);
}

static void udp_header_has_exact_bytes(void **state) {
    (void)state;
    struct wire_udp udp = {.src_port = 0xC000, .dst_port = 4791, .bytes = 8, .checksum = 0x1234};
    struct wire_udp back;
    uint8_t out[8];
    uint8_t expected[8];
    from_hex("c000 12b7 0008 1234", expected, sizeof expected);
    wire_udp_encode(&udp, out);
    assert_memory_equal(out, expected, 8);
    assert_int_equal(wire_udp_decode(out, 8, &back), WIRE_OK);
    assert_int_equal(back.src_port, 0xC000);
    assert_int_equal(back.dst_port, 4791);
    assert_int_equal(back.bytes, 8);
    assert_int_equal(back.checksum, 0x1234);
    for (size_t bytes = 0; bytes < 8; bytes++) {
        uint8_t *copy = exact_copy(out, bytes);
        assert_int_equal(wire_udp_decode(copy, bytes, &back), WIRE_ERROR_TRUNCATED);
        free(copy);
    }
    out[5] = 9;
    assert_int_equal(wire_udp_decode(out, 8, &back), WIRE_ERROR_UDP_LENGTH);
    out[5] = 7;
    assert_int_equal(wire_udp_decode(out, 8, &back), WIRE_ERROR_UDP_LENGTH);
}

/* RFC 768 with the pseudo header laid out in full. */
static uint16_t naive_udp_checksum(const uint8_t *packet, size_t ip_bytes, size_t udp_bytes) {
    uint8_t buffer[40 + 300] = {0};
    size_t address_bytes = ip_bytes == 20 ? 4 : 16;
    size_t at = 0;
    memcpy(buffer, packet + (ip_bytes == 20 ? 12 : 8), 2 * address_bytes);
    at += 2 * address_bytes;
    wire_put_u32(buffer + at, (uint32_t)udp_bytes);
    wire_put_u32(buffer + at + 4, 17);
    at += 8;
    memcpy(buffer + at, packet + ip_bytes, udp_bytes);
    buffer[at + 6] = buffer[at + 7] = 0;
    uint32_t sum = 0;
    for (size_t i = 0; i < at + udp_bytes; i += 2) {
        sum += (uint32_t)buffer[i] << 8 | buffer[i + 1];
    }
    sum = (sum & 0xFFFF) + (sum >> 16);
    sum = (sum & 0xFFFF) + (sum >> 16);
    return sum == 0xFFFF ? 0xFFFF : (uint16_t)~sum;
}

static void check_udp_checksums(struct wire_ip ip) {
    for (uint16_t payload = 0; payload < 200; payload++) {
        uint8_t packet[40 + 8 + 200];
        struct wire_udp udp = {
            .src_port = 49152, .dst_port = 4791, .bytes = (uint16_t)(8 + payload)};
        ip.payload_bytes = udp.bytes;
        size_t ip_bytes = wire_ip_encode(&ip, packet);
        wire_udp_encode(&udp, packet + ip_bytes);
        fill_random(packet + ip_bytes + 8, payload, payload);
        uint16_t expected = naive_udp_checksum(packet, ip_bytes, udp.bytes);
        uint8_t *copy = exact_copy(packet, ip_bytes + udp.bytes);
        assert_int_equal(wire_udp_checksum(copy), expected);
        wire_put_u16(copy + ip_bytes + 6, expected);
        assert_int_equal(wire_udp_checksum(copy), expected);
        free(copy);
    }
}

static void udp_checksum_equals_the_naive_one_over_both_versions(void **state) {
    (void)state;
    struct wire_ip v6 = sample_v6();
    struct wire_ip v4 = v6;
    v4.src = wire_ip_addr_from_v4(0x0A000001);
    v4.dst = wire_ip_addr_from_v4(0x0A000002);
    check_udp_checksums(v6);
    check_udp_checksums(v4);
}

static void udp_checksum_is_never_zero(void **state) {
    (void)state;
    struct wire_ip ip = sample_v6();
    uint8_t packet[40 + 8 + 2];
    struct wire_udp udp = {.src_port = 1, .dst_port = 2, .bytes = 10};
    ip.payload_bytes = 10;
    wire_ip_encode(&ip, packet);
    wire_udp_encode(&udp, packet + 40);
    memset(packet + 48, 0, 2);
    /* A payload equal to the checksum without it brings the sum to all ones. */
    wire_put_u16(packet + 48, wire_udp_checksum(packet));
    assert_int_equal(wire_udp_checksum(packet), 0xFFFF);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captured_ipv4_header_decodes_and_encodes_alike),
        cmocka_unit_test(ipv6_header_has_exact_bytes),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(malformed_ipv4_headers_are_refused_with_a_reason),
        cmocka_unit_test(udp_header_has_exact_bytes),
        cmocka_unit_test(udp_checksum_equals_the_naive_one_over_both_versions),
        cmocka_unit_test(udp_checksum_is_never_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
