/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MDLs over simulated page frames. Frames come from sim_frame_of, so a device reaches the memory by
 * them; the memory of an image has frame numbers with nothing behind them: DMA there is an error.
 */
#include "mdl.h"

#include <string.h>

#include <krn/bugcheck.h>

#include "call_error.h"
#include "driver_state.h"
#include "exception.h"
#include "fault_points.h"
#include "pins.h"
#include "place.h"
#include "pool.h"
#include "window.h"

#define MDL_TAG 0x206C644Du /* Mdl */
#define MDL_BYTES_MAX 0xFFFFF000u
#define IMAGE_FRAME_BASE (UINT64_C(1) << 40) /* nothing is behind it */

static uint64_t frame_of(const struct krn_call *call, const void *address) {
    enum sim_region_id region = sim_region_of(call->world, address);
    const struct krn_chunk *chunk = krn_chunk_of(call->krn, address);
    struct krn_driver *driver;

    if (chunk != NULL && chunk->window != 0 && krn_chunk_holds(chunk, address)) {
        return krn_window_frame(chunk) +
               (uint64_t)((const unsigned char *)address - chunk->start) / PAGE_SIZE;
    }
    if (region == SIM_REGION_DRIVER || region == SIM_REGION_BULK) {
        return sim_frame_of(call->world, address);
    }
    driver = krn_driver_of_code(call->world, address);
    if (driver != NULL) {
        return IMAGE_FRAME_BASE + ((uint64_t)driver->object.id << 24) +
               krn_driver_offset(driver, address) / PAGE_SIZE;
    }
    return IMAGE_FRAME_BASE;
}

PMDL krn_mdl_make(const struct krn_call *call, struct krn_driver *driver, PVOID address,
                  ULONG bytes) {
    struct krn_pool_request request = {
        .node = call->node,
        .driver = driver,
        .bytes = MmSizeOfMdl(address, bytes),
        .tag = MDL_TAG,
        .kind = KRN_POOL_KERNEL,
        .zero = true,
    };
    PMDL mdl = krn_pool_take(&request);

    if (mdl != NULL) {
        MmInitializeMdl(mdl, address, bytes);
    }
    return mdl;
}

PMDL NTAPI IoAllocateMdl(PVOID VirtualAddress, ULONG Length, BOOLEAN SecondaryBuffer,
                         BOOLEAN ChargeQuota, PIRP Irp) {
    KRN_CALL(DISPATCH_LEVEL);
    struct sim_object *owner = krn_call_owner(&call);
    PMDL mdl = NULL;

    UNREFERENCED_PARAMETER(ChargeQuota);
    if (Irp != NULL) {
        krn_check_memory(&call, Irp, sizeof(*Irp), "IRP");
    }
    krn_call_point(&call, owner, SIM_ACCESS_CREATE);
    if (Length <= MDL_BYTES_MAX && !sim_fault_hit(call.world, &krn_fault_mdl, owner, NULL)) {
        mdl = krn_mdl_make(&call, krn_call_driver(&call), VirtualAddress, Length);
    }
    if (mdl == NULL || Irp == NULL) {
        return mdl;
    }
    if (!SecondaryBuffer) {
        Irp->MdlAddress = mdl;
    } else if (Irp->MdlAddress != NULL) {
        PMDL last = Irp->MdlAddress;

        while (last->Next != NULL) {
            last = last->Next;
        }
        last->Next = mdl;
    }
    return mdl;
}

static void mdl_check(const struct krn_call *call, const MDL *mdl) {
    krn_check_memory(call, mdl, sizeof(*mdl), "MDL");
    krn_check_memory(call, mdl, (USHORT)mdl->Size, "MDL");
}

VOID NTAPI IoFreeMdl(PMDL Mdl) {
    KRN_CALL(DISPATCH_LEVEL);
    mdl_check(&call, Mdl);
    krn_call_point(&call, krn_call_owner(&call), SIM_ACCESS_CLOSE);
    mdl_check(&call, Mdl);
    if ((Mdl->MdlFlags & MDL_PAGES_LOCKED) != 0) {
        krn_call_error(&call, 0xCB, 0, 0, "the MDL's pages are still locked");
    }
    if (krn_chunk_live_at(call.krn, Mdl) == NULL) {
        krn_call_error(&call, 0xC2, 0x46, 0, "IoAllocateMdl did not make the MDL");
    }
    krn_pool_give(&call, Mdl);
}

SIZE_T NTAPI MmSizeOfMdl(PVOID Base, SIZE_T Length) {
    return sizeof(MDL) + sizeof(PFN_NUMBER) * ADDRESS_AND_SIZE_TO_SPAN_PAGES(Base, Length);
}

static PUCHAR address_of(const MDL *mdl) {
    return (PUCHAR)mdl->StartVa + mdl->ByteOffset;
}

/* Every byte that the MDL describes must be live memory; paged pool only where it is allowed. */
static void range_check(const struct krn_call *call, const MDL *mdl, bool may_be_paged) {
    const struct krn_chunk *chunk = krn_chunk_of(call->krn, address_of(mdl));

    krn_check_memory(call, address_of(mdl), mdl->ByteCount, "buffer");
    if (chunk != NULL && chunk->kind == KRN_POOL_PAGED && !may_be_paged) {
        krn_call_error(call, 0xC4, 0x7F, 0, "the buffer is paged pool; its pages must be locked");
    }
}

static void frames_fill(const struct krn_call *call, PMDL mdl) {
    PPFN_NUMBER frames = MmGetMdlPfnArray(mdl);
    ULONG count = ADDRESS_AND_SIZE_TO_SPAN_PAGES(address_of(mdl), mdl->ByteCount);

    for (ULONG i = 0; i < count; i++) {
        frames[i] = frame_of(call, (PUCHAR)mdl->StartVa + (uint64_t)i * PAGE_SIZE);
    }
}

void krn_mdl_build(const struct krn_call *call, PMDL mdl) {
    range_check(call, mdl, false);
    frames_fill(call, mdl);
    mdl->MappedSystemVa = address_of(mdl);
    mdl->MdlFlags |= MDL_SOURCE_IS_NONPAGED_POOL;
}

VOID NTAPI MmBuildMdlForNonPagedPool(PMDL MemoryDescriptorList) {
    KRN_CALL(DISPATCH_LEVEL);
    mdl_check(&call, MemoryDescriptorList);
    if ((MemoryDescriptorList->MdlFlags & MDL_PAGES_LOCKED) != 0) {
        krn_call_error(&call, 0xC4, 0x7B, 0, "the MDL's pages are locked already");
    }
    krn_call_point(&call, krn_call_owner(&call), SIM_ACCESS_WRITE);
    krn_mdl_build(&call, MemoryDescriptorList);
}

VOID NTAPI IoBuildPartialMdl(PMDL SourceMdl, PMDL TargetMdl, PVOID VirtualAddress, ULONG Length) {
    KRN_CALL(DISPATCH_LEVEL);
    ULONG_PTR skip;
    ULONG pages;

    mdl_check(&call, SourceMdl);
    mdl_check(&call, TargetMdl);
    skip = (ULONG_PTR)VirtualAddress - (ULONG_PTR)address_of(SourceMdl);
    if (Length == 0) {
        Length = (ULONG)(SourceMdl->ByteCount - skip);
    }
    pages = ADDRESS_AND_SIZE_TO_SPAN_PAGES(VirtualAddress, Length);
    if (skip > SourceMdl->ByteCount || Length > SourceMdl->ByteCount - skip ||
        sizeof(MDL) + pages * sizeof(PFN_NUMBER) > (USHORT)TargetMdl->Size) {
        krn_call_error(&call, 0x40, 0, 0, "the target MDL is too small, or the range is outside");
    }
    TargetMdl->StartVa = PAGE_ALIGN(VirtualAddress);
    TargetMdl->ByteOffset = BYTE_OFFSET(VirtualAddress);
    TargetMdl->ByteCount = Length;
    TargetMdl->MdlFlags = MDL_PARTIAL | (SourceMdl->MdlFlags & MDL_SOURCE_IS_NONPAGED_POOL);
    if ((SourceMdl->MdlFlags & (MDL_SOURCE_IS_NONPAGED_POOL | MDL_MAPPED_TO_SYSTEM_VA)) != 0) {
        TargetMdl->MappedSystemVa = (PUCHAR)SourceMdl->MappedSystemVa + skip;
        TargetMdl->MdlFlags |= MDL_PARENT_MAPPED_SYSTEM_VA | MDL_MAPPED_TO_SYSTEM_VA;
    }
    memcpy(MmGetMdlPfnArray(TargetMdl),
           MmGetMdlPfnArray(SourceMdl) +
               (((ULONG_PTR)TargetMdl->StartVa - (ULONG_PTR)SourceMdl->StartVa) >> PAGE_SHIFT),
           pages * sizeof(PFN_NUMBER));
}

static void pages_pin(const struct krn_call *call, const MDL *mdl, bool pin) {
    const PFN_NUMBER *frames = MmGetMdlPfnArray(mdl);
    struct krn_chunk *chunk = krn_chunk_of(call->krn, address_of(mdl));
    ULONG count = ADDRESS_AND_SIZE_TO_SPAN_PAGES(address_of(mdl), mdl->ByteCount);

    for (ULONG i = 0; i < count; i++) {
        krn_pin(call->krn, frames[i], pin);
    }
    if (chunk != NULL) {
        chunk->locked_pages = pin ? chunk->locked_pages + count : chunk->locked_pages - count;
    }
}

VOID NTAPI MmProbeAndLockPages(PMDL MemoryDescriptorList, KPROCESSOR_MODE AccessMode,
                               LOCK_OPERATION Operation) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_record *record;

    UNREFERENCED_PARAMETER(AccessMode);
    mdl_check(&call, MemoryDescriptorList);
    if ((MemoryDescriptorList->MdlFlags &
         (MDL_PAGES_LOCKED | MDL_SOURCE_IS_NONPAGED_POOL | MDL_PARTIAL)) != 0) {
        krn_call_error(&call, 0xC4, 0x79, 0, "the MDL's pages are locked or need no lock");
    }
    range_check(&call, MemoryDescriptorList, call.level <= APC_LEVEL);
    record = krn_record_make(&call, MemoryDescriptorList, sizeof(MDL), KRN_KIND_MDL);
    krn_call_point(&call, &record->object, SIM_ACCESS_LOCK);
    range_check(&call, MemoryDescriptorList, call.level <= APC_LEVEL);
    if (sim_fault_hit(call.world, &krn_fault_lock, krn_call_owner(&call), NULL)) {
        krn_record_end(record);
        krn_raise(&call, STATUS_WORKING_SET_QUOTA);
    }
    frames_fill(&call, MemoryDescriptorList);
    MemoryDescriptorList->MdlFlags |= MDL_PAGES_LOCKED;
    if (Operation != IoReadAccess) {
        MemoryDescriptorList->MdlFlags |= MDL_WRITE_OPERATION;
    }
    ((struct krn_mdl_record *)record)->pages = ADDRESS_AND_SIZE_TO_SPAN_PAGES(
        address_of(MemoryDescriptorList), MemoryDescriptorList->ByteCount);
    pages_pin(&call, MemoryDescriptorList, true);
    sim_trace(call.world, KRN_TRACE_MDL_LOCK, SIM_ACCESS_LOCK, &record->object, NULL, NULL,
              MemoryDescriptorList->ByteCount, 0);
}

VOID NTAPI MmUnlockPages(PMDL MemoryDescriptorList) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_record *record;

    mdl_check(&call, MemoryDescriptorList);
    if ((MemoryDescriptorList->MdlFlags & MDL_PAGES_LOCKED) == 0) {
        krn_call_error(&call, 0xC4, 0x7C, 0, "the MDL's pages are not locked");
    }
    record = krn_record_use(&call, MemoryDescriptorList, KRN_KIND_MDL);
    krn_call_point(&call, &record->object, SIM_ACCESS_LOCK);
    pages_pin(&call, MemoryDescriptorList, false);
    MemoryDescriptorList->MdlFlags &=
        (CSHORT) ~(MDL_PAGES_LOCKED | MDL_MAPPED_TO_SYSTEM_VA | MDL_WRITE_OPERATION);
    krn_record_end(record);
    sim_trace(call.world, KRN_TRACE_MDL_UNLOCK, SIM_ACCESS_LOCK, &record->object, NULL, NULL, 0, 0);
}

PVOID NTAPI MmMapLockedPagesSpecifyCache(PMDL MemoryDescriptorList, KPROCESSOR_MODE AccessMode,
                                         MEMORY_CACHING_TYPE CacheType, PVOID RequestedAddress,
                                         ULONG BugCheckOnFailure, ULONG Priority) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(AccessMode);
    UNREFERENCED_PARAMETER(CacheType);
    UNREFERENCED_PARAMETER(RequestedAddress);
    UNREFERENCED_PARAMETER(Priority);
    mdl_check(&call, MemoryDescriptorList);
    if ((MemoryDescriptorList->MdlFlags & (MDL_PAGES_LOCKED | MDL_PARTIAL)) == 0) {
        krn_call_error(&call, 0xC4, 0xB4, 0, "the MDL's pages are not locked");
    }
    krn_call_point(&call, krn_call_owner(&call), SIM_ACCESS_WRITE);
    if (!BugCheckOnFailure &&
        sim_fault_hit(call.world, &krn_fault_map, krn_call_owner(&call), NULL)) {
        return NULL;
    }
    MemoryDescriptorList->MappedSystemVa = address_of(MemoryDescriptorList);
    MemoryDescriptorList->MdlFlags |= MDL_MAPPED_TO_SYSTEM_VA;
    return MemoryDescriptorList->MappedSystemVa;
}

VOID NTAPI MmUnmapLockedPages(PVOID BaseAddress, PMDL MemoryDescriptorList) {
    KRN_CALL(DISPATCH_LEVEL);
    mdl_check(&call, MemoryDescriptorList);
    if ((MemoryDescriptorList->MdlFlags & MDL_MAPPED_TO_SYSTEM_VA) == 0 ||
        MemoryDescriptorList->MappedSystemVa != BaseAddress) {
        krn_call_error(&call, 0xC4, 0xB5, 0, "the MDL is not mapped at that address");
    }
    MemoryDescriptorList->MdlFlags &= (CSHORT)~MDL_MAPPED_TO_SYSTEM_VA;
}

VOID NTAPI KeFlushIoBuffers(PMDL Mdl, BOOLEAN ReadOperation, BOOLEAN DmaOperation) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(ReadOperation);
    UNREFERENCED_PARAMETER(DmaOperation);
    mdl_check(&call, Mdl);
}

PHYSICAL_ADDRESS NTAPI MmGetPhysicalAddress(PVOID BaseAddress) {
    KRN_CALL(HIGH_LEVEL);
    PHYSICAL_ADDRESS physical = {.QuadPart = 0};

    if (MmIsAddressValid(BaseAddress)) {
        physical.QuadPart =
            (LONGLONG)(frame_of(&call, BaseAddress) * PAGE_SIZE) + BYTE_OFFSET(BaseAddress);
    }
    return physical;
}

BOOLEAN NTAPI MmIsAddressValid(PVOID VirtualAddress) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_place place;

    krn_place_of(call.world, VirtualAddress, &place);
    return krn_place_is_live(&place);
}
