/* SPDX-License-Identifier: Apache-2.0 */
/* A connected pair whose queues are armed, and what they tell. */
#ifndef UNIT_RNIC_ARMED_H
#define UNIT_RNIC_ARMED_H

#include "host.h"

static inline struct pair *pair_connected(void) {
    struct pair *pair = pair_plain();
    qp_connect(&pair->hosts[0].qp, &pair->hosts[1].qp, &(struct link_up){0});
    return pair;
}

static inline void write_one(struct pair *pair) {
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    post_transfer(&a->qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED, sge(&a->buffer, 0, 10),
                  b->buffer.base, b->buffer.key);
    run_all(pair);
}

static inline void send_one(struct pair *pair, bool solicited) {
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    (void)post_receive(&b->qp, sge(&b->buffer, 0, 100));
    post_transfer(&a->qp, RNIC_WQE_SEND, solicited ? RNIC_WQE_SOLICITED : 0, sge(&a->buffer, 0, 10),
                  0, 0);
    run_all(pair);
}

static inline void arm(struct pair *pair, struct cq *cq, enum rnic_arm how, uint32_t index) {
    doorbell(cq->host, RNIC_DOORBELL_CQ, cq->number, how, index);
    run_all(pair);
}

/* CQ events since the last call. */
static inline uint32_t events(struct host *host) {
    struct rnic_eqe eqe;
    uint32_t count = 0;
    while (eq_find(host, RNIC_EVENT_CQ, &eqe))
        count++;
    run_all(host->pair);
    return count;
}

#endif
