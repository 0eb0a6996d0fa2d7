/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/cm.h"

#include "support.h"
#include "wire/bytes.h"

static const enum wire_cm_kind kinds[] = {WIRE_CM_REQ, WIRE_CM_MRA,  WIRE_CM_REJ, WIRE_CM_REP,
                                          WIRE_CM_RTU, WIRE_CM_DREQ, WIRE_CM_DREP};
#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

#define DATA_AT WIRE_MAD_HEADER_BYTES

/* Private data of each message: attribute id, offset within the 232 bytes, size. */
static const struct {
    enum wire_cm_kind kind;
    size_t at;
    size_t bytes;
} private_layout[KIND_COUNT] = {
    {WIRE_CM_REQ, 140, 92}, {WIRE_CM_MRA, 10, 222},  {WIRE_CM_REJ, 84, 148}, {WIRE_CM_REP, 36, 196},
    {WIRE_CM_RTU, 8, 224},  {WIRE_CM_DREQ, 12, 220}, {WIRE_CM_DREP, 8, 224},
};

static void encode(const struct wire_cm_message *message, uint8_t *mad) {
    memset(mad, 0x5A, WIRE_MAD_BYTES);
    wire_cm_encode(message, mad);
}

static void header_has_exact_bytes_for_every_message(void **state) {
    (void)state;
    for (size_t k = 0; k < KIND_COUNT; k++) {
        struct wire_cm_message message = {.kind = kinds[k],
                                          .transaction_id = UINT64_C(0x1122334455667788),
                                          .local_comm_id = 0xA1A2A3A4,
                                          .remote_comm_id = 0xB1B2B3B4};
        uint8_t mad[WIRE_MAD_BYTES];
        uint8_t expected[32] = {0};
        from_hex("01 07 02 03 0000 0000 1122334455667788 0000 0000 00000000 a1a2a3a4 b1b2b3b4",
                 expected, sizeof expected);
        expected[17] = (uint8_t)kinds[k];
        if (kinds[k] == WIRE_CM_REQ) {
            memset(expected + 28, 0, 4);
        }
        encode(&message, mad);
        assert_memory_equal(mad, expected, sizeof expected);
    }
}

static struct wire_cm_message sample_req(void) {
    struct wire_cm_message message = {
        .kind = WIRE_CM_REQ, .transaction_id = UINT64_C(0x0000000100000007), .local_comm_id = 7};
    message.req = (struct wire_cm_req){
        .service_id = wire_cm_service_id(445),
        .local_ca_guid = UINT64_C(0x0200000000000A01),
        .local_qkey = 0x01020304,
        .local_qpn = 0x000011,
        .responder_resources = 16,
        .initiator_depth = 32,
        .remote_cm_response_timeout = 20,
        .transport_type = 0,
        .end_to_end_flow_control = true,
        .starting_psn = {0xABCDEF},
        .local_cm_response_timeout = 19,
        .retry_count = 7,
        .pkey = 0xFFFF,
        .path_mtu = 5,
        .rnr_retry_count = 6,
        .max_cm_retries = 15,
        .srq = true,
        .primary =
            {
                .local_lid = 0xFFFF,
                .remote_lid = 0xFFFE,
                .local_gid = wire_ip_addr_from_v4(0x0A000001),
                .remote_gid = wire_ip_addr_from_v4(0x0A000002),
                .flow_label = 0x12345,
                .packet_rate = WIRE_CM_RATE_40_GBPS,
                .traffic_class = 0x6A,
                .hop_limit = 64,
                .sl = 3,
                .subnet_local = true,
                .local_ack_timeout = 14,
            },
        .alternate = {.local_lid = 0x1111, .hop_limit = 9, .local_ack_timeout = 31},
    };
    fill_random(message.req.private_data, WIRE_CM_REQ_PRIVATE_BYTES, 9);
    return message;
}

static void req_has_every_field_at_its_offset(void **state) {
    (void)state;
    struct wire_cm_message message = sample_req();
    uint8_t mad[WIRE_MAD_BYTES];
    uint8_t expected[140] = {0};
    /* Offsets: 0 comm id, 8 service id, 16 GUID, 28 Q_Key, 32 QPN, 44 PSN, 52 primary path. */
    from_hex("00000007 00000000 00000000010601bd 0200000000000a01 00000000 01020304"
             "000011 10 000000 20 000000 a1 abcdef 9f ffff 56 f8"
             "ffff fffe 00000000000000000000ffff0a000001 00000000000000000000ffff0a000002"
             "12345007 6a 40 38 70"
             "1111 0000",
             expected, sizeof expected);
    expected[96 + 41] = 9;
    expected[96 + 43] = 31 << 3;
    encode(&message, mad);
    assert_memory_equal(mad + DATA_AT, expected, sizeof expected);
    assert_memory_equal(mad + DATA_AT + 140, message.req.private_data, 92);
}

static void req_survives_a_round_trip(void **state) {
    (void)state;
    struct wire_cm_message message = sample_req();
    struct wire_cm_message back;
    uint8_t mad[WIRE_MAD_BYTES];
    encode(&message, mad);
    memset(&back, 0, sizeof back);
    assert_int_equal(wire_cm_decode(mad, sizeof mad, &back), WIRE_OK);
    assert_true(back.transaction_id == message.transaction_id);
    assert_int_equal(back.local_comm_id, 7);
    assert_true(back.req.service_id == UINT64_C(0x00000000010601BD));
    assert_true(back.req.local_ca_guid == message.req.local_ca_guid);
    assert_int_equal(back.req.local_qkey, 0x01020304);
    assert_int_equal(back.req.local_qpn, 0x11);
    assert_int_equal(back.req.responder_resources, 16);
    assert_int_equal(back.req.initiator_depth, 32);
    assert_int_equal(back.req.remote_cm_response_timeout, 20);
    assert_int_equal(back.req.transport_type, 0);
    assert_true(back.req.end_to_end_flow_control);
    assert_int_equal(back.req.starting_psn.value, 0xABCDEF);
    assert_int_equal(back.req.local_cm_response_timeout, 19);
    assert_int_equal(back.req.retry_count, 7);
    assert_int_equal(back.req.path_mtu, 5);
    assert_int_equal(back.req.rnr_retry_count, 6);
    assert_int_equal(back.req.max_cm_retries, 15);
    assert_true(back.req.srq);
    assert_int_equal(back.req.primary.local_lid, 0xFFFF);
    assert_int_equal(back.req.primary.remote_lid, 0xFFFE);
    assert_true(wire_ip_addr_equal(&back.req.primary.remote_gid, &message.req.primary.remote_gid));
    assert_int_equal(back.req.primary.flow_label, 0x12345);
    assert_int_equal(back.req.primary.packet_rate, WIRE_CM_RATE_40_GBPS);
    assert_int_equal(back.req.primary.traffic_class, 0x6A);
    assert_int_equal(back.req.primary.hop_limit, 64);
    assert_int_equal(back.req.primary.sl, 3);
    assert_true(back.req.primary.subnet_local);
    assert_int_equal(back.req.primary.local_ack_timeout, 14);
    assert_int_equal(back.req.alternate.local_lid, 0x1111);
    assert_int_equal(back.req.alternate.local_ack_timeout, 31);
    assert_memory_equal(back.req.private_data, message.req.private_data, 92);
}

static void rep_has_every_field_at_its_offset(void **state) {
    (void)state;
    struct wire_cm_message message = {.kind = WIRE_CM_REP, .local_comm_id = 1, .remote_comm_id = 2};
    struct wire_cm_message back;
    uint8_t mad[WIRE_MAD_BYTES];
    uint8_t expected[36];
    message.rep = (struct wire_cm_rep){
        .local_qkey = 0x0A0B0C0D,
        .local_qpn = 0x123456,
        .local_eecn = 0x000003,
        .starting_psn = {0xFEDCBA},
        .responder_resources = 8,
        .initiator_depth = 4,
        .target_ack_delay = 15,
        .failover_accepted = 2,
        .end_to_end_flow_control = true,
        .rnr_retry_count = 7,
        .srq = true,
        .local_ca_guid = UINT64_C(0x0200000000000B01),
    };
    fill_random(message.rep.private_data, WIRE_CM_REP_PRIVATE_BYTES, 10);
    from_hex("00000001 00000002 0a0b0c0d 123456 00 000003 00 fedcba 00 08 04 7d f0"
             "0200000000000b01",
             expected, sizeof expected);
    encode(&message, mad);
    assert_memory_equal(mad + DATA_AT, expected, sizeof expected);
    assert_int_equal(wire_cm_decode(mad, sizeof mad, &back), WIRE_OK);
    assert_int_equal(back.rep.local_qkey, 0x0A0B0C0D);
    assert_int_equal(back.rep.local_qpn, 0x123456);
    assert_int_equal(back.rep.local_eecn, 3);
    assert_int_equal(back.rep.starting_psn.value, 0xFEDCBA);
    assert_int_equal(back.rep.responder_resources, 8);
    assert_int_equal(back.rep.initiator_depth, 4);
    assert_int_equal(back.rep.target_ack_delay, 15);
    assert_int_equal(back.rep.failover_accepted, 2);
    assert_true(back.rep.end_to_end_flow_control);
    assert_int_equal(back.rep.rnr_retry_count, 7);
    assert_true(back.rep.srq);
    assert_true(back.rep.local_ca_guid == message.rep.local_ca_guid);
}

static void rej_and_mra_have_every_field_at_their_offsets(void **state) {
    (void)state;
    struct wire_cm_message message = {.kind = WIRE_CM_REJ, .remote_comm_id = 9};
    struct wire_cm_message back;
    uint8_t mad[WIRE_MAD_BYTES];
    uint8_t expected[20];
    message.rej.answered = WIRE_CM_ANSWERED_REP;
    message.rej.ari_bytes = 8;
    message.rej.reason = WIRE_CM_REJ_TIMEOUT;
    fill_random(message.rej.ari, 8, 11);
    from_hex("00000000 00000009 40 10 0004", expected, sizeof expected);
    memcpy(expected + 12, message.rej.ari, 8);
    encode(&message, mad);
    assert_memory_equal(mad + DATA_AT, expected, sizeof expected);
    assert_int_equal(wire_cm_decode(mad, sizeof mad, &back), WIRE_OK);
    assert_int_equal(back.rej.answered, WIRE_CM_ANSWERED_REP);
    assert_int_equal(back.rej.ari_bytes, 8);
    assert_int_equal(back.rej.reason, WIRE_CM_REJ_TIMEOUT);
    assert_memory_equal(back.rej.ari, message.rej.ari, WIRE_CM_REJ_ARI_BYTES);

    message = (struct wire_cm_message){.kind = WIRE_CM_MRA, .local_comm_id = 3};
    message.mra.answered = WIRE_CM_ANSWERED_OTHER;
    message.mra.service_timeout = 24;
    from_hex("00000003 00000000 80 c0", expected, sizeof expected);
    encode(&message, mad);
    assert_memory_equal(mad + DATA_AT, expected, 10);
    assert_int_equal(wire_cm_decode(mad, sizeof mad, &back), WIRE_OK);
    assert_int_equal(back.mra.answered, WIRE_CM_ANSWERED_OTHER);
    assert_int_equal(back.mra.service_timeout, 24);
}

static void dreq_names_the_receivers_qp(void **state) {
    (void)state;
    struct wire_cm_message message = {.kind = WIRE_CM_DREQ, .local_comm_id = 3};
    struct wire_cm_message back;
    uint8_t mad[WIRE_MAD_BYTES];
    message.dreq.remote_qpn = 0xABCDEF;
    encode(&message, mad);
    assert_int_equal(wire_get_u24(mad + DATA_AT + 8), 0xABCDEF);
    assert_int_equal(wire_cm_decode(mad, sizeof mad, &back), WIRE_OK);
    assert_int_equal(back.dreq.remote_qpn, 0xABCDEF);
}

static void private_data_stands_at_its_offset_in_every_message(void **state) {
    (void)state;
    for (size_t k = 0; k < KIND_COUNT; k++) {
        struct wire_cm_message message = {.kind = private_layout[k].kind};
        uint8_t mad[WIRE_MAD_BYTES];
        uint8_t again[WIRE_MAD_BYTES];
        size_t bytes;
        uint8_t *data = mad + DATA_AT + private_layout[k].at;
        encode(&message, mad);
        fill_random(data, private_layout[k].bytes, (uint32_t)k + 20);
        assert_int_equal(wire_cm_decode(mad, sizeof mad, &message), WIRE_OK);
        assert_int_equal(message.kind, private_layout[k].kind);
        const uint8_t *decoded = wire_cm_private_data(&message, &bytes);
        assert_int_equal(bytes, private_layout[k].bytes);
        assert_int_equal(private_layout[k].at + bytes, WIRE_MAD_DATA_BYTES);
        assert_memory_equal(decoded, data, bytes);
        encode(&message, again);
        assert_memory_equal(again, mad, sizeof mad);
    }
}

static void every_truncation_is_refused(void **state) {
    (void)state;
    uint8_t mad[WIRE_MAD_BYTES];
    for (size_t k = 0; k < KIND_COUNT; k++) {
        struct wire_cm_message message = {.kind = kinds[k]};
        encode(&message, mad);
        for (size_t bytes = 0; bytes < sizeof mad; bytes++) {
            uint8_t *copy = exact_copy(mad, bytes);
            assert_int_equal(wire_cm_decode(copy, bytes, &message), WIRE_ERROR_TRUNCATED);
            free(copy);
        }
        uint8_t *copy = exact_copy(mad, sizeof mad);
        assert_int_equal(wire_cm_decode(copy, sizeof mad, &message), WIRE_OK);
        free(copy);
    }
}

static enum wire_error decode_with(enum wire_cm_kind kind, size_t at, uint8_t value) {
    struct wire_cm_message message = {.kind = kind};
    uint8_t mad[WIRE_MAD_BYTES];
    encode(&message, mad);
    mad[at] = value;
    return wire_cm_decode(mad, sizeof mad, &message);
}

static void malformed_messages_are_refused_with_a_reason(void **state) {
    (void)state;
    assert_int_equal(decode_with(WIRE_CM_RTU, 0, 2), WIRE_ERROR_MAD_VERSION);
    assert_int_equal(decode_with(WIRE_CM_RTU, 1, 0x81), WIRE_ERROR_MAD_CLASS);
    assert_int_equal(decode_with(WIRE_CM_RTU, 2, 1), WIRE_ERROR_MAD_VERSION);
    assert_int_equal(decode_with(WIRE_CM_RTU, 3, 0x81), WIRE_ERROR_MAD_CLASS);
    assert_int_equal(decode_with(WIRE_CM_RTU, 17, 0x0F), WIRE_ERROR_CM_ATTRIBUTE);
    assert_int_equal(decode_with(WIRE_CM_RTU, 17, 0x17), WIRE_ERROR_CM_ATTRIBUTE);
    assert_int_equal(decode_with(WIRE_CM_RTU, 16, 0x01), WIRE_ERROR_CM_ATTRIBUTE);
    assert_int_equal(decode_with(WIRE_CM_REJ, DATA_AT + 9, 72 << 1), WIRE_OK);
    assert_int_equal(decode_with(WIRE_CM_REJ, DATA_AT + 9, 73 << 1), WIRE_ERROR_VALUE);
}

static void fields_are_cut_to_their_width(void **state) {
    (void)state;
    struct wire_cm_message message = {.kind = WIRE_CM_REP};
    uint8_t mad[WIRE_MAD_BYTES];
    message.rep.rnr_retry_count = 0xFF;
    message.rep.target_ack_delay = 0xFF;
    encode(&message, mad);
    assert_int_equal(mad[DATA_AT + 26], 0xF8);
    assert_int_equal(mad[DATA_AT + 27], 0xE0);
}

static void ip_header_has_exact_bytes_for_ipv4(void **state) {
    (void)state;
    struct wire_cm_ip_header header = {.src_port = 0xC001,
                                       .src = wire_ip_addr_from_v4(0x0A000001),
                                       .dst = wire_ip_addr_from_v4(0x0A000002)};
    struct wire_cm_ip_header back;
    uint8_t out[WIRE_CM_IP_HEADER_BYTES];
    uint8_t expected[WIRE_CM_IP_HEADER_BYTES];
    from_hex("00 40 c001 0000000000000000000000000a000001 0000000000000000000000000a000002",
             expected, sizeof expected);
    wire_cm_ip_header_encode(&header, out);
    assert_memory_equal(out, expected, sizeof out);
    assert_int_equal(wire_cm_ip_header_decode(out, sizeof out, &back), WIRE_OK);
    assert_int_equal(back.src_port, 0xC001);
    assert_true(wire_ip_addr_equal(&back.src, &header.src));
    assert_true(wire_ip_addr_equal(&back.dst, &header.dst));
}

static void ip_header_has_exact_bytes_for_ipv6(void **state) {
    (void)state;
    struct wire_cm_ip_header header = {.src_port = 1};
    struct wire_cm_ip_header back;
    uint8_t out[WIRE_CM_IP_HEADER_BYTES];
    uint8_t expected[WIRE_CM_IP_HEADER_BYTES];
    from_hex("fd000000000000000000000000000001", header.src.bytes, 16);
    from_hex("fd000000000000000000000000000002", header.dst.bytes, 16);
    from_hex("00 60 0001 fd000000000000000000000000000001 fd000000000000000000000000000002",
             expected, sizeof expected);
    wire_cm_ip_header_encode(&header, out);
    assert_memory_equal(out, expected, sizeof out);
    assert_int_equal(wire_cm_ip_header_decode(out, sizeof out, &back), WIRE_OK);
    assert_true(wire_ip_addr_equal(&back.dst, &header.dst));
    for (size_t bytes = 0; bytes < sizeof out; bytes++) {
        uint8_t *copy = exact_copy(out, bytes);
        assert_int_equal(wire_cm_ip_header_decode(copy, bytes, &back), WIRE_ERROR_TRUNCATED);
        free(copy);
    }
    out[1] = 0x50;
    assert_int_equal(wire_cm_ip_header_decode(out, sizeof out, &back), WIRE_ERROR_CM_IP_HEADER);
    out[1] = 0x60;
    out[0] = 0x10;
    assert_int_equal(wire_cm_ip_header_decode(out, sizeof out, &back), WIRE_ERROR_CM_IP_HEADER);
}

static void service_ids_carry_tcp_ports(void **state) {
    (void)state;
    uint16_t port;
    assert_true(wire_cm_service_id(445) == UINT64_C(0x00000000010601BD));
    assert_true(wire_cm_service_id_port(wire_cm_service_id(65535), &port));
    assert_int_equal(port, 65535);
    assert_false(wire_cm_service_id_port(UINT64_C(0x00000000011101BD), &port));
    assert_false(wire_cm_service_id_port(UINT64_C(0x10000000010601BD), &port));
}

static void every_kind_and_every_error_has_a_text(void **state) {
    (void)state;
    assert_string_equal(wire_cm_kind_name(WIRE_CM_REQ), "REQ");
    assert_string_equal(wire_cm_kind_name(WIRE_CM_DREP), "DREP");
    assert_string_equal(wire_cm_kind_name((enum wire_cm_kind)0x17), "CM?");
    for (int error = 0; error < WIRE_ERROR_COUNT; error++) {
        assert_non_null(wire_error_text((enum wire_error)error));
    }
    assert_string_equal(wire_error_text(WIRE_ERROR_COUNT), "unknown error");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_has_exact_bytes_for_every_message),
        cmocka_unit_test(req_has_every_field_at_its_offset),
        cmocka_unit_test(req_survives_a_round_trip),
        cmocka_unit_test(rep_has_every_field_at_its_offset),
        cmocka_unit_test(rej_and_mra_have_every_field_at_their_offsets),
        cmocka_unit_test(dreq_names_the_receivers_qp),
        cmocka_unit_test(private_data_stands_at_its_offset_in_every_message),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(malformed_messages_are_refused_with_a_reason),
        cmocka_unit_test(fields_are_cut_to_their_width),
        cmocka_unit_test(ip_header_has_exact_bytes_for_ipv4),
        cmocka_unit_test(ip_header_has_exact_bytes_for_ipv6),
        cmocka_unit_test(service_ids_carry_tcp_ports),
        cmocka_unit_test(every_kind_and_every_error_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
