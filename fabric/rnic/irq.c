/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interrupt vectors, MSI-X like: a message is sent once per raise; one that meets the mask is kept
 * pending (once) and sent on unmask. Causes stay until the driver clears them, that of an EQ until
 * one of the vector is armed.
 */
#include "device.h"

static void send(struct rnic_device *device, uint32_t vector) {
    rnic_count(device, RNIC_COUNTER_INTERRUPTS);
    sim_trace(device->world, RNIC_TRACE_IRQ, SIM_ACCESS_WRITE, &device->bus.object, NULL, NULL,
              vector, device->vectors[vector].cause);
    sim_bus_interrupt(&device->bus, vector);
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
    for (uint32_t i = 0; i < RNIC_VECTOR_COUNT_MAX; i++)
        device->vectors[i] = (struct rnic_vector){0};
}

uint64_t rnic_vectors_cause(const struct rnic_device *device) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < device->config.vector_count; i++)
        all |= (uint64_t)(device->vectors[i].cause != 0) << i;
    return all;
}
