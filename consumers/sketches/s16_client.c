/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S16, the client: connects, sends at once, and waits for the peer to end the connection. Counters:
 * sent, send_failed, disconnects.
 */
#include "sketch.h"

static SKETCH_END End;

static NTSTATUS SendAndSee(VOID) {
    PVOID Objects[2] = {&Sketch.Stop, &End.Disconnected};
    NTSTATUS Status;

    Status = EndSend(&End);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    KeWaitForSingleObject(&End.Result, Executive, KernelMode, FALSE, NULL);
    KeWaitForMultipleObjects(2, Objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL);
    SyncDisconnect(End.Connector);
    NdksimCounter("sent", (ULONG64)End.Succeeded);
    NdksimCounter("send_failed", (ULONG64)(End.Failed + End.Cancelled));
    NdksimCounter("disconnects", (ULONG64)End.DisconnectEvents);
    DbgPrint("s16: send: 0x%08X, %u disconnect events\n",
             End.Succeeded != 0 ? STATUS_SUCCESS : End.LastFailure, (ULONG)End.DisconnectEvents);
    return STATUS_SUCCESS;
}

NTSTATUS SketchMain(VOID) {
    NTSTATUS Status;

    Status = EndOpen(&End, &Sketch.Rdma);
    if (NT_SUCCESS(Status)) {
        Status = EndConnectPatiently(&End);
    }
    if (NT_SUCCESS(Status)) {
        Status = SendAndSee();
    }
    EndClose(&End);
    return Status;
}
