/* SPDX-License-Identifier: Apache-2.0 */
/* What a step says: arguments, names, comparisons. */
#include "script.h"

CONST ARG *ArgFind(CONST STEP *Step, ULONG Member) {
    ULONG Index;

    for (Index = 0; Index < Step->arg_count; Index++) {
        CONST ARG *Arg = &Script.Args[Step->arg_first + Index];

        if (Arg->member == Member) {
            return Arg;
        }
    }
    return NULL;
}

CONST ARG *ArgElement(CONST ARG *List, ULONG Member) {
    ULONG Index;

    for (Index = 0; List != NULL && List->kind == SCRIPT_ARG_LIST && Index < List->count; Index++) {
        CONST ARG *Arg = &Script.Args[List->value + Index];

        if (Arg->member == Member) {
            return Arg;
        }
    }
    return NULL;
}

CONST ARG *ArgAt(ULONG64 Index) {
    return &Script.Args[Index];
}

ULONG64 ArgValue(CONST ARG *Arg) {
    return Arg->kind == SCRIPT_ARG_VARIABLE ? Script.Variables[Arg->value] : Arg->value;
}

ULONG64 StepNumber(CONST STEP *Step, ULONG Member, ULONG64 Default) {
    CONST ARG *Arg = ArgFind(Step, Member);

    return Arg != NULL ? ArgValue(Arg) : Default;
}

BOOLEAN StepFlag(CONST STEP *Step, ULONG Member, BOOLEAN Default) {
    return StepNumber(Step, Member, Default) != 0;
}

BOOLEAN StepHas(CONST STEP *Step, ULONG Member) {
    return ArgFind(Step, Member) != NULL;
}

BOOLEAN StepIsNothing(CONST STEP *Step, ULONG Member) {
    CONST ARG *Arg = ArgFind(Step, Member);

    return Arg != NULL && Arg->kind == SCRIPT_ARG_NOTHING;
}

PSLOT ArgSlot(PRUN Run, CONST ARG *Arg) {
    ULONG64 Index = Arg->value == SCRIPT_IT ? Run->It : Arg->value;

    return Arg->kind == SCRIPT_ARG_OBJECT && Index < Script.Program->object_count
               ? &Script.Slots[Index]
               : NULL;
}

PSLOT StepSlot(PRUN Run, CONST STEP *Step, ULONG Member) {
    CONST ARG *Arg = ArgFind(Step, Member);

    return Arg != NULL ? ArgSlot(Run, Arg) : NULL;
}

PCSTR ScriptText(ULONG64 Offset) {
    return (PCSTR)Script.Program + Script.Program->text_at + Offset;
}

PCSTR SlotName(CONST SLOT *Slot) {
    CONST struct script_object *Objects =
        (CONST struct script_object *)((PUCHAR)Script.Program + Script.Program->object_at);

    return ScriptText(Objects[Slot - Script.Slots].name);
}

PCSTR LabelName(CONST LABEL *Label) {
    CONST struct script_name *Names =
        (CONST struct script_name *)((PUCHAR)Script.Program + Script.Program->label_at);

    return ScriptText(Names[Label - Script.Labels].name);
}

PCSTR StatusName(NTSTATUS Status, CHAR Buffer[20]) {
    CONST struct script_status *Names =
        (CONST struct script_status *)((PUCHAR)Script.Program + Script.Program->status_at);
    ULONG Index;

    for (Index = 0; Index < Script.Program->status_count; Index++) {
        if (Names[Index].value == (ULONG)Status) {
            return ScriptText(Names[Index].name);
        }
    }
    (VOID) RtlStringCbPrintfA(Buffer, 20, "0x%08X", Status);
    return Buffer;
}

BOOLEAN Compare(ULONG64 Left, ULONG Comparison, ULONG64 Right) {
    switch (Comparison) {
    case SCRIPT_EQUAL:
        return Left == Right;
    case SCRIPT_UNEQUAL:
        return Left != Right;
    case SCRIPT_LESS:
        return Left < Right;
    case SCRIPT_LESS_EQUAL:
        return Left <= Right;
    case SCRIPT_GREATER:
        return Left > Right;
    case SCRIPT_GREATER_EQUAL:
        return Left >= Right;
    default:
        return (Left & Right) == Right;
    }
}

PCSTR ComparisonWord(ULONG Comparison) {
    static PCSTR CONST Words[] = {"",           "not ",      "less than ",    "at most ",
                                  "more than ", "at least ", "with the bits "};

    return Words[Comparison];
}

BOOLEAN ConditionHolds(CONST ARG *Condition) {
    CONST ARG *Parts = ArgAt(Condition->value);

    return Compare(ArgValue(&Parts[0]), (ULONG)Parts[1].value, ArgValue(&Parts[2]));
}
