/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a driver may say to the simulation. A real kit has none of this: keep it out of code that
 * must also build for Windows, or put it behind a macro of yours.
 *
 * `NdkObjectOrNull` is an NDK object (its header) that the call is about; NULL means the driver.
 * Names and texts must outlive the call only. IRQL <= DISPATCH_LEVEL unless said otherwise.
 */
#ifndef NDKSIM_WDK_NDKSIM_H
#define NDKSIM_WDK_NDKSIM_H

#include "ntdef.h"

/*
 * Asks the world to choose one of Count options; the answer is the option's index. Option 0 is the
 * quiet one: an undisturbed run always takes it. Kind and Labels become part of the choice's key,
 * so keep them stable and free of spaces ("answer.register_mr"; "inline", "pend").
 */
ULONG NdksimChoose(_In_z_ PCSTR Kind, _In_opt_ PVOID NdkObjectOrNull,
                   _In_reads_(Count) PCSTR const *Labels, _In_ ULONG Count);

/* Leaves a trace record. Part of the digest: never pass an address as A or B. */
VOID NdksimTrace(_In_z_ PCSTR Event, _In_opt_ PVOID NdkObjectOrNull, _In_ ULONG64 A,
                 _In_ ULONG64 B);

/*
 * Fault points of this driver: places where it asks whether something goes wrong on purpose. A
 * module that has any defines the table, once, ended by {NULL, NULL}:
 *
 *     const NDKSIM_FAULT_POINT NdksimFaultPoints[] = {
 *         {"mydriver.reply_lost", "The reply to a request is not sent."},
 *         {NULL, NULL},
 *     };
 *
 * Names are "family.word"; those of the simulation itself are taken. Scenarios may name them then.
 */
typedef struct _NDKSIM_FAULT_POINT {
    PCSTR Name;
    PCSTR About; /* one sentence: what goes wrong */
} NDKSIM_FAULT_POINT;
__attribute__((visibility("default"))) extern const NDKSIM_FAULT_POINT NdksimFaultPoints[];

/* TRUE when the scenario or the chooser fires the point, one of the module's table, here. */
BOOLEAN NdksimFault(_In_z_ PCSTR Point, _In_opt_ PVOID NdkObjectOrNull);

/*
 * State machines of this driver, for coverage: which states and steps no run has come by. Each step
 * leaves NdksimTrace(Event, object, from, to). A module that has any defines the table, once, ended
 * by {NULL}. MayFollow answers from constants: it is asked when the module is loaded.
 */
typedef struct _NDKSIM_MACHINE {
    PCSTR Name; /* "mydriver connection" */
    PCSTR Event;
    ULONG StateCount; /* at most 64 */
    const PCSTR *StateNames;
    BOOLEAN (*MayFollow)(ULONG From, ULONG To);
} NDKSIM_MACHINE;
__attribute__((visibility("default"))) extern const NDKSIM_MACHINE NdksimMachines[];

/*
 * Values that this driver reads from its adapter's keywords or its Parameters key, with what they
 * do. A module that has any defines the table, once, ended by {NULL}; `ndksim list quirks` shows
 * it, and an adapter's quirks are checked against it: another name, and a number out of range, are
 * errors of the scenario. Default is what an absent one counts as; it may lie out of range.
 */
typedef struct _NDKSIM_SETTING {
    PCSTR Name;
    PCSTR About; /* one sentence, with the unit */
    ULONG Default;
    ULONG Min;
    ULONG Max;
} NDKSIM_SETTING;
__attribute__((visibility("default"))) extern const NDKSIM_SETTING NdksimSettings[];

/* A parameter of this driver from the scenario, Default when it is absent. Any IRQL. */
ULONG NdksimRegistryUlong(_In_z_ PCWSTR Name, _In_ ULONG Default);

/* States what must hold. FALSE ends the run as a failed expectation of this driver, with Text. */
VOID NdksimRequire(_In_ BOOLEAN Condition, _In_z_ PCSTR Text);

/*
 * What trace macros become (`ndksim build-driver`): a line in the log. Formats as DbgPrint's, and
 * %!FUNC! is Function, %!STATUS! an NTSTATUS by name, %!any other! a ULONG. Any IRQL.
 */
VOID NdksimPrint(_In_z_ PCSTR File, _In_ ULONG Line, _In_z_ PCSTR Function, _In_z_ PCSTR Format,
                 ...);

/* Sets a named counter of this driver, which expectations of the scenario can read. */
VOID NdksimCounter(_In_z_ PCSTR Name, _In_ ULONG64 Value);

#endif
