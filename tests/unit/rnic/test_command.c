/* SPDX-License-Identifier: Apache-2.0 */
/* Registers, commands, states, limits, faults of the firmware, reset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <net/switch.h>

#include "host.h"

static void the_device_says_what_it_is(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    assert_int_equal(register_read(a, RNIC_REG_MAGIC, 4), RNIC_MAGIC);
    assert_int_equal(register_read(a, RNIC_REG_MAGIC, 8),
                     RNIC_MAGIC | (uint64_t)RNIC_INTERFACE_MAJOR << 48);
    assert_int_equal(register_read(a, RNIC_REG_LINK_STATE, 4), 1);
    assert_int_equal(register_read(a, RNIC_REG_LINK_RATE_MBPS, 4), 100000);
    assert_int_equal(register_read(a, RNIC_REG_LINK_MTU, 4), NET_MTU_BYTES_DEFAULT);
    const uint8_t *mac = rnic_device_port(a->device)->mac.bytes;
    assert_int_equal(register_read(a, RNIC_REG_MAC_0, 4) & 0xFF, mac[0]);
    assert_int_equal(register_read(a, RNIC_REG_MAC_1, 4) >> 8, mac[5]);
    assert_int_equal(register_read(a, RNIC_REG_CLOCK_NS, 8), sim_now_ns(pair->world));
    register_write(a, RNIC_REG_MAILBOX_ADDRESS + 4, 4, 0x12);
    register_write(a, RNIC_REG_MAILBOX_ADDRESS, 4, 0x34);
    assert_int_equal(register_read(a, RNIC_REG_MAILBOX_ADDRESS, 8), UINT64_C(0x1200000034));
    assert_int_equal(register_read(a, RNIC_REG_MAILBOX_ADDRESS + 4, 4), 0x12);
    struct rnic_caps caps;
    uint32_t number = 0;
    assert_int_equal(
        command_run(a, RNIC_CMD_QUERY_CAPS, &number, NULL, 0, &caps, sizeof caps, NULL), 0);
    assert_int_equal(caps.qp_count_max, rnic_config_default.qp_count_max);
    char name[SIM_NAME_BYTES];
    assert_string_equal(sim_object_name(&a->bus->object, name, sizeof name), "left.nic0");
    pair_destroy(pair);
}

static void the_ring_answers_in_order_with_events(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct rnic_command *ring = pages_take(a, SIM_PAGE_BYTES);
    register_write(a, RNIC_REG_RING_BASE, 8, dma_of(a, ring));
    register_write(a, RNIC_REG_RING_SIZE_LOG2, 4, 2);
    for (uint32_t i = 0; i < 10; i++) {
        ring[i & 3] =
            (struct rnic_command){.opcode = i == 5 ? 999 : RNIC_CMD_CREATE_PD, .tag = 100 + i};
        register_write(a, RNIC_REG_RING_DOORBELL, 4, i + 1);
        assert_int_equal(ring[i & 3].done, 0);
        uint64_t start_ns = sim_now_ns(pair->world);
        run_all(pair);
        assert_int_equal(sim_now_ns(pair->world) - start_ns,
                         rnic_config_default.latency.command_ns);
        assert_int_equal(ring[i & 3].done, 1);
        struct rnic_eqe eqe;
        assert_true(eq_poll(a, &eqe));
        assert_int_equal(eqe.type, RNIC_EVENT_COMMAND_DONE);
        assert_int_equal(eqe.number, i & 3);
        assert_int_equal(eqe.data[0], 100 + i);
        assert_int_equal(eqe.status, i == 5 ? RNIC_STATUS_BAD_OPCODE : RNIC_STATUS_OK);
        assert_int_equal(register_read(a, RNIC_REG_RING_CONSUMER, 4), i + 1);
    }
    assert_int_equal(rnic_device_census(a->device).pds, 10);
    pair_destroy(pair);
}

static void commands_refuse_what_they_cannot_do(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    assert_int_equal(command_plain(a, RNIC_CMD_INIT, 0), RNIC_STATUS_BAD_STATE);
    assert_int_equal(command_plain(a, RNIC_CMD_TEARDOWN, 0), RNIC_STATUS_BUSY);
    assert_int_equal(command_plain(a, RNIC_CMD_DESTROY_PD, a->pdn), RNIC_STATUS_BUSY);
    assert_int_equal(command_plain(a, RNIC_CMD_DESTROY_CQ, a->send_cq.number), RNIC_STATUS_BUSY);
    assert_int_equal(command_plain(a, RNIC_CMD_DESTROY_EQ, a->eqn), RNIC_STATUS_BUSY);
    const uint16_t destroys[] = {RNIC_CMD_DESTROY_PD,  RNIC_CMD_DESTROY_CQ,  RNIC_CMD_DESTROY_EQ,
                                 RNIC_CMD_DESTROY_QP,  RNIC_CMD_DESTROY_SRQ, RNIC_CMD_DESTROY_MKEY,
                                 RNIC_CMD_MODERATE_CQ, RNIC_CMD_QUERY_SRQ,   RNIC_CMD_QUERY_QP};
    for (size_t i = 0; i < SIM_ARRAY_COUNT(destroys); i++)
        assert_int_equal(command_plain(a, destroys[i], 0xABCDE), RNIC_STATUS_BAD_NUMBER);
    assert_int_equal(command_plain(a, RNIC_CMD_CREATE_CQ, 0), RNIC_STATUS_BAD_PARAMETER);
    struct rnic_cq_create create = {
        .pages = {.address = 4096, .page_count = 1}, .entry_count_log2 = 21, .eqn = a->eqn};
    uint32_t number = 0;
    assert_int_equal(command_in(a, RNIC_CMD_CREATE_CQ, &number, &create, sizeof create),
                     RNIC_STATUS_LIMIT);
    create.entry_count_log2 = 7;
    assert_int_equal(command_in(a, RNIC_CMD_CREATE_CQ, &number, &create, sizeof create),
                     RNIC_STATUS_BAD_PARAMETER);
    create.pages.page_count = 2;
    create.pages.address = 4097;
    assert_int_equal(command_in(a, RNIC_CMD_CREATE_CQ, &number, &create, sizeof create),
                     RNIC_STATUS_BAD_PARAMETER);
    create.pages.depth = 1;
    create.pages.address = UINT64_C(1) << 50;
    assert_int_equal(command_in(a, RNIC_CMD_CREATE_CQ, &number, &create, sizeof create),
                     RNIC_STATUS_DMA_ERROR);
    pair_destroy(pair);
}

static void lists_of_lists_describe_large_memory(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    uint32_t count = RNIC_PAGE_LIST_COUNT + 3;
    uint8_t *memory = pages_take(a, count * SIM_PAGE_BYTES);
    uint64_t *lists = pages_take(a, 3 * SIM_PAGE_BYTES);
    uint64_t *entries = lists + RNIC_PAGE_LIST_COUNT;
    for (uint32_t i = 0; i < count; i++)
        entries[i] = dma_of(a, memory + i * SIM_PAGE_BYTES);
    lists[0] = dma_of(a, entries);
    lists[1] = dma_of(a, entries + RNIC_PAGE_LIST_COUNT);
    struct rnic_mkey_create create = {
        .pages = {.address = dma_of(a, lists), .page_count = count, .depth = 2},
        .base = 0x5000,
        .length = count * SIM_PAGE_BYTES,
        .pdn = a->pdn,
        .rights = RIGHTS_ALL,
        .kind = RNIC_MKEY_REGION};
    uint32_t number = 0;
    uint64_t key = 0;
    assert_int_equal(
        command_run(a, RNIC_CMD_CREATE_MKEY, &number, &create, sizeof create, NULL, 0, &key), 0);
    struct buffer large = {.base = 0x5000, .key = (uint32_t)key};
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){0});
    fill(b, 0, 100, 3);
    post_transfer(&a->qp, RNIC_WQE_READ, 0, sge(&large, (count - 1) * SIM_PAGE_BYTES, 100),
                  b->buffer.base, b->buffer.key);
    run_all(pair);
    assert_memory_equal(memory + (count - 1) * SIM_PAGE_BYTES, b->buffer.bytes, 100);
    pair_destroy(pair);
}

static void only_listed_transitions_are_legal(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    for (uint32_t to = 0; to <= 8; to++) {
        enum rnic_status expected =
            to == RNIC_QPS_RESET || to == RNIC_QPS_ERR ? RNIC_STATUS_OK : RNIC_STATUS_BAD_STATE;
        if (to >= RNIC_QPS_COUNT)
            expected = RNIC_STATUS_BAD_PARAMETER;
        assert_int_equal(qp_to(&a->qp, to), expected);
        assert_int_equal(qp_to(&a->qp, RNIC_QPS_RESET), 0);
    }
    struct rnic_qp_attributes init = {.mask = RNIC_ATTR_STATE | RNIC_ATTR_RIGHTS,
                                      .state = RNIC_QPS_INIT};
    struct rnic_qp_attributes extra = init;
    extra.mask |= RNIC_ATTR_SQ_PSN;
    assert_int_equal(qp_modify(&a->qp, extra), RNIC_STATUS_BAD_STATE);
    assert_int_equal(qp_modify(&a->qp, init), RNIC_STATUS_OK);
    init.mask |= RNIC_ATTR_CURRENT_STATE;
    init.current_state = RNIC_QPS_RTS;
    assert_int_equal(qp_modify(&a->qp, init), RNIC_STATUS_BAD_STATE);
    assert_int_equal(qp_to(&a->qp, RNIC_QPS_RTS), RNIC_STATUS_BAD_STATE);
    struct rnic_qp_attributes rtr = {
        .mask = RNIC_ATTR_STATE | RNIC_ATTR_ADDRESS | RNIC_ATTR_PATH_MTU | RNIC_ATTR_DEST_QPN |
                RNIC_ATTR_RQ_PSN | RNIC_ATTR_READS_IN | RNIC_ATTR_MIN_RNR_TIMER,
        .state = RNIC_QPS_RTR,
        .path_mtu = 3,
        .address = {.dst_ip = {0xFD, [15] = 99}, .address_index = 1}};
    assert_int_equal(qp_modify(&a->qp, rtr), RNIC_STATUS_NO_ROUTE);
    rtr.address.dst_ip[15] = 2;
    rtr.path_mtu = 6;
    assert_int_equal(qp_modify(&a->qp, rtr), RNIC_STATUS_BAD_PARAMETER);
    rtr.path_mtu = 5;
    rtr.reads_in = 200;
    assert_int_equal(qp_modify(&a->qp, rtr), RNIC_STATUS_LIMIT);
    rtr.reads_in = 0;
    assert_int_equal(qp_modify(&a->qp, rtr), RNIC_STATUS_OK);
    assert_int_equal(qp_info(&a->qp).state, RNIC_QPS_RTR);
    pair_destroy(pair);
}

static void the_first_packet_in_rtr_is_told(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){.stay_in_rtr = true});
    for (uint32_t i = 0; i < 3; i++)
        post_transfer(&a->qp, RNIC_WQE_WRITE, 0, sge(&a->buffer, 0, 10), b->buffer.base,
                      b->buffer.key);
    run_all(pair);
    struct rnic_eqe eqe;
    assert_true(eq_find(b, RNIC_EVENT_QP_COMM_EST, &eqe));
    assert_int_equal(eqe.number, b->qp.number);
    assert_false(eq_find(b, RNIC_EVENT_QP_COMM_EST, &eqe));
    assert_int_equal(*a->qp.finished, 3);
    pair_destroy(pair);
}

static void addresses_and_neighbours_come_from_the_topology_and_can_be_set(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct rnic_address address;
    uint32_t number = 1;
    assert_int_equal(
        command_run(a, RNIC_CMD_QUERY_ADDRESS, &number, NULL, 0, &address, sizeof address, NULL),
        0);
    assert_int_equal(address.valid, 1);
    assert_int_equal(address.ip[0], 0xFD);
    struct rnic_neighbour ask = {.ip = {0xFD, [15] = 2}};
    struct rnic_neighbour answer;
    assert_int_equal(command_run(a, RNIC_CMD_RESOLVE_NEIGHBOUR, &number, &ask, sizeof ask, &answer,
                                 sizeof answer, NULL),
                     0);
    assert_memory_equal(answer.mac, rnic_device_port(pair->hosts[1].device)->mac.bytes, 6);
    ask.ip[15] = 50;
    assert_int_equal(command_run(a, RNIC_CMD_RESOLVE_NEIGHBOUR, &number, &ask, sizeof ask, &answer,
                                 sizeof answer, NULL),
                     RNIC_STATUS_NO_ROUTE);
    ask = (struct rnic_neighbour){
        .ip = {0xFD, [15] = 50}, .mac = {2, 3, 4, 5, 6, 7}, .vlan_id = 9, .valid = 1, .tagged = 1};
    assert_int_equal(command_in(a, RNIC_CMD_SET_NEIGHBOUR, &number, &ask, sizeof ask), 0);
    assert_int_equal(command_run(a, RNIC_CMD_RESOLVE_NEIGHBOUR, &number, &ask, sizeof ask, &answer,
                                 sizeof answer, NULL),
                     0);
    assert_memory_equal(&answer, &ask, sizeof ask);
    pair_destroy(pair);
}

static void counters_are_read_from_any_on(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){0});
    post_transfer(&a->qp, RNIC_WQE_WRITE, 0, sge(&a->buffer, 0, 5000), b->buffer.base,
                  b->buffer.key);
    run_all(pair);
    uint64_t values[4];
    uint64_t first = RNIC_COUNTER_SENT_BY_OPCODE + WIRE_RC_WRITE_FIRST;
    uint32_t number = 0;
    assert_int_equal(
        command_run(a, RNIC_CMD_QUERY_COUNTERS, &number, NULL, 0, values, sizeof values, &first),
        0);
    assert_int_equal(values[0], 1);
    assert_int_equal(values[1], 3);
    assert_int_equal(values[2], 1);
    assert_int_equal(values[3], 0);
    assert_string_equal(rnic_counter_name(RNIC_COUNTER_DOORBELLS), "doorbells");
    pair_destroy(pair);
}

static void firmware_that_hangs_is_seen_and_helped_by_a_reset(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    plan_add(pair, "rnic.firmware_hang", (struct sim_fault_plan){.nth = 2});
    assert_int_equal(command_plain(a, RNIC_CMD_NOP, 0), RNIC_STATUS_OK);
    assert_int_equal(command_plain(a, RNIC_CMD_NOP, 0), RNIC_STATUS_TIMEOUT);
    assert_int_equal(register_read(a, RNIC_REG_FIRMWARE_STATE, 4), RNIC_FIRMWARE_HUNG);
    assert_int_equal(command_plain(a, RNIC_CMD_NOP, 0), RNIC_STATUS_TIMEOUT);
    register_write(a, RNIC_REG_CONTROL, 4, RNIC_CONTROL_RESET | RNIC_CONTROL_ENABLE);
    run_all(pair);
    assert_int_equal(register_read(a, RNIC_REG_STATUS, 4), RNIC_STATUS_READY);
    assert_int_equal(command_plain(a, RNIC_CMD_INIT, 0), RNIC_STATUS_OK);
    struct rnic_census census = rnic_device_census(a->device);
    assert_int_equal(census.qps + census.cqs + census.eqs + census.pds + census.mkeys, 0);
    pair_destroy(pair);
}

static void a_fatal_device_is_silent_but_for_one_message(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){.retry_count = 1});
    plan_add(pair, "rnic.reset", (struct sim_fault_plan){.nth = 3, .subject = "left.nic0"});
    for (uint32_t i = 0; i < 4; i++)
        post_transfer(&a->qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 50000),
                      b->buffer.base, b->buffer.key);
    run_all(pair);
    assert_int_equal(register_read(a, RNIC_REG_STATUS, 4), RNIC_STATUS_FATAL);
    struct rnic_cqe cqe;
    struct rnic_eqe eqe;
    assert_false(cq_poll(&a->send_cq, &cqe));
    assert_true(eq_poll(a, &eqe));
    assert_int_equal(eqe.type, RNIC_EVENT_DEVICE_FATAL);
    assert_int_equal(register_read(a, RNIC_REG_VECTORS + RNIC_VECTOR_CAUSE, 4),
                     RNIC_CAUSE_EQ | RNIC_CAUSE_FATAL);
    pair_destroy(pair);
}

static void planned_failures_have_no_effect_on_what_stands(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct sim_fault_plan *plan =
        plan_add(pair, "rnic.command_fail", (struct sim_fault_plan){.nth = 1});
    assert_int_equal(command_plain(a, RNIC_CMD_CREATE_PD, 0), RNIC_STATUS_INTERNAL);
    assert_int_equal(plan->fired_count, 1);
    plan_add(pair, "rnic.table_full", (struct sim_fault_plan){.nth = 1});
    assert_int_equal(command_plain(a, RNIC_CMD_CREATE_PD, 0), RNIC_STATUS_NO_RESOURCES);
    assert_int_equal(rnic_device_census(a->device).pds, 1);
    assert_int_equal(command_plain(a, RNIC_CMD_CREATE_PD, 0), RNIC_STATUS_OK);
    pair_destroy(pair);
}

static void the_next_doorbell_makes_up_for_a_lost_one(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){0});
    plan_add(pair, "rnic.doorbell_lost", (struct sim_fault_plan){.nth = 1, .subject = "*qp*"});
    for (uint32_t i = 0; i < 2; i++) {
        post_transfer(&a->qp, RNIC_WQE_WRITE, 0, sge(&a->buffer, 0, 10), b->buffer.base,
                      b->buffer.key);
        run_all(pair);
        assert_int_equal(*a->qp.finished, 2 * i);
    }
    pair_destroy(pair);
}

static void tables_fill_up(void **state) {
    (void)state;
    struct pair_options options = pair_defaults();
    options.config.pd_count_max = 4;
    struct pair *pair = pair_create(&options);
    struct host *a = &pair->hosts[0];
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(command_plain(a, RNIC_CMD_CREATE_PD, 0), RNIC_STATUS_OK);
    assert_int_equal(command_plain(a, RNIC_CMD_CREATE_PD, 0), RNIC_STATUS_NO_RESOURCES);
    pair_destroy(pair);
}

/* A list is read into the device; a driver could name the same page for ever. */
static void translations_are_a_resource_like_any_other(void **state) {
    (void)state;
    struct pair_options options = pair_defaults();
    options.config.translation_count_max = 4096;
    struct pair *pair = pair_create(&options);
    struct host *a = &pair->hosts[0];
    struct rnic_mkey_create create = {.pages = {.page_count = 1024},
                                      .length = 1024 * RNIC_PAGE_BYTES,
                                      .pdn = a->pdn,
                                      .kind = RNIC_MKEY_REGION};
    uint32_t numbers[4] = {0};
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(command_in(a, RNIC_CMD_CREATE_MKEY, &numbers[i], &create, sizeof create),
                         i < 3 ? RNIC_STATUS_OK : RNIC_STATUS_NO_RESOURCES);
    assert_int_equal(command_plain(a, RNIC_CMD_DESTROY_MKEY, numbers[1]), RNIC_STATUS_OK);
    assert_int_equal(command_in(a, RNIC_CMD_CREATE_MKEY, &numbers[3], &create, sizeof create),
                     RNIC_STATUS_OK);
    create.kind = RNIC_MKEY_FAST_REG;
    create.pages.page_count = 512;
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(command_in(a, RNIC_CMD_CREATE_MKEY, &numbers[0], &create, sizeof create),
                         i < 1 ? RNIC_STATUS_OK : RNIC_STATUS_NO_RESOURCES);
    pair_destroy(pair);
}

static void a_producer_beyond_the_command_ring_is_fatal(void **state) {
    (void)state;
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    register_write(a, RNIC_REG_RING_BASE, 8, dma_of(a, pages_take(a, SIM_PAGE_BYTES)));
    register_write(a, RNIC_REG_RING_SIZE_LOG2, 4, 2);
    register_write(a, RNIC_REG_RING_DOORBELL, 4, 5);
    assert_int_equal(register_read(a, RNIC_REG_STATUS, 4), RNIC_STATUS_FATAL);
    assert_int_equal(register_read(a, RNIC_REG_HEALTH_SYNDROME, 4), RNIC_HEALTH_COMMAND_RING);
    pair_destroy(pair);
}

static void equal_runs_have_equal_digests(void **state) {
    (void)state;
    uint64_t digests[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct pair *pair = pair_plain();
        struct host *a = &pair->hosts[0];
        struct host *b = &pair->hosts[1];
        qp_connect(&a->qp, &b->qp, &(struct link_up){0});
        plan_add(pair, "link.drop", (struct sim_fault_plan){.ppm = 50000});
        for (uint32_t n = 0; n < 20; n++)
            post_transfer(&a->qp, n % 2 ? RNIC_WQE_READ : RNIC_WQE_WRITE, 0,
                          sge(&a->buffer, 0, 9000), b->buffer.base, b->buffer.key);
        run_all(pair);
        digests[i] = sim_digest(pair->world);
        pair_destroy(pair);
    }
    assert_int_equal(digests[0], digests[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_says_what_it_is),
        cmocka_unit_test(the_ring_answers_in_order_with_events),
        cmocka_unit_test(commands_refuse_what_they_cannot_do),
        cmocka_unit_test(lists_of_lists_describe_large_memory),
        cmocka_unit_test(only_listed_transitions_are_legal),
        cmocka_unit_test(the_first_packet_in_rtr_is_told),
        cmocka_unit_test(addresses_and_neighbours_come_from_the_topology_and_can_be_set),
        cmocka_unit_test(counters_are_read_from_any_on),
        cmocka_unit_test(firmware_that_hangs_is_seen_and_helped_by_a_reset),
        cmocka_unit_test(a_fatal_device_is_silent_but_for_one_message),
        cmocka_unit_test(planned_failures_have_no_effect_on_what_stands),
        cmocka_unit_test(the_next_doorbell_makes_up_for_a_lost_one),
        cmocka_unit_test(tables_fill_up),
        cmocka_unit_test(translations_are_a_resource_like_any_other),
        cmocka_unit_test(a_producer_beyond_the_command_ring_is_fatal),
        cmocka_unit_test(equal_runs_have_equal_digests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
