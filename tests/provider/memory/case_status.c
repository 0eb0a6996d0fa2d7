/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every call of the memory and posting side once, for a fault that the test program plans as soon
 * as the counter "ready" is set. What failed is told by counters: the call's number, its status,
 * and whether the call itself said so, the completion routine, or the result.
 */
#include "status.h"

#include "client.h"

#define CONTEXT SIDE_FIRST_CONTEXT

static BOOLEAN HasFailed;

static VOID Failed(STATUS_CALL Call, NTSTATUS Status, STATUS_ROUTE Route) {
    /* The peer has nothing to invalidate. */
    BOOLEAN IsOwn = Call == CallSendAndInvalidate && Status == STATUS_REMOTE_RESOURCES;

    if (Status != STATUS_SUCCESS && !IsOwn) {
        HasFailed = TRUE;
        NdksimCounter("failed.call", (ULONG64)Call + 1);
        NdksimCounter("failed.status", (ULONG)Status);
        NdksimCounter("failed.route", (ULONG64)Route);
    }
}

static NTSTATUS Outcome(STATUS_CALL Call, PSYNC_WAIT Wait, NTSTATUS Started) {
    NTSTATUS Status = SyncFinish(Wait, Started);

    Failed(Call, Status, Started == STATUS_PENDING ? RouteCallback : RouteCall);
    return Status;
}

static VOID Creates(PSIDE Side) {
    NDK_PD *Pd = NULL;
    NDK_MR *Mr = NULL;
    NDK_MW *Mw = NULL;
    SYNC_WAIT Wait;
    NTSTATUS Started;

    SyncInit(&Wait);
    Started =
        Side->Rdma.Adapter->Dispatch->NdkCreatePd(Side->Rdma.Adapter, SyncCreated, &Wait, &Pd);
    if (Outcome(CallCreatePd, &Wait, Started) == STATUS_SUCCESS) {
        Pd = Started == STATUS_PENDING ? CONTAINING_RECORD(Wait.Object, NDK_PD, Header) : Pd;
        SyncClose(&Pd->Header, Pd->Dispatch->NdkClosePd);
    }
    SyncInit(&Wait);
    Started = Side->Pd->Dispatch->NdkCreateMr(Side->Pd, FALSE, SyncCreated, &Wait, &Mr);
    if (Outcome(CallCreateMr, &Wait, Started) == STATUS_SUCCESS) {
        CloseMr(Started == STATUS_PENDING ? CONTAINING_RECORD(Wait.Object, NDK_MR, Header) : Mr);
    }
    SyncInit(&Wait);
    Started = Side->Pd->Dispatch->NdkCreateMw(Side->Pd, SyncCreated, &Wait, &Mw);
    if (Outcome(CallCreateMw, &Wait, Started) == STATUS_SUCCESS) {
        CloseMw(Started == STATUS_PENDING ? CONTAINING_RECORD(Wait.Object, NDK_MW, Header) : Mw);
    }
}

static VOID Requests(PSIDE Side) {
    static UCHAR Buffer[128];
    NDK_LOGICAL_ADDRESS_MAPPING *Lam = (NDK_LOGICAL_ADDRESS_MAPPING *)Buffer;
    NDK_ADAPTER *Adapter = Side->Rdma.Adapter;
    NDK_MR *Normal = NewMr(Side, FALSE);
    NDK_MR *Fast = NewMr(Side, TRUE);
    ULONG Size = sizeof(Buffer);
    ULONG Fbo;
    SYNC_WAIT Wait;

    SyncInit(&Wait);
    if (Outcome(CallRegisterMr, &Wait,
                Normal->Dispatch->NdkRegisterMr(Normal, Side->Bulk.Mdl, 64, 0, SyncRequested,
                                                &Wait)) == STATUS_SUCCESS) {
        SyncDeregisterMr(Normal);
    }
    SyncInit(&Wait);
    Outcome(CallInitializeFastRegisterMr, &Wait,
            Fast->Dispatch->NdkInitializeFastRegisterMr(Fast, 1, TRUE, SyncRequested, &Wait));
    SyncInit(&Wait);
    if (Outcome(CallBuildLam, &Wait,
                Adapter->Dispatch->NdkBuildLAM(Adapter, Side->Bulk.Mdl, 64, SyncRequested, &Wait,
                                               Lam, &Size, &Fbo)) == STATUS_SUCCESS) {
        Adapter->Dispatch->NdkReleaseLAM(Adapter, Lam);
    }
    CloseMr(Normal);
    CloseMr(Fast);
}

/* A post and its result; a connection that it ended is made anew. */
static VOID Posted(PSIDE Side, STATUS_CALL Call, NTSTATUS Status) {
    NDK_RESULT_EX Result;

    if (Status != STATUS_SUCCESS) {
        Failed(Call, Status, RouteCall);
        return;
    }
    do {
        SideAwait(Side, &Result);
    } while (Result.RequestContext != (PVOID)(ULONG_PTR)CONTEXT);
    Failed(Call, Result.Status, RouteResult);
    if (Result.Status != STATUS_SUCCESS) {
        Check(Result.ProviderErrorCode != 0, "what the provider calls it");
        ClientReconnect(Side);
    }
}

static VOID OnMemory(PSIDE Side) {
    PVOID Context = (PVOID)(ULONG_PTR)CONTEXT;
    NDK_MR *Fast = NewMr(Side, TRUE);
    NDK_MW *Mw = NewMw(Side->Pd);
    RDMA_MAPPING Mapping;

    CheckStatus(SyncInitializeFastRegisterMr(Fast, 1, TRUE), STATUS_SUCCESS, "initialise");
    CheckStatus(MappingBuild(&Mapping, Side->Rdma.Adapter, Side->Bulk.Mdl, PAGE_SIZE),
                STATUS_SUCCESS, "map");
    Posted(Side, CallBind,
           Side->Qp->Dispatch->NdkBind(Side->Qp, Context, Side->Bulk.Mr, Mw, Side->Bulk.Buffer, 8,
                                       NDK_OP_FLAG_ALLOW_REMOTE_READ));
    Posted(Side, CallFastRegister,
           Side->Qp->Dispatch->NdkFastRegister(Side->Qp, Context, Fast, 1,
                                               Mapping.Lam->AdapterPageArray, 0, 8, NULL,
                                               NDK_OP_FLAG_ALLOW_REMOTE_READ));
    /* After a registration that failed there is nothing to invalidate, and that fails as well. */
    if (!HasFailed) {
        Posted(Side, CallInvalidate,
               Side->Qp->Dispatch->NdkInvalidate(Side->Qp, Context, &Fast->Header, 0));
    }
    MappingRelease(&Mapping, Side->Rdma.Adapter);
    CloseMr(Fast);
    CloseMw(Mw);
}

static VOID Transfers(PSIDE Side) {
    NDK_SGE Sge = {{Side->Bulk.Buffer}, sizeof(ORDER), Side->Bulk.LocalToken};
    PVOID Context = (PVOID)(ULONG_PTR)CONTEXT;
    PORDER Message = (PORDER)Side->Bulk.Buffer;

    Posted(Side, CallWrite,
           Side->Qp->Dispatch->NdkWrite(Side->Qp, Context, &Sge, 1, Side->PeerAddress,
                                        Side->PeerToken, 0));
    Posted(Side, CallRead,
           Side->Qp->Dispatch->NdkRead(Side->Qp, Context, &Sge, 1, Side->PeerAddress,
                                       Side->PeerToken, 0));
    RtlZeroMemory(Message, sizeof(*Message));
    Message->Kind = OrderStatus;
    Posted(Side, CallSend, Side->Qp->Dispatch->NdkSend(Side->Qp, Context, &Sge, 1, 0));
    ClientReconnect(Side);
    if (!HasFailed) {
        Posted(Side, CallSendAndInvalidate,
               Side->Qp->Dispatch->NdkSendAndInvalidate(Side->Qp, Context, &Sge, 1, 0,
                                                        Side->PeerToken));
        ClientReconnect(Side);
    }
}

/* The last of nine receives meets the last of nine answers. */
static VOID Receives(PSIDE Side) {
    NDK_SGE Sge = {{Side->Bulk.Buffer}, SIDE_MESSAGE_BYTES, Side->Bulk.LocalToken};
    const ORDER Order = {OrderStatus, 0, 0, 0, 0, 0, 0};
    NDK_RESULT_EX Result;
    NTSTATUS Status = Side->Qp->Dispatch->NdkReceive(Side->Qp, (PVOID)(ULONG_PTR)CONTEXT, &Sge, 1);
    ULONG Results;

    if (Status != STATUS_SUCCESS) {
        Failed(CallReceive, Status, RouteCall);
        return;
    }
    for (Results = 0; Results < 2 * (SIDE_RECEIVES + 1); Results++) {
        if (Results % 2 == 0) {
            SideSendOrder(Side, &Order);
        }
        SideAwait(Side, &Result);
        if (Result.RequestContext == (PVOID)(ULONG_PTR)CONTEXT) {
            Failed(CallReceive, Result.Status, RouteResult);
            break;
        }
        CheckStatus(Result.Status, STATUS_SUCCESS, "an order and its answer");
    }
    ClientReconnect(Side);
}

/* The test program looks when a thread waits, no sooner. */
static VOID Ready(VOID) {
    LARGE_INTEGER Time;

    NdksimCounter("ready", 1);
    Time.QuadPart = -10;
    KeDelayExecutionThread(KernelMode, FALSE, &Time);
}

VOID EveryCallOnce(PSIDE Side) {
    AskWhere(Side);
    Side->Sizes.ReceiveDepth = SIDE_RECEIVES + 1;
    ClientReconnect(Side);
    Ready();
    /* Only what is asked for: the harness has sends and receives of its own. */
    if (NdksimRegistryUlong(L"Call", CallReceive) == CallReceive) {
        Receives(Side);
        return;
    }
    Creates(Side);
    Requests(Side);
    OnMemory(Side);
    Transfers(Side);
}
