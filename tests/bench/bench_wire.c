/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a packet costs in fabric/wire: CRC, ICRC, and the whole way of a 1024-byte WRITE through
 * encoder and decoder, over both IP versions. Nanoseconds, best of five rounds.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "wire/crc.h"
#include "wire/roce.h"

#define ROUNDS 5
#define CALLS 400000

static uint8_t payload[4096];
static uint8_t frame[WIRE_ROCE_FRAME_BYTES_MAX];
static struct wire_roce_template templ;
static size_t frame_bytes;
static volatile uint32_t sink;

static uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void encode_headers(size_t payload_bytes, uint32_t psn) {
    struct wire_roce_headers headers = {.opcode = WIRE_RC_WRITE_ONLY,
                                        .migrated = true,
                                        .pkey = WIRE_PKEY_DEFAULT,
                                        .dst_qpn = 17,
                                        .psn = wire_psn_make(psn),
                                        .reth = {.address = 4096, .rkey = 7, .bytes = 1024}};
    sink += (uint32_t)wire_roce_encode_headers(&templ, &headers, payload_bytes, 0, frame);
}

static void encode(size_t payload_bytes, uint32_t psn) {
    size_t at = wire_roce_header_bytes(&templ, WIRE_RC_WRITE_ONLY);
    encode_headers(payload_bytes, psn);
    memcpy(frame + at, payload, payload_bytes);
    frame_bytes = wire_roce_finish(&templ, frame, at, payload_bytes);
}

static void decode(size_t payload_bytes, uint32_t psn) {
    struct wire_roce_packet packet;
    (void)payload_bytes;
    (void)psn;
    sink += (uint32_t)wire_roce_decode(frame, frame_bytes, &packet);
    sink += packet.headers.psn.value;
}

static void decode_and_check(size_t payload_bytes, uint32_t psn) {
    struct wire_roce_packet packet;
    (void)payload_bytes;
    (void)psn;
    sink += (uint32_t)wire_roce_decode(frame, frame_bytes, &packet);
    sink += wire_roce_check_icrc(frame, &packet);
}

static void encode_and_decode(size_t payload_bytes, uint32_t psn) {
    encode(payload_bytes, psn);
    decode_and_check(payload_bytes, psn);
}

static void icrc(size_t payload_bytes, uint32_t psn) {
    (void)psn;
    size_t bytes = wire_roce_frame_bytes(&templ, WIRE_RC_WRITE_ONLY, payload_bytes);
    sink += wire_icrc(frame + templ.ip_offset, bytes - templ.ip_offset - WIRE_ICRC_BYTES);
}

static void crc(size_t payload_bytes, uint32_t psn) {
    sink += wire_crc32_update(psn, payload, payload_bytes);
}

static void crc_portable(size_t payload_bytes, uint32_t psn) {
    sink += wire_crc32_update_portable(psn, payload, payload_bytes);
}

static void print_cost(const char *name, void (*call)(size_t, uint32_t), size_t payload_bytes) {
    uint64_t best_ns = UINT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t start_ns = now_ns();
        for (uint32_t i = 0; i < CALLS; i++) {
            call(payload_bytes, i);
        }
        uint64_t round_ns = now_ns() - start_ns;
        best_ns = round_ns < best_ns ? round_ns : best_ns;
    }
    printf("wire  %-34s %5zu B  %7.1f ns\n", name, payload_bytes, (double)best_ns / CALLS);
}

static void print_version(bool is_ipv6) {
    struct wire_roce_path path = {.udp_src_port = 0xC000, .hop_limit = 64};
    path.src = wire_ip_addr_from_v4(0x0A000001);
    path.dst = wire_ip_addr_from_v4(0x0A000002);
    if (is_ipv6) {
        path.src = (struct wire_ip_addr){{[0] = 0xFD, [15] = 1}};
        path.dst = (struct wire_ip_addr){{[0] = 0xFD, [15] = 2}};
    }
    wire_roce_template_init(&templ, &path);
    printf("wire  %s\n", is_ipv6 ? "IPv6" : "IPv4");
    encode(4096, 0);
    print_cost("ICRC of a WRITE only", icrc, 1024);
    print_cost("ICRC of a WRITE only", icrc, 4096);
    print_cost("encode headers", encode_headers, 1024);
    print_cost("encode, copy, finish", encode, 1024);
    print_cost("decode", decode, 1024);
    print_cost("decode, check ICRC", decode_and_check, 1024);
    print_cost("encode, finish, decode, check", encode_and_decode, 1024);
    print_cost("encode, finish, decode, check", encode_and_decode, 4096);
}

int main(void) {
    for (size_t i = 0; i < sizeof payload; i++) {
        payload[i] = (uint8_t)(i * 7 + i / 255);
    }
    print_cost("CRC-32", crc, 1024);
    print_cost("CRC-32", crc, 4096);
    print_cost("CRC-32 by tables", crc_portable, 1024);
    print_cost("CRC-32 by tables", crc_portable, 4096);
    print_version(false);
    print_version(true);
    return 0;
}
