/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory in pieces; see dma.h. */
#include "adapter.h"

/* The first block holds what every adapter needs and a connection. */
#define RNIC_DMA_BLOCK_PAGES 8u
#define RNIC_DMA_UNIT_BYTES 64u
#define RNIC_DMA_PAGE_UNITS (PAGE_SIZE / RNIC_DMA_UNIT_BYTES)

C_ASSERT(RNIC_DMA_PAGE_UNITS == 64);

typedef struct _RNIC_DMA_BLOCK {
    LIST_ENTRY Link;
    PUCHAR Va;
    ULONG64 Address;
    ULONG FreeUnits;
    ULONG64 Used[RNIC_DMA_BLOCK_PAGES]; /* one bit per unit, a word per page */
} RNIC_DMA_BLOCK, *PRNIC_DMA_BLOCK;

VOID DmaInit(PRNIC_ADAPTER Adapter) {
    KeInitializeSpinLock(&Adapter->Dma.Lock);
    InitializeListHead(&Adapter->Dma.Blocks);
}

VOID DmaDeinit(PRNIC_ADAPTER Adapter) {
    ULONG i;

    while (!IsListEmpty(&Adapter->Dma.Blocks)) {
        PLIST_ENTRY Entry = RemoveHeadList(&Adapter->Dma.Blocks);
        PRNIC_DMA_BLOCK Block = CONTAINING_RECORD(Entry, RNIC_DMA_BLOCK, Link);

        for (i = 0; i < RNIC_DMA_BLOCK_PAGES; i++) {
            NT_ASSERT(Block->Used[i] == 0);
        }
        MmFreeContiguousMemory(Block->Va);
        PoolPut(Block);
    }
}

static PUCHAR ContiguousGet(ULONG Bytes, PULONG64 Address) {
    PHYSICAL_ADDRESS Highest;
    PHYSICAL_ADDRESS Physical;
    PUCHAR Va;

    Highest.QuadPart = MAXLONGLONG;
    Va = MmAllocateContiguousMemory(Bytes, Highest);
    if (Va != NULL) {
        Physical = MmGetPhysicalAddress(Va);
        *Address = (ULONG64)Physical.QuadPart;
    }
    return Va;
}

static PRNIC_DMA_BLOCK BlockGet(VOID) {
    PRNIC_DMA_BLOCK Block = PoolGet(sizeof(*Block));

    if (Block == NULL) {
        return NULL;
    }
    Block->FreeUnits = RNIC_DMA_BLOCK_PAGES * RNIC_DMA_PAGE_UNITS;
    Block->Va = ContiguousGet(RNIC_DMA_BLOCK_PAGES * PAGE_SIZE, &Block->Address);
    if (Block->Va == NULL) {
        PoolPut(Block);
        return NULL;
    }
    return Block;
}

static ULONG64 UnitMask(ULONG Units) {
    return Units == RNIC_DMA_PAGE_UNITS ? MAXULONG64 : ((ULONG64)1 << Units) - 1;
}

/* The first of `Units` free units in a row within the page, or its end. */
static ULONG UnitsFind(ULONG64 Used, ULONG Units) {
    ULONG64 Mask = UnitMask(Units);
    ULONG Unit;

    for (Unit = 0; Unit + Units <= RNIC_DMA_PAGE_UNITS; Unit++) {
        if ((Used >> Unit & Mask) == 0) {
            return Unit;
        }
    }
    return RNIC_DMA_PAGE_UNITS;
}

/* TRUE: `Pages` pages from `Page` on have `Units` free units in a row each, from *Unit on. */
static BOOLEAN PagesSuit(const RNIC_DMA_BLOCK *Block, ULONG Page, ULONG Pages, ULONG Units,
                         PULONG Unit) {
    ULONG i;

    if (Pages == 1) {
        *Unit = UnitsFind(Block->Used[Page], Units);
        return *Unit != RNIC_DMA_PAGE_UNITS;
    }
    *Unit = 0;
    for (i = 0; i < Pages; i++) {
        if (Block->Used[Page + i] != 0) {
            return FALSE;
        }
    }
    return TRUE;
}

/* Units of each of its pages. */
static ULONG PieceUnits(const RNIC_DMA *Dma) {
    return Dma->Bytes > PAGE_SIZE ? RNIC_DMA_PAGE_UNITS
                                  : (Dma->Bytes + RNIC_DMA_UNIT_BYTES - 1) / RNIC_DMA_UNIT_BYTES;
}

/* Under the lock. FALSE: the block has no room. */
static BOOLEAN PieceTake(PRNIC_DMA_BLOCK Block, PRNIC_DMA Dma) {
    ULONG Pages = (ULONG)BYTES_TO_PAGES(Dma->Bytes);
    ULONG Units = PieceUnits(Dma);
    ULONG Page;
    ULONG Unit;
    ULONG i;

    if (Block->FreeUnits < Pages * Units) {
        return FALSE;
    }
    for (Page = 0; Page + Pages <= RNIC_DMA_BLOCK_PAGES; Page++) {
        if (PagesSuit(Block, Page, Pages, Units, &Unit)) {
            for (i = 0; i < Pages; i++) {
                Block->Used[Page + i] |= UnitMask(Units) << Unit;
            }
            Block->FreeUnits -= Pages * Units;
            Dma->Va = Block->Va + Page * PAGE_SIZE + Unit * RNIC_DMA_UNIT_BYTES;
            Dma->Address = Block->Address + (ULONG64)(Dma->Va - Block->Va);
            Dma->Block = Block;
            return TRUE;
        }
    }
    return FALSE;
}

/* Under the lock. */
static VOID PiecePut(PRNIC_DMA Dma) {
    PRNIC_DMA_BLOCK Block = Dma->Block;
    ULONG Pages = (ULONG)BYTES_TO_PAGES(Dma->Bytes);
    ULONG Units = PieceUnits(Dma);
    ULONG Offset = (ULONG)(Dma->Va - Block->Va);
    ULONG Unit = Offset % PAGE_SIZE / RNIC_DMA_UNIT_BYTES;
    ULONG i;

    for (i = 0; i < Pages; i++) {
        Block->Used[Offset / PAGE_SIZE + i] &= ~(UnitMask(Units) << Unit);
    }
    Block->FreeUnits += Pages * Units;
}

static BOOLEAN PoolTake(RNIC_DMA_POOL *Pool, PRNIC_DMA Dma) {
    BOOLEAN Taken = FALSE;
    PLIST_ENTRY Entry;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Pool->Lock, &Lock);
    for (Entry = Pool->Blocks.Flink; !Taken && Entry != &Pool->Blocks; Entry = Entry->Flink) {
        Taken = PieceTake(CONTAINING_RECORD(Entry, RNIC_DMA_BLOCK, Link), Dma);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Taken;
}

/* From a new block, of which others get the rest. */
static BOOLEAN PoolGrow(RNIC_DMA_POOL *Pool, PRNIC_DMA Dma) {
    PRNIC_DMA_BLOCK Block = BlockGet();
    KLOCK_QUEUE_HANDLE Lock;

    if (Block == NULL) {
        return FALSE;
    }
    PieceTake(Block, Dma);
    KeAcquireInStackQueuedSpinLock(&Pool->Lock, &Lock);
    InsertTailList(&Pool->Blocks, &Block->Link);
    KeReleaseInStackQueuedSpinLock(&Lock);
    return TRUE;
}

NTSTATUS DmaGet(PRNIC_ADAPTER Adapter, ULONG Bytes, PRNIC_DMA Dma) {
    RNIC_DMA_POOL *Pool = &Adapter->Dma;

    NT_ASSERT(Bytes != 0);
    Dma->Va = NULL;
    Dma->Block = NULL;
    Dma->Bytes = Bytes;
    if (Bytes > PAGE_SIZE) {
        Dma->Bytes = (ULONG)ROUND_TO_PAGES(Bytes);
    }
    if (!PoolTake(Pool, Dma)) {
        if (Dma->Bytes > RNIC_DMA_BLOCK_PAGES * PAGE_SIZE / 2) {
            Dma->Va = ContiguousGet(Dma->Bytes, &Dma->Address);
        } else if (!PoolGrow(Pool, Dma)) {
            return STATUS_INSUFFICIENT_RESOURCES;
        }
    }
    if (Dma->Va == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    RtlZeroMemory(Dma->Va, Dma->Bytes);
    return STATUS_SUCCESS;
}

VOID DmaPut(PRNIC_ADAPTER Adapter, PRNIC_DMA Dma) {
    KLOCK_QUEUE_HANDLE Lock;

    if (Dma->Va == NULL) {
        return;
    }
    if (Dma->Block == NULL) {
        MmFreeContiguousMemory(Dma->Va);
    } else {
        KeAcquireInStackQueuedSpinLock(&Adapter->Dma.Lock, &Lock);
        PiecePut(Dma);
        KeReleaseInStackQueuedSpinLock(&Lock);
    }
    RtlZeroMemory(Dma, sizeof(*Dma));
}

VOID DmaPages(const RNIC_DMA *Dma, struct rnic_pages *Pages) {
    Pages->address = Dma->Address;
    Pages->page_count = (ULONG)BYTES_TO_PAGES(Dma->Bytes);
    Pages->depth = 0;
}

static BOOLEAN AddressesAreContiguous(const ULONG64 *Addresses, ULONG Count) {
    ULONG i;

    for (i = 1; i < Count; i++) {
        if (Addresses[i] != Addresses[0] + ((ULONG64)i << PAGE_SHIFT)) {
            return FALSE;
        }
    }
    return TRUE;
}

NTSTATUS DmaDescribe(PRNIC_ADAPTER Adapter, const ULONG64 *Addresses, ULONG Count,
                     struct rnic_pages *Pages, PRNIC_DMA Lists) {
    ULONG ListCount = (Count + RNIC_PAGE_LIST_COUNT - 1) / RNIC_PAGE_LIST_COUNT;
    ULONG64 *Top;
    NTSTATUS Status;
    ULONG i;

    Pages->page_count = Count;
    if (AddressesAreContiguous(Addresses, Count)) {
        Pages->address = Addresses[0];
        Pages->depth = 0;
        return STATUS_SUCCESS;
    }
    /* One list; or several, a page each, and before them one page that lists them. */
    Status = DmaGet(
        Adapter, ListCount == 1 ? Count * (ULONG)sizeof(*Addresses) : (ListCount + 1) * PAGE_SIZE,
        Lists);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Pages->address = Lists->Address;
    Pages->depth = ListCount == 1 ? 1 : 2;
    Top = (ULONG64 *)Lists->Va;
    if (ListCount == 1) {
        RtlCopyMemory(Top, Addresses, Count * sizeof(*Addresses));
        return STATUS_SUCCESS;
    }
    for (i = 0; i < ListCount; i++) {
        Top[i] = Lists->Address + (ULONG64)(i + 1) * PAGE_SIZE;
    }
    RtlCopyMemory(Lists->Va + PAGE_SIZE, Addresses, Count * sizeof(*Addresses));
    return STATUS_SUCCESS;
}
