/* SPDX-License-Identifier: Apache-2.0 */
/* Remove locks: who waits for whom, and their misuse. */
#include <ntddk.h>

#include "orders.h"

static IO_REMOVE_LOCK lock;
static LONG working;
static LONG refused;
static LONG removed;

static void prepare(void *argument) {
    (void)argument;
    working = refused = removed = 0;
    IoInitializeRemoveLock(&lock, 'tseT', 0, 0);
}

static void work(void *argument) {
    LARGE_INTEGER little = {.QuadPart = -50};

    (void)argument;
    for (int i = 0; i < 10; i++) {
        NTSTATUS status = IoAcquireRemoveLock(&lock, &little);

        if (!NT_SUCCESS(status)) {
            assert_int_equal(status, STATUS_DELETE_PENDING);
            refused++;
            continue;
        }
        working++;
        KeDelayExecutionThread(KernelMode, FALSE, &little);
        assert_int_equal(removed, 0);
        working--;
        IoReleaseRemoveLock(&lock, &little);
    }
}

static void remove_it(void *argument) {
    LARGE_INTEGER some = {.QuadPart = -300};

    (void)argument;
    KeDelayExecutionThread(KernelMode, FALSE, &some);
    assert_int_equal(IoAcquireRemoveLock(&lock, &removed), STATUS_SUCCESS);
    IoReleaseRemoveLockAndWait(&lock, &removed);
    assert_int_equal(working, 0);
    removed = 1;
}

static void all_came_to_an_end(void) {
    assert_int_equal(removed, 1);
    assert_int_equal(working, 0);
    assert_true(lock.Common.Removed);
    assert_int_equal(lock.Common.IoCount, 0);
}

static void the_removal_waits_for_all_and_refuses_the_late(void **state) {
    const struct orders orders = {prepare, work, remove_it, all_came_to_an_end};

    in_many_orders(state, &orders);
    assert_true(refused > 0);
}

static void release_more(void *argument) {
    (void)argument;
    prepare(NULL);
    IoReleaseRemoveLock(&lock, NULL);
}

static void to_release_more_often_than_acquired_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(release_more, NULL, "0xC4", "more often than acquired");
}

static void other_tag(void *argument) {
    (void)argument;
    prepare(NULL);
    (void)IoAcquireRemoveLock(&lock, &working);
    IoReleaseRemoveLock(&lock, &refused);
}

static void to_release_with_another_tag_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(other_tag, NULL, "0xC4", "with a tag that nobody acquired");
}

static void freed_while_acquired(void *argument) {
    PIO_REMOVE_LOCK own = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*own), 'tseT');

    (void)argument;
    IoInitializeRemoveLock(own, 'tseT', 0, 0);
    (void)IoAcquireRemoveLock(own, own);
    ExFreePoolWithTag(own, 'tseT');
}

static void to_free_an_acquired_lock_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(freed_while_acquired, NULL, "0xC4", "is acquired");
}

static void wait_at_dispatch(void *argument) {
    KIRQL old;

    (void)argument;
    prepare(NULL);
    (void)IoAcquireRemoveLock(&lock, NULL);
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    IoReleaseRemoveLockAndWait(&lock, NULL);
}

static void to_wait_at_dispatch_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(wait_at_dispatch, NULL, "0xA", "its highest IRQL is PASSIVE");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(the_removal_waits_for_all_and_refuses_the_late),
        KERNEL_TEST(to_release_more_often_than_acquired_is_a_bugcheck),
        KERNEL_TEST(to_release_with_another_tag_is_a_bugcheck),
        KERNEL_TEST(to_free_an_acquired_lock_is_a_bugcheck),
        KERNEL_TEST(to_wait_at_dispatch_is_a_bugcheck),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
