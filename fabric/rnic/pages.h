/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device's own copies of page lists, and rings that lie on them.
 */
#ifndef RNIC_PAGES_H
#define RNIC_PAGES_H

#include <sim/bus.h>
#include <rnic_hw/rnic.h>

struct rnic_device;

struct rnic_page_list {
    uint64_t *addresses; /* DMA addresses, page aligned */
    uint32_t count;
};

/* Room for `count` addresses of the device's translation_count_max; false: none left. */
bool rnic_page_list_alloc(struct rnic_device *device, uint32_t count, struct rnic_page_list *list);
/*
 * Reads the lists; OK, BAD_PARAMETER, LIMIT (count above count_max), NO_RESOURCES or DMA_ERROR.
 */
enum rnic_status rnic_page_list_read(struct rnic_device *device, const struct rnic_pages *pages,
                                     uint32_t count_max, struct rnic_page_list *list);
/* True when every one is the start of a page. */
bool rnic_addresses_aligned(const uint64_t *addresses, uint32_t count);
void rnic_page_list_free(struct rnic_device *device, struct rnic_page_list *list);

struct rnic_ring {
    struct rnic_page_list list;
    uint32_t mask; /* entries - 1 */
    uint8_t stride_log2;
};

/* As rnic_page_list_read; also BAD_PARAMETER when the pages are too few. */
enum rnic_status rnic_ring_open(struct rnic_device *device, const struct rnic_pages *pages,
                                uint32_t entry_count_log2, uint32_t stride_log2,
                                struct rnic_ring *ring);
void rnic_ring_close(struct rnic_device *device, struct rnic_ring *ring);

static inline uint32_t rnic_ring_count(const struct rnic_ring *ring) {
    return ring->mask + 1;
}

/* What the index of a producer doorbell means. */
enum rnic_post {
    RNIC_POST_NEW,
    RNIC_POST_LATE,   /* rung before one that was there first: nothing new */
    RNIC_POST_BEYOND, /* more than the ring holds */
};
static inline enum rnic_post rnic_ring_post(const struct rnic_ring *ring, uint32_t consumer,
                                            uint32_t producer, uint32_t index) {
    uint32_t count = rnic_ring_count(ring);
    if (index - consumer <= count)
        return index - consumer > producer - consumer ? RNIC_POST_NEW : RNIC_POST_LATE;
    return producer - index <= count ? RNIC_POST_LATE : RNIC_POST_BEYOND;
}

static inline uint64_t rnic_ring_address(const struct rnic_ring *ring, uint32_t index) {
    uint64_t offset = (uint64_t)(index & ring->mask) << ring->stride_log2;
    return ring->list.addresses[offset >> RNIC_PAGE_SHIFT] + (offset & (RNIC_PAGE_BYTES - 1));
}

#endif
