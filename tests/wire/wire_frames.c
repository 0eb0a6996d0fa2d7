/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints one small loss-free conversation between two ports, made by the encoders of fabric/wire,
 * so that tshark and the Python checker can judge the encoders before any simulation runs: CM with
 * MRA and two rejects, SMB Direct messages, WRITE, READ, immediate, invalidate, NAKs, CNP, PFC.
 *
 * usage: wire_frames v4|v6 plain|vlan
 * One line per frame, `<interface> <hex>`; the last line is the JSON of both ports' statistics.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "wire/cm.h"
#include "wire/roce.h"
#include "wire/timers.h"

#define MTU_BYTES 1024
#define QPN(side) ((side) == 0 ? 0x11u : 0x22u)
#define FIRST_PSN(side) ((side) == 0 ? 0xFFFFFEu : 0x000100u)

struct side {
    const char *interface;
    struct wire_roce_template templ;
    struct wire_ip_addr addr;
    struct wire_psn psn;      /* next request */
    struct wire_psn datagram; /* next of QP1 */
    uint32_t frames;
    uint32_t bytes;
    uint32_t opcodes[256];
};

static struct side sides[2] = {{.interface = "client.nic[0]"}, {.interface = "server.nic[0]"}};
static uint8_t data[4096];

static void print_frame(struct side *from, const uint8_t *frame, size_t bytes) {
    from->frames++;
    from->bytes += (uint32_t)bytes;
    printf("%s ", from->interface);
    for (size_t i = 0; i < bytes; i++) {
        printf("%02x", frame[i]);
    }
    printf("\n");
}

static void send_packet(int from, struct wire_roce_headers headers, const uint8_t *payload,
                        size_t payload_bytes) {
    uint8_t frame[WIRE_ROCE_FRAME_BYTES_MAX];
    headers.migrated = true;
    headers.pkey = WIRE_PKEY_DEFAULT;
    sides[from].opcodes[headers.opcode]++;
    size_t bytes = wire_roce_encode(&sides[from].templ, &headers, payload, payload_bytes, 0, frame);
    print_frame(&sides[from], frame, bytes);
}

static void send_cm(int from, const struct wire_cm_message *message) {
    uint8_t mad[WIRE_MAD_BYTES];
    struct wire_roce_headers headers = {.opcode = WIRE_UD_SEND_ONLY,
                                        .dst_qpn = WIRE_MAD_QPN,
                                        .psn = sides[from].datagram,
                                        .deth = {.qkey = WIRE_MAD_QKEY, .src_qpn = WIRE_MAD_QPN}};
    sides[from].datagram = wire_psn_next(sides[from].datagram);
    wire_cm_encode(message, mad);
    send_packet(from, headers, mad, sizeof mad);
}

static void send_req(uint32_t comm_id, uint16_t port) {
    struct wire_cm_message message = {
        .kind = WIRE_CM_REQ, .transaction_id = comm_id, .local_comm_id = comm_id};
    struct wire_cm_ip_header ip = {
        .src_port = (uint16_t)(49152 + comm_id), .src = sides[0].addr, .dst = sides[1].addr};
    message.req = (struct wire_cm_req){
        .service_id = wire_cm_service_id(port),
        .local_ca_guid = UINT64_C(0x0200000000000A01),
        .local_qpn = QPN(0),
        .responder_resources = 16,
        .initiator_depth = 16,
        .remote_cm_response_timeout = 20,
        .starting_psn = {FIRST_PSN(1)},
        .local_cm_response_timeout = 20,
        .retry_count = 7,
        .pkey = WIRE_PKEY_DEFAULT,
        .path_mtu = wire_mtu_code(MTU_BYTES),
        .rnr_retry_count = 7,
        .max_cm_retries = 15,
        .primary = {.local_lid = 0xFFFF,
                    .remote_lid = 0xFFFF,
                    .local_gid = sides[0].addr,
                    .remote_gid = sides[1].addr,
                    .packet_rate = WIRE_CM_RATE_40_GBPS,
                    .hop_limit = 64,
                    .local_ack_timeout = 14},
    };
    wire_cm_ip_header_encode(&ip, message.req.private_data);
    send_cm(0, &message);
}

static void send_rej(uint32_t remote_comm_id, uint16_t reason) {
    struct wire_cm_message message = {
        .kind = WIRE_CM_REJ, .transaction_id = remote_comm_id, .remote_comm_id = remote_comm_id};
    message.rej.reason = reason;
    send_cm(1, &message);
}

static void connect_after_mra(void) {
    struct wire_cm_message message = {
        .kind = WIRE_CM_MRA, .transaction_id = 1, .local_comm_id = 101, .remote_comm_id = 1};
    send_req(1, 445);
    message.mra.service_timeout = 24;
    send_cm(1, &message);
    message.kind = WIRE_CM_REP;
    message.rep = (struct wire_cm_rep){.local_qpn = QPN(1),
                                       .starting_psn = {FIRST_PSN(0)},
                                       .responder_resources = 16,
                                       .initiator_depth = 16,
                                       .target_ack_delay = 15,
                                       .rnr_retry_count = 7,
                                       .local_ca_guid = UINT64_C(0x0200000000000B01)};
    send_cm(1, &message);
    message = (struct wire_cm_message){
        .kind = WIRE_CM_RTU, .transaction_id = 1, .local_comm_id = 1, .remote_comm_id = 101};
    send_cm(0, &message);
}

static void disconnect(void) {
    struct wire_cm_message message = {
        .kind = WIRE_CM_DREQ, .transaction_id = 1, .local_comm_id = 1, .remote_comm_id = 101};
    message.dreq.remote_qpn = QPN(1);
    send_cm(0, &message);
    message = (struct wire_cm_message){
        .kind = WIRE_CM_DREP, .transaction_id = 1, .local_comm_id = 101, .remote_comm_id = 1};
    send_cm(1, &message);
}

/* A request that takes `psns` numbers; fills in what all requests share. */
static void send_request(int from, struct wire_roce_headers headers, uint32_t psns,
                         const uint8_t *payload, size_t payload_bytes) {
    headers.dst_qpn = QPN(1 - from);
    headers.psn = sides[from].psn;
    headers.ack_request = (wire_roce_opcode_flags[headers.opcode] & WIRE_OP_END) != 0;
    sides[from].psn = wire_psn_add(sides[from].psn, psns);
    send_packet(from, headers, payload, payload_bytes);
}

/* Answers what the other side sent last. */
static void send_ack(int from, uint8_t syndrome) {
    struct wire_roce_headers headers = {.opcode = WIRE_RC_ACK,
                                        .dst_qpn = QPN(1 - from),
                                        .psn = wire_psn_sub(sides[1 - from].psn, 1),
                                        .aeth = {.syndrome = syndrome, .msn = 1}};
    send_packet(from, headers, NULL, 0);
}

static void send_simple(int from, uint8_t opcode, const uint8_t *payload, size_t payload_bytes) {
    struct wire_roce_headers headers = {
        .opcode = opcode, .immediate = 0x01020304, .invalidate_rkey = 0x1234};
    send_request(from, headers, 1, payload, payload_bytes);
}

static void put_le(uint8_t *at, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

static void negotiate(void) {
    uint8_t request[20] = {0};
    uint8_t response[32] = {0};
    put_le(request, 0x0100, 2);
    put_le(request + 2, 0x0100, 2);
    put_le(request + 6, 255, 2);
    put_le(request + 8, 1364, 4);
    put_le(request + 12, 8192, 4);
    put_le(request + 16, 1048576, 4);
    send_simple(0, WIRE_RC_SEND_ONLY, request, sizeof request);
    send_ack(1, WIRE_SYNDROME_ACK);
    put_le(response, 0x0100, 2);
    put_le(response + 2, 0x0100, 2);
    put_le(response + 4, 0x0100, 2);
    put_le(response + 8, 255, 2);
    put_le(response + 10, 10, 2);
    put_le(response + 16, 8388608, 4);
    put_le(response + 20, 1364, 4);
    put_le(response + 24, 1364, 4);
    put_le(response + 28, 1048576, 4);
    send_simple(1, WIRE_RC_SEND_ONLY, response, sizeof response);
    send_ack(0, WIRE_SYNDROME_ACK);
}

/* One SMB Direct data message; bytes == 0 makes an empty one that asks for an answer. */
static void send_smbd(int from, uint8_t opcode, uint32_t bytes, uint32_t remaining) {
    uint8_t message[24 + 1000] = {0};
    put_le(message, 255, 2);
    put_le(message + 2, 1, 2);
    put_le(message + 4, bytes == 0, 2);
    put_le(message + 8, remaining, 4);
    put_le(message + 12, bytes ? 24 : 0, 4);
    put_le(message + 16, bytes, 4);
    memcpy(message + 24, data, bytes);
    send_simple(from, opcode, message, bytes ? 24 + bytes : 20);
    send_ack(1 - from, WIRE_SYNDROME_ACK);
}

static void write_and_read(void) {
    struct wire_roce_headers headers = {.opcode = WIRE_RC_WRITE_FIRST,
                                        .reth = {.address = 65536, .rkey = 0x1234, .bytes = 2549}};
    send_request(1, headers, 1, data, MTU_BYTES);
    send_simple(1, WIRE_RC_WRITE_MIDDLE, data, MTU_BYTES);
    send_simple(1, WIRE_RC_WRITE_LAST, data, 501);
    send_ack(0, WIRE_SYNDROME_ACK);
    headers.opcode = WIRE_RC_WRITE_ONLY;
    headers.reth.bytes = 7;
    send_request(1, headers, 1, data, 7);
    send_ack(0, WIRE_SYNDROME_ACK);
    headers.opcode = WIRE_RC_WRITE_ONLY_IMM;
    headers.immediate = 5;
    send_request(1, headers, 1, data, 7);
    send_ack(0, WIRE_SYNDROME_ACK);

    headers.opcode = WIRE_RC_READ_REQUEST;
    headers.reth.bytes = 2 * MTU_BYTES + 3;
    struct wire_roce_headers response = {
        .dst_qpn = QPN(1), .psn = sides[1].psn, .aeth = {.syndrome = WIRE_SYNDROME_ACK, .msn = 4}};
    send_request(1, headers, 3, NULL, 0);
    response.opcode = WIRE_RC_READ_RESPONSE_FIRST;
    send_packet(0, response, data, MTU_BYTES);
    response.opcode = WIRE_RC_READ_RESPONSE_MIDDLE;
    response.psn = wire_psn_next(response.psn);
    send_packet(0, response, data, MTU_BYTES);
    response.opcode = WIRE_RC_READ_RESPONSE_LAST;
    response.psn = wire_psn_next(response.psn);
    send_packet(0, response, data, 3);

    headers.reth.bytes = 0;
    response.psn = sides[1].psn;
    response.opcode = WIRE_RC_READ_RESPONSE_ONLY;
    send_request(1, headers, 1, NULL, 0);
    send_packet(0, response, NULL, 0);
}

static void odd_ones(void) {
    static const uint8_t zeros[WIRE_CNP_PAYLOAD_BYTES];
    uint8_t pfc_frame[WIRE_PFC_FRAME_BYTES];
    struct wire_pfc pfc = {.src = {{0x02, 0, 0, 0, 0, 0x0B}}, .enabled = 8, .quanta = {[3] = 100}};
    struct wire_roce_headers cnp = {.opcode = WIRE_CNP, .becn = true, .dst_qpn = QPN(0)};
    send_simple(0, WIRE_RC_SEND_FIRST, data + 100, MTU_BYTES);
    send_simple(0, WIRE_RC_SEND_MIDDLE, data + 100, MTU_BYTES);
    send_simple(0, WIRE_RC_SEND_LAST_IMM, data + 100, 2);
    send_ack(1, WIRE_SYNDROME_ACK);
    send_simple(0, WIRE_RC_SEND_ONLY_IMM, NULL, 0);
    send_ack(1, WIRE_SYNDROME_RNR | 12);
    send_ack(1, WIRE_SYNDROME_NAK_PSN_SEQUENCE);
    send_ack(1, WIRE_SYNDROME_NAK_REMOTE_ACCESS);
    send_packet(1, cnp, zeros, sizeof zeros);
    wire_pfc_encode(&pfc, pfc_frame);
    print_frame(&sides[1], pfc_frame, sizeof pfc_frame);
}

static void print_statistics(void) {
    printf("{\"ports\": {");
    for (int i = 0; i < 2; i++) {
        const char *comma = "";
        printf("%s\"%s\": {\"frames\": %u, \"bytes\": %u, \"opcodes\": {", i ? ", " : "",
               sides[i].interface, sides[i].frames, sides[i].bytes);
        for (int opcode = 0; opcode < 256; opcode++) {
            if (sides[i].opcodes[opcode] > 0) {
                printf("%s\"%d\": %u", comma, opcode, sides[i].opcodes[opcode]);
                comma = ", ";
            }
        }
        printf("}}");
    }
    printf("}}\n");
}

static void set_up(bool is_ipv6, bool tagged) {
    for (int i = 0; i < 2; i++) {
        sides[i].addr = wire_ip_addr_from_v4(0x0A000001u + (uint32_t)i);
        if (is_ipv6) {
            sides[i].addr = (struct wire_ip_addr){{[0] = 0xFD, [15] = (uint8_t)(1 + i)}};
        }
        sides[i].psn = wire_psn_make(FIRST_PSN(i));
    }
    for (int i = 0; i < 2; i++) {
        struct wire_roce_path path = {
            .dst_mac = {{0x02, 0, 0, 0, 0, i ? 0x0A : 0x0B}},
            .src_mac = {{0x02, 0, 0, 0, 0, i ? 0x0B : 0x0A}},
            .src = sides[i].addr,
            .dst = sides[1 - i].addr,
            .flow_label = is_ipv6 ? 0x12345 : 0,
            .udp_src_port = 0xC000,
            .tagged = tagged,
            .priority = 3,
            .vlan_id = 100,
            .dscp = 26,
            .ecn = WIRE_ECN_ECT0,
            .hop_limit = 64,
        };
        wire_roce_template_init(&sides[i].templ, &path);
    }
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)(i * 13 + i / 256);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: wire_frames v4|v6 plain|vlan\n");
        return 2;
    }
    set_up(strcmp(argv[1], "v6") == 0, strcmp(argv[2], "vlan") == 0);
    send_req(7, 9999);
    send_rej(7, WIRE_CM_REJ_INVALID_SERVICE_ID);
    send_req(8, 445);
    send_rej(8, WIRE_CM_REJ_CONSUMER);
    connect_after_mra();
    negotiate();
    send_smbd(0, WIRE_RC_SEND_ONLY, 0, 0);
    send_smbd(1, WIRE_RC_SEND_ONLY, 1, 0);
    send_smbd(0, WIRE_RC_SEND_ONLY, 1000, 1400);
    send_smbd(0, WIRE_RC_SEND_ONLY, 1000, 400);
    send_smbd(0, WIRE_RC_SEND_ONLY, 400, 0);
    send_smbd(1, WIRE_RC_SEND_ONLY_INV, 333, 0);
    write_and_read();
    odd_ones();
    disconnect();
    print_statistics();
    return 0;
}
