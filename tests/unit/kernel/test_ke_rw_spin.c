/* SPDX-License-Identifier: Apache-2.0 */
/* Spin locks with readers: who keeps whom out, and their misuse. */
#include <ntddk.h>

#include "orders.h"

static EX_SPIN_LOCK lock;
static LONG readers;
static LONG writers;
static LONG readers_most;
static LONG writes;

static void prepare(void *argument) {
    (void)argument;
    lock = 0;
    readers = writers = writes = 0;
}

static void read_often(void *argument) {
    (void)argument;
    for (int i = 0; i < 40; i++) {
        KIRQL old = ExAcquireSpinLockShared(&lock);

        assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
        readers++;
        readers_most = readers > readers_most ? readers : readers_most;
        assert_int_equal(writers, 0);
        KeStallExecutionProcessor(1);
        assert_int_equal(writers, 0);
        readers--;
        ExReleaseSpinLockShared(&lock, old);
    }
}

static void write_often(void *argument) {
    (void)argument;
    for (int i = 0; i < 40; i++) {
        KIRQL old = ExAcquireSpinLockExclusive(&lock);

        assert_int_equal(++writers, 1);
        assert_int_equal(readers, 0);
        KeStallExecutionProcessor(1);
        assert_int_equal(readers, 0);
        writers--;
        writes++;
        ExReleaseSpinLockExclusive(&lock, old);
    }
}

static void forty_writes(void) {
    assert_int_equal(writes, 40);
    assert_int_equal(lock, 0);
}

static void a_writer_is_alone_in_every_order(void **state) {
    const struct orders orders = {prepare, write_often, read_often, forty_writes};

    in_many_orders(state, &orders);
}

static void two_readers_met(void) {
    assert_int_equal(lock, 0);
}

static void readers_are_there_together(void **state) {
    const struct orders orders = {prepare, read_often, read_often, two_readers_met};

    readers_most = 0;
    in_many_orders(state, &orders);
    assert_int_equal(readers_most, 2);
}

static void tries(void *argument) {
    KIRQL old;

    (void)argument;
    prepare(NULL);
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    assert_true(ExTryAcquireSpinLockExclusiveAtDpcLevel(&lock));
    ExReleaseSpinLockExclusiveFromDpcLevel(&lock);
    assert_true(ExTryAcquireSpinLockSharedAtDpcLevel(&lock));
    assert_true(ExTryConvertSharedSpinLockExclusive(&lock));
    assert_int_equal((ULONG)lock, 0x80000000u);
    ExReleaseSpinLockExclusiveFromDpcLevel(&lock);
    ExAcquireSpinLockSharedAtDpcLevel(&lock);
    assert_int_equal(lock, 1);
    ExReleaseSpinLockSharedFromDpcLevel(&lock);
    ExAcquireSpinLockExclusiveAtDpcLevel(&lock);
    ExReleaseSpinLockExclusiveFromDpcLevel(&lock);
    KeLowerIrql(old);
    assert_int_equal(lock, 0);
}

static void a_lone_reader_becomes_the_writer(void **state) {
    (void)state;
    in_thread(tries, NULL);
}

static void twice(void *argument) {
    (void)argument;
    prepare(NULL);
    (void)ExAcquireSpinLockExclusive(&lock);
    (void)ExAcquireSpinLockShared(&lock);
}

static void a_cpu_that_acquires_twice_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(twice, NULL, "0xF", "this CPU holds");
}

static void other_way(void *argument) {
    KIRQL old;

    (void)argument;
    prepare(NULL);
    old = ExAcquireSpinLockShared(&lock);
    ExReleaseSpinLockExclusive(&lock, old);
}

static void a_reader_that_releases_as_writer_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(other_way, NULL, "0x10", "held by readers");
}

static void not_held(void *argument) {
    (void)argument;
    prepare(NULL);
    ExReleaseSpinLockShared(&lock, PASSIVE_LEVEL);
}

static void to_release_what_is_not_held_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(not_held, NULL, "0x10", "not held here");
}

static void garbage(void *argument) {
    (void)argument;
    lock = 77;
    (void)ExAcquireSpinLockShared(&lock);
}

static void memory_that_is_not_zero_is_no_lock(void **state) {
    (void)state;
    expect_bugcheck(garbage, NULL, "0x81", "never initialised");
}

static void lower_while_held(void *argument) {
    (void)argument;
    prepare(NULL);
    (void)ExAcquireSpinLockShared(&lock);
    KeLowerIrql(PASSIVE_LEVEL);
}

static void to_lower_the_irql_as_a_reader_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(lower_while_held, NULL, "0xC4", "is held");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(a_writer_is_alone_in_every_order),
        KERNEL_TEST(readers_are_there_together),
        KERNEL_TEST(a_lone_reader_becomes_the_writer),
        KERNEL_TEST(a_cpu_that_acquires_twice_is_a_bugcheck),
        KERNEL_TEST(a_reader_that_releases_as_writer_is_a_bugcheck),
        KERNEL_TEST(to_release_what_is_not_held_is_a_bugcheck),
        KERNEL_TEST(memory_that_is_not_zero_is_no_lock),
        KERNEL_TEST(to_lower_the_irql_as_a_reader_is_a_bugcheck),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
