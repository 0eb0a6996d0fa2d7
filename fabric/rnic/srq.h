/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared receive queues.
 *
 *   limit:  0 (not armed) --create, modify--> n --the step from n to below: one event--> 0
 *           modify with fewer than n left: is_due, told a little later
 *   life:   healthy -> failed (a doorbell beyond the ring, an entry that cannot be read); gives no
 *           receives, all its QPs are in ERR and report nothing more
 */
#ifndef RNIC_SRQ_H
#define RNIC_SRQ_H

#include <rnic_hw/rnic.h>
#include <sim/object.h>

#include "pages.h"
#include "table.h"

struct rnic_device;
struct rnic_receive;

struct rnic_srq {
    uint32_t number;
    uint32_t pdn;
    struct rnic_device *device;
    struct sim_object *object;
    struct rnic_ring ring;
    uint32_t producer;
    uint32_t consumer;
    uint32_t limit; /* 0: not armed */
    uint32_t sge_count_max;
    uint32_t qp_count;
    bool is_due; /* a limit was reached when it was armed */
    bool is_failed;
};

enum rnic_status rnic_srq_create(struct rnic_device *device, const struct rnic_srq_create *create,
                                 uint32_t *number);
enum rnic_status rnic_srq_modify(struct rnic_device *device, uint32_t number,
                                 const struct rnic_srq_modify *modify);
enum rnic_status rnic_srq_query(struct rnic_device *device, uint32_t number,
                                struct rnic_srq_info *info);
enum rnic_status rnic_srq_destroy(struct rnic_device *device, uint32_t number);
struct rnic_srq *rnic_srq_find(struct rnic_device *device, uint32_t number);
void rnic_srqs_reset(struct rnic_device *device);

void rnic_srq_doorbell(struct rnic_device *device, uint32_t number, uint32_t producer);
/* The next receive; false: none. *syndrome says why one that was taken is unusable. */
bool rnic_srq_take(struct rnic_srq *srq, enum rnic_syndrome *syndrome,
                   struct rnic_receive *receive);
/* Tells of a limit that was reached when it was armed. */
void rnic_srq_tell_due(struct rnic_srq *srq);
void rnic_srq_fail(struct rnic_srq *srq);

#endif
