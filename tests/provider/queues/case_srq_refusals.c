/* SPDX-License-Identifier: Apache-2.0 */
/* What is refused of shared receive queues, and how. */
#include "queues.h"

static NTSTATUS TrySrq(PSUBJECT Subject, ULONG Depth, ULONG Sges) {
    NDK_SRQ *Srq;
    SYNC_WAIT Wait;

    SyncInit(&Wait);
    return SyncFinish(&Wait,
                      Subject->Pd->Dispatch->NdkCreateSrq(Subject->Pd, Depth, Sges, 0, NULL, NULL,
                                                          NULL, SyncCreated, &Wait, &Srq));
}

static NTSTATUS TryQp(PSUBJECT Subject, PWATCHED Cq, PSHARED Shared, ULONG Depth, ULONG Sges,
                      ULONG InlineBytes) {
    NDK_QP *Qp;
    SYNC_WAIT Wait;

    SyncInit(&Wait);
    return SyncFinish(&Wait, Subject->Pd->Dispatch->NdkCreateQpWithSrq(
                                 Subject->Pd, Cq->Cq, Cq->Cq, Shared->Srq, NULL, Depth, Sges,
                                 InlineBytes, SyncCreated, &Wait, &Qp));
}

static VOID CreateRefusals(PSUBJECT Subject, PWATCHED Cq, PSHARED Shared) {
    const NDK_ADAPTER_INFO *Info = &Subject->Rdma.Info;

    CheckStatus(TrySrq(Subject, 0, 1), STATUS_INVALID_PARAMETER, "no depth");
    CheckStatus(TrySrq(Subject, Info->MaxSrqDepth + 1, 1), STATUS_INVALID_PARAMETER, "too deep");
    CheckStatus(TrySrq(Subject, 1, Info->MaxReceiveRequestSge + 1), STATUS_INVALID_PARAMETER,
                "too many SGEs");
    CheckStatus(TryQp(Subject, Cq, Shared, 0, 1, 0), STATUS_INVALID_PARAMETER, "no depth");
    CheckStatus(TryQp(Subject, Cq, Shared, Info->MaxInitiatorQueueDepth + 1, 1, 0),
                STATUS_INVALID_PARAMETER, "too deep a QP");
    CheckStatus(TryQp(Subject, Cq, Shared, 1, Info->MaxInitiatorRequestSge + 1, 0),
                STATUS_INVALID_PARAMETER, "too many SGEs of a QP");
    CheckStatus(TryQp(Subject, Cq, Shared, 1, 1, Info->MaxInlineDataSize + 1),
                STATUS_INVALID_PARAMETER, "too much inline");
}

/* All of one PD. */
static VOID OtherPdRefused(PSUBJECT Subject, PWATCHED Cq) {
    static SHARED Other;
    NDK_PD *Own = Subject->Pd;
    NDK_PD *Foreign;
    NDK_QP *Qp;

    CheckStatus(SyncCreatePd(Subject->Rdma.Adapter, &Subject->Pd), STATUS_SUCCESS, "another PD");
    CheckStatus(SrqCreate(Subject, &Other, 4, 0, NULL), STATUS_SUCCESS, "an SRQ of it");
    Foreign = Subject->Pd;
    Subject->Pd = Own;
    CheckStatus(QpWithSrq(Subject, Cq, Cq, &Other, NULL, &Qp), STATUS_INVALID_PARAMETER,
                "an SRQ of another PD");
    SrqClose(&Other);
    SyncClose(&Foreign->Header, Foreign->Dispatch->NdkClosePd);
}

static VOID PostRefusals(PSUBJECT Subject, PSHARED Shared, NDK_QP *Qp) {
    NDK_SGE Sges[3];
    NDK_SGE Long = {{Subject->Slots.Buffer},
                    Subject->Rdma.Info.MaxTransferLength + 1,
                    Subject->Slots.LocalToken};

    RtlZeroMemory(Sges, sizeof(Sges));
    CheckStatus(Shared->Srq->Dispatch->NdkSrqReceive(Shared->Srq, NULL, Sges, 3),
                STATUS_DATA_OVERRUN, "too many SGEs of a receive");
    CheckStatus(Shared->Srq->Dispatch->NdkSrqReceive(Shared->Srq, NULL, &Long, 1),
                STATUS_BUFFER_OVERFLOW, "too long a receive");
    CheckStatus(Qp->Dispatch->NdkReceive(Qp, NULL, Sges, 1), STATUS_INVALID_DEVICE_REQUEST,
                "a receive of a QP with an SRQ");
    SrqPosts(Subject, Shared, 0, 4);
    CheckStatus(SrqPost(Subject, Shared, 4), STATUS_NO_MORE_ENTRIES, "one receive too many");
}

VOID SrqRefusals(PSUBJECT Subject) {
    static SHARED Shared;
    static WATCHED Cq;
    NDK_QP *Qp;

    CheckStatus(SrqCreate(Subject, &Shared, 4, 0, NULL), STATUS_SUCCESS, "create an SRQ");
    WatchedCreate(Subject, &Cq, 64, NULL);
    CreateRefusals(Subject, &Cq, &Shared);
    OtherPdRefused(Subject, &Cq);
    CheckStatus(SrqModify(&Shared, Subject->Rdma.Info.MaxSrqDepth + 1, 1), STATUS_INVALID_PARAMETER,
                "modify it too deep");
    CheckStatus(QpWithSrq(Subject, &Cq, &Cq, &Shared, NULL, &Qp), STATUS_SUCCESS, "create a QP");
    PostRefusals(Subject, &Shared, Qp);
    CheckStatus(SrqModify(&Shared, Subject->Rdma.Info.MaxSrqDepth, 0), STATUS_SUCCESS,
                "as deep as may be");
    SyncClose(&Qp->Header, Qp->Dispatch->NdkCloseQp);
    SrqClose(&Shared);
    WatchedClose(&Cq);
}

VOID SrqNotOffered(PSUBJECT Subject) {
    Check(Subject->Rdma.Info.MaxSrqDepth == 0, "no SRQs are offered");
    CheckStatus(TrySrq(Subject, 1, 1), STATUS_INVALID_PARAMETER, "an SRQ where there are none");
}

/* Each fails once by a planned fault, and the third queue by the adapter's limit. */
VOID SrqShortage(PSUBJECT Subject) {
    static SHARED Shared;
    static WATCHED Cq;
    NDK_QP *Qp;

    WatchedCreate(Subject, &Cq, 64, NULL);
    CheckStatus(SrqCreate(Subject, &Shared, 4, 0, NULL), STATUS_INSUFFICIENT_RESOURCES,
                "the first SRQ");
    CheckStatus(SrqCreate(Subject, &Shared, 4, 0, NULL), STATUS_SUCCESS, "the second SRQ");
    CheckStatus(TrySrq(Subject, 4, 1), STATUS_INSUFFICIENT_RESOURCES, "more than the adapter has");
    CheckStatus(QpWithSrq(Subject, &Cq, &Cq, &Shared, NULL, &Qp), STATUS_INSUFFICIENT_RESOURCES,
                "the first QP");
    CheckStatus(QpWithSrq(Subject, &Cq, &Cq, &Shared, NULL, &Qp), STATUS_SUCCESS, "the second QP");
    CheckStatus(SrqModify(&Shared, 8, 1), STATUS_INSUFFICIENT_RESOURCES, "the first modify");
    CheckStatus(SrqPost(Subject, &Shared, 0), STATUS_INSUFFICIENT_RESOURCES, "the first receive");
    SrqPosts(Subject, &Shared, 0, 4);
    CheckStatus(SrqPost(Subject, &Shared, 0), STATUS_NO_MORE_ENTRIES, "as deep as before");
    CheckStatus(SrqModify(&Shared, 8, 1), STATUS_SUCCESS, "the second modify");
    SyncClose(&Qp->Header, Qp->Dispatch->NdkCloseQp);
    SrqClose(&Shared);
    WatchedClose(&Cq);
}
