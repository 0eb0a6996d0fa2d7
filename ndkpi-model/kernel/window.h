/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contiguous device addresses: runs of frame numbers of the kernel's own that stand for the pages
 * of one pool block, as an IOMMU gives them.
 */
#ifndef KRN_WINDOW_H
#define KRN_WINDOW_H

#include "kernel.h"

struct krn_chunk;

#define KRN_WINDOW_FRAME_FIRST (UINT64_C(1) << 32)

/* Gives the block frame numbers in a row, from its first page on; kept in the chunk. */
void krn_window_open(struct krn_world *krn, struct krn_chunk *chunk);

/* The first of them, 0 for a block that has none. */
uint64_t krn_window_frame(const struct krn_chunk *chunk);

/* The page behind such a frame. `*chunk` is the block it belonged to; NULL page: freed since. */
void *krn_window_page(const struct krn_world *krn, uint64_t frame, const struct krn_chunk **chunk);

#endif
