/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pool: extents in the DRIVER region (64 KiB and more: in BULK), each with one block at a time.
 *
 *   extent  | head guard | block ............ | slack and tail guard |
 *
 * Records of extents are in the PRIVATE region, in address order, which is birth order. A freed
 * block stays as it is (quarantine) until more than QUARANTINE_BYTES are freed; then the oldest
 * extent of the same size class is used again, with a new serial number.
 */
#ifndef KRN_POOL_H
#define KRN_POOL_H

#include <krn/memory.h>

#include "kernel.h"

#define KRN_POOL_QUARANTINE_BYTES (UINT64_C(8) << 20)
/* Special pool keeps its extents for good; beyond this, blocks are ordinary ones. */
#define KRN_POOL_SPECIAL_BYTES (UINT64_C(256) << 20)
#define KRN_POOL_BULK_BYTES (UINT64_C(64) << 10)
#define KRN_POOL_GUARD_BYTES 16u
#define KRN_POOL_SITE_FRAMES 8u /* the kernel's own ones among them */

/* Neither is a canonical address when read as a pointer. */
#define KRN_POOL_FILL_NEW 0xCDu
#define KRN_POOL_FILL_FREED 0xDDu
#define KRN_POOL_FILL_GUARD 0xFBu

struct krn_chunk {
    unsigned char *base;
    unsigned char *start;
    uint64_t bytes;
    union {
        struct krn_driver *driver;
        struct krn_node *node; /* of a block of the node itself */
    } owner;
    uint32_t extent_units; /* of 16 bytes */
    uint32_t serial;       /* 0: never used */
    uint32_t tag;
    uint32_t locked_pages; /* by MDLs */
    uint32_t window;       /* its contiguous device addresses, see window.h; 0: none */
    uint16_t inscribed;    /* 1 + the word of a freed block that krn_pool_inscribe wrote; 0: none */
    uint8_t kind;          /* enum krn_pool_kind */
    bool is_live : 1;
    bool is_special : 1;
    bool is_bulk : 1;
    bool is_of_driver : 1;
    struct sim_kept_site made;
    union {
        struct {
            struct krn_chunk *next; /* live blocks of the node, in birth order */
            struct krn_chunk *previous;
            struct krn_record *records; /* things that live in the block */
        } live;
        struct {
            struct sim_kept_site freed;
            struct krn_chunk *next; /* quarantine of its class */
        } dead;
    } as;
};

struct krn_node *krn_chunk_node(const struct krn_chunk *chunk);
/* The driver's object, or the node's. */
struct sim_object *krn_chunk_owner(const struct krn_chunk *chunk);
static inline uint64_t krn_chunk_extent_bytes(const struct krn_chunk *chunk) {
    return (uint64_t)chunk->extent_units * KRN_POOL_GUARD_BYTES;
}

struct krn_pool_request {
    struct krn_node *node;
    struct krn_driver *driver; /* owner; NULL: the node */
    uint64_t bytes;
    uint64_t align; /* 0: 16, and 4096 from 4096 bytes on */
    uint32_t tag;
    enum krn_pool_kind kind;
    bool zero;
};

/* NULL beyond the node's limit. No checks, no schedule point, no fault. Never pool without size. */
void *krn_pool_take(const struct krn_pool_request *request);
/* Ends a block. Checks guards, things inside it and page locks. */
void krn_pool_give(const struct krn_call *call, void *block);

/*
 * As ExAllocatePoolWithTag and ExFreePoolWithTag, with their checks, schedule points and faults,
 * for calls that end in them (lookaside lists). `type` is a POOL_TYPE; tag 0 at free: not compared.
 */
void *krn_pool_allocate(const struct krn_call *call, uint32_t type, uint64_t bytes, uint32_t tag);
void krn_pool_free(const struct krn_call *call, void *block, uint32_t tag);

/* The block that the kernel makes for a driver, found again by its start; NULL if it is none. */
struct krn_chunk *krn_chunk_of(const struct krn_world *krn, const void *address);
struct krn_chunk *krn_chunk_live_at(const struct krn_world *krn, const void *start);
struct krn_chunk *krn_chunk_at(const struct krn_world *krn, size_t index); /* birth order */
/* True if a live block that does not page reaches into the page at `page`. */
bool krn_pool_page_is_resident(const struct krn_world *krn, const void *page);
bool krn_chunk_holds(const struct krn_chunk *chunk, const void *address);
/* All of [address, address + bytes) is in the live block. */
static inline bool krn_chunk_is_whole(const struct krn_chunk *chunk, const void *address,
                                      uint64_t bytes) {
    uint64_t offset = (uint64_t)((const unsigned char *)address - chunk->start);

    return chunk->is_live && offset <= chunk->bytes && bytes <= chunk->bytes - offset;
}
void krn_chunk_describe(const struct krn_chunk *chunk, struct krn_pool_block *block);
/* The tag as four printable characters. */
void krn_tag_text(uint32_t tag, char text[5]);

/*
 * Checks [pointer, pointer + bytes) to be memory that a driver may give; else a bugcheck. Most is
 * the caller's own stack.
 */
void krn_check_memory_fully(const struct krn_call *call, const void *pointer, uint64_t bytes,
                            const char *what);
static inline void krn_check_memory(const struct krn_call *call, const void *pointer,
                                    uint64_t bytes, const char *what) {
    uintptr_t frame = (uintptr_t)call->frame;

    if (frame == 0 || (uintptr_t)pointer - frame >= sim_task_stack_high(call->task) - frame) {
        krn_check_memory_fully(call, pointer, bytes, what);
    }
}
/* The bugcheck for a bad pointer given to a kernel call. */
SIM_NORETURN void krn_bad_pointer(const struct krn_call *call, const void *pointer,
                                  const char *what);

/* Leaks of a driver at its unload: a bugcheck finding 0xC4 / 0x62. */
void krn_pool_leak_check(struct krn_driver *driver);

/* The address lies in live paged pool that is out of reach now, at DISPATCH_LEVEL. */
bool krn_pool_is_paged_out(const struct sim_world *world, const void *address);

#endif
