/* SPDX-License-Identifier: Apache-2.0 */
/* What a step found out: into variables, and against "expect". */
#include "script.h"

static PCSTR CONST Words[SCRIPT_OUTPUTS] = {
#define WORD(name, word) word,
    SCRIPT_OUTPUT_LIST(WORD)
#undef WORD
};

VOID OutputAdd(POUTPUTS Outputs, ULONG Name, ULONG64 Value) {
    if (Outputs->Count < RTL_NUMBER_OF(Outputs->Values)) {
        Outputs->Values[Outputs->Count].Name = Name;
        Outputs->Values[Outputs->Count].Value = Value;
        Outputs->Count++;
    }
}

static BOOLEAN OutputFind(CONST OUTPUTS *Outputs, ULONG64 Name, ULONG64 *Value) {
    ULONG Index;

    for (Index = 0; Index < Outputs->Count; Index++) {
        if (Outputs->Values[Index].Name == Name) {
            *Value = Outputs->Values[Index].Value;
            return TRUE;
        }
    }
    return FALSE;
}

static VOID OutputsStore(CONST ARG *Into, CONST OUTPUTS *Outputs) {
    ULONG Index;

    for (Index = 0; Index < Into->count; Index++) {
        CONST ARG *Entry = ArgAt(Into->value + Index); /* count: the output, value: variable */
        ULONG64 Value;

        if (OutputFind(Outputs, Entry->count, &Value)) {
            Script.Variables[Entry->value] = Value;
        }
    }
}

BOOLEAN OutputsUse(CONST STEP *Step, CONST OUTPUTS *Outputs) {
    CONST ARG *Expect = ArgFind(Step, SCRIPT_MEMBER_EXPECT);
    CONST ARG *Into = ArgFind(Step, SCRIPT_MEMBER_INTO);
    CHAR Wanted[20];
    CHAR Came[20];
    ULONG Index;

    if (Into != NULL) {
        OutputsStore(Into, Outputs);
    }
    for (Index = 0; Expect != NULL && Index < Expect->count; Index++) {
        CONST ARG *Entry = ArgAt(Expect->value + Index); /* count: the output */
        CONST ARG *Parts = ArgAt(Entry->value);          /* comparison, right */
        ULONG64 Right = ArgValue(&Parts[1]);
        ULONG64 Value = 0;

        if (!OutputFind(Outputs, Entry->count, &Value) ||
            Compare(Value, (ULONG)Parts[0].value, Right)) {
            continue;
        }
        if (Entry->count == SCRIPT_OUTPUT_STATUS) {
            return Fail(Step, "status: expected %s%s, got %s",
                        ComparisonWord((ULONG)Parts[0].value), StatusName((NTSTATUS)Right, Wanted),
                        StatusName((NTSTATUS)Value, Came));
        }
        return Fail(Step, "%s: expected %s%llu, got %llu", Words[Entry->count],
                    ComparisonWord((ULONG)Parts[0].value), Right, Value);
    }
    return TRUE;
}
