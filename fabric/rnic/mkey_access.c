/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may touch what through which key, and the moving of bytes. Every access is checked anew, so a
 * key that goes away in the middle of a message stops it there; one that is CLOSING lets it end.
 */
#include "mkey.h"

#include <string.h>

#include "device.h"

static bool in_bounds(const struct rnic_mkey *mkey, const struct rnic_access *access) {
    uint64_t offset = access->address - mkey->base;
    return access->address >= mkey->base && offset <= mkey->length &&
           access->bytes <= mkey->length - offset;
}

static void map(const struct rnic_mkey *pages_of, uint64_t address, struct rnic_mapping *mapping) {
    mapping->pages = pages_of->list.addresses;
    mapping->offset = (pages_of->base & (RNIC_PAGE_BYTES - 1)) + (address - pages_of->base);
}

static struct rnic_mkey *find_usable(struct rnic_device *device, uint32_t key, bool begins) {
    struct rnic_mkey *mkey = rnic_table_find(&device->mkeys, RNIC_KEY_INDEX(key));
    if (mkey == NULL || mkey->variant != RNIC_KEY_VARIANT(key))
        return NULL;
    bool is_closing = mkey->state == RNIC_MKEY_CLOSING;
    return mkey->state == RNIC_MKEY_VALID || (is_closing && !begins) ? mkey : NULL;
}

enum rnic_syndrome rnic_mkey_check_local(struct rnic_device *device,
                                         const struct rnic_access *access,
                                         struct rnic_mapping *mapping) {
    const struct rnic_mkey *mkey = find_usable(device, access->key, access->begins);
    if (mkey == NULL || mkey->kind == RNIC_MKEY_WINDOW_1 || mkey->kind == RNIC_MKEY_WINDOW_2)
        return RNIC_SYNDROME_KEY_INVALID;
    if (mkey->pdn != access->pdn)
        return RNIC_SYNDROME_KEY_PD;
    if ((access->rights & ~mkey->rights) != 0)
        return RNIC_SYNDROME_KEY_RIGHTS;
    if (mkey->kind == RNIC_MKEY_PRIVILEGED) {
        mapping->pages = NULL;
        mapping->offset = access->address;
        return RNIC_SYNDROME_NONE;
    }
    if (!in_bounds(mkey, access))
        return RNIC_SYNDROME_KEY_BOUNDS;
    map(mkey, access->address, mapping);
    return RNIC_SYNDROME_NONE;
}

enum rnic_syndrome rnic_mkey_check_remote(struct rnic_device *device,
                                          const struct rnic_access *access,
                                          struct rnic_mapping *mapping) {
    const struct rnic_mkey *mkey = find_usable(device, access->key, access->begins);
    if (mkey == NULL)
        return RNIC_SYNDROME_KEY_INVALID;
    if (mkey->pdn != access->pdn)
        return RNIC_SYNDROME_KEY_PD;
    if (mkey->kind == RNIC_MKEY_WINDOW_2 && mkey->qpn != access->qpn)
        return RNIC_SYNDROME_KEY_PD;
    if (mkey->kind == RNIC_MKEY_PRIVILEGED || (access->rights & ~mkey->rights) != 0)
        return RNIC_SYNDROME_KEY_RIGHTS;
    if (!in_bounds(mkey, access))
        return RNIC_SYNDROME_KEY_BOUNDS;
    const struct rnic_mkey *pages_of =
        mkey->region != 0 ? rnic_table_find(&device->mkeys, mkey->region) : mkey;
    if (pages_of == NULL || pages_of->state == RNIC_MKEY_FREE)
        return RNIC_SYNDROME_KEY_INVALID;
    map(pages_of, access->address, mapping);
    return RNIC_SYNDROME_NONE;
}

/* Where the first bytes of a mapping lie, at most to the end of their page. */
static uint64_t piece_address(const struct rnic_mapping *mapping, uint64_t offset, uint64_t bytes,
                              uint64_t *part) {
    uint64_t at = mapping->offset + offset;
    uint64_t in_page = at & (RNIC_PAGE_BYTES - 1);
    *part = RNIC_PAGE_BYTES - in_page < bytes ? RNIC_PAGE_BYTES - in_page : bytes;
    return mapping->pages == NULL ? at : mapping->pages[at >> RNIC_PAGE_SHIFT] + in_page;
}

bool rnic_mapping_read(struct rnic_device *device, const struct rnic_mapping *mapping, uint8_t *to,
                       uint64_t bytes) {
    uint64_t part;
    for (uint64_t done = 0; done < bytes; done += part) {
        uint64_t address = piece_address(mapping, done, bytes - done, &part);
        const uint8_t *from = rnic_dma_page(device, address, part);
        if (from == NULL)
            return false;
        memcpy(to + done, from, part);
    }
    return true;
}

bool rnic_mapping_write(struct rnic_device *device, const struct rnic_mapping *mapping,
                        const uint8_t *from, uint64_t bytes) {
    uint64_t part;
    for (uint64_t done = 0; done < bytes; done += part) {
        uint64_t address = piece_address(mapping, done, bytes - done, &part);
        if (!rnic_dma_write(device, address, from + done, part))
            return false;
    }
    return true;
}

/* The part of a list that a move touches, entry by entry. */
struct sgl_walk {
    const struct rnic_sgl *sgl;
    uint32_t entry;
    uint64_t skip; /* bytes of the entry that lie before the part */
    uint64_t left;
};

static void walk_init(struct sgl_walk *walk, const struct rnic_sgl *sgl, uint64_t offset,
                      uint64_t bytes) {
    *walk = (struct sgl_walk){.sgl = sgl, .skip = offset, .left = bytes};
    while (walk->entry < sgl->count && walk->skip >= sgl->entries[walk->entry].bytes)
        walk->skip -= sgl->entries[walk->entry++].bytes;
}

/* Checks the next entry's part; its bytes in *part. */
static enum rnic_syndrome walk_next(struct rnic_device *device, struct sgl_walk *walk,
                                    uint32_t rights, struct rnic_mapping *mapping, uint64_t *part) {
    if (walk->entry == walk->sgl->count)
        return RNIC_SYNDROME_WQE;
    const struct rnic_sge *entry = &walk->sgl->entries[walk->entry++];
    uint64_t room = entry->bytes - walk->skip;
    *part = room < walk->left ? room : walk->left;
    const struct rnic_access access = {.address = entry->address + walk->skip,
                                       .bytes = *part,
                                       .key = entry->lkey,
                                       .pdn = walk->sgl->pdn,
                                       .rights = rights};
    walk->skip = 0;
    walk->left -= *part;
    return *part == 0 ? RNIC_SYNDROME_NONE : rnic_mkey_check_local(device, &access, mapping);
}

enum rnic_syndrome rnic_sgl_gather(struct rnic_device *device, const struct rnic_sgl *sgl,
                                   uint64_t offset, uint8_t *to, uint64_t bytes) {
    struct sgl_walk walk;
    walk_init(&walk, sgl, offset, bytes);
    while (walk.left != 0) {
        struct rnic_mapping mapping;
        uint64_t part = 0;
        enum rnic_syndrome syndrome = walk_next(device, &walk, 0, &mapping, &part);
        if (syndrome != RNIC_SYNDROME_NONE)
            return syndrome;
        if (part != 0 && !rnic_mapping_read(device, &mapping, to, part))
            return RNIC_SYNDROME_DMA;
        to += part;
    }
    return RNIC_SYNDROME_NONE;
}

enum rnic_syndrome rnic_sgl_scatter(struct rnic_device *device, const struct rnic_sgl *sgl,
                                    uint64_t offset, const uint8_t *from, uint64_t bytes,
                                    uint32_t rights) {
    struct sgl_walk walk;
    walk_init(&walk, sgl, offset, bytes);
    while (walk.left != 0) {
        struct rnic_mapping mapping;
        uint64_t part = 0;
        enum rnic_syndrome syndrome = walk_next(device, &walk, rights, &mapping, &part);
        if (syndrome != RNIC_SYNDROME_NONE)
            return syndrome;
        if (part != 0 && !rnic_mapping_write(device, &mapping, from, part))
            return RNIC_SYNDROME_DMA;
        from += part;
    }
    return RNIC_SYNDROME_NONE;
}
