/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever happens to any one packet, and to many at random, every message arrives exactly once, in
 * order, with its bytes, and every request completes once, in order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host.h"

#define MTU 256u
#define NO_RETRY 0xFFu /* for struct link_up */
#define MESSAGES 10u
#define SLOT 2048u
#define READ_AT (64u * 1024u)    /* of the reader's buffer: where READs land */
#define WRITE_AT (96u * 1024u)   /* of the peer's buffer: where WRITEs land */
#define SOURCE_AT (128u * 1024u) /* of the peer's buffer: what READs read */
#define RECEIVE_AT (32u * 1024u)

static const uint32_t sizes[MESSAGES] = {0,       1,           3 * MTU + 1, MTU,         MTU - 1,
                                         2 * MTU, 2 * MTU + 3, 5 * MTU,     4 * MTU + 1, 7};

static const uint8_t opcodes[3] = {RNIC_WQE_SEND, RNIC_WQE_READ, RNIC_WQE_WRITE};

static uint8_t opcode_of(uint32_t i) {
    return opcodes[(i * 7 + i / 3) % 3];
}

/* One host's requests to the other: SENDs, READs and WRITEs of all sizes mixed. */
static void post_all(struct host *from, struct host *to) {
    for (uint32_t i = 0; i < MESSAGES; i++)
        (void)post_receive(&to->qp, sge(&to->buffer, RECEIVE_AT + i * SLOT, SLOT));
    for (uint32_t i = 0; i < 3 * MESSAGES; i++) {
        uint32_t bytes = sizes[i % MESSAGES];
        uint8_t opcode = opcode_of(i);
        uint64_t at = (uint64_t)i * 1024;
        bool read = opcode == RNIC_WQE_READ;
        post_transfer(&from->qp, opcode, RNIC_WQE_SIGNALLED,
                      sge(&from->buffer, read ? READ_AT + at : at, bytes),
                      to->buffer.base + (read ? SOURCE_AT : WRITE_AT) + at, to->buffer.key);
    }
}

static void judge(struct host *from, struct host *to) {
    struct rnic_cqe cqe;
    uint32_t receives = 0;
    for (uint32_t i = 0; i < 3 * MESSAGES; i++) {
        static const uint8_t done[] = {[RNIC_WQE_SEND] = RNIC_CQE_SEND,
                                       [RNIC_WQE_WRITE] = RNIC_CQE_WRITE,
                                       [RNIC_WQE_READ] = RNIC_CQE_READ};
        uint32_t bytes = sizes[i % MESSAGES];
        uint8_t opcode = opcode_of(i);
        uint64_t at = (uint64_t)i * 1024;
        assert_true(cq_poll(&from->send_cq, &cqe));
        assert_int_equal(cqe.status, RNIC_CQE_OK);
        assert_int_equal(cqe.wqe_index, i);
        assert_int_equal(cqe.opcode, done[opcode]);
        if (opcode == RNIC_WQE_READ) {
            assert_memory_equal(from->buffer.bytes + READ_AT + at,
                                to->buffer.bytes + SOURCE_AT + at, bytes);
        } else if (opcode == RNIC_WQE_WRITE) {
            assert_memory_equal(from->buffer.bytes + at, to->buffer.bytes + WRITE_AT + at, bytes);
        } else if (receives < MESSAGES) {
            assert_true(cq_poll(&to->receive_cq, &cqe));
            assert_int_equal(cqe.status, RNIC_CQE_OK);
            assert_int_equal(cqe.wqe_index, receives);
            assert_int_equal(cqe.byte_count, bytes);
            assert_memory_equal(from->buffer.bytes + at,
                                to->buffer.bytes + RECEIVE_AT + receives * SLOT, bytes);
            receives++;
        }
    }
    assert_int_equal(receives, MESSAGES);
    assert_false(cq_poll(&from->send_cq, &cqe));
    assert_false(cq_poll(&to->receive_cq, &cqe));
}

static struct pair *pair_of(uint32_t window, uint8_t retry_count) {
    struct pair_options options = pair_defaults();
    options.config.window_packets = window;
    options.config.ack_interval_packets = 3;
    struct pair *pair = pair_create(&options);
    qp_connect(&pair->hosts[0].qp, &pair->hosts[1].qp,
               &(struct link_up){.path_mtu = 1,
                                 .psn = 0xFFFFE0,
                                 .retry_count = retry_count,
                                 .reads_out = 2,
                                 .reads_in = 2});
    for (uint32_t i = 0; i < 2; i++) {
        fill(&pair->hosts[i], 0, RECEIVE_AT, (uint8_t)(40 + i));
        fill(&pair->hosts[i], SOURCE_AT, RECEIVE_AT, (uint8_t)(90 + i));
    }
    pair_keep(pair);
    return pair;
}

static void run_and_judge(struct pair *pair, bool both_ways) {
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    post_all(a, b);
    if (both_ways)
        post_all(b, a);
    run_all(pair);
    judge(a, b);
    if (both_ways)
        judge(b, a);
}

/* Every packet of the exchange in turn meets the fault; stops when there is no n-th packet. */
static void each_packet_meets(const char *point, uint64_t parameter, uint8_t retry_count,
                              bool both_ways) {
    struct pair *pair = pair_of(16, retry_count);
    uint32_t fired = 1;
    uint32_t n = 1;
    for (; fired != 0; n++) {
        pair_again(pair, 1);
        struct sim_fault_plan *plan =
            plan_add(pair, point, (struct sim_fault_plan){.nth = n, .parameter = parameter});
        run_and_judge(pair, both_ways);
        fired = plan->fired_count;
    }
    assert_true(n > 60);
    pair_destroy(pair);
}

static void any_one_packet_may_be_lost(void **state) {
    (void)state;
    each_packet_meets("link.drop", 0, 1, false);
    each_packet_meets("link.drop", 0, 1, true);
}

static void any_one_packet_may_be_duplicated(void **state) {
    (void)state;
    each_packet_meets("link.duplicate", 0, NO_RETRY, false);
    each_packet_meets("link.duplicate", 3000, NO_RETRY, true);
}

static void any_one_packet_may_be_reordered(void **state) {
    (void)state;
    each_packet_meets("link.reorder", 1, 1, false);
    each_packet_meets("link.reorder", 4, 1, true);
}

static void any_one_packet_may_be_corrupted(void **state) {
    (void)state;
    each_packet_meets("link.corrupt", 8 * 50 + 3, 1, false);
}

static void any_one_packet_may_be_late(void **state) {
    (void)state;
    each_packet_meets("link.delay", 2000, 1, true);
    each_packet_meets("link.delay", 3000000, 1, false);
}

/* Two faults cost no more retries than packets were lost. Steps through the pairs. */
static void two_faults(uint32_t window, const char *second, uint64_t parameter,
                       uint8_t retry_count) {
    struct pair *pair = pair_of(window, retry_count);
    for (uint32_t n = 1 + window % 3; n < 150; n += 6) {
        for (uint32_t m = 1 + n % 7; m < 220; m += 7) {
            pair_again(pair, 1);
            plan_add(pair, "link.drop", (struct sim_fault_plan){.nth = n});
            plan_add(pair, second, (struct sim_fault_plan){.nth = m, .parameter = parameter});
            run_and_judge(pair, true);
        }
    }
    pair_destroy(pair);
}

static void a_retry_is_spent_on_a_loss_and_on_nothing_else(void **state) {
    (void)state;
    static const uint32_t windows[] = {4, 64};
    for (uint32_t i = 0; i < 2; i++) {
        two_faults(windows[i], "link.duplicate", 0, 1);
        two_faults(windows[i], "link.drop", 0, 2);
        two_faults(windows[i], "link.reorder", 2, 2);
    }
}

static void many_packets_meet(uint32_t window, uint64_t first_seed, uint32_t runs) {
    struct pair *pair = pair_of(window, 7);
    for (uint64_t seed = first_seed; seed < first_seed + runs; seed++) {
        pair_again(pair, seed);
        plan_add(pair, "link.drop", (struct sim_fault_plan){.ppm = 90000});
        plan_add(pair, "link.duplicate", (struct sim_fault_plan){.ppm = 60000, .parameter = 900});
        plan_add(pair, "link.reorder", (struct sim_fault_plan){.ppm = 60000, .parameter = 2});
        run_and_judge(pair, true);
    }
    pair_destroy(pair);
}

static void many_packets_may_be_lost_duplicated_and_reordered(void **state) {
    (void)state;
    many_packets_meet(4, 1, 150);
    many_packets_meet(64, 1001, 250);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_one_packet_may_be_lost),
        cmocka_unit_test(any_one_packet_may_be_duplicated),
        cmocka_unit_test(any_one_packet_may_be_reordered),
        cmocka_unit_test(any_one_packet_may_be_corrupted),
        cmocka_unit_test(any_one_packet_may_be_late),
        cmocka_unit_test(a_retry_is_spent_on_a_loss_and_on_nothing_else),
        cmocka_unit_test(many_packets_may_be_lost_duplicated_and_reordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
