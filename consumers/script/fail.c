/* SPDX-License-Identifier: Apache-2.0 */
/* A failed expectation: one sentence that names node, driver, step, what was wanted and what came.
 */
#include "script.h"

VOID Failed(CONST STEP *Step, PCSTR Format, ...) {
    CHAR What[256];
    CHAR Text[480];
    va_list Arguments;

    va_start(Arguments, Format);
    (VOID) RtlStringCbVPrintfA(What, sizeof(What), Format, Arguments);
    va_end(Arguments);
    (VOID) RtlStringCbPrintfA(Text, sizeof(Text), "node %s, %s (%s): %s",
                              ScriptText(Script.Program->node), ScriptText(Step->path),
                              ScriptText(Step->place), What);
    NdksimRequire(FALSE, Text);
}

BOOLEAN StatusFits(CONST STEP *Step, NTSTATUS Status) {
    CONST ARG *Wanted = ArgFind(Step, SCRIPT_MEMBER_STATUS);
    ULONG Index;

    if (Wanted == NULL) {
        return Status == STATUS_SUCCESS;
    }
    if (Wanted->kind == SCRIPT_ARG_NOTHING) {
        return TRUE; /* "any" */
    }
    for (Index = 0; Index < Wanted->count; Index++) {
        if ((NTSTATUS)ArgValue(ArgAt(Wanted->value + Index)) == Status) {
            return TRUE;
        }
    }
    return FALSE;
}

BOOLEAN StatusCheck(CONST STEP *Step, PCSTR What, NTSTATUS Status) {
    CONST ARG *Wanted = ArgFind(Step, SCRIPT_MEMBER_STATUS);
    NTSTATUS First = STATUS_SUCCESS;
    CHAR Expected[20];
    CHAR Came[20];

    if (StatusFits(Step, Status)) {
        return TRUE;
    }
    if (Wanted != NULL) {
        First = (NTSTATUS)ArgValue(ArgAt(Wanted->value));
    }
    return Fail(Step, "%s: expected %s%s, got %s", What, StatusName(First, Expected),
                Wanted != NULL && Wanted->count > 1 ? " (or another of its list)" : "",
                StatusName(Status, Came));
}
