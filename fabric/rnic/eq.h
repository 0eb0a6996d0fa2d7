/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event queues: what the device tells a driver besides completions. An armed EQ raises its vector
 * once when it has entries at or after the index it was armed at.
 */
#ifndef RNIC_EQ_H
#define RNIC_EQ_H

#include <rnic_hw/rnic.h>
#include <sim/object.h>

#include "pages.h"
#include "table.h"

struct rnic_device;

struct rnic_eq {
    uint32_t number;
    uint32_t vector;
    struct sim_object *object;
    struct rnic_ring ring;
    uint32_t producer;
    uint32_t consumer;
    uint64_t event_mask;
    uint64_t birth;    /* serial */
    uint32_t cq_count; /* CQs that report here */
    bool armed;
};

struct rnic_event {
    uint32_t number;
    uint8_t type;
    uint8_t status;
    uint32_t data[2];
};

enum rnic_status rnic_eq_create(struct rnic_device *device, const struct rnic_eq_create *create,
                                uint32_t *number);
enum rnic_status rnic_eq_destroy(struct rnic_device *device, uint32_t number);
struct rnic_eq *rnic_eq_find(struct rnic_device *device, uint32_t number);
void rnic_eqs_reset(struct rnic_device *device);

/* An overrun is fatal for the device. */
void rnic_eq_post(struct rnic_device *device, struct rnic_eq *eq, const struct rnic_event *event);
/* To the EQ that took the event's type, if any. */
void rnic_event_post(struct rnic_device *device, const struct rnic_event *event);

void rnic_eq_doorbell(struct rnic_device *device, uint32_t number, bool arm, uint32_t consumer);
/* Raises the vector when the EQ is armed and has entries. */
void rnic_eq_notify(struct rnic_device *device, struct rnic_eq *eq);

#endif
