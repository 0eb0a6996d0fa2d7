/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion queues: rings of CQEs, arming, moderation, overrun.
 *
 *   arm:  NONE -> ERRORS -> SOLICITED -> ANY   (the stronger wins)   satisfied: -> NONE, one EQE
 *   life: healthy -> FAULT (overrun, DMA error); then silent, and so are all its QPs, in ERR
 */
#ifndef RNIC_CQ_H
#define RNIC_CQ_H

#include <rnic_hw/rnic.h>
#include <sim/event.h>
#include <sim/object.h>

#include "pages.h"
#include "table.h"

struct rnic_device;
struct rnic_eq;
struct rnic_qp;

/* A completion that is written late (fault point rnic.completion_delay). */
struct rnic_cq_held {
    struct rnic_cq_held *next;
    struct rnic_cqe cqe;
};

struct rnic_cq {
    uint32_t number;
    uint32_t qp_count; /* uses by QPs, send and receive counted apart */
    struct rnic_device *device;
    struct sim_object *object;
    struct rnic_eq *eq;
    struct rnic_ring ring;
    uint32_t producer;
    uint32_t consumer; /* as far as the device knows */
    uint64_t consumer_record;
    uint32_t entry_limit; /* more are an overrun */
    uint32_t solicited;   /* position behind the last solicited or failed entry */
    uint32_t failed;      /* position behind the last failed entry */
    uint32_t arm_index;
    uint8_t arm;        /* enum rnic_arm */
    uint8_t fault;      /* enum rnic_cq_fault */
    bool has_solicited; /* `solicited` means something */
    bool has_failed;    /* `failed` does */
    uint32_t moderate_count;
    uint32_t moderate_ns;
    struct sim_event notify; /* moderation */
    struct rnic_cq_held *held_first;
    struct rnic_cq_held **held_last;
    struct sim_event release;
};

enum rnic_status rnic_cq_create(struct rnic_device *device, const struct rnic_cq_create *create,
                                uint32_t *number);
enum rnic_status rnic_cq_destroy(struct rnic_device *device, uint32_t number);
enum rnic_status rnic_cq_resize(struct rnic_device *device, uint32_t number,
                                const struct rnic_cq_resize *resize, uint32_t *producer);
enum rnic_status rnic_cq_moderate(struct rnic_device *device, uint32_t number, uint64_t moderation);
/* Reads how far the driver has consumed; false: it cannot be read. */
bool rnic_cq_consumer_read(struct rnic_cq *cq);
struct rnic_cq *rnic_cq_find(struct rnic_device *device, uint32_t number);
void rnic_cqs_reset(struct rnic_device *device);

/* Adds an entry; its phase is set here. Nothing on a CQ that has failed. */
void rnic_cq_post(struct rnic_cq *cq, struct rnic_qp *qp, struct rnic_cqe *cqe);
void rnic_cq_doorbell(struct rnic_device *device, uint32_t number, enum rnic_arm arm,
                      uint32_t index);
/* Sends the CQ event if the arm is satisfied now and moderation lets it. */
void rnic_cq_notify(struct rnic_cq *cq);
/* The moderation period has passed. */
void rnic_cq_moderation_over(struct rnic_cq *cq);
/* Entries are held back: what comes meanwhile waits behind them. */
bool rnic_cq_is_holding(const struct rnic_cq *cq);
/* Writes, or drops, the entries that are held back; the records of finished sends follow. */
void rnic_cq_release(struct rnic_cq *cq, bool write);

#endif
