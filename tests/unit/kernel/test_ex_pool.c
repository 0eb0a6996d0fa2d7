/* SPDX-License-Identifier: Apache-2.0 */
/* Pool: fills, guards, quarantine, frees, tags, limits, faults. */
#include <ntddk.h>

#include "pool.h"

#include "node.h"

#define TAG 'looP'

static PUCHAR take(SIZE_T bytes) {
    return ExAllocatePool2(POOL_FLAG_NON_PAGED | POOL_FLAG_UNINITIALIZED, bytes, TAG);
}

static void fills(void *argument) {
    PUCHAR one = take(100);
    PUCHAR zeroed = ExAllocatePool2(POOL_FLAG_NON_PAGED, 100, TAG);
    PUCHAR old = ExAllocatePoolWithTag(NonPagedPoolNx, 100, TAG);
    struct krn_place place;
    char text[KRN_POINTER_TEXT_BYTES];

    (void)argument;
    assert_int_equal(one[0], KRN_POOL_FILL_NEW);
    assert_int_equal(old[99], KRN_POOL_FILL_NEW);
    assert_int_equal(zeroed[99], 0);
    assert_int_equal((uintptr_t)one % 16, 0);
    assert_string_equal(krn_pointer_text(world, one + 24, text, sizeof(text)), "pool#1+0x18");
    ExFreePoolWithTag(one, TAG);
    assert_int_equal(one[50], KRN_POOL_FILL_FREED);
    krn_place_of(world, one, &place);
    assert_int_equal(place.kind, KRN_PLACE_POOL_FREED);
    ExFreePool(zeroed);
    ExFreePool(old);
    assert_int_equal(krn_pool_live_count(node), 0);
}

static void new_and_freed_memory_is_filled(void **state) {
    (void)state;
    in_thread(fills, NULL);
    krn_pool_check(node);
    assert_int_equal(sim_finding_count(world), 0);
}

static void large(void *argument) {
    PUCHAR page = take(4096);
    PUCHAR bulk = take(65536);
    PUCHAR aligned = ExAllocatePool2(POOL_FLAG_NON_PAGED | POOL_FLAG_CACHE_ALIGNED, 100, TAG);

    (void)argument;
    assert_int_equal((uintptr_t)page % 4096, 0);
    assert_int_equal((uintptr_t)bulk % 4096, 0);
    assert_int_equal((uintptr_t)aligned % 64, 0);
    assert_int_equal(sim_region_of(world, bulk), SIM_REGION_BULK);
    assert_int_equal(sim_region_of(world, page), SIM_REGION_DRIVER);
    ExFreePool(page);
    ExFreePool(bulk);
    ExFreePool(aligned);
}

static void large_blocks_start_on_pages(void **state) {
    (void)state;
    in_thread(large, NULL);
}

static void crossing(void *argument) {
    PUCHAR blocks[400];

    (void)argument;
    for (SIZE_T i = 0; i < RTL_NUMBER_OF(blocks); i++) {
        SIZE_T bytes = 1 + i * 37 * 61 % 4096;

        blocks[i] = take(bytes);
        assert_int_equal((uintptr_t)blocks[i] / 4096, ((uintptr_t)blocks[i] + bytes - 1) / 4096);
        if (i % 3 == 0) {
            ExFreePool(blocks[i]);
            blocks[i] = take(bytes / 2 + 1);
        }
    }
    for (SIZE_T i = 0; i < RTL_NUMBER_OF(blocks); i++) {
        ExFreePool(blocks[i]);
    }
}

static void blocks_that_fit_in_a_page_lie_in_one(void **state) {
    (void)state;
    in_thread(crossing, NULL);
}

static void cycle(void *argument) {
    uint64_t low = sim_region_used_bytes(world, SIM_REGION_DRIVER);
    PUCHAR first = take(1000);
    bool seen_again = false;

    (void)argument;
    ExFreePool(first);
    for (int i = 0; i < 20000; i++) {
        PUCHAR block = take(1000);

        seen_again = seen_again || block == first;
        if (i < 7000) {
            assert_false(seen_again);
        }
        ExFreePool(block);
    }
    assert_true(seen_again);
    assert_in_range(sim_region_used_bytes(world, SIM_REGION_DRIVER) - low, 8 << 20, 11 << 20);
}

static void freed_blocks_rest_for_eight_mebibytes(void **state) {
    (void)state;
    in_thread(cycle, NULL);
    krn_pool_check(node);
    assert_int_equal(sim_finding_count(world), 0);
}

static void overrun(void *argument) {
    PUCHAR block = take(20);

    (void)argument;
    block[20] = 1;
    ExFreePool(block);
}

static void a_byte_behind_the_end_is_seen_at_the_free(void **state) {
    (void)state;
    expect_bugcheck(overrun, NULL, "0x19", "byte 20 of pool#1, tag Pool, 20 bytes");
}

static void underrun(void *argument) {
    PUCHAR block = take(4096);

    (void)argument;
    block[-1] = 1;
    ExFreePool(block);
}

static void a_byte_before_the_start_is_seen_at_the_free(void **state) {
    (void)state;
    expect_bugcheck(underrun, NULL, "0x19", "byte -1 of pool#1");
}

static void write_freed(void *argument) {
    PUCHAR block = take(20);

    (void)argument;
    ExFreePool(block);
    *(volatile UCHAR *)(block + 3) = 1;
}

static void a_write_to_freed_memory_is_seen_at_the_end(void **state) {
    (void)state;
    in_thread(write_freed, NULL);
    krn_pool_check(node);
    assert_int_equal(sim_finding_count(world), 1);
    assert_string_equal(sim_finding_at(world, 0)->id, "0xC6");
    assert_non_null(strstr(sim_finding_at(world, 0)->sentence, "pool#1+0x3"));
}

/* A word in the fill, and behind it a bad write or none. */
static void inscribe(void *argument) {
    const bool *writes = argument;
    PUCHAR block = take(40);
    PUCHAR live = take(8);

    assert_false(krn_pool_inscribe(world, live, block));
    ExFreePool(block);
    assert_false(krn_pool_inscribe(world, block + 4, live));
    assert_false(krn_pool_inscribe(world, block + 40, live));
    assert_true(krn_pool_inscribe(world, block + 32, live));
    assert_false(krn_pool_inscribe(world, block + 8, live));
    assert_ptr_equal(*(PUCHAR *)(PVOID)(block + 32), live);
    if (*writes) {
        block[31] = 0;
    }
    ExFreePool(live);
}

static void a_word_inscribed_in_freed_memory_is_no_write(void **state) {
    bool writes = false;

    (void)state;
    in_thread(inscribe, &writes);
    krn_pool_check(node);
    assert_int_equal(sim_finding_count(world), 0);
}

static void a_write_beside_an_inscribed_word_is_seen(void **state) {
    bool writes = true;

    (void)state;
    in_thread(inscribe, &writes);
    krn_pool_check(node);
    assert_int_equal(sim_finding_count(world), 1);
    assert_non_null(strstr(sim_finding_at(world, 0)->sentence, "+0x1f"));
}

static void free_twice(void *argument) {
    PVOID block = take(20);

    (void)argument;
    ExFreePool(block);
    ExFreePool(block);
}

static void a_second_free_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(free_twice, NULL, "0xC2", "is freed again");
    assert_int_equal(sim_finding_at(world, 0)->parameters[0], 7);
}

static void free_middle(void *argument) {
    PUCHAR block = take(20);

    (void)argument;
    ExFreePool(block + 4);
}

static void a_free_of_the_middle_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(free_middle, NULL, "0xC2", "no start of a pool block");
}

static void free_wrong_tag(void *argument) {
    PVOID block = take(20);

    (void)argument;
    ExFreePoolWithTag(block, 'rehO');
}

static void a_free_with_another_tag_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(free_wrong_tag, NULL, "0xC2", "has tag Pool, it was freed with Oher");
}

static void free_foreign(void *argument) {
    PMDL mdl = IoAllocateMdl(argument, 1, FALSE, FALSE, NULL);

    ExFreePool(mdl);
}

static void what_the_kernel_made_is_not_freed_as_pool(void **state) {
    char byte;

    (void)state;
    expect_bugcheck(free_foreign, &byte, "0xC2", "was not allocated as pool by a driver");
}

static void paged_at_dispatch(void *argument) {
    KIRQL old;

    (void)argument;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    ExAllocatePoolWithTag(PagedPool, 20, TAG);
}

static void paged_pool_is_refused_at_dispatch(void **state) {
    (void)state;
    expect_bugcheck(paged_at_dispatch, NULL, "0xC4", "paged pool was asked for at DISPATCH");
}

static void no_tag(void *argument) {
    (void)argument;
    ExAllocatePool2(POOL_FLAG_NON_PAGED, 20, 0);
}

static void a_block_needs_a_tag(void **state) {
    (void)state;
    expect_bugcheck(no_tag, NULL, "0xC2", "tag is zero");
}

static void no_bytes(void *argument) {
    (void)argument;
    ExAllocatePool2(POOL_FLAG_NON_PAGED, 0, TAG);
}

static void zero_bytes_are_refused(void **state) {
    (void)state;
    expect_bugcheck(no_bytes, NULL, "0xC4", "zero bytes");
}

static void overrun_special(void *argument) {
    PUCHAR block = take(20);

    (void)argument;
    block[20] = 1; /* the page ends 12 bytes later */
    ExFreePool(block);
}

static void slack_of_special_pool_is_checked(void **state) {
    struct sim_config config = {.seed = 1, .special_pool = true};
    struct krn_node_config node_config = {.name = "host"};

    end_node(state);
    world = sim_world_create(&config);
    node = krn_node_create(world, &node_config);
    expect_bugcheck(overrun_special, NULL, "0xC1", "byte 20 of pool#1");
}

static void use_special(void *argument) {
    PVOID *blocks = argument;

    for (int i = 0; i < 10; i++) {
        blocks[i] = take(100 * (SIZE_T)(i + 1));
    }
    for (int i = 0; i < 10; i += 2) {
        ExFreePool(blocks[i]);
    }
}

static void free_rest(void *argument) {
    PVOID *blocks = argument;

    for (int i = 1; i < 10; i += 2) {
        ExFreePool(blocks[i]);
    }
}

static void special_pool_survives_a_reset_and_changes_no_digest(void **state) {
    PVOID blocks[10];
    uint64_t digests[2];

    for (int special = 0; special < 2; special++) {
        struct sim_config config = {.seed = 1, .special_pool = special != 0};
        struct krn_node_config node_config = {.name = "host"};

        end_node(state);
        world = sim_world_create(&config);
        node = krn_node_create(world, &node_config);
        in_thread(use_special, blocks);
        sim_world_snapshot(world);
        in_thread(free_rest, blocks);
        digests[special] = sim_digest(world);
        for (int i = 0; i < 3; i++) {
            sim_world_reset(world, &config);
            assert_int_equal(krn_pool_live_count(node), 5);
            in_thread(free_rest, blocks);
            assert_true(sim_digest(world) == digests[special]);
        }
    }
    assert_true(digests[0] == digests[1]);
}

static int failures;

static void take_ten(void *argument) {
    (void)argument;
    for (int i = 0; i < 10; i++) {
        failures += take(20) == NULL;
    }
}

static void a_planned_fault_makes_an_allocation_fail(void **state) {
    struct sim_fault_plan plan = {
        .point = sim_fault_point_find(world, "pool.fail"), .to_ns = SIM_TIME_NEVER, .nth = 4};

    (void)state;
    failures = 0;
    sim_fault_plan_add(world, &plan);
    in_thread(take_ten, NULL);
    assert_int_equal(failures, 1);
}

static void take_too_much(void *argument) {
    (void)argument;
    failures = ExAllocatePool2(POOL_FLAG_NON_PAGED, SIZE_MAX / 2, TAG) == NULL &&
               ExAllocatePool2(POOL_FLAG_NON_PAGED, SIZE_MAX, TAG) == NULL &&
               ExAllocatePool2(POOL_FLAG_NON_PAGED, SIZE_MAX - 4096, TAG) == NULL;
}

static void more_than_the_node_has_fails(void **state) {
    (void)state;
    in_thread(take_too_much, NULL);
    assert_int_equal(failures, 1);
}

static NPAGED_LOOKASIDE_LIST list;

static void lookaside(void *argument) {
    PVOID entry;

    (void)argument;
    ExInitializeNPagedLookasideList(&list, NULL, NULL, 0, 64, TAG, 0);
    entry = ExAllocateFromNPagedLookasideList(&list);
    ExFreeToNPagedLookasideList(&list, entry);
    ExDeleteNPagedLookasideList(&list);
    ExAllocateFromNPagedLookasideList(&list);
}

static void a_deleted_lookaside_list_is_gone(void **state) {
    (void)state;
    expect_bugcheck(lookaside, NULL, "0xA", "is no initialised lookaside");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(new_and_freed_memory_is_filled),
        KERNEL_TEST(large_blocks_start_on_pages),
        KERNEL_TEST(blocks_that_fit_in_a_page_lie_in_one),
        KERNEL_TEST(freed_blocks_rest_for_eight_mebibytes),
        KERNEL_TEST(a_byte_behind_the_end_is_seen_at_the_free),
        KERNEL_TEST(a_byte_before_the_start_is_seen_at_the_free),
        KERNEL_TEST(a_write_to_freed_memory_is_seen_at_the_end),
        KERNEL_TEST(a_word_inscribed_in_freed_memory_is_no_write),
        KERNEL_TEST(a_write_beside_an_inscribed_word_is_seen),
        KERNEL_TEST(a_second_free_is_a_bugcheck),
        KERNEL_TEST(a_free_of_the_middle_is_a_bugcheck),
        KERNEL_TEST(a_free_with_another_tag_is_a_bugcheck),
        KERNEL_TEST(what_the_kernel_made_is_not_freed_as_pool),
        KERNEL_TEST(paged_pool_is_refused_at_dispatch),
        KERNEL_TEST(a_block_needs_a_tag),
        KERNEL_TEST(zero_bytes_are_refused),
        KERNEL_TEST(a_planned_fault_makes_an_allocation_fail),
        KERNEL_TEST(more_than_the_node_has_fails),
        KERNEL_TEST(a_deleted_lookaside_list_is_gone),
        KERNEL_TEST(slack_of_special_pool_is_checked),
        KERNEL_TEST(special_pool_survives_a_reset_and_changes_no_digest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
