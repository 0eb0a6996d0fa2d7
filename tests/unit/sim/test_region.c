/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <signal.h>

#include "fixture.h"

#include "world.h"

static void taken_memory_is_aligned_zeroed_and_known(void **state) {
    struct sim_world *world = *state;

    for (uint64_t align = 16; align <= 65536; align *= 2) {
        for (int region = 0; region < SIM_REGION_COUNT; region++) {
            unsigned char *block = sim_region_take(world, (enum sim_region_id)region, 100, align);

            assert_int_equal((uintptr_t)block % align, 0);
            assert_int_equal(block[0] | block[99], 0);
            memset(block, 0xFF, 100);
            assert_int_equal(sim_region_of(world, block + 99), region);
        }
    }
    assert_int_equal(sim_region_of(world, state), SIM_REGION_COUNT);
    assert_int_equal(sim_region_of(world, (void *)(uintptr_t)(SIM_REGION_BASE - 1)),
                     SIM_REGION_COUNT);
}

static void a_region_refuses_more_than_its_budget(void **state) {
    struct sim_world *world = *state;
    uint64_t used = sim_region_used_bytes(world, SIM_REGION_BULK);

    assert_null(sim_region_take(world, SIM_REGION_BULK, SIM_REGION_SLOT_BYTES + 1, 4096));
    assert_null(sim_region_take(world, SIM_REGION_DRIVER, SIM_REGION_SLOT_BYTES / 2 + 1, 4096));
    assert_null(sim_region_take(world, SIM_REGION_BULK, UINT64_MAX - 100, 16));
    assert_int_equal(sim_region_used_bytes(world, SIM_REGION_BULK), used);
}

/* Every byte that a run can see: below the snapshot's mark what was there, beyond it zero. */
static void check_fresh(const unsigned char *kept, const unsigned char *beyond, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; i++) {
        assert_int_equal(kept[i], (i * 7) & 0xFF);
    }
    for (uint64_t i = 0; i < bytes; i++) {
        assert_int_equal(beyond[i], 0);
    }
}

static void a_reset_brings_back_the_bytes_of_the_snapshot(void **state) {
    struct sim_world *world = *state;
    const uint64_t bytes = 700 * 1024;
    unsigned char *kept[SIM_REGION_COUNT];

    for (int i = 0; i < SIM_REGION_COUNT; i++) {
        kept[i] = sim_region_take(world, (enum sim_region_id)i, bytes, 64);
        for (uint64_t at = 0; at < bytes; at++) {
            kept[i][at] = (unsigned char)(at * 7);
        }
    }
    sim_world_snapshot(world);
    for (uint32_t run = 0; run < 4; run++) {
        uint64_t more = run % 2 ? bytes : 1000;

        for (int i = 0; i < SIM_REGION_COUNT; i++) {
            unsigned char *block = sim_region_take(world, (enum sim_region_id)i, more, 64);

            check_fresh(kept[i], block, more);
            memset(block, 0xA5, more);
            memset(kept[i], 0x5A, bytes);
        }
        reset_with_seed(world, run);
    }
}

static sigjmp_buf fault_return;

static void on_fault(int number) {
    (void)number;
    siglongjmp(fault_return, 1);
}

static bool reads_fault(volatile const char *address) {
    struct sigaction action, before_segv, before_bus;
    bool faults = false;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_fault;
    sigaction(SIGSEGV, &action, &before_segv);
    sigaction(SIGBUS, &action, &before_bus);
    if (sigsetjmp(fault_return, 1) == 0) {
        (void)*address;
    } else {
        faults = true;
    }
    sigaction(SIGSEGV, &before_segv, NULL);
    sigaction(SIGBUS, &before_bus, NULL);
    return faults;
}

static void protection_holds_until_reset_and_comes_back_with_it(void **state) {
    struct sim_world *world = *state;
    uint64_t page = sim_host_page_bytes();
    char *before = sim_region_take(world, SIM_REGION_DRIVER, page, page);
    char *after = sim_region_take(world, SIM_REGION_DRIVER, page, page);

    before[0] = 'b';
    after[0] = 'a';
    assert_true(sim_region_protect(world, before, page));
    sim_world_snapshot(world);
    for (uint32_t run = 0; run < 2; run++) {
        assert_true(reads_fault(before));
        assert_int_equal(after[0], 'a');
        assert_true(sim_region_protect(world, after, page));
        assert_true(reads_fault(after));
        sim_region_unprotect(world, before, page);
        assert_int_equal(before[0], 'b');
        reset_with_seed(world, run);
        assert_false(reads_fault(after));
    }
}

static void a_large_snapshot_taken_twice_keeps_the_later_state(void **state) {
    struct sim_world *world = *state;
    char *bytes = sim_region_take(world, SIM_REGION_BULK, 100000, 64);

    bytes[0] = 1;
    sim_world_snapshot(world);
    bytes[0] = 2;
    bytes = sim_region_take(world, SIM_REGION_BULK, 300000, 64);
    bytes[0] = 3;
    sim_world_snapshot(world);
    bytes[0] = 4;
    reset_with_seed(world, 1);
    assert_int_equal(bytes[0], 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(taken_memory_is_aligned_zeroed_and_known),
        WORLD_TEST(a_region_refuses_more_than_its_budget),
        WORLD_TEST(a_reset_brings_back_the_bytes_of_the_snapshot),
        WORLD_TEST(protection_holds_until_reset_and_comes_back_with_it),
        WORLD_TEST(a_large_snapshot_taken_twice_keeps_the_later_state),
    };

    return cmocka_run_group_tests_name("region", tests, NULL, NULL);
}
