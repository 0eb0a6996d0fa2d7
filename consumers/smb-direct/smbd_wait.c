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

BOOLEAN SmbdWait(PSMBD_CONNECTION Connection) {
    PAGED_CODE();
    for (;;) {
        PVOID Objects[2] = {&Connection->End, &Connection->Kick};
        ULONGLONG Left = IdleLeft(Connection);
        LARGE_INTEGER Timeout;
        NTSTATUS Status;

        Timeout.QuadPart = -(LONGLONG)Left;
        Status = KeWaitForMultipleObjects(2, Objects, WaitAny, Executive, KernelMode, FALSE,
                                          &Timeout, NULL);
        if (Status == STATUS_WAIT_0) {
            return FALSE;
        }
        if (Status == STATUS_WAIT_1) {
            return TRUE;
        }
        Left = IdleLeft(Connection);
        if (Left == 0) {
            IdleExpired(Connection);
        }
    }
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
