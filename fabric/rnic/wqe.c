/* SPDX-License-Identifier: Apache-2.0 */
#include "wqe.h"

#include <string.h>

#include "device.h"

static const uint8_t *entry_at(struct rnic_device *device, const struct rnic_ring *ring,
                               uint32_t index) {
    return rnic_dma_page(device, rnic_ring_address(ring, index), 1u << ring->stride_log2);
}

static bool is_transfer(uint8_t opcode) {
    return opcode >= RNIC_WQE_SEND && opcode <= RNIC_WQE_READ;
}

/* Which flags an opcode may carry (NDK's table, and what the hardware gives meaning to). */
static const uint8_t flags_legal[RNIC_WQE_OPCODE_COUNT] = {
    [RNIC_WQE_NOP] = RNIC_WQE_SIGNALLED | RNIC_WQE_FENCE,
    [RNIC_WQE_SEND] = RNIC_WQE_SIGNALLED | RNIC_WQE_SOLICITED | RNIC_WQE_FENCE | RNIC_WQE_INLINE,
    [RNIC_WQE_SEND_INV] =
        RNIC_WQE_SIGNALLED | RNIC_WQE_SOLICITED | RNIC_WQE_FENCE | RNIC_WQE_INLINE,
    [RNIC_WQE_WRITE] = RNIC_WQE_SIGNALLED | RNIC_WQE_FENCE | RNIC_WQE_INLINE,
    [RNIC_WQE_READ] = RNIC_WQE_SIGNALLED | RNIC_WQE_FENCE | RNIC_WQE_LOCAL_INVALIDATE,
    [RNIC_WQE_LOCAL_INV] = RNIC_WQE_SIGNALLED | RNIC_WQE_FENCE,
    [RNIC_WQE_FAST_REG] = RNIC_WQE_SIGNALLED | RNIC_WQE_FENCE,
    [RNIC_WQE_BIND_MW] = RNIC_WQE_SIGNALLED | RNIC_WQE_FENCE,
};

static enum rnic_syndrome inline_read(const struct rnic_qp *qp, uint32_t data_offset,
                                      struct rnic_send *send) {
    uint32_t room = (1u << qp->sq.stride_log2) - data_offset;
    if (send->control.inline_bytes > room ||
        send->control.inline_bytes > qp->device->config.inline_bytes_max)
        return RNIC_SYNDROME_WQE;
    send->inline_data = send->entry + data_offset;
    send->bytes = send->control.inline_bytes;
    return RNIC_SYNDROME_NONE;
}

static enum rnic_syndrome sgl_read(const struct rnic_qp *qp, uint32_t data_offset,
                                   struct rnic_send *send) {
    uint32_t room = ((1u << qp->sq.stride_log2) - data_offset) / (uint32_t)sizeof(struct rnic_sge);
    uint32_t count_max =
        send->control.opcode == RNIC_WQE_READ ? qp->read_sge_count_max : qp->sq_sge_count_max;
    if (send->control.sge_count > count_max || send->control.sge_count > room)
        return RNIC_SYNDROME_WQE;
    send->sgl.entries = (const struct rnic_sge *)(const void *)(send->entry + data_offset);
    send->sgl.count = send->control.sge_count;
    send->sgl.pdn = qp->pdn;
    uint64_t bytes = rnic_sgl_bytes(&send->sgl);
    if (bytes > qp->device->config.message_bytes_max)
        return RNIC_SYNDROME_WQE;
    send->bytes = (uint32_t)bytes;
    return RNIC_SYNDROME_NONE;
}

static enum rnic_syndrome transfer_read(const struct rnic_qp *qp, struct rnic_send *send) {
    struct rnic_wqe_transfer head;
    bool is_ud = qp->type == RNIC_QP_GSI;
    uint32_t data_offset = is_ud ? RNIC_WQE_UD_DATA_OFFSET : RNIC_WQE_DATA_OFFSET;
    if (1u << qp->sq.stride_log2 < data_offset)
        return RNIC_SYNDROME_WQE;
    if (!is_ud) {
        memcpy(&head, send->entry, RNIC_WQE_DATA_OFFSET);
        send->remote_address = head.remote_address;
        send->rkey = head.rkey;
    }
    return (send->control.flags & RNIC_WQE_INLINE) != 0 ? inline_read(qp, data_offset, send)
                                                        : sgl_read(qp, data_offset, send);
}

enum rnic_syndrome rnic_send_fetch(struct rnic_qp *qp, uint32_t index, struct rnic_send *send) {
    memset(send, 0, sizeof *send);
    send->entry = entry_at(qp->device, &qp->sq, index);
    if (send->entry == NULL)
        return RNIC_SYNDROME_DMA;
    memcpy(&send->control, send->entry, sizeof send->control);
    if (send->control.opcode >= RNIC_WQE_OPCODE_COUNT) {
        send->control.opcode = RNIC_WQE_NOP;
        return RNIC_SYNDROME_WQE;
    }
    uint8_t illegal = send->control.flags & (uint8_t)~flags_legal[send->control.opcode];
    if (send->control.index != index || illegal != 0)
        return RNIC_SYNDROME_WQE;
    if (qp->type == RNIC_QP_GSI && send->control.opcode != RNIC_WQE_SEND)
        return RNIC_SYNDROME_WQE;
    return is_transfer(send->control.opcode) ? transfer_read(qp, send) : RNIC_SYNDROME_NONE;
}

enum rnic_syndrome rnic_send_gather(struct rnic_qp *qp, const struct rnic_send *send,
                                    uint64_t offset, uint8_t *to, uint32_t bytes) {
    if (send->inline_data == NULL)
        return rnic_sgl_gather(qp->device, &send->sgl, offset, to, bytes);
    memcpy(to, send->inline_data + offset, bytes);
    return RNIC_SYNDROME_NONE;
}

enum rnic_syndrome rnic_receive_fetch(struct rnic_device *device, const struct rnic_ring *ring,
                                      uint32_t index, uint32_t sge_count_max,
                                      struct rnic_receive *receive) {
    receive->index = index;
    receive->tag = 0;
    receive->count = 0;
    receive->bytes = 0;
    const uint8_t *entry = entry_at(device, ring, index);
    if (entry == NULL)
        return RNIC_SYNDROME_DMA;
    struct rnic_wqe_receive head;
    memcpy(&head, entry, RNIC_RECEIVE_DATA_OFFSET);
    receive->tag = head.tag;
    uint32_t room =
        ((1u << ring->stride_log2) - RNIC_RECEIVE_DATA_OFFSET) / (uint32_t)sizeof(struct rnic_sge);
    if (head.index != index || head.sge_count > sge_count_max || head.sge_count > room)
        return RNIC_SYNDROME_WQE;
    memcpy(receive->sges, entry + RNIC_RECEIVE_DATA_OFFSET,
           head.sge_count * sizeof(struct rnic_sge));
    receive->count = head.sge_count;
    for (uint32_t i = 0; i < head.sge_count; i++)
        receive->bytes += receive->sges[i].bytes;
    return RNIC_SYNDROME_NONE;
}
