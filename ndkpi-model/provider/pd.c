/* SPDX-License-Identifier: Apache-2.0 */
/* Protection domains: creation, the privileged token, end. */
#include "adapter.h"

static BOOLEAN PdRetire(PRNIC_OBJECT Object, BOOLEAN Polled);
static VOID PdRelease(PRNIC_OBJECT Object);

static const RNIC_OBJECT_CLASS PdClass = {
    .Type = NdkObjectTypePd,
    .Name = "pd",
    .Retire = PdRetire,
    .Release = PdRelease,
};

static PRNIC_PD PdOfObject(PRNIC_OBJECT Object) {
    return CONTAINING_RECORD(Object, RNIC_PD, Object);
}

static NTSTATUS PdCreateEnd(PRNIC_PD Pd) {
    NTSTATUS Status = CommandNtStatus(Pd->Command.Status);

    if (NT_SUCCESS(Status)) {
        Pd->Pdn = Pd->Command.Number;
        Pd->PrivilegedKey = (ULONG)Pd->Command.Argument;
        Pd->Created = TRUE;
    }
    return Status;
}

static VOID PdCreateDone(PRNIC_COMMAND Command) {
    PRNIC_PD Pd = Command->Context;
    NTSTATUS Status = PdCreateEnd(Pd);

    RequestComplete(&Pd->Object.Request, Status);
}

static PRNIC_PD PdNew(PRNIC_OPEN Open) {
    PRNIC_PD Pd = PoolGet(sizeof(*Pd));

    if (Pd == NULL) {
        return NULL;
    }
    ObjectInit(&Pd->Object, Open->Object.Owner, &PdClass, Open->Object.Ndk.Header.Version);
    Pd->Object.Ndk.Pd.Dispatch = &PdDispatch;
    Pd->Open = Open;
    ObjectGet(&Open->Object, RefSuccessor);
    return Pd;
}

static NTSTATUS PdCount(PRNIC_PD Pd) {
    PRNIC_ADAPTER Adapter = Pd->Object.Owner;

    if (!AdapterCountUp(&Adapter->PdCount, Adapter->Capabilities.MaxPdCount)) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Pd->Counted = TRUE;
    return STATUS_SUCCESS;
}

NTSTATUS NdkCreatePd(NDK_ADAPTER *pNdkAdapter, NDK_FN_CREATE_COMPLETION CreateCompletion,
                     PVOID RequestContext, NDK_PD **ppNdkPd) {
    PRNIC_OPEN Open = OpenOf(pNdkAdapter);
    PRNIC_ADAPTER Adapter = Open->Object.Owner;
    PRNIC_PD Pd = PdNew(Open);
    RNIC_SHAPE Shape;
    NTSTATUS Status;

    if (Pd == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Shape = AnswerChoose(Adapter, pNdkAdapter, "answer.create_pd", ShapePending);
    RequestBeginCreate(&Pd->Object.Request, &Pd->Object, Shape, CreateCompletion, RequestContext);
    Status = AnswerFault(pNdkAdapter, "provider.create_pd.insufficient_resources")
                 ? STATUS_INSUFFICIENT_RESOURCES
                 : PdCount(Pd);
    if (!NT_SUCCESS(Status)) {
        return RequestAnswerCreate(&Pd->Object.Request, Status, (PVOID *)ppNdkPd);
    }
    CommandInit(&Pd->Command, RNIC_CMD_CREATE_PD, 0);
    if (Shape == ShapePending) {
        CommandSubmit(Adapter, &Pd->Command, PdCreateDone, Pd);
        return STATUS_PENDING;
    }
    CommandPolled(Adapter, &Pd->Command, NULL, 0);
    Status = PdCreateEnd(Pd);
    return RequestAnswerCreate(&Pd->Object.Request, Status, (PVOID *)ppNdkPd);
}

static VOID PdDestroyDone(PRNIC_COMMAND Command) {
    PRNIC_PD Pd = Command->Context;

    if (!CommandGivenAgain(Pd->Object.Owner, Command)) {
        ObjectRetired(&Pd->Object);
    }
}

static BOOLEAN PdRetire(PRNIC_OBJECT Object, BOOLEAN Polled) {
    PRNIC_PD Pd = PdOfObject(Object);

    if (!Pd->Created) {
        return TRUE;
    }
    CommandInit(&Pd->Command, RNIC_CMD_DESTROY_PD, Pd->Pdn);
    if (Polled) {
        CommandPolledFirmly(Object->Owner, &Pd->Command);
        return TRUE;
    }
    CommandSubmit(Object->Owner, &Pd->Command, PdDestroyDone, Pd);
    return FALSE;
}

static VOID PdRelease(PRNIC_OBJECT Object) {
    PRNIC_PD Pd = PdOfObject(Object);
    PRNIC_OPEN Open = Pd->Open;

    if (Pd->Counted) {
        InterlockedDecrement(&Object->Owner->PdCount);
    }
    PoolPut(Pd);
    ObjectPut(&Open->Object, RefSuccessor);
}

static VOID NdkGetPrivilegedMemoryRegionToken(NDK_PD *pNdkPd, UINT32 *pToken) {
    PRNIC_PD Pd = PdOf(pNdkPd);

    *pToken = TokenFromKey(Pd->Object.Owner, Pd->PrivilegedKey);
}

const NDK_PD_DISPATCH PdDispatch = {
    .NdkClosePd = NdkCloseObject,
    .NdkQueryExtension = NdkQueryExtension,
    .NdkCreateMr = NdkCreateMr,
    .NdkCreateMw = NdkCreateMw,
    .NdkCreateSrq = NdkCreateSrq,
    .NdkCreateQp = NdkCreateQp,
    .NdkCreateQpWithSrq = NdkCreateQpWithSrq,
    .NdkGetPrivilegedMemoryRegionToken = NdkGetPrivilegedMemoryRegionToken,
};
