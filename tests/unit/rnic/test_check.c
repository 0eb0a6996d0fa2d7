/* SPDX-License-Identifier: Apache-2.0 */
/* The device's checks: each sees what is spoilt, and none minds a device at work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <sim/check.h>

#include "armed.h"
#include "cq.h"
#include "device.h"
#include "eq.h"
#include "qp.h"

static struct rnic_qp *qp_of(struct rnic_device *device) {
    uint32_t slot = 0;
    return rnic_table_next(&device->qps, &slot);
}
static struct rnic_cq *cq_of(struct rnic_device *device) {
    uint32_t slot = 0;
    return rnic_table_next(&device->cqs, &slot);
}

static void spoil_producer(struct rnic_device *device) {
    qp_of(device)->requester.producer = qp_of(device)->completer.head + 100000;
}
static void spoil_position(struct rnic_device *device) {
    qp_of(device)->requester.index = qp_of(device)->requester.start_index + 1;
}
static void spoil_receives(struct rnic_device *device) {
    qp_of(device)->responder.rq_consumer = qp_of(device)->responder.rq_producer + 1;
}
static void spoil_reads(struct rnic_device *device) {
    qp_of(device)->completer.reads_finished++;
}
static void spoil_entries(struct rnic_device *device) {
    cq_of(device)->consumer = cq_of(device)->producer + 1;
}
static void spoil_uses(struct rnic_device *device) {
    cq_of(device)->qp_count++;
}
static void spoil_reports(struct rnic_device *device) {
    cq_of(device)->eq->cq_count--;
}
static void spoil_senders(struct rnic_device *device) {
    qp_of(device)->is_listed = !qp_of(device)->is_listed;
}

static void each_check_sees_what_is_spoilt(void **state) {
    static const struct {
        void (*spoil)(struct rnic_device *device);
        const char *name;
    } cases[] = {{spoil_producer, "rnic.qp"}, {spoil_position, "rnic.qp"},
                 {spoil_receives, "rnic.qp"}, {spoil_reads, "rnic.qp"},
                 {spoil_entries, "rnic.cq"},  {spoil_uses, "rnic.cq"},
                 {spoil_reports, "rnic.eq"},  {spoil_senders, "rnic.transmit"}};
    (void)state;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(cases); i++) {
        struct pair *pair = pair_connected();
        for (uint32_t n = 0; n < 4; n++) {
            write_one(pair);
            assert_true(sim_check_all(pair->world));
        }
        cases[i].spoil(pair->hosts[0].device);
        assert_false(sim_check_all(pair->world));
        assert_string_equal(sim_finding_at(pair->world, 0)->name, cases[i].name);
        sim_world_destroy(pair->world);
    }
}

static void a_send_that_was_never_started_may_be_flushed(void **state) {
    struct pair *pair = pair_connected();
    struct rnic_qp *qp = qp_of(pair->hosts[0].device);
    (void)state;
    qp->requester.producer = qp->requester.start_index + 2;
    qp->completer.head = qp->requester.start_index + 1;
    assert_false(sim_check_all(pair->world));
    sim_world_destroy(pair->world);
    pair = pair_connected();
    qp = qp_of(pair->hosts[0].device);
    qp->state = RNIC_QPS_ERR;
    rnic_requester_stop(qp);
    qp->requester.producer = qp->requester.start_index + 2;
    qp->completer.head = qp->requester.start_index + 1;
    assert_true(sim_check_all(pair->world));
    sim_world_destroy(pair->world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_check_sees_what_is_spoilt),
        cmocka_unit_test(a_send_that_was_never_started_may_be_flushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
