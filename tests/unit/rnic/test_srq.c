/* SPDX-License-Identifier: Apache-2.0 */
/* Shared receive queues: taking, limit, hold, flush, resizing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host.h"

#define SRQ_LOG2 5u
#define STRIDE_LOG2 6u

struct srq {
    uint32_t number;
    uint32_t log2;
    uint32_t producer;
    uint8_t *ring;
};

struct shared {
    struct pair *pair;
    struct host *a;
    struct host *b;
    struct srq srq;
    struct qp from[2];
    struct qp to[2]; /* both take from the SRQ */
    struct cq cqs[2];
};

static void srq_create(struct host *host, struct srq *srq, uint32_t limit) {
    srq->log2 = SRQ_LOG2;
    srq->ring = pages_take(host, 1u << (SRQ_LOG2 + STRIDE_LOG2));
    struct rnic_srq_create create = {.pages =
                                         pages_of(host, srq->ring, 1u << (SRQ_LOG2 + STRIDE_LOG2)),
                                     .pdn = host->pdn,
                                     .limit = limit,
                                     .entry_count_log2 = SRQ_LOG2,
                                     .stride_log2 = STRIDE_LOG2,
                                     .sge_count_max = 3};
    assert_int_equal(command_in(host, RNIC_CMD_CREATE_SRQ, &srq->number, &create, sizeof create),
                     0);
}

static void srq_post(struct host *host, struct srq *srq, struct rnic_sge local) {
    uint32_t slot = srq->producer & ((1u << srq->log2) - 1);
    struct rnic_wqe_receive wqe = {.sge_count = 1,
                                   .index = srq->producer,
                                   .tag = UINT64_C(0xA5A5000000000000) | srq->producer,
                                   .sge = {local}};
    memcpy(srq->ring + ((size_t)slot << STRIDE_LOG2), &wqe, sizeof wqe);
    srq->producer++;
    doorbell(host, RNIC_DOORBELL_SRQ, srq->number, 0, srq->producer);
}

static struct shared shared_make(uint32_t limit, const struct link_up *up) {
    struct shared s = {.pair = pair_plain()};
    s.a = &s.pair->hosts[0];
    s.b = &s.pair->hosts[1];
    srq_create(s.b, &s.srq, limit);
    for (uint32_t i = 0; i < 2; i++) {
        cq_create(s.b, &s.cqs[i], 4);
        qp_create(s.a, &s.from[i], &s.a->send_cq, &s.a->receive_cq);
        s.to[i] = (struct qp){.host = s.b, .send_cq = &s.b->send_cq, .receive_cq = &s.cqs[i]};
        struct rnic_qp_create create = qp_description(s.b, &s.to[i]);
        create.flags = RNIC_QP_FLAG_SRQ;
        create.srqn = s.srq.number;
        assert_int_equal(
            command_in(s.b, RNIC_CMD_CREATE_QP, &s.to[i].number, &create, sizeof create), 0);
        qp_connect(&s.from[i], &s.to[i], up);
    }
    return s;
}

static void send(struct shared *s, uint32_t which, uint32_t bytes) {
    post_transfer(&s->from[which], RNIC_WQE_SEND, RNIC_WQE_SIGNALLED, sge(&s->a->buffer, 0, bytes),
                  0, 0);
    run_all(s->pair);
}

static void two_qps_take_from_one_queue(void **state) {
    (void)state;
    struct shared s = shared_make(0, &(struct link_up){0});
    fill(s.a, 0, 2000, 1);
    for (uint32_t i = 0; i < 6; i++)
        srq_post(s.b, &s.srq, sge(&s.b->buffer, i * 2000, 2000));
    for (uint32_t i = 0; i < 6; i++) {
        struct rnic_cqe cqe;
        send(&s, i & 1, 1500 + i);
        assert_true(cq_poll(&s.cqs[i & 1], &cqe));
        assert_int_equal(cqe.status, RNIC_CQE_OK);
        assert_int_equal(cqe.qpn, s.to[i & 1].number);
        assert_int_equal(cqe.wqe_index, i);
        assert_int_equal(cqe.srqn, s.srq.number);
        assert_true(cqe.tag == (UINT64_C(0xA5A5000000000000) | i));
        assert_int_equal(cqe.flags & RNIC_CQE_FLAG_SRQ, RNIC_CQE_FLAG_SRQ);
        assert_memory_equal(s.b->buffer.bytes + i * 2000, s.a->buffer.bytes, 1500 + i);
    }
    pair_destroy(s.pair);
}

static void an_empty_queue_holds_the_message_of_a_patient_peer(void **state) {
    (void)state;
    struct shared s = shared_make(0, &(struct link_up){.rnr_retry = 7});
    post_transfer(&s.from[0], RNIC_WQE_SEND, RNIC_WQE_SIGNALLED, sge(&s.a->buffer, 0, 10), 0, 0);
    sim_run(s.pair->world, NULL, NULL, sim_now_ns(s.pair->world) + 50 * SIM_NS_PER_MS);
    assert_int_equal(qp_info(&s.from[0]).state, RNIC_QPS_RTS);
    srq_post(s.b, &s.srq, sge(&s.b->buffer, 0, 100));
    run_all(s.pair);
    struct rnic_cqe cqe;
    assert_true(cq_poll(&s.cqs[0], &cqe));
    assert_int_equal(cqe.byte_count, 10);
    pair_destroy(s.pair);
}

static uint32_t limits(struct shared *s) {
    struct rnic_eqe eqe;
    uint32_t count = 0;
    while (eq_find(s->b, RNIC_EVENT_SRQ_LIMIT, &eqe))
        count++;
    run_all(s->pair);
    return count;
}

static enum rnic_status modify_limit(struct shared *s, uint32_t limit) {
    struct rnic_srq_modify modify = {.flags = RNIC_SRQ_MODIFY_LIMIT, .limit = limit};
    struct rnic_srq_info info;
    uint32_t number = s->srq.number;
    enum rnic_status status = command_run(s->b, RNIC_CMD_MODIFY_SRQ, &number, &modify,
                                          sizeof modify, &info, sizeof info, NULL);
    run_all(s->pair);
    return status;
}

static void the_limit_is_told_once_on_the_step_below_it(void **state) {
    (void)state;
    struct shared s = shared_make(3, &(struct link_up){0});
    assert_int_equal(limits(&s), 0);
    for (uint32_t i = 0; i < 5; i++)
        srq_post(s.b, &s.srq, sge(&s.b->buffer, 0, 100));
    send(&s, 0, 10);
    send(&s, 1, 10);
    assert_int_equal(limits(&s), 0);
    send(&s, 0, 10);
    assert_int_equal(limits(&s), 1);
    send(&s, 0, 10);
    assert_int_equal(limits(&s), 0);
    assert_int_equal(modify_limit(&s, 1), 0);
    assert_int_equal(limits(&s), 0);
    assert_int_equal(modify_limit(&s, 2), 0);
    assert_int_equal(limits(&s), 1);
    pair_destroy(s.pair);
}

static void a_queue_that_never_reached_its_limit_does_not_fall_below_it(void **state) {
    (void)state;
    struct shared s = shared_make(3, &(struct link_up){0});
    for (uint32_t i = 0; i < 2; i++)
        srq_post(s.b, &s.srq, sge(&s.b->buffer, 0, 100));
    send(&s, 0, 10);
    assert_int_equal(limits(&s), 0);
    for (uint32_t i = 0; i < 2; i++)
        srq_post(s.b, &s.srq, sge(&s.b->buffer, 0, 100));
    send(&s, 0, 10);
    assert_int_equal(limits(&s), 1);
    pair_destroy(s.pair);
}

static void a_limit_that_was_reached_when_it_was_armed_is_told_whatever_follows(void **state) {
    (void)state;
    struct shared s = shared_make(0, &(struct link_up){0});
    struct rnic_srq_modify modify = {.flags = RNIC_SRQ_MODIFY_LIMIT, .limit = 2};
    uint32_t number = s.srq.number;
    srq_post(s.b, &s.srq, sge(&s.b->buffer, 0, 100));
    assert_int_equal(command_in(s.b, RNIC_CMD_MODIFY_SRQ, &number, &modify, sizeof modify), 0);
    for (uint32_t i = 0; i < 3; i++)
        srq_post(s.b, &s.srq, sge(&s.b->buffer, 0, 100));
    run_all(s.pair);
    assert_int_equal(limits(&s), 1);
    for (uint32_t i = 0; i < 4; i++)
        send(&s, 0, 10);
    assert_int_equal(limits(&s), 0);
    pair_destroy(s.pair);
}

static void an_error_takes_only_what_the_qp_had_taken(void **state) {
    (void)state;
    struct shared s = shared_make(0, &(struct link_up){0});
    for (uint32_t i = 0; i < 3; i++)
        srq_post(s.b, &s.srq, sge(&s.b->buffer, 0, 200000));
    post_transfer(&s.from[0], RNIC_WQE_SEND, 0, sge(&s.a->buffer, 0, 200000), 0, 0);
    sim_run(s.pair->world, NULL, NULL, sim_now_ns(s.pair->world) + 8000);
    assert_int_equal(qp_to(&s.to[0], RNIC_QPS_ERR), 0);
    run_all(s.pair);
    struct rnic_cqe cqe;
    assert_true(cq_poll(&s.cqs[0], &cqe));
    assert_int_equal(cqe.status, RNIC_CQE_FLUSHED);
    assert_int_equal(cqe.wqe_index, 0);
    assert_true(cqe.tag == UINT64_C(0xA5A5000000000000));
    assert_false(cq_poll(&s.cqs[0], &cqe));
    struct rnic_eqe eqe;
    assert_true(eq_find(s.b, RNIC_EVENT_QP_LAST_WQE, &eqe));
    assert_int_equal(eqe.number, s.to[0].number);
    send(&s, 1, 10);
    assert_true(cq_poll(&s.cqs[1], &cqe));
    assert_int_equal(cqe.wqe_index, 1);
    pair_destroy(s.pair);
}

static void a_queue_moves_to_another_ring(void **state) {
    (void)state;
    struct shared s = shared_make(0, &(struct link_up){0});
    for (uint32_t i = 0; i < 5; i++)
        srq_post(s.b, &s.srq, sge(&s.b->buffer, i * 100, 100));
    send(&s, 0, 10);
    uint32_t log2 = SRQ_LOG2 + 1;
    uint8_t *ring = pages_take(s.b, 1u << (log2 + STRIDE_LOG2));
    memcpy(ring, s.srq.ring, 1u << (SRQ_LOG2 + STRIDE_LOG2));
    struct rnic_srq_modify modify = {.pages = pages_of(s.b, ring, 1u << (log2 + STRIDE_LOG2)),
                                     .flags = RNIC_SRQ_MODIFY_RING,
                                     .entry_count_log2 = (uint8_t)log2};
    uint32_t number = s.srq.number;
    assert_int_equal(command_in(s.b, RNIC_CMD_MODIFY_SRQ, &number, &modify, sizeof modify), 0);
    memset(s.srq.ring, 0xEE, 1u << (SRQ_LOG2 + STRIDE_LOG2));
    s.srq.ring = ring;
    s.srq.log2 = log2;
    for (uint32_t i = 0; i < 40; i++)
        srq_post(s.b, &s.srq, sge(&s.b->buffer, 0, 100));
    struct rnic_cqe cqe;
    for (uint32_t i = 0; i < 44; i++) {
        send(&s, 1, 10);
        assert_true(cq_poll(&s.cqs[1], &cqe));
        assert_int_equal(cqe.wqe_index, i + 1);
        assert_int_equal(cqe.status, RNIC_CQE_OK);
    }
    modify.entry_count_log2 = 30;
    assert_int_equal(command_in(s.b, RNIC_CMD_MODIFY_SRQ, &number, &modify, sizeof modify),
                     RNIC_STATUS_LIMIT);
    pair_destroy(s.pair);
}

static void a_doorbell_beyond_the_ring_ends_the_queue_and_its_qps(void **state) {
    (void)state;
    struct shared s = shared_make(0, &(struct link_up){.rnr_retry = 1});
    doorbell(s.b, RNIC_DOORBELL_SRQ, s.srq.number, 0, (1u << SRQ_LOG2) + 1);
    run_all(s.pair);
    struct rnic_eqe eqe;
    assert_true(eq_poll(s.b, &eqe));
    assert_int_equal(eqe.type, RNIC_EVENT_SRQ_ERROR);
    assert_int_equal(eqe.number, s.srq.number);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(eq_find(s.b, RNIC_EVENT_QP_ERROR, &eqe));
        assert_int_equal(eqe.status, RNIC_SYNDROME_SRQ);
        assert_int_equal(qp_info(&s.to[i]).state, RNIC_QPS_ERR);
    }
    /* Nothing comes of it any more. */
    struct rnic_srq_modify modify = {.flags = RNIC_SRQ_MODIFY_LIMIT, .limit = 1};
    uint32_t number = s.srq.number;
    assert_int_equal(command_in(s.b, RNIC_CMD_MODIFY_SRQ, &number, &modify, sizeof modify),
                     RNIC_STATUS_BAD_STATE);
    pair_destroy(s.pair);
}

static void an_entry_that_cannot_be_read_ends_the_queue_in_silence(void **state) {
    (void)state;
    struct shared s = shared_make(1, &(struct link_up){.rnr_retry = 1});
    struct rnic_cqe cqe;
    struct rnic_eqe eqe;
    for (uint32_t i = 0; i < 2; i++)
        srq_post(s.b, &s.srq, sge(&s.b->buffer, 0, 100));
    plan_add(s.pair, "rnic.srq_fail", (struct sim_fault_plan){.nth = 2});
    send(&s, 0, 10);
    assert_true(cq_poll(&s.cqs[0], &cqe));
    post_transfer(&s.to[0], RNIC_WQE_READ, RNIC_WQE_SIGNALLED, sge(&s.b->buffer, 0, 10),
                  s.a->buffer.base, s.a->buffer.key);
    run_all(s.pair);
    assert_true(cq_poll(&s.b->send_cq, &cqe));
    assert_int_equal(cqe.status, RNIC_CQE_OK);
    send(&s, 1, 10);
    assert_true(eq_find(s.b, RNIC_EVENT_SRQ_ERROR, &eqe));
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(qp_info(&s.to[i]).state, RNIC_QPS_ERR);
        assert_int_equal(qp_info(&s.to[i]).syndrome, RNIC_SYNDROME_SRQ);
        assert_false(cq_poll(&s.cqs[i], &cqe));
    }
    post_transfer(&s.to[0], RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&s.b->buffer, 0, 10),
                  s.a->buffer.base, s.a->buffer.key);
    assert_int_equal(qp_to(&s.to[0], RNIC_QPS_ERR), 0);
    run_all(s.pair);
    assert_false(cq_poll(&s.b->send_cq, &cqe));
    pair_destroy(s.pair);
}

static void it_stays_while_a_qp_uses_it(void **state) {
    (void)state;
    struct shared s = shared_make(0, &(struct link_up){0});
    assert_int_equal(command_plain(s.b, RNIC_CMD_DESTROY_SRQ, s.srq.number), RNIC_STATUS_BUSY);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(command_plain(s.b, RNIC_CMD_DESTROY_QP, s.to[i].number), 0);
    assert_int_equal(command_plain(s.b, RNIC_CMD_DESTROY_SRQ, s.srq.number), 0);
    pair_destroy(s.pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_qps_take_from_one_queue),
        cmocka_unit_test(an_empty_queue_holds_the_message_of_a_patient_peer),
        cmocka_unit_test(the_limit_is_told_once_on_the_step_below_it),
        cmocka_unit_test(a_queue_that_never_reached_its_limit_does_not_fall_below_it),
        cmocka_unit_test(a_limit_that_was_reached_when_it_was_armed_is_told_whatever_follows),
        cmocka_unit_test(an_error_takes_only_what_the_qp_had_taken),
        cmocka_unit_test(a_queue_moves_to_another_ring),
        cmocka_unit_test(a_doorbell_beyond_the_ring_ends_the_queue_and_its_qps),
        cmocka_unit_test(an_entry_that_cannot_be_read_ends_the_queue_in_silence),
        cmocka_unit_test(it_stays_while_a_qp_uses_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
