/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ExAllocatePool and ExFreePool in their many spellings, and the rules of their callers. A call
 * that breaks one is BAD_POOL_CALLER (0xC2) or, where only Driver Verifier sees it, 0xC4.
 */
#include <ntddk.h>

#include <krn/bugcheck.h>
#include <krn/ndk.h>

#include "bugcheck_guilty.h"
#include "call_error.h"
#include "driver_state.h"
#include "fault_points.h"
#include "pool.h"
#include "pool_state.h"
#include "race.h"
#include "record.h"

struct request {
    SIZE_T bytes;
    ULONG tag;
    bool is_paged;
    bool is_aligned;
    bool zero;
    bool raise;
};

static bool tag_is_valid(ULONG tag) {
    for (uint32_t i = 0; i < 4; i++) {
        UCHAR c = (UCHAR)(tag >> (8 * i));

        if (c != 0 && (c < ' ' || c > '~')) {
            return false;
        }
    }
    return tag != 0;
}

static void check_request(const struct krn_call *call, const struct request *request) {
    if (!tag_is_valid(request->tag)) {
        krn_call_error(call, 0xC2, 0x9B, 0, "the pool tag is zero or has unprintable characters");
    }
    if (request->bytes == 0) {
        krn_call_error(call, 0xC4, 0x00, call->level, "zero bytes were asked for");
    }
    if (request->is_paged && call->level > APC_LEVEL) {
        krn_call_error(call, 0xC4, 0x01, call->level,
                       "paged pool was asked for at DISPATCH or above");
    }
}

static PVOID allocate(const struct krn_call *call, const struct request *request) {
    struct krn_pool_request take = {
        .node = call->node,
        .driver = krn_call_driver(call),
        .bytes = request->bytes,
        .align = request->is_aligned ? SYSTEM_CACHE_ALIGNMENT_SIZE : 0,
        .tag = request->tag,
        .kind = request->is_paged ? KRN_POOL_PAGED : KRN_POOL_NONPAGED,
        .zero = request->zero,
    };
    struct sim_object *owner = krn_call_owner(call);
    void *block;

    if (request->bytes >= SIM_PAGE_BYTES) {
        take.align = 0;
    }
    check_request(call, request);
    krn_call_point(call, owner, SIM_ACCESS_CREATE);
    block = sim_fault_hit(call->world, &krn_fault_pool, owner, NULL) ? NULL : krn_pool_take(&take);
    if (block == NULL) {
        sim_trace(call->world, KRN_TRACE_POOL_FAIL, SIM_ACCESS_NONE, owner, NULL, NULL,
                  request->tag, request->bytes);
        if (request->raise) {
            krn_call_error(call, 0x1E, 0xC000009A, 0,
                           "nothing was left and the driver asked for an exception");
        }
        return NULL;
    }
    sim_trace(call->world, KRN_TRACE_POOL_ALLOCATE, SIM_ACCESS_CREATE, owner, NULL, NULL,
              krn_chunk_of(call->krn, block)->serial, request->bytes);
    return block;
}

static struct request by_type(POOL_TYPE type, SIZE_T bytes, ULONG tag) {
    ULONG bits = (ULONG)type;
    struct request request = {
        .bytes = bytes,
        .tag = tag,
        .is_paged = (bits & 1) != 0,
        .is_aligned = (bits & 4) != 0,
        .zero = (bits & POOL_ZERO_ALLOCATION) != 0,
        .raise = (bits & POOL_RAISE_IF_ALLOCATION_FAILURE) != 0,
    };

    return request;
}

static struct request by_flags(POOL_FLAGS flags, SIZE_T bytes, ULONG tag) {
    struct request request = {
        .bytes = bytes,
        .tag = tag,
        .is_paged = (flags & POOL_FLAG_PAGED) != 0,
        .is_aligned = (flags & POOL_FLAG_CACHE_ALIGNED) != 0,
        .zero = (flags & POOL_FLAG_UNINITIALIZED) == 0,
        .raise = (flags & POOL_FLAG_RAISE_ON_FAILURE) != 0,
    };

    return request;
}

void *krn_pool_allocate(const struct krn_call *call, uint32_t type, uint64_t bytes, uint32_t tag) {
    struct request request = by_type((POOL_TYPE)type, bytes, tag);

    return allocate(call, &request);
}

PVOID NTAPI ExAllocatePoolWithTag(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag) {
    KRN_CALL(DISPATCH_LEVEL);
    struct request request = by_type(PoolType, NumberOfBytes, Tag);

    return allocate(&call, &request);
}

PVOID NTAPI ExAllocatePoolWithTagPriority(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag,
                                          EX_POOL_PRIORITY Priority) {
    KRN_CALL(DISPATCH_LEVEL);
    struct request request = by_type(PoolType, NumberOfBytes, Tag);

    UNREFERENCED_PARAMETER(Priority);
    return allocate(&call, &request);
}

PVOID NTAPI ExAllocatePoolZero(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag) {
    KRN_CALL(DISPATCH_LEVEL);
    struct request request = by_type(PoolType, NumberOfBytes, Tag);

    request.zero = true;
    return allocate(&call, &request);
}

PVOID NTAPI ExAllocatePoolUninitialized(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag) {
    KRN_CALL(DISPATCH_LEVEL);
    struct request request = by_type(PoolType, NumberOfBytes, Tag);

    return allocate(&call, &request);
}

PVOID NTAPI ExAllocatePoolPriorityZero(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag,
                                       EX_POOL_PRIORITY Priority) {
    KRN_CALL(DISPATCH_LEVEL);
    struct request request = by_type(PoolType, NumberOfBytes, Tag);

    UNREFERENCED_PARAMETER(Priority);
    request.zero = true;
    return allocate(&call, &request);
}

PVOID NTAPI ExAllocatePoolPriorityUninitialized(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag,
                                                EX_POOL_PRIORITY Priority) {
    KRN_CALL(DISPATCH_LEVEL);
    struct request request = by_type(PoolType, NumberOfBytes, Tag);

    UNREFERENCED_PARAMETER(Priority);
    return allocate(&call, &request);
}

static void check_flags(const struct krn_call *call, POOL_FLAGS flags) {
    POOL_FLAGS kinds =
        flags & (POOL_FLAG_NON_PAGED | POOL_FLAG_NON_PAGED_EXECUTE | POOL_FLAG_PAGED);

    if (kinds == 0 || (kinds & (kinds - 1)) != 0) {
        krn_call_error(call, 0xC2, 0x9F, 0, "exactly one kind of pool must be asked for");
    }
}

PVOID NTAPI ExAllocatePool2(POOL_FLAGS Flags, SIZE_T NumberOfBytes, ULONG Tag) {
    KRN_CALL(DISPATCH_LEVEL);
    struct request request = by_flags(Flags, NumberOfBytes, Tag);

    check_flags(&call, Flags);
    return allocate(&call, &request);
}

PVOID NTAPI ExAllocatePool3(POOL_FLAGS Flags, SIZE_T NumberOfBytes, ULONG Tag,
                            PCPOOL_EXTENDED_PARAMETER ExtendedParameters,
                            ULONG ExtendedParametersCount) {
    KRN_CALL(DISPATCH_LEVEL);
    struct request request = by_flags(Flags, NumberOfBytes, Tag);

    check_flags(&call, Flags);
    if (ExtendedParametersCount != 0) {
        krn_check_memory(&call, ExtendedParameters,
                         ExtendedParametersCount * sizeof(*ExtendedParameters),
                         "extended parameter");
    }
    return allocate(&call, &request);
}

/* The block that a free names, or the bugcheck of a bad free. */
static struct krn_chunk *freed_block(const struct krn_call *call, PVOID block) {
    struct krn_chunk *chunk = krn_chunk_of(call->krn, block);
    struct sim_finding finding;
    char story[KRN_POINTER_TEXT_BYTES];

    if (chunk != NULL && chunk->is_live && chunk->start == block &&
        chunk->kind != KRN_POOL_KERNEL && chunk->kind != KRN_POOL_SHARED) {
        return chunk;
    }
    krn_pointer_story(call->world, block, story, sizeof(story));
    if (chunk != NULL && !chunk->is_live && chunk->start == block) {
        krn_bugcheck_begin(&finding, 0xC2, 0x07, 0, 0, 0);
        sim_finding_say(&finding, "%s: %s, is freed again", call->name, story);
    } else if (chunk != NULL && chunk->start == block) {
        krn_bugcheck_begin(&finding, 0xC2, 0x46, 0, 0, 0);
        sim_finding_say(&finding, "%s: %s was not allocated as pool by a driver", call->name,
                        story);
    } else {
        krn_bugcheck_begin(&finding, 0xC2, 0x46, 0, 0, 0);
        sim_finding_say(&finding, "%s: %s is no start of a pool block", call->name, story);
    }
    krn_pointer_sites(call->world, block, &finding);
    krn_bugcheck_raise(call->world, &finding);
}

/*
 * NDK hands no pool from one side to the other: what a provider allocated is a consumer's to free
 * as little as the other way round.
 */
static void check_owner(const struct krn_call *call, const struct krn_chunk *chunk) {
    struct krn_driver *by = krn_call_driver(call);
    const struct krn_driver *owner = krn_driver_of_object(call->world, krn_chunk_owner(chunk));
    struct sim_finding finding;
    struct sim_object *object;
    char story[KRN_POINTER_TEXT_BYTES];
    char name[SIM_NAME_BYTES];

    if (SIM_LIKELY(by == owner) || by == NULL || owner == NULL ||
        krn_driver_offers_ndk(by) == krn_driver_offers_ndk(owner)) {
        return;
    }
    krn_pointer_story(call->world, chunk->start, story, sizeof(story));
    object = krn_ndk_name(call->world, chunk->start);
    krn_bugcheck_begin(&finding, 0xC2, 0x46, 0, 0, 0);
    sim_finding_say(&finding, "%s: %s%s%s, was allocated by %s, not by %s", call->name, story,
                    object != NULL ? ", which is " : "",
                    object != NULL ? sim_object_name(object, name, sizeof(name)) : "",
                    krn_driver_name(owner), krn_driver_name(by));
    krn_bugcheck_blame(&finding, by);
    krn_pointer_sites(call->world, chunk->start, &finding);
    krn_bugcheck_raise(call->world, &finding);
}

static void check_contents(const struct krn_call *call, const struct krn_chunk *chunk) {
    char name[SIM_NAME_BYTES];

    for (const struct krn_record *record = chunk->as.live.records; record != NULL;
         record = record->chunk_next) {
        const char *busy = record->kind == KRN_KIND_NONE ? NULL : krn_record_busy(record);
        bool is_timer = record->kind == KRN_KIND_TIMER;
        bool is_dpc = record->kind == KRN_KIND_DPC;

        if (busy != NULL && record->chunk_serial == chunk->serial) {
            krn_bugcheck(is_timer || is_dpc ? 0xC7 : 0xC4, is_dpc ? 1 : 0, 0, 0, 0,
                         "%s: pool#%u holds %s, which %s", call->name, chunk->serial,
                         sim_object_name(&record->object, name, sizeof(name)), busy);
        }
    }
    if (chunk->locked_pages != 0) {
        krn_bugcheck(0xCB, 0, 0, 0, chunk->locked_pages,
                     "%s: pages of pool#%u are still locked by an MDL", call->name, chunk->serial);
    }
}

void krn_pool_give(const struct krn_call *call, void *block) {
    struct krn_chunk *chunk = krn_chunk_of(call->krn, block);

    SIM_ASSERT(chunk != NULL && chunk->is_live && chunk->start == block);
    check_contents(call, chunk);
    krn_chunk_check_live(chunk);
    krn_race_freed(call, chunk->start, chunk->bytes);
    krn_chunk_end(chunk);
}

void krn_pool_free(const struct krn_call *call, void *block, uint32_t tag) {
    struct krn_chunk *chunk = freed_block(call, block);
    char wanted[5];
    char given[5];

    check_owner(call, chunk);
    if (chunk->kind == KRN_POOL_PAGED && call->level > APC_LEVEL) {
        krn_call_error(call, 0xC4, 0x11, call->level, "paged pool was freed at DISPATCH or above");
    }
    if (tag != 0 && tag != chunk->tag) {
        krn_tag_text(chunk->tag, wanted);
        krn_tag_text(tag, given);
        krn_bugcheck(0xC2, 0x0A, 0, chunk->tag, tag, "%s: pool#%u has tag %s, it was freed with %s",
                     call->name, chunk->serial, wanted, given);
    }
    krn_call_point(call, krn_chunk_owner(chunk), SIM_ACCESS_CLOSE);
    /* The point let others run: the block may be gone. */
    chunk = freed_block(call, block);
    sim_trace(call->world, KRN_TRACE_POOL_FREE, SIM_ACCESS_CLOSE, krn_chunk_owner(chunk), NULL,
              NULL, chunk->serial, chunk->bytes);
    krn_pool_give(call, block);
}

VOID NTAPI ExFreePool(PVOID P) {
    KRN_CALL(DISPATCH_LEVEL);
    krn_pool_free(&call, P, 0);
}

VOID NTAPI ExFreePoolWithTag(PVOID P, ULONG Tag) {
    KRN_CALL(DISPATCH_LEVEL);
    krn_pool_free(&call, P, Tag);
}

VOID NTAPI ExFreePool2(PVOID P, ULONG Tag, PCPOOL_EXTENDED_PARAMETER ExtendedParameters,
                       ULONG ExtendedParametersCount) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(ExtendedParameters);
    UNREFERENCED_PARAMETER(ExtendedParametersCount);
    krn_pool_free(&call, P, Tag);
}
