/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each question goes out from a mapping of its own. Who has the answer knows that the question
 * arrived, so that is when the mapping is given back; the adapter has not said yet that it needs
 * the memory no more.
 */
#include "lam.h"
#include "own_queue.h"

#define ROUNDS 4
#define BYTES 64u

static SKETCH_END End;
static NDK_CQ *Sent;
static KEVENT SentReady;
static LONG SentCount;
static LONG Stopping;
static PUCHAR Question;
static PMDL Mdl;

static VOID Notified(PVOID Context, NTSTATUS CqStatus) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(CqStatus);
    KeSetEvent(&SentReady, IO_NO_INCREMENT, FALSE);
}

/* That something was sent is no news for anybody: it is counted in a thread, when there is time. */
static VOID Count(PVOID Context) {
    NDK_RESULT Result;

    UNREFERENCED_PARAMETER(Context);
    while (SentCount < ROUNDS && ReadNoFence(&Stopping) == 0) {
        Sent->Dispatch->NdkArmCq(Sent, NDK_CQ_NOTIFY_ANY);
        KeWaitForSingleObject(&SentReady, Executive, KernelMode, FALSE, NULL);
        while (Sent->Dispatch->NdkGetCqResults(Sent, &Result, 1) != 0) {
            SentCount++;
        }
    }
}

static NTSTATUS Open(VOID) {
    NTSTATUS Status = EndOpen(&End, &Sketch.Rdma);

    KeInitializeEvent(&SentReady, SynchronizationEvent, FALSE);
    if (NT_SUCCESS(Status)) {
        Status = OwnQueue(&End, Notified, &Sent);
    }
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    /* Within one page, since one entry is to say where it is. */
    Question = ExAllocatePoolWithTag(NonPagedPoolNx, PAGE_SIZE, SKETCH_POOL_TAG);
    if (Question == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    RtlZeroMemory(Question, BYTES);
    Mdl = IoAllocateMdl(Question, BYTES, FALSE, FALSE, NULL);
    if (Mdl == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    MmBuildMdlForNonPagedPool(Mdl);
    return STATUS_SUCCESS;
}

static VOID Close(VOID) {
    EndClose(&End);
    if (Sent != NULL) {
        SyncClose(&Sent->Header, Sent->Dispatch->NdkCloseCq);
    }
    if (Mdl != NULL) {
        IoFreeMdl(Mdl);
    }
    if (Question != NULL) {
        ExFreePoolWithTag(Question, SKETCH_POOL_TAG);
    }
}

static NTSTATUS Ask(const RDMA_MAPPING *Mapping) {
    NTSTATUS Status = EndReceive(&End);
    NDK_SGE Sge;

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Sge.LogicalAddress = Mapping->Lam->AdapterPageArray[0];
    Sge.LogicalAddress.QuadPart += Mapping->FirstByteOffset;
    Sge.Length = BYTES;
    End.Pd->Dispatch->NdkGetPrivilegedMemoryRegionToken(End.Pd, &Sge.MemoryRegionToken);
    return End.Qp->Dispatch->NdkSend(End.Qp, NULL, &Sge, 1, 0);
}

static NTSTATUS Round(LONG Answers) {
    RDMA_MAPPING Mapping = {0};
    NTSTATUS Status = MappingBuild(&Mapping, Sketch.Rdma.Adapter, Mdl, BYTES);

    if (NT_SUCCESS(Status)) {
        Status = Ask(&Mapping);
    }
    while (NT_SUCCESS(Status) && ReadNoFence(&End.Succeeded) < Answers) {
        KeWaitForSingleObject(&End.Result, Executive, KernelMode, FALSE, NULL);
    }
    MappingRelease(&Mapping, Sketch.Rdma.Adapter);
    return Status;
}

NTSTATUS SketchMain(VOID) {
    PVOID Thread = NULL;
    NTSTATUS Status = Open();
    LONG Index;

    if (NT_SUCCESS(Status)) {
        ThreadSleep(&Sketch.Stop, 10000); /* the peer listens by then */
        Status = EndConnect(&End, &Sketch.Source, &Sketch.Remote);
    }
    if (NT_SUCCESS(Status)) {
        Status = ThreadStart(Count, NULL, &Thread);
    }
    for (Index = 1; NT_SUCCESS(Status) && Index <= ROUNDS; Index++) {
        Status = Round(Index);
    }
    if (NT_SUCCESS(Status)) {
        SyncDisconnect(End.Connector);
    }
    InterlockedExchange(&Stopping, 1);
    KeSetEvent(&SentReady, IO_NO_INCREMENT, FALSE);
    ThreadJoin(Thread);
    Close();
    return Status;
}
