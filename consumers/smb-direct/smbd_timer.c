/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of requests; see smbd_timer.h. */
#include "smbd_timer.h"

#define TICKS_PER_MS 10000u

static VOID TimerSet(PSMBD_TIMER Timer, ULONGLONG Ticks) {
    LARGE_INTEGER Due;

    Due.QuadPart = -(LONGLONG)Ticks;
    KeSetTimer(&Timer->Timer, Due, &Timer->Dpc);
}

VOID SmbdTimerArmLocked(PSMBD_TIMER Timer, PSMBD_CONNECTION Connection, ULONG Milliseconds) {
    ULONGLONG Ticks = (ULONGLONG)Milliseconds * TICKS_PER_MS;

    Timer->Deadline = KeQueryInterruptTime() + Ticks;
    Timer->IsArmed = TRUE;
    if (Timer->IsOut || !ExAcquireRundownProtection(&Connection->TimerUse)) {
        return;
    }
    Timer->Connection = Connection;
    Timer->IsOut = TRUE;
    TimerSet(Timer, Ticks);
}

VOID SmbdTimerStopLocked(PSMBD_TIMER Timer) {
    Timer->IsArmed = FALSE;
    if (Timer->IsOut && KeCancelTimer(&Timer->Timer)) {
        Timer->IsOut = FALSE;
        ExReleaseRundownProtection(&Timer->Connection->TimerUse);
    }
}

static VOID TimerExpired(PKDPC Dpc, PVOID Context, PVOID Argument1, PVOID Argument2) {
    PSMBD_TIMER Timer = Context;
    PSMBD_CONNECTION Connection = Timer->Connection;
    ULONGLONG Now = KeQueryInterruptTime();
    KLOCK_QUEUE_HANDLE Handle;

    UNREFERENCED_PARAMETER(Dpc);
    UNREFERENCED_PARAMETER(Argument1);
    UNREFERENCED_PARAMETER(Argument2);
    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    if (Timer->IsArmed && Timer->Deadline > Now) {
        TimerSet(Timer, Timer->Deadline - Now);
        KeReleaseInStackQueuedSpinLock(&Handle);
        return;
    }
    if (Timer->IsArmed && Connection->State == SmbdEstablished) {
        Connection->Counters.Timeouts++;
        SmbdEndLocked(Connection, STATUS_IO_TIMEOUT, "a request was not answered in time");
    }
    Timer->IsArmed = FALSE;
    Timer->IsOut = FALSE;
    KeReleaseInStackQueuedSpinLock(&Handle);
    ExReleaseRundownProtection(&Connection->TimerUse);
}

VOID SmbdTimerInit(PSMBD_TIMER Timer) {
    KeInitializeTimer(&Timer->Timer);
    KeInitializeDpc(&Timer->Dpc, TimerExpired, Timer);
}

VOID SmbdTimersWait(PSMBD_CONNECTION Connection) {
    PAGED_CODE();
    ExWaitForRundownProtectionRelease(&Connection->TimerUse);
}
