/* SPDX-License-Identifier: Apache-2.0 */
/* Fast mutexes and guarded mutexes: what the owner's level and regions are, and their misuse. */
#include <ntddk.h>

#include "orders.h"

static KGUARDED_MUTEX mutex;
static ULONG inside;
static ULONG count;

static void prepare(void *argument) {
    (void)argument;
    inside = 0;
    count = 0;
    KeInitializeGuardedMutex(&mutex);
}

static void enter_and_leave(void *argument) {
    LARGE_INTEGER little = {.QuadPart = -10};

    (void)argument;
    for (int i = 0; i < 20; i++) {
        KeAcquireGuardedMutex(&mutex);
        assert_int_equal(++inside, 1);
        assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
        assert_true(KeAreAllApcsDisabled());
        KeDelayExecutionThread(KernelMode, FALSE, &little);
        inside--;
        count++;
        KeReleaseGuardedMutex(&mutex);
        assert_false(KeAreAllApcsDisabled());
    }
}

static void all_entered(void) {
    assert_int_equal(count, 40);
}

static void a_guarded_mutex_keeps_threads_apart_and_lets_its_owner_wait(void **state) {
    const struct orders orders = {prepare, enter_and_leave, enter_and_leave, all_entered};

    in_many_orders(state, &orders);
}

static void try_twice(void *argument) {
    (void)argument;
    prepare(NULL);
    assert_true(KeTryToAcquireGuardedMutex(&mutex));
    assert_false(KeTryToAcquireGuardedMutex(&mutex));
    assert_true(KeAreAllApcsDisabled());
    KeReleaseGuardedMutex(&mutex);
    assert_false(KeAreAllApcsDisabled());
    KeEnterGuardedRegion();
    KeAcquireGuardedMutexUnsafe(&mutex);
    KeReleaseGuardedMutexUnsafe(&mutex);
    KeLeaveGuardedRegion();
}

static void a_try_that_fails_leaves_no_guarded_region(void **state) {
    (void)state;
    in_thread(try_twice, NULL);
}

static void acquire_twice(void *argument) {
    (void)argument;
    prepare(NULL);
    KeAcquireGuardedMutex(&mutex);
    KeAcquireGuardedMutex(&mutex);
}

static void to_acquire_a_guarded_mutex_twice_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(acquire_twice, NULL, "0xBF", "owns the fast mutex already");
}

static void unsafe_alone(void *argument) {
    (void)argument;
    prepare(NULL);
    KeAcquireGuardedMutexUnsafe(&mutex);
}

static void the_unsafe_form_needs_apcs_to_be_disabled(void **state) {
    (void)state;
    expect_bugcheck(unsafe_alone, NULL, "0xC4", "APCs are not disabled");
}

static void leave_alone(void *argument) {
    (void)argument;
    KeLeaveGuardedRegion();
}

static void to_leave_no_guarded_region_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(leave_alone, NULL, "0x1", "in no guarded region");
}

static void end_inside(void *argument) {
    (void)argument;
    KeEnterGuardedRegion();
}

static void a_thread_that_ends_in_a_guarded_region_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(end_inside, NULL, "0x20", "inside a guarded region");
}

static void at_dispatch(void *argument) {
    KIRQL old;

    (void)argument;
    prepare(NULL);
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeAcquireGuardedMutex(&mutex);
}

static void a_guarded_mutex_at_dispatch_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(at_dispatch, NULL, "0xA", "KeAcquireGuardedMutex was called at DISPATCH");
}

static void freed_while_held(void *argument) {
    PKGUARDED_MUTEX own = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*own), 'tseT');

    (void)argument;
    KeInitializeGuardedMutex(own);
    KeAcquireGuardedMutex(own);
    ExFreePoolWithTag(own, 'tseT');
}

static void to_free_a_held_mutex_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(freed_while_held, NULL, "0xC4", "is held");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(a_guarded_mutex_keeps_threads_apart_and_lets_its_owner_wait),
        KERNEL_TEST(a_try_that_fails_leaves_no_guarded_region),
        KERNEL_TEST(to_acquire_a_guarded_mutex_twice_is_a_bugcheck),
        KERNEL_TEST(the_unsafe_form_needs_apcs_to_be_disabled),
        KERNEL_TEST(to_leave_no_guarded_region_is_a_bugcheck),
        KERNEL_TEST(a_thread_that_ends_in_a_guarded_region_is_a_bugcheck),
        KERNEL_TEST(a_guarded_mutex_at_dispatch_is_a_bugcheck),
        KERNEL_TEST(to_free_a_held_mutex_is_a_bugcheck),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
