/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: fast registration, invalidation by either side, windows, fences, reuse of numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host.h"

struct ends {
    struct pair *pair;
    struct host *a;
    struct host *b;
};

static struct ends connected(void) {
    struct pair *pair = pair_plain();
    struct ends ends = {pair, &pair->hosts[0], &pair->hosts[1]};
    qp_connect(&ends.a->qp, &ends.b->qp, &(struct link_up){0});
    return ends;
}

static struct rnic_cqe next(struct cq *cq) {
    struct rnic_cqe cqe;
    assert_true(cq_poll(cq, &cqe));
    return cqe;
}

static uint32_t key_create(struct host *host, uint8_t kind, bool remote) {
    struct rnic_mkey_create create = {
        .pages = {.page_count = 16}, .pdn = host->pdn, .kind = kind, .remote_enable = remote};
    uint64_t key = 0;
    uint32_t number = 0;
    assert_int_equal(
        command_run(host, RNIC_CMD_CREATE_MKEY, &number, &create, sizeof create, NULL, 0, &key),
        RNIC_STATUS_OK);
    assert_int_equal(number, RNIC_KEY_INDEX(key));
    return (uint32_t)key;
}

static struct rnic_mkey_info key_info(struct host *host, uint32_t key) {
    struct rnic_mkey_info info;
    uint32_t number = RNIC_KEY_INDEX(key);
    assert_int_equal(
        command_run(host, RNIC_CMD_QUERY_MKEY, &number, NULL, 0, &info, sizeof info, NULL), 0);
    return info;
}

/* Pages of the host's buffer in reverse order: remote addresses run across them all the same. */
static struct buffer post_fast_reg(struct host *host, uint32_t key, uint32_t rights,
                                   uint32_t page_count) {
    uint64_t *list = pages_take(host, SIM_PAGE_BYTES);
    uint8_t *first = host->buffer.bytes - 96 + SIM_PAGE_BYTES;
    for (uint32_t i = 0; i < page_count; i++)
        list[i] = dma_of(host, first + (page_count - 1 - i) * SIM_PAGE_BYTES);
    struct rnic_wqe_fast_reg wqe = {
        .control = {.opcode = RNIC_WQE_FAST_REG, .flags = RNIC_WQE_SIGNALLED, .key = key},
        .base = 0x12340 * 4096 + 40,
        .length = page_count * SIM_PAGE_BYTES - 40,
        .page_list = dma_of(host, list),
        .page_count = page_count,
        .rights = rights};
    (void)post_wqe(&host->qp, &wqe, sizeof wqe);
    sq_ring(&host->qp);
    return (struct buffer){.bytes = first, .base = wqe.base, .length = wqe.length, .key = key};
}

static void post_invalidate(struct host *host, uint32_t key, uint8_t flags) {
    struct rnic_wqe_control wqe = {
        .opcode = RNIC_WQE_LOCAL_INV, .flags = (uint8_t)(RNIC_WQE_SIGNALLED | flags), .key = key};
    (void)post_wqe(&host->qp, &wqe, sizeof wqe);
    sq_ring(&host->qp);
}

static void write_to(struct ends *ends, const struct buffer *buffer, uint64_t offset,
                     uint32_t bytes) {
    post_transfer(&ends->a->qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&ends->a->buffer, 0, bytes),
                  buffer->base + offset, buffer->key);
    run_all(ends->pair);
}

static void a_fast_registered_key_works_until_it_is_invalidated(void **state) {
    (void)state;
    struct ends ends = connected();
    fill(ends.a, 0, 9000, 3);
    uint32_t key = key_create(ends.b, RNIC_MKEY_FAST_REG, true);
    for (uint32_t round = 1; round <= 3; round++) {
        struct buffer buffer = post_fast_reg(ends.b, (key & ~0xFFu) | round, RIGHTS_ALL, 3);
        run_all(ends.pair);
        assert_int_equal(next(&ends.b->send_cq).status, RNIC_CQE_OK);
        write_to(&ends, &buffer, 0, 9000);
        assert_int_equal(next(&ends.a->send_cq).status, RNIC_CQE_OK);
        /* 4056 bytes lie in the page that is last in memory. */
        assert_memory_equal(ends.a->buffer.bytes, buffer.bytes + 2 * SIM_PAGE_BYTES + 40, 4056);
        assert_memory_equal(ends.a->buffer.bytes + 4056, buffer.bytes + SIM_PAGE_BYTES, 4096);
        post_invalidate(ends.b, buffer.key, 0);
        run_all(ends.pair);
        assert_int_equal(next(&ends.b->send_cq).status, RNIC_CQE_OK);
        assert_int_equal(key_info(ends.b, key).state, RNIC_MKEY_FREE);
    }
    struct buffer stale = {.base = 0x12340 * 4096 + 40, .key = (key & ~0xFFu) | 3};
    write_to(&ends, &stale, 0, 10);
    assert_int_equal(next(&ends.a->send_cq).status, RNIC_CQE_REMOTE_ACCESS);
    pair_destroy(ends.pair);
}

static void fast_registration_fails(uint32_t page_count, uint32_t rights, bool remote,
                                    uint8_t syndrome) {
    struct ends ends = connected();
    uint32_t key = key_create(ends.b, RNIC_MKEY_FAST_REG, remote);
    (void)post_fast_reg(ends.b, key, rights, page_count);
    run_all(ends.pair);
    struct rnic_cqe cqe = next(&ends.b->send_cq);
    assert_int_equal(cqe.status, RNIC_CQE_MEMORY_OPERATION);
    assert_int_equal(cqe.syndrome, syndrome);
    assert_int_equal(qp_info(&ends.b->qp).state, RNIC_QPS_ERR);
    pair_destroy(ends.pair);
}

static void fast_registration_keeps_to_its_limits(void **state) {
    (void)state;
    fast_registration_fails(17, RIGHTS_ALL, true, RNIC_SYNDROME_KEY_BOUNDS);
    fast_registration_fails(2, RIGHTS_ALL, false, RNIC_SYNDROME_KEY_RIGHTS);
    fast_registration_fails(2, RNIC_RIGHT_REMOTE_WRITE, true, RNIC_SYNDROME_KEY_RIGHTS);
    fast_registration_fails(2, RIGHTS_ALL | 1u << 7, true, RNIC_SYNDROME_KEY_RIGHTS);
}

static void a_page_list_names_whole_pages(void **state) {
    (void)state;
    struct ends ends = connected();
    uint64_t *list = pages_take(ends.b, SIM_PAGE_BYTES);
    list[0] = dma_of(ends.b, list) + 8;
    struct rnic_wqe_fast_reg wqe = {
        .control = {.opcode = RNIC_WQE_FAST_REG,
                    .key = key_create(ends.b, RNIC_MKEY_FAST_REG, true)},
        .base = 4096,
        .length = 4096,
        .page_list = dma_of(ends.b, list),
        .page_count = 1};
    (void)post_wqe(&ends.b->qp, &wqe, sizeof wqe);
    sq_ring(&ends.b->qp);
    run_all(ends.pair);
    assert_int_equal(next(&ends.b->send_cq).syndrome, RNIC_SYNDROME_WQE);
    pair_destroy(ends.pair);
}

static void a_key_in_use_is_not_registered_again(void **state) {
    (void)state;
    struct ends ends = connected();
    uint32_t key = key_create(ends.b, RNIC_MKEY_FAST_REG, true);
    (void)post_fast_reg(ends.b, key, RIGHTS_ALL, 2);
    (void)post_fast_reg(ends.b, key | 1, RIGHTS_ALL, 2);
    run_all(ends.pair);
    assert_int_equal(next(&ends.b->send_cq).status, RNIC_CQE_OK);
    assert_int_equal(next(&ends.b->send_cq).syndrome, RNIC_SYNDROME_KEY_BUSY);
    pair_destroy(ends.pair);
}

static void a_region_cannot_be_invalidated(void **state) {
    (void)state;
    struct ends ends = connected();
    post_invalidate(ends.b, ends.b->buffer.key, 0);
    run_all(ends.pair);
    struct rnic_cqe cqe = next(&ends.b->send_cq);
    assert_int_equal(cqe.status, RNIC_CQE_MEMORY_OPERATION);
    assert_int_equal(cqe.syndrome, RNIC_SYNDROME_KEY_BUSY);
    pair_destroy(ends.pair);
}

static void the_peer_invalidates_with_its_send(void **state) {
    (void)state;
    struct ends ends = connected();
    uint32_t key = key_create(ends.b, RNIC_MKEY_FAST_REG, true);
    struct buffer buffer = post_fast_reg(ends.b, key | 9, RIGHTS_ALL, 2);
    (void)post_receive(&ends.b->qp, sge(&ends.b->buffer, 0, 5000));
    run_all(ends.pair);
    fill(ends.a, 0, 3000, 8);
    post_transfer(&ends.a->qp, RNIC_WQE_SEND_INV, RNIC_WQE_SIGNALLED, sge(&ends.a->buffer, 0, 3000),
                  0, buffer.key);
    run_all(ends.pair);
    assert_int_equal(next(&ends.a->send_cq).opcode, RNIC_CQE_SEND);
    struct rnic_cqe cqe = next(&ends.b->receive_cq);
    assert_int_equal(cqe.opcode, RNIC_CQE_RECV_INV);
    assert_int_equal(cqe.key, buffer.key);
    assert_int_equal(cqe.byte_count, 3000);
    assert_int_equal(key_info(ends.b, key).state, RNIC_MKEY_FREE);
    /* Once more, by its owner: fails. */
    post_invalidate(ends.b, buffer.key, 0);
    run_all(ends.pair);
    (void)next(&ends.b->send_cq);
    assert_int_equal(next(&ends.b->send_cq).status, RNIC_CQE_MEMORY_OPERATION);
    pair_destroy(ends.pair);
}

static void invalidating_what_cannot_be_ends_the_connection(void **state) {
    (void)state;
    struct ends ends = connected();
    (void)post_receive(&ends.b->qp, sge(&ends.b->buffer, 0, 5000));
    post_transfer(&ends.a->qp, RNIC_WQE_SEND_INV, 0, sge(&ends.a->buffer, 0, 30), 0,
                  ends.b->buffer.key);
    run_all(ends.pair);
    assert_int_equal(next(&ends.a->send_cq).status, RNIC_CQE_REMOTE_ACCESS);
    assert_int_equal(next(&ends.b->receive_cq).status, RNIC_CQE_FLUSHED);
    assert_int_equal(qp_info(&ends.b->qp).syndrome, RNIC_SYNDROME_INVALIDATE);
    pair_destroy(ends.pair);
}

static void a_read_may_invalidate_its_sink(void **state) {
    (void)state;
    struct ends ends = connected();
    uint32_t key = key_create(ends.a, RNIC_MKEY_FAST_REG, false);
    struct buffer sink = post_fast_reg(ends.a, key, RNIC_RIGHT_LOCAL_WRITE, 2);
    post_transfer(&ends.a->qp, RNIC_WQE_READ, RNIC_WQE_SIGNALLED | RNIC_WQE_LOCAL_INVALIDATE,
                  sge(&sink, 0, 5000), ends.b->buffer.base, ends.b->buffer.key);
    run_all(ends.pair);
    (void)next(&ends.a->send_cq);
    assert_int_equal(next(&ends.a->send_cq).status, RNIC_CQE_OK);
    assert_int_equal(key_info(ends.a, key).state, RNIC_MKEY_FREE);
    pair_destroy(ends.pair);
}

static void a_read_that_could_not_invalidate_its_sink_reads_nothing(void **state) {
    (void)state;
    struct ends ends = connected();
    fill(ends.b, 0, 5000, 3);
    memset(ends.a->buffer.bytes, 0, 5000);
    post_transfer(&ends.a->qp, RNIC_WQE_READ, RNIC_WQE_SIGNALLED | RNIC_WQE_LOCAL_INVALIDATE,
                  sge(&ends.a->buffer, 0, 5000), ends.b->buffer.base, ends.b->buffer.key);
    run_all(ends.pair);
    assert_int_equal(next(&ends.a->send_cq).status, RNIC_CQE_MEMORY_OPERATION);
    for (uint32_t i = 0; i < 5000; i++)
        assert_int_equal(ends.a->buffer.bytes[i], 0);
    pair_destroy(ends.pair);
}

static void a_fenced_invalidate_waits_for_the_read(void **state) {
    (void)state;
    for (uint32_t fenced = 0; fenced < 2; fenced++) {
        struct ends ends = connected();
        uint32_t key = key_create(ends.a, RNIC_MKEY_FAST_REG, false);
        struct buffer sink = post_fast_reg(ends.a, key, RNIC_RIGHT_LOCAL_WRITE, 2);
        post_transfer(&ends.a->qp, RNIC_WQE_READ, RNIC_WQE_SIGNALLED, sge(&sink, 0, 5000),
                      ends.b->buffer.base, ends.b->buffer.key);
        post_invalidate(ends.a, key, fenced ? RNIC_WQE_FENCE : 0);
        run_all(ends.pair);
        (void)next(&ends.a->send_cq);
        assert_int_equal(next(&ends.a->send_cq).status,
                         fenced ? RNIC_CQE_OK : RNIC_CQE_LOCAL_PROTECTION);
        assert_int_equal(next(&ends.a->send_cq).status, fenced ? RNIC_CQE_OK : RNIC_CQE_FLUSHED);
        pair_destroy(ends.pair);
    }
}

static struct buffer post_bind(struct host *host, uint32_t window, const struct buffer *region,
                               uint64_t offset, uint64_t length, uint32_t rights) {
    struct rnic_wqe_bind wqe = {
        .control = {.opcode = RNIC_WQE_BIND_MW, .flags = RNIC_WQE_SIGNALLED, .key = window},
        .base = region->base + offset,
        .length = length,
        .region_key = region->key,
        .rights = rights};
    (void)post_wqe(&host->qp, &wqe, sizeof wqe);
    sq_ring(&host->qp);
    run_all(host->pair);
    return (struct buffer){
        .bytes = region->bytes + offset, .base = wqe.base, .length = length, .key = window};
}

static void a_window_narrows_its_region(void **state) {
    (void)state;
    struct ends ends = connected();
    fill(ends.a, 0, 1000, 4);
    uint32_t window = key_create(ends.b, RNIC_MKEY_WINDOW_2, false) | 5;
    struct buffer bound =
        post_bind(ends.b, window, &ends.b->buffer, 5000, 1000, RNIC_RIGHT_REMOTE_WRITE);
    assert_int_equal(next(&ends.b->send_cq).status, RNIC_CQE_OK);
    write_to(&ends, &bound, 0, 1000);
    assert_int_equal(next(&ends.a->send_cq).status, RNIC_CQE_OK);
    assert_memory_equal(ends.b->buffer.bytes + 5000, ends.a->buffer.bytes, 1000);
    assert_int_equal(key_info(ends.b, ends.b->buffer.key).bound_count, 1);
    assert_int_equal(command_plain(ends.b, RNIC_CMD_DESTROY_MKEY, ends.b->buffer.key >> 8),
                     RNIC_STATUS_BUSY);
    write_to(&ends, &bound, 1, 1000);
    assert_int_equal(next(&ends.a->send_cq).status, RNIC_CQE_REMOTE_ACCESS);
    assert_int_equal(qp_info(&ends.b->qp).syndrome, RNIC_SYNDROME_KEY_BOUNDS);
    assert_int_equal(command_plain(ends.b, RNIC_CMD_DESTROY_MKEY, window >> 8), RNIC_STATUS_OK);
    assert_int_equal(key_info(ends.b, ends.b->buffer.key).bound_count, 0);
    pair_destroy(ends.pair);
}

static void a_window_cannot_exceed_its_region(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct ends ends = connected();
        uint32_t window = key_create(ends.b, RNIC_MKEY_WINDOW_2, false);
        struct buffer region =
            buffer_register(ends.b, ends.b->buffer.bytes, 0x50060, 4096,
                            i == 0 ? 0 : RNIC_RIGHT_BIND | (i == 2 ? RNIC_RIGHT_LOCAL_WRITE : 0));
        (void)post_bind(ends.b, window, &region, i == 2 ? 1 : 0, 4096, RNIC_RIGHT_REMOTE_WRITE);
        struct rnic_cqe cqe = next(&ends.b->send_cq);
        assert_int_equal(cqe.status, RNIC_CQE_MEMORY_OPERATION);
        assert_int_equal(cqe.syndrome,
                         i == 2 ? RNIC_SYNDROME_KEY_BOUNDS : RNIC_SYNDROME_KEY_RIGHTS);
        pair_destroy(ends.pair);
    }
}

static void a_type_1_window_moves_by_binding_again(void **state) {
    (void)state;
    struct ends ends = connected();
    uint32_t window = key_create(ends.b, RNIC_MKEY_WINDOW_1, false);
    struct buffer first =
        post_bind(ends.b, window | 1, &ends.b->buffer, 0, 100, RNIC_RIGHT_REMOTE_WRITE);
    struct buffer second =
        post_bind(ends.b, window | 2, &ends.b->buffer, 100, 100, RNIC_RIGHT_REMOTE_WRITE);
    write_to(&ends, &second, 0, 100);
    assert_int_equal(next(&ends.a->send_cq).status, RNIC_CQE_OK);
    write_to(&ends, &first, 0, 100);
    assert_int_equal(next(&ends.a->send_cq).status, RNIC_CQE_REMOTE_ACCESS);
    pair_destroy(ends.pair);
}

static void a_type_2_window_belongs_to_its_qp(void **state) {
    (void)state;
    struct ends ends = connected();
    struct qp other_a;
    struct qp other_b;
    qp_create(ends.a, &other_a, &ends.a->send_cq, &ends.a->receive_cq);
    qp_create(ends.b, &other_b, &ends.b->send_cq, &ends.b->receive_cq);
    qp_connect(&other_a, &other_b, &(struct link_up){0});
    uint32_t window = key_create(ends.b, RNIC_MKEY_WINDOW_2, false);
    struct buffer bound =
        post_bind(ends.b, window, &ends.b->buffer, 0, 100, RNIC_RIGHT_REMOTE_WRITE);
    post_transfer(&other_a, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&ends.a->buffer, 0, 10),
                  bound.base, bound.key);
    run_all(ends.pair);
    assert_int_equal(next(&ends.a->send_cq).status, RNIC_CQE_REMOTE_ACCESS);
    write_to(&ends, &bound, 0, 10);
    assert_int_equal(next(&ends.a->send_cq).status, RNIC_CQE_OK);
    pair_destroy(ends.pair);
}

static void a_key_that_dies_in_the_middle_stops_the_message_there(void **state) {
    (void)state;
    const uint8_t opcodes[] = {RNIC_WQE_WRITE, RNIC_WQE_READ};
    for (size_t i = 0; i < 2; i++) {
        struct ends ends = connected();
        post_transfer(&ends.a->qp, opcodes[i], 0, sge(&ends.a->buffer, 0, 200000),
                      ends.b->buffer.base, ends.b->buffer.key);
        sim_run(ends.pair->world, NULL, NULL, sim_now_ns(ends.pair->world) + 9000);
        assert_int_equal(command_plain(ends.b, RNIC_CMD_DESTROY_MKEY, ends.b->buffer.key >> 8), 0);
        run_all(ends.pair);
        assert_int_equal(next(&ends.a->send_cq).status, RNIC_CQE_REMOTE_ACCESS);
        assert_int_equal(counter(ends.a, RNIC_COUNTER_TIMEOUTS), 0);
        pair_destroy(ends.pair);
    }
}

static enum rnic_status drain(struct host *host, uint32_t key) {
    uint32_t number = RNIC_KEY_INDEX(key);
    uint64_t drains = 1;
    return command_run(host, RNIC_CMD_DESTROY_MKEY, &number, NULL, 0, NULL, 0, &drains);
}

static void a_region_that_drains_ends_what_is_under_way_and_begins_no_more(void **state) {
    (void)state;
    const uint8_t opcodes[] = {RNIC_WQE_WRITE, RNIC_WQE_READ};
    for (size_t i = 0; i < 4; i++) {
        struct ends ends = connected();
        struct host *host = i < 2 ? ends.b : ends.a;
        uint32_t key = host->buffer.key;
        for (uint32_t k = 0; k < 2; k++) {
            post_transfer(&ends.a->qp, opcodes[i % 2], RNIC_WQE_SIGNALLED,
                          sge(&ends.a->buffer, 0, 200000), ends.b->buffer.base, ends.b->buffer.key);
            if (k == 0)
                sim_run(ends.pair->world, NULL, NULL, sim_now_ns(ends.pair->world) + 9000);
            assert_int_equal(drain(host, key), RNIC_STATUS_IN_USE);
        }
        assert_int_equal(key_info(host, key).state, RNIC_MKEY_CLOSING);
        run_all(ends.pair);
        assert_int_equal(next(&ends.a->send_cq).status, RNIC_CQE_OK);
        assert_int_equal(next(&ends.a->send_cq).status,
                         i < 2 ? RNIC_CQE_REMOTE_ACCESS : RNIC_CQE_LOCAL_PROTECTION);
        assert_int_equal(drain(host, key), RNIC_STATUS_OK);
        assert_int_equal(drain(host, key), RNIC_STATUS_BAD_NUMBER);
        pair_destroy(ends.pair);
    }
}

static void a_receive_that_has_begun_keeps_its_region_and_the_next_does_not_begin(void **state) {
    (void)state;
    struct ends ends = connected();
    for (uint32_t k = 0; k < 2; k++) {
        post_receive(&ends.b->qp, sge(&ends.b->buffer, 0, 200000));
        post_transfer(&ends.a->qp, RNIC_WQE_SEND, RNIC_WQE_SIGNALLED,
                      sge(&ends.a->buffer, 0, 200000), 0, 0);
    }
    sim_run(ends.pair->world, NULL, NULL, sim_now_ns(ends.pair->world) + 9000);
    assert_int_equal(drain(ends.b, ends.b->buffer.key), RNIC_STATUS_IN_USE);
    run_all(ends.pair);
    assert_int_equal(next(&ends.b->receive_cq).status, RNIC_CQE_OK);
    assert_int_equal(next(&ends.b->receive_cq).status, RNIC_CQE_LOCAL_PROTECTION);
    assert_int_equal(drain(ends.b, ends.b->buffer.key), RNIC_STATUS_OK);
    pair_destroy(ends.pair);
}

static void an_index_is_not_given_out_again_soon(void **state) {
    (void)state;
    struct pair_options options = pair_defaults();
    options.config.mkey_count_max = 8;
    struct pair *pair = pair_create(&options);
    struct host *a = &pair->hosts[0];
    uint32_t last = 0;
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t key = key_create(a, RNIC_MKEY_FAST_REG, false);
        assert_true(RNIC_KEY_INDEX(key) > last);
        last = RNIC_KEY_INDEX(key);
        assert_int_equal(command_plain(a, RNIC_CMD_DESTROY_MKEY, last), 0);
        assert_int_equal(command_plain(a, RNIC_CMD_DESTROY_MKEY, last), RNIC_STATUS_BAD_NUMBER);
    }
    pair_destroy(pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fast_registered_key_works_until_it_is_invalidated),
        cmocka_unit_test(fast_registration_keeps_to_its_limits),
        cmocka_unit_test(a_page_list_names_whole_pages),
        cmocka_unit_test(a_key_in_use_is_not_registered_again),
        cmocka_unit_test(a_region_cannot_be_invalidated),
        cmocka_unit_test(the_peer_invalidates_with_its_send),
        cmocka_unit_test(invalidating_what_cannot_be_ends_the_connection),
        cmocka_unit_test(a_read_may_invalidate_its_sink),
        cmocka_unit_test(a_read_that_could_not_invalidate_its_sink_reads_nothing),
        cmocka_unit_test(a_fenced_invalidate_waits_for_the_read),
        cmocka_unit_test(a_window_narrows_its_region),
        cmocka_unit_test(a_window_cannot_exceed_its_region),
        cmocka_unit_test(a_type_1_window_moves_by_binding_again),
        cmocka_unit_test(a_type_2_window_belongs_to_its_qp),
        cmocka_unit_test(a_key_that_dies_in_the_middle_stops_the_message_there),
        cmocka_unit_test(a_region_that_drains_ends_what_is_under_way_and_begins_no_more),
        cmocka_unit_test(a_receive_that_has_begun_keeps_its_region_and_the_next_does_not_begin),
        cmocka_unit_test(an_index_is_not_given_out_again_soon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
