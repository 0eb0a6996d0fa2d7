/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of READs over all QPs: never more at one time, nobody is passed over, all end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <sim/check.h>

#include "device.h"
#include "host.h"
#include "qp.h"

#define MORE 2u /* QPs beside the host's own */
#define EACH 6u
#define READ_BYTES 9000u

struct crowd {
    struct pair *pair;
    struct qp more[2][MORE];
    uint32_t out_most; /* at one time, of the left host */
    uint32_t in_most;  /* ... of the right one */
    uint32_t ahead;    /* READs of QP 0 that were over before the first of QP 1 */
};

static struct crowd crowd;

static struct qp *qp_at(uint32_t side, uint32_t index) {
    return index == 0 ? &crowd.pair->hosts[side].qp : &crowd.more[side][index - 1];
}

static void crowd_make(uint32_t out_max, uint32_t in_max) {
    struct pair_options options = pair_defaults();
    memset(&crowd, 0, sizeof(crowd));
    options.config.reads_out_total_max = out_max;
    options.config.reads_in_total_max = in_max;
    crowd.pair = pair_create(&options);
    for (uint32_t i = 0; i < MORE; i++)
        for (uint32_t side = 0; side < 2; side++) {
            struct host *host = &crowd.pair->hosts[side];
            qp_create(host, &crowd.more[side][i], &host->send_cq, &host->receive_cq);
        }
    for (uint32_t i = 0; i <= MORE; i++)
        qp_connect(qp_at(0, i), qp_at(1, i), &(struct link_up){0});
}

static void read_post(uint32_t index) {
    const struct buffer *from = &crowd.pair->hosts[1].buffer;
    post_transfer(qp_at(0, index), RNIC_WQE_READ, 0,
                  sge(&crowd.pair->hosts[0].buffer, index * READ_BYTES, READ_BYTES), from->base,
                  from->key);
}

/* Looks on between the steps; never ends the run. */
static bool look(struct sim_world *world, void *context) {
    uint32_t out = 0, in = 0, slot = 0;
    (void)world;
    (void)context;
    for (struct rnic_qp *qp;
         (qp = rnic_table_next(&crowd.pair->hosts[0].device->qps, &slot)) != NULL;)
        out += rnic_qp_reads_out(qp);
    slot = 0;
    for (struct rnic_qp *qp;
         (qp = rnic_table_next(&crowd.pair->hosts[1].device->qps, &slot)) != NULL;)
        in += qp->responder.is_serving;
    crowd.out_most = out > crowd.out_most ? out : crowd.out_most;
    if (*qp_at(0, 1)->finished == 0)
        crowd.ahead = *qp_at(0, 0)->finished;
    crowd.in_most = in > crowd.in_most ? in : crowd.in_most;
    return false;
}

static void crowd_run(void) {
    assert_int_equal(sim_run(crowd.pair->world, look, NULL, SIM_TIME_NEVER), SIM_RUN_IDLE);
    assert_true(sim_check_all(crowd.pair->world));
}

static void all_read(uint32_t out_max, uint32_t in_max) {
    crowd_make(out_max, in_max);
    for (uint32_t n = 0; n < EACH; n++)
        for (uint32_t i = 0; i <= MORE; i++)
            read_post(i);
    crowd_run();
    for (uint32_t i = 0; i <= MORE; i++)
        assert_int_equal(*qp_at(0, i)->finished, EACH);
    assert_int_equal(counter(&crowd.pair->hosts[0], RNIC_COUNTER_PACKETS_RETRIED), 0);
}

static void without_a_limit_each_qp_has_its_own(void **state) {
    (void)state;
    all_read(0, 0);
    assert_in_range(crowd.out_most, 9, 4 * (MORE + 1));
    pair_destroy(crowd.pair);
}

static void no_more_are_asked_for_than_all_may(void **state) {
    (void)state;
    all_read(2, 0);
    assert_int_equal(crowd.out_most, 2);
    pair_destroy(crowd.pair);
}

static void no_more_are_answered_at_a_time_than_all_may(void **state) {
    (void)state;
    all_read(0, 1);
    assert_int_equal(crowd.in_most, 1);
    assert_in_range(crowd.out_most, 9, 4 * (MORE + 1));
    pair_destroy(crowd.pair);
}

static void what_is_free_is_offered_to_the_others(void **state) {
    (void)state;
    crowd_make(1, 0);
    for (uint32_t n = 0; n < EACH; n++)
        read_post(0);
    read_post(1);
    crowd_run();
    assert_int_equal(*qp_at(0, 0)->finished, EACH);
    assert_int_equal(*qp_at(0, 1)->finished, 1);
    assert_in_range(crowd.ahead, 0, 2);
    pair_destroy(crowd.pair);
}

static void a_qp_that_stops_gives_its_share_back(void **state) {
    (void)state;
    for (uint32_t side = 0; side < 2; side++) {
        crowd_make(side == 0, side == 1);
        for (uint32_t i = 0; i <= MORE; i++)
            read_post(i);
        while (crowd.out_most == 0 || (side == 1 && crowd.in_most == 0))
            (void)sim_run(crowd.pair->world, look, NULL, sim_now_ns(crowd.pair->world) + 50);
        assert_int_equal(qp_to(qp_at(side, 0), RNIC_QPS_ERR), RNIC_STATUS_OK);
        crowd_run();
        assert_int_equal(*qp_at(0, 1)->finished, 1);
        assert_int_equal(*qp_at(0, 2)->finished, 1);
        pair_destroy(crowd.pair);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_limit_each_qp_has_its_own),
        cmocka_unit_test(no_more_are_asked_for_than_all_may),
        cmocka_unit_test(no_more_are_answered_at_a_time_than_all_may),
        cmocka_unit_test(what_is_free_is_offered_to_the_others),
        cmocka_unit_test(a_qp_that_stops_gives_its_share_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
