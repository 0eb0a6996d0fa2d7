/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: regions behind tokens, and lists of SGEs. Range and right are looked at with each access,
 * and all of an access before its first byte moves.
 */
#include "nic.h"

#include <string.h>

static bool region_covers(const struct mbx_region *region, uint32_t pd, uint64_t address,
                          uint64_t count) {
    return region != NULL && region->is_valid && region->pd == pd && address >= region->base &&
           address - region->base <= region->length &&
           count <= region->length - (address - region->base);
}

/* Contiguous DMA addresses; the bus takes care of pages. */
static bool move(struct mbx_nic *nic, uint64_t dma, void *bytes, uint64_t count, bool is_write) {
    return is_write ? mbx_dma_write(nic, dma, bytes, count) : mbx_dma_read(nic, dma, bytes, count);
}

static bool pages_move(struct mbx_nic *nic, const struct mbx_region *region, uint64_t offset,
                       uint8_t *bytes, uint64_t count, bool is_write) {
    while (count > 0) {
        uint64_t at = region->page_offset + offset, in_page = at % SIM_PAGE_BYTES;
        uint64_t piece = SIM_PAGE_BYTES - in_page < count ? SIM_PAGE_BYTES - in_page : count;

        if (!move(nic, region->pages[at / SIM_PAGE_BYTES] + in_page, bytes, piece, is_write))
            return false;
        offset += piece;
        bytes += piece;
        count -= piece;
    }
    return true;
}

bool mbx_region_move(struct mbx_nic *nic, uint32_t pd, uint32_t token, uint64_t address,
                     void *bytes, uint64_t count, uint32_t right, bool is_write) {
    const struct mbx_region *region = mbx_table_find(&nic->regions, token);

    if (count == 0)
        return true; /* a token is not looked at for nothing */
    return region_covers(region, pd, address, count) && (region->rights & right) != 0 &&
           pages_move(nic, region, address - region->base, bytes, count, is_write);
}

uint64_t mbx_sges_bytes(const struct mbx_work *work) {
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < work->sge_count; i++)
        bytes += work->payload.sge[i].length;
    return bytes;
}

static bool is_privileged(const struct mbx_nic *nic, uint32_t pd, const struct mbx_sge *sge) {
    const struct mbx_pd *domain = mbx_table_find(&nic->pds, pd);

    return domain != NULL && sge->token == domain->privileged_token;
}

/* Local reading needs no right. */
bool mbx_sges_allow(struct mbx_nic *nic, uint32_t pd, const struct mbx_work *work,
                    enum mbx_use use) {
    static const uint32_t rights[] = {
        [MBX_USE_RECEIVE] = MBX_LOCAL_WRITE, [MBX_USE_SINK] = MBX_LOCAL_WRITE | MBX_READ_SINK};

    for (uint32_t i = 0; i < work->sge_count; i++) {
        const struct mbx_sge *sge = &work->payload.sge[i];
        const struct mbx_region *region = mbx_table_find(&nic->regions, sge->token);

        if (sge->length == 0 || is_privileged(nic, pd, sge))
            continue;
        if (!region_covers(region, pd, sge->address, sge->length) ||
            (use != MBX_USE_SOURCE && (region->rights & rights[use]) == 0))
            return false;
    }
    return true;
}

static bool sge_move(struct mbx_nic *nic, uint32_t pd, const struct mbx_sge *sge, uint64_t offset,
                     void *bytes, uint64_t count, bool is_write) {
    const struct mbx_region *region = mbx_table_find(&nic->regions, sge->token);

    if (is_privileged(nic, pd, sge))
        return move(nic, sge->address + offset, bytes, count, is_write);
    return pages_move(nic, region, sge->address + offset - region->base, bytes, count, is_write);
}

/* All of the SGEs must be good, whatever part of them is moved now. */
bool mbx_sges_move(struct mbx_nic *nic, uint32_t pd, const struct mbx_work *work, uint64_t offset,
                   void *bytes, uint64_t count, enum mbx_use use) {
    uint8_t *at = bytes;

    if (!mbx_sges_allow(nic, pd, work, use))
        return false;
    for (uint32_t i = 0; i < work->sge_count && count > 0; i++) {
        const struct mbx_sge *sge = &work->payload.sge[i];
        uint64_t piece;

        if (offset >= sge->length) {
            offset -= sge->length;
            continue;
        }
        piece = sge->length - offset < count ? sge->length - offset : count;
        if (!sge_move(nic, pd, sge, offset, at, piece, use != MBX_USE_SOURCE))
            return false;
        offset = 0;
        at += piece;
        count -= piece;
    }
    return count == 0;
}

/* ---- Regions ---- */

enum mbx_status mbx_region_create(struct mbx_nic *nic, const struct mbx_region_body *body,
                                  bool is_fast, uint32_t *token) {
    struct mbx_region *region = sim_alloc(nic->world, sizeof(*region));
    uint64_t page_bytes = body->page_count * sizeof(*region->pages);

    region->pd = body->pd;
    region->page_count = body->page_count;
    region->pages = sim_alloc(nic->world, page_bytes);
    region->rights_max = region->rights = body->rights;
    region->is_fast = is_fast;
    region->token = mbx_table_add(nic, &nic->regions, region);
    if (region->token == 0 ||
        (!is_fast && !mbx_dma_read(nic, body->pages, region->pages, page_bytes))) {
        bool is_full = region->token == 0;

        if (!is_full)
            mbx_table_remove(&nic->regions, region->token);
        sim_free(nic->world, region->pages, page_bytes);
        sim_free(nic->world, region, sizeof(*region));
        return is_full ? MBX_NO_RESOURCES : MBX_DMA_ERROR;
    }
    region->base = body->base;
    region->length = body->length;
    region->page_offset = (uint32_t)(body->base % SIM_PAGE_BYTES);
    region->is_valid = !is_fast;
    *token = region->token;
    return MBX_OK;
}

bool mbx_region_destroy(struct mbx_nic *nic, uint32_t token) {
    struct mbx_region *region = mbx_table_find(&nic->regions, token);

    if (region == NULL)
        return false;
    mbx_table_remove(&nic->regions, token);
    sim_free(nic->world, region->pages, region->page_count * sizeof(*region->pages));
    sim_free(nic->world, region, sizeof(*region));
    return true;
}

enum mbx_completion_status mbx_region_register(struct mbx_nic *nic, uint32_t pd,
                                               const struct mbx_work *work) {
    struct mbx_region *region = mbx_table_find(&nic->regions, work->token);

    if (region == NULL || region->pd != pd || !region->is_fast || region->is_valid)
        return MBX_LOCAL_STATE;
    if (work->page_count > region->page_count || work->page_count > MBX_FAST_PAGE_COUNT_MAX ||
        (work->rights & ~region->rights_max) != 0)
        return MBX_LOCAL_ACCESS;
    memcpy(region->pages, work->payload.pages, work->page_count * sizeof(*region->pages));
    region->base = work->base;
    region->length = work->length;
    region->page_offset = work->page_offset;
    region->rights = work->rights;
    region->is_valid = true;
    return MBX_DONE;
}

bool mbx_region_invalidate(struct mbx_nic *nic, uint32_t pd, uint32_t token) {
    struct mbx_region *region = mbx_table_find(&nic->regions, token);

    if (region == NULL || region->pd != pd || !region->is_fast || !region->is_valid)
        return false;
    region->is_valid = false;
    return true;
}
