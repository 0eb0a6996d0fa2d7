/* SPDX-License-Identifier: Apache-2.0 */
/* Loss-free transfers: every kind, size and path MTU, both IP versions, PSNs that wrap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host.h"

#define HALF (BUFFER_BYTES / 2)

static void assert_next(struct cq *cq, uint32_t index, uint8_t opcode, uint32_t bytes) {
    struct rnic_cqe cqe;
    assert_true(cq_poll(cq, &cqe));
    assert_int_equal(cqe.status, RNIC_CQE_OK);
    assert_int_equal(cqe.opcode, opcode);
    assert_int_equal(cqe.wqe_index, index);
    assert_int_equal(cqe.byte_count, bytes);
}

static void assert_none(struct cq *cq) {
    struct rnic_cqe cqe;
    assert_false(cq_poll(cq, &cqe));
}

static void assert_moved(struct host *from, uint64_t from_offset, struct host *to,
                         uint64_t to_offset, uint32_t bytes) {
    assert_memory_equal(from->buffer.bytes + from_offset, to->buffer.bytes + to_offset, bytes);
    assert_int_equal(to->buffer.bytes[to_offset + bytes], 0);
}

static void one_size(struct pair *pair, uint32_t bytes) {
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    memset(b->buffer.bytes, 0, BUFFER_BYTES - 96);
    memset(a->buffer.bytes + HALF, 0, HALF - 96);
    fill(a, 1, bytes, 3);
    uint32_t index = post_transfer(&a->qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED,
                                   sge(&a->buffer, 1, bytes), b->buffer.base + 5, b->buffer.key);
    run_all(pair);
    assert_next(&a->send_cq, index, RNIC_CQE_WRITE, 0);
    assert_moved(a, 1, b, 5, bytes);

    index = post_transfer(&a->qp, RNIC_WQE_READ, RNIC_WQE_SIGNALLED, sge(&a->buffer, HALF, bytes),
                          b->buffer.base + 5, b->buffer.key);
    run_all(pair);
    assert_next(&a->send_cq, index, RNIC_CQE_READ, bytes);
    assert_moved(b, 5, a, HALF, bytes);

    uint32_t receive = post_receive(&b->qp, sge(&b->buffer, HALF, bytes + 1));
    index =
        post_transfer(&a->qp, RNIC_WQE_SEND, RNIC_WQE_SIGNALLED, sge(&a->buffer, 1, bytes), 0, 0);
    run_all(pair);
    assert_next(&a->send_cq, index, RNIC_CQE_SEND, 0);
    assert_next(&b->receive_cq, receive, RNIC_CQE_RECV, bytes);
    assert_moved(a, 1, b, HALF, bytes);
    assert_int_equal(*a->qp.finished, a->qp.sq_producer);
    assert_none(&a->send_cq);
    assert_none(&b->receive_cq);
}

static void all_sizes(const struct link_up *up) {
    struct pair *pair = pair_plain();
    uint32_t mtu = wire_mtu_bytes(value_or(up->path_mtu, 3));
    qp_connect(&pair->hosts[0].qp, &pair->hosts[1].qp, up);
    const uint32_t sizes[] = {0,           1,       2,           3,           4,
                              mtu - 1,     mtu,     mtu + 1,     2 * mtu - 1, 2 * mtu,
                              2 * mtu + 1, 3 * mtu, 3 * mtu + 1, 40000};
    for (size_t i = 0; i < SIM_ARRAY_COUNT(sizes); i++)
        one_size(pair, sizes[i]);
    assert_int_equal(counter(&pair->hosts[0], RNIC_COUNTER_PACKETS_RETRIED), 0);
    pair_destroy(pair);
}

static void every_size_moves_at_every_path_mtu(void **state) {
    (void)state;
    for (uint8_t mtu = 1; mtu <= 5; mtu++)
        all_sizes(&(struct link_up){.path_mtu = mtu});
}

static void every_size_moves_over_ipv6(void **state) {
    (void)state;
    all_sizes(&(struct link_up){.ipv6 = true});
    all_sizes(&(struct link_up){.ipv6 = true, .path_mtu = 5});
}

static void sequence_numbers_wrap_at_any_packet_of_a_message(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 12; i++) {
        struct pair *pair = pair_plain();
        qp_connect(&pair->hosts[0].qp, &pair->hosts[1].qp,
                   &(struct link_up){.path_mtu = 1, .psn = 0xFFFFFF - i});
        one_size(pair, 3 * 256 + 1);
        pair_destroy(pair);
    }
}

static void a_list_of_buffers_is_one_message(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){0});
    fill(a, 0, 20000, 9);
    struct {
        struct rnic_wqe_control control;
        uint64_t remote;
        uint32_t rkey;
        uint32_t reserved;
        struct rnic_sge sges[5];
    } wqe = {.control = {.opcode = RNIC_WQE_WRITE, .flags = RNIC_WQE_SIGNALLED, .sge_count = 5},
             .remote = b->buffer.base,
             .rkey = b->buffer.key,
             .sges = {sge(&a->buffer, 0, 1),
                      sge(&a->buffer, 1, 4999),
                      {.bytes = 0, .lkey = 77},
                      sge(&a->buffer, 5000, 7001),
                      sge(&a->buffer, 12001, 13)}};
    (void)post_wqe(&a->qp, &wqe, sizeof wqe);
    sq_ring(&a->qp);
    run_all(pair);
    assert_next(&a->send_cq, 0, RNIC_CQE_WRITE, 0);
    assert_moved(a, 0, b, 0, 12014);
    pair_destroy(pair);
}

static void inline_bytes_need_no_key(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){0});
    struct {
        struct rnic_wqe_control control;
        uint64_t remote;
        uint32_t rkey;
        uint32_t reserved;
        char text[64];
    } wqe = {.control = {.opcode = RNIC_WQE_SEND,
                         .flags = RNIC_WQE_SIGNALLED | RNIC_WQE_INLINE | RNIC_WQE_SOLICITED,
                         .inline_bytes = 13},
             .text = "inline bytes"};
    (void)post_receive(&b->qp, sge(&b->buffer, 0, 64));
    (void)post_wqe(&a->qp, &wqe, sizeof wqe);
    sq_ring(&a->qp);
    run_all(pair);
    struct rnic_cqe cqe;
    assert_true(cq_poll(&b->receive_cq, &cqe));
    assert_int_equal(cqe.byte_count, 13);
    assert_int_equal(cqe.flags, RNIC_CQE_FLAG_SOLICITED);
    assert_string_equal((char *)b->buffer.bytes, "inline bytes");
    pair_destroy(pair);
}

static void a_silent_request_leaves_no_entry_but_is_told_as_finished(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){0});
    post_transfer(&a->qp, RNIC_WQE_WRITE, 0, sge(&a->buffer, 0, 100), b->buffer.base,
                  b->buffer.key);
    run_all(pair);
    assert_none(&a->send_cq);
    assert_int_equal(*a->qp.finished, 1);
    pair_destroy(pair);
}

static void the_privileged_key_takes_dma_addresses(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){0});
    fill(a, 0, 200, 1);
    struct rnic_sge local = {
        .address = dma_of(a, a->buffer.bytes), .bytes = 200, .lkey = a->privileged_key};
    post_transfer(&a->qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, local, b->buffer.base, b->buffer.key);
    run_all(pair);
    assert_next(&a->send_cq, 0, RNIC_CQE_WRITE, 0);
    assert_moved(a, 0, b, 0, 200);
    pair_destroy(pair);
}

static void a_device_talks_to_itself(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct qp other;
    qp_create(a, &other, &a->send_cq, &a->receive_cq);
    qp_connect(&a->qp, &other, &(struct link_up){.to_self = true});
    fill(a, 0, 50000, 6);
    (void)post_receive(&other, sge(&a->buffer, HALF, 50000));
    post_transfer(&a->qp, RNIC_WQE_SEND, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 50000), 0, 0);
    run_all(pair);
    assert_next(&a->send_cq, 0, RNIC_CQE_SEND, 0);
    assert_next(&a->receive_cq, 0, RNIC_CQE_RECV, 50000);
    assert_moved(a, 0, a, HALF, 50000);
    assert_int_equal(rnic_device_port(a->device)->statistics.frames_out, 0);
    pair_destroy(pair);
}

struct most {
    struct sim_watch watch;
    uint64_t frames;
};

static void frame_sent(struct sim_world *world, struct sim_watch *watch,
                       const struct sim_record *record) {
    struct most *most = SIM_CONTAINER_OF(watch, struct most, watch);
    uint64_t frames = net_frame_live_count(world);
    (void)record;
    most->frames = frames > most->frames ? frames : most->frames;
}

/* A READ has no window of its own. */
static void what_a_device_says_to_itself_is_paced_too(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    uint32_t bytes = HALF - SIM_PAGE_BYTES;
    struct qp other;
    struct most *most = sim_alloc(pair->world, sizeof *most);
    most->watch.type = sim_trace_type_of(pair->world, "packet.send");
    most->watch.seen = frame_sent;
    sim_watch_add(pair->world, &most->watch);
    qp_create(a, &other, &a->send_cq, &a->receive_cq);
    qp_connect(&a->qp, &other, &(struct link_up){.to_self = true, .path_mtu = 1});
    fill(a, 0, bytes, 6);
    for (uint32_t up = 0; up < 2; up++) {
        net_link_set_up(pair->link, up != 0);
        post_transfer(&a->qp, RNIC_WQE_READ, RNIC_WQE_SIGNALLED, sge(&a->buffer, HALF, bytes),
                      a->buffer.base, a->buffer.key);
        post_transfer(&other, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 1),
                      a->buffer.base, a->buffer.key);
        run_all(pair);
        assert_moved(a, 0, a, HALF, bytes);
    }
    assert_int_equal(*a->qp.finished, 2);
    assert_int_equal(*other.finished, 2);
    assert_in_range(most->frames, 32, 128);
    pair_destroy(pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_moves_at_every_path_mtu),
        cmocka_unit_test(every_size_moves_over_ipv6),
        cmocka_unit_test(sequence_numbers_wrap_at_any_packet_of_a_message),
        cmocka_unit_test(a_list_of_buffers_is_one_message),
        cmocka_unit_test(inline_bytes_need_no_key),
        cmocka_unit_test(a_silent_request_leaves_no_entry_but_is_told_as_finished),
        cmocka_unit_test(the_privileged_key_takes_dma_addresses),
        cmocka_unit_test(a_device_talks_to_itself),
        cmocka_unit_test(what_a_device_says_to_itself_is_paced_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
