/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting, requiring, telling. */
#include "script.h"

static PCSTR SourceName(CONST ARG *Source) {
    static PCSTR CONST Kinds[SCRIPT_SOURCE_KIND_COUNT] = {
        "a connect event",     "a disconnect event",  "a notification",
        "an SRQ notification", "a completion",        "a signal",
        "a transport event",   "the end of a thread", "a result"};

    return Kinds[Source->count];
}

static BOOLEAN WaitOne(PRUN Run, CONST STEP *Step, CONST ARG *Arg) {
    CONST ARG *Within = ArgFind(Step, SCRIPT_MEMBER_WITHIN);
    PSOURCE Source = SourceOf(Run, Arg);
    ULONG64 Limit = Within != NULL ? ArgValue(Within) : 0;
    ULONG64 Start = NowNs();
    OUTPUTS Outputs = {0};

    if (Source == NULL) {
        return Fail(Step, "\"it\" is no object here");
    }
    if (!SourceTake(Source, Within != NULL ? &Limit : NULL)) {
        return StepFlag(Step, SCRIPT_MEMBER_GIVE_UP, FALSE) ||
               Fail(Step, "expected %s within %llu ns, none came", SourceName(Arg), Limit);
    }
    OutputAdd(&Outputs, SCRIPT_OUTPUT_STATUS, Source->Value);
    OutputAdd(&Outputs, SCRIPT_OUTPUT_REASON, Source->Value);
    OutputAdd(&Outputs, SCRIPT_OUTPUT_WAITED, NowNs() - Start);
    if (StepHas(Step, SCRIPT_MEMBER_STATUS) &&
        !StatusCheck(Step, "outcome", (NTSTATUS)Source->Value)) {
        return FALSE;
    }
    return OutputsUse(Step, &Outputs);
}

BOOLEAN StepWait(PRUN Run, CONST STEP *Step) {
    CONST ARG *Sources = ArgFind(Step, SCRIPT_MEMBER_OBJECT);
    ULONG64 Count = StepNumber(Step, SCRIPT_MEMBER_COUNT, 1);
    ULONG64 Index;
    ULONG64 Time;

    for (Time = 0; Time < Count; Time++) {
        for (Index = 0; Index < Sources->count; Index++) {
            if (!WaitOne(Run, Step, ArgAt(Sources->value + Index))) {
                return FALSE;
            }
        }
    }
    return TRUE;
}

static BOOLEAN NoneOf(PRUN Run, CONST STEP *Step, CONST ARG *Arg) {
    ULONG Count = 0;
    PSLOT Cq;

    if (Arg->count != SCRIPT_SOURCE_RESULT) {
        PSOURCE Source = SourceOf(Run, Arg);
        LONG Left = Source != NULL ? SourceLeft(Source) : 0;

        return Left == 0 || Fail(Step, "expected none, got %s (%d)", SourceName(Arg), Left);
    }
    Cq = ArgSlot(Run, Arg);
    Cq = Cq != NULL ? Cq : &Script.Slots[Arg->value];
    if (Cq->StashFirst == NULL && !PollTake(Step, Cq, 1, FALSE, &Count)) {
        return FALSE;
    }
    return Cq->StashFirst == NULL || Fail(Step, "expected no result, got one");
}

BOOLEAN StepExpectNone(PRUN Run, CONST STEP *Step) {
    CONST ARG *Sources = ArgFind(Step, SCRIPT_MEMBER_OBJECT);
    ULONG64 Index;

    SleepNs(StepNumber(Step, SCRIPT_MEMBER_FOR, 0));
    for (Index = 0; Index < Sources->count; Index++) {
        if (!NoneOf(Run, Step, ArgAt(Sources->value + Index))) {
            return FALSE;
        }
    }
    return TRUE;
}

BOOLEAN StepRequire(PRUN Run, CONST STEP *Step) {
    CONST ARG *Condition = ArgFind(Step, SCRIPT_MEMBER_OBJECT);
    CONST ARG *Says = ArgFind(Step, SCRIPT_MEMBER_SAYS);
    CONST ARG *Parts = ArgAt(Condition->value);

    UNREFERENCED_PARAMETER(Run);
    return ConditionHolds(Condition) ||
           Fail(Step, "%s%srequired %s%llu, got %llu", Says != NULL ? ScriptText(Says->value) : "",
                Says != NULL ? ": " : "", ComparisonWord((ULONG)Parts[1].value),
                ArgValue(&Parts[2]), ArgValue(&Parts[0]));
}

BOOLEAN StepFail(PRUN Run, CONST STEP *Step) {
    UNREFERENCED_PARAMETER(Run);
    return Fail(Step, "%s", ScriptText(ArgFind(Step, SCRIPT_MEMBER_OBJECT)->value));
}

BOOLEAN StepSleep(PRUN Run, CONST STEP *Step) {
    UNREFERENCED_PARAMETER(Run);
    SleepNs(StepNumber(Step, SCRIPT_MEMBER_OBJECT, 0));
    return TRUE;
}

BOOLEAN StepStall(PRUN Run, CONST STEP *Step) {
    ULONG64 Us = (StepNumber(Step, SCRIPT_MEMBER_OBJECT, 0) + 999) / 1000;

    UNREFERENCED_PARAMETER(Run);
    /* One call takes 71 minutes at most. */
    while (Us > MAXULONG) {
        KeStallExecutionProcessor(MAXULONG);
        Us -= MAXULONG;
    }
    KeStallExecutionProcessor((ULONG)Us);
    return TRUE;
}

/* Waits without blocking: at any level. */
BOOLEAN StepSpin(PRUN Run, CONST STEP *Step) {
    CONST ARG *Sources = ArgFind(Step, SCRIPT_MEMBER_OBJECT);
    ULONG64 Limit = StepNumber(Step, SCRIPT_MEMBER_WITHIN, 1000000000);
    PSOURCE Source = SourceOf(Run, ArgAt(Sources->value));
    ULONG64 Spent;

    if (Source == NULL) {
        return Fail(Step, "\"it\" is no object here");
    }
    for (Spent = 0; SourceLeft(Source) <= 0 && Spent < Limit; Spent += 1000) {
        KeStallExecutionProcessor(1);
    }
    if (SourceLeft(Source) > 0) {
        return SourceTake(Source, NULL);
    }
    return StepFlag(Step, SCRIPT_MEMBER_GIVE_UP, FALSE) ||
           Fail(Step, "expected %s within %llu ns, none came", SourceName(ArgAt(Sources->value)),
                Limit);
}

BOOLEAN StepSignal(PRUN Run, CONST STEP *Step) {
    UNREFERENCED_PARAMETER(Run);
    SourceCount(&Script.Signals[ArgFind(Step, SCRIPT_MEMBER_OBJECT)->value], 0);
    return TRUE;
}

static ULONG64 NewValue(CONST STEP *Step, ULONG64 Old) {
    return StepNumber(Step, SCRIPT_MEMBER_VALUE, Old) + StepNumber(Step, SCRIPT_MEMBER_PLUS, 0) -
           StepNumber(Step, SCRIPT_MEMBER_MINUS, 0);
}

BOOLEAN StepSet(PRUN Run, CONST STEP *Step) {
    ULONG64 *Variable = &Script.Variables[ArgFind(Step, SCRIPT_MEMBER_OBJECT)->value];

    UNREFERENCED_PARAMETER(Run);
    *Variable = NewValue(Step, *Variable);
    return TRUE;
}

BOOLEAN StepCounter(PRUN Run, CONST STEP *Step) {
    CONST struct script_name *Names =
        (CONST struct script_name *)((PUCHAR)Script.Program + Script.Program->variable_at);
    ULONG64 Index = ArgFind(Step, SCRIPT_MEMBER_OBJECT)->value;

    (VOID) StepSet(Run, Step);
    NdksimCounter(ScriptText(Names[Index].name), Script.Variables[Index]);
    return TRUE;
}

BOOLEAN StepLog(PRUN Run, CONST STEP *Step) {
    UNREFERENCED_PARAMETER(Run);
    DbgPrint("%s\n", ScriptText(ArgFind(Step, SCRIPT_MEMBER_OBJECT)->value));
    return TRUE;
}

BOOLEAN StepTrace(PRUN Run, CONST STEP *Step) {
    UNREFERENCED_PARAMETER(Run);
    NdksimTrace(ScriptText(ArgFind(Step, SCRIPT_MEMBER_OBJECT)->value), NULL,
                StepNumber(Step, SCRIPT_MEMBER_VALUE, 0), 0);
    return TRUE;
}

BOOLEAN StepCleanup(PRUN Run, CONST STEP *Step) {
    UNREFERENCED_PARAMETER(Run);
    UNREFERENCED_PARAMETER(Step);
    Cleanup();
    return TRUE;
}
