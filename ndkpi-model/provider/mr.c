/* SPDX-License-Identifier: Apache-2.0 */
/* Memory regions: creation, tokens, end; see mr.h. */
#include "adapter.h"

static VOID MrClosing(PRNIC_OBJECT Object);
static BOOLEAN MrRetire(PRNIC_OBJECT Object, BOOLEAN Polled);
static VOID MrRelease(PRNIC_OBJECT Object);

static const RNIC_OBJECT_CLASS MrClass = {
    .Type = NdkObjectTypeMr,
    .Name = "mr",
    .Closing = MrClosing,
    .Retire = MrRetire,
    .Release = MrRelease,
};

static PRNIC_MR MrOfObject(PRNIC_OBJECT Object) {
    return CONTAINING_RECORD(Object, RNIC_MR, Object);
}

/* The region whose key is given to remote peers, and read by them in requests. */
static UINT32 NdkGetRemoteTokenFromMr(NDK_MR *pNdkMr) {
    return MrOf(pNdkMr)->Key;
}

static UINT32 NdkGetLocalTokenFromMr(NDK_MR *pNdkMr) {
    PRNIC_MR Mr = MrOf(pNdkMr);
    ULONG Key = Mr->Key;

    return Key == RNIC_KEY_NONE ? 0 : TokenFromKey(Mr->Object.Owner, Key);
}

static const NDK_MR_DISPATCH MrDispatch = {
    .NdkCloseMr = NdkCloseObject,
    .NdkQueryExtension = NdkQueryExtension,
    .NdkRegisterMr = NdkRegisterMr,
    .NdkDeregisterMr = NdkDeregisterMr,
    .NdkInitializeFastRegisterMr = NdkInitializeFastRegisterMr,
    .NdkGetRemoteTokenFromMr = NdkGetRemoteTokenFromMr,
    .NdkGetLocalTokenFromMr = NdkGetLocalTokenFromMr,
};

/* Nothing to ask the device for: it hears of the region when it is registered. */
NTSTATUS NdkCreateMr(NDK_PD *pNdkPd, BOOLEAN FastRegister,
                     NDK_FN_CREATE_COMPLETION CreateCompletion, PVOID RequestContext,
                     NDK_MR **ppNdkMr) {
    PRNIC_PD Pd = PdOf(pNdkPd);
    PRNIC_ADAPTER Adapter = Pd->Object.Owner;
    PRNIC_MR Mr;
    RNIC_SHAPE Shape;
    NTSTATUS Status = STATUS_SUCCESS;

    if (!ObjectIsOpen(&Pd->Object)) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    Mr = PoolGet(sizeof(*Mr));
    if (Mr == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    ObjectInit(&Mr->Object, Adapter, &MrClass, Pd->Object.Ndk.Header.Version);
    Mr->Object.Ndk.Mr.Dispatch = &MrDispatch;
    Mr->Pd = Pd;
    Mr->FastRegister = FastRegister != FALSE;
    ObjectGet(&Pd->Object, RefSuccessor);
    Shape = AnswerChoose(Adapter, pNdkPd, "answer.create_mr", ShapeInline);
    RequestBeginCreate(&Mr->Object.Request, &Mr->Object, Shape, CreateCompletion, RequestContext);
    if (AnswerFault(pNdkPd, "provider.create_mr.insufficient_resources") ||
        !AdapterCountUp(&Adapter->MrCount, Adapter->Capabilities.MaxMrCount)) {
        Status = STATUS_INSUFFICIENT_RESOURCES;
    } else {
        Mr->Counted = TRUE;
    }
    return RequestAnswerCreate(&Mr->Object.Request, Status, (PVOID *)ppNdkMr);
}

/* Windows that were bound to it and no longer are do not hold it. */
static VOID MrClosing(PRNIC_OBJECT Object) {
    WindowsWatch(Object->Owner);
}

static VOID MrDestroyDone(PRNIC_COMMAND Command) {
    PRNIC_MR Mr = Command->Context;

    if (!CommandGivenAgain(Mr->Object.Owner, Command)) {
        ObjectRetired(&Mr->Object);
    }
}

/* A region that is still registered goes with its object. */
static BOOLEAN MrRetire(PRNIC_OBJECT Object, BOOLEAN Polled) {
    PRNIC_MR Mr = MrOfObject(Object);

    if (Mr->Key == RNIC_KEY_NONE) {
        return TRUE;
    }
    CommandInit(&Mr->Command, RNIC_CMD_DESTROY_MKEY, RNIC_KEY_INDEX(Mr->Key));
    if (Polled) {
        CommandPolledFirmly(Object->Owner, &Mr->Command);
        return TRUE;
    }
    CommandSubmit(Object->Owner, &Mr->Command, MrDestroyDone, Mr);
    return FALSE;
}

static VOID MrRelease(PRNIC_OBJECT Object) {
    PRNIC_MR Mr = MrOfObject(Object);
    PRNIC_PD Pd = Mr->Pd;

    if (Mr->Counted) {
        InterlockedDecrement(&Object->Owner->MrCount);
    }
    PoolPut(Mr->Drain);
    PoolPut(Mr);
    ObjectPut(&Pd->Object, RefSuccessor);
}
