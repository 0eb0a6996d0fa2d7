/* SPDX-License-Identifier: Apache-2.0 */
/* Cancel-safe queues: each IRP is had by one, whoever comes first. */
#include <ntddk.h>

#include "orders.h"

#define IRPS 4

static IO_CSQ queue;
static LIST_ENTRY list;
static KSPIN_LOCK lock;
static PIRP irps[IRPS];
static IO_CSQ_IRP_CONTEXT contexts[IRPS];
static LONG cancelled;
static LONG taken;

static VOID insert(PIO_CSQ csq, PIRP irp) {
    (void)csq;
    InsertTailList(&list, &irp->Tail.Overlay.ListEntry);
}

static NTSTATUS insert_ex(PIO_CSQ csq, PIRP irp, PVOID context) {
    if (context != NULL) {
        return STATUS_DEVICE_BUSY;
    }
    insert(csq, irp);
    return STATUS_SUCCESS;
}

static VOID take_out(PIO_CSQ csq, PIRP irp) {
    (void)csq;
    RemoveEntryList(&irp->Tail.Overlay.ListEntry);
}

static PIRP peek(PIO_CSQ csq, PIRP irp, PVOID context) {
    PLIST_ENTRY next = irp != NULL ? irp->Tail.Overlay.ListEntry.Flink : list.Flink;

    (void)csq;
    (void)context;
    return next != &list ? CONTAINING_RECORD(next, IRP, Tail.Overlay.ListEntry) : NULL;
}

static VOID acquire(PIO_CSQ csq, PKIRQL level) {
    (void)csq;
    KeAcquireSpinLock(&lock, level);
}

static VOID release(PIO_CSQ csq, KIRQL level) {
    (void)csq;
    KeReleaseSpinLock(&lock, level);
}

static VOID complete_cancelled(PIO_CSQ csq, PIRP irp) {
    (void)csq;
    assert_true(irp->Cancel);
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    cancelled++;
}

static void prepare(void *argument) {
    (void)argument;
    cancelled = taken = 0;
    lock = 0;
    InitializeListHead(&list);
    assert_int_equal(
        IoCsqInitialize(&queue, insert, take_out, peek, acquire, release, complete_cancelled),
        STATUS_SUCCESS);
    for (int i = 0; i < IRPS; i++) {
        irps[i] = IoAllocateIrp(1, FALSE);
        IoSetNextIrpStackLocation(irps[i]);
    }
}

static void queue_all(void) {
    for (int i = 0; i < IRPS; i++) {
        IoCsqInsertIrp(&queue, irps[i], i % 2 == 0 ? &contexts[i] : NULL);
        assert_true((IoGetCurrentIrpStackLocation(irps[i])->Control & SL_PENDING_RETURNED) != 0);
    }
}

static void prepare_full(void *argument) {
    prepare(argument);
    queue_all();
}

static void cancel_all(void *argument) {
    (void)argument;
    for (int i = 0; i < IRPS; i++) {
        (void)IoCancelIrp(irps[i]);
    }
}

static void take_all(void *argument) {
    (void)argument;
    if (IoCsqRemoveIrp(&queue, &contexts[2]) != NULL) {
        taken++;
    }
    while (IoCsqRemoveNextIrp(&queue, NULL) != NULL) {
        taken++;
    }
}

static void each_was_had_once(void) {
    assert_int_equal(cancelled + taken, IRPS);
    assert_true(IsListEmpty(&list));
    assert_null(contexts[0].Irp);
    assert_null(contexts[2].Irp);
}

static void an_irp_is_cancelled_or_taken_never_both(void **state) {
    const struct orders orders = {prepare_full, cancel_all, take_all, each_was_had_once};

    in_many_orders(state, &orders);
}

static void insert_all(void *argument) {
    (void)argument;
    queue_all();
}

static void cancelled_or_queued(void) {
    PLIST_ENTRY entry;
    LONG queued = 0;

    for (entry = list.Flink; entry != &list; entry = entry->Flink) {
        queued++;
    }
    assert_int_equal(cancelled + queued, IRPS);
    assert_int_equal(queued, 0);
}

static void a_cancellation_before_the_insertion_is_not_lost(void **state) {
    const struct orders orders = {prepare, cancel_all, insert_all, cancelled_or_queued};

    in_many_orders(state, &orders);
}

static void in_turn(void *argument) {
    prepare_full(argument);
    assert_ptr_equal(IoCsqRemoveNextIrp(&queue, NULL), irps[0]);
    assert_ptr_equal(IoCsqRemoveIrp(&queue, &contexts[2]), irps[2]);
    assert_null(IoCsqRemoveIrp(&queue, &contexts[2]));
    assert_true(IoCancelIrp(irps[1]));
    assert_int_equal(cancelled, 1);
    assert_ptr_equal(IoCsqRemoveNextIrp(&queue, NULL), irps[3]);
    assert_null(IoCsqRemoveNextIrp(&queue, NULL));
    assert_false(IoCancelIrp(irps[0]));
}

static void irps_come_in_turn_and_by_context(void **state) {
    (void)state;
    in_thread(in_turn, NULL);
}

static void refused(void *argument) {
    int no;

    prepare(argument);
    (void)IoCsqInitializeEx(&queue, insert_ex, take_out, peek, acquire, release,
                            complete_cancelled);
    assert_int_equal(IoCsqInsertIrpEx(&queue, irps[0], &contexts[0], &no), STATUS_DEVICE_BUSY);
    assert_null(contexts[0].Irp);
    assert_false(IoCancelIrp(irps[0]));
    assert_int_equal(IoCsqInsertIrpEx(&queue, irps[1], NULL, NULL), STATUS_SUCCESS);
    assert_ptr_equal(IoCsqRemoveNextIrp(&queue, NULL), irps[1]);
}

static void what_the_driver_does_not_insert_is_not_queued(void **state) {
    (void)state;
    in_thread(refused, NULL);
}

static void not_initialised(void *argument) {
    (void)argument;
    RtlZeroMemory(&queue, sizeof(queue));
    (void)IoCsqRemoveNextIrp(&queue, NULL);
}

static void a_queue_that_was_not_initialised_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(not_initialised, NULL, "0xC4", "not initialised");
}

static void wrong_context(void *argument) {
    static IO_CSQ other;

    prepare_full(argument);
    other = queue;
    (void)IoCsqRemoveIrp(&other, &contexts[0]);
}

static void a_context_of_another_queue_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(wrong_context, NULL, "0xC4", "not of this queue");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(an_irp_is_cancelled_or_taken_never_both),
        KERNEL_TEST(a_cancellation_before_the_insertion_is_not_lost),
        KERNEL_TEST(irps_come_in_turn_and_by_context),
        KERNEL_TEST(what_the_driver_does_not_insert_is_not_queued),
        KERNEL_TEST(a_queue_that_was_not_initialised_is_a_bugcheck),
        KERNEL_TEST(a_context_of_another_queue_is_a_bugcheck),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
