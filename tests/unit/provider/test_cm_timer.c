/* SPDX-License-Identifier: Apache-2.0 */
/* Timers of the connection manager: order, cancelling, the kernel timer behind them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cm_timer.c"

#define TIMERS 8

static RNIC_ADAPTER adapter;
static RNIC_CM_TIMER timers[TIMERS];
static ULONG64 now;
static LONGLONG kernel_due; /* of the kernel timer, relative */
static unsigned fired[TIMERS];
static unsigned fired_count;

ULONGLONG NTAPI KeQueryInterruptTime(VOID) {
    return now;
}

BOOLEAN NTAPI KeSetTimer(PKTIMER Timer, LARGE_INTEGER DueTime, PKDPC Dpc) {
    (void)Timer;
    (void)Dpc;
    kernel_due = DueTime.QuadPart;
    return FALSE;
}

VOID NTAPI KeInitializeTimer(PKTIMER Timer) {
    (void)Timer;
}

VOID NTAPI KeInitializeDpc(PRKDPC Dpc, PKDEFERRED_ROUTINE Routine, PVOID Context) {
    (void)Dpc;
    (void)Routine;
    (void)Context;
}

VOID NTAPI KeAcquireInStackQueuedSpinLock(PKSPIN_LOCK Lock, PKLOCK_QUEUE_HANDLE Handle) {
    (void)Lock;
    (void)Handle;
}

VOID NTAPI KeReleaseInStackQueuedSpinLock(PKLOCK_QUEUE_HANDLE Handle) {
    (void)Handle;
}

static VOID expired(PRNIC_CM_TIMER timer) {
    fired[fired_count++] = (unsigned)(timer - timers);
}

static int make(void **state) {
    (void)state;
    memset(&adapter, 0, sizeof(adapter));
    memset(timers, 0, sizeof(timers));
    CmTimersInit(&adapter);
    for (unsigned i = 0; i < TIMERS; i++)
        timers[i].Expired = expired;
    now = 1000;
    kernel_due = 0;
    fired_count = 0;
    return 0;
}

static void at(ULONG64 time) {
    now = time;
    TimerDpcRoutine(NULL, &adapter, NULL, NULL);
}

static void timers_fire_by_due_time_and_then_by_age(void **state) {
    (void)state;
    const ULONG64 after[TIMERS] = {500, 100, 900, 100, 300, 900, 5, 400};
    const unsigned order[TIMERS] = {6, 1, 3, 4, 7, 0, 2, 5};
    for (unsigned i = 0; i < TIMERS; i++)
        CmTimerSet(&adapter, &timers[i], after[i]);
    at(5000);
    assert_int_equal(fired_count, TIMERS);
    assert_memory_equal(fired, order, sizeof order);
}

static void the_kernel_timer_follows_the_nearest(void **state) {
    (void)state;
    CmTimerSet(&adapter, &timers[0], 500);
    assert_int_equal(kernel_due, -500);
    CmTimerSet(&adapter, &timers[1], 900);
    assert_int_equal(kernel_due, -500);
    CmTimerSet(&adapter, &timers[2], 100);
    assert_int_equal(kernel_due, -100);
    at(1100);
    assert_int_equal(fired_count, 1);
    assert_int_equal(kernel_due, -400);
}

static void a_cancelled_timer_does_not_fire(void **state) {
    (void)state;
    CmTimerSet(&adapter, &timers[0], 100);
    CmTimerSet(&adapter, &timers[1], 200);
    CmTimerCancel(&timers[0]);
    CmTimerCancel(&timers[0]);
    at(1250);
    assert_int_equal(fired_count, 1);
    assert_int_equal(fired[0], 1);
}

static void setting_again_moves_a_timer(void **state) {
    (void)state;
    CmTimerSet(&adapter, &timers[0], 100);
    CmTimerSet(&adapter, &timers[0], 1000);
    at(1500);
    assert_int_equal(fired_count, 0);
    at(2000);
    assert_int_equal(fired_count, 1);
}

static void a_timeout_code_is_a_power_of_two(void **state) {
    (void)state;
    assert_true(CmTimeoutOf(0) == 40);
    assert_true(CmTimeoutOf(20) == 42949672);
    assert_true(CmTimeoutOf(24) == 687194767);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(timers_fire_by_due_time_and_then_by_age, make),
        cmocka_unit_test_setup(the_kernel_timer_follows_the_nearest, make),
        cmocka_unit_test_setup(a_cancelled_timer_does_not_fire, make),
        cmocka_unit_test_setup(setting_again_moves_a_timer, make),
        cmocka_unit_test_setup(a_timeout_code_is_a_power_of_two, make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
