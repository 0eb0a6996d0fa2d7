/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupt vectors: masks, causes, repeated messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "armed.h"

static void a_masked_vector_keeps_its_message(void **state) {
    (void)state;
    struct pair *pair = pair_connected();
    struct host *a = &pair->hosts[0];
    register_write(a, RNIC_REG_VECTORS + RNIC_VECTOR_MASK, 4, 1);
    arm(pair, &a->send_cq, RNIC_ARM_ANY, 0);
    write_one(pair);
    assert_int_equal(a->interrupts, 0);
    assert_int_equal(register_read(a, RNIC_REG_VECTORS + RNIC_VECTOR_PENDING, 4), 1);
    assert_int_equal(register_read(a, RNIC_REG_VECTORS + RNIC_VECTOR_CAUSE, 4), RNIC_CAUSE_EQ);
    assert_int_equal(register_read(a, RNIC_REG_CAUSE_ALL, 8), 1);
    register_write(a, RNIC_REG_VECTORS + RNIC_VECTOR_MASK, 4, 0);
    assert_int_equal(a->interrupts, 1);
    assert_int_equal(register_read(a, RNIC_REG_VECTORS + RNIC_VECTOR_PENDING, 4), 0);
    register_write(a, RNIC_REG_VECTORS + RNIC_VECTOR_CAUSE, 4, RNIC_CAUSE_EQ);
    assert_int_equal(register_read(a, RNIC_REG_CAUSE_ALL, 8), 0);
    pair_destroy(pair);
}

static void a_lost_message_is_repeated(void **state) {
    (void)state;
    struct pair *pair = pair_connected();
    struct host *a = &pair->hosts[0];
    register_write(a, RNIC_REG_REPEAT_US, 4, 100);
    assert_int_equal(register_read(a, RNIC_REG_REPEAT_US, 4), 100);
    plan_add(pair, "bus.interrupt_lost", (struct sim_fault_plan){.nth = 1});
    doorbell(a, RNIC_DOORBELL_CQ, a->send_cq.number, RNIC_ARM_ANY, 0);
    post_transfer(&a->qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 10),
                  pair->hosts[1].buffer.base, pair->hosts[1].buffer.key);
    uint64_t start_ns = sim_now_ns(pair->world);
    sim_run(pair->world, NULL, NULL, start_ns + 90 * SIM_NS_PER_US);
    assert_int_equal(a->interrupts, 0);
    sim_run(pair->world, NULL, NULL, start_ns + 150 * SIM_NS_PER_US);
    assert_int_equal(a->interrupts, 1);
    /* Until the queue is armed again. */
    assert_int_equal(events(a), 1);
    assert_int_equal(a->interrupts, 1);
    pair_destroy(pair);
}

static void repeats_come_to_an_end(void **state) {
    (void)state;
    struct pair *pair = pair_connected();
    struct host *a = &pair->hosts[0];
    register_write(a, RNIC_REG_REPEAT_US, 4, 1);
    arm(pair, &a->send_cq, RNIC_ARM_ANY, 0);
    write_one(pair);
    assert_int_equal(a->interrupts, 1 + RNIC_REPEAT_COUNT_MAX);
    register_write(a, RNIC_REG_CONTROL, 4, RNIC_CONTROL_RESET);
    assert_int_equal(register_read(a, RNIC_REG_REPEAT_US, 4), 0);
    pair_destroy(pair);
}

static void an_eq_overrun_is_fatal(void **state) {
    (void)state;
    struct pair *pair = pair_connected();
    struct host *a = &pair->hosts[0];
    for (uint32_t i = 0; i <= 1u << RING_LOG2; i++) {
        doorbell(a, RNIC_DOORBELL_CQ, a->send_cq.number, RNIC_ARM_ANY, i);
        write_one(pair);
        a->send_cq.consumer++;
        *a->send_cq.record = a->send_cq.consumer;
    }
    assert_int_equal(register_read(a, RNIC_REG_STATUS, 4), RNIC_STATUS_FATAL);
    assert_int_equal(register_read(a, RNIC_REG_HEALTH_SYNDROME, 4), RNIC_HEALTH_EQ_OVERRUN);
    assert_int_equal(a->interrupts, 2);
    assert_int_equal(command_plain(a, RNIC_CMD_NOP, 0), RNIC_STATUS_NOT_READY);
    pair_destroy(pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_masked_vector_keeps_its_message),
        cmocka_unit_test(a_lost_message_is_repeated),
        cmocka_unit_test(repeats_come_to_an_end),
        cmocka_unit_test(an_eq_overrun_is_fatal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
