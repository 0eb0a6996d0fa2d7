/* SPDX-License-Identifier: Apache-2.0 */
/* From a device's completion entry to the consumer's result. */
#include "adapter.h"

/* What fields hold that the interface leaves undefined, so that nobody comes to rely on a value. */
#define RNIC_UNDEFINED 0xBADF00Du

static const NDK_OPERATION_TYPE TypeOfOpcode[] = {
    [RNIC_CQE_SEND] = NdkOperationTypeSend,
    [RNIC_CQE_WRITE] = NdkOperationTypeWrite,
    [RNIC_CQE_READ] = NdkOperationTypeRead,
    [RNIC_CQE_LOCAL_INV] = NdkOperationTypeInvalidate,
    [RNIC_CQE_FAST_REG] = NdkOperationTypeFastRegister,
    [RNIC_CQE_BIND_MW] = NdkOperationTypeBind,
    [RNIC_CQE_RECV] = NdkOperationTypeReceive,
    [RNIC_CQE_RECV_INV] = NdkOperationTypeReceiveAndInvalidate,
};

/* How a request of the send queue is called in its completion. */
static UCHAR CqeOpcodeOf(const RNIC_QUEUE *Sq, ULONG Index) {
    static const UCHAR Map[RNIC_WQE_OPCODE_COUNT] = {
        [RNIC_WQE_NOP] = RNIC_CQE_NOP,           [RNIC_WQE_SEND] = RNIC_CQE_SEND,
        [RNIC_WQE_SEND_INV] = RNIC_CQE_SEND,     [RNIC_WQE_WRITE] = RNIC_CQE_WRITE,
        [RNIC_WQE_READ] = RNIC_CQE_READ,         [RNIC_WQE_LOCAL_INV] = RNIC_CQE_LOCAL_INV,
        [RNIC_WQE_FAST_REG] = RNIC_CQE_FAST_REG, [RNIC_WQE_BIND_MW] = RNIC_CQE_BIND_MW,
    };
    const struct rnic_wqe_control *Wqe =
        (const struct rnic_wqe_control *)(Sq->Ring.Va +
                                          ((SIZE_T)(Index & Sq->Mask) << Sq->StrideLog2));

    return Map[Wqe->opcode % RNIC_WQE_OPCODE_COUNT];
}

/* Requests on memory that failed when they were executed: by what was wrong. */
static NTSTATUS MemoryStatus(const struct rnic_cqe *Entry) {
    /* To invalidate what cannot be is always the wrong state, whoever it belongs to (B-33). */
    if (Entry->opcode != RNIC_CQE_FAST_REG && Entry->opcode != RNIC_CQE_BIND_MW) {
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    switch (Entry->syndrome) {
    case RNIC_SYNDROME_KEY_BOUNDS:
    case RNIC_SYNDROME_KEY_RIGHTS:
    case RNIC_SYNDROME_KEY_PD:
        return STATUS_ACCESS_VIOLATION;
    default:
        return STATUS_INVALID_DEVICE_REQUEST;
    }
}

static NTSTATUS CqeStatus(const struct rnic_cqe *Entry) {
    switch (Entry->status) {
    case RNIC_CQE_OK:
        return STATUS_SUCCESS;
    case RNIC_CQE_FLUSHED:
        return STATUS_CANCELLED;
    case RNIC_CQE_LOCAL_LENGTH:
        return RNIC_CQE_IS_RECEIVE(Entry->opcode) ? STATUS_BUFFER_OVERFLOW : STATUS_DATA_OVERRUN;
    case RNIC_CQE_LOCAL_OPERATION:
    case RNIC_CQE_MEMORY_OPERATION:
        return MemoryStatus(Entry);
    case RNIC_CQE_LOCAL_PROTECTION:
        return STATUS_ACCESS_VIOLATION;
    case RNIC_CQE_REMOTE_INVALID:
    case RNIC_CQE_REMOTE_ACCESS:
    case RNIC_CQE_REMOTE_OPERATION:
    case RNIC_CQE_RNR_EXCEEDED:
        return STATUS_REMOTE_RESOURCES;
    case RNIC_CQE_RETRY_EXCEEDED:
        return STATUS_IO_TIMEOUT;
    case RNIC_CQE_BAD_RESPONSE:
        return STATUS_CONNECTION_ABORTED;
    default:
        return STATUS_INTERNAL_ERROR;
    }
}

/* What a completion means for windows: ours that entries named, and those that a peer named. */
static VOID QpResolveWindows(PRNIC_QP Qp, const struct rnic_cqe *Entry) {
    RNIC_WINDOW_OUTCOME Outcome = WindowRefused;

    if (Entry->opcode == RNIC_CQE_RECV_INV) {
        WindowsInvalidated(Qp->Object.Owner, Entry->key);
    }
    if (RNIC_CQE_IS_RECEIVE(Entry->opcode)) {
        return;
    }
    if (Entry->status == RNIC_CQE_OK) {
        Outcome = WindowDone;
    } else if (Entry->status == RNIC_CQE_FLUSHED) {
        Outcome = WindowCancelled;
    }
    WindowsSettle(Qp, Entry->wqe_index, Outcome);
}

/* Without RNR NAKs a send that finds no receive ends the stream (B-19). */
static NTSTATUS QpCqeStatus(PRNIC_QP Qp, const struct rnic_cqe *Entry) {
    if (Entry->status == RNIC_CQE_RNR_EXCEEDED && AdapterIsIwarp(Qp->Object.Owner)) {
        return STATUS_CONNECTION_ABORTED;
    }
    return CqeStatus(Entry);
}

/* The oldest initiator request that an abort hits tells of it; the rest are cancelled. */
static NTSTATUS QpResultStatus(PRNIC_QP Qp, const struct rnic_cqe *Entry) {
    PRNIC_QUEUE Queue = RNIC_CQE_IS_RECEIVE(Entry->opcode) ? &Qp->Rq : &Qp->Sq;
    NTSTATUS Status = QpCqeStatus(Qp, Entry);

    if (Queue->PlannedStatus != STATUS_SUCCESS && Entry->wqe_index == Queue->PlannedIndex &&
        Entry->status == RNIC_CQE_LOCAL_OPERATION) {
        return Queue->PlannedStatus;
    }

    if (RNIC_CQE_IS_RECEIVE(Entry->opcode) && Qp->Srq != NULL &&
        Entry->status == RNIC_CQE_LOCAL_OPERATION &&
        SrqSlotPlanned(Qp->Srq, (ULONG)Entry->tag) != STATUS_SUCCESS) {
        return SrqSlotPlanned(Qp->Srq, (ULONG)Entry->tag);
    }

    if (Status == STATUS_CANCELLED && !RNIC_CQE_IS_RECEIVE(Entry->opcode) &&
        Qp->AbortStatus != STATUS_SUCCESS) {
        Status = Qp->AbortStatus;
        Qp->AbortStatus = STATUS_SUCCESS;
    }
    return Status;
}

static PVOID QpContextOf(PRNIC_QP Qp, const struct rnic_cqe *Entry) {
    PRNIC_QUEUE Queue = RNIC_CQE_IS_RECEIVE(Entry->opcode) ? &Qp->Rq : &Qp->Sq;

    if (Queue == &Qp->Rq && Qp->Srq != NULL) {
        return SrqSlotContext(Qp->Srq, (ULONG)Entry->tag);
    }
    return Queue->Contexts[Entry->wqe_index & Queue->Mask];
}

/* The request's place in its queue may be used again. */
static VOID QpSlotFree(PRNIC_QP Qp, const RNIC_RESOLVED *Entry) {
    if (!Entry->Receive) {
        Qp->Sq.Freed = Entry->WqeIndex + 1;
    } else if (Qp->Srq != NULL) {
        SrqSlotFree(Qp->Srq, Entry->WqeIndex);
    } else {
        Qp->Rq.Freed = Entry->WqeIndex + 1;
    }
}

VOID QpResolve(PRNIC_QP Qp, struct rnic_cqe *Entry) {
    struct rnic_cqe From = *Entry;
    PRNIC_RESOLVED To = (PRNIC_RESOLVED)Entry;
    BOOLEAN Receive = RNIC_CQE_IS_RECEIVE(From.opcode);
    NTSTATUS Status;

    /* A device that could not read the request does not know what it was. */
    if (!Receive && From.status != RNIC_CQE_OK) {
        From.opcode = CqeOpcodeOf(&Qp->Sq, From.wqe_index);
    }
    Status = QpResultStatus(Qp, &From);
    QpResolveWindows(Qp, &From);
    To->Result.Status = Status;
    To->Result.BytesTransferred = RNIC_UNDEFINED;
    if (Receive) {
        To->Result.BytesTransferred = NT_SUCCESS(Status) ? From.byte_count : 0;
    }
    To->Result.QPContext = Qp->Context;
    To->Result.RequestContext = QpContextOf(Qp, &From);
    To->Result.Type = TypeOfOpcode[From.opcode];
    To->Result.ProviderErrorCode =
        Status == STATUS_SUCCESS ? 0 : (ULONG)From.status << 8 | From.syndrome;
    To->Result.TypeSpecificCompletionOutput =
        From.opcode == RNIC_CQE_RECV_INV ? From.key : RNIC_UNDEFINED;
    To->Qpn = From.qpn;
    To->WqeIndex = Receive && Qp->Srq != NULL ? (ULONG)From.tag : From.wqe_index;
    To->Receive = Receive;
    To->Solicits = (From.flags & RNIC_CQE_FLAG_SOLICITED) != 0 || From.status != RNIC_CQE_OK;
    (Receive ? &Qp->Rq : &Qp->Sq)->Completed = From.wqe_index + 1;
    if (Receive && Qp->Object.Owner->Settings.StrictSlots == 0) {
        QpSlotFree(Qp, To);
    }
}

VOID QpRetrieved(PRNIC_CQ Cq, const RNIC_RESOLVED *Entry) {
    PRNIC_QP Qp = CqFindQp(Cq, Entry->Qpn);

    if (Qp != NULL) {
        QpSlotFree(Qp, Entry);
    }
}
