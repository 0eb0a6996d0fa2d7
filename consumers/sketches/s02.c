/* SPDX-License-Identifier: Apache-2.0 */
/* S02, what both drivers share; see s02.h. */
#include "s02.h"

#define CALLBACK_US 40u

static NDK_PD *Pd;
static RDMA_REGION Region;
static KEVENT Entered;

static VOID Notify(PVOID Context, NTSTATUS CqStatus) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(CqStatus);
    KeSetEvent(&Entered, IO_NO_INCREMENT, FALSE);
    KeStallExecutionProcessor(CALLBACK_US);
}

static NTSTATUS Flushed(NDK_CQ *Cq) {
    static const SYNC_QP_SIZES Sizes = {SKETCH_DEPTH, SKETCH_DEPTH, 1, 1, 0};
    NDK_QP *Qp = NULL;
    NDK_SGE Sge;
    NTSTATUS Status;

    Status = SyncCreateQp(Pd, Cq, Cq, NULL, &Sizes, &Qp);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Sge.VirtualAddress = Region.Buffer;
    Sge.Length = SKETCH_MESSAGE_BYTES;
    Sge.MemoryRegionToken = Region.LocalToken;
    Status = Qp->Dispatch->NdkReceive(Qp, NULL, &Sge, 1);
    if (NT_SUCCESS(Status)) {
        Qp->Dispatch->NdkFlush(Qp);
        KeWaitForSingleObject(&Entered, Executive, KernelMode, FALSE, NULL);
    }
    SyncClose(&Qp->Header, Qp->Dispatch->NdkCloseQp);
    return Status;
}

NTSTATUS S02Enter(NDK_CQ **Cq) {
    NTSTATUS Status;

    *Cq = NULL;
    KeInitializeEvent(&Entered, NotificationEvent, FALSE);
    Status = SyncCreatePd(Sketch.Rdma.Adapter, &Pd);
    if (NT_SUCCESS(Status)) {
        Status =
            RegionCreate(&Region, Pd, NULL, SKETCH_MESSAGE_BYTES, NDK_MR_FLAG_ALLOW_LOCAL_WRITE);
    }
    if (NT_SUCCESS(Status)) {
        Status = SyncCreateCq(Sketch.Rdma.Adapter, 2 * SKETCH_DEPTH, Notify, NULL, Cq);
    }
    if (NT_SUCCESS(Status)) {
        (*Cq)->Dispatch->NdkArmCq(*Cq, NDK_CQ_NOTIFY_ANY);
        Status = Flushed(*Cq);
    }
    return Status;
}

VOID S02Leave(VOID) {
    RegionClose(&Region);
    RegionFree(&Region);
    if (Pd != NULL) {
        SyncClose(&Pd->Header, Pd->Dispatch->NdkClosePd);
        Pd = NULL;
    }
}
