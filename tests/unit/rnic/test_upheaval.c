/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever is done to a device, at whatever moment of its traffic: it ends clean, its host's memory
 * stays as it is, and what failed is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <sim/base.h>

#include "host.h"

#define MESSAGES 12u
#define SLOT 4096u
#define STEP_NS 61u

/* Both hosts send, read and write, in messages of several packets. */
static void traffic_start(struct pair *pair) {
    static const uint8_t opcodes[3] = {RNIC_WQE_SEND, RNIC_WQE_READ, RNIC_WQE_WRITE};
    for (uint32_t h = 0; h < 2; h++) {
        struct host *from = &pair->hosts[h];
        struct host *to = &pair->hosts[1 - h];
        for (uint32_t i = 0; i < MESSAGES; i++) {
            (void)post_receive(&to->qp, sge(&to->buffer, (16 + i) * SLOT, SLOT));
            post_transfer(&from->qp, opcodes[i % 3], RNIC_WQE_SIGNALLED,
                          sge(&from->buffer, i * SLOT, 300 * i), to->buffer.base + i * SLOT,
                          to->buffer.key);
        }
        doorbell(from, RNIC_DOORBELL_CQ, from->send_cq.number, RNIC_ARM_ANY,
                 from->send_cq.consumer);
        doorbell(from, RNIC_DOORBELL_CQ, from->receive_cq.number, RNIC_ARM_ANY, 0);
    }
}

static struct pair *pair_busy(void) {
    struct pair *pair = pair_plain();
    qp_connect(&pair->hosts[0].qp, &pair->hosts[1].qp,
               &(struct link_up){.path_mtu = 1, .timeout = 4, .retry_count = 2, .rnr_retry = 2});
    pair_keep(pair);
    return pair;
}

static uint64_t bytes_hash(uint64_t hash, const void *bytes, size_t count) {
    const uint8_t *at = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001B3);
    return hash;
}

/* Of all that the device of this host may write to. */
static uint64_t memory_hash(const struct host *host) {
    uint64_t hash = bytes_hash(UINT64_C(0xCBF29CE484222325), host->buffer.bytes, 32 * SLOT);
    hash = bytes_hash(hash, host->send_cq.ring, (size_t)RNIC_CQE_BYTES << host->send_cq.log2);
    hash = bytes_hash(hash, host->receive_cq.ring, (size_t)RNIC_CQE_BYTES << host->receive_cq.log2);
    hash = bytes_hash(hash, host->eq, (size_t)RNIC_EQE_BYTES << RING_LOG2);
    return bytes_hash(hash, host->qp.finished, sizeof *host->qp.finished);
}

static void reset_by_register(struct host *host) {
    register_write(host, RNIC_REG_CONTROL, 4, RNIC_CONTROL_RESET);
}
static void reset_by_bus(struct host *host) {
    sim_bus_reset(host->bus);
}
static void reset_and_enable(struct host *host) {
    register_write(host, RNIC_REG_CONTROL, 4, RNIC_CONTROL_RESET | RNIC_CONTROL_ENABLE);
}
static void disable(struct host *host) {
    register_write(host, RNIC_REG_CONTROL, 4, 0);
}
static void remove_device(struct host *host) {
    sim_bus_remove(host->bus);
}
static void qp_destroy(struct host *host) {
    assert_int_equal(command_plain(host, RNIC_CMD_DESTROY_QP, host->qp.number), 0);
}
static void all_destroy(struct host *host) {
    qp_destroy(host);
    assert_int_equal(command_plain(host, RNIC_CMD_DESTROY_MKEY, RNIC_KEY_INDEX(host->buffer.key)),
                     0);
    assert_int_equal(command_plain(host, RNIC_CMD_DESTROY_PD, host->pdn), 0);
    assert_int_equal(command_plain(host, RNIC_CMD_DESTROY_CQ, host->send_cq.number), 0);
    assert_int_equal(command_plain(host, RNIC_CMD_DESTROY_CQ, host->receive_cq.number), 0);
    assert_int_equal(command_plain(host, RNIC_CMD_DESTROY_EQ, host->eqn), 0);
    assert_int_equal(command_plain(host, RNIC_CMD_TEARDOWN, 0), 0);
}
static void qp_reset(struct host *host) {
    assert_int_equal(qp_to(&host->qp, RNIC_QPS_RESET), 0);
}

/* Nothing is written to the host's memory after any of these. */
static void (*const upheavals[])(struct host *host) = {
    reset_by_register, reset_by_bus, reset_and_enable, disable,
    remove_device,     qp_destroy,   all_destroy,      qp_reset,
};

static void one_upheaval(struct pair *pair, void (*upheaval)(struct host *host),
                         uint64_t after_ns) {
    struct host *a = &pair->hosts[0];
    plan_add(pair, "link.drop", (struct sim_fault_plan){.ppm = 20000});
    traffic_start(pair);
    sim_run(pair->world, NULL, NULL, sim_now_ns(pair->world) + after_ns);
    upheaval(a);
    uint64_t hash = memory_hash(a);
    run_all(pair);
    assert_int_equal(memory_hash(a), hash);
}

static void nothing_is_written_behind_the_end_of_device_or_qp(void **state) {
    (void)state;
    struct pair *pair = pair_busy();
    for (uint64_t i = 0; i < 120; i++) {
        for (uint32_t k = 0; k < SIM_ARRAY_COUNT(upheavals); k++) {
            pair_again(pair, i + 1);
            one_upheaval(pair, upheavals[k], i * STEP_NS + k);
        }
    }
    pair_destroy(pair);
}

static void every_request_ends_once_when_the_qp_goes_to_error(void **state) {
    (void)state;
    struct pair *pair = pair_busy();
    struct host *a = &pair->hosts[0];
    for (uint64_t i = 0; i < 150; i++) {
        pair_again(pair, i + 1);
        traffic_start(pair);
        sim_run(pair->world, NULL, NULL, sim_now_ns(pair->world) + i * STEP_NS);
        assert_int_equal(qp_to(&a->qp, RNIC_QPS_ERR), 0);
        run_all(pair);
        struct cq *cqs[2] = {&a->send_cq, &a->receive_cq};
        for (uint32_t k = 0; k < 2; k++) {
            struct rnic_cqe cqe;
            uint32_t count = 0;
            bool flushed = false;
            for (; cq_poll(cqs[k], &cqe); count++) {
                assert_int_equal(cqe.wqe_index, count);
                assert_true(cqe.status == RNIC_CQE_OK ? !flushed : cqe.status == RNIC_CQE_FLUSHED);
                flushed = cqe.status == RNIC_CQE_FLUSHED;
            }
            assert_int_equal(count, MESSAGES);
        }
    }
    pair_destroy(pair);
}

static uint32_t successes(struct cq *cq) {
    struct rnic_cqe cqe;
    uint32_t count = 0;
    while (cq_poll(cq, &cqe))
        count += cqe.status == RNIC_CQE_OK;
    return count;
}

/* Some host was told that something failed. */
static bool is_told(struct pair *pair) {
    bool told = false;
    for (uint32_t h = 0; h < 2; h++) {
        struct host *host = &pair->hosts[h];
        struct rnic_eqe eqe;
        told |= (register_read(host, RNIC_REG_STATUS, 4) & RNIC_STATUS_FATAL) != 0;
        while (eq_poll(host, &eqe))
            told |= eqe.type == RNIC_EVENT_QP_ERROR || eqe.type == RNIC_EVENT_CQ_ERROR;
    }
    return told;
}

/* Every access to host memory in turn fails: all is well in the end, or somebody hears of it. */
static void any_one_access_to_memory_may_fail(void **state) {
    (void)state;
    struct pair *pair = pair_busy();
    bool fired = true;
    uint32_t n = 1;
    for (; fired; n++) {
        pair_again(pair, 1);
        struct sim_fault_plan *plan = plan_add(
            pair, "bus.dma_error", (struct sim_fault_plan){.nth = n, .subject = "left.nic0"});
        traffic_start(pair);
        run_all(pair);
        fired = plan->fired_count != 0;
        uint32_t count = 0;
        for (uint32_t h = 0; h < 2; h++)
            count += successes(&pair->hosts[h].send_cq) + successes(&pair->hosts[h].receive_cq);
        uint32_t all = 2 * (MESSAGES + MESSAGES / 3);
        assert_true(count == all || is_told(pair));
        assert_true(fired || count == all);
    }
    assert_true(n > 100);
    pair_destroy(pair);
}

struct fatal {
    struct sim_watch watch;
    struct host *host;
    uint64_t hash;
    uint64_t frames;
    bool seen;
};

static void fatal_seen(struct sim_world *world, struct sim_watch *watch,
                       const struct sim_record *record) {
    struct fatal *fatal = SIM_CONTAINER_OF(watch, struct fatal, watch);
    (void)world;
    (void)record;
    fatal->seen = true;
    fatal->hash = memory_hash(fatal->host);
    fatal->frames = counter(fatal->host, RNIC_COUNTER_FRAMES_SENT);
}

/* Fills the event queue but for some entries; returns with the CQ polled. */
static void events_fill(struct host *host, uint32_t room) {
    struct rnic_cqe cqe;
    for (uint32_t i = 0; i < 1u << RING_LOG2; i++) {
        doorbell(host, RNIC_DOORBELL_CQ, host->send_cq.number, RNIC_ARM_ANY, 0);
        run_all(host->pair);
    }
    assert_true(cq_poll(&host->send_cq, &cqe));
    doorbell(host, RNIC_DOORBELL_EQ, host->eqn, 0, room);
}

/* A device whose next event but `room` is one too many, and who is told when it has failed. */
static struct fatal *fatal_make(struct pair *pair, uint32_t room) {
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    struct fatal *fatal = sim_alloc(pair->world, sizeof *fatal);
    fatal->host = a;
    fatal->watch.type = sim_trace_type_of(pair->world, "device.fatal");
    fatal->watch.seen = fatal_seen;
    sim_watch_add(pair->world, &fatal->watch);
    post_transfer(&a->qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 10),
                  b->buffer.base, b->buffer.key);
    run_all(pair);
    events_fill(a, room);
    return fatal;
}

static void fatal_judge(struct pair *pair, const struct fatal *fatal) {
    struct host *a = &pair->hosts[0];
    run_all(pair);
    assert_true(fatal->seen);
    assert_int_equal(register_read(a, RNIC_REG_HEALTH_SYNDROME, 4), RNIC_HEALTH_EQ_OVERRUN);
    assert_int_equal(memory_hash(a), fatal->hash);
    assert_int_equal(counter(a, RNIC_COUNTER_FRAMES_SENT), fatal->frames);
    pair_destroy(pair);
}

/* In the middle of what a completion sets off. */
static void a_device_that_failed_at_a_completion_moves_nothing_more(void **state) {
    (void)state;
    for (uint32_t room = 0; room < 2; room++) {
        struct pair *pair = pair_busy();
        struct fatal *fatal = fatal_make(pair, room);
        traffic_start(pair);
        fatal_judge(pair, fatal);
    }
}

/* With a reply due, and responses of a READ. */
static void a_device_that_failed_at_the_end_of_a_qp_moves_nothing_more(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct pair *pair = pair_busy();
        struct host *bad = &pair->hosts[i];
        struct host *other = &pair->hosts[1 - i];
        struct fatal *fatal = fatal_make(pair, 0);
        post_transfer(&bad->qp, RNIC_WQE_READ, 0, sge(&bad->buffer, 0, 5000), other->buffer.base,
                      other->buffer.key);
        post_transfer(&bad->qp, RNIC_WQE_WRITE, 0, sge(&bad->buffer, 0, 10), other->buffer.base,
                      other->buffer.key + 1);
        fatal_judge(pair, fatal);
    }
}

/* The first packet in RTR is told before it is executed. */
static void a_device_that_failed_at_a_first_packet_moves_nothing_more(void **state) {
    (void)state;
    struct pair *pair = pair_busy();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    struct qp in_rtr;
    struct qp peer;
    qp_create(a, &in_rtr, &a->send_cq, &a->receive_cq);
    qp_create(b, &peer, &b->send_cq, &b->receive_cq);
    qp_connect(&peer, &in_rtr, &(struct link_up){.stay_in_rtr = true, .retry_count = 1});
    struct fatal *fatal = fatal_make(pair, 0);
    fill(b, 0, 1000, 3);
    post_transfer(&peer, RNIC_WQE_WRITE, 0, sge(&b->buffer, 0, 1000), a->buffer.base,
                  a->buffer.key);
    fatal_judge(pair, fatal);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_written_behind_the_end_of_device_or_qp),
        cmocka_unit_test(every_request_ends_once_when_the_qp_goes_to_error),
        cmocka_unit_test(any_one_access_to_memory_may_fail),
        cmocka_unit_test(a_device_that_failed_at_a_completion_moves_nothing_more),
        cmocka_unit_test(a_device_that_failed_at_the_end_of_a_qp_moves_nothing_more),
        cmocka_unit_test(a_device_that_failed_at_a_first_packet_moves_nothing_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
