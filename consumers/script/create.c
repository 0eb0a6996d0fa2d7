/* SPDX-License-Identifier: Apache-2.0 */
/* Creates and closes of objects. */
#include "script.h"

/* The object that makes the new one, in its slot's place. */
static PSLOT Maker(PRUN Run, CONST STEP *Step, ULONG Member) {
    PSLOT Slot = StepObject(Run, Step, Member);
    PSLOT Made = StepSlot(Run, Step, SCRIPT_MEMBER_OBJECT);

    if (Slot != NULL && Made != NULL) {
        Made->Parent = Slot;
    }
    return Slot != NULL ? Made : NULL;
}

static PVOID MakerObject(PSLOT Made) {
    return Made->Parent->Object;
}

#define TABLE(Type) ((CONST Type *)StepTable(Run, Step, Call->Slot->Parent))

static GROUP_AFFINITY *Affinity(CONST STEP *Step, GROUP_AFFINITY *Group) {
    if (!StepHas(Step, SCRIPT_MEMBER_AFFINITY)) {
        return NULL;
    }
    RtlZeroMemory(Group, sizeof(*Group));
    Group->Mask = (KAFFINITY)StepNumber(Step, SCRIPT_MEMBER_AFFINITY, 1);
    Group->Group = (USHORT)StepNumber(Step, SCRIPT_MEMBER_GROUP, 0);
    return Group;
}

static NTSTATUS CreateCq(PRUN Run, CONST STEP *Step, PCALL Call) {
    BOOLEAN IsNull = StepIsNothing(Step, SCRIPT_MEMBER_CALLBACK);
    GROUP_AFFINITY Group;

    return TABLE(NDK_ADAPTER_DISPATCH)
        ->NdkCreateCq(MakerObject(Call->Slot), (ULONG)StepNumber(Step, SCRIPT_MEMBER_DEPTH, 64),
                      IsNull ? NULL : NotifyEvent, Call->Slot, Affinity(Step, &Group),
                      Call->Created, Call->Context, (NDK_CQ **)&Call->Out);
}

BOOLEAN StepCreateCq(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallCreates, Maker(Run, Step, SCRIPT_MEMBER_ADAPTER), CreateCq);
}

static NTSTATUS CreatePd(PRUN Run, CONST STEP *Step, PCALL Call) {
    return TABLE(NDK_ADAPTER_DISPATCH)
        ->NdkCreatePd(MakerObject(Call->Slot), Call->Created, Call->Context, (NDK_PD **)&Call->Out);
}

BOOLEAN StepCreatePd(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallCreates, Maker(Run, Step, SCRIPT_MEMBER_ADAPTER), CreatePd);
}

static NTSTATUS CreateSharedEndpoint(PRUN Run, CONST STEP *Step, PCALL Call) {
    ADDRESS Address;

    AddressOf(ArgFind(Step, SCRIPT_MEMBER_ADDRESS), &Address);
    return TABLE(NDK_ADAPTER_DISPATCH)
        ->NdkCreateSharedEndpoint(
            MakerObject(Call->Slot), &Address.Plain,
            (ULONG)StepNumber(Step, SCRIPT_MEMBER_ADDRESS_BYTES, Address.Bytes), Call->Created,
            Call->Context, (NDK_SHARED_ENDPOINT **)&Call->Out);
}

BOOLEAN StepCreateSharedEndpoint(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallCreates, Maker(Run, Step, SCRIPT_MEMBER_ADAPTER),
                    CreateSharedEndpoint);
}

static NTSTATUS CreateConnector(PRUN Run, CONST STEP *Step, PCALL Call) {
    return TABLE(NDK_ADAPTER_DISPATCH)
        ->NdkCreateConnector(MakerObject(Call->Slot), Call->Created, Call->Context,
                             (NDK_CONNECTOR **)&Call->Out);
}

BOOLEAN StepCreateConnector(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallCreates, Maker(Run, Step, SCRIPT_MEMBER_ADAPTER),
                    CreateConnector);
}

static NTSTATUS CreateListener(PRUN Run, CONST STEP *Step, PCALL Call) {
    BOOLEAN IsNull = StepIsNothing(Step, SCRIPT_MEMBER_CALLBACK);

    return TABLE(NDK_ADAPTER_DISPATCH)
        ->NdkCreateListener(MakerObject(Call->Slot), IsNull ? NULL : ConnectEvent, Call->Slot,
                            Call->Created, Call->Context, (NDK_LISTENER **)&Call->Out);
}

BOOLEAN StepCreateListener(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallCreates, Maker(Run, Step, SCRIPT_MEMBER_ADAPTER),
                    CreateListener);
}

static NTSTATUS CreateMr(PRUN Run, CONST STEP *Step, PCALL Call) {
    return TABLE(NDK_PD_DISPATCH)
        ->NdkCreateMr(MakerObject(Call->Slot), StepFlag(Step, SCRIPT_MEMBER_FAST, FALSE),
                      Call->Created, Call->Context, (NDK_MR **)&Call->Out);
}

BOOLEAN StepCreateMr(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallCreates, Maker(Run, Step, SCRIPT_MEMBER_PD), CreateMr);
}

static NTSTATUS CreateMw(PRUN Run, CONST STEP *Step, PCALL Call) {
    return TABLE(NDK_PD_DISPATCH)
        ->NdkCreateMw(MakerObject(Call->Slot), Call->Created, Call->Context, (NDK_MW **)&Call->Out);
}

BOOLEAN StepCreateMw(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallCreates, Maker(Run, Step, SCRIPT_MEMBER_PD), CreateMw);
}

static NTSTATUS CreateSrq(PRUN Run, CONST STEP *Step, PCALL Call) {
    BOOLEAN IsNull = StepIsNothing(Step, SCRIPT_MEMBER_CALLBACK);
    GROUP_AFFINITY Group;

    return TABLE(NDK_PD_DISPATCH)
        ->NdkCreateSrq(MakerObject(Call->Slot), (ULONG)StepNumber(Step, SCRIPT_MEMBER_DEPTH, 16),
                       (ULONG)StepNumber(Step, SCRIPT_MEMBER_SGE, 1),
                       (ULONG)StepNumber(Step, SCRIPT_MEMBER_THRESHOLD, 0),
                       IsNull ? NULL : SrqEvent, Call->Slot, Affinity(Step, &Group), Call->Created,
                       Call->Context, (NDK_SRQ **)&Call->Out);
}

BOOLEAN StepCreateSrq(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallCreates, Maker(Run, Step, SCRIPT_MEMBER_PD), CreateSrq);
}

static PVOID CqOf(PRUN Run, CONST STEP *Step, ULONG Member) {
    return SlotObject(Run, Step, StepHas(Step, Member) ? Member : (ULONG)SCRIPT_MEMBER_CQ);
}

static NTSTATUS CreateQp(PRUN Run, CONST STEP *Step, PCALL Call) {
    NDK_CQ *ReceiveCq = CqOf(Run, Step, SCRIPT_MEMBER_RECEIVE_CQ);
    NDK_CQ *InitiatorCq = CqOf(Run, Step, SCRIPT_MEMBER_INITIATOR_CQ);

    return TABLE(NDK_PD_DISPATCH)
        ->NdkCreateQp(MakerObject(Call->Slot), ReceiveCq, InitiatorCq, Call->Slot,
                      (ULONG)StepNumber(Step, SCRIPT_MEMBER_RECEIVE_DEPTH, 16),
                      (ULONG)StepNumber(Step, SCRIPT_MEMBER_INITIATOR_DEPTH, 16),
                      (ULONG)StepNumber(Step, SCRIPT_MEMBER_RECEIVE_SGE, 1),
                      (ULONG)StepNumber(Step, SCRIPT_MEMBER_INITIATOR_SGE, 1),
                      (ULONG)StepNumber(Step, SCRIPT_MEMBER_INLINE_BYTES, 0), Call->Created,
                      Call->Context, (NDK_QP **)&Call->Out);
}

BOOLEAN StepCreateQp(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallCreates, Maker(Run, Step, SCRIPT_MEMBER_PD), CreateQp);
}

static NTSTATUS CreateQpWithSrq(PRUN Run, CONST STEP *Step, PCALL Call) {
    NDK_CQ *ReceiveCq = CqOf(Run, Step, SCRIPT_MEMBER_RECEIVE_CQ);
    NDK_CQ *InitiatorCq = CqOf(Run, Step, SCRIPT_MEMBER_INITIATOR_CQ);
    NDK_SRQ *Srq = SlotObject(Run, Step, SCRIPT_MEMBER_SRQ);

    return TABLE(NDK_PD_DISPATCH)
        ->NdkCreateQpWithSrq(MakerObject(Call->Slot), ReceiveCq, InitiatorCq, Srq, Call->Slot,
                             (ULONG)StepNumber(Step, SCRIPT_MEMBER_INITIATOR_DEPTH, 16),
                             (ULONG)StepNumber(Step, SCRIPT_MEMBER_INITIATOR_SGE, 1),
                             (ULONG)StepNumber(Step, SCRIPT_MEMBER_INLINE_BYTES, 0), Call->Created,
                             Call->Context, (NDK_QP **)&Call->Out);
}

BOOLEAN StepCreateQpWithSrq(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallCreates, Maker(Run, Step, SCRIPT_MEMBER_PD), CreateQpWithSrq);
}

static NTSTATUS Close(PRUN Run, CONST STEP *Step, PCALL Call) {
    /* The slot is closing now: what closes it a second time finds the table where it was. */
    CONST VOID *Table = StepTable(Run, Step, Call->Slot);

    return ((CONST NDK_CQ_DISPATCH *)Table)
        ->NdkCloseCq(Call->Slot->Object, Call->Closed, Call->Context);
}

BOOLEAN StepClose(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallCloses, StepObject(Run, Step, SCRIPT_MEMBER_OBJECT), Close);
}
