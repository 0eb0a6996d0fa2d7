/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interrupt vectors, MSI-X like: a message is sent once per raise; one that meets the mask is kept
 * pending (once) and sent on unmask. Causes stay until the driver clears them, that of an EQ until
 * one of the vector is armed.
 *
 * With repeat_ns a message whose cause still stands is sent again: one event looks after all
 * vectors, and is scheduled only while a message is young enough to be repeated.
 */
#include <sim/memory.h>

#include "device.h"

static uint64_t repeat_due_ns(const struct rnic_device *device, const struct rnic_vector *vector) {
    if (vector->cause == 0 || vector->masked || vector->repeat_count == RNIC_REPEAT_COUNT_MAX)
        return SIM_TIME_NEVER;
    return vector->sent_ns + (device->repeat_ns << vector->repeat_count);
}

static void message_send(struct rnic_device *device, uint32_t vector, uint32_t repeat_count) {
    struct rnic_vector *entry = &device->vectors[vector];
    entry->sent_ns = rnic_now_ns(device);
    entry->repeat_count = repeat_count;
    rnic_count(device, RNIC_COUNTER_INTERRUPTS);
    sim_trace(device->world, RNIC_TRACE_IRQ, SIM_ACCESS_WRITE, &device->bus.object, NULL, NULL,
              vector, entry->cause);
    sim_bus_interrupt(&device->bus, vector);
}

static void send(struct rnic_device *device, uint32_t vector) {
    message_send(device, vector, 0);
    if (device->repeat_ns != 0 && !sim_event_is_scheduled(&device->repeat))
        sim_event_schedule(device->world, &device->repeat, device->repeat_ns);
}

static void repeat_deliver(struct sim_world *world, struct sim_event *event) {
    struct rnic_device *device = SIM_CONTAINER_OF(event, struct rnic_device, repeat);
    uint64_t next_ns = SIM_TIME_NEVER;
    for (uint32_t i = 0; i < device->config.vector_count; i++) {
        struct rnic_vector *entry = &device->vectors[i];
        if (repeat_due_ns(device, entry) <= sim_now_ns(world))
            message_send(device, i, entry->repeat_count + 1u);
        uint64_t due_ns = repeat_due_ns(device, entry);
        next_ns = due_ns < next_ns ? due_ns : next_ns;
    }
    if (next_ns != SIM_TIME_NEVER && !sim_event_is_scheduled(event))
        sim_event_schedule_at(world, event, next_ns);
}

void rnic_vectors_init(struct rnic_device *device) {
    device->vectors =
        sim_alloc(device->world, device->config.vector_count * sizeof *device->vectors);
    sim_event_init(&device->repeat, "interrupt.repeat", &device->bus.object, repeat_deliver);
}

void rnic_vectors_repeat(struct rnic_device *device, uint32_t us) {
    uint32_t capped_us = us < RNIC_REPEAT_US_MAX ? us : RNIC_REPEAT_US_MAX;
    device->repeat_ns = (uint64_t)capped_us * SIM_NS_PER_US;
}

void rnic_vector_raise(struct rnic_device *device, uint32_t vector, uint32_t cause) {
    struct rnic_vector *entry = &device->vectors[vector];
    entry->cause |= cause;
    if (entry->masked)
        entry->pending = true;
    else
        send(device, vector);
}

void rnic_vector_mask(struct rnic_device *device, uint32_t vector, bool masked) {
    struct rnic_vector *entry = &device->vectors[vector];
    entry->masked = masked;
    if (masked || !entry->pending)
        return;
    entry->pending = false;
    send(device, vector);
}

void rnic_vector_clear(struct rnic_device *device, uint32_t vector, uint32_t cause) {
    device->vectors[vector].cause &= ~cause;
}

void rnic_vectors_reset(struct rnic_device *device) {
    sim_event_cancel(device->world, &device->repeat);
    device->repeat_ns = 0;
    for (uint32_t i = 0; i < device->config.vector_count; i++)
        device->vectors[i] = (struct rnic_vector){0};
}

uint64_t rnic_vectors_cause(const struct rnic_device *device) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < device->config.vector_count; i++)
        all |= (uint64_t)(device->vectors[i].cause != 0) << i;
    return all;
}
