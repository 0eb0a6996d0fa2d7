/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include "world.h"

static void blocks_are_zeroed_and_do_not_overlap(void **state) {
    struct sim_world *world = *state;
    struct dice dice = {1};
    unsigned char *blocks[200];
    uint64_t bytes[200];

    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < 200; i++) {
            bytes[i] = roll_below(&dice, i % 10 == 0 ? 20000 : 300);
            blocks[i] = sim_alloc(world, bytes[i]);
            for (uint64_t at = 0; at < bytes[i]; at++) {
                assert_int_equal(blocks[i][at], 0);
            }
            memset(blocks[i], (int)i, bytes[i]);
        }
        for (uint32_t i = 0; i < 200; i++) {
            for (uint64_t at = 0; at < bytes[i]; at++) {
                assert_int_equal(blocks[i][at], i);
            }
            sim_free(world, blocks[i], bytes[i]);
        }
    }
}

static void a_freed_block_is_the_next_of_its_class(void **state) {
    void *first = sim_alloc(*state, 100);
    void *second = sim_alloc(*state, 100);

    sim_free(*state, first, 100);
    sim_free(*state, second, 100);
    assert_ptr_equal(sim_alloc(*state, 98), second);
    assert_ptr_equal(sim_alloc(*state, 112), first);
    assert_ptr_not_equal(sim_alloc(*state, 113), first);
}

static void large_blocks_are_at_most_a_quarter_larger_than_asked(void **state) {
    struct sim_world *world = *state;

    for (uint64_t bytes = 1025; bytes < UINT64_C(3) << 20; bytes = bytes * 9 / 8 + 1) {
        uint64_t before = sim_region_used_bytes(world, SIM_REGION_PRIVATE);
        unsigned char *block = sim_alloc(world, bytes);
        uint64_t taken = sim_region_used_bytes(world, SIM_REGION_PRIVATE) - before;

        block[bytes - 1] = 1;
        assert_true(taken >= bytes && taken <= bytes + bytes / 4 + 64);
        sim_free(world, block, bytes);
        assert_ptr_equal(sim_alloc(world, bytes), block);
        assert_int_equal(block[bytes - 1], 0);
    }
}

static void small_blocks_are_cut_from_large_ones_that_were_freed(void **state) {
    struct sim_world *world = *state;
    unsigned char *large = sim_alloc(world, 10000);
    uint64_t used = sim_region_used_bytes(world, SIM_REGION_PRIVATE);
    unsigned char *small[200];

    memset(large, 0xAA, 10000);
    sim_free(world, large, 10000);
    for (uint32_t i = 0; i < 200; i++) {
        small[i] = sim_alloc(world, 40);
        assert_true(small[i] >= large && small[i] + 40 <= large + 10240);
        for (uint32_t at = 0; at < 40; at++) {
            assert_int_equal(small[i][at], 0);
        }
        memset(small[i], (int)i, 40);
    }
    for (uint32_t i = 0; i < 200; i++) {
        assert_int_equal(small[i][0], (unsigned char)i);
        assert_int_equal(small[i][39], (unsigned char)i);
    }
    assert_int_equal(sim_region_used_bytes(world, SIM_REGION_PRIVATE), used);
    for (uint32_t i = 0; i < 200; i++) {
        sim_free(world, small[i], 40);
    }
    assert_ptr_equal(sim_alloc(world, 40), small[199]);
}

static void a_room_counts_its_live_blocks(void **state) {
    struct sim_world *world = *state;
    uint64_t others = sim_room_bytes(world, SIM_ROOM_OTHER);
    uint64_t own = sim_room_bytes(world, SIM_ROOM_NET);
    void *block = sim_room_alloc(world, SIM_ROOM_NET, 1500);

    assert_int_equal(sim_room_bytes(world, SIM_ROOM_NET) - own, 1536);
    sim_room_free(world, SIM_ROOM_NET, block, 1500);
    assert_int_equal(sim_room_bytes(world, SIM_ROOM_NET), own);
    assert_ptr_equal(sim_alloc(world, 1500), block);
    assert_int_equal(sim_room_bytes(world, SIM_ROOM_OTHER) - others, 1536);
}

static void equal_calls_give_equal_addresses_in_every_world(void **state) {
    void *addresses[100];

    (void)state;
    for (uint32_t turn = 0; turn < 2; turn++) {
        const struct sim_config config = {.seed = turn};
        struct sim_world *world = sim_world_create(&config);

        for (uint32_t i = 0; i < 100; i++) {
            void *block = i % 2 ? sim_alloc(world, i * 17)
                                : sim_region_take(world, SIM_REGION_DRIVER, i * 100 + 1, 64);

            assert_true(turn == 0 || block == addresses[i]);
            addresses[i] = block;
        }
        sim_world_destroy(world);
    }
}

static void frames_are_a_bijection_that_scatters_neighbours(void **state) {
    struct sim_world *world = *state;
    const uint64_t page_count = 3000;
    char *pages = sim_region_take(world, SIM_REGION_DRIVER, page_count * SIM_PAGE_BYTES, 4096);
    char *bulk = sim_region_take(world, SIM_REGION_BULK, page_count * SIM_PAGE_BYTES, 4096);
    unsigned char *seen = calloc(1, (UINT64_C(1) << 26) / 8);

    assert_non_null(seen);
    for (uint64_t i = 0; i < 2 * page_count; i++) {
        char *page =
            i < page_count ? pages + i * SIM_PAGE_BYTES : bulk + (i - page_count) * SIM_PAGE_BYTES;
        uint64_t frame = sim_frame_of(world, page + i % SIM_PAGE_BYTES);

        assert_true(frame < UINT64_C(1) << 26);
        assert_false(seen[frame / 8] >> frame % 8 & 1);
        seen[frame / 8] |= (unsigned char)(1u << frame % 8);
        assert_ptr_equal(sim_frame_page(world, frame), page);
        assert_true(frame != (uintptr_t)page / SIM_PAGE_BYTES);
        if (i % page_count != 0) {
            uint64_t before = sim_frame_of(world, page - SIM_PAGE_BYTES);

            assert_true(frame != before + 1 && frame + 1 != before);
        }
    }
    free(seen);
}

static void a_frame_without_memory_has_no_page(void **state) {
    struct sim_world *world = *state;
    char *page = sim_region_take(world, SIM_REGION_DRIVER, SIM_PAGE_BYTES, 4096);

    assert_null(sim_frame_page(world, 0));
    assert_null(sim_frame_page(world, UINT64_MAX));
    assert_null(sim_frame_page(world, sim_frame_of(world, page + SIM_PAGE_BYTES)));
}

static void raw_copies_copy_every_length(void **state) {
    unsigned char from[64], to[64];

    (void)state;
    for (size_t bytes = 0; bytes < 50; bytes++) {
        for (size_t i = 0; i < sizeof(from); i++) {
            from[i] = (unsigned char)(i + 1);
            to[i] = 0xEE;
        }
        sim_raw_copy(to + 3, from + 1, bytes);
        assert_memory_equal(to + 3, from + 1, bytes);
        assert_int_equal(to[3 + bytes], 0xEE);
        sim_raw_zero(to + 3, bytes);
        assert_int_equal(to[2], 0xEE);
        for (size_t i = 0; i < bytes; i++) {
            assert_int_equal(to[3 + i], 0);
        }
        assert_int_equal(to[3 + bytes], 0xEE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(blocks_are_zeroed_and_do_not_overlap),
        WORLD_TEST(a_freed_block_is_the_next_of_its_class),
        WORLD_TEST(large_blocks_are_at_most_a_quarter_larger_than_asked),
        WORLD_TEST(small_blocks_are_cut_from_large_ones_that_were_freed),
        WORLD_TEST(a_room_counts_its_live_blocks),
        cmocka_unit_test(equal_calls_give_equal_addresses_in_every_world),
        WORLD_TEST(frames_are_a_bijection_that_scatters_neighbours),
        WORLD_TEST(a_frame_without_memory_has_no_page),
        cmocka_unit_test(raw_copies_copy_every_length),
    };

    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
