/* SPDX-License-Identifier: Apache-2.0 */
/* Rundown protection, work items, fast mutexes, interlocked operations and lists, system threads.
 */
#include <ntddk.h>

#include "node.h"

static EX_RUNDOWN_REF rundown;
static FAST_MUTEX mutex;
static WORK_QUEUE_ITEM items[8];
static KEVENT event;
static int runs;
static char done[64];

static int setup(void **state) {
    runs = 0;
    done[0] = '\0';
    return make_node(state);
}

static void note(char c) {
    size_t length = strlen(done);

    done[length] = c;
    done[length + 1] = '\0';
}

static void sleep_us(LONGLONG us) {
    LARGE_INTEGER interval = {.QuadPart = -10 * us};

    KeDelayExecutionThread(KernelMode, FALSE, &interval);
}

static void hold_rundown(void *argument) {
    (void)argument;
    assert_true(ExAcquireRundownProtection(&rundown));
    sleep_us(100);
    assert_false(ExAcquireRundownProtectionEx(&rundown, 2));
    note('r');
    ExReleaseRundownProtection(&rundown);
}

static void wait_rundown(void *argument) {
    (void)argument;
    ExInitializeRundownProtection(&rundown);
    krn_node_thread(node, "holder", hold_rundown, NULL);
    sleep_us(10);
    ExWaitForRundownProtectionRelease(&rundown);
    note('w');
    assert_false(ExAcquireRundownProtection(&rundown));
    ExReInitializeRundownProtection(&rundown);
    assert_true(ExAcquireRundownProtection(&rundown));
}

static void a_rundown_waits_for_its_references(void **state) {
    (void)state;
    in_thread(wait_rundown, NULL);
    assert_string_equal(done, "rw");
}

static void release_too_often(void *argument) {
    (void)argument;
    ExInitializeRundownProtection(&rundown);
    ExReleaseRundownProtection(&rundown);
}

static void a_rundown_reference_is_released_once(void **state) {
    (void)state;
    expect_bugcheck(release_too_often, NULL, "0x18", "more rundown references");
}

static WORKER_THREAD_ROUTINE count_run;
static void count_run(PVOID parameter) {
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    runs++;
    if (parameter != NULL) {
        KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL);
    }
}

static void queue_many(void *argument) {
    (void)argument;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    for (int i = 0; i < 8; i++) {
        ExInitializeWorkItem(&items[i], count_run, &event);
        ExQueueWorkItem(&items[i], DelayedWorkQueue);
    }
    sleep_us(1000);
    /* Four workers wait; the rest of the items waits for them. */
    assert_int_equal(runs, 4);
    KeSetEvent(&event, IO_NO_INCREMENT, FALSE);
}

static void workers_are_bounded(void **state) {
    (void)state;
    in_thread(queue_many, NULL);
    assert_int_equal(runs, 8);
}

static WORKER_THREAD_ROUTINE wait_for_next;
static void wait_for_next(PVOID parameter) {
    (void)parameter;
    ExInitializeWorkItem(&items[1], count_run, NULL);
    ExQueueWorkItem(&items[1], DelayedWorkQueue);
    while (runs == 0) {
        sleep_us(10);
    }
    note('n');
}

static void queue_nested(void *argument) {
    (void)argument;
    ExInitializeWorkItem(&items[0], wait_for_next, NULL);
    ExQueueWorkItem(&items[0], DelayedWorkQueue);
}

static void a_work_item_may_wait_for_another(void **state) {
    (void)state;
    in_thread(queue_nested, NULL);
    in_thread(queue_nested, NULL);
    assert_string_equal(done, "nn");
}

static void queue_twice(void *argument) {
    (void)argument;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    for (int i = 0; i < 4; i++) {
        ExInitializeWorkItem(&items[i], count_run, &event);
        ExQueueWorkItem(&items[i], DelayedWorkQueue);
    }
    sleep_us(100);
    ExInitializeWorkItem(&items[5], count_run, NULL);
    ExQueueWorkItem(&items[5], DelayedWorkQueue);
    ExQueueWorkItem(&items[5], DelayedWorkQueue);
}

static void a_queued_item_cannot_be_queued_again(void **state) {
    (void)state;
    expect_bugcheck(queue_twice, NULL, "0x96", "is queued");
}

static void own_mutex(void *letter) {
    ExAcquireFastMutex(&mutex);
    assert_int_equal(KeGetCurrentIrql(), APC_LEVEL);
    note(*(const char *)letter);
    sleep_us(10);
    note(*(const char *)letter);
    ExReleaseFastMutex(&mutex);
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
}

static void make_mutex(void *argument) {
    (void)argument;
    ExInitializeFastMutex(&mutex);
}

static void fast_mutexes_exclude_and_go_in_turn(void **state) {
    (void)state;
    in_thread(make_mutex, NULL);
    krn_node_thread(node, "a", own_mutex, "a");
    krn_node_thread(node, "b", own_mutex, "b");
    in_thread(own_mutex, "c");
    assert_int_equal(strlen(done), 6);
    for (int i = 0; i < 6; i += 2) {
        assert_int_equal(done[i], done[i + 1]);
    }
}

static void own_mutex_twice(void *argument) {
    make_mutex(argument);
    ExAcquireFastMutex(&mutex);
    ExAcquireFastMutex(&mutex);
}

static void a_fast_mutex_is_not_recursive(void **state) {
    (void)state;
    expect_bugcheck(own_mutex_twice, NULL, "0xBF", "owns the fast mutex already");
}

static void release_free_mutex(void *argument) {
    make_mutex(argument);
    ExReleaseFastMutexUnsafe(&mutex);
}

static void a_fast_mutex_is_released_by_its_owner(void **state) {
    (void)state;
    expect_bugcheck(release_free_mutex, NULL, "0xE3", "does not own the fast mutex");
}

static void operations(void *argument) {
    LONG volatile value = 5;
    LONG64 volatile wide = 1;
    SHORT volatile narrow = -1;
    PVOID volatile pointer = NULL;
    SLIST_HEADER head;
    SLIST_ENTRY entries[2];

    (void)argument;
    assert_int_equal(InterlockedIncrement(&value), 6);
    assert_int_equal(InterlockedDecrement(&value), 5);
    assert_int_equal(InterlockedExchange(&value, 7), 5);
    assert_int_equal(InterlockedExchangeAdd(&value, 3), 7);
    assert_int_equal(InterlockedAdd(&value, 1), 11);
    assert_int_equal(InterlockedCompareExchange(&value, 1, 10), 11);
    assert_int_equal(InterlockedCompareExchange(&value, 1, 11), 11);
    assert_int_equal(InterlockedOr(&value, 6), 1);
    assert_int_equal(InterlockedAnd(&value, 3), 7);
    assert_int_equal(InterlockedXor(&value, 1), 3);
    assert_int_equal(value, 2);
    assert_int_equal(InterlockedIncrement64(&wide), 2);
    assert_int_equal(InterlockedIncrement16(&narrow), 0);
    assert_false(InterlockedBitTestAndSet(&value, 4));
    assert_true(InterlockedBitTestAndReset(&value, 4));
    assert_null(InterlockedCompareExchangePointer(&pointer, &head, NULL));
    assert_ptr_equal(InterlockedExchangePointer(&pointer, NULL), &head);
    InitializeSListHead(&head);
    assert_null(InterlockedPushEntrySList(&head, &entries[0]));
    assert_ptr_equal(InterlockedPushEntrySList(&head, &entries[1]), &entries[0]);
    assert_int_equal(ExQueryDepthSList(&head), 2);
    assert_ptr_equal(InterlockedPopEntrySList(&head), &entries[1]);
    assert_ptr_equal(InterlockedFlushSList(&head), &entries[0]);
    assert_int_equal(ExQueryDepthSList(&head), 0);
}

static void interlocked_operations_work(void **state) {
    (void)state;
    in_thread(operations, NULL);
}

static KSTART_ROUTINE end_with_seven;
static void end_with_seven(PVOID context) {
    (void)context;
    sleep_us(10);
    PsTerminateSystemThread(7);
}

static void join(void *argument) {
    HANDLE handle;
    PETHREAD thread;

    (void)argument;
    assert_int_equal(
        PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, end_with_seven, NULL),
        STATUS_SUCCESS);
    assert_int_equal(
        ObReferenceObjectByHandle(handle, 0, *PsThreadType, KernelMode, (PVOID *)&thread, NULL),
        STATUS_SUCCESS);
    assert_int_equal(
        ObReferenceObjectByHandle(handle, 0, *IoFileObjectType, KernelMode, (PVOID *)&event, NULL),
        STATUS_OBJECT_TYPE_MISMATCH);
    ZwClose(handle);
    KeWaitForSingleObject(thread, Executive, KernelMode, FALSE, NULL);
    KeWaitForSingleObject(thread, Executive, KernelMode, FALSE, NULL);
    ObDereferenceObject(thread);
    ZwClose(handle);
}

static void a_thread_can_be_waited_for_and_a_handle_closed_once(void **state) {
    (void)state;
    expect_bugcheck(join, NULL, "0xC4", "the handle is not open");
}

#define EX_TEST(name) cmocka_unit_test_setup_teardown(name, setup, end_node)

int main(void) {
    const struct CMUnitTest tests[] = {
        EX_TEST(a_rundown_waits_for_its_references),
        EX_TEST(a_rundown_reference_is_released_once),
        EX_TEST(workers_are_bounded),
        EX_TEST(a_work_item_may_wait_for_another),
        EX_TEST(a_queued_item_cannot_be_queued_again),
        EX_TEST(fast_mutexes_exclude_and_go_in_turn),
        EX_TEST(a_fast_mutex_is_not_recursive),
        EX_TEST(a_fast_mutex_is_released_by_its_owner),
        EX_TEST(interlocked_operations_work),
        EX_TEST(a_thread_can_be_waited_for_and_a_handle_closed_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
