/* SPDX-License-Identifier: Apache-2.0 */
/* S16, what both servers share; see s16.h. */
#include "s16.h"

NTSTATUS S16Open(PSKETCH_END End, NDK_CONNECTOR **Connector) {
    NTSTATUS Status;

    *Connector = NULL;
    Status = EndOpen(End, &Sketch.Rdma);
    return NT_SUCCESS(Status) ? EndListen(Connector) : Status;
}

NTSTATUS S16PostReceives(PSKETCH_END End) {
    NTSTATUS Status = STATUS_SUCCESS;
    ULONG Index;

    for (Index = 0; NT_SUCCESS(Status) && Index < S16_RECEIVES; Index++) {
        Status = EndReceive(End);
    }
    return Status;
}

VOID S16Finish(PSKETCH_END End) {
    PVOID Objects[3] = {&End->Result, &End->Disconnected, &Sketch.Stop};

    if (End->Connector != NULL) {
        KeWaitForMultipleObjects(3, Objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL);
        SyncDisconnect(End->Connector);
        End->Qp->Dispatch->NdkFlush(End->Qp);
    }
    while (End->Succeeded + End->Cancelled + End->Failed < End->ReceivesPosted) {
        KeWaitForSingleObject(&End->Result, Executive, KernelMode, FALSE, NULL);
    }
    NdksimCounter("received", (ULONG64)End->Succeeded);
    NdksimCounter("cancelled", (ULONG64)End->Cancelled);
    NdksimCounter("disconnects", (ULONG64)End->DisconnectEvents);
    EndClose(End);
    EndUnlisten();
}
