/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that are held back: what releases them. */
#include "client.h"

#define CONTEXT SIDE_FIRST_CONTEXT

/* Time enough for what was given to the device. */
static VOID Pause(VOID) {
    LARGE_INTEGER Time;

    Time.QuadPart = -20000;
    KeDelayExecutionThread(KernelMode, FALSE, &Time);
}

static NTSTATUS Deferred(PSIDE Side, ULONG_PTR Context) {
    NDK_SGE Sge = {{Side->Bulk.Buffer}, 16, Side->Bulk.LocalToken};

    return Side->Qp->Dispatch->NdkWrite(Side->Qp, (PVOID)Context, &Sge, 1, Side->PeerAddress,
                                        Side->PeerToken, NDK_OP_FLAG_DEFER);
}

/* Whether the provider holds at all is its own business; ours does when it is told to. */
static VOID NothingYet(PSIDE Side) {
    NDK_RESULT_EX Result;

    if (NdksimRegistryUlong(L"DeferHolds", 1) == 1) {
        Pause();
        Check(Side->Cq->Dispatch->NdkGetCqResultsEx(Side->Cq, &Result, 1) == 0, "still held");
    }
}

/* A plain request releases the chain before it, in order. */
static VOID ReleasedByPlain(PSIDE Side) {
    NDK_SGE Sge = {{Side->Bulk.Buffer}, 16, Side->Bulk.LocalToken};
    ULONG i;

    for (i = 0; i < 3; i++) {
        CheckStatus(Deferred(Side, CONTEXT + i), STATUS_SUCCESS, "a deferred write");
    }
    NothingYet(Side);
    Write(Side, CONTEXT + 3, &Sge, 1, 0);
    for (i = 0; i < 4; i++) {
        Expect(Side, CONTEXT + i, NdkOperationTypeWrite, STATUS_SUCCESS);
    }
}

/* A request that fails at the call releases it, too, and leaves nothing of itself. */
static VOID ReleasedByFailure(PSIDE Side, ULONG Flags) {
    NDK_SGE Sge = {{Side->Bulk.Buffer}, 16, Side->Bulk.LocalToken};

    CheckStatus(Deferred(Side, CONTEXT), STATUS_SUCCESS, "a deferred write");
    CheckStatus(Deferred(Side, CONTEXT + 1), STATUS_SUCCESS, "another one");
    NothingYet(Side);
    CheckStatus(Side->Qp->Dispatch->NdkSend(Side->Qp, NULL, &Sge, 1, Flags | 0x80000000),
                STATUS_INVALID_PARAMETER, "a send that fails");
    Expect(Side, CONTEXT, NdkOperationTypeWrite, STATUS_SUCCESS);
    Expect(Side, CONTEXT + 1, NdkOperationTypeWrite, STATUS_SUCCESS);
}

/* The worked example: two registrations and a send, of which the second one fails. */
static VOID SecondRegistrationFails(PSIDE Side) {
    NDK_MR *First = NewMr(Side, TRUE);
    NDK_MR *Second = NewMr(Side, TRUE);
    RDMA_MAPPING Mapping;
    NDK_QP *Qp = Side->Qp;

    CheckStatus(SyncInitializeFastRegisterMr(First, 1, TRUE), STATUS_SUCCESS, "initialise");
    CheckStatus(SyncInitializeFastRegisterMr(Second, 1, TRUE), STATUS_SUCCESS, "initialise");
    CheckStatus(MappingBuild(&Mapping, Side->Rdma.Adapter, Side->Bulk.Mdl, PAGE_SIZE),
                STATUS_SUCCESS, "map");
    CheckStatus(Qp->Dispatch->NdkFastRegister(
                    Qp, (PVOID)CONTEXT, First, 1, Mapping.Lam->AdapterPageArray, 0, PAGE_SIZE,
                    Side->Bulk.Buffer, NDK_OP_FLAG_ALLOW_REMOTE_READ | NDK_OP_FLAG_DEFER),
                STATUS_SUCCESS, "the first one");
    NothingYet(Side);
    CheckStatus(Qp->Dispatch->NdkFastRegister(Qp, (PVOID)(CONTEXT + 1), Second, 2,
                                              Mapping.Lam->AdapterPageArray, 0, PAGE_SIZE,
                                              Side->Bulk.Buffer,
                                              NDK_OP_FLAG_ALLOW_REMOTE_READ | NDK_OP_FLAG_DEFER),
                STATUS_INVALID_PARAMETER, "the second one");
    Expect(Side, CONTEXT, NdkOperationTypeFastRegister, STATUS_SUCCESS);
    CheckStatus(
        AskRead(Side, Side->Bulk.Buffer, First->Dispatch->NdkGetRemoteTokenFromMr(First), 64),
        STATUS_SUCCESS, "the first one is registered");
    CheckRefused(
        Side,
        AskRead(Side, Side->Bulk.Buffer, Second->Dispatch->NdkGetRemoteTokenFromMr(Second), 64),
        "the second one is not");
    MappingRelease(&Mapping, Side->Rdma.Adapter);
    CloseMr(First);
    CloseMr(Second);
}

VOID DeferReleases(PSIDE Side) {
    NDK_SGE Sge = {{Side->Bulk.Buffer}, SIDE_MESSAGE_BYTES, Side->Bulk.LocalToken};

    AskWhere(Side);
    ReleasedByPlain(Side);
    ReleasedByFailure(Side, 0);
    ReleasedByFailure(Side, NDK_OP_FLAG_DEFER);
    SecondRegistrationFails(Side);
    /* A receive is no request of that queue: a failing one releases nothing (B-28). */
    CheckStatus(Deferred(Side, CONTEXT), STATUS_SUCCESS, "a deferred write");
    CheckStatus(Side->Qp->Dispatch->NdkReceive(Side->Qp, NULL, &Sge, 1), STATUS_NO_MORE_ENTRIES,
                "a receive that fails");
    NothingYet(Side);
    /* Flushed: it is completed all the same (B-27). */
    Side->Qp->Dispatch->NdkFlush(Side->Qp);
    {
        NDK_RESULT_EX Result;

        SideAwait(Side, &Result);
        Check(Result.RequestContext == (PVOID)CONTEXT &&
                  (Result.Status == STATUS_CANCELLED ||
                   (Result.Status == STATUS_SUCCESS && NdksimRegistryUlong(L"DeferHolds", 1) != 1)),
              "cancelled, or done if it was not held");
    }
    ExpectCancelled(Side, SIDE_RECEIVES);
    ClientReconnect(Side);
}
