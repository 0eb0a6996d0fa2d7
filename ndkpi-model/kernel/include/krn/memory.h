/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lies behind a pointer that a driver gave: a pool block and its state, a stack frame, an
 * image, a BAR. Pure queries, no schedule points.
 */
#ifndef KRN_MEMORY_H
#define KRN_MEMORY_H

#include <krn/node.h>
#include <sim/path.h>

enum krn_place_kind {
    KRN_PLACE_NOWHERE, /* not memory of a driver */
    KRN_PLACE_NULL,    /* the first 64 KiB */
    KRN_PLACE_POOL,    /* inside a live block */
    KRN_PLACE_POOL_FREED,
    KRN_PLACE_POOL_GUARD, /* before or after a block's bytes */
    KRN_PLACE_STACK,      /* in a live frame of `task` */
    KRN_PLACE_STACK_DEAD, /* below the stack pointer of `task`, or of a task that ended */
    KRN_PLACE_IMAGE,      /* in a loaded driver's image */
    KRN_PLACE_IMAGE_UNLOADED,
    KRN_PLACE_DEVICE, /* a mapped BAR */
    KRN_PLACE_MODEL,  /* memory of the model itself (thread objects and the like) or the program */
};

enum krn_pool_kind {
    KRN_POOL_NONPAGED,
    KRN_POOL_PAGED,
    KRN_POOL_SHARED, /* NdisMAllocateSharedMemory */
    KRN_POOL_KERNEL, /* made by the kernel for a driver: MDLs, IRPs, work items, MIB tables */
};

struct krn_pool_block {
    uint32_t serial; /* pool#serial, per node, from 1 */
    uint32_t tag;    /* as in memory: first character lowest */
    uint64_t bytes;
    const void *start;
    enum krn_pool_kind kind;
    bool is_live;
    struct krn_node *node;
    struct sim_object *owner; /* the driver that made it, or the node */
    struct sim_kept_site made;
    struct sim_kept_site freed; /* all zero while live */
};

struct krn_place {
    enum krn_place_kind kind;
    uint64_t offset; /* into the block, or of the first byte after it, or into the image */
    struct krn_pool_block block; /* POOL, POOL_FREED, POOL_GUARD */
    struct sim_task *task;       /* STACK, STACK_DEAD */
    struct krn_driver *driver;   /* IMAGE, IMAGE_UNLOADED */
};

void krn_place_of(struct sim_world *world, const void *address, struct krn_place *place);
/*
 * The same as seen by a call whose frame is `frame` (__builtin_frame_address(0) of the function
 * that the driver called): in the stack of the running task, what lies below it is dead.
 */
void krn_place_of_below(struct sim_world *world, const void *address, const void *frame,
                        struct krn_place *place);
/* The kind alone, for pool and stacks; KRN_PLACE_NOWHERE for anything else. Cheap. */
enum krn_place_kind krn_place_kind_of(struct sim_world *world, const void *address);
/* True for memory that a driver may hand out now: live pool, live stack, loaded image. */
bool krn_place_is_live(const struct krn_place *place);

/* What is done with memory whose address a driver hands to another one. */
enum krn_use { KRN_USE_READ, KRN_USE_WRITE, KRN_USE_CALL };
/*
 * Whether the byte at `address` can be read, written or called by whoever is given it now. The
 * program's own code and data count as a driver's: unit tests.
 */
bool krn_place_serves(struct sim_world *world, const void *address, enum krn_use use);

/* "pool#214+0x18", "stack of init.worker[0]", "image init", "NULL", "nowhere". Returns `buffer`. */
const char *krn_pointer_text(struct sim_world *world, const void *address, char *buffer,
                             size_t size);
/* The same for reports with tag, size and state: "pool#214+0x18, tag NvQu, 448 bytes, freed". */
const char *krn_pointer_story(struct sim_world *world, const void *address, char *buffer,
                              size_t size);
#define KRN_POINTER_TEXT_BYTES 128

/* A site of a block as reports show it: it begins with the driver. `what`: "made", "freed". */
void krn_pool_site(const struct sim_world *world, const struct sim_kept_site *kept,
                   const char *what, struct sim_site *site);
/* Adds the block's made and freed sites to a finding. No-op when it is no pool block. */
void krn_pointer_sites(struct sim_world *world, const void *address, struct sim_finding *finding);

/*
 * An identity of a place that holds until the memory is freed or its frame dies: equal for equal
 * addresses in the same block (or frame) and never equal after a free. 0 for nowhere.
 * Deterministic.
 */
uint64_t krn_place_stamp(struct sim_world *world, const void *address);

/* Live blocks in birth order, of one owner (a driver's object) or of all (NULL). */
void krn_pool_visit(struct krn_node *node, struct sim_object *owner,
                    void (*visit)(void *context, const struct krn_pool_block *block),
                    void *context);
/*
 * From now on, in this process, paged pool that was out of reach at DISPATCH_LEVEL comes back when
 * it is touched below; needs sim_host_contain, and no debugger that stops at each such access.
 */
void krn_pool_open_on_demand(void);
uint64_t krn_pool_live_bytes(const struct krn_node *node);
uint64_t krn_pool_live_count(const struct krn_node *node);

/* Checks every guard and every freed block's fill of the node; raises a bugcheck finding. */
void krn_pool_check(struct krn_node *node);
/* The same for the one block that holds `address`; no-op when there is none. */
void krn_pool_check_at(struct sim_world *world, const void *address);
/*
 * Writes a word into a freed block, in the place of its fill there, which is no bad write then.
 * False when there is none at `address`, when it is out of reach, or has such a word already.
 */
bool krn_pool_inscribe(struct sim_world *world, void *address, const void *word);

/* True if the page of `frame` is pinned: non-paged live pool, or locked by an MDL. For DMA checks.
 */
bool krn_frame_is_pinned(const struct sim_world *world, uint64_t frame);

#endif
