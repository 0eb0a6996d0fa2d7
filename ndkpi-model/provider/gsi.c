/* SPDX-License-Identifier: Apache-2.0 */
/* QP1 and its rings; see gsi.h. */
#include "adapter.h"

#define RNIC_GSI_QKEY 0x80010000u
#define RNIC_GSI_SQ_STRIDE_LOG2 7u
#define RNIC_GSI_RQ_STRIDE_LOG2 5u
#define RNIC_GSI_CQ_LOG2 (RNIC_GSI_RECEIVES_LOG2 + 1u)
#define RNIC_GSI_RECEIVE_BYTES 320u /* GRH and MAD, aligned */

static ULONG64 GsiReceiveAddress(const RNIC_GSI *Gsi, ULONG Index) {
    return Gsi->ReceiveBuffers.Address + (Index % RNIC_GSI_RECEIVES) * RNIC_GSI_RECEIVE_BYTES;
}

static VOID GsiPostReceive(PRNIC_ADAPTER Adapter) {
    RNIC_GSI *Gsi = &Adapter->Gsi;
    ULONG Index = Gsi->ReceiveProducer++;
    SIZE_T Offset = (SIZE_T)(Index % (1u << RNIC_GSI_RECEIVES_LOG2)) << RNIC_GSI_RQ_STRIDE_LOG2;
    struct rnic_wqe_receive *Wqe = (struct rnic_wqe_receive *)(Gsi->RqRing.Va + Offset);

    Wqe->sge_count = 1;
    Wqe->index = Index;
    Wqe->tag = 0;
    Wqe->sge[0].address = GsiReceiveAddress(Gsi, Index);
    Wqe->sge[0].bytes = RNIC_GSI_RECEIVE_BYTES;
    Wqe->sge[0].lkey = Gsi->PrivilegedKey;
}

static VOID GsiRingReceives(PRNIC_ADAPTER Adapter) {
    DoorbellRing(Adapter, RNIC_DOORBELL_RQ, RNIC_GSI_QPN, 0, Adapter->Gsi.ReceiveProducer);
}

static NTSTATUS GsiGetMemory(PRNIC_ADAPTER Adapter) {
    RNIC_GSI *Gsi = &Adapter->Gsi;
    const struct {
        PRNIC_DMA Dma;
        ULONG Bytes;
    } Wanted[] = {
        {&Gsi->CqRing, RNIC_CQE_BYTES << RNIC_GSI_CQ_LOG2},
        {&Gsi->SqRing, RNIC_GSI_SENDS << RNIC_GSI_SQ_STRIDE_LOG2},
        {&Gsi->RqRing, 1u << (RNIC_GSI_RECEIVES_LOG2 + RNIC_GSI_RQ_STRIDE_LOG2)},
        {&Gsi->SendBuffers, RNIC_GSI_SENDS * RNIC_MAD_BYTES},
        {&Gsi->ReceiveBuffers, RNIC_GSI_RECEIVES * RNIC_GSI_RECEIVE_BYTES},
        {&Gsi->Record, 2 * sizeof(ULONG)},
    };
    NTSTATUS Status = STATUS_SUCCESS;
    ULONG i;

    for (i = 0; i < RTL_NUMBER_OF(Wanted) && NT_SUCCESS(Status); i++) {
        Status = DmaGet(Adapter, Wanted[i].Bytes, Wanted[i].Dma);
    }
    return Status;
}

static NTSTATUS GsiMakePdAndCq(PRNIC_ADAPTER Adapter) {
    RNIC_GSI *Gsi = &Adapter->Gsi;
    RNIC_BOXED Make;
    PRNIC_COMMAND Command = &Make.Command;

    CommandInit(Command, RNIC_CMD_CREATE_PD, 0);
    if (CommandPolled(Adapter, Command, NULL, 0) != RNIC_STATUS_OK) {
        return CommandNtStatus(Command->Status);
    }
    Gsi->Pdn = Command->Number;
    Gsi->PrivilegedKey = (ULONG)Command->Argument;
    Gsi->PdMade = TRUE;
    BoxedInit(&Make, RNIC_CMD_CREATE_CQ, 0, sizeof(Make.In.Cq), 0);
    DmaPages(&Gsi->CqRing, &Make.In.Cq.pages);
    Make.In.Cq.entry_count_log2 = RNIC_GSI_CQ_LOG2;
    Make.In.Cq.eqn = Adapter->Eqs[0].First.Eqn;
    Make.In.Cq.consumer_record = Gsi->Record.Address + sizeof(ULONG);
    if (CommandPolled(Adapter, Command, NULL, 0) != RNIC_STATUS_OK) {
        return CommandNtStatus(Command->Status);
    }
    Gsi->Cqn = Command->Number;
    Gsi->CqMade = TRUE;
    return STATUS_SUCCESS;
}

static NTSTATUS GsiMakeQp(PRNIC_ADAPTER Adapter) {
    RNIC_GSI *Gsi = &Adapter->Gsi;
    RNIC_BOXED Make;
    struct rnic_qp_create *Create = &Make.In.Qp;

    BoxedInit(&Make, RNIC_CMD_CREATE_QP, 0, sizeof(*Create), 0);
    DmaPages(&Gsi->SqRing, &Create->sq_pages);
    DmaPages(&Gsi->RqRing, &Create->rq_pages);
    Create->type = RNIC_QP_GSI;
    Create->pdn = Gsi->Pdn;
    Create->send_cqn = Gsi->Cqn;
    Create->receive_cqn = Gsi->Cqn;
    Create->sq_entry_count_log2 = RNIC_GSI_SENDS_LOG2;
    Create->rq_entry_count_log2 = RNIC_GSI_RECEIVES_LOG2;
    Create->sq_stride_log2 = RNIC_GSI_SQ_STRIDE_LOG2;
    Create->rq_stride_log2 = RNIC_GSI_RQ_STRIDE_LOG2;
    Create->sq_sge_count_max = 1;
    Create->rq_sge_count_max = 1;
    Create->sq_finished_record = Gsi->Record.Address;
    if (CommandPolled(Adapter, &Make.Command, NULL, 0) != RNIC_STATUS_OK) {
        return CommandNtStatus(Make.Command.Status);
    }
    Gsi->QpMade = TRUE;
    return STATUS_SUCCESS;
}

static VOID GsiStepInit(PRNIC_BOXED Modify, UCHAR State, ULONG Mask) {
    struct rnic_qp_attributes *Attributes = &Modify->In.Attributes;

    BoxedInit(Modify, RNIC_CMD_MODIFY_QP, RNIC_GSI_QPN, sizeof(*Attributes), 0);
    Attributes->mask = RNIC_ATTR_STATE | Mask;
    Attributes->state = State;
    Attributes->qkey = RNIC_GSI_QKEY;
    Attributes->pkey = 0xFFFF;
}

static NTSTATUS GsiStep(PRNIC_ADAPTER Adapter, UCHAR State, ULONG Mask) {
    RNIC_BOXED Modify;

    GsiStepInit(&Modify, State, Mask);
    return CommandNtStatus(CommandPolled(Adapter, &Modify.Command, NULL, 0));
}

static NTSTATUS GsiOpen(PRNIC_ADAPTER Adapter) {
    NTSTATUS Status = GsiStep(Adapter, RNIC_QPS_INIT, RNIC_ATTR_QKEY | RNIC_ATTR_PKEY);
    ULONG i;

    if (NT_SUCCESS(Status)) {
        Status = GsiStep(Adapter, RNIC_QPS_RTR, 0);
    }
    if (NT_SUCCESS(Status)) {
        Status = GsiStep(Adapter, RNIC_QPS_RTS, RNIC_ATTR_SQ_PSN);
    }
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    for (i = 0; i < RNIC_GSI_RECEIVES; i++) {
        GsiPostReceive(Adapter);
    }
    GsiRingReceives(Adapter);
    Adapter->Gsi.Ready = TRUE;
    DoorbellRing(Adapter, RNIC_DOORBELL_CQ, Adapter->Gsi.Cqn, RNIC_ARM_ANY, 0);
    return STATUS_SUCCESS;
}

VOID GsiInit(PRNIC_ADAPTER Adapter) {
    KeInitializeSpinLock(&Adapter->Gsi.Lock);
}

NTSTATUS GsiStart(PRNIC_ADAPTER Adapter) {
    RNIC_GSI *Gsi = &Adapter->Gsi;
    NTSTATUS Status;

    Gsi->SendProducer = Gsi->ReceiveProducer = Gsi->CqConsumer = 0;
    Status = GsiGetMemory(Adapter);
    if (NT_SUCCESS(Status)) {
        Status = GsiMakePdAndCq(Adapter);
    }
    if (NT_SUCCESS(Status)) {
        Status = GsiMakeQp(Adapter);
    }
    return NT_SUCCESS(Status) ? GsiOpen(Adapter) : Status;
}

static VOID GsiDestroy(PRNIC_ADAPTER Adapter, PBOOLEAN Made, UCHAR Opcode, ULONG Number) {
    RNIC_COMMAND Command;

    if (*Made) {
        CommandInit(&Command, Opcode, Number);
        CommandPolled(Adapter, &Command, NULL, 0);
        *Made = FALSE;
    }
}

VOID GsiStop(PRNIC_ADAPTER Adapter) {
    RNIC_GSI *Gsi = &Adapter->Gsi;

    Gsi->Ready = FALSE;
    GsiDestroy(Adapter, &Gsi->QpMade, RNIC_CMD_DESTROY_QP, RNIC_GSI_QPN);
    GsiDestroy(Adapter, &Gsi->CqMade, RNIC_CMD_DESTROY_CQ, Gsi->Cqn);
    GsiDestroy(Adapter, &Gsi->PdMade, RNIC_CMD_DESTROY_PD, Gsi->Pdn);
    DmaPut(Adapter, &Gsi->CqRing);
    DmaPut(Adapter, &Gsi->SqRing);
    DmaPut(Adapter, &Gsi->RqRing);
    DmaPut(Adapter, &Gsi->SendBuffers);
    DmaPut(Adapter, &Gsi->ReceiveBuffers);
    DmaPut(Adapter, &Gsi->Record);
}

VOID GsiSend(PRNIC_ADAPTER Adapter, UCHAR AddressIndex, const RNIC_IP *To, const UCHAR *Mad) {
    RNIC_GSI *Gsi = &Adapter->Gsi;
    KLOCK_QUEUE_HANDLE Lock;
    ULONG Slot;
    struct rnic_wqe_ud *Wqe;

    if (!Gsi->Ready) {
        return;
    }
    KeAcquireInStackQueuedSpinLock(&Gsi->Lock, &Lock);
    Slot = Gsi->SendProducer % RNIC_GSI_SENDS;
    if (Gsi->SendProducer - *(volatile ULONG *)Gsi->Record.Va < RNIC_GSI_SENDS) {
        Wqe = (struct rnic_wqe_ud *)(Gsi->SqRing.Va + ((SIZE_T)Slot << RNIC_GSI_SQ_STRIDE_LOG2));
        RtlZeroMemory(Wqe, sizeof(*Wqe));
        RtlCopyMemory(Gsi->SendBuffers.Va + Slot * RNIC_MAD_BYTES, Mad, RNIC_MAD_BYTES);
        Wqe->control.opcode = RNIC_WQE_SEND;
        Wqe->control.sge_count = 1;
        Wqe->control.index = Gsi->SendProducer++;
        RtlCopyMemory(Wqe->address.dst_ip, To->Bytes, sizeof(To->Bytes));
        Wqe->address.address_index = AddressIndex;
        Wqe->dst_qpn = RNIC_GSI_QPN;
        Wqe->qkey = RNIC_GSI_QKEY;
        Wqe->sge[0].address = Gsi->SendBuffers.Address + Slot * RNIC_MAD_BYTES;
        Wqe->sge[0].bytes = RNIC_MAD_BYTES;
        Wqe->sge[0].lkey = Gsi->PrivilegedKey;
        DoorbellRing(Adapter, RNIC_DOORBELL_SQ, RNIC_GSI_QPN, 0, Gsi->SendProducer);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}

/* The addresses lie in the 40 bytes before the MAD: an IPv6 header, or an IPv4 one at its end. */
static VOID GsiAddresses(const UCHAR *Grh, BOOLEAN V6, PRNIC_IP From, PRNIC_IP To) {
    if (V6) {
        RtlCopyMemory(From->Bytes, Grh + 8, 16);
        RtlCopyMemory(To->Bytes, Grh + 24, 16);
    } else {
        RtlZeroMemory(From, sizeof(*From));
        From->Bytes[10] = From->Bytes[11] = 0xFF;
        *To = *From;
        RtlCopyMemory(From->Bytes + 12, Grh + 32, 4);
        RtlCopyMemory(To->Bytes + 12, Grh + 36, 4);
    }
}

static VOID GsiReceived(PRNIC_ADAPTER Adapter, const struct rnic_cqe *Entry) {
    RNIC_GSI *Gsi = &Adapter->Gsi;
    const UCHAR *Buffer =
        Gsi->ReceiveBuffers.Va + (Entry->wqe_index % RNIC_GSI_RECEIVES) * RNIC_GSI_RECEIVE_BYTES;
    RNIC_IP From;
    RNIC_IP To;

    if (Entry->status == RNIC_CQE_OK && (Entry->flags & RNIC_CQE_FLAG_GRH) != 0 &&
        Entry->byte_count == RNIC_GRH_BYTES + RNIC_MAD_BYTES) {
        GsiAddresses(Buffer, (Entry->flags & RNIC_CQE_FLAG_IPV6) != 0, &From, &To);
        CmReceive(Adapter, &From, &To, Buffer + RNIC_GRH_BYTES);
    }
}

/* A send to nowhere has stopped the send queue; what was behind it is lost. */
static VOID GsiSendAgain(PRNIC_ADAPTER Adapter) {
    RNIC_BOXED Modify;

    GsiStepInit(&Modify, RNIC_QPS_RTS, RNIC_ATTR_QKEY);
    CommandPolledFirmly(Adapter, &Modify.Command);
}

/* FALSE: nothing more. */
static BOOLEAN GsiTake(PRNIC_ADAPTER Adapter) {
    RNIC_GSI *Gsi = &Adapter->Gsi;
    const struct rnic_cqe *Ring = (const struct rnic_cqe *)Gsi->CqRing.Va;
    const struct rnic_cqe *Entry = &Ring[Gsi->CqConsumer & ((1u << RNIC_GSI_CQ_LOG2) - 1)];
    UCHAR Phase = (UCHAR)(((Gsi->CqConsumer >> RNIC_GSI_CQ_LOG2) & 1) == 0);

    if (*(const volatile UCHAR *)&Entry->phase != Phase) {
        return FALSE;
    }
    if (RNIC_CQE_IS_RECEIVE(Entry->opcode) && Entry->status != RNIC_CQE_FLUSHED) {
        GsiReceived(Adapter, Entry);
        GsiPostReceive(Adapter);
        GsiRingReceives(Adapter);
    } else if (Entry->status != RNIC_CQE_OK && Entry->status != RNIC_CQE_FLUSHED) {
        GsiSendAgain(Adapter);
    }
    Gsi->CqConsumer++;
    ((volatile ULONG *)Gsi->Record.Va)[1] = Gsi->CqConsumer;
    return TRUE;
}

VOID GsiEvent(PRNIC_ADAPTER Adapter) {
    while (GsiTake(Adapter)) {
    }
    DoorbellRing(Adapter, RNIC_DOORBELL_CQ, Adapter->Gsi.Cqn, RNIC_ARM_ANY,
                 Adapter->Gsi.CqConsumer);
}
