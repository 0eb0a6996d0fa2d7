/* SPDX-License-Identifier: Apache-2.0 */
/* MDLs, page frames, what a device may reach, register mappings. */
#include <ntddk.h>

#include <sim/bus.h>

#include "adapter.h"
#include "bar.h"

#include "node.h"

static struct sim_bus_device device;
static uint64_t registers[8];
static uint64_t frame;
static unsigned char bytes[16];

static uint64_t bar_read(struct sim_bus_device *of, uint32_t bar, uint64_t offset, uint32_t count) {
    (void)of;
    (void)bar;
    (void)count;
    return registers[offset / 8];
}

static void bar_write(struct sim_bus_device *of, uint32_t bar, uint64_t offset, uint32_t count,
                      uint64_t value) {
    (void)of;
    (void)bar;
    (void)count;
    registers[offset / 8] = value;
}

static const struct sim_bus_ops ops = {.bar_read = bar_read, .bar_write = bar_write};

static int setup(void **state) {
    struct krn_adapter_config config = {.name = "nic0", .device = &device};

    make_node(state);
    memset(&device, 0, sizeof(device));
    sim_bus_device_init(world, &device, krn_node_object(node), "device", &ops, NULL);
    device.bar_bytes[0] = 4096;
    krn_adapter_add(node, &config);
    return 0;
}

static PUCHAR take(SIZE_T count) {
    return ExAllocatePool2(POOL_FLAG_NON_PAGED, count, 'tseT');
}

static void build(void *argument) {
    PUCHAR block = take(10000);
    PMDL mdl = IoAllocateMdl(block + 100, 9000, FALSE, FALSE, NULL);

    (void)argument;
    assert_int_equal(MmGetMdlByteOffset(mdl), 100);
    assert_int_equal(MmGetMdlByteCount(mdl), 9000);
    MmBuildMdlForNonPagedPool(mdl);
    assert_ptr_equal(MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority), block + 100);
    for (int i = 0; i < 3; i++) {
        assert_ptr_equal(sim_frame_page(world, MmGetMdlPfnArray(mdl)[i]), block + 4096 * i);
        assert_true(krn_frame_is_pinned(world, MmGetMdlPfnArray(mdl)[i]));
    }
    assert_int_equal(MmGetPhysicalAddress(block + 5).QuadPart,
                     MmGetMdlPfnArray(mdl)[0] * PAGE_SIZE + 5);
    frame = MmGetMdlPfnArray(mdl)[0];
    IoFreeMdl(mdl);
    block[100] = 0x5A;
    assert_true(sim_dma_read(&device, frame * 4096 + 100, bytes, 1));
    assert_int_equal(bytes[0], 0x5A);
    ExFreePool(block);
    assert_false(krn_frame_is_pinned(world, frame));
}

static void an_mdl_describes_page_frames(void **state) {
    (void)state;
    in_thread(build, NULL);
}

static void a_device_that_reads_freed_pool_is_a_bugcheck(void **state) {
    (void)state;
    in_thread(build, NULL);
    assert_false(sim_dma_read(&device, frame * 4096 + 100, bytes, 1));
    assert_int_equal(sim_finding_count(world), 1);
    assert_string_equal(sim_finding_at(world, 0)->id, "0xE6");
    assert_non_null(strstr(sim_finding_at(world, 0)->sentence, "freed"));
}

static void lock_paged(void *argument) {
    PUCHAR block = ExAllocatePoolWithTag(PagedPool, 5000, 'tseT');
    PMDL mdl = IoAllocateMdl(block, 5000, FALSE, FALSE, NULL);

    (void)argument;
    MmProbeAndLockPages(mdl, KernelMode, IoWriteAccess);
    frame = MmGetMdlPfnArray(mdl)[0];
    assert_true(krn_frame_is_pinned(world, frame));
    MmUnlockPages(mdl);
    assert_false(krn_frame_is_pinned(world, frame));
    MmProbeAndLockPages(mdl, KernelMode, IoReadAccess);
    IoFreeMdl(mdl);
}

static void locked_pages_must_be_unlocked_before_the_mdl_goes(void **state) {
    (void)state;
    expect_bugcheck(lock_paged, NULL, "0xCB", "still locked");
}

static void free_locked(void *argument) {
    PUCHAR block = take(100);
    PMDL mdl = IoAllocateMdl(block, 100, FALSE, FALSE, NULL);

    (void)argument;
    MmProbeAndLockPages(mdl, KernelMode, IoReadAccess);
    ExFreePool(block);
}

static void locked_pool_cannot_be_freed(void **state) {
    (void)state;
    expect_bugcheck(free_locked, NULL, "0xCB", "still locked by an MDL");
}

static void build_paged(void *argument) {
    PUCHAR block = ExAllocatePoolWithTag(PagedPool, 100, 'tseT');
    PMDL mdl = IoAllocateMdl(block, 100, FALSE, FALSE, NULL);

    (void)argument;
    MmBuildMdlForNonPagedPool(mdl);
}

static void paged_pool_must_be_locked(void **state) {
    (void)state;
    expect_bugcheck(build_paged, NULL, "0xC4", "paged pool");
}

static void build_beyond(void *argument) {
    PUCHAR block = take(100);
    PMDL mdl = IoAllocateMdl(block, 101, FALSE, FALSE, NULL);

    (void)argument;
    MmBuildMdlForNonPagedPool(mdl);
}

static void an_mdl_may_not_reach_behind_its_block(void **state) {
    (void)state;
    expect_bugcheck(build_beyond, NULL, "0xD6", "pool#1+0x64");
}

static void partial(void *argument) {
    PUCHAR block = take(10000);
    PMDL mdl = IoAllocateMdl(block, 10000, FALSE, FALSE, NULL);
    PMDL part = IoAllocateMdl(block + 5000, 3000, FALSE, FALSE, NULL);

    (void)argument;
    MmBuildMdlForNonPagedPool(mdl);
    IoBuildPartialMdl(mdl, part, block + 5000, 3000);
    assert_ptr_equal(MmGetSystemAddressForMdlSafe(part, NormalPagePriority), block + 5000);
    assert_int_equal(MmGetMdlPfnArray(part)[0], MmGetMdlPfnArray(mdl)[1]);
    IoFreeMdl(part);
    IoFreeMdl(mdl);
    ExFreePool(block);
}

static void a_partial_mdl_shares_the_frames(void **state) {
    (void)state;
    in_thread(partial, NULL);
}

static void contiguous(void *argument) {
    PHYSICAL_ADDRESS highest = {.QuadPart = MAXLONGLONG};
    PUCHAR block = MmAllocateContiguousMemory(20000, highest);
    uint64_t address = (uint64_t)MmGetPhysicalAddress(block).QuadPart;
    PMDL mdl = IoAllocateMdl(block, 20000, FALSE, FALSE, NULL);

    (void)argument;
    for (int i = 0; i < 20000; i += 1000) {
        assert_int_equal(MmGetPhysicalAddress(block + i).QuadPart, address + i);
    }
    MmBuildMdlForNonPagedPool(mdl);
    assert_int_equal(MmGetMdlPfnArray(mdl)[4], address / PAGE_SIZE + 4);
    for (int i = 0; i < 16; i++) {
        bytes[i] = (unsigned char)(0xA0 + i);
    }
    assert_true(sim_dma_write(&device, address + 4090, bytes, 16));
    assert_memory_equal(block + 4090, bytes, 16);
    assert_false(sim_dma_write(&device, address + 20480, bytes, 16));
    IoFreeMdl(mdl);
    MmFreeContiguousMemory(block);
    frame = address / PAGE_SIZE;
}

static void contiguous_memory_has_adjacent_frames(void **state) {
    (void)state;
    in_thread(contiguous, NULL);
    assert_int_equal(sim_finding_count(world), 0);
    assert_false(sim_dma_write(&device, frame * PAGE_SIZE, bytes, 16));
    assert_string_equal(sim_finding_at(world, 0)->id, "0xE6");
}

static void use_registers(void *argument) {
    PHYSICAL_ADDRESS physical = {.QuadPart =
                                     (LONGLONG)krn_bar_physical(krn_adapter_find(node, "nic0"), 0)};
    PUCHAR mapped = MmMapIoSpace(physical, 4096, MmNonCached);

    (void)argument;
    WRITE_REGISTER_ULONG64((PULONG64)(void *)(mapped + 16), 0x1122334455667788);
    assert_int_equal(registers[2], 0x1122334455667788);
    assert_int_equal(READ_REGISTER_ULONG((PULONG)(void *)(mapped + 16)), 0x55667788);
    MmUnmapIoSpace(mapped, 4096);
    READ_REGISTER_ULONG((PULONG)(void *)(mapped + 16));
}

static void registers_are_reached_through_calls_while_mapped(void **state) {
    (void)state;
    expect_bugcheck(use_registers, NULL, "0x50", "no mapped register");
}

#define MM_TEST(name) cmocka_unit_test_setup_teardown(name, setup, end_node)

int main(void) {
    const struct CMUnitTest tests[] = {
        MM_TEST(an_mdl_describes_page_frames),
        MM_TEST(a_device_that_reads_freed_pool_is_a_bugcheck),
        MM_TEST(locked_pages_must_be_unlocked_before_the_mdl_goes),
        MM_TEST(locked_pool_cannot_be_freed),
        MM_TEST(paged_pool_must_be_locked),
        MM_TEST(an_mdl_may_not_reach_behind_its_block),
        MM_TEST(a_partial_mdl_shares_the_frames),
        MM_TEST(contiguous_memory_has_adjacent_frames),
        MM_TEST(registers_are_reached_through_calls_while_mapped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
