/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work requests on keys: fast registration, window binding, invalidation. They execute when the
 * send queue reaches them, or when a message asks for it.
 */
#include "mkey.h"

#include "device.h"
#include "qp.h"

static struct rnic_mkey *find(struct rnic_qp *qp, uint32_t key) {
    return rnic_table_find(&qp->device->mkeys, RNIC_KEY_INDEX(key));
}

static const uint32_t rights_remote = RNIC_RIGHT_REMOTE_READ | RNIC_RIGHT_REMOTE_WRITE;

enum rnic_syndrome rnic_mkey_register(struct rnic_qp *qp, const struct rnic_wqe_fast_reg *wqe) {
    struct rnic_mkey *mkey = find(qp, wqe->control.key);
    if (mkey == NULL)
        return RNIC_SYNDROME_KEY_INVALID;
    if (mkey->pdn != qp->pdn)
        return RNIC_SYNDROME_KEY_PD;
    /* Still valid, or no fast-register key: refused (a new registration needs an invalidate). */
    if (mkey->kind != RNIC_MKEY_FAST_REG || mkey->state != RNIC_MKEY_FREE)
        return RNIC_SYNDROME_KEY_BUSY;
    bool remote = (wqe->rights & (rights_remote | RNIC_RIGHT_BIND)) != 0;
    if (!rnic_region_rights_legal(wqe->rights) || (remote && !mkey->remote_enable))
        return RNIC_SYNDROME_KEY_RIGHTS;
    uint64_t first = wqe->base & (RNIC_PAGE_BYTES - 1);
    uint64_t room = (uint64_t)wqe->page_count * RNIC_PAGE_BYTES;
    if (wqe->page_count == 0 || wqe->page_count > mkey->list.count || first > room ||
        wqe->length > room - first || wqe->base + wqe->length < wqe->base)
        return RNIC_SYNDROME_KEY_BOUNDS;
    if (!rnic_dma_read(qp->device, wqe->page_list, mkey->list.addresses,
                       wqe->page_count * sizeof *mkey->list.addresses))
        return RNIC_SYNDROME_DMA;
    if (!rnic_addresses_aligned(mkey->list.addresses, wqe->page_count))
        return RNIC_SYNDROME_WQE;
    mkey->base = wqe->base;
    mkey->length = wqe->length;
    mkey->rights = wqe->rights;
    mkey->variant = RNIC_KEY_VARIANT(wqe->control.key);
    mkey->state = RNIC_MKEY_VALID;
    sim_trace(qp->device->world, RNIC_TRACE_KEY_REGISTER, SIM_ACCESS_WRITE, qp->object, NULL, NULL,
              wqe->control.key, wqe->length);
    return RNIC_SYNDROME_NONE;
}

static void unbind(struct rnic_qp *qp, struct rnic_mkey *window) {
    if (window->region != 0) {
        struct rnic_mkey *region = rnic_table_find(&qp->device->mkeys, window->region);
        if (region != NULL)
            region->bound_count--;
    }
    window->region = 0;
    window->qpn = 0;
    window->state = RNIC_MKEY_FREE;
}

/* The region, when the window may be bound to that range of it with these rights. */
static enum rnic_syndrome bind_check(struct rnic_qp *qp, const struct rnic_wqe_bind *wqe,
                                     struct rnic_mkey **region) {
    *region = find(qp, wqe->region_key);
    const struct rnic_mkey *mkey = *region;
    if (mkey == NULL || mkey->variant != RNIC_KEY_VARIANT(wqe->region_key) ||
        mkey->state != RNIC_MKEY_VALID ||
        (mkey->kind != RNIC_MKEY_REGION && mkey->kind != RNIC_MKEY_FAST_REG))
        return RNIC_SYNDROME_KEY_INVALID;
    if (mkey->pdn != qp->pdn)
        return RNIC_SYNDROME_KEY_PD;
    bool write = (wqe->rights & RNIC_RIGHT_REMOTE_WRITE) != 0;
    if ((wqe->rights & ~rights_remote) != 0 || (mkey->rights & RNIC_RIGHT_BIND) == 0 ||
        (write && (mkey->rights & RNIC_RIGHT_LOCAL_WRITE) == 0))
        return RNIC_SYNDROME_KEY_RIGHTS;
    uint64_t offset = wqe->base - mkey->base;
    if (wqe->base < mkey->base || offset > mkey->length || wqe->length > mkey->length - offset)
        return RNIC_SYNDROME_KEY_BOUNDS;
    return RNIC_SYNDROME_NONE;
}

enum rnic_syndrome rnic_mkey_bind(struct rnic_qp *qp, const struct rnic_wqe_bind *wqe) {
    struct rnic_mkey *window = find(qp, wqe->control.key);
    if (window == NULL ||
        (window->kind != RNIC_MKEY_WINDOW_1 && window->kind != RNIC_MKEY_WINDOW_2))
        return RNIC_SYNDROME_KEY_INVALID;
    if (window->pdn != qp->pdn)
        return RNIC_SYNDROME_KEY_PD;
    if (window->kind == RNIC_MKEY_WINDOW_2 && window->state != RNIC_MKEY_FREE)
        return RNIC_SYNDROME_KEY_BUSY;
    struct rnic_mkey *region = NULL;
    if (wqe->length != 0) {
        enum rnic_syndrome syndrome = bind_check(qp, wqe, &region);
        if (syndrome != RNIC_SYNDROME_NONE)
            return syndrome;
    } else if (window->kind == RNIC_MKEY_WINDOW_2) {
        return RNIC_SYNDROME_KEY_BOUNDS;
    }
    unbind(qp, window);
    window->variant = RNIC_KEY_VARIANT(wqe->control.key);
    if (region != NULL) {
        region->bound_count++;
        window->region = region->number;
        window->base = wqe->base;
        window->length = wqe->length;
        window->rights = wqe->rights;
        window->state = RNIC_MKEY_VALID;
        window->qpn = window->kind == RNIC_MKEY_WINDOW_2 ? qp->number : 0;
    }
    sim_trace(qp->device->world, RNIC_TRACE_KEY_BIND, SIM_ACCESS_WRITE, qp->object, NULL, NULL,
              wqe->control.key, wqe->length);
    return RNIC_SYNDROME_NONE;
}

enum rnic_syndrome rnic_mkey_may_invalidate(struct rnic_qp *qp, uint32_t key) {
    const struct rnic_mkey *mkey = find(qp, key);
    if (mkey == NULL || mkey->variant != RNIC_KEY_VARIANT(key) || mkey->state != RNIC_MKEY_VALID)
        return RNIC_SYNDROME_KEY_INVALID;
    if (mkey->pdn != qp->pdn || (mkey->kind == RNIC_MKEY_WINDOW_2 && mkey->qpn != qp->number))
        return RNIC_SYNDROME_KEY_PD;
    bool can = mkey->kind == RNIC_MKEY_FAST_REG || mkey->kind == RNIC_MKEY_WINDOW_2;
    return can && mkey->bound_count == 0 ? RNIC_SYNDROME_NONE : RNIC_SYNDROME_KEY_BUSY;
}

enum rnic_syndrome rnic_mkey_invalidate(struct rnic_qp *qp, uint32_t key, bool by_peer) {
    enum rnic_syndrome syndrome = rnic_mkey_may_invalidate(qp, key);
    if (syndrome != RNIC_SYNDROME_NONE)
        return syndrome;
    struct rnic_mkey *mkey = find(qp, key);
    if (mkey->kind == RNIC_MKEY_WINDOW_2)
        unbind(qp, mkey);
    mkey->state = RNIC_MKEY_FREE;
    sim_trace(qp->device->world, RNIC_TRACE_KEY_INVALIDATE, SIM_ACCESS_WRITE, qp->object, NULL,
              NULL, key, by_peer);
    return RNIC_SYNDROME_NONE;
}
