/* SPDX-License-Identifier: Apache-2.0 */
/* Life of protection domains and memory keys. */
#include "mkey.h"

#include <sim/memory.h>

#include "device.h"

struct rnic_pd *rnic_pd_find(struct rnic_device *device, uint32_t number) {
    return rnic_table_find(&device->pds, number);
}

static struct rnic_mkey *mkey_find(struct rnic_device *device, uint32_t number) {
    return rnic_table_find(&device->mkeys, number);
}

static struct rnic_mkey *mkey_add(struct rnic_device *device, enum rnic_mkey_kind kind,
                                  uint32_t pdn) {
    struct rnic_mkey *mkey = sim_alloc(device->world, sizeof *mkey);
    mkey->kind = (uint8_t)kind;
    mkey->pdn = pdn;
    if (rnic_fault_hit(device, RNIC_FAULT_TABLE_FULL, &device->bus.object, NULL) ||
        !rnic_table_add(device->world, &device->mkeys, (struct rnic_numbered *)mkey)) {
        sim_free(device->world, mkey, sizeof *mkey);
        return NULL;
    }
    return mkey;
}

static void mkey_remove(struct rnic_device *device, struct rnic_mkey *mkey) {
    device->mkey_closing_count -= mkey->state == RNIC_MKEY_CLOSING;
    rnic_table_remove(&device->mkeys, (struct rnic_numbered *)mkey);
    rnic_page_list_free(device, &mkey->list);
    sim_free(device->world, mkey, sizeof *mkey);
}

enum rnic_status rnic_pd_create(struct rnic_device *device, uint32_t *number, uint32_t *key) {
    struct rnic_pd *pd = sim_alloc(device->world, sizeof *pd);
    if (rnic_fault_hit(device, RNIC_FAULT_TABLE_FULL, &device->bus.object, NULL) ||
        !rnic_table_add(device->world, &device->pds, (struct rnic_numbered *)pd))
        goto fail;
    pd->privileged = mkey_add(device, RNIC_MKEY_PRIVILEGED, pd->number);
    if (pd->privileged == NULL) {
        rnic_table_remove(&device->pds, (struct rnic_numbered *)pd);
        goto fail;
    }
    pd->privileged->state = RNIC_MKEY_VALID;
    /* Where read sinks need a right, addresses of no region have none to show. */
    pd->privileged->rights = RNIC_RIGHT_LOCAL_WRITE;
    *number = pd->number;
    *key = rnic_mkey_key(pd->privileged);
    return RNIC_STATUS_OK;
fail:
    sim_free(device->world, pd, sizeof *pd);
    return RNIC_STATUS_NO_RESOURCES;
}

enum rnic_status rnic_pd_destroy(struct rnic_device *device, uint32_t number) {
    struct rnic_pd *pd = rnic_pd_find(device, number);
    if (pd == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    if (pd->used != 0)
        return RNIC_STATUS_BUSY;
    mkey_remove(device, pd->privileged);
    rnic_table_remove(&device->pds, (struct rnic_numbered *)pd);
    sim_free(device->world, pd, sizeof *pd);
    return RNIC_STATUS_OK;
}

static const uint32_t rights_all = RNIC_RIGHT_LOCAL_WRITE | RNIC_RIGHT_REMOTE_READ |
                                   RNIC_RIGHT_REMOTE_WRITE | RNIC_RIGHT_BIND | RNIC_RIGHT_READ_SINK;

/* Remote write demands local write (IBTA 11.2.8.2, NDK's ALLOW_REMOTE_WRITE contains it). */
bool rnic_region_rights_legal(uint32_t rights) {
    bool write_without_local =
        (rights & RNIC_RIGHT_REMOTE_WRITE) != 0 && (rights & RNIC_RIGHT_LOCAL_WRITE) == 0;
    return (rights & ~rights_all) == 0 && !write_without_local;
}

static enum rnic_status region_fill(struct rnic_device *device, struct rnic_mkey *mkey,
                                    const struct rnic_mkey_create *create) {
    uint64_t first = create->base & (RNIC_PAGE_BYTES - 1);
    if (!rnic_region_rights_legal(create->rights) || create->length == 0 ||
        create->base + create->length < create->base)
        return RNIC_STATUS_BAD_PARAMETER;
    if (first + create->length > (uint64_t)create->pages.page_count * RNIC_PAGE_BYTES)
        return RNIC_STATUS_BAD_PARAMETER;
    enum rnic_status status = rnic_page_list_read(device, &create->pages,
                                                  device->config.mkey_page_count_max, &mkey->list);
    if (status != RNIC_STATUS_OK)
        return status;
    mkey->base = create->base;
    mkey->length = create->length;
    mkey->rights = create->rights;
    mkey->state = RNIC_MKEY_VALID;
    return RNIC_STATUS_OK;
}

static enum rnic_status fast_reg_fill(struct rnic_device *device, struct rnic_mkey *mkey,
                                      const struct rnic_mkey_create *create) {
    uint32_t count = create->pages.page_count;
    if (count == 0)
        return RNIC_STATUS_BAD_PARAMETER;
    if (count > device->config.fast_reg_page_count_max)
        return RNIC_STATUS_LIMIT;
    if (!rnic_page_list_alloc(device, count, &mkey->list))
        return RNIC_STATUS_NO_RESOURCES;
    mkey->remote_enable = create->remote_enable != 0;
    return RNIC_STATUS_OK;
}

static enum rnic_status mkey_fill(struct rnic_device *device, struct rnic_mkey *mkey,
                                  const struct rnic_mkey_create *create) {
    uint32_t flags = device->config.cap_flags;
    switch (create->kind) {
    case RNIC_MKEY_REGION:
        return region_fill(device, mkey, create);
    case RNIC_MKEY_FAST_REG:
        return fast_reg_fill(device, mkey, create);
    case RNIC_MKEY_WINDOW_1:
        return (flags & RNIC_CAP_MW_TYPE_1) != 0 ? RNIC_STATUS_OK : RNIC_STATUS_BAD_PARAMETER;
    case RNIC_MKEY_WINDOW_2:
        return (flags & RNIC_CAP_MW_TYPE_2) != 0 ? RNIC_STATUS_OK : RNIC_STATUS_BAD_PARAMETER;
    default:
        return RNIC_STATUS_BAD_PARAMETER;
    }
}

enum rnic_status rnic_mkey_create(struct rnic_device *device, const struct rnic_mkey_create *create,
                                  struct rnic_mkey **mkey) {
    struct rnic_pd *pd = rnic_pd_find(device, create->pdn);
    if (pd == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    *mkey = mkey_add(device, create->kind, create->pdn);
    if (*mkey == NULL)
        return RNIC_STATUS_NO_RESOURCES;
    enum rnic_status status = mkey_fill(device, *mkey, create);
    if (status == RNIC_STATUS_OK)
        pd->used++;
    else
        mkey_remove(device, *mkey);
    return status;
}

/* True while the region cannot go yet: from now on no access begins. */
static bool must_drain(struct rnic_device *device, struct rnic_mkey *mkey) {
    if (mkey->kind != RNIC_MKEY_REGION || !rnic_mkey_is_used(device, mkey))
        return false;
    device->mkey_closing_count += mkey->state != RNIC_MKEY_CLOSING;
    mkey->state = RNIC_MKEY_CLOSING;
    return true;
}

enum rnic_status rnic_mkey_destroy(struct rnic_device *device, uint32_t number, bool drains) {
    struct rnic_mkey *mkey = mkey_find(device, number);
    if (mkey == NULL || mkey->kind == RNIC_MKEY_PRIVILEGED)
        return RNIC_STATUS_BAD_NUMBER;
    if (mkey->bound_count != 0)
        return RNIC_STATUS_BUSY;
    if (drains && must_drain(device, mkey))
        return RNIC_STATUS_IN_USE;
    struct rnic_mkey *region = mkey->region != 0 ? mkey_find(device, mkey->region) : NULL;
    if (region != NULL)
        region->bound_count--;
    rnic_pd_find(device, mkey->pdn)->used--;
    mkey_remove(device, mkey);
    return RNIC_STATUS_OK;
}

enum rnic_status rnic_mkey_query(struct rnic_device *device, uint32_t number,
                                 struct rnic_mkey_info *info) {
    const struct rnic_mkey *mkey = mkey_find(device, number);
    if (mkey == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    *info = (struct rnic_mkey_info){.base = mkey->base,
                                    .length = mkey->length,
                                    .key = rnic_mkey_key(mkey),
                                    .pdn = mkey->pdn,
                                    .rights = mkey->rights,
                                    .bound_count = mkey->bound_count,
                                    .kind = mkey->kind,
                                    .state = mkey->state};
    return RNIC_STATUS_OK;
}

void rnic_mkeys_reset(struct rnic_device *device) {
    uint32_t slot = 0;
    for (struct rnic_mkey *mkey; (mkey = rnic_table_next(&device->mkeys, &slot)) != NULL;)
        mkey_remove(device, mkey);
    slot = 0;
    for (struct rnic_pd *pd; (pd = rnic_table_next(&device->pds, &slot)) != NULL;) {
        rnic_table_remove(&device->pds, (struct rnic_numbered *)pd);
        sim_free(device->world, pd, sizeof *pd);
    }
}
