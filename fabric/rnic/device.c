/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device as a whole: made, enabled, reset, failed, removed.
 *
 *   OFF --CONTROL.ENABLE--> BOOTING --firmware boots--> READY --EQ overrun, DMA, fault--> FATAL
 *    ^                         |                          |                                 |
 *    +------ CONTROL.RESET, function-level reset, removal +---------------------------------+
 *
 * Outside READY nothing is sent, received, written by DMA or interrupted (but for the one message
 * that tells of FATAL). A reset drops every object; numbers go on from where they were.
 */
#include "device.h"

#include <sim/memory.h>

#include "cq.h"
#include "eq.h"
#include "mkey.h"
#include "qp.h"
#include "srq.h"

_Static_assert(sizeof(struct rnic_command) == RNIC_COMMAND_BYTES, "command layout");
_Static_assert(sizeof(struct rnic_cqe) == RNIC_CQE_BYTES, "CQE layout");
_Static_assert(sizeof(struct rnic_eqe) == RNIC_EQE_BYTES, "EQE layout");
_Static_assert(sizeof(struct rnic_wqe_transfer) == 64, "transfer WQE layout");
_Static_assert(sizeof(struct rnic_wqe_fast_reg) == 64, "fast register WQE layout");
_Static_assert(sizeof(struct rnic_wqe_bind) == 64, "bind WQE layout");
_Static_assert(sizeof(struct rnic_wqe_ud) == 128, "datagram WQE layout");
_Static_assert(sizeof(struct rnic_qp_attributes) == 72, "QP attributes layout");

const struct rnic_config rnic_config_default = {
    .cap_flags = RNIC_CAP_SRQ | RNIC_CAP_CQ_RESIZE | RNIC_CAP_CQ_MODERATION | RNIC_CAP_MW_TYPE_1 |
                 RNIC_CAP_MW_TYPE_2 | RNIC_CAP_READ_INVALIDATE | RNIC_CAP_IN_ORDER_DMA |
                 RNIC_CAP_IPV6,
    .qp_count_max = 1024,
    .cq_count_max = 1024,
    .eq_count_max = 64,
    .srq_count_max = 256,
    .pd_count_max = 256,
    .mkey_count_max = 16384,
    .address_count_max = 16,
    .neighbour_count_max = 64,
    .sq_entry_count_max = 16384,
    .rq_entry_count_max = 16384,
    .srq_entry_count_max = 16384,
    .cq_entry_count_max = 1u << 20,
    .eq_entry_count_max = 1u << 16,
    .sge_count_max = RNIC_SGE_COUNT_LIMIT,
    .read_sge_count_max = RNIC_SGE_COUNT_LIMIT,
    .inline_bytes_max = 512,
    .mkey_page_count_max = 1u << 18,
    .fast_reg_page_count_max = 512,
    .translation_count_max = 1u << 22,
    .message_bytes_max = 1u << 30,
    .reads_out_max = 16,
    .reads_in_max = 16,
    .vector_count = 8,
    .window_packets = 512,
    .ack_interval_packets = 64,
    .burst_bytes = 16384,
    .path_mtu_max = 5,
    .ack_delay = 4,
    .latency = {.boot_ns = 5000,
                .command_ns = 1000,
                .doorbell_ns = 200,
                .transmit_ns = 100,
                .loopback_ns = 500},
};

static void default_u32(uint32_t *value, uint32_t otherwise) {
    if (*value == 0)
        *value = otherwise;
}

static void default_u64(uint64_t *value, uint64_t otherwise) {
    if (*value == 0)
        *value = otherwise;
}

static void config_complete(struct rnic_config *c) {
    const struct rnic_config *d = &rnic_config_default;
    /* The counts and sizes lie side by side. */
    for (size_t at = offsetof(struct rnic_config, cap_flags);
         at <= offsetof(struct rnic_config, burst_bytes); at += sizeof(uint32_t))
        default_u32((uint32_t *)(void *)((char *)c + at),
                    *(const uint32_t *)(const void *)((const char *)d + at));
    c->path_mtu_max = c->path_mtu_max != 0 ? c->path_mtu_max : d->path_mtu_max;
    c->ack_delay = c->ack_delay != 0 ? c->ack_delay : d->ack_delay;
    default_u64(&c->latency.boot_ns, d->latency.boot_ns);
    default_u64(&c->latency.command_ns, d->latency.command_ns);
    default_u64(&c->latency.doorbell_ns, d->latency.doorbell_ns);
    default_u64(&c->latency.transmit_ns, d->latency.transmit_ns);
    default_u64(&c->latency.loopback_ns, d->latency.loopback_ns);
}

static void config_check(const struct rnic_config *c) {
    const uint32_t powers[] = {c->qp_count_max,       c->cq_count_max,       c->eq_count_max,
                               c->srq_count_max,      c->pd_count_max,       c->mkey_count_max,
                               c->sq_entry_count_max, c->rq_entry_count_max, c->srq_entry_count_max,
                               c->cq_entry_count_max, c->eq_entry_count_max};
    for (size_t i = 0; i < SIM_ARRAY_COUNT(powers); i++)
        SIM_ASSERT((powers[i] & (powers[i] - 1)) == 0 && powers[i] <= 1u << 22);
    SIM_ASSERT(c->sge_count_max <= RNIC_SGE_COUNT_LIMIT);
    SIM_ASSERT(c->read_sge_count_max <= RNIC_SGE_COUNT_LIMIT);
    SIM_ASSERT(c->message_bytes_max <= 1u << 30);
    SIM_ASSERT(c->reads_out_max <= 255 && c->reads_in_max <= 255);
    SIM_ASSERT(c->reads_out_total_max <= UINT16_MAX && c->reads_in_total_max <= UINT16_MAX);
    SIM_ASSERT(c->vector_count <= RNIC_VECTOR_COUNT_MAX);
    SIM_ASSERT(c->window_packets <= 1u << 22);
    SIM_ASSERT(c->path_mtu_max <= 5);
    SIM_ASSERT(c->address_count_max <= 256);
}

static void port_frame(void *context, struct net_frame *frame) {
    rnic_receive_frame(context, frame);
}

static void port_link(void *context, bool up) {
    struct rnic_device *device = context;
    const struct rnic_event event = {.type = up ? RNIC_EVENT_PORT_UP : RNIC_EVENT_PORT_DOWN};
    if (rnic_device_is_ready(device))
        rnic_event_post(device, &event);
}

static void port_sent(void *context) {
    rnic_transmit_on_sent(context);
}

static const struct net_port_ops port_ops = {
    .on_frame = port_frame, .on_link = port_link, .on_sent = port_sent};

static void bus_reset(struct sim_bus_device *bus) {
    rnic_device_reset(rnic_device_of(bus));
}

/* The peer sees the link go down. */
static void bus_removed(struct sim_bus_device *bus) {
    struct rnic_device *device = rnic_device_of(bus);
    rnic_device_reset(device);
    net_port_enable(&device->port, false);
}

static void bus_inserted(struct sim_bus_device *bus) {
    net_port_enable(&rnic_device_of(bus)->port, true);
}

static const struct sim_bus_ops bus_ops = {.bar_read = rnic_bar_read,
                                           .bar_write = rnic_bar_write,
                                           .reset = bus_reset,
                                           .removed = bus_removed,
                                           .inserted = bus_inserted};

static void tables_init(struct rnic_device *device) {
    const struct rnic_config *c = &device->config;
    rnic_table_init(device->world, &device->qps, c->qp_count_max, 0x11);
    rnic_table_init(device->world, &device->cqs, c->cq_count_max, 1);
    rnic_table_init(device->world, &device->eqs, c->eq_count_max, 1);
    rnic_table_init(device->world, &device->srqs, c->srq_count_max, 1);
    rnic_table_init(device->world, &device->pds, c->pd_count_max, 1);
    rnic_table_init(device->world, &device->mkeys, c->mkey_count_max, 1);
}

static void append(struct rnic_devices *devices, struct rnic_device *device) {
    SIM_ASSERT(devices != NULL); /* rnic_init was not called */
    if (devices->last != NULL)
        devices->last->next = device;
    else
        devices->first = device;
    devices->last = device;
}

struct rnic_device *rnic_device_create(struct sim_world *world, const struct rnic_config *config) {
    struct rnic_device *device = sim_alloc(world, sizeof *device);
    device->world = world;
    device->config = config != NULL ? *config : rnic_config_default;
    config_complete(&device->config);
    config_check(&device->config);
    sim_bus_device_init(world, &device->bus, device->config.owner,
                        device->config.label != NULL ? device->config.label : "nic0", &bus_ops,
                        device);
    device->bus.bar_bytes[RNIC_BAR_REGISTERS] = RNIC_BAR_REGISTERS_BYTES;
    device->bus.bar_bytes[RNIC_BAR_DOORBELLS] = RNIC_BAR_DOORBELLS_BYTES;
    device->bus.vector_count = device->config.vector_count;
    device->bus.vendor_id = RNIC_VENDOR_ID;
    device->bus.device_id = RNIC_DEVICE_ID;
    net_port_init(world, &device->port, &device->bus.object, device->config.mac, &port_ops, device);
    tables_init(device);
    rnic_addresses_init(device);
    rnic_vectors_init(device);
    rnic_work_init(device);
    rnic_transmit_init(device);
    rnic_firmware_init(device);
    append(sim_world_slot(world, SIM_SLOT_RNIC), device);
    return device;
}

struct sim_bus_device *rnic_device_bus(struct rnic_device *device) {
    return &device->bus;
}

struct net_port *rnic_device_port(struct rnic_device *device) {
    return &device->port;
}

struct rnic_device *rnic_device_of_bus(struct sim_bus_device *bus) {
    return bus->ops == &bus_ops ? bus->state : NULL;
}

uint64_t rnic_device_counter(const struct rnic_device *device, uint32_t counter) {
    return device->counters[rnic_counter_slot(counter)];
}

struct rnic_census rnic_device_census(const struct rnic_device *device) {
    return (struct rnic_census){.qps = device->qps.used + (device->gsi != NULL),
                                .cqs = device->cqs.used,
                                .eqs = device->eqs.used,
                                .srqs = device->srqs.used,
                                .pds = device->pds.used,
                                .mkeys = device->mkeys.used - device->pds.used};
}

struct sim_object *rnic_object_create(struct rnic_device *device, const char *label) {
    struct sim_object *object = sim_alloc(device->world, sizeof *object);
    sim_object_init(device->world, object, &device->bus.object, label, SIM_NAME_INDEXED);
    return object;
}

void rnic_device_enable(struct rnic_device *device) {
    device->state = RNIC_DEVICE_BOOTING;
    rnic_addresses_load(device);
    rnic_firmware_boot(device);
}

void rnic_device_ready(struct rnic_device *device) {
    device->state = RNIC_DEVICE_READY;
    sim_trace(device->world, RNIC_TRACE_DEVICE_READY, SIM_ACCESS_WRITE, &device->bus.object, NULL,
              NULL, 0, 0);
}

/* Objects stay as they are until the reset: callers up the stack still hold them. */
void rnic_device_fail(struct rnic_device *device, enum rnic_health health) {
    if (device->state != RNIC_DEVICE_READY)
        return;
    sim_trace(device->world, RNIC_TRACE_DEVICE_FATAL, SIM_ACCESS_WRITE, &device->bus.object, NULL,
              NULL, health, 0);
    device->health = health;
    if (health == RNIC_HEALTH_INJECTED) {
        const struct rnic_event event = {.type = RNIC_EVENT_DEVICE_FATAL,
                                         .status = (uint8_t)health};
        rnic_event_post(device, &event);
        if (device->state != RNIC_DEVICE_READY)
            return;
    }
    device->state = RNIC_DEVICE_FATAL;
    rnic_firmware_stop(device, RNIC_FIRMWARE_FATAL);
    rnic_vector_raise(device, 0, RNIC_CAUSE_FATAL);
}

void rnic_device_reset(struct rnic_device *device) {
    if (device->state != RNIC_DEVICE_OFF)
        sim_trace(device->world, RNIC_TRACE_DEVICE_RESET, SIM_ACCESS_WRITE, &device->bus.object,
                  NULL, NULL, 0, 0);
    device->state = RNIC_DEVICE_OFF;
    device->health = RNIC_HEALTH_GOOD;
    rnic_firmware_stop(device, RNIC_FIRMWARE_OFF);
    rnic_work_reset(device);
    rnic_qps_reset(device);
    rnic_transmit_reset(device);
    rnic_srqs_reset(device);
    rnic_cqs_reset(device);
    rnic_eqs_reset(device);
    rnic_mkeys_reset(device);
    rnic_vectors_reset(device);
    rnic_addresses_reset(device);
}
