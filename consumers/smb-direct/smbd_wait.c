/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a connection's thread waits for. The idle timer is the wait's own limit: each receive moves
 * the deadline, so that nothing is paid per message. PASSIVE_LEVEL.
 *
 *   quiet for IdleMs -> ask for a response (flag 1) -> nothing for KeepaliveMs -> ended
 */
#include "smbd.h"

#define TICKS_PER_MS 10000u

/* Ticks until the idle timer expires; 0: it has. */
static ULONGLONG IdleLeft(PSMBD_CONNECTION Connection) {
    PSMBD_TRANSPORT Transport = Connection->Transport;
    KLOCK_QUEUE_HANDLE Handle;
    ULONGLONG Deadline;
    ULONGLONG Now;

    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    Deadline = Connection->KeepaliveOutstanding
                   ? Connection->KeepaliveSent + (ULONGLONG)Transport->KeepaliveMs * TICKS_PER_MS
                   : Connection->LastReceive + (ULONGLONG)Transport->IdleMs * TICKS_PER_MS;
    KeReleaseInStackQueuedSpinLock(&Handle);
    Now = KeQueryInterruptTime();
    return Deadline > Now ? Deadline - Now : 0;
}

static VOID IdleExpired(PSMBD_CONNECTION Connection) {
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    if (Connection->State == SmbdEstablished && Connection->KeepaliveOutstanding) {
        SmbdEndLocked(Connection, STATUS_IO_TIMEOUT, "no answer to a keepalive");
    } else if (Connection->State == SmbdEstablished) {
        /* Without a credit nothing goes out, and then nothing comes back: it ends all the same. */
        Connection->KeepaliveSent = KeQueryInterruptTime();
        Connection->KeepaliveOutstanding = TRUE;
        Connection->KeepaliveWanted = TRUE;
        SmbdPumpLocked(Connection);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
}

/* Until the end (STATUS_WAIT_0), a kick (STATUS_WAIT_1) or the limit; sees to the idle timer. */
static NTSTATUS WaitOnce(PSMBD_CONNECTION Connection, ULONGLONG LimitTicks) {
    PVOID Objects[2] = {&Connection->End, &Connection->Kick};
    LARGE_INTEGER Timeout;
    NTSTATUS Status;

    Timeout.QuadPart = -(LONGLONG)min(IdleLeft(Connection), LimitTicks);
    Status =
        KeWaitForMultipleObjects(2, Objects, WaitAny, Executive, KernelMode, FALSE, &Timeout, NULL);
    if (Status == STATUS_TIMEOUT && IdleLeft(Connection) == 0) {
        IdleExpired(Connection);
    }
    return Status;
}

BOOLEAN SmbdWait(PSMBD_CONNECTION Connection) {
    NTSTATUS Status;

    PAGED_CODE();
    do {
        Status = WaitOnce(Connection, (ULONGLONG)MAXLONGLONG);
    } while (Status == STATUS_TIMEOUT);
    return Status == STATUS_WAIT_1;
}

BOOLEAN SmbdPause(PSMBD_CONNECTION Connection, ULONG Milliseconds) {
    ULONGLONG Until = KeQueryInterruptTime() + (ULONGLONG)Milliseconds * TICKS_PER_MS;
    ULONGLONG Now;

    PAGED_CODE();
    while ((Now = KeQueryInterruptTime()) < Until) {
        if (WaitOnce(Connection, Until - Now) == STATUS_WAIT_0) {
            return FALSE;
        }
    }
    return TRUE;
}

NTSTATUS SmbdWaitEvent(PSMBD_CONNECTION Connection, PVOID Event, ULONG TimeoutMs) {
    PVOID Objects[2] = {Event, &Connection->End};
    LARGE_INTEGER Timeout;
    NTSTATUS Status;

    PAGED_CODE();
    Timeout.QuadPart = -(LONGLONG)TimeoutMs * TICKS_PER_MS;
    Status = KeWaitForMultipleObjects(2, Objects, WaitAny, Executive, KernelMode, FALSE,
                                      TimeoutMs != 0 ? &Timeout : NULL, NULL);
    return Status == STATUS_WAIT_1 ? STATUS_CANCELLED : Status;
}

BOOLEAN SmbdHasEnded(PSMBD_CONNECTION Connection) {
    return KeReadStateEvent(&Connection->End) != 0;
}

VOID SmbdDrain(PSMBD_CONNECTION Connection, BOOLEAN Receives) {
    KLOCK_QUEUE_HANDLE Handle;

    PAGED_CODE();
    if (Connection->Qp == NULL) {
        return;
    }
    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    KeClearEvent(&Connection->Drained);
    Connection->DrainReceives = Receives;
    Connection->IsDraining = TRUE;
    SmbdDrainCheckLocked(Connection);
    KeReleaseInStackQueuedSpinLock(&Handle);
    KeWaitForSingleObject(&Connection->Drained, Executive, KernelMode, FALSE, NULL);
}
