/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the peer has gone nothing can come any more: at the disconnect event the buffer that waits
 * for a message is given back. The receive is still posted, and its result is still to come.
 */
#include "sketch.h"

static SKETCH_END End;
static PUCHAR Buffer;

/* The region is made anew around a buffer of our own. */
static NTSTATUS Register(VOID) {
    RegionClose(&End.Region);
    RegionFree(&End.Region);
    return RegionCreate(&End.Region, End.Pd, Buffer, SKETCH_MESSAGE_BYTES,
                        NDK_MR_FLAG_ALLOW_LOCAL_WRITE);
}

static NTSTATUS Receive(VOID) {
    NDK_SGE Sge;

    Sge.VirtualAddress = Buffer;
    Sge.Length = SKETCH_MESSAGE_BYTES;
    Sge.MemoryRegionToken = End.Region.LocalToken;
    return End.Qp->Dispatch->NdkReceive(End.Qp, NULL, &Sge, 1);
}

static VOID WaitForMessageOrEnd(VOID) {
    PVOID Waits[] = {&End.Result, &End.Disconnected};

    if (KeWaitForMultipleObjects(2, Waits, WaitAny, Executive, KernelMode, FALSE, NULL, NULL) ==
        STATUS_WAIT_0 + 1) {
        ExFreePoolWithTag(Buffer, SKETCH_POOL_TAG);
        Buffer = NULL;
    }
}

NTSTATUS SketchMain(VOID) {
    NTSTATUS Status = EndOpen(&End, &Sketch.Rdma);

    ThreadSleep(&Sketch.Stop, 10000); /* the peer listens by then */
    Buffer = ExAllocatePoolWithTag(NonPagedPoolNx, SKETCH_MESSAGE_BYTES, SKETCH_POOL_TAG);
    if (NT_SUCCESS(Status) && Buffer != NULL) {
        Status = Register();
    }
    if (NT_SUCCESS(Status) && Buffer != NULL) {
        Status = Receive();
    }
    if (NT_SUCCESS(Status)) {
        Status = EndConnect(&End, &Sketch.Source, &Sketch.Remote);
    }
    if (NT_SUCCESS(Status)) {
        WaitForMessageOrEnd();
        SyncDisconnect(End.Connector);
    }
    EndClose(&End);
    if (Buffer != NULL) {
        ExFreePoolWithTag(Buffer, SKETCH_POOL_TAG);
    }
    return STATUS_SUCCESS;
}
