/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion queues and shared receive queues. A result that is taken is first entered in the
 * accounts of its label and its QP, then kept until a step asks for it.
 */
#include "script.h"

#define RESULTS_AT_ONCE 8u

#define CQ(Slot) ((NDK_CQ *)(PVOID)(Slot)->Object)
#define CQ_TABLE(Slot) ((CONST NDK_CQ_DISPATCH *)StepTable(Run, Step, Slot))

static BOOLEAN IsLabel(CONST VOID *Context) {
    CONST UCHAR *At = Context;
    CONST UCHAR *First = (CONST UCHAR *)Script.Labels;
    SIZE_T Bytes = Script.Program->label_count * sizeof(LABEL);

    return At >= First && At < First + Bytes && (SIZE_T)(At - First) % sizeof(LABEL) == 0;
}

static BOOLEAN IsQp(CONST VOID *Context) {
    CONST UCHAR *At = Context;
    CONST UCHAR *First = (CONST UCHAR *)Script.Slots;
    SIZE_T Bytes = Script.Program->object_count * sizeof(SLOT);

    return At >= First && At < First + Bytes && (SIZE_T)(At - First) % sizeof(SLOT) == 0 &&
           ((CONST SLOT *)Context)->Kind == SCRIPT_QP;
}

/* Silent requests that succeed give no result: they are no debt. */
static BOOLEAN Account(CONST STEP *Step, CONST NDK_RESULT_EX *Result) {
    PLABEL Label = Result->RequestContext;

    if (!IsQp(Result->QPContext)) {
        return Fail(Step, "a result with a QPContext that belongs to no QP");
    }
    InterlockedDecrement(&((PSLOT)Result->QPContext)->Outstanding);
    if (Label == NULL && Script.NullPosts > 0) {
        InterlockedDecrement(&Script.NullPosts);
        return TRUE;
    }
    if (!IsLabel(Label)) {
        return Fail(Step, "a result with a RequestContext that no request was given");
    }
    if (InterlockedIncrement(&Label->Completed) > Label->Posted) {
        return Fail(Step, "a result for \"%s\", which owes none", LabelName(Label));
    }
    if (Label->IsSilent && Result->Status == STATUS_SUCCESS) {
        return Fail(Step, "a result for the silent request \"%s\", which succeeded",
                    LabelName(Label));
    }
    SourceCount(&Label->Done, (ULONG)Result->Status);
    return TRUE;
}

static BOOLEAN Stash(CONST STEP *Step, PSLOT Cq, CONST NDK_RESULT_EX *Result, BOOLEAN IsExtended) {
    PSTASH New = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*New), SCRIPT_POOL_TAG);

    if (New == NULL) {
        return Fail(Step, "the driver has no memory for a result");
    }
    New->Next = NULL;
    New->Result = *Result;
    New->IsExtended = IsExtended;
    if (Cq->StashLast != NULL) {
        Cq->StashLast->Next = New;
    } else {
        Cq->StashFirst = New;
    }
    Cq->StashLast = New;
    return TRUE;
}

static ULONG PollPlain(CONST NDK_CQ_DISPATCH *Table, PSLOT Cq, NDK_RESULT_EX *Results,
                       ULONG Capacity) {
    NDK_RESULT Plain[RESULTS_AT_ONCE];
    ULONG Count = Table->NdkGetCqResults(CQ(Cq), Plain, Capacity);
    ULONG Index;

    RtlZeroMemory(Results, Capacity * sizeof(*Results));
    for (Index = 0; Index < Count && Index < Capacity; Index++) {
        Results[Index].Status = Plain[Index].Status;
        Results[Index].BytesTransferred = Plain[Index].BytesTransferred;
        Results[Index].QPContext = Plain[Index].QPContext;
        Results[Index].RequestContext = Plain[Index].RequestContext;
    }
    return Count;
}

BOOLEAN PollTake(CONST STEP *Step, PSLOT Cq, ULONG Capacity, BOOLEAN IsExtended, ULONG *Count) {
    RUN Nobody = {SCRIPT_NONE, FALSE, FALSE, FALSE, 0};
    CONST NDK_CQ_DISPATCH *Table = StepTable(&Nobody, Step, Cq);
    NDK_RESULT_EX Results[RESULTS_AT_ONCE];
    BOOLEAN Holds = TRUE;
    ULONG Index;

    *Count = 0;
    while (Holds && *Count < Capacity) {
        ULONG Asked = min(Capacity - *Count, RESULTS_AT_ONCE);
        ULONG Got = IsExtended ? Table->NdkGetCqResultsEx(CQ(Cq), Results, Asked)
                               : PollPlain(Table, Cq, Results, Asked);

        if (Got > Asked) {
            return Fail(Step, "%u results were asked for, %u were given", Asked, Got);
        }
        for (Index = 0; Index < Got && Holds; Index++) {
            Holds = Account(Step, &Results[Index]) && Stash(Step, Cq, &Results[Index], IsExtended);
        }
        *Count += Got;
        if (Got < Asked) {
            break;
        }
    }
    return Holds;
}

/* The extended results are there from 1.2 on. */
static BOOLEAN Extended(CONST STEP *Step, PSLOT Cq) {
    NDK_VERSION Version = Cq->Parent->Object->Version;

    return StepFlag(Step, SCRIPT_MEMBER_EXTENDED,
                    Version.Major > 1 || (Version.Major == 1 && Version.Minor >= 2));
}

static BOOLEAN Poll(PRUN Run, CONST STEP *Step, BOOLEAN IsExtended) {
    PSLOT Cq = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);
    OUTPUTS Outputs = {0};
    ULONG Count;

    if (Cq == NULL ||
        !PollTake(Step, Cq, (ULONG)StepNumber(Step, SCRIPT_MEMBER_COUNT, 16), IsExtended, &Count)) {
        return FALSE;
    }
    OutputAdd(&Outputs, SCRIPT_OUTPUT_COUNT, Count);
    return OutputsUse(Step, &Outputs);
}

BOOLEAN StepGetCqResults(PRUN Run, CONST STEP *Step) {
    return Poll(Run, Step, FALSE);
}

BOOLEAN StepGetCqResultsEx(PRUN Run, CONST STEP *Step) {
    return Poll(Run, Step, TRUE);
}

BOOLEAN StepArmCq(PRUN Run, CONST STEP *Step) {
    PSLOT Cq = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);

    if (Cq != NULL) {
        CQ_TABLE(Cq)->NdkArmCq(CQ(Cq),
                               (ULONG)StepNumber(Step, SCRIPT_MEMBER_TYPE, NDK_CQ_NOTIFY_ANY));
    }
    return Cq != NULL;
}

/* Takes the first kept result of that label (NULL: of any) out; FALSE: none. */
static BOOLEAN StashTake(PSLOT Cq, CONST LABEL *Label, BOOLEAN OnlyFirst, PSTASH Taken) {
    PSTASH Before = NULL;
    PSTASH At = Cq->StashFirst;

    while (At != NULL && Label != NULL && At->Result.RequestContext != Label && !OnlyFirst) {
        Before = At;
        At = At->Next;
    }
    if (At == NULL) {
        return FALSE;
    }
    if (Before != NULL) {
        Before->Next = At->Next;
    } else {
        Cq->StashFirst = At->Next;
    }
    if (Cq->StashLast == At) {
        Cq->StashLast = Before;
    }
    *Taken = *At;
    ExFreePoolWithTag(At, SCRIPT_POOL_TAG);
    return TRUE;
}

/*
 * Until there may be a result in the CQ that was found empty. FALSE: the time is over. The arm is
 * met by what came since the last notification, so that nothing is looked for after it.
 */
static BOOLEAN ResultAwait(PRUN Run, CONST STEP *Step, PSLOT Cq, LONG Before, ULONG64 UntilNs) {
    ULONG64 Left = 0;

    if (!Run->CanWait) {
        return FALSE;
    }
    if (UntilNs != MAXULONGLONG) {
        ULONG64 Now = NowNs();

        if (Now >= UntilNs) {
            return FALSE;
        }
        Left = UntilNs - Now;
    }
    if (!StepFlag(Step, SCRIPT_MEMBER_ARM, TRUE)) {
        SleepNs(1000);
        return TRUE;
    }
    CQ_TABLE(Cq)->NdkArmCq(CQ(Cq), NDK_CQ_NOTIFY_ANY);
    while (Cq->Event.Seen == Before) {
        if (!SourceTake(&Cq->Event, UntilNs != MAXULONGLONG ? &Left : NULL)) {
            return FALSE;
        }
    }
    while (SourceLeft(&Cq->Event) > 0) {
        (VOID) SourceTake(&Cq->Event, NULL); /* this step's, and stale ones */
    }
    return TRUE;
}

static BOOLEAN ResultFind(PRUN Run, CONST STEP *Step, PSLOT Cq, CONST LABEL *Label, PSTASH Taken) {
    ULONG64 Within = StepNumber(Step, SCRIPT_MEMBER_WITHIN, MAXULONGLONG);
    BOOLEAN OnlyFirst = StepFlag(Step, SCRIPT_MEMBER_NEXT, FALSE);
    ULONG64 Until = MAXULONGLONG;
    ULONG Count;

    if (Within != MAXULONGLONG) {
        Until = NowNs() + Within;
    }
    for (;;) {
        /* Before the poll: a notification that comes after it may be the only one. */
        LONG Before = Cq->Event.Seen;

        if (StashTake(Cq, Label, OnlyFirst, Taken)) {
            return TRUE;
        }
        if (!PollTake(Step, Cq, 16, Extended(Step, Cq), &Count)) {
            return FALSE;
        }
        if (Count == 0 && !ResultAwait(Run, Step, Cq, Before, Until)) {
            return Fail(Step, "expected a result%s%s%s, none came", Label != NULL ? " of \"" : "",
                        Label != NULL ? LabelName(Label) : "", Label != NULL ? "\"" : "");
        }
    }
}

static BOOLEAN ResultCheck(PRUN Run, CONST STEP *Step, CONST LABEL *Label, CONST STASH *Taken) {
    CONST NDK_RESULT_EX *Result = &Taken->Result;
    PSLOT Qp = StepSlot(Run, Step, SCRIPT_MEMBER_QP);
    OUTPUTS Outputs = {0};

    if (Label != NULL && Result->RequestContext != Label) {
        return Fail(Step, "expected the result of \"%s\" next, got that of \"%s\"",
                    LabelName(Label),
                    Result->RequestContext != NULL ? LabelName(Result->RequestContext) : "none");
    }
    if (Qp != NULL && Result->QPContext != Qp) {
        return Fail(Step, "expected a result of %s, got one of %s", SlotName(Qp),
                    SlotName(Result->QPContext));
    }
    OutputAdd(&Outputs, SCRIPT_OUTPUT_STATUS, (ULONG)Result->Status);
    OutputAdd(&Outputs, SCRIPT_OUTPUT_BYTES, Result->BytesTransferred);
    if (Taken->IsExtended) {
        OutputAdd(&Outputs, SCRIPT_OUTPUT_TYPE, (ULONG)Result->Type);
        OutputAdd(&Outputs, SCRIPT_OUTPUT_ERROR, Result->ProviderErrorCode);
        OutputAdd(&Outputs, SCRIPT_OUTPUT_OUTPUT, Result->TypeSpecificCompletionOutput);
    }
    if (!StatusCheck(Step, "the result", Result->Status)) {
        return FALSE;
    }
    if (StepHas(Step, SCRIPT_MEMBER_BYTES) &&
        Result->BytesTransferred != StepNumber(Step, SCRIPT_MEMBER_BYTES, 0)) {
        return Fail(Step, "expected %llu bytes, got %u", StepNumber(Step, SCRIPT_MEMBER_BYTES, 0),
                    Result->BytesTransferred);
    }
    if (Taken->IsExtended && StepHas(Step, SCRIPT_MEMBER_TYPE) &&
        (ULONG)Result->Type != StepNumber(Step, SCRIPT_MEMBER_TYPE, 0)) {
        return Fail(Step, "expected a result of type 0x%llx, got 0x%x",
                    StepNumber(Step, SCRIPT_MEMBER_TYPE, 0), (ULONG)Result->Type);
    }
    return OutputsUse(Step, &Outputs);
}

BOOLEAN StepExpectResult(PRUN Run, CONST STEP *Step) {
    CONST ARG *Requests = ArgFind(Step, SCRIPT_MEMBER_REQUEST);
    PSLOT Cq = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);
    ULONG64 Count = StepNumber(Step, SCRIPT_MEMBER_COUNT, 1);
    ULONG64 Names = Requests != NULL ? Requests->count : 1;
    ULONG64 Index;
    STASH Taken;

    for (Index = 0; Cq != NULL && Index < Count * Names; Index++) {
        CONST LABEL *Label = NULL;

        if (Requests != NULL) {
            Label = &Script.Labels[ArgAt(Requests->value + Index % Names)->value];
        }
        if (!ResultFind(Run, Step, Cq, Label, &Taken) || !ResultCheck(Run, Step, Label, &Taken)) {
            return FALSE;
        }
    }
    return Cq != NULL;
}

static NTSTATUS ResizeCq(PRUN Run, CONST STEP *Step, PCALL Call) {
    return CQ_TABLE(Call->Slot)
        ->NdkResizeCq(CQ(Call->Slot), (ULONG)StepNumber(Step, SCRIPT_MEMBER_DEPTH, 64),
                      Call->Requested, Call->Context);
}

BOOLEAN StepResizeCq(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallRequests, StepObject(Run, Step, SCRIPT_MEMBER_OBJECT), ResizeCq);
}

BOOLEAN StepControlCqInterruptModeration(PRUN Run, CONST STEP *Step) {
    PSLOT Cq = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);

    return Cq != NULL && StatusCheck(Step, "outcome",
                                     CQ_TABLE(Cq)->NdkControlCqInterruptModeration(
                                         CQ(Cq), (ULONG)StepNumber(Step, SCRIPT_MEMBER_INTERVAL, 0),
                                         (ULONG)StepNumber(Step, SCRIPT_MEMBER_COUNT, 0)));
}

static NTSTATUS ModifySrq(PRUN Run, CONST STEP *Step, PCALL Call) {
    return ((CONST NDK_SRQ_DISPATCH *)StepTable(Run, Step, Call->Slot))
        ->NdkModifySrq(
            (NDK_SRQ *)(PVOID)Call->Slot->Object, (ULONG)StepNumber(Step, SCRIPT_MEMBER_DEPTH, 0),
            (ULONG)StepNumber(Step, SCRIPT_MEMBER_THRESHOLD, 0), Call->Requested, Call->Context);
}

BOOLEAN StepModifySrq(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallRequests, StepObject(Run, Step, SCRIPT_MEMBER_OBJECT),
                    ModifySrq);
}
