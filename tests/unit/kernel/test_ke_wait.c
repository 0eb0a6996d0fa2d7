/* SPDX-License-Identifier: Apache-2.0 */
/* Events, semaphores, mutexes, threads, single and multiple waits, timeouts. */
#include "node.h"

#include <ntddk.h>

static char done[64];
static KEVENT event;
static KEVENT events[3];
static KSEMAPHORE semaphore;
static KMUTEX mutex;
static NTSTATUS status;
static uint64_t ended_ns;

static void note(char c) {
    size_t length = strlen(done);

    done[length] = c;
    done[length + 1] = '\0';
}

static int setup(void **state) {
    done[0] = '\0';
    return make_node(state);
}

static NTSTATUS wait_for(PVOID object, LONGLONG timeout) {
    LARGE_INTEGER limit = {.QuadPart = timeout};

    return KeWaitForSingleObject(object, Executive, KernelMode, FALSE, &limit);
}

static void waiter(void *letter) {
    KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL);
    note(*(const char *)letter);
}

static void sleep_us(LONGLONG us) {
    LARGE_INTEGER interval = {.QuadPart = -10 * us};

    KeDelayExecutionThread(KernelMode, FALSE, &interval);
}

static void make_event(void *type) {
    KeInitializeEvent(&event, *(const EVENT_TYPE *)type, FALSE);
}

static void set_event(void *argument) {
    (void)argument;
    sleep_us(1);
    assert_int_equal(KeSetEvent(&event, IO_NO_INCREMENT, FALSE), 0);
}

static void a_notification_event_lets_all_waiters_through(void **state) {
    EVENT_TYPE type = NotificationEvent;

    (void)state;
    in_thread(make_event, &type);
    krn_node_thread(node, "a", waiter, "a");
    krn_node_thread(node, "b", waiter, "b");
    in_thread(set_event, NULL);
    assert_string_equal(done, "ab");
    assert_int_equal(event.Header.SignalState, 1);
}

static void a_synchronization_event_lets_one_waiter_through(void **state) {
    EVENT_TYPE type = SynchronizationEvent;

    (void)state;
    in_thread(make_event, &type);
    krn_node_thread(node, "a", waiter, "a");
    krn_node_thread(node, "b", waiter, "b");
    in_thread(set_event, NULL);
    /* The one that came first: CPUs take turns, and b's is the one before a's. */
    assert_string_equal(done, "b");
    assert_int_equal(event.Header.SignalState, 0);
    in_thread(set_event, NULL);
    assert_string_equal(done, "ba");
}

static void timeouts(void *argument) {
    LARGE_INTEGER now;
    uint64_t start_ns = sim_now_ns(world);

    (void)argument;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    assert_int_equal(wait_for(&event, 0), STATUS_TIMEOUT);
    assert_int_equal(wait_for(&event, -50), STATUS_TIMEOUT);
    assert_in_range(sim_now_ns(world) - start_ns, 5000, 5200);
    KeQuerySystemTime(&now);
    assert_int_equal(wait_for(&event, now.QuadPart + 100), STATUS_TIMEOUT);
    assert_in_range(sim_now_ns(world) - start_ns, 15000, 15400);
    assert_int_equal(wait_for(&event, now.QuadPart - 1), STATUS_TIMEOUT);
    KeSetEvent(&event, IO_NO_INCREMENT, FALSE);
    assert_int_equal(wait_for(&event, 0), STATUS_SUCCESS);
    assert_int_equal(KeResetEvent(&event), 1);
    assert_int_equal(KeReadStateEvent(&event), 0);
}

static void timeouts_are_relative_absolute_or_none(void **state) {
    (void)state;
    in_thread(timeouts, NULL);
}

static void wait_multiple(void *type) {
    PVOID objects[] = {&events[0], &events[1], &events[2]};

    status = KeWaitForMultipleObjects(3, objects, *(const WAIT_TYPE *)type, Executive, KernelMode,
                                      FALSE, NULL, NULL);
    ended_ns = sim_now_ns(world);
}

static void make_events(void *argument) {
    (void)argument;
    for (int i = 0; i < 3; i++) {
        KeInitializeEvent(&events[i], SynchronizationEvent, FALSE);
    }
}

static void set_in_turn(void *argument) {
    (void)argument;
    for (int i = 2; i >= 0; i--) {
        sleep_us(10);
        KeSetEvent(&events[i], IO_NO_INCREMENT, FALSE);
    }
}

static void a_wait_for_any_answers_the_index(void **state) {
    WAIT_TYPE type = WaitAny;

    (void)state;
    in_thread(make_events, NULL);
    krn_node_thread(node, "any", wait_multiple, &type);
    in_thread(set_in_turn, NULL);
    assert_int_equal(status, STATUS_WAIT_0 + 2);
    assert_int_equal(events[2].Header.SignalState, 0);
    assert_int_equal(events[1].Header.SignalState, 1);
}

static void a_wait_for_all_takes_nothing_before_it_can_take_all(void **state) {
    WAIT_TYPE type = WaitAll;

    (void)state;
    in_thread(make_events, NULL);
    krn_node_thread(node, "all", wait_multiple, &type);
    in_thread(set_in_turn, NULL);
    assert_int_equal(status, STATUS_WAIT_0);
    assert_true(ended_ns >= 30000);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(events[i].Header.SignalState, 0);
    }
}

static void four_objects(void *with_blocks) {
    KWAIT_BLOCK blocks[4];
    PVOID objects[] = {&events[0], &events[1], &events[2], &event};
    LARGE_INTEGER none = {.QuadPart = 0};

    make_events(NULL);
    KeInitializeEvent(&event, NotificationEvent, TRUE);
    status = KeWaitForMultipleObjects(4, objects, WaitAny, Executive, KernelMode, FALSE, &none,
                                      with_blocks != NULL ? blocks : NULL);
}

static void four_objects_need_wait_blocks(void **state) {
    (void)state;
    in_thread(four_objects, "yes");
    assert_int_equal(status, STATUS_WAIT_0 + 3);
    expect_bugcheck(four_objects, NULL, "0xC", "wait blocks");
}

static void count_semaphore(void *argument) {
    (void)argument;
    KeInitializeSemaphore(&semaphore, 2, 3);
    assert_int_equal(wait_for(&semaphore, 0), STATUS_SUCCESS);
    assert_int_equal(wait_for(&semaphore, 0), STATUS_SUCCESS);
    assert_int_equal(wait_for(&semaphore, 0), STATUS_TIMEOUT);
    assert_int_equal(KeReleaseSemaphore(&semaphore, 0, 3, FALSE), 0);
    assert_int_equal(KeReadStateSemaphore(&semaphore), 3);
    KeReleaseSemaphore(&semaphore, 0, 1, FALSE);
}

static void a_semaphore_counts_up_to_its_limit(void **state) {
    (void)state;
    expect_bugcheck(count_semaphore, NULL, "0x1E", "limit");
}

static void own_twice(void *argument) {
    (void)argument;
    KeInitializeMutex(&mutex, 0);
    assert_int_equal(wait_for(&mutex, 0), STATUS_SUCCESS);
    assert_int_equal(wait_for(&mutex, 0), STATUS_SUCCESS);
    assert_int_equal(KeReadStateMutex(&mutex), -1);
    note('o');
    sleep_us(10);
    KeReleaseMutex(&mutex, FALSE);
    note('r');
    KeReleaseMutex(&mutex, FALSE);
}

static void own_after(void *argument) {
    (void)argument;
    sleep_us(5);
    KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, NULL);
    note('m');
    KeReleaseMutex(&mutex, FALSE);
}

static void a_mutex_belongs_to_a_thread_and_counts(void **state) {
    (void)state;
    krn_node_thread(node, "first", own_twice, NULL);
    in_thread(own_after, NULL);
    assert_string_equal(done, "orm");
}

static void release_unowned(void *argument) {
    (void)argument;
    KeInitializeMutex(&mutex, 0);
    KeReleaseMutex(&mutex, FALSE);
}

static void a_mutex_of_nobody_cannot_be_released(void **state) {
    (void)state;
    expect_bugcheck(release_unowned, NULL, "0x11", "does not own");
}

static void end_with_mutex(void *argument) {
    (void)argument;
    KeInitializeMutex(&mutex, 0);
    wait_for(&mutex, 0);
}

static void a_thread_may_not_end_with_a_mutex(void **state) {
    (void)state;
    expect_bugcheck(end_with_mutex, NULL, "0x20", "owns host.mutex[0]");
}

static void wait_at_dispatch(void *argument) {
    KIRQL old;

    (void)argument;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    assert_int_equal(wait_for(&event, 0), STATUS_TIMEOUT);
    wait_for(&event, -1);
}

static void a_wait_at_dispatch_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(wait_at_dispatch, NULL, "0xC4", "would wait at DISPATCH");
    assert_int_equal(sim_finding_at(world, 0)->parameters[0], 0x3B);
}

static void use_uninitialised(void *argument) {
    KEVENT blank;

    (void)argument;
    memset(&blank, 0, sizeof(blank));
    KeSetEvent(&blank, IO_NO_INCREMENT, FALSE);
}

static void an_event_must_be_initialised(void **state) {
    (void)state;
    expect_bugcheck(use_uninitialised, NULL, "0xA", "is no initialised event");
}

static PKEVENT lost;

__attribute__((noinline)) static void keep(volatile uintptr_t address) {
    lost = (PKEVENT)address;
}

__attribute__((noinline)) static void leave_event_behind(void) {
    KEVENT local;

    KeInitializeEvent(&local, NotificationEvent, FALSE);
    keep((uintptr_t)&local);
}

static void use_dead_frame(void *argument) {
    (void)argument;
    leave_event_behind();
    KeSetEvent(lost, IO_NO_INCREMENT, FALSE);
}

static void an_event_in_a_dead_frame_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(use_dead_frame, NULL, "0xC3", "dead stack frame of host.test[0]");
}

static void use_freed(void *argument) {
    PKEVENT block = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(KEVENT), 'tseT');

    (void)argument;
    KeInitializeEvent(block, NotificationEvent, FALSE);
    ExFreePool(block);
    KeSetEvent(block, IO_NO_INCREMENT, FALSE);
}

static void an_event_in_freed_pool_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(use_freed, NULL, "0xD5", "pool#1+0x0, tag Test, 24 bytes, freed");
    assert_int_equal(sim_finding_at(world, 0)->site_count, 3);
}

static void free_with_waiter(void *argument) {
    PKEVENT block = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(KEVENT), 'tseT');

    (void)argument;
    KeInitializeEvent(block, NotificationEvent, FALSE);
    lost = block;
    sleep_us(10);
    ExFreePool(block);
}

static void wait_lost(void *argument) {
    (void)argument;
    sleep_us(1);
    KeWaitForSingleObject(lost, Executive, KernelMode, FALSE, NULL);
}

static void pool_with_an_awaited_event_cannot_be_freed(void **state) {
    (void)state;
    krn_node_thread(node, "waiter", wait_lost, NULL);
    expect_bugcheck(free_with_waiter, NULL, "0xC4", "host.event[0], which somebody waits for");
}

#define WAIT_TEST(name) cmocka_unit_test_setup_teardown(name, setup, end_node)

int main(void) {
    const struct CMUnitTest tests[] = {
        WAIT_TEST(a_notification_event_lets_all_waiters_through),
        WAIT_TEST(a_synchronization_event_lets_one_waiter_through),
        WAIT_TEST(timeouts_are_relative_absolute_or_none),
        WAIT_TEST(a_wait_for_any_answers_the_index),
        WAIT_TEST(a_wait_for_all_takes_nothing_before_it_can_take_all),
        WAIT_TEST(four_objects_need_wait_blocks),
        WAIT_TEST(a_semaphore_counts_up_to_its_limit),
        WAIT_TEST(a_mutex_belongs_to_a_thread_and_counts),
        WAIT_TEST(a_mutex_of_nobody_cannot_be_released),
        WAIT_TEST(a_thread_may_not_end_with_a_mutex),
        WAIT_TEST(a_wait_at_dispatch_is_a_bugcheck),
        WAIT_TEST(an_event_must_be_initialised),
        WAIT_TEST(an_event_in_a_dead_frame_is_a_bugcheck),
        WAIT_TEST(an_event_in_freed_pool_is_a_bugcheck),
        WAIT_TEST(pool_with_an_awaited_event_cannot_be_freed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
