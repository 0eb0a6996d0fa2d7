/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: pages, MDLs, contiguous memory, device memory.
 *
 * A page has 4096 bytes whatever the host uses. An MDL is the structure below followed by one page
 * frame number per page; frames are simulated and differ from virtual addresses.
 */
#ifndef NDKSIM_WDK_WDM_MM_H
#define NDKSIM_WDK_WDM_MM_H

#include "../ntdef.h"
#include "ke.h"

#ifdef PAGE_SIZE
#undef PAGE_SIZE
#endif
#ifdef PAGE_SHIFT
#undef PAGE_SHIFT
#endif
#define PAGE_SIZE 0x1000
#define PAGE_SHIFT 12L
#define MM_DONT_ZERO_ALLOCATION 0x00000001
#define MM_ALLOCATE_FULLY_REQUIRED 0x00000004

struct _IRP;
typedef ULONG_PTR PFN_NUMBER, *PPFN_NUMBER;
typedef enum _LOCK_OPERATION { IoReadAccess, IoWriteAccess, IoModifyAccess } LOCK_OPERATION;

typedef struct _MDL {
    struct _MDL *Next;
    CSHORT Size;
    CSHORT MdlFlags;
    PEPROCESS Process;
    PVOID MappedSystemVa;
    PVOID StartVa;
    ULONG ByteCount;
    ULONG ByteOffset;
} MDL, *PMDL, *PMDLX;
typedef const MDL *PCMDL;

#define MDL_MAPPED_TO_SYSTEM_VA 0x0001
#define MDL_PAGES_LOCKED 0x0002
#define MDL_SOURCE_IS_NONPAGED_POOL 0x0004
#define MDL_ALLOCATED_FIXED_SIZE 0x0008
#define MDL_PARTIAL 0x0010
#define MDL_PARTIAL_HAS_BEEN_MAPPED 0x0020
#define MDL_IO_PAGE_READ 0x0040
#define MDL_WRITE_OPERATION 0x0080
#define MDL_LOCKED_PAGE_TABLES 0x0100
#define MDL_PARENT_MAPPED_SYSTEM_VA MDL_LOCKED_PAGE_TABLES
#define MDL_FREE_EXTRA_PTES 0x0200
#define MDL_DESCRIBES_AWE 0x0400
#define MDL_IO_SPACE 0x0800
#define MDL_NETWORK_HEADER 0x1000
#define MDL_MAPPING_CAN_FAIL 0x2000
#define MDL_PAGE_CONTENTS_INVARIANT 0x4000
#define MDL_ALLOCATED_MUST_SUCCEED MDL_PAGE_CONTENTS_INVARIANT
#define MDL_INTERNAL 0x8000

#define BYTE_OFFSET(Va) ((ULONG)((LONG_PTR)(Va) & (PAGE_SIZE - 1)))
#define BYTES_TO_PAGES(Size) (((Size) >> PAGE_SHIFT) + (((Size) & (PAGE_SIZE - 1)) != 0))
#define PAGE_ALIGN(Va) ((PVOID)((ULONG_PTR)(Va) & ~((ULONG_PTR)PAGE_SIZE - 1)))
#define ROUND_TO_PAGES(Size) (((ULONG_PTR)(Size) + PAGE_SIZE - 1) & ~((ULONG_PTR)PAGE_SIZE - 1))
#define ADDRESS_AND_SIZE_TO_SPAN_PAGES(Va, Size)                                                   \
    ((ULONG)((((ULONG_PTR)(Va) & (PAGE_SIZE - 1)) + (SIZE_T)(Size) + (PAGE_SIZE - 1)) >>           \
             PAGE_SHIFT))
#define COMPUTE_PAGES_SPANNED(Va, Size) ADDRESS_AND_SIZE_TO_SPAN_PAGES(Va, Size)

#define MmGetMdlPfnArray(Mdl) ((PPFN_NUMBER)((PMDL)(Mdl) + 1))
#define MmGetMdlVirtualAddress(Mdl) ((PVOID)((PCHAR)((Mdl)->StartVa) + (Mdl)->ByteOffset))
#define MmGetMdlByteCount(Mdl) ((Mdl)->ByteCount)
#define MmGetMdlByteOffset(Mdl) ((Mdl)->ByteOffset)
#define MmGetMdlBaseVa(Mdl) ((Mdl)->StartVa)
#define MmInitializeMdl(MemoryDescriptorList, BaseVa, Length)                                      \
    do {                                                                                           \
        (MemoryDescriptorList)->Next = NULL;                                                       \
        (MemoryDescriptorList)->Size =                                                             \
            (CSHORT)(sizeof(MDL) +                                                                 \
                     sizeof(PFN_NUMBER) * ADDRESS_AND_SIZE_TO_SPAN_PAGES((BaseVa), (Length)));     \
        (MemoryDescriptorList)->MdlFlags = 0;                                                      \
        (MemoryDescriptorList)->StartVa = PAGE_ALIGN(BaseVa);                                      \
        (MemoryDescriptorList)->ByteOffset = BYTE_OFFSET(BaseVa);                                  \
        (MemoryDescriptorList)->ByteCount = (ULONG)(Length);                                       \
    } while (0)
#define MmPrepareMdlForReuse(Mdl) ((void)(Mdl))

typedef enum _MM_PAGE_PRIORITY {
    LowPagePriority,
    NormalPagePriority = 16,
    HighPagePriority = 32
} MM_PAGE_PRIORITY;
#define MdlMappingNoWrite 0x80000000
#define MdlMappingNoExecute 0x40000000

typedef enum _MEMORY_CACHING_TYPE {
    MmNonCached = FALSE,
    MmCached = TRUE,
    MmWriteCombined = 2,
    MmHardwareCoherentCached,
    MmNonCachedUnordered,
    MmUSWCCached,
    MmMaximumCacheType,
    MmNotMapped = -1
} MEMORY_CACHING_TYPE;

PMDL NTAPI IoAllocateMdl(_In_opt_ PVOID VirtualAddress, _In_ ULONG Length,
                         _In_ BOOLEAN SecondaryBuffer, _In_ BOOLEAN ChargeQuota,
                         _Inout_opt_ struct _IRP *Irp);
VOID NTAPI IoFreeMdl(_In_ PMDL Mdl);
VOID NTAPI IoBuildPartialMdl(_In_ PMDL SourceMdl, _Inout_ PMDL TargetMdl, _In_ PVOID VirtualAddress,
                             _In_ ULONG Length);
SIZE_T NTAPI MmSizeOfMdl(_In_ PVOID Base, _In_ SIZE_T Length);
VOID NTAPI MmBuildMdlForNonPagedPool(_Inout_ PMDL MemoryDescriptorList);
VOID NTAPI MmProbeAndLockPages(_Inout_ PMDL MemoryDescriptorList, _In_ KPROCESSOR_MODE AccessMode,
                               _In_ LOCK_OPERATION Operation);
VOID NTAPI MmUnlockPages(_Inout_ PMDL MemoryDescriptorList);
PVOID NTAPI MmMapLockedPagesSpecifyCache(_In_ PMDL MemoryDescriptorList,
                                         _In_ KPROCESSOR_MODE AccessMode,
                                         _In_ MEMORY_CACHING_TYPE CacheType,
                                         _In_opt_ PVOID RequestedAddress,
                                         _In_ ULONG BugCheckOnFailure, _In_ ULONG Priority);
VOID NTAPI MmUnmapLockedPages(_In_ PVOID BaseAddress, _In_ PMDL MemoryDescriptorList);
#define MmMapLockedPages(Mdl, AccessMode)                                                          \
    MmMapLockedPagesSpecifyCache(Mdl, AccessMode, MmCached, NULL, TRUE, NormalPagePriority)
#define MmGetSystemAddressForMdlSafe(Mdl, Priority)                                                \
    (((Mdl)->MdlFlags & (MDL_MAPPED_TO_SYSTEM_VA | MDL_SOURCE_IS_NONPAGED_POOL))                   \
         ? (Mdl)->MappedSystemVa                                                                   \
         : MmMapLockedPagesSpecifyCache((Mdl), KernelMode, MmCached, NULL, FALSE, (Priority)))
PMDL NTAPI MmAllocatePagesForMdlEx(_In_ PHYSICAL_ADDRESS LowAddress,
                                   _In_ PHYSICAL_ADDRESS HighAddress,
                                   _In_ PHYSICAL_ADDRESS SkipBytes, _In_ SIZE_T TotalBytes,
                                   _In_ MEMORY_CACHING_TYPE CacheType, _In_ ULONG Flags);
VOID NTAPI MmFreePagesFromMdl(_Inout_ PMDL MemoryDescriptorList);
PHYSICAL_ADDRESS NTAPI MmGetPhysicalAddress(_In_ PVOID BaseAddress);
PVOID NTAPI MmAllocateContiguousMemory(_In_ SIZE_T NumberOfBytes,
                                       _In_ PHYSICAL_ADDRESS HighestAcceptableAddress);
PVOID NTAPI MmAllocateContiguousMemorySpecifyCache(_In_ SIZE_T NumberOfBytes,
                                                   _In_ PHYSICAL_ADDRESS LowestAcceptableAddress,
                                                   _In_ PHYSICAL_ADDRESS HighestAcceptableAddress,
                                                   _In_ PHYSICAL_ADDRESS BoundaryAddressMultiple,
                                                   _In_ MEMORY_CACHING_TYPE CacheType);
VOID NTAPI MmFreeContiguousMemory(_In_ PVOID BaseAddress);
VOID NTAPI MmFreeContiguousMemorySpecifyCache(_In_ PVOID BaseAddress, _In_ SIZE_T NumberOfBytes,
                                              _In_ MEMORY_CACHING_TYPE CacheType);

/* Device memory: an address that may be given to READ_REGISTER_ and WRITE_REGISTER_ only. */
PVOID NTAPI MmMapIoSpace(_In_ PHYSICAL_ADDRESS PhysicalAddress, _In_ SIZE_T NumberOfBytes,
                         _In_ MEMORY_CACHING_TYPE CacheType);
PVOID NTAPI MmMapIoSpaceEx(_In_ PHYSICAL_ADDRESS PhysicalAddress, _In_ SIZE_T NumberOfBytes,
                           _In_ ULONG Protect);
VOID NTAPI MmUnmapIoSpace(_In_ PVOID BaseAddress, _In_ SIZE_T NumberOfBytes);
#define PAGE_NOACCESS 0x01
#define PAGE_READONLY 0x02
#define PAGE_READWRITE 0x04
#define PAGE_NOCACHE 0x200
#define PAGE_WRITECOMBINE 0x400

BOOLEAN NTAPI MmIsAddressValid(_In_ PVOID VirtualAddress);
PVOID NTAPI MmLockPagableDataSection(_In_ PVOID AddressWithinSection);
VOID NTAPI MmUnlockPagableImageSection(_In_ PVOID ImageSectionHandle);
PVOID NTAPI MmGetSystemRoutineAddress(_In_ PUNICODE_STRING SystemRoutineName);
#define MmLockPagableCodeSection(Address) MmLockPagableDataSection((PVOID)(ULONG_PTR)(Address))

VOID NTAPI KeFlushIoBuffers(_In_ PMDL Mdl, _In_ BOOLEAN ReadOperation, _In_ BOOLEAN DmaOperation);

#endif
