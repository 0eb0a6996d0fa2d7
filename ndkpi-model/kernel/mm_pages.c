/* SPDX-License-Identifier: Apache-2.0 */
/* Pages for MDLs, contiguous memory, pageable sections, routine look-up. */
#include <ntddk.h>

#include "call_error.h"
#include "fault_points.h"
#include "loader.h"
#include "mdl.h"
#include "pool.h"
#include "wide.h"
#include "window.h"

#define PAGES_TAG 0x67506D4Du /* MmPg */

static PVOID take(const struct krn_call *call, uint64_t bytes) {
    struct krn_pool_request request = {
        .node = call->node,
        .driver = krn_call_driver(call),
        .bytes = bytes,
        .align = PAGE_SIZE,
        .tag = PAGES_TAG,
        .kind = KRN_POOL_KERNEL,
        .zero = true,
    };

    return bytes != 0 ? krn_pool_take(&request) : NULL;
}

PMDL NTAPI MmAllocatePagesForMdlEx(PHYSICAL_ADDRESS LowAddress, PHYSICAL_ADDRESS HighAddress,
                                   PHYSICAL_ADDRESS SkipBytes, SIZE_T TotalBytes,
                                   MEMORY_CACHING_TYPE CacheType, ULONG Flags) {
    KRN_CALL(DISPATCH_LEVEL);
    struct sim_object *owner = krn_call_owner(&call);
    PVOID pages;
    PMDL mdl;

    UNREFERENCED_PARAMETER(LowAddress);
    UNREFERENCED_PARAMETER(HighAddress);
    UNREFERENCED_PARAMETER(SkipBytes);
    UNREFERENCED_PARAMETER(CacheType);
    UNREFERENCED_PARAMETER(Flags);
    krn_call_point(&call, owner, SIM_ACCESS_CREATE);
    if (sim_fault_hit(call.world, &krn_fault_mdl, owner, NULL)) {
        return NULL;
    }
    pages = take(&call, ROUND_TO_PAGES(TotalBytes));
    if (pages == NULL) {
        return NULL;
    }
    mdl = krn_mdl_make(&call, krn_call_driver(&call), pages, (ULONG)ROUND_TO_PAGES(TotalBytes));
    if (mdl == NULL) {
        krn_pool_give(&call, pages);
        return NULL;
    }
    krn_mdl_build(&call, mdl);
    /* Locked by their nature; a driver maps them itself. */
    mdl->MdlFlags = MDL_PAGES_LOCKED;
    mdl->MappedSystemVa = NULL;
    return mdl;
}

VOID NTAPI MmFreePagesFromMdl(PMDL MemoryDescriptorList) {
    KRN_CALL(APC_LEVEL);
    krn_check_memory(&call, MemoryDescriptorList, sizeof(MDL), "MDL");
    krn_call_point(&call, krn_call_owner(&call), SIM_ACCESS_CLOSE);
    if (krn_chunk_live_at(call.krn, MemoryDescriptorList->StartVa) == NULL) {
        krn_call_error(&call, 0xC4, 0x10, 0, "the pages are not from MmAllocatePagesForMdlEx");
    }
    krn_pool_give(&call, MemoryDescriptorList->StartVa);
    /* The MDL itself is freed with ExFreePool. */
    krn_chunk_live_at(call.krn, MemoryDescriptorList)->kind = KRN_POOL_NONPAGED;
    MemoryDescriptorList->MdlFlags = 0;
}

static PVOID contiguous(const struct krn_call *call, SIZE_T bytes) {
    PVOID block;

    krn_call_point(call, krn_call_owner(call), SIM_ACCESS_CREATE);
    if (sim_fault_hit(call->world, &krn_fault_pool, krn_call_owner(call), NULL)) {
        return NULL;
    }
    block = take(call, bytes);
    if (block != NULL) {
        krn_window_open(call->krn, krn_chunk_of(call->krn, block));
    }
    return block;
}

PVOID NTAPI MmAllocateContiguousMemory(SIZE_T NumberOfBytes,
                                       PHYSICAL_ADDRESS HighestAcceptableAddress) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(HighestAcceptableAddress);
    return contiguous(&call, NumberOfBytes);
}

PVOID NTAPI MmAllocateContiguousMemorySpecifyCache(SIZE_T NumberOfBytes,
                                                   PHYSICAL_ADDRESS LowestAcceptableAddress,
                                                   PHYSICAL_ADDRESS HighestAcceptableAddress,
                                                   PHYSICAL_ADDRESS BoundaryAddressMultiple,
                                                   MEMORY_CACHING_TYPE CacheType) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(LowestAcceptableAddress);
    UNREFERENCED_PARAMETER(HighestAcceptableAddress);
    UNREFERENCED_PARAMETER(BoundaryAddressMultiple);
    UNREFERENCED_PARAMETER(CacheType);
    return contiguous(&call, NumberOfBytes);
}

static void contiguous_free(const struct krn_call *call, PVOID address) {
    krn_call_point(call, krn_call_owner(call), SIM_ACCESS_CLOSE);
    if (krn_chunk_live_at(call->krn, address) == NULL) {
        krn_bad_pointer(call, address, "contiguous block");
    }
    krn_pool_give(call, address);
}

VOID NTAPI MmFreeContiguousMemory(PVOID BaseAddress) {
    KRN_CALL(DISPATCH_LEVEL);
    contiguous_free(&call, BaseAddress);
}

VOID NTAPI MmFreeContiguousMemorySpecifyCache(PVOID BaseAddress, SIZE_T NumberOfBytes,
                                              MEMORY_CACHING_TYPE CacheType) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(NumberOfBytes);
    UNREFERENCED_PARAMETER(CacheType);
    contiguous_free(&call, BaseAddress);
}

/* Images are never paged; the answer only has to be a handle. */
PVOID NTAPI MmLockPagableDataSection(PVOID AddressWithinSection) {
    KRN_CALL(APC_LEVEL);
    krn_check_memory(&call, AddressWithinSection, 1, "section address");
    return AddressWithinSection;
}

VOID NTAPI MmUnlockPagableImageSection(PVOID ImageSectionHandle) {
    KRN_CALL(APC_LEVEL);
    krn_check_memory(&call, ImageSectionHandle, 1, "section handle");
}

PVOID NTAPI MmGetSystemRoutineAddress(PUNICODE_STRING SystemRoutineName) {
    KRN_CALL(PASSIVE_LEVEL);
    char name[128];

    krn_wide_check(&call, SystemRoutineName, "routine name");
    return krn_program_symbol(krn_wide_text(SystemRoutineName, name, sizeof(name)));
}
