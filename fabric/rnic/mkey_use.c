/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which keys are in use: by a message that has begun here and not ended. It is looked for when a
 * region is to go, so that nothing is counted while messages move. A message that a queue's end cut
 * short is over.
 */
#include "device.h"
#include "mkey.h"
#include "wqe.h"

static bool has_key(const struct rnic_sge *entries, uint32_t count, uint32_t key) {
    for (uint32_t i = 0; i < count; i++)
        if (entries[i].lkey == key && entries[i].bytes != 0)
            return true;
    return false;
}

/* Some of its responses have not left. */
static bool reads_use(const struct rnic_qp *qp, uint32_t key) {
    const struct rnic_responder *r = &qp->responder;
    for (uint32_t i = 0; i < r->read_count; i++) {
        const struct rnic_read *read = &r->reads[(r->read_first + i) % qp->attributes.reads_in];
        if (read->rkey == key && read->next != read->end)
            return true;
    }
    return false;
}

static bool responder_uses(const struct rnic_qp *qp, uint32_t key) {
    const struct rnic_responder *r = &qp->responder;
    if (r->state != RNIC_RESPONDER_READY && r->state != RNIC_RESPONDER_NAKED)
        return false;
    if (r->message == RNIC_MESSAGE_WRITE && r->rkey == key)
        return true;
    if (r->message == RNIC_MESSAGE_SEND && has_key(r->receive->sges, r->receive->count, key))
        return true;
    return reads_use(qp, key);
}

/* WQEs that were started are not finished before their answers: they may have to be sent again. */
static bool requester_uses(struct rnic_qp *qp, uint32_t key) {
    if (qp->type != RNIC_QP_RC || qp->requester.state == RNIC_REQUESTER_STOPPED)
        return false;
    for (uint32_t index = qp->completer.head; index != qp->requester.start_index; index++) {
        struct rnic_send send;
        if (rnic_send_fetch(qp, index, &send) == RNIC_SYNDROME_NONE && send.inline_data == NULL &&
            has_key(send.sgl.entries, send.sgl.count, key))
            return true;
    }
    return false;
}

bool rnic_mkey_is_used(struct rnic_device *device, const struct rnic_mkey *mkey) {
    uint32_t key = rnic_mkey_key(mkey), slot = 0;
    for (struct rnic_qp *qp; (qp = rnic_table_next(&device->qps, &slot)) != NULL;)
        if (responder_uses(qp, key) || requester_uses(qp, key))
            return true;
    return false;
}

bool rnic_sgl_may_begin(struct rnic_device *device, const struct rnic_sgl *sgl) {
    for (uint32_t i = 0; i < sgl->count; i++) {
        const struct rnic_mkey *mkey =
            rnic_table_find(&device->mkeys, RNIC_KEY_INDEX(sgl->entries[i].lkey));
        if (mkey != NULL && mkey->state == RNIC_MKEY_CLOSING &&
            rnic_mkey_key(mkey) == sgl->entries[i].lkey)
            return false;
    }
    return true;
}
