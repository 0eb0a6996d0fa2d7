/* SPDX-License-Identifier: Apache-2.0 */
/* Spin locks over two CPUs, IRQL, and their misuse. */
#include "node.h"

#include <ntddk.h>

static KSPIN_LOCK lock;
static KLOCK_QUEUE_HANDLE handle;
static LONG inside;
static LONG count;

static void enter_and_leave(void *argument) {
    KIRQL old;

    (void)argument;
    for (int i = 0; i < 100; i++) {
        KeAcquireSpinLock(&lock, &old);
        assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
        assert_int_equal(++inside, 1);
        KeStallExecutionProcessor(1);
        count++;
        inside--;
        KeReleaseSpinLock(&lock, old);
    }
}

static int setup(void **state) {
    lock = 0;
    inside = 0;
    count = 0;
    return make_node(state);
}

static void make_lock(void *argument) {
    (void)argument;
    KeInitializeSpinLock(&lock);
}

static void a_lock_keeps_two_cpus_apart_in_every_order(void **state) {
    struct sim_chooser_random_options options = {.step_ppm = 300000};
    struct sim_chooser *chooser = sim_chooser_random_create(&options);

    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct sim_config config = {.seed = seed, .chooser = chooser};
        struct krn_node_config node_config = {.name = "host"};

        end_node(state);
        world = sim_world_create(&config);
        node = krn_node_create(world, &node_config);
        lock = 0;
        count = 0;
        in_thread(make_lock, NULL);
        krn_node_thread(node, "a", enter_and_leave, NULL);
        krn_node_thread(node, "b", enter_and_leave, NULL);
        in_thread(enter_and_leave, NULL);
        assert_int_equal(count, 300);
    }
    end_node(state);
    sim_chooser_destroy(chooser);
    make_node(state);
}

static void queued(void *argument) {
    KLOCK_QUEUE_HANDLE local;

    (void)argument;
    for (int i = 0; i < 50; i++) {
        KeAcquireInStackQueuedSpinLock(&lock, &local);
        assert_int_equal(++inside, 1);
        count++;
        KeStallExecutionProcessor(1);
        inside--;
        KeReleaseInStackQueuedSpinLock(&local);
        assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    }
}

static void a_queued_lock_keeps_its_handle_in_the_stack(void **state) {
    (void)state;
    krn_node_thread(node, "a", queued, NULL);
    in_thread(queued, NULL);
    assert_int_equal(count, 100);
}

static void acquire_twice(void *argument) {
    KIRQL old;

    (void)argument;
    KeAcquireSpinLock(&lock, &old);
    KeAcquireSpinLock(&lock, &old);
}

static void a_lock_is_not_recursive(void **state) {
    (void)state;
    expect_bugcheck(acquire_twice, NULL, "0xF", "holds host.lock[0] already");
}

static void release_free(void *argument) {
    (void)argument;
    KeInitializeSpinLock(&lock);
    KeReleaseSpinLock(&lock, PASSIVE_LEVEL);
}

static void a_free_lock_cannot_be_released(void **state) {
    (void)state;
    expect_bugcheck(release_free, NULL, "0x10", "host.lock[0] is not held");
}

static void mix_kinds(void *argument) {
    (void)argument;
    KeAcquireInStackQueuedSpinLock(&lock, &handle);
    KeReleaseSpinLock(&lock, PASSIVE_LEVEL);
}

static void a_lock_is_released_as_it_was_acquired(void **state) {
    (void)state;
    expect_bugcheck(mix_kinds, NULL, "0x10", "released the same way");
}

static void use_garbage(void *argument) {
    KIRQL old;

    (void)argument;
    lock = 0xCDCDCDCD;
    KeAcquireSpinLock(&lock, &old);
}

static void a_lock_must_be_initialised(void **state) {
    (void)state;
    expect_bugcheck(use_garbage, NULL, "0x81", "never initialised");
}

static void at_dpc_level_from_passive(void *argument) {
    (void)argument;
    KeAcquireSpinLockAtDpcLevel(&lock);
}

static void the_dpc_form_needs_dispatch(void **state) {
    (void)state;
    expect_bugcheck(at_dpc_level_from_passive, NULL, "0xC4", "needs DISPATCH");
}

static void return_with_lock(void *argument) {
    KIRQL old;

    (void)argument;
    KeAcquireSpinLock(&lock, &old);
}

static void a_thread_may_not_end_at_dispatch(void **state) {
    (void)state;
    expect_bugcheck(return_with_lock, NULL, "0xC8", "ended at DISPATCH");
}

static void free_held(void *argument) {
    PKSPIN_LOCK block = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*block), 'tseT');
    KIRQL old;

    (void)argument;
    KeInitializeSpinLock(block);
    KeAcquireSpinLock(block, &old);
    ExFreePool(block);
}

static void a_held_lock_cannot_be_freed(void **state) {
    (void)state;
    expect_bugcheck(free_held, NULL, "0xC4", "host.lock[0], which is held");
}

static void levels(void *argument) {
    KIRQL old;

    (void)argument;
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    KeRaiseIrql(APC_LEVEL, &old);
    assert_int_equal(old, PASSIVE_LEVEL);
    assert_int_equal(KeRaiseIrqlToDpcLevel(), APC_LEVEL);
    assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
    KeLowerIrql(PASSIVE_LEVEL);
    KeEnterCriticalRegion();
    assert_true(KeAreApcsDisabled());
    KeLeaveCriticalRegion();
    assert_false(KeAreApcsDisabled());
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeRaiseIrql(APC_LEVEL, &old);
}

static void irql_goes_up_with_raise_and_down_with_lower(void **state) {
    (void)state;
    expect_bugcheck(levels, NULL, "0xC4", "KeRaiseIrql was asked to go from DISPATCH to APC");
}

static void leave_nothing(void *argument) {
    (void)argument;
    KeLeaveCriticalRegion();
}

static void a_critical_region_must_be_entered_first(void **state) {
    (void)state;
    expect_bugcheck(leave_nothing, NULL, "0x1", "no critical region");
}

static void create_thread_at_dispatch(void *argument) {
    HANDLE thread;
    KIRQL old;

    (void)argument;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, NULL, NULL, NULL, make_lock, NULL);
}

static void a_call_above_its_highest_irql_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(create_thread_at_dispatch, NULL, "0xA",
                    "PsCreateSystemThread was called at DISPATCH; its highest IRQL is PASSIVE");
}

static void assert_false_thing(void *argument) {
    (void)argument;
    NT_ASSERT(1 == 2);
}

static void a_failed_assertion_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(assert_false_thing, NULL, "0x1E", "assertion failed: 1 == 2, test_ke_spin.c");
}

static void own_bugcheck(void *argument) {
    (void)argument;
    KeBugCheckEx(0xDEAD, 1, 2, 3, 4);
}

static void a_driver_may_bugcheck_itself(void **state) {
    (void)state;
    expect_bugcheck(own_bugcheck, NULL, "0xDEAD", "KeBugCheckEx");
    assert_int_equal(sim_finding_at(world, 0)->parameters[3], 4);
}

#define SPIN_TEST(name) cmocka_unit_test_setup_teardown(name, setup, end_node)

int main(void) {
    const struct CMUnitTest tests[] = {
        SPIN_TEST(a_lock_keeps_two_cpus_apart_in_every_order),
        SPIN_TEST(a_queued_lock_keeps_its_handle_in_the_stack),
        SPIN_TEST(a_lock_is_not_recursive),
        SPIN_TEST(a_free_lock_cannot_be_released),
        SPIN_TEST(a_lock_is_released_as_it_was_acquired),
        SPIN_TEST(a_lock_must_be_initialised),
        SPIN_TEST(the_dpc_form_needs_dispatch),
        SPIN_TEST(a_thread_may_not_end_at_dispatch),
        SPIN_TEST(a_held_lock_cannot_be_freed),
        SPIN_TEST(irql_goes_up_with_raise_and_down_with_lower),
        SPIN_TEST(a_critical_region_must_be_entered_first),
        SPIN_TEST(a_call_above_its_highest_irql_is_a_bugcheck),
        SPIN_TEST(a_failed_assertion_is_a_bugcheck),
        SPIN_TEST(a_driver_may_bugcheck_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
