/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits of READs over all QPs: of those that wait for responses here, and of those that are
 * being answered at one time. Whoever would go beyond waits; what becomes free is offered to the
 * QPs behind the one that had it, in a ring of their numbers, so that none is passed over for ever.
 * A limit of 0 is none.
 */
#include "device.h"
#include "qp.h"

static uint32_t out_count(const struct rnic_device *device) {
    uint32_t slot = 0, count = 0;
    for (const struct rnic_qp *qp; (qp = rnic_table_next(&device->qps, &slot)) != NULL;)
        if (qp->requester.state != RNIC_REQUESTER_STOPPED)
            count += rnic_qp_reads_out(qp);
    return count;
}

static uint32_t in_count(const struct rnic_device *device) {
    uint32_t slot = 0, count = 0;
    for (const struct rnic_qp *qp; (qp = rnic_table_next(&device->qps, &slot)) != NULL;)
        count += qp->responder.is_serving;
    return count;
}

bool rnic_reads_hold(const struct rnic_device *device) {
    const struct rnic_config *config = &device->config;
    bool out = config->reads_out_total_max == 0 || out_count(device) <= config->reads_out_total_max;
    bool in = config->reads_in_total_max == 0 || in_count(device) <= config->reads_in_total_max;
    return out && in;
}

/* Calls for each QP from the one behind `qp` on, `qp` last. */
static void offer(struct rnic_qp *qp, void (*to)(struct rnic_qp *other)) {
    struct rnic_table *qps = &qp->device->qps;
    uint32_t first = (qp->number & qps->mask) + 1;
    uint32_t slot = first;
    for (struct rnic_qp *other; (other = rnic_table_next(qps, &slot)) != NULL;)
        to(other);
    slot = 0;
    for (struct rnic_qp *other;
         slot < first && (other = rnic_table_next(qps, &slot)) != NULL && slot <= first;)
        to(other);
}

static void offer_out(struct rnic_qp *other) {
    if (other->requester.state == RNIC_REQUESTER_READ_LIMIT)
        rnic_requester_wake(other);
}

static void offer_in(struct rnic_qp *other) {
    if (!other->responder.is_held)
        return;
    other->responder.is_held = false;
    rnic_transmit_want(other);
}

bool rnic_reads_out_fit(const struct rnic_device *device) {
    uint32_t limit = device->config.reads_out_total_max;
    return limit == 0 || out_count(device) < limit;
}

void rnic_reads_out_freed(struct rnic_qp *qp) {
    if (qp->device->config.reads_out_total_max != 0)
        offer(qp, offer_out);
}

bool rnic_reads_in_begin(struct rnic_qp *qp) {
    struct rnic_responder *r = &qp->responder;
    uint32_t limit = qp->device->config.reads_in_total_max;
    if (limit == 0 || r->is_serving)
        return true;
    r->is_held = in_count(qp->device) >= limit;
    r->is_serving = !r->is_held;
    return r->is_serving;
}

void rnic_reads_in_end(struct rnic_qp *qp) {
    if (!qp->responder.is_serving)
        return;
    qp->responder.is_serving = false;
    offer(qp, offer_in);
}
