/* SPDX-License-Identifier: Apache-2.0 */
/* Timers, DPCs, processors, clocks. */
#include "node.h"

#include <ntddk.h>

static KTIMER timer;
static KDPC dpc;
static KEVENT event;
static int runs;
static uint64_t run_ns[8];
static ULONG run_cpu;

static KDEFERRED_ROUTINE on_dpc;
static void on_dpc(PKDPC which, PVOID context, PVOID one, PVOID other) {
    assert_ptr_equal(which, &dpc);
    assert_string_equal(context, "context");
    (void)one;
    (void)other;
    assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
    run_ns[runs++] = sim_now_ns(world);
    run_cpu = KeGetCurrentProcessorNumber();
}

static int setup(void **state) {
    runs = 0;
    return make_node(state);
}

static LARGE_INTEGER after_us(LONGLONG us) {
    LARGE_INTEGER due = {.QuadPart = -10 * us};

    return due;
}

static void once(void *argument) {
    (void)argument;
    KeInitializeDpc(&dpc, on_dpc, "context");
    KeInitializeTimer(&timer);
    assert_false(KeSetTimer(&timer, after_us(100), &dpc));
    assert_false(KeReadStateTimer(&timer));
    assert_true(KeSetTimer(&timer, after_us(200), &dpc));
    KeWaitForSingleObject(&timer, Executive, KernelMode, FALSE, NULL);
    assert_true(KeReadStateTimer(&timer));
    assert_false(KeCancelTimer(&timer));
}

static void a_timer_expires_once_at_its_last_due_time(void **state) {
    (void)state;
    in_thread(once, NULL);
    assert_int_equal(runs, 1);
    assert_in_range(run_ns[0], 200000, 201000);
}

static void periodic(void *argument) {
    LARGE_INTEGER rest = after_us(3500);

    (void)argument;
    KeInitializeDpc(&dpc, on_dpc, "context");
    KeInitializeTimerEx(&timer, SynchronizationTimer);
    KeSetTimerEx(&timer, after_us(1000), 1, &dpc);
    KeDelayExecutionThread(KernelMode, FALSE, &rest);
    assert_true(KeCancelTimer(&timer));
}

static void a_periodic_timer_expires_until_it_is_cancelled(void **state) {
    (void)state;
    in_thread(periodic, NULL);
    assert_int_equal(runs, 3);
    assert_in_range(run_ns[2], 3000000, 3001000);
}

static void queue_twice(void *argument) {
    KIRQL old;

    (void)argument;
    KeInitializeDpc(&dpc, on_dpc, "context");
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    assert_true(KeInsertQueueDpc(&dpc, NULL, NULL));
    assert_false(KeInsertQueueDpc(&dpc, NULL, NULL));
    assert_true(KeRemoveQueueDpc(&dpc));
    assert_true(KeInsertQueueDpc(&dpc, NULL, NULL));
    assert_int_equal(runs, 0);
    KeLowerIrql(old);
    assert_int_equal(runs, 1);
}

static void a_dpc_runs_once_per_queueing_when_the_level_allows(void **state) {
    (void)state;
    in_thread(queue_twice, NULL);
}

static void target(void *argument) {
    PROCESSOR_NUMBER number = {0, 1, 0};

    (void)argument;
    KeInitializeDpc(&dpc, on_dpc, "context");
    assert_int_equal(KeSetTargetProcessorDpcEx(&dpc, &number), STATUS_SUCCESS);
    KeInsertQueueDpc(&dpc, NULL, NULL);
    KeFlushQueuedDpcs();
    assert_int_equal(runs, 1);
    assert_int_equal(run_cpu, 1);
    number.Number = 2;
    assert_int_equal(KeSetTargetProcessorDpcEx(&dpc, &number), STATUS_INVALID_PARAMETER);
}

static void a_flush_waits_for_dpcs_of_all_cpus(void **state) {
    (void)state;
    in_thread(target, NULL);
}

static KDEFERRED_ROUTINE wait_in_dpc;
static void wait_in_dpc(PKDPC which, PVOID context, PVOID one, PVOID other) {
    (void)which;
    (void)context;
    (void)one;
    (void)other;
    KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL);
}

static void queue_waiting(void *argument) {
    (void)argument;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    KeInitializeDpc(&dpc, wait_in_dpc, NULL);
    KeInsertQueueDpc(&dpc, NULL, NULL);
    KeFlushQueuedDpcs();
}

static void a_dpc_may_not_wait(void **state) {
    (void)state;
    expect_bugcheck(queue_waiting, NULL, "0xB8", "inside a DPC routine");
}

static KDEFERRED_ROUTINE stall_in_dpc;
static void stall_in_dpc(PKDPC which, PVOID context, PVOID one, PVOID other) {
    (void)which;
    (void)context;
    (void)one;
    (void)other;
    for (;;) {
        KeStallExecutionProcessor(100000);
    }
}

static void queue_stalling(void *argument) {
    (void)argument;
    KeInitializeDpc(&dpc, stall_in_dpc, NULL);
    KeInsertQueueDpc(&dpc, NULL, NULL);
    KeFlushQueuedDpcs();
}

static void a_dpc_that_runs_for_seconds_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(queue_stalling, NULL, "0x133", "has run for 7");
}

static KDEFERRED_ROUTINE keep_lock_in_dpc;
static void keep_lock_in_dpc(PKDPC which, PVOID lock, PVOID one, PVOID other) {
    (void)which;
    (void)one;
    (void)other;
    KeAcquireSpinLockAtDpcLevel(lock);
}

static KSPIN_LOCK lock;

static void queue_keeping(void *argument) {
    (void)argument;
    KeInitializeSpinLock(&lock);
    KeInitializeDpc(&dpc, keep_lock_in_dpc, &lock);
    KeInsertQueueDpc(&dpc, NULL, NULL);
    KeFlushQueuedDpcs();
}

static void a_dpc_may_not_keep_a_lock(void **state) {
    (void)state;
    expect_bugcheck(queue_keeping, NULL, "0xC8", "still holds host.lock[0]");
}

static void free_timer(void *argument) {
    PKTIMER block = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*block), 'tseT');

    (void)argument;
    KeInitializeTimer(block);
    KeSetTimer(block, after_us(100), NULL);
    ExFreePool(block);
}

static void a_set_timer_cannot_be_freed(void **state) {
    (void)state;
    expect_bugcheck(free_timer, NULL, "0xC7", "host.timer[0], which is set");
}

static void reinitialise(void *argument) {
    (void)argument;
    KeInitializeTimer(&timer);
    KeSetTimer(&timer, after_us(100), NULL);
    KeInitializeTimer(&timer);
}

static void a_set_timer_cannot_be_made_again(void **state) {
    (void)state;
    expect_bugcheck(reinitialise, NULL, "0xC7", "KeInitializeTimer on host.timer[0], which is set");
}

static void clocks(void *argument) {
    LARGE_INTEGER frequency;
    LARGE_INTEGER before = KeQueryPerformanceCounter(&frequency);
    LARGE_INTEGER after;
    ULONGLONG interrupt = KeQueryInterruptTime();

    (void)argument;
    assert_int_equal(frequency.QuadPart, 10000000);
    KeStallExecutionProcessor(50);
    after = KeQueryPerformanceCounter(NULL);
    assert_int_equal(after.QuadPart - before.QuadPart, 500);
    assert_int_equal(KeQueryInterruptTime() - interrupt, 500);
    assert_int_equal(interrupt, before.QuadPart);
    KeQueryTickCount(&after);
    assert_int_equal(after.QuadPart, interrupt / KeQueryTimeIncrement());
}

static void all_clocks_follow_virtual_time(void **state) {
    (void)state;
    in_thread(clocks, NULL);
}

static void move(void *argument) {
    GROUP_AFFINITY wanted = {.Mask = 2};
    GROUP_AFFINITY old;
    KAFFINITY all;

    (void)argument;
    assert_int_equal(KeQueryActiveProcessorCount(&all), 2);
    assert_int_equal(all, 3);
    KeSetSystemGroupAffinityThread(&wanted, &old);
    assert_int_equal(old.Mask, 3);
    assert_int_equal(KeGetCurrentProcessorNumberEx(NULL), 1);
    KeRevertToUserGroupAffinityThread(&old);
    KeSetSystemAffinityThreadEx(1);
    assert_int_equal(KeGetCurrentProcessorIndex(), 0);
}

static void affinity_moves_a_thread(void **state) {
    (void)state;
    in_thread(move, NULL);
}

#define TIMER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, end_node)

int main(void) {
    const struct CMUnitTest tests[] = {
        TIMER_TEST(a_timer_expires_once_at_its_last_due_time),
        TIMER_TEST(a_periodic_timer_expires_until_it_is_cancelled),
        TIMER_TEST(a_dpc_runs_once_per_queueing_when_the_level_allows),
        TIMER_TEST(a_flush_waits_for_dpcs_of_all_cpus),
        TIMER_TEST(a_dpc_may_not_wait),
        TIMER_TEST(a_dpc_that_runs_for_seconds_is_a_bugcheck),
        TIMER_TEST(a_dpc_may_not_keep_a_lock),
        TIMER_TEST(a_set_timer_cannot_be_freed),
        TIMER_TEST(a_set_timer_cannot_be_made_again),
        TIMER_TEST(all_clocks_follow_virtual_time),
        TIMER_TEST(affinity_moves_a_thread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
