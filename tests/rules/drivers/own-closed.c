/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goes on with an object that it has closed, by the pointer that it still has, as a C driver does:
 * the table is read out of the object each time. Kind: NDK_OBJECT_TYPE. Use: 0, closes it again at
 * once, completed or not; 1, when the close has completed, calls every function of its table, an
 * adapter's by WSK last; 2, calls the second function only. Of an object that is open: 3, calls
 * function Index with a bad pointer in the place of each argument; 4, frees its memory as pool.
 */
#include "sketch.h"

#include <ndksim_tables.h>

#define USE_CLOSE_AT_ONCE 0u
#define USE_ALL 1u
#define USE_BAD_POINTERS 3u
#define USE_FREE 4u

typedef NTSTATUS (*ANY_FUNCTION)(PVOID Object, ULONG_PTR, ULONG_PTR, ULONG_PTR, ULONG_PTR,
                                 ULONG_PTR, ULONG_PTR, ULONG_PTR, ULONG_PTR, ULONG_PTR, ULONG_PTR);

static CONST ULONG TableBytes[NdkObjectTypeMax] = NDKSIM_TABLE_BYTES;

static NDK_PD *Pd;
static NDK_CQ *Cq;
static CLOSE_GROUP Closes;
static LONG volatile Calls; /* what counts behind its call stays on the stack until then */

static VOID OnConnect(PVOID Context, NDK_CONNECTOR *Connector) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(Connector);
}

static NTSTATUS MakeSharedEndpoint(NDK_ADAPTER *Adapter, NDK_SHARED_ENDPOINT **Made) {
    SYNC_WAIT Wait;
    NTSTATUS Status;

    SyncInit(&Wait);
    *Made = NULL;
    Status = SyncFinish(
        &Wait, Adapter->Dispatch->NdkCreateSharedEndpoint(
                   Adapter, &Sketch.Source.Plain, Sketch.Source.Bytes, SyncCreated, &Wait, Made));
    if (Wait.Object != NULL) {
        *Made = (NDK_SHARED_ENDPOINT *)Wait.Object;
    }
    return Status;
}

static NTSTATUS MakeSrq(NDK_SRQ **Made) {
    SYNC_WAIT Wait;
    NTSTATUS Status;

    SyncInit(&Wait);
    *Made = NULL;
    Status = SyncFinish(
        &Wait, Pd->Dispatch->NdkCreateSrq(Pd, 4, 1, 0, NULL, NULL, NULL, SyncCreated, &Wait, Made));
    if (Wait.Object != NULL) {
        *Made = (NDK_SRQ *)Wait.Object;
    }
    return Status;
}

static NTSTATUS Make(ULONG Kind, PVOID *Object) {
    static const SYNC_QP_SIZES Sizes = {4, 4, 1, 1, 0};
    NDK_ADAPTER *Adapter = Sketch.Rdma.Adapter;

    switch (Kind) {
    case NdkObjectTypeAdapter:
        *Object = Adapter;
        return STATUS_SUCCESS;
    case NdkObjectTypeQp:
        return SyncCreateQp(Pd, Cq, Cq, NULL, &Sizes, (NDK_QP **)Object);
    case NdkObjectTypeCq:
        return SyncCreateCq(Adapter, SKETCH_DEPTH, NULL, NULL, (NDK_CQ **)Object);
    case NdkObjectTypeMr:
        return SyncCreateMr(Pd, FALSE, (NDK_MR **)Object);
    case NdkObjectTypeMw:
        return SyncCreateMw(Pd, (NDK_MW **)Object);
    case NdkObjectTypePd:
        return SyncCreatePd(Adapter, (NDK_PD **)Object);
    case NdkObjectTypeSharedEndpoint:
        return MakeSharedEndpoint(Adapter, (NDK_SHARED_ENDPOINT **)Object);
    case NdkObjectTypeConnector:
        return SyncCreateConnector(Adapter, (NDK_CONNECTOR **)Object);
    case NdkObjectTypeListener:
        return SyncCreateListener(Adapter, OnConnect, NULL, (NDK_LISTENER **)Object);
    default:
        return MakeSrq((NDK_SRQ **)Object);
    }
}

/* All objects begin alike; all tables but an adapter's begin with the close. */
static DECLSPEC_NOINLINE VOID CloseFirst(PVOID Object) {
    NDK_CQ *Any = Object;

    CloseGroupStart(&Closes, &Any->Header, Any->Dispatch->NdkCloseCq);
    Calls++;
}

static DECLSPEC_NOINLINE VOID CloseAgain(PVOID Object) {
    NDK_CQ *Any = Object;

    CloseGroupStart(&Closes, &Any->Header, Any->Dispatch->NdkCloseCq);
    Calls += 2; /* or it would be folded with the other one */
}

static DECLSPEC_NOINLINE VOID UseClosed(PVOID Object, ULONG First, ULONG Behind) {
    ULONG Index;

    for (Index = First; Index < Behind; Index++) {
        CONST ANY_FUNCTION *Table = *(CONST ANY_FUNCTION * CONST *)&((NDK_CQ *)Object)->Dispatch;

        (VOID) Table[Index](Object, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
}

static ULONG_PTR BadPointer(VOID) {
    PVOID Freed = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, 'daB ');

    if (Freed != NULL) {
        ExFreePoolWithTag(Freed, 'daB ');
    }
    switch (NdksimRegistryUlong(L"Bad", 0)) {
    case 0:
        return 0;
    case 1:
        return 1;
    case 2:
        return (ULONG_PTR)0x8000000000001000;
    default:
        return (ULONG_PTR)Freed;
    }
}

static DECLSPEC_NOINLINE VOID UseBadly(PVOID Object) {
    CONST ANY_FUNCTION *Table = *(CONST ANY_FUNCTION * CONST *)&((NDK_CQ *)Object)->Dispatch;
    ULONG_PTR Bad = BadPointer();

    (VOID) Table[NdksimRegistryUlong(L"Index", 0)](Object, Bad, Bad, Bad, Bad, Bad, Bad, Bad, Bad,
                                                   Bad, Bad);
}

static VOID Err(ULONG Kind, ULONG Use, PVOID Object) {
    ULONG Count = TableBytes[Kind] / sizeof(PVOID);

    CloseGroupInit(&Closes);
    if (Use == USE_BAD_POINTERS) {
        UseBadly(Object);
    } else if (Use == USE_FREE) {
        ExFreePool(Object); /* the provider's */
    }
    if (Kind == NdkObjectTypeAdapter) {
        AdapterShut(&Sketch.Rdma);
    } else {
        CloseFirst(Object);
    }
    if (Use != USE_CLOSE_AT_ONCE) {
        CloseGroupWait(&Closes);
        CloseGroupInit(&Closes);
        UseClosed(Object, Use == USE_ALL ? 0 : 1, Use == USE_ALL ? Count : 2);
    }
    if (Kind == NdkObjectTypeAdapter) {
        Sketch.Rdma.Ndk.WskCloseNdkAdapter(Sketch.Rdma.Npi.Client, Object);
    } else if (Use == USE_CLOSE_AT_ONCE) {
        CloseAgain(Object);
    }
    CloseGroupWait(&Closes);
}

NTSTATUS SketchMain(VOID) {
    ULONG Kind = NdksimRegistryUlong(L"Kind", NdkObjectTypePd);
    ULONG Use = NdksimRegistryUlong(L"Use", USE_ALL);
    PVOID Object = NULL;
    NTSTATUS Status = STATUS_SUCCESS;

    if (Kind != NdkObjectTypeAdapter) {
        Status = SyncCreatePd(Sketch.Rdma.Adapter, &Pd);
        if (NT_SUCCESS(Status)) {
            Status = SyncCreateCq(Sketch.Rdma.Adapter, 2 * SKETCH_DEPTH, NULL, NULL, &Cq);
        }
    }
    if (NT_SUCCESS(Status)) {
        Status = Make(Kind, &Object);
    }
    if (NT_SUCCESS(Status)) {
        Err(Kind, Use, Object);
    }
    if (Cq != NULL) {
        SyncClose(&Cq->Header, Cq->Dispatch->NdkCloseCq);
    }
    if (Pd != NULL) {
        SyncClose(&Pd->Header, Pd->Dispatch->NdkClosePd);
    }
    return Status;
}
