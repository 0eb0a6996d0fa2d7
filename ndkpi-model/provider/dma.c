/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory in pieces; see dma.h. */
#include "adapter.h"

#define RNIC_DMA_BLOCK_PAGES 8u

typedef struct _RNIC_DMA_BLOCK {
    LIST_ENTRY Link;
    PUCHAR Va;
    ULONG64 Address;
    ULONG UsedPages;
} RNIC_DMA_BLOCK, *PRNIC_DMA_BLOCK;

typedef struct _RNIC_DMA_SLAB {
    LIST_ENTRY Link;
    PUCHAR Page;
    ULONG64 Address;
    ULONG64 Free; /* one bit per piece */
    ULONG Class;
} RNIC_DMA_SLAB, *PRNIC_DMA_SLAB;

static ULONG ClassBytes(ULONG Class) {
    return 64u << Class;
}

static ULONG64 ClassAllFree(ULONG Class) {
    ULONG Count = PAGE_SIZE / ClassBytes(Class);

    return Count == 64 ? MAXULONG64 : ((ULONG64)1 << Count) - 1;
}

VOID DmaInit(PRNIC_ADAPTER Adapter) {
    ULONG Class;

    KeInitializeSpinLock(&Adapter->Dma.Lock);
    InitializeListHead(&Adapter->Dma.Blocks);
    for (Class = 0; Class < RNIC_DMA_CLASS_COUNT; Class++) {
        InitializeListHead(&Adapter->Dma.Slabs[Class]);
    }
}

VOID DmaDeinit(PRNIC_ADAPTER Adapter) {
    ULONG Class;

    for (Class = 0; Class < RNIC_DMA_CLASS_COUNT; Class++) {
        while (!IsListEmpty(&Adapter->Dma.Slabs[Class])) {
            PLIST_ENTRY Entry = RemoveHeadList(&Adapter->Dma.Slabs[Class]);
            PRNIC_DMA_SLAB Slab = CONTAINING_RECORD(Entry, RNIC_DMA_SLAB, Link);

            NT_ASSERT(Slab->Free == ClassAllFree(Class));
            PoolPut(Slab);
        }
    }
    while (!IsListEmpty(&Adapter->Dma.Blocks)) {
        PLIST_ENTRY Entry = RemoveHeadList(&Adapter->Dma.Blocks);
        PRNIC_DMA_BLOCK Block = CONTAINING_RECORD(Entry, RNIC_DMA_BLOCK, Link);

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

/* Under the lock. FALSE: no block has an unused page. */
static BOOLEAN PageTake(RNIC_DMA_POOL *Pool, PRNIC_DMA_SLAB Slab) {
    PRNIC_DMA_BLOCK Block;

    if (IsListEmpty(&Pool->Blocks)) {
        return FALSE;
    }
    Block = CONTAINING_RECORD(Pool->Blocks.Flink, RNIC_DMA_BLOCK, Link);
    if (Block->UsedPages == RNIC_DMA_BLOCK_PAGES) {
        return FALSE;
    }
    Slab->Page = Block->Va + Block->UsedPages * PAGE_SIZE;
    Slab->Address = Block->Address + Block->UsedPages * PAGE_SIZE;
    Block->UsedPages++;
    if (Block->UsedPages == RNIC_DMA_BLOCK_PAGES) {
        RemoveEntryList(&Block->Link);
        InsertTailList(&Pool->Blocks, &Block->Link);
    }
    return TRUE;
}

static PRNIC_DMA_BLOCK BlockGet(VOID) {
    PRNIC_DMA_BLOCK Block = PoolGet(sizeof(*Block));

    if (Block == NULL) {
        return NULL;
    }
    Block->Va = ContiguousGet(RNIC_DMA_BLOCK_PAGES * PAGE_SIZE, &Block->Address);
    if (Block->Va == NULL) {
        PoolPut(Block);
        return NULL;
    }
    return Block;
}

static BOOLEAN PageGet(RNIC_DMA_POOL *Pool, PRNIC_DMA_SLAB Slab) {
    KLOCK_QUEUE_HANDLE Lock;
    PRNIC_DMA_BLOCK Block;
    BOOLEAN Taken;

    KeAcquireInStackQueuedSpinLock(&Pool->Lock, &Lock);
    Taken = PageTake(Pool, Slab);
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Taken) {
        return TRUE;
    }
    Block = BlockGet();
    if (Block == NULL) {
        return FALSE;
    }
    KeAcquireInStackQueuedSpinLock(&Pool->Lock, &Lock);
    InsertHeadList(&Pool->Blocks, &Block->Link);
    PageTake(Pool, Slab);
    KeReleaseInStackQueuedSpinLock(&Lock);
    return TRUE;
}

static PRNIC_DMA_SLAB SlabGet(PRNIC_ADAPTER Adapter, ULONG Class) {
    PRNIC_DMA_SLAB Slab = PoolGet(sizeof(*Slab));

    if (Slab == NULL) {
        return NULL;
    }
    if (!PageGet(&Adapter->Dma, Slab)) {
        PoolPut(Slab);
        return NULL;
    }
    Slab->Class = Class;
    Slab->Free = ClassAllFree(Class);
    return Slab;
}

/* Under the lock. FALSE: no slab of the class has a free piece. */
static BOOLEAN PieceTake(PLIST_ENTRY Slabs, PRNIC_DMA Dma) {
    PRNIC_DMA_SLAB Slab;
    ULONG Piece;
    ULONG Offset;

    if (IsListEmpty(Slabs)) {
        return FALSE;
    }
    Slab = CONTAINING_RECORD(Slabs->Flink, RNIC_DMA_SLAB, Link);
    if (!BitScanForward64(&Piece, Slab->Free)) {
        return FALSE;
    }
    Slab->Free &= ~((ULONG64)1 << Piece);
    if (Slab->Free == 0) {
        RemoveEntryList(&Slab->Link);
        InsertTailList(Slabs, &Slab->Link);
    }
    Offset = Piece * ClassBytes(Slab->Class);
    Dma->Va = Slab->Page + Offset;
    Dma->Address = Slab->Address + Offset;
    Dma->Slab = Slab;
    return TRUE;
}

static NTSTATUS PieceGet(PRNIC_ADAPTER Adapter, ULONG Class, PRNIC_DMA Dma) {
    PLIST_ENTRY Slabs = &Adapter->Dma.Slabs[Class];
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Taken;

    KeAcquireInStackQueuedSpinLock(&Adapter->Dma.Lock, &Lock);
    Taken = PieceTake(Slabs, Dma);
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (!Taken) {
        PRNIC_DMA_SLAB Slab = SlabGet(Adapter, Class);

        if (Slab == NULL) {
            return STATUS_INSUFFICIENT_RESOURCES;
        }
        KeAcquireInStackQueuedSpinLock(&Adapter->Dma.Lock, &Lock);
        InsertHeadList(Slabs, &Slab->Link);
        PieceTake(Slabs, Dma);
        KeReleaseInStackQueuedSpinLock(&Lock);
    }
    RtlZeroMemory(Dma->Va, ClassBytes(Class));
    return STATUS_SUCCESS;
}

NTSTATUS DmaGet(PRNIC_ADAPTER Adapter, ULONG Bytes, PRNIC_DMA Dma) {
    ULONG Class = 0;

    Dma->Slab = NULL;
    Dma->Bytes = Bytes;
    if (Bytes <= PAGE_SIZE) {
        while (ClassBytes(Class) < Bytes) {
            Class++;
        }
        return PieceGet(Adapter, Class, Dma);
    }
    Dma->Bytes = (ULONG)ROUND_TO_PAGES(Bytes);
    Dma->Va = ContiguousGet(Dma->Bytes, &Dma->Address);
    if (Dma->Va == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    RtlZeroMemory(Dma->Va, Dma->Bytes);
    return STATUS_SUCCESS;
}

VOID DmaPut(PRNIC_ADAPTER Adapter, PRNIC_DMA Dma) {
    KLOCK_QUEUE_HANDLE Lock;
    PRNIC_DMA_SLAB Slab = Dma->Slab;

    if (Dma->Va == NULL) {
        return;
    }
    if (Slab == NULL) {
        MmFreeContiguousMemory(Dma->Va);
    } else {
        ULONG Piece = (ULONG)(Dma->Va - Slab->Page) / ClassBytes(Slab->Class);

        KeAcquireInStackQueuedSpinLock(&Adapter->Dma.Lock, &Lock);
        Slab->Free |= (ULONG64)1 << Piece;
        RemoveEntryList(&Slab->Link);
        InsertHeadList(&Adapter->Dma.Slabs[Slab->Class], &Slab->Link);
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
    /* The lists, one page each, and before them one page that lists them when there are several. */
    Status = DmaGet(Adapter, (ListCount == 1 ? 1 : ListCount + 1) * PAGE_SIZE, Lists);
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
