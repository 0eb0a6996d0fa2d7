/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invariants of the device: see sim/check.h. Indexes run freely and wrap, so every comparison is of
 * differences.
 */
#include <sim/check.h>
#include <stdio.h>

#include "cq.h"
#include "device.h"
#include "eq.h"
#include "qp.h"
#include "srq.h"

static bool wrong(char *text, size_t size, const struct sim_object *object, const char *what) {
    char name[SIM_NAME_BYTES];
    (void)snprintf(text, size, "%s: %s", sim_object_name(object, name, sizeof name), what);
    return false;
}

static struct rnic_device *first_of(const struct sim_world *world) {
    struct rnic_devices *devices = sim_world_slot(world, SIM_SLOT_RNIC);
    return devices != NULL ? devices->first : NULL;
}

/*
 * head <= start <= producer, and no more than the ring holds. The send position may lie before the
 * head: answers may overtake it when it has gone back. Where sends are flushed, those that were
 * never started are finished, too.
 */
static bool send_queue_holds(const struct rnic_qp *qp, char *text, size_t size) {
    const struct rnic_requester *requester = &qp->requester;
    uint32_t head = qp->completer.head;
    uint32_t posted = requester->producer - head;
    if (posted > rnic_ring_count(&qp->sq))
        return wrong(text, size, qp->object, "more is posted to the send queue than it holds");
    bool is_flushed = qp->state != RNIC_QPS_RTS && (int32_t)(requester->start_index - head) < 0;
    if (!is_flushed && requester->start_index - head > posted)
        return wrong(text, size, qp->object, "a send is started that was not posted");
    if ((int32_t)(requester->start_index - requester->index) < 0)
        return wrong(text, size, qp->object, "the send position is beyond what was started");
    return true;
}

static bool reads_hold(const struct rnic_qp *qp, char *text, size_t size) {
    const struct rnic_config *config = &qp->device->config;
    if (rnic_qp_reads_out(qp) > config->reads_out_max)
        return wrong(text, size, qp->object, "more reads are under way than the device allows");
    if (qp->responder.read_count > config->reads_in_max)
        return wrong(text, size, qp->object, "more reads are remembered than the device allows");
    return true;
}

static bool qp_holds(const struct rnic_qp *qp, char *text, size_t size) {
    const struct rnic_responder *responder = &qp->responder;
    if (!send_queue_holds(qp, text, size) || !reads_hold(qp, text, size))
        return false;
    if (qp->srq == NULL &&
        responder->rq_producer - responder->rq_consumer > rnic_ring_count(&qp->rq))
        return wrong(text, size, qp->object, "more is posted to the receive queue than it holds");
    if (responder->receive != NULL && responder->placed > responder->receive->bytes &&
        responder->message == RNIC_MESSAGE_SEND)
        return wrong(text, size, qp->object, "more is placed than the receive has room for");
    if (qp->state != RNIC_QPS_RTS && qp->requester.state != RNIC_REQUESTER_STOPPED &&
        qp->type != RNIC_QP_GSI)
        return wrong(text, size, qp->object, "it sends outside of RTS");
    return true;
}

static bool qps_hold(struct sim_world *world, char *text, size_t size) {
    for (struct rnic_device *device = first_of(world); device != NULL; device = device->next) {
        uint32_t slot = 0;
        const struct rnic_qp *qp;
        if (device->gsi != NULL && !qp_holds(device->gsi, text, size))
            return false;
        if (!rnic_reads_hold(device))
            return wrong(text, size, &device->bus.object, "it has more reads than all QPs may");
        while ((qp = rnic_table_next(&device->qps, &slot)) != NULL)
            if (!qp_holds(qp, text, size))
                return false;
    }
    return true;
}

struct uses {
    uint32_t cq;
    uint32_t srq;
};

static void add_uses(const struct rnic_qp *qp, const struct rnic_cq *cq, const struct rnic_srq *srq,
                     struct uses *uses) {
    uses->cq += cq != NULL && qp->send_cq == cq;
    uses->cq += cq != NULL && qp->receive_cq == cq;
    uses->srq += srq != NULL && qp->srq == srq;
}

/* How many of the device's QPs use a CQ or SRQ. */
static struct uses uses_of(const struct rnic_device *device, const struct rnic_cq *cq,
                           const struct rnic_srq *srq) {
    struct uses uses = {0, 0};
    const struct rnic_qp *qp;
    uint32_t slot = 0;
    if (device->gsi != NULL)
        add_uses(device->gsi, cq, srq, &uses);
    while ((qp = rnic_table_next(&device->qps, &slot)) != NULL)
        add_uses(qp, cq, srq, &uses);
    return uses;
}

static bool cqs_hold(struct sim_world *world, char *text, size_t size) {
    for (struct rnic_device *device = first_of(world); device != NULL; device = device->next) {
        const struct rnic_cq *cq;
        uint32_t slot = 0;
        while ((cq = rnic_table_next(&device->cqs, &slot)) != NULL) {
            if (cq->producer - cq->consumer > rnic_ring_count(&cq->ring))
                return wrong(text, size, cq->object, "it has more entries than its ring");
            if (cq->fault != RNIC_CQ_FAULT_NONE && cq->arm != RNIC_ARM_NONE)
                return wrong(text, size, cq->object, "it failed and is armed");
            if ((cq->held_first == NULL) != (cq->held_last == &cq->held_first))
                return wrong(text, size, cq->object, "the end of its late entries is another");
            if (cq->qp_count != uses_of(device, cq, NULL).cq)
                return wrong(text, size, cq->object, "it does not count the QPs that use it");
        }
    }
    return true;
}

static bool srqs_hold(struct sim_world *world, char *text, size_t size) {
    for (struct rnic_device *device = first_of(world); device != NULL; device = device->next) {
        const struct rnic_srq *srq;
        uint32_t slot = 0;
        while ((srq = rnic_table_next(&device->srqs, &slot)) != NULL) {
            if (srq->producer - srq->consumer > rnic_ring_count(&srq->ring))
                return wrong(text, size, srq->object, "more is posted than it holds");
            if (srq->qp_count != uses_of(device, NULL, srq).srq)
                return wrong(text, size, srq->object, "it does not count the QPs that use it");
        }
    }
    return true;
}

static uint32_t cqs_of(const struct rnic_device *device, const struct rnic_eq *eq) {
    const struct rnic_cq *cq;
    uint32_t slot = 0, count = 0;
    while ((cq = rnic_table_next(&device->cqs, &slot)) != NULL)
        count += cq->eq == eq;
    return count;
}

static bool eqs_hold(struct sim_world *world, char *text, size_t size) {
    for (struct rnic_device *device = first_of(world); device != NULL; device = device->next) {
        const struct rnic_eq *eq;
        uint32_t slot = 0;
        while ((eq = rnic_table_next(&device->eqs, &slot)) != NULL) {
            if (eq->producer - eq->consumer > rnic_ring_count(&eq->ring))
                return wrong(text, size, eq->object, "it has more entries than its ring");
            if (eq->cq_count != cqs_of(device, eq))
                return wrong(text, size, eq->object, "it does not count the CQs that report to it");
        }
    }
    return true;
}

static bool transmit_holds(struct sim_world *world, char *text, size_t size) {
    for (struct rnic_device *device = first_of(world); device != NULL; device = device->next) {
        const struct rnic_transmit *transmit = &device->transmit;
        const struct rnic_qp *last = NULL, *qp;
        uint32_t listed = device->gsi != NULL && device->gsi->is_listed, slot = 0;
        while ((qp = rnic_table_next(&device->qps, &slot)) != NULL)
            listed += qp->is_listed;
        for (qp = transmit->first; qp != NULL && listed > 0; qp = qp->transmit_next, listed--)
            last = qp;
        if (qp != NULL || listed != 0 || last != transmit->last)
            return wrong(text, size, &device->bus.object,
                         "its list of senders is not who says to be in it");
    }
    return true;
}

static const struct sim_check checks[] = {
    {"rnic.qp", "Indexes of a QP's queues are in their order and within its rings.", qps_hold},
    {"rnic.cq", "A CQ has no more entries than its ring, and counts the QPs that use it.",
     cqs_hold},
    {"rnic.srq", "A SRQ has no more receives than its ring, and counts the QPs that use it.",
     srqs_hold},
    {"rnic.eq", "An EQ has no more entries than its ring, and counts the CQs that report to it.",
     eqs_hold},
    {"rnic.transmit", "The list of senders is the QPs that say to be in it.", transmit_holds},
};

void rnic_checks_register(struct sim_world *world) {
    sim_check_register(world, checks, SIM_ARRAY_COUNT(checks));
}
