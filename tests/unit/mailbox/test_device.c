/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two mailbox NICs on a wire, driven by hand: they connect, move messages, disconnect, while one
 * frame after the other, each in its own world, is lost, doubled, damaged, overtaken.
 */
#include <net/link.h>
#include <sim/run.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "nic.h"

#define ARENA_BYTES (1u << 20)
#define HOST_BYTES (ARENA_BYTES / 2)
#define MESSAGES 6u
#define MESSAGE_BYTES 10000u
#define EVENT_MAX 64u

/* Where things are in a host's memory; DMA addresses are offsets in the arena. */
enum {
    AT_COMMANDS = 0x1000,
    AT_EVENTS = 0x8000,
    AT_CQ = 0x10000,
    AT_CONSUMER = 0x11000,
    AT_SEND = 0x12000,
    AT_RECEIVE = 0x16000,
    AT_PROGRESS = 0x1A000,
    AT_DATA = 0x20000,
};

struct host {
    struct device device;
    uint8_t *memory;
    uint64_t dma; /* of memory */
    uint32_t commands, events;
    struct mbx_event last;            /* answer */
    struct mbx_event seen[EVENT_MAX]; /* the others */
    uint32_t seen_count;
    uint32_t pd, token, cq, qp, connection;
};

static uint8_t *arena;
extern const struct device_model *const ndksim_device_model;

static void *translate(struct sim_world *world, struct sim_bus_device *device, uint64_t frame,
                       bool write) {
    (void)world;
    (void)device;
    (void)write;
    return frame < ARENA_BYTES / SIM_PAGE_BYTES ? arena + frame * SIM_PAGE_BYTES : NULL;
}

static void bar_write(struct host *host, uint32_t bar, uint64_t offset, uint32_t bytes,
                      uint64_t value) {
    sim_bus_write(host->device.bus, bar, offset, bytes, value);
}

/* The "interrupt service routine": takes all events. */
static void on_interrupt(void *context, uint32_t vector) {
    struct host *host = context;
    const struct mbx_event *ring = (const void *)(host->memory + AT_EVENTS);

    (void)vector;
    for (;;) {
        struct mbx_event event = ring[host->events & (MBX_EVENT_COUNT - 1)];

        if (event.sequence != host->events + 1)
            break;
        host->events++;
        if (event.type == MBX_EVENT_COMMAND) {
            host->last = event;
        } else {
            assert_true(host->seen_count < EVENT_MAX);
            host->seen[host->seen_count++] = event;
        }
    }
    bar_write(host, MBX_BAR_REGISTERS, MBX_REG_EVENT_HEAD, 4, host->events);
}

static void host_make(struct sim_world *world, struct host *host, uint32_t index,
                      const struct device_value *values, const uint16_t *events) {
    static struct sim_object nodes[2];
    const struct wire_ip_addr ip = wire_ip_addr_from_v4(0x0A000001 + index);
    struct device_config config = {.world = world,
                                   .owner = &nodes[index],
                                   .label = "nic0",
                                   .settings = values,
                                   .events = events};

    sim_object_init(world, &nodes[index], NULL, index == 0 ? "left" : "right", SIM_NAME_PLAIN);
    memset(host, 0, sizeof(*host));
    assert_true(ndksim_device_model->create(&config, &host->device));
    host->dma = (uint64_t)index * HOST_BYTES;
    host->memory = arena + host->dma;
    host->device.bus->interrupt = on_interrupt;
    host->device.bus->interrupt_context = host;
    assert_true(net_port_address_add(host->device.port, &ip));
}

static void host_enable(struct host *host) {
    bar_write(host, MBX_BAR_REGISTERS, MBX_REG_CONTROL, 4, MBX_CONTROL_ENABLE);
    bar_write(host, MBX_BAR_REGISTERS, MBX_REG_COMMAND_BASE, 8, host->dma + AT_COMMANDS);
    bar_write(host, MBX_BAR_REGISTERS, MBX_REG_EVENT_BASE, 8, host->dma + AT_EVENTS);
}

/* Long enough for a few repeats, and for nobody's patience. */
static void run_some(struct sim_world *world) {
    (void)sim_run(world, NULL, NULL, sim_now_ns(world) + SIM_NS_PER_S);
}

static void run_idle(struct sim_world *world) {
    assert_int_equal(sim_run(world, NULL, NULL, SIM_TIME_NEVER), SIM_RUN_IDLE);
}

static void post(struct host *host, const struct mbx_command *command) {
    struct mbx_command *ring = (void *)(host->memory + AT_COMMANDS);

    ring[host->commands++ & (MBX_COMMAND_COUNT - 1)] = *command;
    bar_write(host, MBX_BAR_REGISTERS, MBX_REG_COMMAND_TAIL, 4, host->commands);
}

/* A command that is answered before anything else happens on the wire of interest. */
static uint32_t command(struct sim_world *world, struct host *host,
                        const struct mbx_command *asked) {
    post(host, asked);
    (void)sim_run(world, NULL, NULL, sim_now_ns(world) + 2 * MBX_COMMAND_NS);
    assert_int_equal(host->last.status, MBX_OK);
    return host->last.object;
}

static void host_objects(struct sim_world *world, struct host *host) {
    struct mbx_command asked = {.opcode = MBX_CREATE_PD};

    host->pd = command(world, host, &asked);
    host->token = host->last.body.answer.value; /* the privilege */
    asked = (struct mbx_command){.opcode = MBX_CREATE_CQ,
                                 .body.cq = {host->dma + AT_CQ, host->dma + AT_CONSUMER, 64, 64}};
    host->cq = command(world, host, &asked);
    asked = (struct mbx_command){.opcode = MBX_CREATE_QP,
                                 .body.qp = {.cookie = 77,
                                             .send_ring = host->dma + AT_SEND,
                                             .receive_ring = host->dma + AT_RECEIVE,
                                             .progress = host->dma + AT_PROGRESS,
                                             .pd = host->pd,
                                             .send_cq = host->cq,
                                             .receive_cq = host->cq,
                                             .send_count = 16,
                                             .receive_count = 16}};
    host->qp = command(world, host, &asked);
}

static void work(struct host *host, uint32_t ring, uint32_t index) {
    struct mbx_work *entry = (struct mbx_work *)(void *)(host->memory + ring) + index;

    memset(entry, 0, sizeof(*entry));
    entry->cookie = index;
    entry->opcode = MBX_WORK_SEND;
    entry->sge_count = 1;
    entry->payload.sge[0] = (struct mbx_sge){host->dma + AT_DATA + (uint64_t)index * MESSAGE_BYTES,
                                             MESSAGE_BYTES, host->token};
}

static void ring(struct host *host, uint32_t doorbell, uint32_t index) {
    bar_write(host, MBX_BAR_DOORBELLS, doorbell, 8, (uint64_t)host->qp << 32 | index);
}

static const struct mbx_event *saw(const struct host *host, uint32_t type) {
    for (uint32_t i = 0; i < host->seen_count; i++)
        if (host->seen[i].type == type)
            return &host->seen[i];
    return NULL;
}

static struct mbx_address address(uint32_t host, uint16_t port) {
    struct wire_ip_addr ip = wire_ip_addr_from_v4(0x0A000001 + host);
    struct mbx_address it = {.port = port};

    memcpy(it.ip, ip.bytes, sizeof(it.ip));
    return it;
}

static void connect_both(struct sim_world *world, struct host *left, struct host *right) {
    struct mbx_command asked = {.opcode = MBX_LISTEN,
                                .body.listen = {.local = address(1, 5445), .backlog = 4}};

    command(world, right, &asked);
    asked = (struct mbx_command){.opcode = MBX_CREATE_CONNECTION};
    left->connection = command(world, left, &asked);
    asked = (struct mbx_command){
        .opcode = MBX_CONNECT,
        .object = left->connection,
        .body.connect = {
            .local = address(0, 0), .peer = address(1, 5445), .qp = left->qp, .busy_retries = 7}};
    post(left, &asked);
    run_some(world);
}

static void establish(struct sim_world *world, struct host *left, struct host *right) {
    struct mbx_command asked;

    connect_both(world, left, right);
    assert_non_null(saw(right, MBX_EVENT_REQUEST));
    right->connection = saw(right, MBX_EVENT_REQUEST)->object;
    asked = (struct mbx_command){
        .opcode = MBX_ACCEPT, .object = right->connection, .body.connect = {.qp = right->qp}};
    post(right, &asked);
    run_some(world);
    assert_int_equal(saw(left, MBX_EVENT_REPLY)->status, MBX_OK);
    asked = (struct mbx_command){.opcode = MBX_CONFIRM, .object = left->connection};
    post(left, &asked);
    run_some(world);
    assert_int_equal(saw(left, MBX_EVENT_ESTABLISHED)->status, MBX_OK);
    assert_int_equal(saw(right, MBX_EVENT_ESTABLISHED)->status, MBX_OK);
}

/* Two receives are there in time; the others are late, and the sender is told BUSY. */
static void messages_move(struct sim_world *world, struct host *left, struct host *right) {
    const struct mbx_completion *sent = (const void *)(left->memory + AT_CQ);
    const struct mbx_completion *got = (const void *)(right->memory + AT_CQ);

    for (uint32_t i = 0; i < MESSAGES; i++) {
        memset(left->memory + AT_DATA + i * MESSAGE_BYTES, (int)i + 1, MESSAGE_BYTES);
        work(left, AT_SEND, i);
        work(right, AT_RECEIVE, i);
    }
    ring(right, MBX_DOORBELL_RECEIVE, 2);
    ring(left, MBX_DOORBELL_SEND, MESSAGES);
    (void)sim_run(world, NULL, NULL, sim_now_ns(world) + 50 * SIM_NS_PER_US);
    ring(right, MBX_DOORBELL_RECEIVE, MESSAGES);
    run_idle(world);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        assert_int_equal(sent[i].sequence, i + 1);
        assert_int_equal(sent[i].status, MBX_DONE);
        assert_int_equal(got[i].cookie, i);
        assert_int_equal(got[i].bytes, MESSAGE_BYTES);
    }
    assert_memory_equal(left->memory + AT_DATA, right->memory + AT_DATA, MESSAGES * MESSAGE_BYTES);
}

static void part(struct sim_world *world, struct host *left, struct host *right) {
    struct mbx_command asked = {.opcode = MBX_DISCONNECT, .object = left->connection};

    post(left, &asked);
    run_some(world);
    assert_non_null(saw(right, MBX_EVENT_PEER_DONE));
    asked.object = right->connection;
    post(right, &asked);
    run_idle(world);
    assert_int_equal(saw(left, MBX_EVENT_DISCONNECTED)->status, MBX_OK);
    assert_int_equal(saw(right, MBX_EVENT_DISCONNECTED)->status, MBX_OK);
}

/* One world: all that happens between two hosts, with `plan` as the one fault. Whether it fired. */
static bool exchange(const struct sim_fault_plan *plan) {
    const struct sim_config config = {.seed = 1};
    struct sim_world *world = sim_world_create(&config);
    struct device_value values[MBX_SETTING_COUNT];
    uint16_t events[MBX_TRACE_COUNT];
    struct host left, right;
    bool has_fired;

    net_init(world);
    sim_dma_translate_set(world, translate);
    arena = sim_region_take(world, SIM_REGION_BULK, ARENA_BYTES, SIM_PAGE_BYTES);
    for (uint32_t i = 0; i < MBX_SETTING_COUNT; i++)
        values[i] = (struct device_value){.number = ndksim_device_model->settings[i].otherwise};
    for (uint32_t i = 0; i < MBX_TRACE_COUNT; i++)
        events[i] = sim_trace_type_of(world, ndksim_device_model->event_names[i]);
    sim_fault_register(world, ndksim_device_model->faults, ndksim_device_model->fault_count);
    host_make(world, &left, 0, values, events);
    host_make(world, &right, 1, values, events);
    net_link_create(world, NULL, "link", SIM_NAME_PLAIN, left.device.port, right.device.port, NULL);
    if (plan != NULL)
        sim_fault_plan_add(world, plan);
    host_enable(&left);
    host_enable(&right);
    host_objects(world, &left);
    host_objects(world, &right);
    establish(world, &left, &right);
    messages_move(world, &left, &right);
    part(world, &left, &right);
    has_fired = plan != NULL && sim_fault_plan_at(world, 0)->fired_count > 0;
    sim_world_destroy(world);
    return has_fired;
}

static void messages_arrive(void **state) {
    (void)state;
    (void)exchange(NULL);
}

static void each_frame_may_be(const char *point, uint64_t value) {
    uint32_t fired = 0;

    for (uint32_t nth = 1; nth <= 30; nth++) {
        struct sim_world *world = sim_world_create(&(const struct sim_config){.seed = 1});
        struct sim_fault_plan plan = {
            .to_ns = SIM_TIME_NEVER, .nth = nth, .parameter = value, .source = "test"};

        net_init(world);
        plan.point = sim_fault_point_find(world, point);
        assert_non_null(plan.point);
        sim_world_destroy(world);
        fired += exchange(&plan);
    }
    assert_true(fired >= 25);
}

static void each_frame_may_be_lost(void **state) {
    (void)state;
    each_frame_may_be("link.drop", 0);
}

static void each_frame_may_come_twice(void **state) {
    (void)state;
    each_frame_may_be("link.duplicate", 0);
}

static void each_frame_may_be_damaged(void **state) {
    (void)state;
    each_frame_may_be("link.corrupt", 300);
}

static void each_frame_may_be_overtaken(void **state) {
    (void)state;
    each_frame_may_be("link.reorder", 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_arrive),
        cmocka_unit_test(each_frame_may_be_lost),
        cmocka_unit_test(each_frame_may_come_twice),
        cmocka_unit_test(each_frame_may_be_damaged),
        cmocka_unit_test(each_frame_may_be_overtaken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
