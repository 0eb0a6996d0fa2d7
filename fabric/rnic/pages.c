/* SPDX-License-Identifier: Apache-2.0 */
#include "pages.h"

#include <sim/memory.h>

#include "device.h"

bool rnic_addresses_aligned(const uint64_t *addresses, uint32_t count) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        bits |= addresses[i];
    return (bits & (RNIC_PAGE_BYTES - 1)) == 0;
}

static bool list_read(struct rnic_device *device, uint64_t from, uint64_t *to, uint32_t count) {
    return rnic_dma_read(device, from, to, count * sizeof *to);
}

static bool lists_read(struct rnic_device *device, uint64_t from, uint64_t *to, uint32_t count) {
    uint64_t lists[RNIC_PAGE_LIST_COUNT];
    uint32_t list_count = (count + RNIC_PAGE_LIST_COUNT - 1) / RNIC_PAGE_LIST_COUNT;
    if (!list_read(device, from, lists, list_count))
        return false;
    for (uint32_t i = 0; i < list_count; i++) {
        uint32_t first = i * RNIC_PAGE_LIST_COUNT;
        uint32_t part = count - first < RNIC_PAGE_LIST_COUNT ? count - first : RNIC_PAGE_LIST_COUNT;
        if (!list_read(device, lists[i], to + first, part))
            return false;
    }
    return true;
}

static bool pages_read(struct rnic_device *device, const struct rnic_pages *pages, uint64_t *to) {
    switch (pages->depth) {
    case 0:
        for (uint32_t i = 0; i < pages->page_count; i++)
            to[i] = pages->address + (uint64_t)i * RNIC_PAGE_BYTES;
        return true;
    case 1:
        return list_read(device, pages->address, to, pages->page_count);
    default:
        return lists_read(device, pages->address, to, pages->page_count);
    }
}

bool rnic_page_list_alloc(struct rnic_device *device, uint32_t count, struct rnic_page_list *list) {
    if (count > device->config.translation_count_max - device->translation_count)
        return false;
    device->translation_count += count;
    list->count = count;
    list->addresses = sim_alloc(device->world, count * sizeof *list->addresses);
    return true;
}

enum rnic_status rnic_page_list_read(struct rnic_device *device, const struct rnic_pages *pages,
                                     uint32_t count_max, struct rnic_page_list *list) {
    static const uint32_t depth_count_max[] = {UINT32_MAX, RNIC_PAGE_LIST_COUNT,
                                               RNIC_PAGE_LIST_COUNT * RNIC_PAGE_LIST_COUNT};
    if (pages->depth > 2 || pages->page_count == 0 ||
        pages->page_count > depth_count_max[pages->depth])
        return RNIC_STATUS_BAD_PARAMETER;
    if (pages->page_count > count_max)
        return RNIC_STATUS_LIMIT;
    if (!rnic_page_list_alloc(device, pages->page_count, list))
        return RNIC_STATUS_NO_RESOURCES;
    enum rnic_status status = RNIC_STATUS_OK;
    if (!pages_read(device, pages, list->addresses))
        status = RNIC_STATUS_DMA_ERROR;
    else if (!rnic_addresses_aligned(list->addresses, list->count))
        status = RNIC_STATUS_BAD_PARAMETER;
    if (status != RNIC_STATUS_OK)
        rnic_page_list_free(device, list);
    return status;
}

void rnic_page_list_free(struct rnic_device *device, struct rnic_page_list *list) {
    if (list->addresses != NULL)
        sim_free(device->world, list->addresses, list->count * sizeof *list->addresses);
    device->translation_count -= list->count;
    list->addresses = NULL;
    list->count = 0;
}

/* A ring that shares its page with others: aligned to RNIC_RING_ALIGN, within the page. */
static bool is_piece(const struct rnic_pages *pages, uint64_t bytes) {
    uint64_t offset = pages->address & (RNIC_PAGE_BYTES - 1);
    return pages->depth == 0 && pages->page_count == 1 && offset != 0 &&
           offset % RNIC_RING_ALIGN == 0 && offset + bytes <= RNIC_PAGE_BYTES;
}

static enum rnic_status piece_open(struct rnic_device *device, uint64_t address,
                                   struct rnic_page_list *list) {
    if (!rnic_page_list_alloc(device, 1, list))
        return RNIC_STATUS_NO_RESOURCES;
    list->addresses[0] = address;
    return RNIC_STATUS_OK;
}

enum rnic_status rnic_ring_open(struct rnic_device *device, const struct rnic_pages *pages,
                                uint32_t entry_count_log2, uint32_t stride_log2,
                                struct rnic_ring *ring) {
    uint64_t bytes = UINT64_C(1) << (entry_count_log2 + stride_log2);
    uint32_t need = (uint32_t)((bytes + RNIC_PAGE_BYTES - 1) >> RNIC_PAGE_SHIFT);
    if (pages->page_count < need)
        return RNIC_STATUS_BAD_PARAMETER;
    enum rnic_status status;
    if (is_piece(pages, bytes)) {
        status = piece_open(device, pages->address, &ring->list);
    } else {
        struct rnic_pages used = *pages;
        used.page_count = need;
        status = rnic_page_list_read(device, &used, need, &ring->list);
    }
    if (status == RNIC_STATUS_OK) {
        ring->mask = (1u << entry_count_log2) - 1;
        ring->stride_log2 = (uint8_t)stride_log2;
    }
    return status;
}

void rnic_ring_close(struct rnic_device *device, struct rnic_ring *ring) {
    rnic_page_list_free(device, &ring->list);
}
