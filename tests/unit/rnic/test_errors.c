/* SPDX-License-Identifier: Apache-2.0 */
/* What is refused, how both sides hear of it, and the order in which queues are flushed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "inject.h"

struct ends {
    struct pair *pair;
    struct host *a;
    struct host *b;
};

static struct ends connected(const struct link_up *up) {
    struct pair *pair = pair_plain();
    struct ends ends = {pair, &pair->hosts[0], &pair->hosts[1]};
    qp_connect(&ends.a->qp, &ends.b->qp, up);
    return ends;
}

static struct rnic_cqe next(struct cq *cq) {
    struct rnic_cqe cqe;
    assert_true(cq_poll(cq, &cqe));
    return cqe;
}

static void assert_status(struct cq *cq, uint32_t index, uint8_t status) {
    struct rnic_cqe cqe = next(cq);
    assert_int_equal(cqe.wqe_index, index);
    assert_int_equal(cqe.status, status);
}

static void assert_empty(struct cq *cq) {
    struct rnic_cqe cqe;
    assert_false(cq_poll(cq, &cqe));
}

static void assert_qp_error(struct host *host, uint8_t syndrome) {
    struct rnic_eqe eqe;
    assert_true(eq_find(host, RNIC_EVENT_QP_ERROR, &eqe));
    assert_int_equal(eqe.number, host->qp.number);
    assert_int_equal(eqe.status, syndrome);
    assert_int_equal(qp_info(&host->qp).state, RNIC_QPS_ERR);
    assert_int_equal(qp_info(&host->qp).syndrome, syndrome);
}

static void refused(struct ends *ends, uint8_t opcode, uint64_t remote, uint32_t rkey,
                    uint8_t status, uint8_t syndrome, uint8_t requester_syndrome) {
    memset(ends->b->buffer.bytes, 0, 8192);
    fill(ends->a, 0, 8192, 1);
    post_transfer(&ends->a->qp, opcode, 0, sge(&ends->a->buffer, 0, 3000), remote, rkey);
    post_transfer(&ends->a->qp, RNIC_WQE_WRITE, 0, sge(&ends->a->buffer, 0, 10),
                  ends->b->buffer.base, ends->b->buffer.key);
    run_all(ends->pair);
    assert_status(&ends->a->send_cq, 0, status);
    assert_status(&ends->a->send_cq, 1, RNIC_CQE_FLUSHED);
    assert_empty(&ends->a->send_cq);
    assert_qp_error(ends->a, requester_syndrome);
    assert_qp_error(ends->b, syndrome);
    for (uint32_t i = 0; i < 8192; i++)
        assert_int_equal(ends->b->buffer.bytes[i], 0);
    assert_int_equal(counter(ends->a, RNIC_COUNTER_TIMEOUTS), 0);
    pair_destroy(ends->pair);
}

static void access_refused(uint8_t opcode, uint64_t remote_offset, uint32_t rkey_xor,
                           uint8_t syndrome) {
    struct ends ends = connected(&(struct link_up){0});
    refused(&ends, opcode, ends.b->buffer.base + remote_offset, ends.b->buffer.key ^ rkey_xor,
            RNIC_CQE_REMOTE_ACCESS, syndrome, RNIC_SYNDROME_NAK_ACCESS);
}

static void a_bad_key_or_bound_is_a_remote_access_error(void **state) {
    (void)state;
    const uint8_t opcodes[] = {RNIC_WQE_WRITE, RNIC_WQE_READ};
    for (size_t i = 0; i < 2; i++) {
        access_refused(opcodes[i], 0, 0x01, RNIC_SYNDROME_KEY_INVALID);
        access_refused(opcodes[i], 0, 0x7700, RNIC_SYNDROME_KEY_INVALID);
        access_refused(opcodes[i], (uint64_t)0 - 1, 0, RNIC_SYNDROME_KEY_BOUNDS);
        access_refused(opcodes[i], BUFFER_BYTES - 96 - 2999, 0, RNIC_SYNDROME_KEY_BOUNDS);
        access_refused(opcodes[i], UINT64_MAX / 2, 0, RNIC_SYNDROME_KEY_BOUNDS);
    }
}

static void a_missing_right_is_a_remote_access_error(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct ends ends = connected(&(struct link_up){0});
        uint32_t rights = i == 0 ? RNIC_RIGHT_LOCAL_WRITE | RNIC_RIGHT_REMOTE_WRITE
                                 : RNIC_RIGHT_LOCAL_WRITE | RNIC_RIGHT_REMOTE_READ;
        struct buffer other =
            buffer_register(ends.b, ends.b->buffer.bytes, 0x10000 + 96, 4096, rights);
        refused(&ends, i == 0 ? RNIC_WQE_READ : RNIC_WQE_WRITE, other.base, other.key,
                RNIC_CQE_REMOTE_ACCESS, RNIC_SYNDROME_KEY_RIGHTS, RNIC_SYNDROME_NAK_ACCESS);
    }
}

static void the_privileged_key_and_a_foreign_domain_are_refused_remotely(void **state) {
    (void)state;
    struct ends ends = connected(&(struct link_up){0});
    refused(&ends, RNIC_WQE_WRITE, dma_of(ends.b, ends.b->buffer.bytes), ends.b->privileged_key,
            RNIC_CQE_REMOTE_ACCESS, RNIC_SYNDROME_KEY_RIGHTS, RNIC_SYNDROME_NAK_ACCESS);
    ends = connected(&(struct link_up){0});
    uint32_t own = ends.b->pdn;
    assert_int_equal(command_in(ends.b, RNIC_CMD_CREATE_PD, &ends.b->pdn, NULL, 0), 0);
    struct buffer other =
        buffer_register(ends.b, ends.b->buffer.bytes, 0x20000 + 96, 4096, RIGHTS_ALL);
    ends.b->pdn = own;
    refused(&ends, RNIC_WQE_WRITE, other.base, other.key, RNIC_CQE_REMOTE_ACCESS,
            RNIC_SYNDROME_KEY_PD, RNIC_SYNDROME_NAK_ACCESS);
}

static void an_access_that_the_qp_does_not_allow_is_an_invalid_request(void **state) {
    (void)state;
    const uint8_t opcodes[] = {RNIC_WQE_WRITE, RNIC_WQE_READ};
    for (size_t i = 0; i < 2; i++) {
        struct ends ends = connected(&(struct link_up){0});
        struct rnic_qp_attributes none = {.mask = RNIC_ATTR_RIGHTS};
        assert_int_equal(qp_modify(&ends.b->qp, none), 0);
        refused(&ends, opcodes[i], ends.b->buffer.base, ends.b->buffer.key, RNIC_CQE_REMOTE_INVALID,
                RNIC_SYNDROME_QP_RIGHTS, RNIC_SYNDROME_NAK_INVALID);
    }
}

static void more_reads_than_the_responder_takes_are_an_invalid_request(void **state) {
    (void)state;
    struct ends ends = connected(&(struct link_up){.reads_out = 4, .reads_in = 1});
    for (uint32_t i = 0; i < 3; i++)
        post_transfer(&ends.a->qp, RNIC_WQE_READ, 0, sge(&ends.a->buffer, 0, 100000),
                      ends.b->buffer.base, ends.b->buffer.key);
    run_all(ends.pair);
    struct rnic_cqe cqe = next(&ends.a->send_cq);
    /* The first was answered in full before the refusal left. */
    assert_int_equal(cqe.wqe_index, 1);
    assert_int_equal(cqe.status, RNIC_CQE_REMOTE_INVALID);
    assert_qp_error(ends.b, RNIC_SYNDROME_READ_LIMIT);
    pair_destroy(ends.pair);
}

static void the_requester_keeps_to_its_read_limit(void **state) {
    (void)state;
    struct ends ends = connected(&(struct link_up){.reads_out = 1, .reads_in = 1});
    for (uint32_t i = 0; i < 20; i++)
        post_transfer(&ends.a->qp, RNIC_WQE_READ, 0, sge(&ends.a->buffer, 0, 5000),
                      ends.b->buffer.base, ends.b->buffer.key);
    run_all(ends.pair);
    assert_int_equal(*ends.a->qp.finished, 20);
    assert_empty(&ends.a->send_cq);
    pair_destroy(ends.pair);
}

static void a_bad_local_key_fails_after_what_went_before(void **state) {
    (void)state;
    struct ends ends = connected(&(struct link_up){0});
    struct buffer bad = ends.a->buffer;
    bad.key ^= 1;
    post_transfer(&ends.a->qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&ends.a->buffer, 0, 60000),
                  ends.b->buffer.base, ends.b->buffer.key);
    post_transfer(&ends.a->qp, RNIC_WQE_WRITE, 0, sge(&bad, 0, 10), ends.b->buffer.base,
                  ends.b->buffer.key);
    post_transfer(&ends.a->qp, RNIC_WQE_SEND, 0, sge(&ends.a->buffer, 0, 10), 0, 0);
    run_all(ends.pair);
    assert_status(&ends.a->send_cq, 0, RNIC_CQE_OK);
    assert_status(&ends.a->send_cq, 1, RNIC_CQE_LOCAL_PROTECTION);
    assert_status(&ends.a->send_cq, 2, RNIC_CQE_FLUSHED);
    assert_qp_error(ends.a, RNIC_SYNDROME_KEY_INVALID);
    pair_destroy(ends.pair);
}

static void a_read_into_memory_without_local_write_fails(void **state) {
    (void)state;
    struct ends ends = connected(&(struct link_up){0});
    struct buffer sink = buffer_register(ends.a, ends.a->buffer.bytes, 0x30000 + 96, 4096, 0);
    post_transfer(&ends.a->qp, RNIC_WQE_READ, 0, sge(&sink, 0, 10), ends.b->buffer.base,
                  ends.b->buffer.key);
    run_all(ends.pair);
    assert_status(&ends.a->send_cq, 0, RNIC_CQE_LOCAL_PROTECTION);
    assert_qp_error(ends.a, RNIC_SYNDROME_KEY_RIGHTS);
    pair_destroy(ends.pair);
}

static void a_receive_too_small_ends_both_sides(void **state) {
    (void)state;
    struct ends ends = connected(&(struct link_up){0});
    memset(ends.b->buffer.bytes, 0, 4096);
    fill(ends.a, 0, 3000, 1);
    (void)post_receive(&ends.b->qp, sge(&ends.b->buffer, 0, 2999));
    (void)post_receive(&ends.b->qp, sge(&ends.b->buffer, 0, 2999));
    post_transfer(&ends.a->qp, RNIC_WQE_SEND, 0, sge(&ends.a->buffer, 0, 3000), 0, 0);
    run_all(ends.pair);
    assert_status(&ends.b->receive_cq, 0, RNIC_CQE_LOCAL_LENGTH);
    assert_status(&ends.b->receive_cq, 1, RNIC_CQE_FLUSHED);
    assert_status(&ends.a->send_cq, 0, RNIC_CQE_REMOTE_INVALID);
    assert_qp_error(ends.b, RNIC_SYNDROME_RECEIVE_TOO_SMALL);
    assert_int_equal(ends.b->buffer.bytes[2999], 0);
    pair_destroy(ends.pair);
}

static void a_receive_with_a_bad_key_is_an_operation_error_for_the_peer(void **state) {
    (void)state;
    struct ends ends = connected(&(struct link_up){0});
    struct buffer bad = ends.b->buffer;
    bad.key ^= 1;
    (void)post_receive(&ends.b->qp, sge(&bad, 0, 100));
    post_transfer(&ends.a->qp, RNIC_WQE_SEND, 0, sge(&ends.a->buffer, 0, 30), 0, 0);
    run_all(ends.pair);
    assert_status(&ends.b->receive_cq, 0, RNIC_CQE_LOCAL_PROTECTION);
    assert_status(&ends.a->send_cq, 0, RNIC_CQE_REMOTE_OPERATION);
    pair_destroy(ends.pair);
}

static void a_dma_error_is_fatal_for_the_request(void **state) {
    (void)state;
    struct ends ends = connected(&(struct link_up){0});
    struct rnic_sge nowhere = {
        .address = UINT64_C(1) << 45, .bytes = 10, .lkey = ends.a->privileged_key};
    post_transfer(&ends.a->qp, RNIC_WQE_WRITE, 0, nowhere, ends.b->buffer.base, ends.b->buffer.key);
    run_all(ends.pair);
    assert_status(&ends.a->send_cq, 0, RNIC_CQE_LOCAL_FATAL);
    assert_qp_error(ends.a, RNIC_SYNDROME_DMA);
    pair_destroy(ends.pair);
}

static void a_malformed_request_fails_in_its_turn(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct ends ends = connected(&(struct link_up){0});
        struct rnic_wqe_transfer wqe = {.control = {.opcode = RNIC_WQE_SEND}};
        wqe.control.opcode = i == 0 ? 99 : RNIC_WQE_SEND;
        wqe.control.sge_count = i == 1 ? 7 : 0;
        wqe.control.flags = i == 2 ? RNIC_WQE_LOCAL_INVALIDATE : 0;
        (void)post_wqe(&ends.a->qp, &wqe, sizeof wqe);
        if (i == 3)
            ends.a->qp.sq[offsetof(struct rnic_wqe_control, index)] = 5;
        sq_ring(&ends.a->qp);
        run_all(ends.pair);
        assert_status(&ends.a->send_cq, 0, RNIC_CQE_LOCAL_OPERATION);
        assert_qp_error(ends.a, RNIC_SYNDROME_WQE);
        pair_destroy(ends.pair);
    }
}

static void what_stands_behind_a_refused_start_is_flushed_under_its_own_name(void **state) {
    (void)state;
    struct ends ends = connected(&(struct link_up){0});
    const struct rnic_wqe_transfer wqe = {
        .control = {.opcode = RNIC_WQE_LOCAL_INV, .key = ends.a->buffer.key ^ 1}};
    for (uint32_t i = 0; i < 3; i++)
        (void)post_wqe(&ends.a->qp, &wqe, sizeof wqe);
    sq_ring(&ends.a->qp);
    run_all(ends.pair);
    for (uint32_t i = 0; i < 3; i++) {
        struct rnic_cqe cqe = next(&ends.a->send_cq);
        assert_int_equal(cqe.opcode, RNIC_CQE_LOCAL_INV);
        assert_int_equal(cqe.status, i == 0 ? RNIC_CQE_MEMORY_OPERATION : RNIC_CQE_FLUSHED);
    }
    pair_destroy(ends.pair);
}

static void a_doorbell_beyond_the_ring_ends_the_qp(void **state) {
    (void)state;
    struct ends ends = connected(&(struct link_up){0});
    doorbell(ends.a, RNIC_DOORBELL_SQ, ends.a->qp.number, 0, (1u << RING_LOG2) + 1);
    run_all(ends.pair);
    assert_qp_error(ends.a, RNIC_SYNDROME_WQE);
    pair_destroy(ends.pair);
}

static void a_doorbell_that_was_overtaken_means_nothing(void **state) {
    (void)state;
    struct ends ends = connected(&(struct link_up){0});
    for (uint32_t i = 0; i < 3; i++) {
        (void)post_receive(&ends.b->qp, sge(&ends.b->buffer, 0, 10));
        post_transfer(&ends.a->qp, RNIC_WQE_SEND, 0, sge(&ends.a->buffer, 0, 10), 0, 0);
    }
    run_all(ends.pair);
    assert_int_equal(*ends.a->qp.finished, 3);
    doorbell(ends.a, RNIC_DOORBELL_SQ, ends.a->qp.number, 0, 1);
    doorbell(ends.b, RNIC_DOORBELL_RQ, ends.b->qp.number, 0, 2);
    run_all(ends.pair);
    assert_int_equal(qp_info(&ends.a->qp).state, RNIC_QPS_RTS);
    assert_int_equal(qp_info(&ends.b->qp).state, RNIC_QPS_RTS);
    pair_destroy(ends.pair);
}

static void a_doorbell_just_before_a_reset_does_not_reach_behind_it(void **state) {
    (void)state;
    struct ends ends = connected(&(struct link_up){0});
    doorbell(ends.a, RNIC_DOORBELL_SQ, ends.a->qp.number, 0, 100000);
    assert_int_equal(qp_to(&ends.a->qp, RNIC_QPS_RESET), 0);
    run_all(ends.pair);
    assert_int_equal(qp_info(&ends.a->qp).state, RNIC_QPS_RESET);
    pair_destroy(ends.pair);
}

/* An address that no memory stands behind must not be passed over in silence. */
static void a_finished_record_nowhere_ends_the_qp(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    struct rnic_qp_create create = qp_description(a, &a->qp);
    create.sq_finished_record = UINT64_C(1) << 60;
    assert_int_equal(command_in(a, RNIC_CMD_CREATE_QP, &a->qp.number, &create, sizeof create), 0);
    qp_connect(&a->qp, &b->qp, &(struct link_up){0});
    for (uint32_t i = 0; i < 2; i++) {
        post_transfer(&a->qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 10),
                      b->buffer.base, b->buffer.key);
        run_all(pair);
        assert_status(&a->send_cq, i, i == 0 ? RNIC_CQE_OK : RNIC_CQE_FLUSHED);
    }
    assert_qp_error(a, RNIC_SYNDROME_DMA);
    assert_int_equal(qp_info(&a->qp).syndrome, RNIC_SYNDROME_DMA);
    pair_destroy(pair);
}

static void answered_with(uint8_t syndrome) {
    struct ends ends = connected(&(struct link_up){.psn = 7});
    plan_add(ends.pair, "link.drop",
             (struct sim_fault_plan){.class_pattern = "write", .count_max = 1});
    post_transfer(&ends.a->qp, RNIC_WQE_WRITE, 0, sge(&ends.a->buffer, 0, 10), ends.b->buffer.base,
                  ends.b->buffer.key);
    sim_run(ends.pair->world, NULL, NULL, sim_now_ns(ends.pair->world) + 2000);
    packet_inject(&ends.b->qp, &ends.a->qp,
                  (struct wire_roce_headers){
                      .opcode = WIRE_RC_ACK, .psn = wire_psn_make(7), .aeth = {syndrome, 0}},
                  0);
    run_all(ends.pair);
    assert_status(&ends.a->send_cq, 0, RNIC_CQE_BAD_RESPONSE);
    assert_qp_error(ends.a, RNIC_SYNDROME_RESPONSE);
    pair_destroy(ends.pair);
}

static void an_answer_that_nobody_defined_is_no_success(void **state) {
    (void)state;
    answered_with(0x40);
    answered_with(0x5F);
    answered_with(0x64);
    answered_with(0x7F);
    answered_with(0x80 | WIRE_SYNDROME_ACK);
    answered_with(0x80 | WIRE_SYNDROME_NAK_PSN_SEQUENCE);
}

static void modify_to_error_flushes_the_send_queue_then_the_receive_queue(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    struct qp qp;
    qp_create(a, &qp, &a->send_cq, &a->send_cq);
    qp_connect(&qp, &b->qp, &(struct link_up){0});
    for (uint32_t i = 0; i < 5; i++)
        (void)post_receive(&qp, sge(&a->buffer, 0, 100));
    for (uint32_t i = 0; i < 7; i++)
        post_transfer(&qp, i % 2 ? RNIC_WQE_READ : RNIC_WQE_WRITE, 0, sge(&a->buffer, 0, 50),
                      b->buffer.base, b->buffer.key);
    assert_int_equal(qp_to(&qp, RNIC_QPS_ERR), RNIC_STATUS_OK);
    run_all(pair);
    for (uint32_t i = 0; i < 12; i++) {
        struct rnic_cqe cqe = next(&a->send_cq);
        assert_int_equal(cqe.status, RNIC_CQE_FLUSHED);
        assert_int_equal(cqe.wqe_index, i < 7 ? i : i - 7);
        assert_int_equal(cqe.opcode, i >= 7       ? RNIC_CQE_RECV
                                     : i % 2 != 0 ? RNIC_CQE_READ
                                                  : RNIC_CQE_WRITE);
    }
    /* What is posted later is flushed too. */
    (void)post_receive(&qp, sge(&a->buffer, 0, 100));
    post_transfer(&qp, RNIC_WQE_SEND, 0, sge(&a->buffer, 0, 50), 0, 0);
    run_all(pair);
    assert_int_equal(next(&a->send_cq).opcode, RNIC_CQE_SEND);
    assert_int_equal(next(&a->send_cq).opcode, RNIC_CQE_RECV);
    assert_int_equal(*qp.finished, 8);
    struct rnic_eqe eqe;
    assert_false(eq_find(a, RNIC_EVENT_QP_ERROR, &eqe));
    pair_destroy(pair);
}

static void a_message_cut_off_by_an_error_flushes_its_receive_first(void **state) {
    (void)state;
    struct ends ends = connected(&(struct link_up){0});
    for (uint32_t i = 0; i < 3; i++)
        (void)post_receive(&ends.b->qp, sge(&ends.b->buffer, 0, 200000));
    post_transfer(&ends.a->qp, RNIC_WQE_SEND, 0, sge(&ends.a->buffer, 0, 200000), 0, 0);
    sim_run(ends.pair->world, NULL, NULL, sim_now_ns(ends.pair->world) + 10000);
    assert_int_equal(qp_info(&ends.b->qp).rq_consumer, 1);
    assert_int_equal(qp_to(&ends.b->qp, RNIC_QPS_ERR), RNIC_STATUS_OK);
    run_all(ends.pair);
    for (uint32_t i = 0; i < 3; i++)
        assert_status(&ends.b->receive_cq, i, RNIC_CQE_FLUSHED);
    assert_status(&ends.a->send_cq, 0, RNIC_CQE_RETRY_EXCEEDED);
    pair_destroy(ends.pair);
}

static void destroy_leaves_no_completion_behind(void **state) {
    (void)state;
    struct ends ends = connected(&(struct link_up){0});
    for (uint32_t i = 0; i < 5; i++)
        post_transfer(&ends.a->qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED,
                      sge(&ends.a->buffer, 0, 50000), ends.b->buffer.base, ends.b->buffer.key);
    assert_int_equal(command_plain(ends.a, RNIC_CMD_DESTROY_QP, ends.a->qp.number), 0);
    run_all(ends.pair);
    assert_empty(&ends.a->send_cq);
    assert_int_equal(rnic_device_census(ends.a->device).qps, 0);
    pair_destroy(ends.pair);
}

static void a_fault_may_end_the_qp(void **state) {
    (void)state;
    struct ends ends = connected(&(struct link_up){0});
    plan_add(ends.pair, "rnic.qp_error", (struct sim_fault_plan){.nth = 2});
    for (uint32_t i = 0; i < 3; i++)
        post_transfer(&ends.a->qp, RNIC_WQE_WRITE, 0, sge(&ends.a->buffer, 0, 5),
                      ends.b->buffer.base, ends.b->buffer.key);
    run_all(ends.pair);
    assert_qp_error(ends.a, RNIC_SYNDROME_INJECTED);
    pair_destroy(ends.pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_key_or_bound_is_a_remote_access_error),
        cmocka_unit_test(a_missing_right_is_a_remote_access_error),
        cmocka_unit_test(the_privileged_key_and_a_foreign_domain_are_refused_remotely),
        cmocka_unit_test(an_access_that_the_qp_does_not_allow_is_an_invalid_request),
        cmocka_unit_test(more_reads_than_the_responder_takes_are_an_invalid_request),
        cmocka_unit_test(the_requester_keeps_to_its_read_limit),
        cmocka_unit_test(a_bad_local_key_fails_after_what_went_before),
        cmocka_unit_test(a_read_into_memory_without_local_write_fails),
        cmocka_unit_test(a_receive_too_small_ends_both_sides),
        cmocka_unit_test(a_receive_with_a_bad_key_is_an_operation_error_for_the_peer),
        cmocka_unit_test(a_dma_error_is_fatal_for_the_request),
        cmocka_unit_test(a_malformed_request_fails_in_its_turn),
        cmocka_unit_test(what_stands_behind_a_refused_start_is_flushed_under_its_own_name),
        cmocka_unit_test(a_doorbell_beyond_the_ring_ends_the_qp),
        cmocka_unit_test(a_doorbell_that_was_overtaken_means_nothing),
        cmocka_unit_test(a_doorbell_just_before_a_reset_does_not_reach_behind_it),
        cmocka_unit_test(a_finished_record_nowhere_ends_the_qp),
        cmocka_unit_test(an_answer_that_nobody_defined_is_no_success),
        cmocka_unit_test(modify_to_error_flushes_the_send_queue_then_the_receive_queue),
        cmocka_unit_test(a_message_cut_off_by_an_error_flushes_its_receive_first),
        cmocka_unit_test(destroy_leaves_no_completion_behind),
        cmocka_unit_test(a_fault_may_end_the_qp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
