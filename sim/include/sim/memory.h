/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three memory regions of a world, at fixed bases, so that every address that a driver can see
 * is the same in every run and a fresh world is a copy of [base, high-water mark].
 *
 *   PRIVATE  everything the model owns: objects, events, queues. Snapshot and restored whole.
 *   DRIVER   pool blocks (lower half of the slot) and task stacks (upper half). Pool is snapshot
 * and restored whole; of a stack only its live part is kept, the rest is refilled. BULK     large
 * buffers (64 KiB and more). Blocks made after the snapshot vanish by the allocator's record; of
 * blocks that live at the snapshot the bytes are kept too.
 *
 * Nothing calls malloc after sim_world_start.
 */
#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include <sim/base.h>

enum sim_region_id {
    SIM_REGION_PRIVATE,
    SIM_REGION_DRIVER,
    SIM_REGION_BULK,
    SIM_REGION_COUNT,
};

#define SIM_REGION_BASE UINT64_C(0x200000000000)
#ifndef NDKSIM_REGION_SLOT_GIB
#define NDKSIM_REGION_SLOT_GIB 64
#endif
#define SIM_REGION_SLOT_BYTES ((uint64_t)NDKSIM_REGION_SLOT_GIB << 30)

/*
 * Takes `bytes` at `align` (a power of two, at least 16) from the end of a region, zeroed. Never
 * given back within a run. NULL when the region's budget is spent.
 */
void *sim_region_take(struct sim_world *world, enum sim_region_id region, uint64_t bytes,
                      uint64_t align);

/* Which region an address lies in, below its high-water mark; SIM_REGION_COUNT for none. */
enum sim_region_id sim_region_of(const struct sim_world *world, const void *address);
uint64_t sim_region_used_bytes(const struct sim_world *world, enum sim_region_id region);

/* A host page; protection works in these. Never assume SIM_PAGE_BYTES. */
uint64_t sim_host_page_bytes(void);

/*
 * Makes whole host pages of the DRIVER or BULK region inaccessible until the next reset, or brings
 * the same range back. The world keeps account, so that snapshot and reset see through it. False
 * when the host cannot protect any more ranges: this one stays accessible.
 */
bool sim_region_protect(struct sim_world *world, void *address, uint64_t bytes);
void sim_region_unprotect(struct sim_world *world, void *address, uint64_t bytes);

/* Copy and fill that no sanitizer watches: driver memory may be poisoned. */
void sim_raw_copy(void *to, const void *from, size_t bytes);
void sim_raw_zero(void *to, size_t bytes);

/*
 * Model memory: PRIVATE region, size-class free lists, zeroed. Freed blocks are reused in a
 * deterministic order. `sim_free` takes the size that was asked for. sim_alloc never returns NULL.
 */
#define sim_alloc(world, bytes) sim_room_alloc(world, SIM_ROOM, bytes)
#define sim_free(world, block, bytes) sim_room_free(world, SIM_ROOM, block, bytes)

/* Whose memory it is: each module is built with its SIM_ROOM, and what it allocates is its. */
enum sim_room {
    SIM_ROOM_SIM,
    SIM_ROOM_NET,
    SIM_ROOM_RNIC,
    SIM_ROOM_KERNEL,
    SIM_ROOM_VERIFIER,
    SIM_ROOM_SCENARIOS,
    SIM_ROOM_OTHER,
    SIM_ROOM_COUNT,
};
#ifndef SIM_ROOM
#define SIM_ROOM SIM_ROOM_OTHER
#endif
void *sim_room_alloc(struct sim_world *world, enum sim_room room, uint64_t bytes);
void sim_room_free(struct sim_world *world, enum sim_room room, void *block, uint64_t bytes);
/* Bytes of the room's live blocks. */
uint64_t sim_room_bytes(const struct sim_world *world, enum sim_room room);
const char *sim_room_name(enum sim_room room);

/*
 * Simulated physical memory. Every page of DRIVER and BULK has a page frame; frames of adjacent
 * pages are not adjacent, and a frame number is never an address. The mapping is a fixed bijection.
 * sim_frame_page returns NULL for a frame with nothing behind it (beyond the high-water mark).
 */
uint64_t sim_frame_of(const struct sim_world *world, const void *address);
void *sim_frame_page(const struct sim_world *world, uint64_t frame);

#endif
