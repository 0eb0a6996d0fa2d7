/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A region that has not been used for a while is deregistered, so that its pages may go; whoever is
 * done with it deregisters it, too, unless that was done already. Both look, and both may find it
 * registered: the flag is taken back when the request has ended.
 */
#include "sketch.h"

#define ROUNDS 6u
#define BYTES 8192u
#define IDLE_US 20
#define WORK_US 25

typedef struct _LEASE {
    RDMA_REGION Region;
    PVOID IdleThread;
} LEASE, *PLEASE;

static VOID Pause(LONGLONG Us) {
    LARGE_INTEGER Time;

    Time.QuadPart = -10 * Us;
    KeDelayExecutionThread(KernelMode, FALSE, &Time);
}

static VOID WhenIdle(PVOID Context) {
    PLEASE Lease = Context;

    Pause(IDLE_US);
    RegionDeregister(&Lease->Region);
}

static NTSTATUS Round(NDK_PD *Pd) {
    LEASE Lease = {0};
    NTSTATUS Status = RegionCreate(&Lease.Region, Pd, NULL, BYTES, NDK_MR_FLAG_ALLOW_LOCAL_WRITE);

    if (NT_SUCCESS(Status)) {
        Status = ThreadStart(WhenIdle, &Lease, &Lease.IdleThread);
    }
    if (NT_SUCCESS(Status)) {
        Pause(WORK_US);
    }
    RegionDeregister(&Lease.Region);
    ThreadJoin(Lease.IdleThread);
    RegionClose(&Lease.Region);
    RegionFree(&Lease.Region);
    return Status;
}

NTSTATUS SketchMain(VOID) {
    NDK_PD *Pd = NULL;
    NTSTATUS Status = SyncCreatePd(Sketch.Rdma.Adapter, &Pd);
    ULONG Index;

    for (Index = 0; NT_SUCCESS(Status) && Index < ROUNDS; Index++) {
        Status = Round(Pd);
    }
    if (Pd != NULL) {
        SyncClose(&Pd->Header, Pd->Dispatch->NdkClosePd);
    }
    return Status;
}
