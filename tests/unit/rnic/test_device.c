/* SPDX-License-Identifier: Apache-2.0 */
/* Many queue pairs at once, paths with tags, removal, strangers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host.h"

#define QPS 40u

struct many {
    struct pair *pair;
    struct host *a;
    struct host *b;
    struct qp from[QPS];
    struct qp to[QPS];
};

static struct many *many_make(void) {
    static struct many many;
    memset(&many, 0, sizeof many);
    many.pair = pair_plain();
    many.a = &many.pair->hosts[0];
    many.b = &many.pair->hosts[1];
    for (uint32_t i = 0; i < QPS; i++) {
        qp_create(many.a, &many.from[i], &many.a->send_cq, &many.a->receive_cq);
        qp_create(many.b, &many.to[i], &many.b->send_cq, &many.b->receive_cq);
        qp_connect(&many.from[i], &many.to[i], &(struct link_up){0});
    }
    return &many;
}

static void queue_pairs_share_the_port_fairly(void **state) {
    (void)state;
    struct many *m = many_make();
    for (uint32_t i = 0; i < QPS; i++)
        for (uint32_t n = 0; n < 4; n++)
            post_transfer(&m->from[i], n % 2 ? RNIC_WQE_READ : RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED,
                          sge(&m->a->buffer, 0, 50000), m->b->buffer.base, m->b->buffer.key);
    run_all(m->pair);
    uint32_t seen[QPS] = {0};
    uint32_t most = 0;
    struct rnic_cqe cqe;
    for (uint32_t n = 0; n < 4 * QPS; n++) {
        assert_true(cq_poll(&m->a->send_cq, &cqe));
        assert_int_equal(cqe.status, RNIC_CQE_OK);
        uint32_t i = cqe.qpn - m->from[0].number;
        assert_int_equal(cqe.wqe_index, seen[i]);
        seen[i]++;
        most = seen[i] > most ? seen[i] : most;
        /* Nobody is done while somebody has nothing. */
        for (uint32_t j = 0; j < QPS && most > 2; j++)
            assert_true(seen[j] > 0);
    }
    pair_destroy(m->pair);
}

static void queue_pairs_go_in_the_middle_of_traffic(void **state) {
    (void)state;
    struct many *m = many_make();
    for (uint32_t i = 0; i < QPS; i++)
        post_transfer(&m->from[i], RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&m->a->buffer, 0, 50000),
                      m->b->buffer.base, m->b->buffer.key);
    sim_run(m->pair->world, NULL, NULL, sim_now_ns(m->pair->world) + 20000);
    for (uint32_t i = 0; i < QPS; i += 2)
        assert_int_equal(command_plain(m->a, RNIC_CMD_DESTROY_QP, m->from[i].number), 0);
    run_all(m->pair);
    struct rnic_cqe cqe;
    uint32_t count = 0;
    while (cq_poll(&m->a->send_cq, &cqe))
        count += cqe.status == RNIC_CQE_OK;
    assert_true(count >= QPS / 2);
    assert_int_equal(rnic_device_census(m->a->device).qps, QPS / 2 + 1);
    pair_destroy(m->pair);
}

static void a_given_mac_and_tag_are_used(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    struct rnic_neighbour peer = {.vlan_id = 7, .valid = 1, .tagged = 1};
    memcpy(peer.ip, net_port_address_at(rnic_device_port(b->device), 0)->bytes, 16);
    memcpy(peer.mac, rnic_device_port(b->device)->mac.bytes, 6);
    uint32_t number = 0;
    assert_int_equal(command_in(a, RNIC_CMD_SET_NEIGHBOUR, &number, &peer, sizeof peer), 0);
    qp_connect(&a->qp, &b->qp, &(struct link_up){0});
    post_transfer(&a->qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 1024),
                  b->buffer.base, b->buffer.key);
    run_all(pair);
    assert_int_equal(*a->qp.finished, 1);
    /* Ethernet, tag, IPv4, UDP, BTH, RETH, payload, ICRC. */
    assert_int_equal(counter(a, RNIC_COUNTER_BYTES_SENT), 14 + 4 + 20 + 8 + 12 + 16 + 1024 + 4);
    pair_destroy(pair);
}

static void a_removed_device_is_gone_for_its_peer(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){.retry_count = 1});
    post_transfer(&a->qp, RNIC_WQE_WRITE, 0, sge(&a->buffer, 0, 100000), b->buffer.base,
                  b->buffer.key);
    sim_run(pair->world, NULL, NULL, sim_now_ns(pair->world) + 5000);
    sim_bus_remove(b->bus);
    run_all(pair);
    assert_int_equal(register_read(b, RNIC_REG_STATUS, 4), UINT32_MAX);
    struct rnic_cqe cqe;
    assert_true(cq_poll(&a->send_cq, &cqe));
    assert_int_equal(cqe.status, RNIC_CQE_RETRY_EXCEEDED);
    struct rnic_eqe eqe;
    assert_true(eq_poll(a, &eqe));
    assert_int_equal(eqe.type, RNIC_EVENT_PORT_DOWN);
    pair_destroy(pair);
}

static void packets_of_strangers_are_dropped(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    struct link_up up = {.retry_count = 0xFF};
    /* b expects its peer on IPv6; what comes over IPv4 is not of the connection. */
    qp_connect_one(&a->qp, b->qp.number, &up, true);
    up.ipv6 = true;
    qp_connect_one(&b->qp, a->qp.number, &up, true);
    post_transfer(&a->qp, RNIC_WQE_WRITE, 0, sge(&a->buffer, 0, 10), b->buffer.base, b->buffer.key);
    run_all(pair);
    struct rnic_cqe cqe;
    assert_true(cq_poll(&a->send_cq, &cqe));
    assert_int_equal(cqe.status, RNIC_CQE_RETRY_EXCEEDED);
    assert_int_equal(counter(b, RNIC_COUNTER_FRAMES_NO_QP), 1);
    pair_destroy(pair);
}

static void a_bus_device_knows_its_rnic(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct sim_bus_device other = *a->bus;
    other.ops = NULL;
    assert_ptr_equal(rnic_device_of_bus(a->bus), a->device);
    assert_null(rnic_device_of_bus(&other));
    pair_destroy(pair);
}

static void the_health_counter_follows_the_firmware(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){0});
    uint64_t before = register_read(a, RNIC_REG_HEALTH_COUNTER, 4);
    post_transfer(&a->qp, RNIC_WQE_SEND, 0, sge(&a->buffer, 0, 10), 0, 0);
    sim_run(pair->world, NULL, NULL, sim_now_ns(pair->world) + 10 * SIM_NS_PER_MS);
    assert_in_range(register_read(a, RNIC_REG_HEALTH_COUNTER, 4) - before, 9, 10);
    plan_add(pair, "rnic.firmware_hang", (struct sim_fault_plan){.nth = 1});
    assert_int_equal(command_plain(a, RNIC_CMD_NOP, 0), RNIC_STATUS_TIMEOUT);
    before = register_read(a, RNIC_REG_HEALTH_COUNTER, 4);
    sim_run(pair->world, NULL, NULL, sim_now_ns(pair->world) + 10 * SIM_NS_PER_MS);
    assert_int_equal(register_read(a, RNIC_REG_HEALTH_COUNTER, 4), before);
    pair_destroy(pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queue_pairs_share_the_port_fairly),
        cmocka_unit_test(queue_pairs_go_in_the_middle_of_traffic),
        cmocka_unit_test(a_given_mac_and_tag_are_used),
        cmocka_unit_test(a_removed_device_is_gone_for_its_peer),
        cmocka_unit_test(packets_of_strangers_are_dropped),
        cmocka_unit_test(a_bus_device_knows_its_rnic),
        cmocka_unit_test(the_health_counter_follows_the_firmware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
