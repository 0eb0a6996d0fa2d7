/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory in pieces: alignment, sharing of pages, page lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dma.c"

static RNIC_ADAPTER adapter;
static unsigned blocks_held;

PVOID NTAPI ExAllocatePool2(POOL_FLAGS Flags, SIZE_T Bytes, ULONG Tag) {
    (void)Flags;
    (void)Tag;
    return test_calloc(1, Bytes);
}

VOID NTAPI ExFreePoolWithTag(PVOID Block, ULONG Tag) {
    (void)Tag;
    test_free(Block);
}

PVOID NTAPI MmAllocateContiguousMemory(SIZE_T Bytes, PHYSICAL_ADDRESS Highest) {
    void *memory = NULL;
    (void)Highest;
    assert_int_equal(posix_memalign(&memory, PAGE_SIZE, Bytes), 0);
    memset(memory, 0xCC, Bytes);
    blocks_held++;
    return memory;
}

VOID NTAPI MmFreeContiguousMemory(PVOID Memory) {
    blocks_held--;
    free(Memory);
}

/* Device addresses that are not the pointers. */
PHYSICAL_ADDRESS NTAPI MmGetPhysicalAddress(PVOID Address) {
    PHYSICAL_ADDRESS physical = {.QuadPart = (LONGLONG)(ULONG_PTR)Address + 0x10000000};
    return physical;
}

VOID NTAPI KeInitializeSpinLock(PKSPIN_LOCK Lock) {
    *Lock = 0;
}

VOID NTAPI KeAcquireInStackQueuedSpinLock(PKSPIN_LOCK Lock, PKLOCK_QUEUE_HANDLE Handle) {
    (void)Lock;
    (void)Handle;
}

VOID NTAPI KeReleaseInStackQueuedSpinLock(PKLOCK_QUEUE_HANDLE Handle) {
    (void)Handle;
}

VOID NTAPI RtlAssert(PVOID Text, PVOID File, ULONG Line, PSTR Message) {
    (void)Message;
    mock_assert(0, Text, File, (int)Line);
}

static int make(void **state) {
    (void)state;
    DmaInit(&adapter);
    return 0;
}

static void done(void) {
    DmaDeinit(&adapter);
    assert_int_equal(blocks_held, 0);
}

static RNIC_DMA get(ULONG bytes) {
    RNIC_DMA dma;
    assert_int_equal(DmaGet(&adapter, bytes, &dma), STATUS_SUCCESS);
    for (ULONG i = 0; i < bytes; i++)
        assert_int_equal(dma.Va[i], 0);
    assert_true(dma.Address % 64 == 0);
    assert_true(dma.Address == (ULONG64)(ULONG_PTR)dma.Va + 0x10000000);
    return dma;
}

static void small_pieces_share_a_page_and_do_not_cross_it(void **state) {
    (void)state;
    RNIC_DMA pieces[4];
    for (unsigned i = 0; i < 4; i++) {
        pieces[i] = get(1000);
        assert_true((pieces[i].Address & (PAGE_SIZE - 1)) + 1000 <= PAGE_SIZE);
        for (unsigned j = 0; j < i; j++)
            assert_ptr_not_equal(pieces[i].Va, pieces[j].Va);
    }
    assert_int_equal(blocks_held, 1);
    RNIC_DMA fifth = get(1000);
    assert_int_equal(blocks_held, 1);
    assert_ptr_not_equal(PAGE_ALIGN(fifth.Va), PAGE_ALIGN(pieces[0].Va));
    for (unsigned i = 0; i < 4; i++)
        DmaPut(&adapter, &pieces[i]);
    DmaPut(&adapter, &fifth);
    assert_null(fifth.Va);
    DmaPut(&adapter, &fifth);
    done();
}

static void a_piece_is_used_again(void **state) {
    (void)state;
    RNIC_DMA first = get(64);
    PUCHAR place = first.Va;
    memset(place, 0xAA, 64);
    DmaPut(&adapter, &first);
    RNIC_DMA second = get(64);
    assert_ptr_equal(second.Va, place);
    DmaPut(&adapter, &second);
    done();
}

static void pages_come_in_blocks(void **state) {
    (void)state;
    RNIC_DMA pages[RNIC_DMA_BLOCK_PAGES + 1];
    for (unsigned i = 0; i <= RNIC_DMA_BLOCK_PAGES; i++) {
        assert_int_equal(blocks_held, i == 0 ? 0 : 1);
        pages[i] = get(PAGE_SIZE);
        assert_int_equal(pages[i].Address & (PAGE_SIZE - 1), 0);
    }
    assert_int_equal(blocks_held, 2);
    for (unsigned i = 0; i <= RNIC_DMA_BLOCK_PAGES; i++)
        DmaPut(&adapter, &pages[i]);
    done();
}

static void pieces_of_all_sizes_never_meet(void **state) {
    (void)state;
    static RNIC_DMA held[200];
    unsigned random = 1;
    for (unsigned turn = 0; turn < 4000; turn++) {
        RNIC_DMA *dma = &held[(random = random * 1103515245 + 12345) / 65536 % 200];
        if (dma->Va != NULL) {
            for (ULONG i = 0; i < dma->Bytes; i++)
                assert_int_equal(dma->Va[i], (UCHAR)(dma - held));
            DmaPut(&adapter, dma);
        } else {
            ULONG bytes = 1 + (random = random * 1103515245 + 12345) / 65536 % 9000;
            *dma = get(bytes);
            memset(dma->Va, (int)(dma - held), dma->Bytes);
            if (bytes <= PAGE_SIZE)
                assert_ptr_equal(PAGE_ALIGN(dma->Va), PAGE_ALIGN(dma->Va + bytes - 1));
            else
                assert_int_equal(dma->Address & (PAGE_SIZE - 1), 0);
        }
    }
    for (unsigned i = 0; i < 200; i++)
        DmaPut(&adapter, &held[i]);
    done();
}

static void what_no_block_holds_is_memory_of_its_own(void **state) {
    (void)state;
    RNIC_DMA small = get(64);
    RNIC_DMA large = get(RNIC_DMA_BLOCK_PAGES * PAGE_SIZE);
    assert_int_equal(blocks_held, 2);
    assert_null(large.Block);
    DmaPut(&adapter, &large);
    assert_int_equal(blocks_held, 1);
    DmaPut(&adapter, &small);
    done();
}

static void more_than_a_page_is_page_aligned(void **state) {
    (void)state;
    RNIC_DMA dma = get(PAGE_SIZE + 1);
    struct rnic_pages pages = {0};
    DmaPages(&dma, &pages);
    assert_int_equal(dma.Address & (PAGE_SIZE - 1), 0);
    assert_int_equal(pages.page_count, 2);
    assert_int_equal(pages.depth, 0);
    DmaPut(&adapter, &dma);
    done();
}

static void contiguous_pages_need_no_list(void **state) {
    (void)state;
    const ULONG64 addresses[] = {0x5000, 0x6000, 0x7000};
    struct rnic_pages pages = {0};
    RNIC_DMA lists = {0};
    assert_int_equal(DmaDescribe(&adapter, addresses, 3, &pages, &lists), STATUS_SUCCESS);
    assert_int_equal(pages.depth, 0);
    assert_int_equal(pages.address, 0x5000);
    assert_null(lists.Va);
    done();
}

static void scattered_pages_are_listed(void **state) {
    (void)state;
    const ULONG64 addresses[] = {0x5000, 0x9000, 0x7000};
    struct rnic_pages pages = {0};
    RNIC_DMA lists = {0};
    assert_int_equal(DmaDescribe(&adapter, addresses, 3, &pages, &lists), STATUS_SUCCESS);
    assert_int_equal(pages.depth, 1);
    assert_int_equal(pages.page_count, 3);
    assert_memory_equal(lists.Va, addresses, sizeof addresses);
    DmaPut(&adapter, &lists);
    done();
}

static void many_scattered_pages_are_listed_in_lists(void **state) {
    (void)state;
    static ULONG64 addresses[RNIC_PAGE_LIST_COUNT + 2];
    struct rnic_pages pages = {0};
    RNIC_DMA lists = {0};
    for (ULONG i = 0; i < RNIC_PAGE_LIST_COUNT + 2; i++)
        addresses[i] = (ULONG64)(i + 1) << 20;
    assert_int_equal(DmaDescribe(&adapter, addresses, RNIC_PAGE_LIST_COUNT + 2, &pages, &lists),
                     STATUS_SUCCESS);
    assert_int_equal(pages.depth, 2);
    const ULONG64 *top = (const ULONG64 *)lists.Va;
    assert_true(top[0] == lists.Address + PAGE_SIZE);
    assert_true(top[1] == lists.Address + 2 * PAGE_SIZE);
    const ULONG64 *second = (const ULONG64 *)(lists.Va + 2 * PAGE_SIZE);
    assert_true(second[1] == addresses[RNIC_PAGE_LIST_COUNT + 1]);
    DmaPut(&adapter, &lists);
    done();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(small_pieces_share_a_page_and_do_not_cross_it, make),
        cmocka_unit_test_setup(a_piece_is_used_again, make),
        cmocka_unit_test_setup(pages_come_in_blocks, make),
        cmocka_unit_test_setup(pieces_of_all_sizes_never_meet, make),
        cmocka_unit_test_setup(what_no_block_holds_is_memory_of_its_own, make),
        cmocka_unit_test_setup(more_than_a_page_is_page_aligned, make),
        cmocka_unit_test_setup(contiguous_pages_need_no_list, make),
        cmocka_unit_test_setup(scattered_pages_are_listed, make),
        cmocka_unit_test_setup(many_scattered_pages_are_listed_in_lists, make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
