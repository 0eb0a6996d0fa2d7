/* SPDX-License-Identifier: Apache-2.0 */
/* Moderation of CQ events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "armed.h"

static void moderate(struct cq *cq, uint32_t count, uint32_t period_ns, enum rnic_status expected) {
    uint32_t number = cq->number;
    uint64_t argument = RNIC_MODERATION(count, period_ns);
    assert_int_equal(
        command_run(cq->host, RNIC_CMD_MODERATE_CQ, &number, NULL, 0, NULL, 0, &argument),
        expected);
}

static void moderation_bounds_delay_and_count(void **state) {
    (void)state;
    struct pair *pair = pair_connected();
    struct host *a = &pair->hosts[0];
    moderate(&a->send_cq, 3, 50000, RNIC_STATUS_OK);
    doorbell(a, RNIC_DOORBELL_CQ, a->send_cq.number, RNIC_ARM_ANY, 0);
    uint64_t start_ns = sim_now_ns(pair->world);
    write_one(pair);
    assert_int_equal(events(a), 1);
    assert_true(sim_now_ns(pair->world) - start_ns >= 50000);
    assert_true(sim_now_ns(pair->world) - start_ns < 55000);
    arm(pair, &a->send_cq, RNIC_ARM_ANY, 1);
    start_ns = sim_now_ns(pair->world);
    for (uint32_t i = 0; i < 3; i++)
        post_transfer(&a->qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 10),
                      pair->hosts[1].buffer.base, pair->hosts[1].buffer.key);
    run_all(pair);
    assert_int_equal(events(a), 1);
    assert_true(sim_now_ns(pair->world) - start_ns < 10000);
    moderate(&a->send_cq, RNIC_MODERATION_UNBOUNDED, RNIC_MODERATION_UNBOUNDED,
             RNIC_STATUS_BAD_PARAMETER);
    moderate(&a->send_cq, 2, RNIC_MODERATION_UNBOUNDED, RNIC_STATUS_OK);
    arm(pair, &a->send_cq, RNIC_ARM_ANY, 4);
    write_one(pair);
    assert_int_equal(events(a), 0);
    /* Off again: what waits is told soon. */
    moderate(&a->send_cq, 0, 7, RNIC_STATUS_OK);
    write_one(pair);
    assert_int_equal(events(a), 1);
    pair_destroy(pair);
}

static void failures_are_not_moderated(void **state) {
    (void)state;
    for (uint32_t is_there = 0; is_there < 2; is_there++) {
        struct pair *pair = pair_connected();
        struct host *a = &pair->hosts[0];
        moderate(&a->receive_cq, 100, SIM_NS_PER_S, RNIC_STATUS_OK);
        (void)post_receive(&a->qp, sge(&a->buffer, 0, 100));
        uint64_t start_ns = sim_now_ns(pair->world);
        if (is_there)
            assert_int_equal(qp_to(&a->qp, RNIC_QPS_ERR), 0);
        doorbell(a, RNIC_DOORBELL_CQ, a->receive_cq.number, RNIC_ARM_ANY, 0);
        if (!is_there)
            assert_int_equal(qp_to(&a->qp, RNIC_QPS_ERR), 0);
        run_all(pair);
        assert_int_equal(events(a), 1);
        assert_true(sim_now_ns(pair->world) - start_ns < SIM_NS_PER_MS);
        pair_destroy(pair);
    }
}

static void a_full_queue_is_told_of_whatever_the_count(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct cq small;
    struct qp qp;
    cq_create(a, &small, 2);
    qp_create(a, &qp, &small, &small);
    qp_connect(&qp, &pair->hosts[1].qp, &(struct link_up){0});
    moderate(&small, 1000, RNIC_MODERATION_UNBOUNDED, RNIC_STATUS_OK);
    arm(pair, &small, RNIC_ARM_ANY, 0);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(events(a), 0);
        post_transfer(&qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 10),
                      pair->hosts[1].buffer.base, pair->hosts[1].buffer.key);
        run_all(pair);
    }
    assert_int_equal(events(a), 1);
    pair_destroy(pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moderation_bounds_delay_and_count),
        cmocka_unit_test(failures_are_not_moderated),
        cmocka_unit_test(a_full_queue_is_told_of_whatever_the_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
