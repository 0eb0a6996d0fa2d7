/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One NDK call that may pend; see script.h. Its outcome is seen to once, by whoever learns it: the
 * starting step when the call answers at once, the completion routine otherwise, be it before the
 * call returned.
 */
#include "script.h"

static VOID CallPut(PCALL Call) {
    if (!Call->IsOnStack && InterlockedDecrement(&Call->References) == 0) {
        ExFreePoolWithTag(Call, SCRIPT_POOL_TAG);
    }
}

VOID SlotFill(PSLOT Slot, NDK_OBJECT_HEADER *Object, CONST STEP *Made) {
    Slot->Object = Object;
    /* Dispatch follows the header in every object. */
    Slot->Dispatch = ((NDK_CQ *)(PVOID)Object)->Dispatch;
    Slot->Made = Made;
    Slot->Connects = 0;
    Slot->Outstanding = 0;
    Slot->IsRegistered = FALSE;
    Slot->IsGone = FALSE;
    Slot->HasToken = FALSE;
    Slot->State = SlotOpen;
}

static VOID SlotCreated(PCALL Call, NTSTATUS Status, NDK_OBJECT_HEADER *Object) {
    if (Status != STATUS_SUCCESS) {
        Call->Slot->State = SlotEmpty;
    } else if (Object == NULL || Object == SCRIPT_POISON) {
        Call->Slot->State = SlotEmpty;
        Failed(Call->Step, "the create succeeded and gave no object");
    } else {
        SlotFill(Call->Slot, Object, Call->Step);
    }
}

static VOID CallChecks(PCALL Call, NTSTATUS Status) {
    CONST ARG *What = ArgFind(Call->Step, SCRIPT_MEMBER_WHAT);

    if (!Call->IsTrying &&
        (StepHas(Call->Step, SCRIPT_MEMBER_STATUS) || !StepHas(Call->Step, SCRIPT_MEMBER_ASYNC))) {
        (VOID) StatusCheck(Call->Step, "outcome", Status);
    }
    if (Call->Kind != CallCreates || What == NULL || Status != STATUS_SUCCESS) {
        return;
    }
    if (Call->Started == STATUS_PENDING && (ArgValue(What) & SCRIPT_CHECK_OUT) != 0 &&
        Call->Out != SCRIPT_POISON) {
        Failed(Call->Step, "the create pended and wrote to the caller's out slot");
    }
    (VOID) HeaderCheck(Call->Step, Call->Slot, (ULONG)ArgValue(What) & ~SCRIPT_CHECK_OUT);
}

/* Sees to the outcome. The call is not touched by the completing side afterwards. */
static VOID CallFinish(PCALL Call, NTSTATUS Status, NDK_OBJECT_HEADER *Object, BOOLEAN CanWait) {
    CONST ARG *Then = ArgFind(Call->Step, SCRIPT_MEMBER_THEN);
    RUN Run = {Call->It, CanWait, FALSE, FALSE, 0};
    BOOLEAN IsOnStack = Call->IsOnStack;
    BOOLEAN IsEntered = Call->IsEntered;
    PLABEL Label = Call->Label;

    Call->Final = Status;
    Call->IsEntered = FALSE;
    if (Call->Kind == CallCreates) {
        SlotCreated(Call, Status, Object);
    } else if (Call->Kind == CallCloses && Call->Slot->State == SlotClosing) {
        Call->Slot->State = SlotClosed;
        Call->Slot->IsGone = TRUE;
    }
    if (Call->Finished != NULL) {
        Call->Finished(Call, Status);
    }
    CallChecks(Call, Status);
    if (Call->Kind == CallCreates) {
        Run.It = (ULONG)(Call->Slot - Script.Slots);
    }
    if (Then != NULL) {
        (VOID) BlockRun(&Run, (ULONG)Then->value);
    }
    HandlerRun(SCRIPT_SOURCE_LABEL, (ULONG)(Label - Script.Labels), Run.It);
    Label->Context = NULL;
    KeSetEvent(&Call->Done, IO_NO_INCREMENT, FALSE);
    if (!IsOnStack) {
        CallPut(Call);
    }
    SourceCount(&Label->Done, (ULONG)Status);
    if (IsEntered) {
        StepsLeave();
    }
    InterlockedDecrement(&Script.Pending);
}

static PCALL CallOf(PVOID Context) {
    PCALL Call = Context;

    if (Context == NULL) {
        Call = Script.NullCall;
        Script.NullCall = NULL;
    }
    return Call;
}

static VOID CreateCompleted(PVOID Context, NTSTATUS Status, NDK_OBJECT_HEADER *Object) {
    CallFinish(CallOf(Context), Status, Object, FALSE);
}

static VOID CloseCompleted(PVOID Context) {
    CallFinish(CallOf(Context), STATUS_SUCCESS, NULL, FALSE);
}

static VOID RequestCompleted(PVOID Context, NTSTATUS Status) {
    CallFinish(CallOf(Context), Status, NULL, FALSE);
}

static VOID CallInit(PCALL Call, PRUN Run, CONST STEP *Step, CALL_KIND Kind, PSLOT Slot) {
    BOOLEAN HasRoutine = !StepIsNothing(Step, SCRIPT_MEMBER_COMPLETION);
    CONST ARG *Context = ArgFind(Step, SCRIPT_MEMBER_CONTEXT);

    RtlZeroMemory(Call, sizeof(*Call));
    Call->References = 2;
    Call->Kind = Kind;
    Call->Step = Step;
    Call->It = Run->It;
    Call->Slot = Slot;
    Call->IsTrying = Run->IsTrying;
    Call->Label = &Script.Labels[Step->label];
    Call->Out = SCRIPT_POISON;
    Call->Started = STATUS_PENDING;
    Call->Created = HasRoutine ? CreateCompleted : NULL;
    Call->Closed = HasRoutine ? CloseCompleted : NULL;
    Call->Requested = HasRoutine ? RequestCompleted : NULL;
    KeInitializeEvent(&Call->Done, NotificationEvent, FALSE);
    Call->Context = Call;
    if (Context != NULL && Context->kind == SCRIPT_ARG_NOTHING) {
        Script.NullCall = Call;
        Call->Context = NULL;
    } else if (Context != NULL && Context->kind == SCRIPT_ARG_NAME &&
               Script.Labels[Context->value].Context != NULL) {
        Call->Context = Script.Labels[Context->value].Context;
        InterlockedIncrement(&((PCALL)Call->Context)->References);
    }
    Call->Label->Context = Call->Context;
}

/* The call pends: waits for it, or leaves it to itself. */
static BOOLEAN CallAwait(PRUN Run, PCALL Call) {
    CONST STEP *Step = Call->Step;
    CONST ARG *Within = ArgFind(Step, SCRIPT_MEMBER_WITHIN);
    LARGE_INTEGER Due;
    NTSTATUS Status;

    if (!Run->CanWait || StepHas(Step, SCRIPT_MEMBER_ASYNC)) {
        return TRUE;
    }
    Due.QuadPart = Within != NULL ? -(LONGLONG)((ArgValue(Within) + 99) / 100) : 0;
    Status = KeWaitForSingleObject(&Call->Done, Executive, KernelMode, FALSE,
                                   Within != NULL ? &Due : NULL);
    if (Status == STATUS_TIMEOUT) {
        return StepFlag(Step, SCRIPT_MEMBER_GIVE_UP, FALSE) ||
               Fail(Step, "expected a completion within %llu ns, none came", ArgValue(Within));
    }
    /* Taken by this wait. */
    (VOID) SourceTake(&Call->Label->Done, NULL);
    return StatusFits(Step, Call->Final);
}

static BOOLEAN RouteCheck(CONST STEP *Step, NTSTATUS Started) {
    CONST ARG *Route = ArgFind(Step, SCRIPT_MEMBER_ROUTE);
    BOOLEAN IsPending = Started == STATUS_PENDING;
    CHAR Came[20];

    if (Route == NULL || (ArgValue(Route) == SCRIPT_ROUTE_PENDING) == IsPending) {
        return TRUE;
    }
    return Fail(Step, "expected the call to %s, it returned %s",
                IsPending ? "finish inline" : "pend", StatusName(Started, Came));
}

/*
 * Nobody will complete this call: it was given no routine, or another call's context, which will
 * be completed twice.
 */
static VOID CallForget(PCALL Call, BOOLEAN HasRoutine) {
    if (Call->IsEntered) {
        StepsLeave();
    }
    if (!HasRoutine) {
        InterlockedDecrement(&Script.Pending);
    }
    if (Call->Label->Context == Call) {
        Call->Label->Context = NULL;
    }
    CallPut(Call);
}

/* The context of another call, which has a reference for that; NULL: its own. */
static PCALL CallBorrowed(PCALL Call) {
    return Call->Context != NULL && Call->Context != Call ? Call->Context : NULL;
}

static BOOLEAN CallMake(PRUN Run, PCALL Call, CALL_ROUTINE *Routine) {
    CONST STEP *Step = Call->Step;
    CONST ARG *Context = ArgFind(Step, SCRIPT_MEMBER_CONTEXT);
    BOOLEAN HasRoutine = Call->Requested != NULL;
    NTSTATUS Status;
    BOOLEAN Holds;

    InterlockedIncrement(&Script.Pending);
    Call->IsEntered = Call->Kind == CallCreates;
    if (Call->IsEntered) {
        StepsEnter();
    }
    Status = Routine(Run, Step, Call);
    Holds = RouteCheck(Step, Status);
    if (Status != STATUS_PENDING) {
        NTSTATUS Final = Status;

        Call->Started = Status;
        if (CallBorrowed(Call) != NULL) {
            CallPut(CallBorrowed(Call));
        }
        CallFinish(Call, Status, Call->Out, Run->CanWait);
        if (Run->CanWait && !StepHas(Step, SCRIPT_MEMBER_ASYNC)) {
            (VOID) SourceTake(&Call->Label->Done, NULL);
            Holds = Holds && StatusFits(Step, Final);
        }
    } else if (!HasRoutine || CallBorrowed(Call) != NULL) {
        CallForget(Call, HasRoutine);
    } else if (Context != NULL && Context->kind == SCRIPT_ARG_NUMBER &&
               Context->value == SCRIPT_CONTEXT_FREED) {
        ExFreePoolWithTag(Call, SCRIPT_POOL_TAG);
        return Holds;
    } else {
        Holds = CallAwait(Run, Call) && Holds;
    }
    CallPut(Call);
    return Holds;
}

/* The context is in this frame, which returns when the step gives up. */
static DECLSPEC_NOINLINE BOOLEAN CallOnStack(PRUN Run, CONST STEP *Step, CALL_KIND Kind, PSLOT Slot,
                                             CALL_ROUTINE *Routine) {
    CALL Call;

    CallInit(&Call, Run, Step, Kind, Slot);
    Call.IsOnStack = TRUE;
    return CallMake(Run, &Call, Routine);
}

BOOLEAN CallStep(PRUN Run, CONST STEP *Step, CALL_KIND Kind, PSLOT Slot, CALL_ROUTINE *Routine) {
    CONST ARG *Context = ArgFind(Step, SCRIPT_MEMBER_CONTEXT);
    PCALL Call;

    if (Slot == NULL) {
        return FALSE;
    }
    if (Kind == CallCreates) {
        if (Slot->State != SlotEmpty && Slot->State != SlotClosed) {
            return Fail(Step, "%s is open already", SlotName(Slot));
        }
        Slot->State = SlotOpening;
    } else if (Kind == CallCloses) {
        Slot->State = SlotClosing;
    }
    if (Context != NULL && Context->kind == SCRIPT_ARG_NUMBER &&
        Context->value == SCRIPT_CONTEXT_STACK) {
        return CallOnStack(Run, Step, Kind, Slot, Routine);
    }
    Call = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*Call), SCRIPT_POOL_TAG);
    if (Call == NULL) {
        return Fail(Step, "the driver has no memory for the call");
    }
    CallInit(Call, Run, Step, Kind, Slot);
    return CallMake(Run, Call, Routine);
}

static VOID PlainClosed(PVOID Context) {
    PSLOT Slot = Context;

    Slot->State = SlotClosed;
    Slot->IsGone = TRUE;
    InterlockedDecrement(&Script.Pending);
}

VOID SlotClose(PSLOT Slot) {
    NTSTATUS Status;

    Slot->State = SlotClosing;
    InterlockedIncrement(&Script.Pending);
    Status = SlotCloseRoutine(Slot)(Slot->Object, PlainClosed, Slot);
    if (Status != STATUS_PENDING) {
        PlainClosed(Slot);
    }
}
