/* SPDX-License-Identifier: Apache-2.0 */
#include "eq.h"

#include <sim/memory.h>

#include "device.h"

struct rnic_eq *rnic_eq_find(struct rnic_device *device, uint32_t number) {
    return rnic_table_find(&device->eqs, number);
}

/* The youngest EQ that wants a type gets it. */
static void route_events(struct rnic_device *device) {
    for (uint32_t type = 0; type < RNIC_EVENT_TYPE_COUNT; type++) {
        struct rnic_eq *best = NULL;
        uint32_t slot = 0;
        for (struct rnic_eq *eq; (eq = rnic_table_next(&device->eqs, &slot)) != NULL;) {
            bool wants = (eq->event_mask >> type & 1) != 0;
            if (wants && (best == NULL || eq->birth > best->birth))
                best = eq;
        }
        device->event_eq[type] = best;
    }
}

static void eq_free(struct rnic_device *device, struct rnic_eq *eq) {
    rnic_ring_close(device, &eq->ring);
    sim_free(device->world, eq, sizeof *eq);
}

enum rnic_status rnic_eq_create(struct rnic_device *device, const struct rnic_eq_create *create,
                                uint32_t *number) {
    if (create->vector >= device->config.vector_count)
        return RNIC_STATUS_BAD_PARAMETER;
    if (create->entry_count_log2 > rnic_log2(device->config.eq_entry_count_max))
        return RNIC_STATUS_LIMIT;
    struct rnic_eq *eq = sim_alloc(device->world, sizeof *eq);
    enum rnic_status status =
        rnic_ring_open(device, &create->pages, create->entry_count_log2, 4, &eq->ring);
    if (status != RNIC_STATUS_OK)
        goto fail;
    status = RNIC_STATUS_NO_RESOURCES;
    if (rnic_fault_hit(device, RNIC_FAULT_TABLE_FULL, &device->bus.object, NULL) ||
        !rnic_table_add(device->world, &device->eqs, (struct rnic_numbered *)eq))
        goto fail;
    eq->object = rnic_object_create(device, "eq");
    eq->vector = create->vector;
    eq->event_mask = create->event_mask;
    eq->birth = ++device->eq_births;
    route_events(device);
    *number = eq->number;
    return RNIC_STATUS_OK;
fail:
    eq_free(device, eq);
    return status;
}

enum rnic_status rnic_eq_destroy(struct rnic_device *device, uint32_t number) {
    struct rnic_eq *eq = rnic_eq_find(device, number);
    if (eq == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    if (eq->cq_count != 0)
        return RNIC_STATUS_BUSY;
    eq->object->closed = true;
    rnic_table_remove(&device->eqs, (struct rnic_numbered *)eq);
    eq_free(device, eq);
    route_events(device);
    return RNIC_STATUS_OK;
}

void rnic_eqs_reset(struct rnic_device *device) {
    uint32_t slot = 0;
    for (struct rnic_eq *eq; (eq = rnic_table_next(&device->eqs, &slot)) != NULL;) {
        eq->object->closed = true;
        rnic_table_remove(&device->eqs, (struct rnic_numbered *)eq);
        eq_free(device, eq);
    }
    route_events(device);
}

void rnic_eq_post(struct rnic_device *device, struct rnic_eq *eq, const struct rnic_event *event) {
    if (device->state != RNIC_DEVICE_READY)
        return;
    if (eq->producer - eq->consumer == rnic_ring_count(&eq->ring)) {
        rnic_device_fail(device, RNIC_HEALTH_EQ_OVERRUN);
        return;
    }
    struct rnic_eqe eqe = {.number = event->number, .type = event->type, .status = event->status};
    for (uint32_t i = 0; i < SIM_ARRAY_COUNT(eqe.data); i++)
        eqe.data[i] = event->data[i];
    eqe.phase = (eq->producer & rnic_ring_count(&eq->ring)) == 0;
    if (!rnic_dma_write(device, rnic_ring_address(&eq->ring, eq->producer), &eqe, sizeof eqe)) {
        rnic_device_fail(device, RNIC_HEALTH_EQ_DMA);
        return;
    }
    eq->producer++;
    rnic_count(device, RNIC_COUNTER_EQES);
    sim_trace(device->world, RNIC_TRACE_EQE, SIM_ACCESS_WRITE, eq->object, NULL, NULL, event->type,
              event->number);
    rnic_eq_notify(device, eq);
}

void rnic_event_post(struct rnic_device *device, const struct rnic_event *event) {
    struct rnic_eq *eq = device->event_eq[event->type];
    if (eq != NULL)
        rnic_eq_post(device, eq, event);
}

void rnic_eq_notify(struct rnic_device *device, struct rnic_eq *eq) {
    if (!eq->armed || eq->producer == eq->consumer)
        return;
    eq->armed = false;
    rnic_vector_raise(device, eq->vector, RNIC_CAUSE_EQ);
}

void rnic_eq_doorbell(struct rnic_device *device, uint32_t number, bool arm, uint32_t consumer) {
    struct rnic_eq *eq = rnic_eq_find(device, number);
    if (eq == NULL || consumer - eq->consumer > eq->producer - eq->consumer)
        return;
    eq->consumer = consumer;
    if (arm)
        rnic_vector_clear(device, eq->vector, RNIC_CAUSE_EQ);
    eq->armed = arm || eq->armed;
    if (eq->armed && eq->producer != eq->consumer)
        rnic_work_add(device, RNIC_WORK_EQ, number);
}
