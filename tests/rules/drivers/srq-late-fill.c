/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first receives are posted when the connection is up, so that an SRQ without peers costs
 * nothing; each result posts the next. The peer does not wait until the first ones are all there.
 */
#include "srq_end.h"

#define MESSAGES 12

static SRQ_END Server;
static LONG Taken;

static VOID Notified(PVOID Context, NTSTATUS CqStatus) {
    NDK_RESULT Result;

    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(CqStatus);
    while (Server.Received->Dispatch->NdkGetCqResults(Server.Received, &Result, 1) != 0) {
        if (Result.Status == STATUS_SUCCESS) {
            SrqPost(&Server);
        }
        InterlockedIncrement(&Taken);
        KeSetEvent(&Server.End.Result, IO_NO_INCREMENT, FALSE);
    }
    Server.Received->Dispatch->NdkArmCq(Server.Received, NDK_CQ_NOTIFY_ANY);
}

NTSTATUS SketchMain(VOID) {
    NTSTATUS Status = SrqEndOpen(&Server, 0, NULL, Notified);
    ULONG Index;

    if (NT_SUCCESS(Status)) {
        Server.Received->Dispatch->NdkArmCq(Server.Received, NDK_CQ_NOTIFY_ANY);
        ThreadSleep(&Sketch.Stop, 10000); /* the peer listens by then */
        Status = EndConnect(&Server.End, &Sketch.Source, &Sketch.Remote);
    }
    for (Index = 0; NT_SUCCESS(Status) && Index < SRQ_DEPTH; Index++) {
        Status = SrqPost(&Server);
    }
    while (NT_SUCCESS(Status) && ReadNoFence(&Taken) < MESSAGES) {
        KeWaitForSingleObject(&Server.End.Result, Executive, KernelMode, FALSE, NULL);
    }
    SrqEndClose(&Server);
    return Status;
}
