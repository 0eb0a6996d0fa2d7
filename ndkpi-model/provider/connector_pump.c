/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pump of a connector: runs its upcalls one after the other, from the adapter's deferred queue,
 * with no lock held. A second run while one is under way leaves the work to it.
 */
#include "adapter.h"

VOID ConnectorUpcall(PRNIC_CONNECTOR Connector, UCHAR Upcall) {
    Connector->Upcalls |= Upcall;
    ObjectGet(&Connector->Object, RefCallback);
    if (!DeferItem(Connector->Object.Owner, &Connector->Pump)) {
        ObjectPut(&Connector->Object, RefCallback);
    }
}

/* A local disconnect comes last; any other request comes before the event (D-20, D-21). */
static UCHAR PumpNext(PRNIC_CONNECTOR Connector) {
    UCHAR First = Connector->Disconnecting ? RNIC_UPCALL_EVENT : RNIC_UPCALL_REQUEST;
    UCHAR Upcalls = Connector->Upcalls;
    UCHAR Next;

    if (Connector->Answering != 0) {
        Upcalls &= (UCHAR)~RNIC_UPCALL_EVENT;
    }
    Next = (Upcalls & First) != 0 ? First : Upcalls;
    Connector->Upcalls &= (UCHAR)~Next;
    return Next;
}

/* Under the lock, which is let go of around the callback. */
static VOID PumpRequest(PRNIC_CONNECTOR Connector, PKLOCK_QUEUE_HANDLE Lock) {
    NTSTATUS Status = Connector->RequestStatus;
    RNIC_REQUEST Request = RequestTake(&Connector->Object.Request);
    PRNIC_QP Qp;

    KeReleaseInStackQueuedSpinLock(Lock);
    RequestCall(&Request, Status);
    KeAcquireInStackQueuedSpinLock(&Connector->Object.Owner->Cm.Lock, Lock);
    /* What arrived before the accept was complete may be seen now. */
    Qp = Connector->Qp;
    if (Qp != NULL) {
        QpReleaseReceives(Qp);
    }
}

static VOID PumpEvent(PRNIC_CONNECTOR Connector, PKLOCK_QUEUE_HANDLE Lock) {
    NDK_FN_DISCONNECT_EVENT_CALLBACK Event = Connector->Event;
    NDK_FN_DISCONNECT_EVENT_CALLBACK_EX EventEx = Connector->EventEx;
    PVOID Context = Connector->EventContext;
    BOOLEAN Tells = Connector->Object.Owner->Settings.DisconnectReasons != 0;
    ULONG Reason = Tells ? Connector->Reason : 0;

    if (!ObjectIsOpen(&Connector->Object)) {
        return;
    }
    KeReleaseInStackQueuedSpinLock(Lock);
    if (EventEx != NULL) {
        EventEx(Context, Reason);
    } else if (Event != NULL) {
        Event(Context);
    }
    KeAcquireInStackQueuedSpinLock(&Connector->Object.Owner->Cm.Lock, Lock);
    if (Connector->State == CmBreaking) {
        ConnectorToErr(Connector);
    }
}

static VOID PumpRun(PRNIC_DEFERRED Deferred) {
    PRNIC_CONNECTOR Connector = CONTAINING_RECORD(Deferred, RNIC_CONNECTOR, Pump);
    KLOCK_QUEUE_HANDLE Lock;
    UCHAR Upcall;

    KeAcquireInStackQueuedSpinLock(&Connector->Object.Owner->Cm.Lock, &Lock);
    if (!Connector->Pumping) {
        Connector->Pumping = TRUE;
        while ((Upcall = PumpNext(Connector)) != 0) {
            if (Upcall == RNIC_UPCALL_REQUEST) {
                PumpRequest(Connector, &Lock);
            } else {
                PumpEvent(Connector, &Lock);
            }
        }
        Connector->Pumping = FALSE;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    ObjectPut(&Connector->Object, RefCallback);
}

VOID ConnectorPumpInit(PRNIC_CONNECTOR Connector) {
    Connector->Pump.Run = PumpRun;
}
