/* SPDX-License-Identifier: Apache-2.0 */
/* The pending request of a connector, and the QP it is tied to; see connector.h. */
#include "adapter.h"

BOOLEAN ConnectorIsBusy(const RNIC_CONNECTOR *Connector) {
    return Connector->Object.Request.Object != NULL;
}

VOID ConnectorBegin(PRNIC_CONNECTOR Connector, RNIC_SHAPE Shape,
                    NDK_FN_REQUEST_COMPLETION Completion, PVOID Context) {
    RequestBegin(&Connector->Object.Request, &Connector->Object, Shape, Completion, Context);
    Connector->Starting = Shape != ShapePending;
    Connector->Settled = FALSE;
}

VOID ConnectorSettle(PRNIC_CONNECTOR Connector, NTSTATUS Status) {
    NT_ASSERT(ConnectorIsBusy(Connector));
    Connector->RequestStatus = Status;
    if (Connector->Starting) {
        Connector->Settled = TRUE;
    } else {
        ConnectorUpcall(Connector, RNIC_UPCALL_REQUEST);
    }
}

NTSTATUS ConnectorAnswer(PRNIC_CONNECTOR Connector, PKLOCK_QUEUE_HANDLE Lock) {
    BOOLEAN Settled = Connector->Starting && Connector->Settled;
    NTSTATUS Status = Connector->RequestStatus;

    Connector->Starting = FALSE;
    KeReleaseInStackQueuedSpinLock(Lock);
    /* Unsettled: the pump ends it, and may have done so by now. */
    return Settled ? RequestAnswer(&Connector->Object.Request, Status) : STATUS_PENDING;
}

NTSTATUS ConnectorTie(PRNIC_CONNECTOR Connector, PRNIC_QP Qp) {
    if (Qp->Pd->Open != Connector->Open) {
        return STATUS_INVALID_PARAMETER;
    }
    if (Qp->Connector == Connector) {
        return Qp->Phase == QpUnconnected ? STATUS_SUCCESS : STATUS_INVALID_DEVICE_STATE;
    }
    if (Qp->Connector != NULL) {
        return STATUS_CONNECTION_ACTIVE;
    }
    if (Qp->Phase != QpUnconnected || Qp->Silent || !ObjectIsOpen(&Qp->Object)) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    ConnectorUntie(Connector);
    ObjectGet(&Qp->Object, RefSuccessor);
    Qp->Connector = Connector;
    Connector->Qp = Qp;
    return STATUS_SUCCESS;
}

VOID ConnectorUntie(PRNIC_CONNECTOR Connector) {
    PRNIC_QP Qp = Connector->Qp;

    if (Qp != NULL) {
        Connector->Qp = NULL;
        Qp->Connector = NULL;
        ObjectPut(&Qp->Object, RefSuccessor);
    }
}
