/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/roce.h"

#include "support.h"
#include "wire/bytes.h"
#include "wire/checksum.h"

struct shape {
    bool is_ipv6;
    bool tagged;
};

static const struct shape shapes[] = {{false, false}, {false, true}, {true, false}, {true, true}};
#define SHAPE_COUNT (sizeof shapes / sizeof shapes[0])

static struct wire_roce_path sample_path(struct shape shape) {
    struct wire_roce_path path = {
        .dst_mac = {{0x02, 0, 0, 0, 0, 0x0B}},
        .src_mac = {{0x02, 0, 0, 0, 0, 0x0A}},
        .src = wire_ip_addr_from_v4(0x0A000001),
        .dst = wire_ip_addr_from_v4(0x0A000002),
        .udp_src_port = 0xC123,
        .dscp = 26,
        .ecn = WIRE_ECN_ECT0,
        .hop_limit = 64,
    };
    if (shape.is_ipv6) {
        from_hex("fd000000000000000000000000000001", path.src.bytes, 16);
        from_hex("fd000000000000000000000000000002", path.dst.bytes, 16);
        path.flow_label = 0x54321;
    }
    if (shape.tagged) {
        path.tagged = true;
        path.priority = 3;
        path.vlan_id = 100;
    }
    return path;
}

/* Every field that the opcode carries has a value of its own, the others are 0. */
static struct wire_roce_headers sample_headers(uint8_t opcode) {
    uint32_t flags = wire_roce_opcode_flags[opcode];
    struct wire_roce_headers headers = {
        .opcode = opcode,
        .solicited = opcode % 2 == 0,
        .migrated = opcode % 3 != 0,
        .fecn = opcode % 5 == 0,
        .becn = opcode % 7 == 0,
        .ack_request = opcode % 2 != 0,
        .pkey = 0xFFFF,
        .dst_qpn = 0x123456,
        .psn = wire_psn_make(0xFEDCBA),
    };
    if (flags & WIRE_OP_RETH) {
        headers.reth.address = UINT64_C(0x1122334455667788);
        headers.reth.rkey = 0x99AABBCC;
        headers.reth.bytes = 0xDDEEFF00;
    }
    if (flags & WIRE_OP_AETH) {
        headers.aeth.syndrome = WIRE_SYNDROME_NAK_REMOTE_ACCESS;
        headers.aeth.msn = 0xABCDEF;
    }
    if (flags & WIRE_OP_DETH) {
        headers.deth.qkey = 0x80010000;
        headers.deth.src_qpn = 1;
    }
    headers.immediate = flags & WIRE_OP_IMMDT ? 0xCAFEF00D : 0;
    headers.invalidate_rkey = flags & WIRE_OP_IETH ? 0x0BADCAFE : 0;
    return headers;
}

static void assert_path_equal(const struct wire_roce_path *a, const struct wire_roce_path *b) {
    assert_memory_equal(a->dst_mac.bytes, b->dst_mac.bytes, 6);
    assert_memory_equal(a->src_mac.bytes, b->src_mac.bytes, 6);
    assert_true(wire_ip_addr_equal(&a->src, &b->src));
    assert_true(wire_ip_addr_equal(&a->dst, &b->dst));
    assert_int_equal(a->flow_label, b->flow_label);
    assert_int_equal(a->udp_src_port, b->udp_src_port);
    assert_int_equal(a->vlan_id, b->vlan_id);
    assert_int_equal(a->tagged, b->tagged);
    assert_int_equal(a->priority, b->priority);
    assert_int_equal(a->dscp, b->dscp);
    assert_int_equal(a->ecn, b->ecn);
    assert_int_equal(a->hop_limit, b->hop_limit);
}

static void assert_headers_equal(const struct wire_roce_headers *a,
                                 const struct wire_roce_headers *b) {
    assert_int_equal(a->opcode, b->opcode);
    assert_int_equal(a->solicited, b->solicited);
    assert_int_equal(a->migrated, b->migrated);
    assert_int_equal(a->fecn, b->fecn);
    assert_int_equal(a->becn, b->becn);
    assert_int_equal(a->ack_request, b->ack_request);
    assert_int_equal(a->pkey, b->pkey);
    assert_int_equal(a->dst_qpn, b->dst_qpn);
    assert_int_equal(a->psn.value, b->psn.value);
    assert_true(a->reth.address == b->reth.address);
    assert_int_equal(a->reth.rkey, b->reth.rkey);
    assert_int_equal(a->reth.bytes, b->reth.bytes);
    assert_int_equal(a->aeth.syndrome, b->aeth.syndrome);
    assert_int_equal(a->aeth.msn, b->aeth.msn);
    assert_int_equal(a->deth.qkey, b->deth.qkey);
    assert_int_equal(a->deth.src_qpn, b->deth.src_qpn);
    assert_int_equal(a->immediate, b->immediate);
    assert_int_equal(a->invalidate_rkey, b->invalidate_rkey);
}

/* Encodes into a heap buffer without a byte to spare. The caller frees it. */
static uint8_t *encode(struct shape shape, uint8_t opcode, size_t payload_bytes, size_t *bytes) {
    uint8_t payload[4096];
    struct wire_roce_template templ;
    struct wire_roce_path path = sample_path(shape);
    struct wire_roce_headers headers = sample_headers(opcode);
    wire_roce_template_init(&templ, &path);
    *bytes = wire_roce_frame_bytes(&templ, opcode, payload_bytes);
    fill_random(payload, payload_bytes, opcode);
    uint8_t *frame = malloc(*bytes);
    assert_non_null(frame);
    assert_int_equal(
        wire_roce_encode(&templ, &headers, payload_bytes ? payload : NULL, payload_bytes, 7, frame),
        *bytes);
    return frame;
}

static void round_trip(struct shape shape, uint8_t opcode, size_t payload_bytes) {
    uint8_t payload[4096];
    struct wire_roce_packet packet;
    struct wire_roce_path path = sample_path(shape);
    struct wire_roce_headers headers = sample_headers(opcode);
    size_t bytes;
    uint8_t *frame = encode(shape, opcode, payload_bytes, &bytes);
    fill_random(payload, payload_bytes, opcode);

    assert_int_equal(wire_roce_decode(frame, bytes, &packet), WIRE_OK);
    assert_path_equal(&packet.path, &path);
    assert_headers_equal(&packet.headers, &headers);
    assert_int_equal(packet.payload_bytes, payload_bytes);
    assert_int_equal(packet.pad_bytes, (4 - payload_bytes % 4) % 4);
    assert_memory_equal(packet.payload, payload, payload_bytes);
    for (size_t i = 0; i < packet.pad_bytes; i++) {
        assert_int_equal(packet.payload[payload_bytes + i], 0);
    }
    assert_int_equal(packet.ip_id, shape.is_ipv6 ? 0 : 7);
    assert_true(wire_roce_check_icrc(frame, &packet));
    assert_true(wire_roce_check_udp(frame, &packet));
    assert_int_equal(wire_get_u16(frame + packet.bth_offset - 2) != 0, shape.is_ipv6);
    free(frame);
}

static void every_opcode_survives_every_shape(void **state) {
    (void)state;
    unsigned opcodes = 0;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        uint32_t flags = wire_roce_opcode_flags[opcode];
        if ((flags & WIRE_OP_KNOWN) == 0) {
            continue;
        }
        opcodes++;
        for (size_t s = 0; s < SHAPE_COUNT; s++) {
            round_trip(shapes[s], (uint8_t)opcode, 0);
            for (size_t payload = 1; (flags & WIRE_OP_PAYLOAD) && payload < 20; payload++) {
                round_trip(shapes[s], (uint8_t)opcode, payload);
            }
            if (flags & WIRE_OP_PAYLOAD) {
                round_trip(shapes[s], (uint8_t)opcode, 4096);
            }
        }
    }
    assert_int_equal(opcodes, 23);
}

static void write_only_with_immediate_has_exact_bytes(void **state) {
    (void)state;
    static const char expected_hex[] =
        "02000000000b 02000000000a 0800"
        "456a0044 0007 4000 4011 2637 0a000001 0a000002" /* IPv4 */
        "c123 12b7 0030 0000"                            /* UDP */
        "0b 50 ffff 00 123456 80 fedcba"                 /* BTH: MigReq, one byte of pad */
        "1122334455667788 99aabbcc ddeeff00"             /* RETH */
        "cafef00d";                                      /* ImmDt */
    uint8_t expected[128];
    struct wire_roce_template templ;
    struct wire_roce_path path = sample_path(shapes[0]);
    struct wire_roce_headers headers = sample_headers(WIRE_RC_WRITE_ONLY_IMM);
    uint8_t frame[WIRE_ROCE_FRAME_BYTES_MAX];
    size_t header_bytes = from_hex(expected_hex, expected, sizeof expected);
    wire_put_u16(expected + 16, 20 + 8 + 12 + 20 + 4 + 4);
    wire_put_u16(expected + 38, 8 + 12 + 20 + 4 + 4);
    wire_put_u16(expected + 24, 0);
    wire_put_u16(expected + 24, wire_checksum(expected + 14, 20));
    wire_roce_template_init(&templ, &path);
    assert_int_equal(wire_roce_encode_headers(&templ, &headers, 3, 7, frame), header_bytes);
    assert_memory_equal(frame, expected, header_bytes);
}

static void captured_cnp_is_encoded_byte_for_byte(void **state) {
    (void)state;
    uint8_t captured[128];
    size_t bytes =
        from_hex("e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a0012010000"
                 "12b7002800008100ffff40000118000000000000000000000000000000000000000082fd"
                 "002a",
                 captured, sizeof captured);
    uint8_t frame[128];
    const uint8_t zeros[WIRE_CNP_PAYLOAD_BYTES] = {0};
    struct wire_roce_packet packet;
    struct wire_roce_template templ;
    assert_int_equal(wire_roce_decode(captured, bytes, &packet), WIRE_OK);
    assert_true(wire_roce_check_icrc(captured, &packet));
    assert_true(packet.headers.becn);
    assert_int_equal(packet.headers.dst_qpn, 0x118);
    wire_roce_template_init(&templ, &packet.path);
    assert_int_equal(
        wire_roce_encode(&templ, &packet.headers, zeros, sizeof zeros, packet.ip_id, frame), bytes);
    assert_memory_equal(frame, captured, bytes);
}

static void every_truncation_is_refused_without_reading_beyond(void **state) {
    (void)state;
    static const uint8_t opcodes[] = {WIRE_RC_SEND_ONLY_INV, WIRE_RC_WRITE_ONLY_IMM,
                                      WIRE_RC_READ_RESPONSE_ONLY, WIRE_UD_SEND_ONLY_IMM};
    for (size_t s = 0; s < SHAPE_COUNT; s++) {
        for (size_t o = 0; o < sizeof opcodes; o++) {
            size_t bytes;
            uint8_t *frame = encode(shapes[s], opcodes[o], 33, &bytes);
            for (size_t cut = 0; cut < bytes; cut++) {
                struct wire_roce_packet packet;
                uint8_t *copy = exact_copy(frame, cut);
                assert_int_equal(wire_roce_decode(copy, cut, &packet), WIRE_ERROR_TRUNCATED);
                free(copy);
            }
            free(frame);
        }
    }
}

/* Shortens the IP packet as well, so that the inner lengths are what is tested. */
static void every_inner_truncation_is_refused_or_safe(void **state) {
    (void)state;
    for (size_t s = 0; s < SHAPE_COUNT; s++) {
        size_t bytes;
        uint8_t *frame = encode(shapes[s], WIRE_RC_WRITE_ONLY_IMM, 8, &bytes);
        size_t ip = shapes[s].tagged ? 18 : 14;
        size_t udp = ip + (shapes[s].is_ipv6 ? 40 : 20);
        for (size_t cut = udp; cut < bytes; cut++) {
            struct wire_roce_packet packet;
            uint8_t *copy = exact_copy(frame, cut);
            if (shapes[s].is_ipv6) {
                wire_put_u16(copy + ip + 4, (uint16_t)(cut - udp));
            } else {
                wire_put_u16(copy + ip + 2, (uint16_t)(cut - ip));
                wire_put_u16(copy + ip + 10, 0);
                wire_put_u16(copy + ip + 10, wire_checksum(copy + ip, 20));
            }
            if (cut >= udp + 8) {
                wire_put_u16(copy + udp + 4, (uint16_t)(cut - udp));
            }
            enum wire_error error = wire_roce_decode(copy, cut, &packet);
            if (cut < udp + 8 + 12 + 20 + 4) {
                assert_int_equal(error, WIRE_ERROR_TRUNCATED);
            } else if ((bytes - cut) % 4 != 0) {
                assert_int_equal(error, WIRE_ERROR_PAD);
            } else {
                assert_int_equal(error, WIRE_OK);
                assert_false(wire_roce_check_icrc(copy, &packet));
            }
            free(copy);
        }
        free(frame);
    }
}

static enum wire_error decode_with(struct shape shape, uint8_t opcode, size_t at, uint8_t value) {
    struct wire_roce_packet packet;
    size_t bytes;
    uint8_t *frame = encode(shape, opcode, 0, &bytes);
    frame[at] = value;
    if (!shape.is_ipv6) {
        size_t ip = shape.tagged ? 18 : 14;
        wire_put_u16(frame + ip + 10, 0);
        wire_put_u16(frame + ip + 10, wire_checksum(frame + ip, 20));
    }
    enum wire_error error = wire_roce_decode(frame, bytes, &packet);
    free(frame);
    return error;
}

static void malformed_frames_are_refused_with_a_reason(void **state) {
    (void)state;
    struct shape v4 = {false, false};
    struct shape v6 = {true, false};
    uint8_t op = WIRE_RC_SEND_ONLY;
    assert_int_equal(decode_with(v4, op, 12, 0x88), WIRE_ERROR_ETHERTYPE);
    assert_int_equal(decode_with(v4, op, 14, 0x65), WIRE_ERROR_IP_VERSION);
    assert_int_equal(decode_with(v6, op, 14, 0x46), WIRE_ERROR_IP_VERSION);
    assert_int_equal(decode_with(v4, op, 14, 0x46), WIRE_ERROR_IP_HEADER);
    assert_int_equal(decode_with(v4, op, 20, 0x20), WIRE_ERROR_IP_FRAGMENT);
    assert_int_equal(decode_with(v4, op, 23, 6), WIRE_ERROR_PROTOCOL);
    assert_int_equal(decode_with(v6, op, 20, 44), WIRE_ERROR_PROTOCOL);
    assert_int_equal(decode_with(v4, op, 37, 0xB6), WIRE_ERROR_UDP_PORT);
    assert_int_equal(decode_with(v4, op, 39, 23), WIRE_ERROR_UDP_LENGTH);
    assert_int_equal(decode_with(v4, op, 39, 25), WIRE_ERROR_UDP_LENGTH);
    assert_int_equal(decode_with(v4, op, 43, 0x41), WIRE_ERROR_BTH_VERSION);
    assert_int_equal(decode_with(v4, op, 42, 0x12), WIRE_ERROR_OPCODE);
    assert_int_equal(decode_with(v4, op, 42, 0x24), WIRE_ERROR_OPCODE);
    assert_int_equal(decode_with(v4, op, 43, 0x10), WIRE_ERROR_PAD);
    assert_int_equal(decode_with(v4, op, 42, WIRE_RC_ACK), WIRE_ERROR_TRUNCATED);
    /* A READ request turned ACK has 12 bytes too many. */
    assert_int_equal(decode_with(v4, WIRE_RC_READ_REQUEST, 42, WIRE_RC_ACK), WIRE_ERROR_PAYLOAD);
}

static void bytes_behind_the_ip_packet_are_ignored(void **state) {
    (void)state;
    struct wire_roce_packet packet;
    size_t bytes;
    uint8_t *frame = encode(shapes[0], WIRE_RC_ACK, 0, &bytes);
    uint8_t padded[128] = {0};
    memcpy(padded, frame, bytes);
    assert_int_equal(wire_roce_decode(padded, sizeof padded, &packet), WIRE_OK);
    assert_true(wire_roce_check_icrc(padded, &packet));
    free(frame);
}

static void one_flipped_bit_beyond_the_mutable_fields_breaks_the_icrc(void **state) {
    (void)state;
    struct wire_roce_packet packet;
    size_t bytes;
    uint8_t *frame = encode(shapes[2], WIRE_RC_WRITE_ONLY, 21, &bytes);
    assert_int_equal(wire_roce_decode(frame, bytes, &packet), WIRE_OK);
    for (size_t at = packet.bth_offset + 5u; at < bytes; at++) {
        frame[at] ^= 0x10;
        assert_false(wire_roce_check_icrc(frame, &packet));
        assert_false(wire_roce_check_udp(frame, &packet));
        frame[at] ^= 0x10;
    }
    /* A switch that marks congestion changes neither. */
    frame[packet.ip_offset + 1] |= 0x30;
    assert_true(wire_roce_check_icrc(frame, &packet));
    assert_true(wire_roce_check_udp(frame, &packet));
    free(frame);
}

static void random_frames_never_read_beyond_their_end(void **state) {
    (void)state;
    uint32_t seed = 42;
    for (unsigned round = 0; round < 20000; round++) {
        struct wire_roce_packet packet;
        struct shape shape = shapes[next_random(&seed) % SHAPE_COUNT];
        size_t bytes;
        uint8_t *frame = encode(shape, WIRE_RC_WRITE_ONLY, next_random(&seed) % 16, &bytes);
        for (unsigned flips = next_random(&seed) % 4; flips > 0; flips--) {
            frame[next_random(&seed) % bytes] = (uint8_t)next_random(&seed);
        }
        size_t cut = next_random(&seed) % 2 ? bytes : next_random(&seed) % bytes;
        uint8_t *copy = exact_copy(frame, cut);
        if (wire_roce_decode(copy, cut, &packet) == WIRE_OK) {
            assert_true(packet.payload + packet.payload_bytes + packet.pad_bytes + 4 <= copy + cut);
            (void)wire_roce_check_icrc(copy, &packet);
            (void)wire_roce_check_udp(copy, &packet);
        }
        free(copy);
        free(frame);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_opcode_survives_every_shape),
        cmocka_unit_test(write_only_with_immediate_has_exact_bytes),
        cmocka_unit_test(captured_cnp_is_encoded_byte_for_byte),
        cmocka_unit_test(every_truncation_is_refused_without_reading_beyond),
        cmocka_unit_test(every_inner_truncation_is_refused_or_safe),
        cmocka_unit_test(malformed_frames_are_refused_with_a_reason),
        cmocka_unit_test(bytes_behind_the_ip_packet_are_ignored),
        cmocka_unit_test(one_flipped_bit_beyond_the_mutable_fields_breaks_the_icrc),
        cmocka_unit_test(random_frames_never_read_beyond_their_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
