/* SPDX-License-Identifier: Apache-2.0 */
/* Memory windows: creation, token, end; see mw.h. */
#include "adapter.h"

/* A key has 256 variants; the one it is born with is never told. */
#define RNIC_BINDS_PER_KEY 255u

static VOID MwClosing(PRNIC_OBJECT Object);
static BOOLEAN MwRetire(PRNIC_OBJECT Object, BOOLEAN Polled);
static VOID MwRelease(PRNIC_OBJECT Object);

static const RNIC_OBJECT_CLASS MwClass = {
    .Type = NdkObjectTypeMw,
    .Name = "mw",
    .Closing = MwClosing,
    .Retire = MwRetire,
    .Release = MwRelease,
};

static PRNIC_MW MwOfObject(PRNIC_OBJECT Object) {
    return CONTAINING_RECORD(Object, RNIC_MW, Object);
}

static UINT32 NdkGetRemoteTokenFromMw(NDK_MW *pNdkMw) {
    PRNIC_MW Mw = MwOf(pNdkMw);

    return Mw->HasToken ? Mw->Key : RNIC_KEY_NONE;
}

static const NDK_MW_DISPATCH MwDispatch = {
    .NdkCloseMw = NdkCloseObject,
    .NdkQueryExtension = NdkQueryExtension,
    .NdkGetRemoteTokenFromMw = NdkGetRemoteTokenFromMw,
};

static VOID MwTableAdd(PRNIC_MW Mw) {
    RNIC_WINDOWS *Windows = &Mw->Object.Owner->Windows;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Windows->Lock, &Lock);
    InsertHeadList(&Windows->Table[RNIC_KEY_INDEX(Mw->Key) % RTL_NUMBER_OF(Windows->Table)],
                   &Mw->TableLink);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static VOID MwTableRemove(PRNIC_MW Mw) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Mw->Object.Owner->Windows.Lock, &Lock);
    RemoveEntryList(&Mw->TableLink);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static VOID MwCreateFill(const RNIC_COMMAND *Command, PVOID Input) {
    const RNIC_MW *Mw = Command->Context;
    struct rnic_mkey_create *Create = Input;

    Create->pdn = Mw->Pd->Pdn;
    Create->kind = RNIC_MKEY_WINDOW_2;
}

static VOID MwCreateCommand(PRNIC_MW Mw, PRNIC_COMMAND Command) {
    CommandInit(Command, RNIC_CMD_CREATE_MKEY, 0);
    Command->Context = Mw;
    Command->InBytes = sizeof(struct rnic_mkey_create);
    Command->Data.Fill = MwCreateFill;
}

static NTSTATUS MwCreateEnd(PRNIC_MW Mw) {
    NTSTATUS Status = CommandNtStatus(Mw->Command.Status);

    if (NT_SUCCESS(Status)) {
        Mw->Key = (ULONG)Mw->Command.Argument;
        Mw->Created = TRUE;
        MwTableAdd(Mw);
    }
    return Status;
}

static VOID MwCreateDone(PRNIC_COMMAND Command) {
    PRNIC_MW Mw = Command->Context;
    NTSTATUS Status = MwCreateEnd(Mw);

    RequestComplete(&Mw->Object.Request, Status);
}

static PRNIC_MW MwNew(PRNIC_PD Pd) {
    PRNIC_MW Mw = PoolGet(sizeof(*Mw));

    if (Mw == NULL) {
        return NULL;
    }
    ObjectInit(&Mw->Object, Pd->Object.Owner, &MwClass, Pd->Object.Ndk.Header.Version);
    Mw->Object.Ndk.Mw.Dispatch = &MwDispatch;
    Mw->Pd = Pd;
    InitializeListHead(&Mw->Bindings);
    ObjectGet(&Pd->Object, RefSuccessor);
    return Mw;
}

static NTSTATUS MwCount(PRNIC_MW Mw) {
    PRNIC_ADAPTER Adapter = Mw->Object.Owner;

    if (!AdapterCountUp(&Adapter->MwCount, Adapter->Capabilities.MaxMwCount)) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Mw->Counted = TRUE;
    return STATUS_SUCCESS;
}

NTSTATUS NdkCreateMw(NDK_PD *pNdkPd, NDK_FN_CREATE_COMPLETION CreateCompletion,
                     PVOID RequestContext, NDK_MW **ppNdkMw) {
    PRNIC_PD Pd = PdOf(pNdkPd);
    PRNIC_ADAPTER Adapter = Pd->Object.Owner;
    PRNIC_MW Mw;
    RNIC_SHAPE Shape;
    NTSTATUS Status;

    if (!ObjectIsOpen(&Pd->Object)) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    if (Adapter->Info.MaxWindowSize == 0) {
        return STATUS_NOT_SUPPORTED;
    }
    Mw = MwNew(Pd);
    if (Mw == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Shape = AnswerChoose(Adapter, pNdkPd, "answer.create_mw", ShapePending);
    RequestBeginCreate(&Mw->Object.Request, &Mw->Object, Shape, CreateCompletion, RequestContext);
    Status = AnswerFault(pNdkPd, "provider.create_mw.insufficient_resources")
                 ? STATUS_INSUFFICIENT_RESOURCES
                 : MwCount(Mw);
    if (!NT_SUCCESS(Status)) {
        return RequestAnswerCreate(&Mw->Object.Request, Status, (PVOID *)ppNdkMw);
    }
    MwCreateCommand(Mw, &Mw->Command);
    if (Shape == ShapePending) {
        CommandSubmit(Adapter, &Mw->Command, MwCreateDone, Mw);
        return STATUS_PENDING;
    }
    CommandPolled(Adapter, &Mw->Command, NULL, 0);
    Status = MwCreateEnd(Mw);
    return RequestAnswerCreate(&Mw->Object.Request, Status, (PVOID *)ppNdkMw);
}

ULONG MwNextKey(const RNIC_MW *Mw) {
    return (Mw->Key & ~0xFFu) | (UCHAR)(Mw->Key + 1);
}

BOOLEAN MwRenewKey(PRNIC_MW Mw, PRNIC_QP Qp) {
    PRNIC_ADAPTER Adapter = Mw->Object.Owner;
    RNIC_COMMAND Command;
    ULONG Old = Mw->Key;

    if (Mw->BindsOfKey < RNIC_BINDS_PER_KEY) {
        return TRUE;
    }
    WindowsSettleFinished(Qp);
    if (!WindowIsQuiet(Mw)) {
        return TRUE;
    }
    MwCreateCommand(Mw, &Command);
    if (CommandPolled(Adapter, &Command, NULL, 0) != RNIC_STATUS_OK) {
        return FALSE;
    }
    MwTableRemove(Mw);
    Mw->Key = (ULONG)Command.Argument;
    Mw->BindsOfKey = 0;
    MwTableAdd(Mw);
    CommandInit(&Command, RNIC_CMD_DESTROY_MKEY, RNIC_KEY_INDEX(Old));
    CommandPolled(Adapter, &Command, NULL, 0);
    return TRUE;
}

/* Requests about it are let through to their ends; it waits for them. */
static VOID MwClosing(PRNIC_OBJECT Object) {
    WindowsWatch(Object->Owner);
}

static VOID MwDestroyDone(PRNIC_COMMAND Command) {
    PRNIC_MW Mw = Command->Context;

    if (!CommandGivenAgain(Mw->Object.Owner, Command)) {
        ObjectRetired(&Mw->Object);
    }
}

/* A window that is still bound goes unbound with its object. */
static BOOLEAN MwRetire(PRNIC_OBJECT Object, BOOLEAN Polled) {
    PRNIC_MW Mw = MwOfObject(Object);

    if (!Mw->Created) {
        return TRUE;
    }
    MwTableRemove(Mw);
    CommandInit(&Mw->Command, RNIC_CMD_DESTROY_MKEY, RNIC_KEY_INDEX(Mw->Key));
    if (Polled) {
        CommandPolledFirmly(Object->Owner, &Mw->Command);
        return TRUE;
    }
    CommandSubmit(Object->Owner, &Mw->Command, MwDestroyDone, Mw);
    return FALSE;
}

static VOID MwRelease(PRNIC_OBJECT Object) {
    PRNIC_MW Mw = MwOfObject(Object);
    PRNIC_PD Pd = Mw->Pd;

    WindowsMwEnd(Mw);
    if (Mw->Counted) {
        InterlockedDecrement(&Object->Owner->MwCount);
    }
    PoolPut(Mw);
    ObjectPut(&Pd->Object, RefSuccessor);
}
