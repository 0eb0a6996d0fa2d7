/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver as small as can be, for the tests: two hosts with a device each and one link. It talks
 * to the device only through registers, doorbells and memory, as a real one does. Failures of the
 * harness are assertions, so that it needs no test framework.
 */
#ifndef UNIT_RNIC_HOST_H
#define UNIT_RNIC_HOST_H

#include <stdio.h>
#include <string.h>

#include <net/fault.h>
#include <net/frame.h>
#include <net/link.h>
#include <net/topology.h>
#include <rnic/device.h>
#include <sim/event.h>
#include <sim/fault.h>
#include <sim/memory.h>
#include <sim/run.h>
#include <wire/roce.h>
#include <wire/timers.h>

#define RING_LOG2 8u /* entries of every ring */
#define SQ_STRIDE_LOG2 7u
#define RQ_STRIDE_LOG2 7u
#define BUFFER_BYTES (256u * 1024u)

struct cq {
    struct host *host;
    uint32_t number;
    uint32_t log2;
    uint32_t consumer;
    uint32_t *record; /* consumer, for the device */
    struct rnic_cqe *ring;
};

struct buffer {
    uint8_t *bytes;
    uint64_t base; /* virtual address of its key; not where it is */
    uint64_t length;
    uint32_t key;
};

struct qp {
    struct host *host;
    uint32_t number;
    uint32_t sq_producer;
    uint32_t rq_producer;
    uint32_t *finished;
    uint8_t *sq;
    uint8_t *rq;
    struct cq *send_cq;
    struct cq *receive_cq;
};

struct host {
    struct pair *pair;
    struct sim_world *world;
    struct rnic_device *device;
    struct sim_bus_device *bus;
    uint32_t eqn;
    uint32_t eq_consumer;
    struct rnic_eqe *eq;
    uint32_t interrupts;
    uint32_t pdn;
    uint32_t privileged_key;
    struct rnic_command *command;
    uint8_t *mailbox; /* 4 KiB: input in the first half, output in the second */
    struct cq send_cq;
    struct cq receive_cq;
    struct buffer buffer;
    struct qp qp;
};

struct pair {
    struct sim_world *world;
    struct host hosts[2];
    struct net_link *link;
};

struct pair_options {
    struct rnic_config config;
    struct net_link_config link;
    uint64_t seed;
};

static inline void *pages_take(struct host *host, uint64_t bytes) {
    return sim_region_take(host->world, SIM_REGION_BULK,
                           (bytes + SIM_PAGE_BYTES - 1) & ~(SIM_PAGE_BYTES - 1), SIM_PAGE_BYTES);
}

static inline uint64_t dma_of(struct host *host, const void *address) {
    uint64_t offset = (uintptr_t)address & (SIM_PAGE_BYTES - 1);
    return sim_frame_of(host->world, address) * SIM_PAGE_BYTES + offset;
}

/* Describes memory that begins within a page; lists are made of further pages. */
static inline struct rnic_pages pages_of(struct host *host, const uint8_t *memory, uint64_t bytes) {
    const uint8_t *first = memory - ((uintptr_t)memory & (SIM_PAGE_BYTES - 1));
    uint64_t span = (uint64_t)(memory - first) + bytes;
    uint32_t count = (uint32_t)((span + SIM_PAGE_BYTES - 1) / SIM_PAGE_BYTES);
    struct rnic_pages pages = {.page_count = count, .depth = count == 1 ? 0 : 1};
    if (count == 1) {
        pages.address = dma_of(host, first);
        return pages;
    }
    uint64_t *list = pages_take(host, SIM_PAGE_BYTES);
    SIM_ASSERT(count <= RNIC_PAGE_LIST_COUNT);
    for (uint32_t i = 0; i < count; i++)
        list[i] = dma_of(host, first + i * SIM_PAGE_BYTES);
    pages.address = dma_of(host, list);
    return pages;
}

static inline uint64_t register_read(struct host *host, uint64_t offset, uint32_t bytes) {
    return sim_bus_read(host->bus, RNIC_BAR_REGISTERS, offset, bytes);
}

static inline void register_write(struct host *host, uint64_t offset, uint32_t bytes,
                                  uint64_t value) {
    sim_bus_write(host->bus, RNIC_BAR_REGISTERS, offset, bytes, value);
}

static inline void doorbell(struct host *host, uint32_t offset, uint32_t number, uint32_t command,
                            uint32_t index) {
    sim_bus_write(host->bus, RNIC_BAR_DOORBELLS, offset, 8,
                  RNIC_DOORBELL_VALUE(number, command, index));
}

/* Through the mailbox. `number` goes in and out; `argument` may be NULL. */
static inline enum rnic_status command_run(struct host *host, uint16_t opcode, uint32_t *number,
                                           const void *in, uint32_t in_bytes, void *out,
                                           uint32_t out_bytes, uint64_t *argument) {
    if (in_bytes != 0)
        memcpy(host->mailbox, in, in_bytes);
    *host->command = (struct rnic_command){.opcode = opcode,
                                           .number = *number,
                                           .in_address = dma_of(host, host->mailbox),
                                           .out_address = dma_of(host, host->mailbox + 2048),
                                           .in_bytes = in_bytes,
                                           .out_bytes = out_bytes};
    if (argument != NULL)
        host->command->argument[0] = *argument;
    register_write(host, RNIC_REG_MAILBOX_ADDRESS, 8, dma_of(host, host->command));
    register_write(host, RNIC_REG_MAILBOX_GO, 4, 1);
    enum rnic_status status = (enum rnic_status)register_read(host, RNIC_REG_MAILBOX_STATUS, 4);
    *number = host->command->number;
    if (argument != NULL)
        *argument = host->command->argument[0];
    if (out_bytes != 0)
        memcpy(out, host->mailbox + 2048, out_bytes);
    return status;
}

static inline enum rnic_status command_in(struct host *host, uint16_t opcode, uint32_t *number,
                                          const void *in, uint32_t in_bytes) {
    return command_run(host, opcode, number, in, in_bytes, NULL, 0, NULL);
}

static inline enum rnic_status command_plain(struct host *host, uint16_t opcode, uint32_t number) {
    return command_run(host, opcode, &number, NULL, 0, NULL, 0, NULL);
}

static inline void eq_create(struct host *host) {
    host->eq = pages_take(host, RNIC_EQE_BYTES << RING_LOG2);
    struct rnic_eq_create create = {
        .pages = pages_of(host, (uint8_t *)host->eq, RNIC_EQE_BYTES << RING_LOG2),
        .entry_count_log2 = RING_LOG2,
        .vector = 0,
        .event_mask = UINT64_MAX};
    SIM_ASSERT(command_in(host, RNIC_CMD_CREATE_EQ, &host->eqn, &create, sizeof create) == 0);
    doorbell(host, RNIC_DOORBELL_EQ, host->eqn, RNIC_EQ_ARM, 0);
}

static inline void cq_create(struct host *host, struct cq *cq, uint32_t log2) {
    *cq = (struct cq){.host = host, .log2 = log2};
    cq->ring = pages_take(host, (uint64_t)RNIC_CQE_BYTES << log2);
    cq->record = pages_take(host, sizeof *cq->record);
    struct rnic_cq_create create = {
        .pages = pages_of(host, (uint8_t *)cq->ring, (uint64_t)RNIC_CQE_BYTES << log2),
        .entry_count_log2 = log2,
        .eqn = host->eqn,
        .consumer_record = dma_of(host, cq->record)};
    SIM_ASSERT(command_in(host, RNIC_CMD_CREATE_CQ, &cq->number, &create, sizeof create) == 0);
}

static inline struct buffer buffer_register(struct host *host, uint8_t *bytes, uint64_t base,
                                            uint64_t length, uint32_t rights) {
    struct buffer buffer = {.bytes = bytes, .base = base, .length = length};
    struct rnic_mkey_create create = {.pages = pages_of(host, bytes, length),
                                      .base = base,
                                      .length = length,
                                      .pdn = host->pdn,
                                      .rights = rights,
                                      .kind = RNIC_MKEY_REGION};
    uint64_t key = 0;
    uint32_t number = 0;
    SIM_ASSERT(command_run(host, RNIC_CMD_CREATE_MKEY, &number, &create, sizeof create, NULL, 0,
                           &key) == 0);
    buffer.key = (uint32_t)key;
    return buffer;
}

#define RIGHTS_ALL                                                                                 \
    (RNIC_RIGHT_LOCAL_WRITE | RNIC_RIGHT_REMOTE_READ | RNIC_RIGHT_REMOTE_WRITE | RNIC_RIGHT_BIND)

static inline struct rnic_qp_create qp_description(struct host *host, struct qp *qp) {
    uint64_t sq_bytes = (uint64_t)1 << (RING_LOG2 + SQ_STRIDE_LOG2);
    uint64_t rq_bytes = (uint64_t)1 << (RING_LOG2 + RQ_STRIDE_LOG2);
    qp->sq = pages_take(host, sq_bytes);
    qp->rq = pages_take(host, rq_bytes);
    qp->finished = pages_take(host, sizeof *qp->finished);
    return (struct rnic_qp_create){.sq_pages = pages_of(host, qp->sq, sq_bytes),
                                   .rq_pages = pages_of(host, qp->rq, rq_bytes),
                                   .type = RNIC_QP_RC,
                                   .pdn = host->pdn,
                                   .send_cqn = qp->send_cq->number,
                                   .receive_cqn = qp->receive_cq->number,
                                   .sq_entry_count_log2 = RING_LOG2,
                                   .rq_entry_count_log2 = RING_LOG2,
                                   .sq_stride_log2 = SQ_STRIDE_LOG2,
                                   .rq_stride_log2 = RQ_STRIDE_LOG2,
                                   .sq_sge_count_max = 6,
                                   .rq_sge_count_max = 6,
                                   .read_sge_count_max = 6,
                                   .sq_finished_record = dma_of(host, qp->finished)};
}

static inline void qp_create(struct host *host, struct qp *qp, struct cq *send_cq,
                             struct cq *receive_cq) {
    *qp = (struct qp){.host = host, .send_cq = send_cq, .receive_cq = receive_cq};
    struct rnic_qp_create create = qp_description(host, qp);
    SIM_ASSERT(command_in(host, RNIC_CMD_CREATE_QP, &qp->number, &create, sizeof create) == 0);
}

static inline enum rnic_status qp_modify(struct qp *qp, struct rnic_qp_attributes attributes) {
    uint32_t number = qp->number;
    return command_in(qp->host, RNIC_CMD_MODIFY_QP, &number, &attributes, sizeof attributes);
}

static inline enum rnic_status qp_to(struct qp *qp, enum rnic_qp_state state) {
    return qp_modify(qp, (struct rnic_qp_attributes){.mask = RNIC_ATTR_STATE, .state = state});
}

static inline struct rnic_qp_info qp_info(struct qp *qp) {
    struct rnic_qp_info info;
    SIM_ASSERT(rnic_device_qp_info(qp->host->device, qp->number, &info));
    return info;
}

/* What a connection is made with; zero means what is said here. */
struct link_up {
    uint32_t psn;          /* of both directions; 0: 0xFFFFF0, so that they wrap */
    uint8_t path_mtu;      /* 0: code 3, 1024 bytes */
    uint8_t timeout;       /* 0: code 8, 1.05 ms */
    uint8_t retry_count;   /* 0: 7; 0xFF: none */
    uint8_t rnr_retry;     /* 0: 7, for ever; 0xFF: none */
    uint8_t min_rnr_timer; /* 0: code 1, 10 us */
    uint8_t reads_out;     /* 0: 4 */
    uint8_t reads_in;      /* 0: 4 */
    bool ipv6;
    bool stay_in_rtr; /* the second QP */
    bool to_self;     /* both QPs are of one host */
};

static inline uint8_t value_or(uint8_t value, uint8_t otherwise) {
    return value == 0 ? otherwise : value == 0xFF ? 0 : value;
}

static inline void address_fill(struct host *host, const struct link_up *up,
                                struct rnic_address_vector *vector) {
    struct host *peer = &host->pair->hosts[(host == host->pair->hosts) ^ up->to_self];
    const struct wire_ip_addr *ip =
        net_port_address_at(rnic_device_port(peer->device), up->ipv6 ? 1 : 0);
    memcpy(vector->dst_ip, ip->bytes, sizeof vector->dst_ip);
    vector->address_index = up->ipv6 ? 1 : 0;
}

static inline void qp_connect_one(struct qp *qp, uint32_t dest_qpn, const struct link_up *up,
                                  bool to_rts) {
    uint32_t psn = up->psn == 0 ? 0xFFFFF0 : up->psn;
    struct rnic_qp_attributes a = {.mask = RNIC_ATTR_STATE | RNIC_ATTR_RIGHTS,
                                   .state = RNIC_QPS_INIT,
                                   .rights = RNIC_RIGHT_REMOTE_READ | RNIC_RIGHT_REMOTE_WRITE};
    SIM_ASSERT(qp_modify(qp, a) == 0);
    a = (struct rnic_qp_attributes){
        .mask = RNIC_ATTR_STATE | RNIC_ATTR_ADDRESS | RNIC_ATTR_PATH_MTU | RNIC_ATTR_DEST_QPN |
                RNIC_ATTR_RQ_PSN | RNIC_ATTR_READS_IN | RNIC_ATTR_MIN_RNR_TIMER,
        .state = RNIC_QPS_RTR,
        .path_mtu = value_or(up->path_mtu, 3),
        .dest_qpn = dest_qpn,
        .rq_psn = psn,
        .reads_in = value_or(up->reads_in, 4),
        .min_rnr_timer = value_or(up->min_rnr_timer, 1)};
    address_fill(qp->host, up, &a.address);
    SIM_ASSERT(qp_modify(qp, a) == 0);
    if (!to_rts)
        return;
    a = (struct rnic_qp_attributes){.mask = RNIC_ATTR_STATE | RNIC_ATTR_SQ_PSN | RNIC_ATTR_TIMEOUT |
                                            RNIC_ATTR_RETRY_COUNT | RNIC_ATTR_RNR_RETRY |
                                            RNIC_ATTR_READS_OUT,
                                    .state = RNIC_QPS_RTS,
                                    .sq_psn = psn,
                                    .timeout = value_or(up->timeout, 8),
                                    .retry_count = value_or(up->retry_count, 7),
                                    .rnr_retry = value_or(up->rnr_retry, 7),
                                    .reads_out = value_or(up->reads_out, 4)};
    SIM_ASSERT(qp_modify(qp, a) == 0);
}

static inline void qp_connect(struct qp *a, struct qp *b, const struct link_up *up) {
    qp_connect_one(a, b->number, up, true);
    qp_connect_one(b, a->number, up, !up->stay_in_rtr);
}

static inline struct rnic_sge sge(const struct buffer *buffer, uint64_t offset, uint32_t bytes) {
    return (struct rnic_sge){.address = buffer->base + offset, .bytes = bytes, .lkey = buffer->key};
}

static inline void *sq_entry(struct qp *qp) {
    uint32_t slot = qp->sq_producer & ((1u << RING_LOG2) - 1);
    void *entry = qp->sq + ((size_t)slot << SQ_STRIDE_LOG2);
    memset(entry, 0, (size_t)1 << SQ_STRIDE_LOG2);
    return entry;
}

static inline void sq_ring(struct qp *qp) {
    doorbell(qp->host, RNIC_DOORBELL_SQ, qp->number, 0, qp->sq_producer);
}

/* Posts without ringing; returns the index. */
static inline uint32_t post_wqe(struct qp *qp, const void *wqe, size_t bytes) {
    uint8_t *entry = sq_entry(qp);
    memcpy(entry, wqe, bytes);
    struct rnic_wqe_control control;
    memcpy(&control, entry, sizeof control);
    control.index = qp->sq_producer;
    memcpy(entry, &control, sizeof control);
    return qp->sq_producer++;
}

static inline uint32_t post_transfer(struct qp *qp, uint8_t opcode, uint8_t flags,
                                     struct rnic_sge local, uint64_t remote, uint32_t rkey) {
    struct rnic_wqe_transfer wqe = {
        .control = {.opcode = opcode, .flags = flags, .sge_count = local.bytes != 0},
        .remote_address = remote,
        .rkey = rkey,
        .sge = {local}};
    if (opcode == RNIC_WQE_SEND_INV)
        wqe.control.key = rkey;
    uint32_t index = post_wqe(qp, &wqe, sizeof wqe);
    sq_ring(qp);
    return index;
}

static inline uint32_t post_receive(struct qp *qp, struct rnic_sge local) {
    uint32_t slot = qp->rq_producer & ((1u << RING_LOG2) - 1);
    struct rnic_wqe_receive wqe = {
        .sge_count = local.bytes != 0, .index = qp->rq_producer, .sge = {local}};
    memcpy(qp->rq + ((size_t)slot << RQ_STRIDE_LOG2), &wqe, sizeof wqe);
    uint32_t index = qp->rq_producer++;
    doorbell(qp->host, RNIC_DOORBELL_RQ, qp->number, 0, qp->rq_producer);
    return index;
}

static inline bool cq_poll(struct cq *cq, struct rnic_cqe *cqe) {
    *cqe = cq->ring[cq->consumer & ((1u << cq->log2) - 1)];
    if (cqe->phase != ((cq->consumer >> cq->log2 & 1) == 0))
        return false;
    cq->consumer++;
    *cq->record = cq->consumer;
    return true;
}

static inline bool eq_poll(struct host *host, struct rnic_eqe *eqe) {
    *eqe = host->eq[host->eq_consumer & ((1u << RING_LOG2) - 1)];
    if (eqe->phase != ((host->eq_consumer >> RING_LOG2 & 1) == 0))
        return false;
    host->eq_consumer++;
    doorbell(host, RNIC_DOORBELL_EQ, host->eqn, RNIC_EQ_ARM, host->eq_consumer);
    return true;
}

/* The next event of a type; false when none is left. Others are passed over. */
static inline bool eq_find(struct host *host, uint8_t type, struct rnic_eqe *eqe) {
    while (eq_poll(host, eqe))
        if (eqe->type == type)
            return true;
    return false;
}

static inline void on_interrupt(void *context, uint32_t vector) {
    struct host *host = context;
    (void)vector;
    host->interrupts++;
}

static inline void host_open(struct host *host) {
    host->command = pages_take(host, sizeof *host->command);
    host->mailbox = pages_take(host, SIM_PAGE_BYTES);
    host->buffer.bytes = pages_take(host, BUFFER_BYTES);
    register_write(host, RNIC_REG_CONTROL, 4, RNIC_CONTROL_ENABLE);
    (void)sim_run(host->world, NULL, NULL, SIM_TIME_NEVER);
    SIM_ASSERT((register_read(host, RNIC_REG_STATUS, 4) & RNIC_STATUS_READY) != 0);
    SIM_ASSERT(command_plain(host, RNIC_CMD_INIT, 0) == RNIC_STATUS_OK);
    eq_create(host);
    uint64_t key = 0;
    SIM_ASSERT(command_run(host, RNIC_CMD_CREATE_PD, &host->pdn, NULL, 0, NULL, 0, &key) == 0);
    host->privileged_key = (uint32_t)key;
    cq_create(host, &host->send_cq, RING_LOG2 + 1);
    cq_create(host, &host->receive_cq, RING_LOG2 + 1);
    /* Begins in the middle of a page, at an address that is nothing like the memory's. */
    host->buffer = buffer_register(host, host->buffer.bytes + 96, UINT64_C(0x7F0000000060),
                                   BUFFER_BYTES - 96, RIGHTS_ALL);
    qp_create(host, &host->qp, &host->send_cq, &host->receive_cq);
}

static inline void host_make(struct pair *pair, struct host *host, const char *name,
                             const struct rnic_config *config) {
    struct sim_object *node = sim_alloc(pair->world, sizeof *node);
    sim_object_init(pair->world, node, NULL, name, SIM_NAME_PLAIN);
    struct rnic_config own = *config;
    own.owner = node;
    host->pair = pair;
    host->world = pair->world;
    host->device = rnic_device_create(pair->world, &own);
    host->bus = rnic_device_bus(host->device);
    host->bus->interrupt = on_interrupt;
    host->bus->interrupt_context = host;
}

static inline struct pair *pair_create(const struct pair_options *options) {
    const struct sim_config config = {.seed = options->seed != 0 ? options->seed : 1};
    struct sim_world *world = sim_world_create(&config);
    net_init(world);
    rnic_init(world);
    struct pair *pair = sim_alloc(world, sizeof *pair);
    pair->world = world;
    host_make(pair, &pair->hosts[0], "left", &options->config);
    host_make(pair, &pair->hosts[1], "right", &options->config);
    for (uint32_t i = 0; i < 2; i++) {
        struct wire_ip_addr v4 = wire_ip_addr_from_v4(0x0A000001 + i);
        struct wire_ip_addr v6 = {{0xFD, [15] = (uint8_t)(i + 1)}};
        net_port_address_add(rnic_device_port(pair->hosts[i].device), &v4);
        net_port_address_add(rnic_device_port(pair->hosts[i].device), &v6);
    }
    pair->link = net_link_create(world, NULL, "link", SIM_NAME_PLAIN,
                                 rnic_device_port(pair->hosts[0].device),
                                 rnic_device_port(pair->hosts[1].device), &options->link);
    host_open(&pair->hosts[0]);
    host_open(&pair->hosts[1]);
    return pair;
}

static inline struct pair_options pair_defaults(void) {
    return (struct pair_options){.config = rnic_config_default, .link = net_link_config_default};
}

static inline struct pair *pair_plain(void) {
    struct pair_options options = pair_defaults();
    return pair_create(&options);
}

static inline void run_all(struct pair *pair) {
    SIM_ASSERT(sim_run(pair->world, NULL, NULL, SIM_TIME_NEVER) == SIM_RUN_IDLE);
}

/* Everything is closed by a reset: nothing may be left of it. */
static inline void pair_close(struct pair *pair) {
    for (uint32_t i = 0; i < 2; i++)
        register_write(&pair->hosts[i], RNIC_REG_CONTROL, 4, RNIC_CONTROL_RESET);
    run_all(pair);
    SIM_ASSERT(sim_event_count(pair->world) == 0);
    SIM_ASSERT(net_frame_live_count(pair->world) == 0);
}

static inline void pair_destroy(struct pair *pair) {
    pair_close(pair);
    sim_world_destroy(pair->world);
}

/* Many runs from one beginning: pair_keep once, then each run begins with pair_again. */
static inline void pair_keep(struct pair *pair) {
    sim_world_snapshot(pair->world);
}

static inline void pair_again(struct pair *pair, uint64_t seed) {
    const struct sim_config config = {.seed = seed};
    pair_close(pair);
    sim_world_reset(pair->world, &config);
}

static inline struct sim_fault_plan *plan_add(struct pair *pair, const char *point,
                                              struct sim_fault_plan plan) {
    plan.point = sim_fault_point_find(pair->world, point);
    SIM_ASSERT(plan.point != NULL);
    if (plan.to_ns == 0)
        plan.to_ns = SIM_TIME_NEVER;
    return sim_fault_plan_add(pair->world, &plan);
}

static inline void fill(struct host *host, uint64_t offset, uint32_t bytes, uint8_t seed) {
    for (uint32_t i = 0; i < bytes; i++)
        host->buffer.bytes[offset + i] = (uint8_t)(seed + i * 7 + (i >> 8) * 13);
}

static inline uint64_t counter(struct host *host, uint32_t which) {
    return rnic_device_counter(host->device, which);
}

#endif
