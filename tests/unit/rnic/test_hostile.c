/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nothing that comes in from the wire or from a driver may break the device: random well-formed
 * packets aimed at a connection, random commands, doorbells and work requests. Judged by assertions
 * of the device and by sanitizers; what is checked here is that guard bytes stay.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <sim/base.h>
#include <wire/icrc.h>

#include "inject.h"

#define FRONT_BYTES 96u /* of the buffer's first page, that no key covers */

struct dice {
    uint64_t state;
};

static uint32_t roll(struct dice *dice, uint32_t count) {
    dice->state += 1;
    return (uint32_t)(sim_hash_mix(UINT64_C(0x686F7374), dice->state) % count);
}

static const uint8_t opcodes[] = {WIRE_RC_SEND_FIRST,
                                  WIRE_RC_SEND_MIDDLE,
                                  WIRE_RC_SEND_LAST,
                                  WIRE_RC_SEND_ONLY,
                                  WIRE_RC_SEND_ONLY_IMM,
                                  WIRE_RC_WRITE_FIRST,
                                  WIRE_RC_WRITE_MIDDLE,
                                  WIRE_RC_WRITE_LAST,
                                  WIRE_RC_WRITE_ONLY,
                                  WIRE_RC_READ_REQUEST,
                                  WIRE_RC_READ_REQUEST,
                                  WIRE_RC_READ_RESPONSE_FIRST,
                                  WIRE_RC_READ_RESPONSE_MIDDLE,
                                  WIRE_RC_READ_RESPONSE_LAST,
                                  WIRE_RC_READ_RESPONSE_ONLY,
                                  WIRE_RC_ACK,
                                  WIRE_RC_ACK,
                                  WIRE_RC_SEND_LAST_INV,
                                  WIRE_RC_SEND_ONLY_INV,
                                  WIRE_UD_SEND_ONLY,
                                  WIRE_CNP};

static const uint8_t syndromes[] = {0x1F, 0x1F, 0x00, 0x20, 0x21, 0x3F, 0x60,
                                    0x61, 0x62, 0x63, 0x64, 0x40, 0x7F};

static uint32_t payload_bytes(struct dice *dice, uint8_t opcode, uint32_t mtu) {
    uint32_t flags = wire_roce_opcode_flags[opcode];
    if ((flags & WIRE_OP_PAYLOAD) == 0)
        return 0;
    if ((flags & (WIRE_OP_FIRST | WIRE_OP_MIDDLE)) != 0 && roll(dice, 8) != 0)
        return mtu;
    return roll(dice, mtu + 5);
}

/* A packet as the peer `from` might send it, if it were mad. */
static struct net_frame *mad_packet(struct dice *dice, struct qp *from, struct qp *to) {
    struct rnic_qp_info info = qp_info(to);
    uint8_t opcode = opcodes[roll(dice, sizeof opcodes)];
    bool response = (wire_roce_opcode_flags[opcode] & WIRE_OP_RESPONSE) != 0;
    uint32_t psn = response ? info.attributes.sq_psn - roll(dice, 12) : info.attributes.rq_psn;
    if (roll(dice, 3) == 0)
        psn += roll(dice, 40) - 20;
    bool bad = roll(dice, 12) == 0;
    struct wire_roce_headers headers = {
        .opcode = opcode,
        .psn = wire_psn_make(psn),
        .ack_request = roll(dice, 2) != 0,
        .solicited = roll(dice, 2) != 0,
        .reth = {.address = to->host->buffer.base + roll(dice, bad ? BUFFER_BYTES : 4096),
                 .rkey = to->host->buffer.key ^ (bad ? roll(dice, 4) : 0),
                 .bytes = roll(dice, bad ? 300000 : 3000)},
        .aeth = {.syndrome = syndromes[roll(dice, sizeof syndromes)], .msn = roll(dice, 100)},
        .invalidate_rkey = to->host->buffer.key};
    return packet_make(from, to, headers, payload_bytes(dice, opcode, 256));
}

/* Some bytes are others, or the end is missing; the ICRC is right all the same if it can be. */
static void frame_mutate(struct dice *dice, struct net_frame *frame) {
    struct wire_roce_packet packet;
    for (uint32_t i = roll(dice, 4); i != 0; i--)
        frame->bytes[roll(dice, frame->length < 80 ? frame->length : 80)] =
            (uint8_t)roll(dice, 256);
    if (roll(dice, 8) == 0)
        frame->length = 14 + roll(dice, frame->length - 13);
    if (wire_roce_decode(frame->bytes, frame->length, &packet) == WIRE_OK)
        wire_icrc_put(frame->bytes + packet.icrc_offset,
                      wire_icrc(frame->bytes + packet.ip_offset,
                                (size_t)packet.icrc_offset - packet.ip_offset));
}

static void work(struct dice *dice, struct qp *qp, struct host *peer) {
    uint32_t bytes = roll(dice, 2000);
    if (qp->sq_producer - *qp->finished < 200)
        post_transfer(qp, (uint8_t)(RNIC_WQE_SEND + roll(dice, 4)), RNIC_WQE_SIGNALLED,
                      sge(&qp->host->buffer, roll(dice, 4096), bytes),
                      peer->buffer.base + roll(dice, 4096), peer->buffer.key);
    if (qp_info(qp).rq_producer - qp_info(qp).rq_consumer < 200)
        (void)post_receive(qp, sge(&qp->host->buffer, 8192, roll(dice, 3000)));
}

static struct pair *pair_connected(uint8_t path_mtu) {
    struct pair *pair = pair_plain();
    qp_connect(&pair->hosts[0].qp, &pair->hosts[1].qp,
               &(struct link_up){.path_mtu = path_mtu, .timeout = 3, .rnr_retry = 2});
    pair_keep(pair);
    return pair;
}

static void packets_harm_nobody(bool mutated) {
    struct pair *pair = pair_connected(1);
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    uint8_t *in_front = b->buffer.bytes - FRONT_BYTES;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct dice dice = {seed << 32};
        pair_again(pair, seed);
        memset(in_front, 0xAA, FRONT_BYTES);
        memset(b->buffer.bytes + 16384, 0xAA, 4096);
        for (uint32_t i = 0; i < 60; i++) {
            struct rnic_cqe cqe;
            if (roll(&dice, 3) == 0)
                work(&dice, &b->qp, a);
            if (roll(&dice, 3) == 0)
                work(&dice, &a->qp, b);
            struct net_frame *frame = mad_packet(&dice, &a->qp, &b->qp);
            if (mutated)
                frame_mutate(&dice, frame);
            net_port_send(rnic_device_port(a->device), frame);
            sim_run(pair->world, NULL, NULL, sim_now_ns(pair->world) + roll(&dice, 2000));
            while (cq_poll(&b->send_cq, &cqe) || cq_poll(&b->receive_cq, &cqe) ||
                   cq_poll(&a->send_cq, &cqe) || cq_poll(&a->receive_cq, &cqe))
                assert_true(cqe.status < RNIC_CQE_STATUS_COUNT);
        }
        run_all(pair);
        for (uint32_t i = 0; i < FRONT_BYTES; i++)
            assert_int_equal(in_front[i], 0xAA);
        /* Another address in a packet may name these. */
        for (uint32_t i = 0; i < 4096 && !mutated; i++)
            assert_int_equal(b->buffer.bytes[16384 + i], 0xAA);
    }
    pair_destroy(pair);
}

static void mad_packets_harm_nobody(void **state) {
    (void)state;
    packets_harm_nobody(false);
}

static void broken_packets_harm_nobody(void **state) {
    (void)state;
    packets_harm_nobody(true);
}

static void random_bytes(struct dice *dice, uint8_t *bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(roll(dice, 3) == 0 ? roll(dice, 256) : roll(dice, 3));
}

/* Whatever state it is in. */
static void bring_up(struct host *host) {
    register_write(host, RNIC_REG_CONTROL, 4, RNIC_CONTROL_RESET);
    register_write(host, RNIC_REG_CONTROL, 4, RNIC_CONTROL_ENABLE);
    run_all(host->pair);
    assert_int_equal(command_plain(host, RNIC_CMD_INIT, 0), 0);
}

static void mad_commands_harm_nobody(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    pair_keep(pair);
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct dice dice = {seed << 32};
        pair_again(pair, seed);
        uint64_t somewhere = dma_of(a, pages_take(a, SIM_PAGE_BYTES));
        for (uint32_t i = 0; i < 500; i++) {
            uint8_t in[256];
            uint8_t out[64];
            random_bytes(&dice, in, sizeof in);
            /* Mostly a page that is there, so that checks further in are reached. */
            if (roll(&dice, 4) != 0)
                memcpy(in, &somewhere, sizeof somewhere);
            uint32_t number = roll(&dice, 4) != 0 ? roll(&dice, 24) : roll(&dice, UINT32_MAX);
            uint64_t argument = roll(&dice, 700);
            (void)command_run(a, (uint16_t)roll(&dice, 0x68), &number, in, sizeof in, out,
                              sizeof out, &argument);
            doorbell(a, 8 * roll(&dice, 6), roll(&dice, 24), roll(&dice, 5), roll(&dice, 300));
            register_write(a,
                           4 * roll(&dice, 0x40) + (roll(&dice, 4) == 0 ? RNIC_REG_VECTORS : 0x40),
                           4, roll(&dice, 3));
            if (roll(&dice, 8) == 0)
                run_all(pair);
            if ((register_read(a, RNIC_REG_STATUS, 4) & RNIC_STATUS_READY) == 0)
                bring_up(a);
        }
    }
    pair_destroy(pair);
}

static void mad_work_requests_harm_nobody(void **state) {
    (void)state;
    struct pair *pair = pair_connected(3);
    struct host *a = &pair->hosts[0];
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct dice dice = {seed << 32};
        pair_again(pair, seed);
        for (uint32_t i = 0; i < 30; i++) {
            uint8_t wqe[1u << SQ_STRIDE_LOG2];
            random_bytes(&dice, wqe, sizeof wqe);
            wqe[0] = (uint8_t)roll(&dice, RNIC_WQE_OPCODE_COUNT);
            wqe[1] = (uint8_t)(roll(&dice, 2) != 0 ? RNIC_WQE_SIGNALLED : roll(&dice, 32));
            uint32_t key = roll(&dice, 2) != 0 ? a->buffer.key : a->privileged_key;
            memcpy(wqe + 8, &key, sizeof key);
            if (roll(&dice, 2) != 0)
                memcpy(wqe + 44, &key, sizeof key);
            (void)post_wqe(&a->qp, wqe, sizeof wqe);
            sq_ring(&a->qp);
            if (roll(&dice, 4) == 0)
                sim_run(pair->world, NULL, NULL, sim_now_ns(pair->world) + roll(&dice, 3000));
        }
        run_all(pair);
    }
    pair_destroy(pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mad_packets_harm_nobody),
        cmocka_unit_test(broken_packets_harm_nobody),
        cmocka_unit_test(mad_commands_harm_nobody),
        cmocka_unit_test(mad_work_requests_harm_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
