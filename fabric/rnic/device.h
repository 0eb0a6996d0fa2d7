/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device's own structure, shared by its files; each member is written by the file named.
 */
#ifndef RNIC_DEVICE_PRIVATE_H
#define RNIC_DEVICE_PRIVATE_H

#include <net/port.h>
#include <rnic/device.h>
#include <sim/event.h>
#include <sim/run.h>

#include "table.h"
#include "trace.h"

struct rnic_qp;
struct rnic_eq;

/* device.c */
enum rnic_device_state {
    RNIC_DEVICE_OFF,
    RNIC_DEVICE_BOOTING,
    RNIC_DEVICE_READY,
    RNIC_DEVICE_FATAL,
};

/* irq.c */
struct rnic_vector {
    uint32_t cause;        /* RNIC_CAUSE_* */
    uint32_t repeat_count; /* of the message sent at `sent_ns` */
    uint64_t sent_ns;
    bool masked;
    bool pending;
};

/* firmware.c */
struct rnic_firmware {
    enum rnic_firmware_state state;
    uint64_t boot_ns;  /* when it began to run */
    uint64_t stood_ns; /* HUNG, FATAL: how long it had run */
    bool is_init;      /* between INIT and TEARDOWN */
    uint64_t ring_base;
    uint64_t mailbox_address;
    uint32_t mailbox_status;
    uint32_t ring_size_log2;
    uint32_t ring_producer;
    uint32_t ring_consumer;
    struct sim_event event; /* boot end; then the next command's end */
};

/* work.c: what a doorbell has set off and is not yet taken up, in order */
enum rnic_work_kind {
    RNIC_WORK_NONE,         /* forgotten */
    RNIC_WORK_SEND,         /* QP: look at the send queue */
    RNIC_WORK_FLUSH,        /* QP */
    RNIC_WORK_OVERFLOW,     /* QP: a doorbell beyond the ring */
    RNIC_WORK_CQ,           /* CQ: an arm that was satisfied at once */
    RNIC_WORK_EQ,           /* EQ: an arm that was satisfied at once */
    RNIC_WORK_SRQ,          /* SRQ: a limit that was reached at once */
    RNIC_WORK_SRQ_OVERFLOW, /* SRQ: a doorbell beyond the ring */
};
struct rnic_work {
    uint64_t due_ns;
    uint32_t number;
    enum rnic_work_kind kind;
};
struct rnic_work_queue {
    struct rnic_work *entries;
    uint32_t capacity; /* a power of two */
    uint32_t head;     /* free running */
    uint32_t tail;
    struct sim_event event;
};

/* transmit.c: the QPs that have something to send, in turn */
enum rnic_transmit_state {
    RNIC_TRANSMIT_IDLE,
    RNIC_TRANSMIT_SCHEDULED, /* the event is */
    RNIC_TRANSMIT_BACKLOG,   /* the port will call on_sent */
    RNIC_TRANSMIT_LOOPBACK,  /* frames to ourselves have to arrive first */
};
struct rnic_transmit {
    struct rnic_qp *first;
    struct rnic_qp *last;
    enum rnic_transmit_state state;
    struct sim_event event;
    struct net_frame *loop_first; /* frames to ourselves, by time */
    struct net_frame *loop_last;
    uint64_t loop_bytes;
    struct sim_event loop_event;
};

/* Behind SIM_SLOT_RNIC. */
struct rnic_devices {
    struct rnic_device *first;
    struct rnic_device *last;
};

/*
 * Counters by opcode are kept for RC and UD; nothing else is sent, nor taken for a packet. The rest
 * of the 256 opcodes share a slot that stays 0.
 */
#define RNIC_OPCODE_COUNT 256u
#define RNIC_OPCODE_SLOTS 65u
#define RNIC_COUNTER_SLOTS (RNIC_COUNTER_COUNT - 2 * RNIC_OPCODE_COUNT + 2 * RNIC_OPCODE_SLOTS)
static inline uint32_t rnic_counter_slot(uint32_t counter) {
    uint32_t by_opcode = counter - RNIC_COUNTER_SENT_BY_OPCODE;
    uint32_t opcode = by_opcode % RNIC_OPCODE_COUNT;
    uint32_t slot = RNIC_OPCODE_SLOTS - 1;
    if (counter < RNIC_COUNTER_SENT_BY_OPCODE)
        return counter;
    if (by_opcode >= 2 * RNIC_OPCODE_COUNT)
        return counter - 2 * RNIC_OPCODE_COUNT + 2 * RNIC_OPCODE_SLOTS;
    if (opcode < 0x20)
        slot = opcode;
    else if (opcode >= 0x60 && opcode < 0x80)
        slot = opcode - 0x40;
    return RNIC_COUNTER_SENT_BY_OPCODE + by_opcode / RNIC_OPCODE_COUNT * RNIC_OPCODE_SLOTS + slot;
}

struct rnic_device {
    struct rnic_device *next;  /* of the world, in birth order */
    struct sim_bus_device bus; /* bus.object is the device's object */
    struct sim_world *world;
    struct rnic_config config;
    struct net_port port;
    enum rnic_device_state state; /* device.c */
    enum rnic_health health;      /* device.c */
    struct rnic_firmware firmware;
    struct rnic_vector *vectors; /* irq.c: config.vector_count */
    uint64_t repeat_ns;          /* irq.c; 0: messages are not repeated */
    struct sim_event repeat;
    struct rnic_table qps; /* without the GSI QP */
    struct rnic_table cqs;
    struct rnic_table eqs;
    struct rnic_table srqs;
    struct rnic_table pds;
    struct rnic_table mkeys;
    uint32_t mkey_closing_count;
    uint32_t translation_count;                      /* pages.c: page addresses held */
    struct rnic_qp *gsi;                             /* number 1; NULL: none */
    struct rnic_eq *event_eq[RNIC_EVENT_TYPE_COUNT]; /* eq.c: where async events go */
    uint64_t eq_births;
    struct rnic_address *addresses;    /* address.c */
    struct rnic_neighbour *neighbours; /* grown as they are set */
    uint32_t neighbour_capacity;
    struct rnic_work_queue work;
    struct rnic_transmit transmit;
    uint64_t counters[RNIC_COUNTER_SLOTS]; /* see rnic_counter_slot */
};

static inline struct rnic_device *rnic_device_of(struct sim_bus_device *bus) {
    return bus->state;
}

static inline uint64_t rnic_now_ns(const struct rnic_device *device) {
    return sim_now_ns(device->world);
}

static inline void rnic_count_by(struct rnic_device *device, uint32_t counter, uint64_t by) {
    device->counters[rnic_counter_slot(counter)] += by;
}

static inline void rnic_count(struct rnic_device *device, uint32_t counter) {
    rnic_count_by(device, counter, 1);
}

static inline bool rnic_fault_hit(struct rnic_device *device, enum rnic_fault fault,
                                  struct sim_object *subject, uint64_t *parameter) {
    return sim_fault_hit(device->world, &rnic_faults[fault], subject, parameter);
}

/* A new name in the world; objects outlive what they name and are never freed. */
struct sim_object *rnic_object_create(struct rnic_device *device, const char *label);

static inline uint32_t rnic_log2(uint32_t power) {
    return (uint32_t)__builtin_ctz(power);
}

/* Data path and commands work: the device is ready. */
static inline bool rnic_device_is_ready(const struct rnic_device *device) {
    return device->state == RNIC_DEVICE_READY;
}

/*
 * All DMA of the device. What a call began before the device failed finds no memory any more, so it
 * ends as with a DMA error, and nothing is moved behind DEVICE_FATAL.
 */
static inline bool rnic_dma_read(struct rnic_device *device, uint64_t address, void *to,
                                 uint64_t bytes) {
    return rnic_device_is_ready(device) && sim_dma_read(&device->bus, address, to, bytes);
}
static inline bool rnic_dma_write(struct rnic_device *device, uint64_t address, const void *from,
                                  uint64_t bytes) {
    return rnic_device_is_ready(device) && sim_dma_write(&device->bus, address, from, bytes);
}
static inline const void *rnic_dma_page(struct rnic_device *device, uint64_t address,
                                        uint64_t bytes) {
    return rnic_device_is_ready(device) ? sim_dma_page(&device->bus, address, bytes) : NULL;
}

/* No more DMA, completions or frames from now on; tells vector 0. */
void rnic_device_fail(struct rnic_device *device, enum rnic_health health);
/* Drops every object at once; off. */
void rnic_device_reset(struct rnic_device *device);
void rnic_device_enable(struct rnic_device *device);
/* Firmware has booted. */
void rnic_device_ready(struct rnic_device *device);

/* registers.c */
uint64_t rnic_bar_read(struct sim_bus_device *bus, uint32_t bar, uint64_t offset, uint32_t bytes);
void rnic_bar_write(struct sim_bus_device *bus, uint32_t bar, uint64_t offset, uint32_t bytes,
                    uint64_t value);

/* doorbell.c */
void rnic_doorbell(struct rnic_device *device, uint32_t offset, uint64_t value);

/* work.c */
void rnic_work_init(struct rnic_device *device);
void rnic_work_add(struct rnic_device *device, enum rnic_work_kind kind, uint32_t number);
void rnic_work_reset(struct rnic_device *device);
/* The QP begins anew or goes: what its doorbells have set off before is not taken up. */
void rnic_work_forget_qp(struct rnic_device *device, uint32_t number);

/* irq.c */
void rnic_vector_raise(struct rnic_device *device, uint32_t vector, uint32_t cause);
void rnic_vector_mask(struct rnic_device *device, uint32_t vector, bool masked);
void rnic_vector_clear(struct rnic_device *device, uint32_t vector, uint32_t cause);
void rnic_vectors_init(struct rnic_device *device);
void rnic_vectors_repeat(struct rnic_device *device, uint32_t us);
void rnic_vectors_reset(struct rnic_device *device);
uint64_t rnic_vectors_cause(const struct rnic_device *device);

/* firmware.c */
void rnic_firmware_init(struct rnic_device *device);
void rnic_firmware_boot(struct rnic_device *device);
void rnic_firmware_stop(struct rnic_device *device, enum rnic_firmware_state state);
uint32_t rnic_firmware_counter(const struct rnic_device *device);
void rnic_firmware_ring(struct rnic_device *device, uint32_t producer);
void rnic_firmware_mailbox(struct rnic_device *device);

/* check.c */
void rnic_checks_register(struct sim_world *world);

/* receive.c */
void rnic_receive_frame(struct rnic_device *device, struct net_frame *frame);

/* address.c */
void rnic_addresses_init(struct rnic_device *device);
void rnic_addresses_reset(struct rnic_device *device);
/* Takes over the addresses of the port. */
void rnic_addresses_load(struct rnic_device *device);
enum rnic_status rnic_neighbour_set(struct rnic_device *device,
                                    const struct rnic_neighbour *neighbour);
/* Fills MAC and VLAN for `ip`: the table first, then the topology. False: no route. */
bool rnic_neighbour_resolve(struct rnic_device *device, struct rnic_neighbour *neighbour);

#endif
