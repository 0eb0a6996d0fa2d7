/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands behind sim/memory.h: regions, snapshot copies, and the slots of task stacks in the
 * upper half of the DRIVER region.
 *
 *   DRIVER  | pool ...used ->            | guard | stack 0 | guard | stack 1 | guard ...
 *           base                         base + slot / 2
 *
 * Guards are SIM_STACK_GUARD_BYTES on every host, so that stack addresses do not depend on its
 * page.
 */
#ifndef SIM_REGION_H
#define SIM_REGION_H

#include <sim/memory.h>

#define SIM_STACK_GUARD_BYTES (UINT64_C(64) * 1024)
#define SIM_STACK_SLOT_COUNT 4095u
#define SIM_STACK_SLOT_NONE UINT32_MAX
#define SIM_STACK_PATTERN UINT64_C(0xDEADF4A3DEADF4A3)

#define SIM_SIZE_CLASS_COUNT 164u

struct sim_free_block {
    struct sim_free_block *next;
};

/* A run of protected host pages; singly linked, PRIVATE region. */
struct sim_protected {
    struct sim_protected *next;
    uint64_t start;
    uint64_t bytes;
};

struct sim_stack_slot {
    const uintptr_t *stack_pointer; /* where its owner keeps the saved one; NULL: free slot */
};

struct sim_memory {
    uint64_t used[SIM_REGION_COUNT]; /* bytes from the region's base; DRIVER: of the pool */
    struct sim_free_block *free[SIM_SIZE_CLASS_COUNT];
    uint64_t large_free_count; /* of them, in classes of large blocks */
    unsigned char *spare;      /* what is left of a large block that is cut up */
    uint64_t spare_bytes;
    uint64_t room_bytes[SIM_ROOM_COUNT];
    struct sim_protected *protected_first;
    struct sim_stack_slot *stacks; /* grown as slots are used */
    uint32_t stack_capacity;
    uint32_t stack_used;       /* slots ever taken: [0, stack_used) */
    uint32_t stack_live;       /* slots taken now */
    uint32_t stack_free_first; /* no free slot lies below */
};

struct sim_outer;

/* Reserves the regions and returns the base of PRIVATE, NULL when the addresses are taken. */
void *sim_memory_open(struct sim_outer *outer);
void sim_memory_close(struct sim_outer *outer);
void sim_memory_init(struct sim_world *world);
void sim_memory_save(struct sim_world *world);
void sim_memory_restore(struct sim_world *world);
/* Called by the two above; `stack_used` is the count of slots that the run has taken. */
void sim_stack_save(struct sim_world *world);
void sim_stack_restore(struct sim_world *world, uint32_t stack_used);

/*
 * A task's stack: the lowest free slot, filled with the pattern. `stack_pointer` is where the owner
 * keeps the saved stack pointer while it does not run; it must lie in the PRIVATE region. At a
 * snapshot [*stack_pointer, high) is kept.
 */
uint32_t sim_stack_slot_take(struct sim_world *world, const uintptr_t *stack_pointer,
                             uintptr_t *low, uintptr_t *high);
/* The owner is done; refills with the pattern. Must not be the stack we run on. */
void sim_stack_slot_give(struct sim_world *world, uint32_t slot);
/* The slot whose stack or guards (the lower one, or the upper one) hold the address, or NONE. */
uint32_t sim_stack_slot_of(const struct sim_world *world, uintptr_t address, bool *in_guard);
void sim_stack_slot_bounds(uint32_t slot, uintptr_t *low, uintptr_t *high);

#endif
