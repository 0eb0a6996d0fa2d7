/* SPDX-License-Identifier: Apache-2.0 */
/* Registration, deregistration and fast-register initialisation; see mr.h for the states. */
#include "adapter.h"

/* How soon a deregistration asks again at first, and at last. */
#define MR_DRAIN_US 10u
#define MR_DRAIN_MAX_US 10000u
/* So many addresses are gathered on the stack. */
#define MR_PAGES_FEW 16u

static BOOLEAN MrStep(PRNIC_MR Mr, RNIC_MR_STATE From, RNIC_MR_STATE To) {
    return InterlockedCompareExchange(&Mr->State, To, From) == (LONG)From;
}

/* FALSE: flags that the page does not list, or remote write without local write (F-28). */
static BOOLEAN RightsFromFlags(ULONG Flags, PULONG Rights) {
    *Rights = 0;
    if ((Flags & NDK_MR_FLAG_ALLOW_LOCAL_WRITE) != 0) {
        *Rights |= RNIC_RIGHT_LOCAL_WRITE;
    }
    if ((Flags & NDK_MR_FLAG_ALLOW_REMOTE_READ) != 0) {
        *Rights |= RNIC_RIGHT_REMOTE_READ;
    }
    if ((Flags & NDK_MR_FLAG_RDMA_READ_SINK) != 0) {
        *Rights |= RNIC_RIGHT_READ_SINK;
    }
    if ((Flags & RNIC_MR_REMOTE_WRITE_BIT) != 0) {
        if ((Flags & NDK_MR_FLAG_ALLOW_REMOTE_WRITE) != NDK_MR_FLAG_ALLOW_REMOTE_WRITE) {
            return FALSE;
        }
        *Rights |= RNIC_RIGHT_REMOTE_WRITE;
    }
    return (Flags & ~(NDK_MR_FLAG_ALLOW_REMOTE_WRITE | NDK_MR_FLAG_ALLOW_REMOTE_READ |
                      NDK_MR_FLAG_RDMA_READ_SINK)) == 0;
}

static NTSTATUS MrDescribe(PRNIC_MR Mr, MDL *Mdl, SIZE_T Length) {
    ULONG Count = MdlPageCount(Mdl, Length);
    ULONG64 Few[MR_PAGES_FEW];
    ULONG64 *Addresses = Few;
    NTSTATUS Status;

    if (Count > RNIC_DMA_LISTS_MAX) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    if (Count > MR_PAGES_FEW) {
        Addresses = PoolGet(Count * sizeof(*Addresses));
    }
    if (Addresses == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Status = MdlPages(Mdl, Length, Addresses);
    if (NT_SUCCESS(Status)) {
        Status = DmaDescribe(Mr->Object.Owner, Addresses, Count, &Mr->Pages, &Mr->Lists);
    }
    if (Addresses != Few) {
        PoolPut(Addresses);
    }
    return Status;
}

static VOID MrRegisterFill(const RNIC_COMMAND *Command, PVOID Input) {
    const RNIC_MR *Mr = CONTAINING_RECORD(Command, RNIC_MR, Command);
    struct rnic_mkey_create *Create = Input;

    Create->pages = Mr->Pages;
    Create->base = Mr->Base;
    Create->length = Mr->Length;
    Create->pdn = Mr->Pd->Pdn;
    Create->rights = Mr->Rights | RNIC_RIGHT_BIND; /* windows are checked against Mr->Rights */
    Create->kind = RNIC_MKEY_REGION;
}

static NTSTATUS MrRegisterCommand(PRNIC_MR Mr, MDL *Mdl, SIZE_T Length, ULONG Rights) {
    CommandInit(&Mr->Command, RNIC_CMD_CREATE_MKEY, 0);
    Mr->Command.InBytes = sizeof(struct rnic_mkey_create);
    Mr->Command.Data.Fill = MrRegisterFill;
    Mr->Base = (ULONG_PTR)MmGetMdlVirtualAddress(Mdl);
    Mr->Length = Length;
    Mr->Rights = Rights;
    return MrDescribe(Mr, Mdl, Length);
}

static NTSTATUS MrRegisterEnd(PRNIC_MR Mr) {
    NTSTATUS Status = CommandNtStatus(Mr->Command.Status);

    DmaPut(Mr->Object.Owner, &Mr->Lists);
    if (NT_SUCCESS(Status)) {
        Mr->Key = (ULONG)Mr->Command.Argument;
    }
    MrStep(Mr, MrChanging, NT_SUCCESS(Status) ? MrRegistered : MrIdle);
    return Status;
}

static VOID MrRegisterDone(PRNIC_COMMAND Command) {
    PRNIC_MR Mr = Command->Context;
    NTSTATUS Status = MrRegisterEnd(Mr);

    RequestComplete(&Mr->Object.Request, Status);
}

NTSTATUS NdkRegisterMr(NDK_MR *pNdkMr, MDL *Mdl, SIZE_T Length, ULONG Flags,
                       NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext) {
    PRNIC_MR Mr = MrOf(pNdkMr);
    PRNIC_ADAPTER Adapter = Mr->Object.Owner;
    RNIC_SHAPE Shape;
    NTSTATUS Status;
    ULONG Rights;

    if (Length == 0 || Length > Adapter->Info.MaxRegistrationSize ||
        !RightsFromFlags(Flags, &Rights)) {
        return STATUS_INVALID_PARAMETER;
    }
    Status = MdlPages(Mdl, Length, NULL);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    if (!ObjectIsOpen(&Mr->Object)) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    if (Mr->FastRegister || !MrStep(Mr, MrIdle, MrChanging)) {
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    Shape = AnswerChoose(Adapter, pNdkMr, "answer.register_mr", ShapePending);
    Status = MrRegisterCommand(Mr, Mdl, Length, Rights);
    RequestBegin(&Mr->Object.Request, &Mr->Object, Shape, RequestCompletion, RequestContext);
    if (AnswerFault(pNdkMr, "provider.register_mr.insufficient_resources")) {
        Status = STATUS_INSUFFICIENT_RESOURCES;
    }
    if (!NT_SUCCESS(Status)) {
        DmaPut(Adapter, &Mr->Lists);
        MrStep(Mr, MrChanging, MrIdle);
        return RequestAnswer(&Mr->Object.Request, Status);
    }
    if (Shape == ShapePending) {
        CommandSubmit(Adapter, &Mr->Command, MrRegisterDone, Mr);
        return STATUS_PENDING;
    }
    CommandPolled(Adapter, &Mr->Command, NULL, 0);
    Status = MrRegisterEnd(Mr);
    return RequestAnswer(&Mr->Object.Request, Status);
}

/* With windows bound to it the region stays as it was (F-13). */
static NTSTATUS MrDeregisterEnd(PRNIC_MR Mr) {
    BOOLEAN Busy = Mr->Command.Status == RNIC_STATUS_BUSY;

    if (!Busy) {
        Mr->Key = RNIC_KEY_NONE;
    }
    MrStep(Mr, MrChanging, Busy ? MrRegistered : MrIdle);
    return Busy ? STATUS_DEVICE_BUSY : STATUS_SUCCESS;
}

static VOID MrDeregisterCommand(PRNIC_MR Mr) {
    CommandInit(&Mr->Command, RNIC_CMD_DESTROY_MKEY, RNIC_KEY_INDEX(Mr->Key));
    Mr->Command.Argument = TRUE;
}

/* What a deregistration waits with; few ever do. */
typedef struct _RNIC_MR_DRAIN {
    KTIMER Timer;
    KDPC Dpc;
} RNIC_MR_DRAIN, *PRNIC_MR_DRAIN;

static VOID MrDeregisterDone(PRNIC_COMMAND Command);

static VOID MrDeregisterAgain(PRNIC_MR Mr) {
    MrDeregisterCommand(Mr);
    CommandSubmit(Mr->Object.Owner, &Mr->Command, MrDeregisterDone, Mr);
}

static VOID MrDrainRoutine(PKDPC Dpc, PVOID DeferredContext, PVOID SystemArgument1,
                           PVOID SystemArgument2) {
    UNREFERENCED_PARAMETER(Dpc);
    UNREFERENCED_PARAMETER(SystemArgument1);
    UNREFERENCED_PARAMETER(SystemArgument2);
    MrDeregisterAgain(DeferredContext);
}

static PRNIC_MR_DRAIN DrainNew(PRNIC_MR Mr) {
    PRNIC_MR_DRAIN Drain = PoolGet(sizeof(*Drain));

    if (Drain != NULL) {
        KeInitializeTimer(&Drain->Timer);
        KeInitializeDpc(&Drain->Dpc, MrDrainRoutine, Mr);
    }
    return Drain;
}

/* Messages still move through the region (F-14). Without a timer the device is asked at once. */
static VOID MrDrain(PRNIC_MR Mr) {
    LARGE_INTEGER Due;

    if (Mr->Drain == NULL) {
        Mr->Drain = DrainNew(Mr);
    }
    if (Mr->Drain == NULL) {
        MrDeregisterAgain(Mr);
        return;
    }
    Due.QuadPart = -10LL * Mr->DrainUs;
    Mr->DrainUs = min(2 * Mr->DrainUs, MR_DRAIN_MAX_US);
    KeSetTimer(&Mr->Drain->Timer, Due, &Mr->Drain->Dpc);
}

static VOID MrDeregisterDone(PRNIC_COMMAND Command) {
    PRNIC_MR Mr = Command->Context;
    NTSTATUS Status;

    if (Command->Status == RNIC_STATUS_IN_USE) {
        MrDrain(Mr);
        return;
    }
    if (CommandGivenAgain(Mr->Object.Owner, Command)) {
        return;
    }
    Status = MrDeregisterEnd(Mr);
    RequestComplete(&Mr->Object.Request, Status);
}

NTSTATUS NdkDeregisterMr(NDK_MR *pNdkMr, NDK_FN_REQUEST_COMPLETION RequestCompletion,
                         PVOID RequestContext) {
    PRNIC_MR Mr = MrOf(pNdkMr);
    PRNIC_ADAPTER Adapter = Mr->Object.Owner;
    RNIC_SHAPE Shape;
    NTSTATUS Status;

    if (!ObjectIsOpen(&Mr->Object)) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    if (Mr->FastRegister || !MrStep(Mr, MrRegistered, MrChanging)) {
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    Shape = AnswerChoose(Adapter, pNdkMr, "answer.deregister_mr", ShapePending);
    RequestBegin(&Mr->Object.Request, &Mr->Object, Shape, RequestCompletion, RequestContext);
    Mr->DrainUs = MR_DRAIN_US;
    MrDeregisterCommand(Mr);
    if (Shape == ShapePending) {
        CommandSubmit(Adapter, &Mr->Command, MrDeregisterDone, Mr);
        return STATUS_PENDING;
    }
    CommandPolledFirmly(Adapter, &Mr->Command);
    if (Mr->Command.Status == RNIC_STATUS_IN_USE) {
        MrDrain(Mr);
        return STATUS_PENDING;
    }
    Status = MrDeregisterEnd(Mr);
    return RequestAnswer(&Mr->Object.Request, Status);
}

/*
 * One initialisation of a fast-register MR. Several may be under way; the one that completes last
 * rules, so each makes a key of its own and gives the one before it back. A region that is
 * registered at that moment is left alone (F-16).
 *
 *   Asking (is the old key in use?) --no--> Making (a new key) --> Forgetting (the old one)
 */
typedef enum _RNIC_MR_INIT_STAGE {
    MrInitAsking,
    MrInitMaking,
    MrInitForgetting
} RNIC_MR_INIT_STAGE;

typedef struct _RNIC_MR_INIT {
    RNIC_REQUEST Request; /* first: it is freed with the request */
    PRNIC_MR Mr;
    RNIC_MR_INIT_STAGE Stage;
    ULONG PageCount;
    BOOLEAN RemoteAccess;
    NTSTATUS Status;
    RNIC_BOXED Boxed;
} RNIC_MR_INIT, *PRNIC_MR_INIT;

C_ASSERT(FIELD_OFFSET(RNIC_MR_INIT, Request) == 0);

static VOID MrInitMake(PRNIC_MR_INIT Init) {
    Init->Stage = MrInitMaking;
    BoxedInit(&Init->Boxed, RNIC_CMD_CREATE_MKEY, 0, sizeof(Init->Boxed.In.Mkey), 0);
    Init->Boxed.In.Mkey.pages.page_count = Init->PageCount;
    Init->Boxed.In.Mkey.pdn = Init->Mr->Pd->Pdn;
    Init->Boxed.In.Mkey.kind = RNIC_MKEY_FAST_REG;
    Init->Boxed.In.Mkey.remote_enable = Init->RemoteAccess != FALSE;
}

static BOOLEAN MrInitAsked(PRNIC_MR_INIT Init) {
    /* A key that is gone went with another initialisation. */
    if (Init->Boxed.Command.Status == RNIC_STATUS_OK &&
        Init->Boxed.In.MkeyInfo.state == RNIC_MKEY_VALID) {
        Init->Status = STATUS_INVALID_DEVICE_REQUEST;
        return FALSE;
    }
    MrInitMake(Init);
    return TRUE;
}

static BOOLEAN MrInitMade(PRNIC_MR_INIT Init) {
    PRNIC_MR Mr = Init->Mr;
    ULONG Old;

    Init->Status = CommandNtStatus(Init->Boxed.Command.Status);
    if (!NT_SUCCESS(Init->Status)) {
        return FALSE;
    }
    Mr->PageCountMax = Init->PageCount;
    Mr->RemoteAccess = Init->RemoteAccess;
    Old = (ULONG)InterlockedExchange((volatile LONG *)&Mr->Key, (LONG)Init->Boxed.Command.Argument);
    Mr->State = MrReady;
    if (Old == RNIC_KEY_NONE) {
        return FALSE;
    }
    Init->Stage = MrInitForgetting;
    CommandInit(&Init->Boxed.Command, RNIC_CMD_DESTROY_MKEY, RNIC_KEY_INDEX(Old));
    return TRUE;
}

/* The command has finished. TRUE: the next one is ready; FALSE: Init->Status is the outcome. */
static BOOLEAN MrInitNext(PRNIC_MR_INIT Init) {
    switch (Init->Stage) {
    case MrInitAsking:
        return MrInitAsked(Init);
    case MrInitMaking:
        return MrInitMade(Init);
    default:
        return CommandRefused(Init->Mr->Object.Owner, &Init->Boxed.Command);
    }
}

static VOID MrInitDone(PRNIC_COMMAND Command) {
    PRNIC_MR_INIT Init = Command->Context;

    if (MrInitNext(Init)) {
        CommandSubmit(Init->Mr->Object.Owner, &Init->Boxed.Command, MrInitDone, Init);
    } else {
        RequestComplete(&Init->Request, Init->Status);
    }
}

static PRNIC_MR_INIT MrInitNew(PRNIC_MR Mr, ULONG PageCount, BOOLEAN RemoteAccess) {
    PRNIC_MR_INIT Init = PoolGet(sizeof(*Init));

    if (Init == NULL) {
        return NULL;
    }
    Init->Request.FromPool = TRUE;
    Init->Mr = Mr;
    Init->PageCount = PageCount;
    Init->RemoteAccess = RemoteAccess;
    if (Mr->Key == RNIC_KEY_NONE) {
        MrInitMake(Init);
    } else {
        Init->Stage = MrInitAsking;
        BoxedInit(&Init->Boxed, RNIC_CMD_QUERY_MKEY, RNIC_KEY_INDEX(Mr->Key), 0,
                  sizeof(Init->Boxed.In.MkeyInfo));
    }
    return Init;
}

NTSTATUS NdkInitializeFastRegisterMr(NDK_MR *pNdkMr, ULONG AdapterPageCount, BOOLEAN RemoteAccess,
                                     NDK_FN_REQUEST_COMPLETION RequestCompletion,
                                     PVOID RequestContext) {
    PRNIC_MR Mr = MrOf(pNdkMr);
    PRNIC_ADAPTER Adapter = Mr->Object.Owner;
    PRNIC_MR_INIT Init;
    RNIC_SHAPE Shape;

    if (!ObjectIsOpen(&Mr->Object)) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    if (!Mr->FastRegister) {
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    if (AdapterPageCount == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    if (AdapterPageCount > Adapter->FrmrPageCountMax) {
        return STATUS_IMPLEMENTATION_LIMIT;
    }
    Init = MrInitNew(Mr, AdapterPageCount, RemoteAccess);
    if (Init == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Shape = AnswerChoose(Adapter, pNdkMr, "answer.initialize_fast_register_mr", ShapePending);
    RequestBegin(&Init->Request, &Mr->Object, Shape, RequestCompletion, RequestContext);
    if (AnswerFault(pNdkMr, "provider.initialize_fast_register_mr.insufficient_resources")) {
        return RequestAnswer(&Init->Request, STATUS_INSUFFICIENT_RESOURCES);
    }
    if (Shape == ShapePending) {
        CommandSubmit(Adapter, &Init->Boxed.Command, MrInitDone, Init);
        return STATUS_PENDING;
    }
    do {
        CommandPolled(Adapter, &Init->Boxed.Command, NULL, 0);
    } while (MrInitNext(Init));
    return RequestAnswer(&Init->Request, Init->Status);
}
