/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the buffers of a posted request hold (R-OWN-13): from the post until the result is taken
 * they change by the device alone. A buffer is cut where pages end; each piece has a sum over its
 * words, which follows what devices write there, so that a sum that does not fit in the end tells
 * of somebody else's writing.
 *
 * Of a request of more than VRF_OWNED_WHOLE_BYTES some pieces are looked at, chosen by the
 * request's name: the same ones in each run of it.
 */
#ifndef VRF_OWNED_H
#define VRF_OWNED_H

#include "call.h"

struct sim_dma_watch;

#define VRF_OWNED_WHOLE_BYTES (256u << 10)

struct vrf_piece {
    const uint8_t *at;
    uint32_t bytes;  /* does not cross a page */
    bool is_written; /* by a device */
    uint64_t sum;
    struct vrf_piece *next_of_work;
    struct vrf_piece *next_of_bucket;
};

struct vrf_owned;

/* Before anything is posted; the world's devices are watched from then on. */
void vrf_owned_start(struct vrf_world *verifier);

/* A post, while judging: takes the sums of what `sgl` names, so far as it is driver memory. */
void vrf_owned_take(struct vrf_call *call, const NDK_SGE *sgl, ULONG count);
/* The first piece that somebody changed, NULL: none, or none that is there still. */
const struct vrf_piece *vrf_owned_changed(struct vrf_world *verifier, const struct vrf_work *work);
/* A device has written to one of its pieces. */
bool vrf_owned_is_written(const struct vrf_work *work);
void vrf_owned_drop(struct vrf_world *verifier, struct vrf_work *work);

#endif
