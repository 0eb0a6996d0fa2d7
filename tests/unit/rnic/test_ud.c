/* SPDX-License-Identifier: Apache-2.0 */
/* QP1 datagrams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <wire/mad.h>

#include "host.h"

static void gsi_create(struct host *host) {
    host->qp =
        (struct qp){.host = host, .send_cq = &host->send_cq, .receive_cq = &host->receive_cq};
    struct rnic_qp_create create = qp_description(host, &host->qp);
    create.type = RNIC_QP_GSI;
    assert_int_equal(command_in(host, RNIC_CMD_CREATE_QP, &host->qp.number, &create, sizeof create),
                     0);
    assert_int_equal(host->qp.number, 1);
    struct rnic_qp_attributes a = {
        .mask = RNIC_ATTR_STATE | RNIC_ATTR_QKEY, .state = RNIC_QPS_INIT, .qkey = WIRE_MAD_QKEY};
    assert_int_equal(qp_modify(&host->qp, a), 0);
    assert_int_equal(qp_to(&host->qp, RNIC_QPS_RTR), 0);
    a = (struct rnic_qp_attributes){
        .mask = RNIC_ATTR_STATE | RNIC_ATTR_SQ_PSN, .state = RNIC_QPS_RTS, .sq_psn = 7};
    assert_int_equal(qp_modify(&host->qp, a), 0);
}

static struct pair *pair_gsi(void) {
    struct pair *pair = pair_plain();
    gsi_create(&pair->hosts[0]);
    gsi_create(&pair->hosts[1]);
    return pair;
}

static void send(struct host *host, bool ipv6, uint32_t qkey, const char *text) {
    struct {
        struct rnic_wqe_control control;
        struct rnic_address_vector address;
        uint32_t dst_qpn;
        uint32_t qkey;
        char data[64];
    } wqe = {.control = {.opcode = RNIC_WQE_SEND,
                         .flags = RNIC_WQE_SIGNALLED | RNIC_WQE_INLINE,
                         .inline_bytes = 64},
             .dst_qpn = 1,
             .qkey = qkey};
    address_fill(host, &(struct link_up){.ipv6 = ipv6}, &wqe.address);
    snprintf(wqe.data, sizeof wqe.data, "%s", text);
    (void)post_wqe(&host->qp, &wqe, sizeof wqe);
    sq_ring(&host->qp);
    run_all(host->pair);
}

static void a_datagram_arrives_behind_its_header(bool ipv6) {
    struct pair *pair = pair_gsi();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    (void)post_receive(&b->qp, sge(&b->buffer, 0, 200));
    send(a, ipv6, WIRE_MAD_QKEY, "hello");
    struct rnic_cqe cqe;
    assert_true(cq_poll(&a->send_cq, &cqe));
    assert_int_equal(cqe.status, RNIC_CQE_OK);
    assert_true(cq_poll(&b->receive_cq, &cqe));
    assert_int_equal(cqe.status, RNIC_CQE_OK);
    assert_int_equal(cqe.byte_count, RNIC_GRH_BYTES + 64);
    assert_int_equal(cqe.src_qpn, 1);
    assert_int_equal(cqe.flags, RNIC_CQE_FLAG_GRH | (ipv6 ? RNIC_CQE_FLAG_IPV6 : 0));
    assert_memory_equal(cqe.src_mac, rnic_device_port(a->device)->mac.bytes, 6);
    assert_string_equal((char *)b->buffer.bytes + RNIC_GRH_BYTES, "hello");
    struct wire_ip ip;
    size_t header_bytes;
    assert_int_equal(wire_ip_decode(b->buffer.bytes + (ipv6 ? 0 : 20), 300, &ip, &header_bytes),
                     WIRE_OK);
    assert_memory_equal(ip.src.bytes, net_port_address_at(rnic_device_port(a->device), ipv6)->bytes,
                        16);
    pair_destroy(pair);
}

static void datagrams_arrive_over_both_ip_versions(void **state) {
    (void)state;
    a_datagram_arrives_behind_its_header(false);
    a_datagram_arrives_behind_its_header(true);
}

static void what_nobody_waits_for_is_dropped(void **state) {
    (void)state;
    struct pair *pair = pair_gsi();
    struct host *b = &pair->hosts[1];
    send(&pair->hosts[0], false, WIRE_MAD_QKEY, "lost");
    assert_int_equal(counter(b, RNIC_COUNTER_DATAGRAMS_DROPPED), 1);
    (void)post_receive(&b->qp, sge(&b->buffer, 0, 200));
    send(&pair->hosts[0], false, 12345, "wrong key");
    struct rnic_cqe cqe;
    assert_false(cq_poll(&b->receive_cq, &cqe));
    pair_destroy(pair);
}

static void a_datagram_to_nowhere_stops_the_send_queue_until_it_is_told_to_go_on(void **state) {
    (void)state;
    struct pair *pair = pair_gsi();
    struct host *a = &pair->hosts[0];
    struct rnic_wqe_ud wqe = {.control = {.opcode = RNIC_WQE_SEND},
                              .address = {.dst_ip = {0xFD, [15] = 77}, .address_index = 1}};
    (void)post_wqe(&a->qp, &wqe, sizeof wqe);
    (void)post_wqe(&a->qp, &wqe, sizeof wqe);
    sq_ring(&a->qp);
    run_all(pair);
    struct rnic_cqe cqe;
    assert_true(cq_poll(&a->send_cq, &cqe));
    assert_int_equal(cqe.status, RNIC_CQE_LOCAL_OPERATION);
    assert_int_equal(cqe.syndrome, RNIC_SYNDROME_NO_ROUTE);
    assert_true(cq_poll(&a->send_cq, &cqe));
    assert_int_equal(cqe.status, RNIC_CQE_FLUSHED);
    assert_int_equal(qp_info(&a->qp).state, RNIC_QPS_SQE);
    assert_int_equal(qp_to(&a->qp, RNIC_QPS_RTS), 0);
    send(a, false, WIRE_MAD_QKEY, "again");
    assert_true(cq_poll(&a->send_cq, &cqe));
    assert_int_equal(cqe.status, RNIC_CQE_OK);
    assert_int_equal(cqe.wqe_index, 2);
    pair_destroy(pair);
}

static void a_driver_is_never_too_quick_to_go_on(void **state) {
    (void)state;
    struct pair *pair = pair_gsi();
    struct host *a = &pair->hosts[0];
    struct rnic_wqe_ud wqe = {.control = {.opcode = RNIC_WQE_SEND},
                              .address = {.dst_ip = {0xFD, [15] = 77}, .address_index = 1}};
    struct rnic_cqe cqe;
    (void)post_wqe(&a->qp, &wqe, sizeof wqe);
    address_fill(a, &(struct link_up){0}, &wqe.address);
    (void)post_wqe(&a->qp, &wqe, sizeof wqe);
    sq_ring(&a->qp);
    while (!cq_poll(&a->send_cq, &cqe))
        sim_run(pair->world, NULL, NULL, sim_now_ns(pair->world) + 10);
    assert_int_equal(qp_to(&a->qp, RNIC_QPS_RTS), 0);
    run_all(pair);
    assert_true(cq_poll(&a->send_cq, &cqe));
    assert_int_equal(cqe.wqe_index, 1);
    assert_int_equal(cqe.status, RNIC_CQE_FLUSHED);
    assert_int_equal(counter(a, RNIC_COUNTER_FRAMES_SENT), 0);
    pair_destroy(pair);
}

static void a_receive_too_small_ends_the_qp(void **state) {
    (void)state;
    struct pair *pair = pair_gsi();
    struct host *b = &pair->hosts[1];
    (void)post_receive(&b->qp, sge(&b->buffer, 0, RNIC_GRH_BYTES + 63));
    send(&pair->hosts[0], false, WIRE_MAD_QKEY, "long");
    struct rnic_cqe cqe;
    assert_true(cq_poll(&b->receive_cq, &cqe));
    assert_int_equal(cqe.status, RNIC_CQE_LOCAL_LENGTH);
    assert_int_equal(qp_info(&b->qp).state, RNIC_QPS_ERR);
    pair_destroy(pair);
}

static void a_new_qp1_hears_nothing_of_the_old_one(void **state) {
    (void)state;
    struct pair *pair = pair_gsi();
    struct host *a = &pair->hosts[0];
    doorbell(a, RNIC_DOORBELL_SQ, 1, 0, 100000);
    assert_int_equal(command_plain(a, RNIC_CMD_DESTROY_QP, 1), 0);
    gsi_create(a);
    run_all(pair);
    assert_int_equal(qp_info(&a->qp).state, RNIC_QPS_RTS);
    pair_destroy(pair);
}

static void there_is_one_qp1(void **state) {
    (void)state;
    struct pair *pair = pair_gsi();
    struct host *a = &pair->hosts[0];
    struct qp other = {.host = a, .send_cq = &a->send_cq, .receive_cq = &a->receive_cq};
    struct rnic_qp_create create = qp_description(a, &other);
    create.type = RNIC_QP_GSI;
    assert_int_equal(command_in(a, RNIC_CMD_CREATE_QP, &other.number, &create, sizeof create),
                     RNIC_STATUS_NO_RESOURCES);
    pair_destroy(pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(datagrams_arrive_over_both_ip_versions),
        cmocka_unit_test(what_nobody_waits_for_is_dropped),
        cmocka_unit_test(a_datagram_to_nowhere_stops_the_send_queue_until_it_is_told_to_go_on),
        cmocka_unit_test(a_driver_is_never_too_quick_to_go_on),
        cmocka_unit_test(a_receive_too_small_ends_the_qp),
        cmocka_unit_test(a_new_qp1_hears_nothing_of_the_old_one),
        cmocka_unit_test(there_is_one_qp1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
