/* SPDX-License-Identifier: Apache-2.0 */
/* Arming, resizing, overrun. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "armed.h"

static void a_cq_that_was_never_armed_is_silent(void **state) {
    (void)state;
    struct pair *pair = pair_connected();
    for (uint32_t i = 0; i < 10; i++)
        write_one(pair);
    assert_int_equal(events(&pair->hosts[0]), 0);
    assert_int_equal(pair->hosts[0].interrupts, 0);
    pair_destroy(pair);
}

static void each_arm_gives_one_event(void **state) {
    (void)state;
    struct pair *pair = pair_connected();
    struct host *a = &pair->hosts[0];
    for (uint32_t i = 0; i < 3; i++) {
        arm(pair, &a->send_cq, RNIC_ARM_ANY, 2 * i);
        assert_int_equal(events(a), 0);
        write_one(pair);
        write_one(pair);
        assert_int_equal(events(a), 1);
        assert_int_equal(a->interrupts, i + 1);
    }
    pair_destroy(pair);
}

static void an_arm_is_met_at_once_by_what_lies_at_or_after_its_index(void **state) {
    (void)state;
    struct pair *pair = pair_connected();
    struct host *a = &pair->hosts[0];
    write_one(pair);
    write_one(pair);
    arm(pair, &a->send_cq, RNIC_ARM_ANY, 2);
    assert_int_equal(events(a), 0);
    arm(pair, &a->send_cq, RNIC_ARM_ANY, 1);
    assert_int_equal(events(a), 1);
    pair_destroy(pair);
}

static void solicited_arms_wait_for_solicited_receives_and_errors(void **state) {
    (void)state;
    struct pair *pair = pair_connected();
    struct host *b = &pair->hosts[1];
    arm(pair, &b->receive_cq, RNIC_ARM_SOLICITED, 0);
    send_one(pair, false);
    send_one(pair, false);
    assert_int_equal(events(b), 0);
    send_one(pair, true);
    assert_int_equal(events(b), 1);
    arm(pair, &b->receive_cq, RNIC_ARM_SOLICITED, 3);
    assert_int_equal(events(b), 0);
    (void)post_receive(&b->qp, sge(&b->buffer, 0, 100));
    assert_int_equal(qp_to(&b->qp, RNIC_QPS_ERR), 0);
    run_all(pair);
    assert_int_equal(events(b), 1);
    pair_destroy(pair);
}

static void arms_combine_and_the_stronger_wins(void **state) {
    (void)state;
    for (uint32_t first = 1; first <= 3; first++) {
        for (uint32_t second = 1; second <= 3; second++) {
            struct pair *pair = pair_connected();
            struct host *b = &pair->hosts[1];
            uint32_t strongest = first > second ? first : second;
            arm(pair, &b->receive_cq, first, 0);
            arm(pair, &b->receive_cq, second, 0);
            send_one(pair, false);
            assert_int_equal(events(b), strongest == RNIC_ARM_ANY);
            send_one(pair, true);
            assert_int_equal(events(b), strongest == RNIC_ARM_SOLICITED);
            pair_destroy(pair);
        }
    }
}

static void an_overrun_is_told_and_ends_the_qps_in_silence(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    struct cq small;
    struct qp qp;
    cq_create(a, &small, 2);
    qp_create(a, &qp, &small, &a->receive_cq);
    qp_connect(&qp, &b->qp, &(struct link_up){0});
    (void)post_receive(&qp, sge(&a->buffer, 0, 10));
    for (uint32_t i = 0; i < 5; i++)
        post_transfer(&qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 10),
                      b->buffer.base, b->buffer.key);
    run_all(pair);
    struct rnic_eqe eqe;
    assert_true(eq_poll(a, &eqe));
    assert_int_equal(eqe.type, RNIC_EVENT_CQ_ERROR);
    assert_int_equal(eqe.number, small.number);
    assert_int_equal(eqe.status, RNIC_CQ_FAULT_OVERRUN);
    assert_true(eq_poll(a, &eqe));
    assert_int_equal(eqe.type, RNIC_EVENT_QP_ERROR);
    struct rnic_cqe cqe;
    for (uint32_t i = 0; i < 4; i++)
        assert_true(cq_poll(&small, &cqe));
    assert_false(cq_poll(&small, &cqe));
    assert_false(cq_poll(&a->receive_cq, &cqe));
    pair_destroy(pair);
}

static void a_consumer_record_nowhere_is_a_dma_fault(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    struct cq small = {.host = a, .log2 = 1, .ring = pages_take(a, RNIC_CQE_BYTES << 1)};
    struct rnic_cq_create create = {.pages = pages_of(a, (uint8_t *)small.ring, 128),
                                    .entry_count_log2 = 1,
                                    .eqn = a->eqn,
                                    .consumer_record = UINT64_C(1) << 60};
    assert_int_equal(command_in(a, RNIC_CMD_CREATE_CQ, &small.number, &create, sizeof create), 0);
    struct qp qp;
    qp_create(a, &qp, &small, &small);
    qp_connect(&qp, &b->qp, &(struct link_up){0});
    for (uint32_t i = 0; i < 3; i++)
        post_transfer(&qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 10),
                      b->buffer.base, b->buffer.key);
    run_all(pair);
    struct rnic_eqe eqe;
    assert_true(eq_find(a, RNIC_EVENT_CQ_ERROR, &eqe));
    assert_int_equal(eqe.status, RNIC_CQ_FAULT_DMA);
    /* No QP is made on it any more. */
    struct rnic_qp_create again = qp_description(a, &qp);
    uint32_t number = 0;
    assert_int_equal(command_in(a, RNIC_CMD_CREATE_QP, &number, &again, sizeof again),
                     RNIC_STATUS_BAD_STATE);
    pair_destroy(pair);
}

static void polled_entries_make_room_by_the_record_or_by_a_doorbell(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct cq small;
    struct qp qp;
    cq_create(a, &small, 1);
    qp_create(a, &qp, &small, &small);
    qp_connect(&qp, &pair->hosts[1].qp, &(struct link_up){0});
    struct rnic_cqe cqe;
    for (uint32_t i = 0; i < 9; i++) {
        post_transfer(&qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 10),
                      pair->hosts[1].buffer.base, pair->hosts[1].buffer.key);
        run_all(pair);
        assert_true(cq_poll(&small, &cqe));
        if (i < 4)
            continue;
        *small.record = 0;
        doorbell(a, RNIC_DOORBELL_CQ, small.number, RNIC_ARM_NONE, small.consumer);
    }
    struct rnic_eqe eqe;
    assert_false(eq_poll(a, &eqe));
    pair_destroy(pair);
}

static void an_injected_fault_looks_like_a_failed_cq(void **state) {
    (void)state;
    static const char *const points[] = {"rnic.cq_overrun", "rnic.cq_fail"};
    static const uint8_t faults[] = {RNIC_CQ_FAULT_OVERRUN, RNIC_CQ_FAULT_INJECTED};
    for (uint32_t i = 0; i < 2; i++) {
        struct pair *pair = pair_connected();
        struct host *a = &pair->hosts[0];
        plan_add(pair, points[i], (struct sim_fault_plan){.nth = 2});
        write_one(pair);
        write_one(pair);
        struct rnic_eqe eqe;
        assert_true(eq_find(a, RNIC_EVENT_CQ_ERROR, &eqe));
        assert_int_equal(eqe.status, faults[i]);
        struct rnic_cqe cqe;
        assert_true(cq_poll(&a->send_cq, &cqe));
        assert_false(cq_poll(&a->send_cq, &cqe));
        pair_destroy(pair);
    }
}

static void a_limit_below_the_ring_is_kept(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    struct cq small = {.host = a, .log2 = 3, .ring = pages_take(a, RNIC_CQE_BYTES << 3)};
    struct rnic_cq_create create = {.pages =
                                        pages_of(a, (uint8_t *)small.ring, RNIC_CQE_BYTES << 3),
                                    .entry_count_log2 = 3,
                                    .eqn = a->eqn,
                                    .entry_limit = 9};
    assert_int_equal(command_in(a, RNIC_CMD_CREATE_CQ, &small.number, &create, sizeof create),
                     RNIC_STATUS_BAD_PARAMETER);
    create.entry_limit = 5;
    assert_int_equal(command_in(a, RNIC_CMD_CREATE_CQ, &small.number, &create, sizeof create), 0);
    small.record = pages_take(a, sizeof *small.record);
    struct qp qp;
    qp_create(a, &qp, &small, &a->receive_cq);
    qp_connect(&qp, &b->qp, &(struct link_up){0});
    for (uint32_t i = 0; i < 5; i++)
        post_transfer(&qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 10),
                      b->buffer.base, b->buffer.key);
    run_all(pair);
    struct rnic_eqe eqe;
    assert_false(eq_poll(a, &eqe));
    post_transfer(&qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 10), b->buffer.base,
                  b->buffer.key);
    run_all(pair);
    assert_true(eq_find(a, RNIC_EVENT_CQ_ERROR, &eqe));
    assert_int_equal(eqe.status, RNIC_CQ_FAULT_OVERRUN);
    struct rnic_cqe cqe;
    for (uint32_t i = 0; i < 5; i++)
        assert_true(cq_poll(&small, &cqe));
    assert_false(cq_poll(&small, &cqe));
    pair_destroy(pair);
}

static void late_completions_keep_their_order(void **state) {
    (void)state;
    struct pair *pair = pair_connected();
    struct host *a = &pair->hosts[0];
    plan_add(pair, "rnic.completion_delay",
             (struct sim_fault_plan){.nth = 2, .parameter = SIM_NS_PER_MS});
    arm(pair, &a->send_cq, RNIC_ARM_ANY, 1);
    for (uint32_t i = 0; i < 5; i++)
        post_transfer(&a->qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 10),
                      pair->hosts[1].buffer.base, pair->hosts[1].buffer.key);
    uint64_t start_ns = sim_now_ns(pair->world);
    sim_run(pair->world, NULL, NULL, start_ns + SIM_NS_PER_MS / 2);
    struct rnic_cqe cqe;
    assert_true(cq_poll(&a->send_cq, &cqe));
    assert_false(cq_poll(&a->send_cq, &cqe));
    assert_true(*a->qp.finished <= 1);
    run_all(pair);
    assert_int_equal(*a->qp.finished, 5);
    for (uint32_t i = 1; i < 5; i++) {
        assert_true(cq_poll(&a->send_cq, &cqe));
        assert_int_equal(cqe.wqe_index, i);
    }
    assert_int_equal(events(a), 1);
    pair_destroy(pair);
}

static enum rnic_status resize(struct cq *cq, uint32_t log2) {
    struct host *host = cq->host;
    struct rnic_cqe *ring = pages_take(host, (uint64_t)RNIC_CQE_BYTES << log2);
    struct rnic_cq_resize request = {
        .pages = pages_of(host, (uint8_t *)ring, (uint64_t)RNIC_CQE_BYTES << log2),
        .entry_count_log2 = log2,
        .consumer = cq->consumer};
    struct rnic_cq_resized resized;
    uint32_t number = cq->number;
    enum rnic_status status = command_run(host, RNIC_CMD_RESIZE_CQ, &number, &request,
                                          sizeof request, &resized, sizeof resized, NULL);
    if (status == RNIC_STATUS_OK) {
        cq->ring = ring;
        cq->log2 = log2;
    }
    return status;
}

static void resize_keeps_what_was_not_polled(void **state) {
    (void)state;
    struct pair *pair = pair_connected();
    struct host *a = &pair->hosts[0];
    struct rnic_cqe cqe;
    uint32_t polled = 0;
    for (uint32_t round = 0; round < 12; round++) {
        for (uint32_t i = 0; i < 3; i++)
            write_one(pair);
        assert_int_equal(resize(&a->send_cq, 3 + round % 3), RNIC_STATUS_OK);
        for (uint32_t i = 0; i < 3; i++, polled++) {
            assert_true(cq_poll(&a->send_cq, &cqe));
            assert_int_equal(cqe.wqe_index, polled);
        }
        assert_false(cq_poll(&a->send_cq, &cqe));
    }
    for (uint32_t i = 0; i < 5; i++)
        write_one(pair);
    assert_int_equal(resize(&a->send_cq, 2), RNIC_STATUS_LIMIT);
    assert_true(cq_poll(&a->send_cq, &cqe));
    assert_int_equal(cqe.wqe_index, polled);
    pair_destroy(pair);
}

/* A command waits in the ring, and the driver polls on. */
static void resize_believes_what_is_newer(void **state) {
    (void)state;
    for (uint32_t stale = 0; stale < 2; stale++) {
        struct pair *pair = pair_plain();
        struct host *a = &pair->hosts[0];
        struct cq small;
        struct qp qp;
        struct rnic_cqe cqe;
        cq_create(a, &small, 2);
        qp_create(a, &qp, &small, &small);
        qp_connect(&qp, &pair->hosts[1].qp, &(struct link_up){0});
        for (uint32_t i = 0; i < 9; i++) {
            post_transfer(&qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 10),
                          pair->hosts[1].buffer.base, pair->hosts[1].buffer.key);
            run_all(pair);
            if (i < 6)
                assert_true(cq_poll(&small, &cqe));
        }
        /* The record is behind, or the command is. */
        uint32_t consumer = small.consumer;
        *small.record = stale ? consumer : 0;
        small.consumer = stale ? 1 : consumer;
        assert_int_equal(resize(&small, 1), RNIC_STATUS_LIMIT);
        assert_int_equal(resize(&small, 3), RNIC_STATUS_OK);
        small.consumer = consumer;
        *small.record = consumer;
        for (uint32_t i = 6; i < 9; i++) {
            assert_true(cq_poll(&small, &cqe));
            assert_int_equal(cqe.wqe_index, i);
        }
        assert_false(cq_poll(&small, &cqe));
        pair_destroy(pair);
    }
}

static void a_failed_queue_is_not_resized(void **state) {
    (void)state;
    struct pair *pair = pair_connected();
    plan_add(pair, "rnic.cq_fail", (struct sim_fault_plan){.nth = 1});
    write_one(pair);
    assert_int_equal(resize(&pair->hosts[0].send_cq, RING_LOG2), RNIC_STATUS_BAD_STATE);
    pair_destroy(pair);
}

static void small_rings_share_a_page_but_do_not_leave_it(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    uint8_t *page = pages_take(a, SIM_PAGE_BYTES);
    struct rnic_cq_create create = {.pages = {.address = dma_of(a, page) + 2048, .page_count = 1},
                                    .entry_count_log2 = 5,
                                    .eqn = a->eqn};
    uint32_t number = 0;
    assert_int_equal(command_in(a, RNIC_CMD_CREATE_CQ, &number, &create, sizeof create), 0);
    create.pages.address += 64;
    assert_int_equal(command_in(a, RNIC_CMD_CREATE_CQ, &number, &create, sizeof create),
                     RNIC_STATUS_BAD_PARAMETER);
    create.entry_count_log2 = 4;
    create.pages.address += 32;
    assert_int_equal(command_in(a, RNIC_CMD_CREATE_CQ, &number, &create, sizeof create),
                     RNIC_STATUS_BAD_PARAMETER);
    pair_destroy(pair);
}

static void the_step_to_error_ends_with_everything_flushed(void **state) {
    (void)state;
    struct pair *pair = pair_connected();
    struct host *a = &pair->hosts[0];
    for (uint32_t i = 0; i < 3; i++)
        (void)post_receive(&a->qp, sge(&a->buffer, 0, 100));
    run_all(pair);
    assert_int_equal(qp_to(&a->qp, RNIC_QPS_ERR), 0);
    for (uint32_t i = 0; i < 3; i++) {
        struct rnic_cqe cqe;
        assert_true(cq_poll(&a->receive_cq, &cqe));
        assert_int_equal(cqe.status, RNIC_CQE_FLUSHED);
    }
    pair_destroy(pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cq_that_was_never_armed_is_silent),
        cmocka_unit_test(each_arm_gives_one_event),
        cmocka_unit_test(an_arm_is_met_at_once_by_what_lies_at_or_after_its_index),
        cmocka_unit_test(solicited_arms_wait_for_solicited_receives_and_errors),
        cmocka_unit_test(arms_combine_and_the_stronger_wins),
        cmocka_unit_test(an_overrun_is_told_and_ends_the_qps_in_silence),
        cmocka_unit_test(a_consumer_record_nowhere_is_a_dma_fault),
        cmocka_unit_test(polled_entries_make_room_by_the_record_or_by_a_doorbell),
        cmocka_unit_test(an_injected_fault_looks_like_a_failed_cq),
        cmocka_unit_test(a_limit_below_the_ring_is_kept),
        cmocka_unit_test(late_completions_keep_their_order),
        cmocka_unit_test(resize_keeps_what_was_not_polled),
        cmocka_unit_test(resize_believes_what_is_newer),
        cmocka_unit_test(a_failed_queue_is_not_resized),
        cmocka_unit_test(small_rings_share_a_page_but_do_not_leave_it),
        cmocka_unit_test(the_step_to_error_ends_with_everything_flushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
