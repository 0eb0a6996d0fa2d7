/* SPDX-License-Identifier: Apache-2.0 */
/* Timeouts, RNR and their budgets, to the nanosecond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "inject.h"

struct note {
    struct sim_watch watch;
    uint64_t times_ns[64];
    uint32_t count;
};

static void seen(struct sim_world *world, struct sim_watch *watch,
                 const struct sim_record *record) {
    struct note *note = SIM_CONTAINER_OF(watch, struct note, watch);
    (void)world;
    if (note->count < SIM_ARRAY_COUNT(note->times_ns))
        note->times_ns[note->count++] = record->time_ns;
}

/* Notes the times of an event type, of all objects or those that match. */
static struct note *note_add(struct pair *pair, const char *type, const char *pattern) {
    struct note *note = sim_alloc(pair->world, sizeof *note);
    note->watch.type = sim_trace_type_of(pair->world, type);
    note->watch.pattern = pattern;
    note->watch.seen = seen;
    sim_watch_add(pair->world, &note->watch);
    return note;
}

static struct rnic_cqe next(struct cq *cq) {
    struct rnic_cqe cqe;
    assert_true(cq_poll(cq, &cqe));
    return cqe;
}

static void silence_ends_after_all_retries(uint8_t timeout, uint8_t retries) {
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp,
               &(struct link_up){.timeout = timeout, .retry_count = retries == 0 ? 0xFF : retries});
    plan_add(pair, "link.drop", (struct sim_fault_plan){0});
    struct note *sends = note_add(pair, "packet.send", "left*");
    struct note *timeouts = note_add(pair, "ack.timeout", NULL);
    struct note *entries = note_add(pair, "cqe", NULL);
    post_transfer(&a->qp, RNIC_WQE_WRITE, 0, sge(&a->buffer, 0, 10), b->buffer.base, b->buffer.key);
    run_all(pair);
    uint64_t period_ns = wire_ack_timeout_ns(timeout);
    uint64_t turn_ns = rnic_config_default.latency.transmit_ns;
    assert_int_equal(sends->count, retries + 1);
    assert_int_equal(timeouts->count, retries + 1);
    for (uint32_t i = 0; i <= retries; i++) {
        assert_int_equal(sends->times_ns[i] - sends->times_ns[0], i * (period_ns + turn_ns));
        assert_int_equal(timeouts->times_ns[i] - sends->times_ns[i], period_ns);
    }
    assert_int_equal(entries->times_ns[0], timeouts->times_ns[retries]);
    assert_int_equal(next(&a->send_cq).status, RNIC_CQE_RETRY_EXCEEDED);
    pair_destroy(pair);
}

static void silence_ends_the_qp_exactly_after_its_retries(void **state) {
    (void)state;
    silence_ends_after_all_retries(1, 7);
    silence_ends_after_all_retries(8, 3);
    silence_ends_after_all_retries(14, 1);
    silence_ends_after_all_retries(20, 0);
}

static void timeout_code_0_waits_for_ever(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){.timeout = 0xFF});
    plan_add(pair, "link.drop", (struct sim_fault_plan){.nth = 1});
    post_transfer(&a->qp, RNIC_WQE_WRITE, 0, sge(&a->buffer, 0, 10), b->buffer.base, b->buffer.key);
    run_all(pair);
    assert_int_equal(*a->qp.finished, 0);
    assert_int_equal(qp_info(&a->qp).state, RNIC_QPS_RTS);
    pair_destroy(pair);
}

static void progress_fills_the_budget_again(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){.retry_count = 1});
    /* Each request is lost once and needs its one retry. */
    for (uint32_t i = 0; i < 10; i++) {
        plan_add(pair, "link.drop", (struct sim_fault_plan){.nth = 1});
        post_transfer(&a->qp, RNIC_WQE_WRITE, 0, sge(&a->buffer, 0, 10), b->buffer.base,
                      b->buffer.key);
        run_all(pair);
    }
    assert_int_equal(*a->qp.finished, 10);
    assert_int_equal(counter(a, RNIC_COUNTER_TIMEOUTS), 10);
    pair_destroy(pair);
}

static void a_gap_is_answered_with_one_nak(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){0});
    plan_add(pair, "link.drop", (struct sim_fault_plan){.nth = 5, .class_pattern = "write"});
    post_transfer(&a->qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 100000),
                  b->buffer.base, b->buffer.key);
    run_all(pair);
    assert_int_equal(next(&a->send_cq).status, RNIC_CQE_OK);
    assert_int_equal(counter(b, RNIC_COUNTER_NAKS_SENT), 1);
    assert_int_equal(counter(a, RNIC_COUNTER_NAKS_RECEIVED), 1);
    assert_int_equal(counter(a, RNIC_COUNTER_TIMEOUTS), 0);
    assert_true(counter(b, RNIC_COUNTER_OUT_OF_SEQUENCE) > 1);
    pair_destroy(pair);
}

static void a_copy_of_a_nak_costs_no_retry(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){.retry_count = 1});
    plan_add(pair, "link.drop", (struct sim_fault_plan){.nth = 5, .class_pattern = "write"});
    plan_add(pair, "link.duplicate", (struct sim_fault_plan){.nth = 1, .class_pattern = "nak"});
    post_transfer(&a->qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 100000),
                  b->buffer.base, b->buffer.key);
    run_all(pair);
    assert_int_equal(next(&a->send_cq).status, RNIC_CQE_OK);
    assert_int_equal(counter(a, RNIC_COUNTER_NAKS_RECEIVED), 2);
    assert_int_equal(counter(a, RNIC_COUNTER_TIMEOUTS), 0);
    pair_destroy(pair);
}

/* A peer may ask again for less than the rest of a READ. */
static void a_part_of_a_read_is_answered_with_that_part(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){.psn = 100});
    post_transfer(&a->qp, RNIC_WQE_READ, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 10 * 1024),
                  b->buffer.base, b->buffer.key);
    run_all(pair);
    assert_int_equal(next(&a->send_cq).status, RNIC_CQE_OK);
    uint64_t bytes_before = counter(b, RNIC_COUNTER_BYTES_SENT);
    uint64_t frames_before = counter(b, RNIC_COUNTER_FRAMES_SENT);
    packet_inject(&a->qp, &b->qp,
                  (struct wire_roce_headers){.opcode = WIRE_RC_READ_REQUEST,
                                             .psn = wire_psn_make(103),
                                             .reth = {.address = b->buffer.base + 3 * 1024,
                                                      .rkey = b->buffer.key,
                                                      .bytes = 2 * 1024 + 8}},
                  0);
    run_all(pair);
    /* First with AETH, middle without, last with. */
    uint32_t around = 14 + 20 + 8 + 12 + 4;
    assert_int_equal(counter(b, RNIC_COUNTER_FRAMES_SENT) - frames_before, 3);
    assert_int_equal(counter(b, RNIC_COUNTER_BYTES_SENT) - bytes_before,
                     3 * around + 2 * 4 + 2 * 1024 + 8);
    assert_int_equal(counter(b, RNIC_COUNTER_SENT_BY_OPCODE + WIRE_RC_READ_RESPONSE_LAST), 2);
    pair_destroy(pair);
}

static void a_read_goes_on_where_a_response_was_lost(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){0});
    fill(b, 0, 60000, 5);
    plan_add(pair, "link.drop",
             (struct sim_fault_plan){.nth = 30, .class_pattern = "read.response"});
    post_transfer(&a->qp, RNIC_WQE_READ, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 60000),
                  b->buffer.base, b->buffer.key);
    run_all(pair);
    struct rnic_cqe cqe = next(&a->send_cq);
    assert_int_equal(cqe.status, RNIC_CQE_OK);
    assert_int_equal(cqe.byte_count, 60000);
    assert_memory_equal(a->buffer.bytes, b->buffer.bytes, 60000);
    assert_int_equal(counter(a, RNIC_COUNTER_SENT_BY_OPCODE + WIRE_RC_READ_REQUEST), 2);
    /* 59 packets; the first 29 were not asked for again. */
    assert_true(counter(a, RNIC_COUNTER_RECEIVED_BY_OPCODE + WIRE_RC_READ_RESPONSE_FIRST) == 2);
    assert_int_equal(counter(a, RNIC_COUNTER_TIMEOUTS), 0);
    pair_destroy(pair);
}

static void rnr_is_retried_so_often(uint8_t retries) {
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    uint8_t code = 9;
    qp_connect(
        &a->qp, &b->qp,
        &(struct link_up){.rnr_retry = retries == 0 ? 0xFF : retries, .min_rnr_timer = code});
    struct note *sends = note_add(pair, "packet.send", "left*");
    struct note *waits = note_add(pair, "rnr.wait", NULL);
    post_transfer(&a->qp, RNIC_WQE_SEND, 0, sge(&a->buffer, 0, 10), 0, 0);
    post_transfer(&a->qp, RNIC_WQE_SEND, 0, sge(&a->buffer, 0, 10), 0, 0);
    run_all(pair);
    assert_int_equal(next(&a->send_cq).status, RNIC_CQE_RNR_EXCEEDED);
    assert_int_equal(next(&a->send_cq).status, RNIC_CQE_FLUSHED);
    assert_int_equal(waits->count, retries);
    assert_int_equal(sends->count, 2 * (retries + 1u));
    assert_int_equal(counter(b, RNIC_COUNTER_RNR_NAKS_SENT), retries + 1u);
    for (uint32_t i = 0; i < retries; i++)
        assert_int_equal(sends->times_ns[2 * i + 2] - waits->times_ns[i],
                         wire_rnr_timer_ns(code) + rnic_config_default.latency.transmit_ns);
    assert_int_equal(qp_info(&b->qp).state, RNIC_QPS_RTS);
    pair_destroy(pair);
}

static void rnr_retries_are_counted(void **state) {
    (void)state;
    rnr_is_retried_so_often(0);
    rnr_is_retried_so_often(1);
    rnr_is_retried_so_often(6);
}

static void rnr_retry_7_waits_until_a_receive_is_posted(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){.rnr_retry = 7});
    fill(a, 0, 5000, 77);
    post_transfer(&a->qp, RNIC_WQE_SEND, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 5000), 0, 0);
    sim_run(pair->world, NULL, NULL, sim_now_ns(pair->world) + 20 * SIM_NS_PER_MS);
    assert_true(counter(b, RNIC_COUNTER_RNR_NAKS_SENT) > 1000);
    (void)post_receive(&b->qp, sge(&b->buffer, 0, 5000));
    run_all(pair);
    assert_int_equal(next(&a->send_cq).status, RNIC_CQE_OK);
    assert_int_equal(next(&b->receive_cq).byte_count, 5000);
    assert_memory_equal(a->buffer.bytes, b->buffer.bytes, 5000);
    assert_int_equal(counter(a, RNIC_COUNTER_TIMEOUTS), 0);
    pair_destroy(pair);
}

static void a_peer_that_is_gone_costs_the_retries(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){.retry_count = 2});
    register_write(b, RNIC_REG_CONTROL, 4, RNIC_CONTROL_RESET);
    post_transfer(&a->qp, RNIC_WQE_SEND, 0, sge(&a->buffer, 0, 10), 0, 0);
    run_all(pair);
    assert_int_equal(next(&a->send_cq).status, RNIC_CQE_RETRY_EXCEEDED);
    assert_int_equal(counter(a, RNIC_COUNTER_TIMEOUTS), 3);
    pair_destroy(pair);
}

static void a_link_that_comes_back_in_time_costs_a_retry(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){.timeout = 12});
    post_transfer(&a->qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 250000),
                  b->buffer.base, b->buffer.key);
    sim_run(pair->world, NULL, NULL, sim_now_ns(pair->world) + 5000);
    net_link_set_up(pair->link, false);
    sim_run(pair->world, NULL, NULL, sim_now_ns(pair->world) + 5 * SIM_NS_PER_MS);
    net_link_set_up(pair->link, true);
    run_all(pair);
    assert_int_equal(next(&a->send_cq).status, RNIC_CQE_OK);
    struct rnic_eqe eqe;
    assert_true(eq_find(b, RNIC_EVENT_PORT_DOWN, &eqe));
    assert_true(eq_find(b, RNIC_EVENT_PORT_UP, &eqe));
    pair_destroy(pair);
}

static void a_link_that_stays_down_ends_the_qp(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){.retry_count = 1});
    net_link_set_up(pair->link, false);
    for (uint32_t i = 0; i < 4; i++)
        post_transfer(&a->qp, RNIC_WQE_WRITE, 0, sge(&a->buffer, 0, 250000), b->buffer.base,
                      b->buffer.key);
    run_all(pair);
    assert_int_equal(next(&a->send_cq).status, RNIC_CQE_RETRY_EXCEEDED);
    pair_destroy(pair);
}

/* The QP fails at its second request, in the turn in which the first one has left. */
static void an_error_behind_a_sent_packet_leaves_no_timer(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    struct rnic_cqe cqe;
    qp_connect(&a->qp, &b->qp, &(struct link_up){.retry_count = 1});
    struct note *sends = note_add(pair, "packet.send", "left*");
    struct note *timeouts = note_add(pair, "ack.timeout", NULL);
    plan_add(pair, "rnic.qp_error", (struct sim_fault_plan){.nth = 2});
    for (uint32_t i = 0; i < 3; i++)
        post_transfer(&a->qp, RNIC_WQE_WRITE, 0, sge(&a->buffer, 0, 10), b->buffer.base,
                      b->buffer.key);
    run_all(pair);
    assert_int_equal(sends->count, 1);
    assert_int_equal(timeouts->count, 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(next(&a->send_cq).status, RNIC_CQE_FLUSHED);
    assert_false(cq_poll(&a->send_cq, &cqe));
    assert_int_equal(*a->qp.finished, 3);
    pair_destroy(pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silence_ends_the_qp_exactly_after_its_retries),
        cmocka_unit_test(timeout_code_0_waits_for_ever),
        cmocka_unit_test(progress_fills_the_budget_again),
        cmocka_unit_test(a_gap_is_answered_with_one_nak),
        cmocka_unit_test(a_copy_of_a_nak_costs_no_retry),
        cmocka_unit_test(a_part_of_a_read_is_answered_with_that_part),
        cmocka_unit_test(a_read_goes_on_where_a_response_was_lost),
        cmocka_unit_test(rnr_retries_are_counted),
        cmocka_unit_test(rnr_retry_7_waits_until_a_receive_is_posted),
        cmocka_unit_test(a_peer_that_is_gone_costs_the_retries),
        cmocka_unit_test(a_link_that_comes_back_in_time_costs_a_retry),
        cmocka_unit_test(a_link_that_stays_down_ends_the_qp),
        cmocka_unit_test(an_error_behind_a_sent_packet_leaves_no_timer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
