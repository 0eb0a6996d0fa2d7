/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that hold steps. */
#include "script.h"

static ULONG BlockOf(CONST STEP *Step, ULONG Member) {
    CONST ARG *Arg = ArgFind(Step, Member);

    return Arg != NULL ? (ULONG)Arg->value : SCRIPT_NONE;
}

static BOOLEAN Inner(PRUN Run, ULONG Block) {
    return Block == SCRIPT_NONE || BlockRun(Run, Block);
}

BOOLEAN StepLoop(PRUN Run, CONST STEP *Step) {
    ULONG64 Count = StepNumber(Step, SCRIPT_MEMBER_OBJECT, 0);
    CONST ARG *Variable = ArgFind(Step, SCRIPT_MEMBER_INDEX);
    ULONG64 Index;

    for (Index = 0; Index < Count; Index++) {
        if (Variable != NULL) {
            Script.Variables[Variable->value] = Index;
        }
        if (!Inner(Run, BlockOf(Step, SCRIPT_MEMBER_STEPS))) {
            return FALSE;
        }
    }
    return TRUE;
}

BOOLEAN StepWhile(PRUN Run, CONST STEP *Step) {
    CONST ARG *Condition = ArgFind(Step, SCRIPT_MEMBER_OBJECT);

    while (ConditionHolds(Condition)) {
        if (!Inner(Run, BlockOf(Step, SCRIPT_MEMBER_STEPS))) {
            return FALSE;
        }
    }
    return TRUE;
}

BOOLEAN StepIf(PRUN Run, CONST STEP *Step) {
    BOOLEAN Holds = ConditionHolds(ArgFind(Step, SCRIPT_MEMBER_OBJECT));

    return Inner(Run, BlockOf(Step, Holds ? SCRIPT_MEMBER_STEPS : SCRIPT_MEMBER_ELSE));
}

#define CHOICES_MAX 64u

BOOLEAN StepChoose(PRUN Run, CONST STEP *Step) {
    CONST ARG *Of = ArgFind(Step, SCRIPT_MEMBER_OF);
    PCSTR Labels[CHOICES_MAX];
    ULONG Index;

    for (Index = 0; Index < Of->count && Index < CHOICES_MAX; Index++) {
        Labels[Index] = ScriptText(ArgAt(Of->value + Index)->count);
    }
    Index =
        NdksimChoose(ScriptText(ArgFind(Step, SCRIPT_MEMBER_OBJECT)->value), NULL, Labels, Index);
    return Inner(Run, (ULONG)ArgAt(Of->value + Index)->value);
}

BOOLEAN StepStop(PRUN Run, CONST STEP *Step) {
    UNREFERENCED_PARAMETER(Step);
    Run->IsStopped = TRUE;
    return FALSE;
}

BOOLEAN StepIrql(PRUN Run, CONST STEP *Step) {
    KIRQL Level = (KIRQL)StepNumber(Step, SCRIPT_MEMBER_OBJECT, DISPATCH_LEVEL);
    BOOLEAN CanWait = Run->CanWait;
    BOOLEAN Holds;
    KIRQL Old;

    KeRaiseIrql(Level, &Old);
    Run->CanWait = CanWait && Level == PASSIVE_LEVEL;
    Holds = Inner(Run, BlockOf(Step, SCRIPT_MEMBER_STEPS));
    Run->CanWait = CanWait;
    KeLowerIrql(Old);
    return Holds;
}

BOOLEAN StepCpu(PRUN Run, CONST STEP *Step) {
    ULONG64 Cpu = StepNumber(Step, SCRIPT_MEMBER_OBJECT, 0);
    KAFFINITY Old;
    BOOLEAN Holds;

    if (Cpu >= 64) {
        return Fail(Step, "there is no CPU %llu", Cpu);
    }
    Old = KeSetSystemAffinityThreadEx((KAFFINITY)1 << Cpu);
    Holds = Inner(Run, BlockOf(Step, SCRIPT_MEMBER_STEPS));
    KeRevertToUserAffinityThreadEx(Old);
    return Holds;
}

BOOLEAN StepLock(PRUN Run, CONST STEP *Step) {
    KSPIN_LOCK *Lock = &Script.Locks[ArgFind(Step, SCRIPT_MEMBER_OBJECT)->value];
    BOOLEAN CanWait = Run->CanWait;
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN Holds;

    KeAcquireInStackQueuedSpinLock(Lock, &Handle);
    Run->CanWait = FALSE;
    Holds = Inner(Run, BlockOf(Step, SCRIPT_MEMBER_STEPS));
    Run->CanWait = CanWait;
    KeReleaseInStackQueuedSpinLock(&Handle);
    return Holds;
}

/* Steps that run elsewhere: in pool until they have. */
typedef struct _ELSEWHERE {
    KDPC Dpc;
    PIO_WORKITEM Item;
    CONST STEP *Step;
    ULONG It;
} ELSEWHERE, *PELSEWHERE;

static VOID RunThere(PELSEWHERE Elsewhere, BOOLEAN CanWait) {
    CONST STEP *Step = Elsewhere->Step;
    RUN Run = {Elsewhere->It, CanWait, FALSE, FALSE, 0};

    ExFreePoolWithTag(Elsewhere, SCRIPT_POOL_TAG);
    (VOID) Inner(&Run, BlockOf(Step, SCRIPT_MEMBER_OBJECT));
    SourceCount(&Script.Labels[Step->label].Done, 0);
    StepsLeave();
}

static KDEFERRED_ROUTINE DpcRoutine;
static VOID DpcRoutine(PKDPC Dpc, PVOID Context, PVOID Argument1, PVOID Argument2) {
    UNREFERENCED_PARAMETER(Dpc);
    UNREFERENCED_PARAMETER(Argument1);
    UNREFERENCED_PARAMETER(Argument2);
    RunThere(Context, FALSE);
}

static PELSEWHERE ElsewhereMake(PRUN Run, CONST STEP *Step) {
    PELSEWHERE Elsewhere =
        ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*Elsewhere), SCRIPT_POOL_TAG);

    if (Elsewhere == NULL) {
        Failed(Step, "the driver has no memory for it");
        return NULL;
    }
    Elsewhere->Step = Step;
    Elsewhere->It = Run->It;
    StepsEnter();
    return Elsewhere;
}

BOOLEAN StepDpc(PRUN Run, CONST STEP *Step) {
    PELSEWHERE Elsewhere = ElsewhereMake(Run, Step);

    if (Elsewhere == NULL) {
        return FALSE;
    }
    KeInitializeDpc(&Elsewhere->Dpc, DpcRoutine, Elsewhere);
    if (StepHas(Step, SCRIPT_MEMBER_AFFINITY)) {
        KeSetTargetProcessorDpc(&Elsewhere->Dpc,
                                (CCHAR)StepNumber(Step, SCRIPT_MEMBER_AFFINITY, 0));
    }
    KeInsertQueueDpc(&Elsewhere->Dpc, NULL, NULL);
    return TRUE;
}

static IO_WORKITEM_ROUTINE WorkRoutine;
static VOID WorkRoutine(PDEVICE_OBJECT Device, PVOID Context) {
    PELSEWHERE Elsewhere = Context;

    UNREFERENCED_PARAMETER(Device);
    IoFreeWorkItem(Elsewhere->Item);
    RunThere(Elsewhere, TRUE);
}

BOOLEAN StepWorkItem(PRUN Run, CONST STEP *Step) {
    PELSEWHERE Elsewhere = ElsewhereMake(Run, Step);

    if (Elsewhere == NULL) {
        return FALSE;
    }
    Elsewhere->Item = IoAllocateWorkItem(Script.Device);
    if (Elsewhere->Item == NULL) {
        return Fail(Step, "the driver has no memory for it");
    }
    IoQueueWorkItem(Elsewhere->Item, WorkRoutine, DelayedWorkQueue, Elsewhere);
    return TRUE;
}
