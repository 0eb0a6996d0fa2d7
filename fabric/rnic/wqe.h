/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work queue entries as the device reads them: fetched from host memory whenever they are needed,
 * so that nothing about a WQE is kept but its place.
 */
#ifndef RNIC_WQE_H
#define RNIC_WQE_H

#include "mkey.h"
#include "qp.h"

struct rnic_send {
    struct rnic_wqe_control control;
    uint64_t remote_address;
    uint32_t rkey;
    uint32_t bytes;
    struct rnic_sgl sgl;
    const uint8_t *inline_data; /* in the ring; NULL: use the list */
    const uint8_t *entry;       /* whole WQE, in the ring */
};

/* NONE, or WQE or DMA: then only control.opcode (or NOP) and control.flags mean something. */
enum rnic_syndrome rnic_send_fetch(struct rnic_qp *qp, uint32_t index, struct rnic_send *send);

/* Bytes [offset, offset + bytes) of the message into a frame. */
enum rnic_syndrome rnic_send_gather(struct rnic_qp *qp, const struct rnic_send *send,
                                    uint64_t offset, uint8_t *to, uint32_t bytes);

/* The receive at `index` of a ring into `receive`. NONE, WQE or DMA. */
enum rnic_syndrome rnic_receive_fetch(struct rnic_device *device, const struct rnic_ring *ring,
                                      uint32_t index, uint32_t sge_count_max,
                                      struct rnic_receive *receive);

#endif
