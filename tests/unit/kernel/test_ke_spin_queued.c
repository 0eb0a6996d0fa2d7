/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In-stack queued locks in pool, which are served without the frame of a call where nothing is odd:
 * two CPUs in every order, and each oddity said as it is of any other lock.
 */
#include "node.h"

#include <ntddk.h>

#define TAG 'tseT'

struct guarded {
    KSPIN_LOCK lock;
    LONG inside;
    LONG count;
};

static struct guarded *block;
static KLOCK_QUEUE_HANDLE elsewhere;

static struct guarded *make(ULONG64 flags) {
    struct guarded *made = ExAllocatePool2(flags, sizeof(*made), TAG);

    KeInitializeSpinLock(&made->lock);
    return made;
}

static void make_block(void *argument) {
    (void)argument;
    block = make(POOL_FLAG_NON_PAGED);
}

static void enter_and_leave(void *argument) {
    KLOCK_QUEUE_HANDLE handle;

    (void)argument;
    for (int i = 0; i < 50; i++) {
        KeAcquireInStackQueuedSpinLock(&block->lock, &handle);
        assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
        assert_int_equal(block->lock, 1);
        assert_int_equal(++block->inside, 1);
        KeStallExecutionProcessor(1);
        block->count++;
        block->inside--;
        KeReleaseInStackQueuedSpinLock(&handle);
        assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    }
}

static void it_keeps_two_cpus_apart_in_every_order(void **state) {
    struct sim_chooser_random_options options = {.step_ppm = 300000};
    struct sim_chooser *chooser = sim_chooser_random_create(&options);

    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct sim_config config = {.seed = seed, .chooser = chooser};
        struct krn_node_config node_config = {.name = "host"};

        end_node(state);
        world = sim_world_create(&config);
        node = krn_node_create(world, &node_config);
        in_thread(make_block, NULL);
        krn_node_thread(node, "a", enter_and_leave, NULL);
        krn_node_thread(node, "b", enter_and_leave, NULL);
        in_thread(enter_and_leave, NULL);
        assert_int_equal(block->count, 150);
    }
    end_node(state);
    sim_chooser_destroy(chooser);
    make_node(state);
}

static void one_cpu_may_take_it_again_and_again(void **state) {
    (void)state;
    in_thread(make_block, NULL);
    in_thread(enter_and_leave, NULL);
    assert_int_equal(block->count, 50);
    assert_int_equal(block->lock, 0);
}

static void acquire_twice(void *argument) {
    KLOCK_QUEUE_HANDLE first, second;

    make_block(argument);
    KeAcquireInStackQueuedSpinLock(&block->lock, &first);
    KeAcquireInStackQueuedSpinLock(&block->lock, &second);
}

static void it_is_not_recursive(void **state) {
    (void)state;
    expect_bugcheck(acquire_twice, NULL, "0xF", "KeAcquireInStackQueuedSpinLock: this CPU holds");
}

static void overwrite(void *argument) {
    KLOCK_QUEUE_HANDLE handle;

    make_block(argument);
    block->lock = 2;
    KeAcquireInStackQueuedSpinLock(&block->lock, &handle);
}

static void its_word_must_be_the_kernels(void **state) {
    (void)state;
    expect_bugcheck(overwrite, NULL, "0x81", "word was overwritten");
}

static void in_paged_pool(void *argument) {
    KLOCK_QUEUE_HANDLE handle;

    (void)argument;
    block = make(POOL_FLAG_PAGED);
    KeAcquireInStackQueuedSpinLock(&block->lock, &handle);
}

static void it_may_not_be_paged(void **state) {
    (void)state;
    expect_bugcheck(in_paged_pool, NULL, "0xC4", "paged pool");
}

static void after_free(void *argument) {
    KLOCK_QUEUE_HANDLE handle;

    make_block(argument);
    ExFreePool(block);
    KeAcquireInStackQueuedSpinLock(&block->lock, &handle);
}

static void it_may_not_be_freed(void **state) {
    (void)state;
    expect_bugcheck(after_free, NULL, "0xD5", "no live memory");
}

static void at_high_level(void *argument) {
    KLOCK_QUEUE_HANDLE handle;
    KIRQL old;

    make_block(argument);
    KeRaiseIrql(HIGH_LEVEL, &old);
    KeAcquireInStackQueuedSpinLock(&block->lock, &handle);
}

static void it_is_not_for_interrupts(void **state) {
    (void)state;
    expect_bugcheck(at_high_level, NULL, "0xA", "KeAcquireInStackQueuedSpinLock was called at");
}

static void release_above(void *argument) {
    KLOCK_QUEUE_HANDLE handle;
    KIRQL old;

    make_block(argument);
    KeAcquireInStackQueuedSpinLock(&block->lock, &handle);
    KeRaiseIrql(HIGH_LEVEL, &old);
    KeReleaseInStackQueuedSpinLock(&handle);
}

static void it_is_released_at_dispatch(void **state) {
    (void)state;
    expect_bugcheck(release_above, NULL, "0xC4", "it was held at DISPATCH");
}

static void release_twice(void *argument) {
    KLOCK_QUEUE_HANDLE handle;

    make_block(argument);
    KeAcquireInStackQueuedSpinLock(&block->lock, &handle);
    KeReleaseInStackQueuedSpinLock(&handle);
    KeReleaseInStackQueuedSpinLock(&handle);
}

static void it_is_released_once(void **state) {
    (void)state;
    expect_bugcheck(release_twice, NULL, "0x10", "is not held");
}

static void by_another_handle(void *argument) {
    KLOCK_QUEUE_HANDLE handle, other;

    make_block(argument);
    KeAcquireInStackQueuedSpinLock(&block->lock, &handle);
    other = handle;
    KeReleaseInStackQueuedSpinLock(&other);
}

static void its_handle_may_not_be_copied(void **state) {
    (void)state;
    expect_bugcheck(by_another_handle, NULL, "0x10", "released the same way");
}

/* A handle that is not in the caller's stack is served all the same. */
static void with_a_handle_elsewhere(void *argument) {
    make_block(argument);
    KeAcquireInStackQueuedSpinLock(&block->lock, &elsewhere);
    KeReleaseInStackQueuedSpinLock(&elsewhere);
    assert_int_equal(block->lock, 0);
}

static void its_handle_may_lie_elsewhere(void **state) {
    (void)state;
    in_thread(with_a_handle_elsewhere, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(it_keeps_two_cpus_apart_in_every_order),
        KERNEL_TEST(one_cpu_may_take_it_again_and_again),
        KERNEL_TEST(it_is_not_recursive),
        KERNEL_TEST(its_word_must_be_the_kernels),
        KERNEL_TEST(it_may_not_be_paged),
        KERNEL_TEST(it_may_not_be_freed),
        KERNEL_TEST(it_is_not_for_interrupts),
        KERNEL_TEST(it_is_released_at_dispatch),
        KERNEL_TEST(it_is_released_once),
        KERNEL_TEST(its_handle_may_not_be_copied),
        KERNEL_TEST(its_handle_may_lie_elsewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
