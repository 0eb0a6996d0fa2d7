/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structured exceptions: __try, __except, __finally, __leave, and what raises one. For gcc and
 * clang a guarded block is the body of a loop that runs once, with a frame that the kernel knows.
 *
 *   begin -> the block -> it ends, leaves or raises -> __except or __finally -> end
 *
 * What differs: a `break` or `continue` that is meant for a loop around the guarded block or its
 * handler would end this loop instead, and a `return` or `goto` out of a block with __finally would
 * pass the handler by (`ndksim build-driver` refuses both); filters run after the inner __finally
 * blocks, not before; nothing continues where it was raised. A source that uses __try is compiled
 * without optimisation: its locals must be in memory when the block is left from below.
 */
#ifndef NDKSIM_WDK_WDM_EXCEPTION_H
#define NDKSIM_WDK_WDM_EXCEPTION_H

#include "../ntdef.h"

#define EXCEPTION_MAXIMUM_PARAMETERS 15

typedef struct _EXCEPTION_RECORD {
    NTSTATUS ExceptionCode;
    ULONG ExceptionFlags;
    struct _EXCEPTION_RECORD *ExceptionRecord;
    PVOID ExceptionAddress;
    ULONG NumberParameters;
    ULONG_PTR ExceptionInformation[EXCEPTION_MAXIMUM_PARAMETERS];
} EXCEPTION_RECORD, *PEXCEPTION_RECORD;

typedef struct _CONTEXT CONTEXT, *PCONTEXT;

typedef struct _EXCEPTION_POINTERS {
    PEXCEPTION_RECORD ExceptionRecord;
    PCONTEXT ContextRecord; /* always NULL: there are no registers to show */
} EXCEPTION_POINTERS, *PEXCEPTION_POINTERS;

DECLSPEC_NORETURN VOID NTAPI ExRaiseStatus(_In_ NTSTATUS Status);
DECLSPEC_NORETURN VOID NTAPI ExRaiseAccessViolation(VOID);
DECLSPEC_NORETURN VOID NTAPI ExRaiseDatatypeMisalignment(VOID);
DECLSPEC_NORETURN VOID NTAPI RtlRaiseStatus(_In_ NTSTATUS Status);
/* Address must be below MmUserProbeAddress; no process has memory there: they always raise. */
VOID NTAPI ProbeForRead(_In_ const volatile VOID *Address, _In_ SIZE_T Length,
                        _In_ ULONG Alignment);
VOID NTAPI ProbeForWrite(_Inout_ volatile VOID *Address, _In_ SIZE_T Length, _In_ ULONG Alignment);

/* How a guarded block is carried out; drivers write the keywords. */
typedef struct _NDKSIM_GUARD {
    struct _NDKSIM_GUARD *Next; /* of all that are entered, the kernel's list */
    VOID (*Resume)(struct _NDKSIM_GUARD *Guard);
    ULONG Phase;
    ULONG Owner; /* the task */
    EXCEPTION_RECORD Record;
    EXCEPTION_POINTERS Pointers;
    ULONG64 Buffer[48] __attribute__((aligned(16))); /* a jmp_buf of any host */
} NDKSIM_GUARD;

BOOLEAN NdksimGuardNext(NDKSIM_GUARD *Guard);
BOOLEAN NdksimGuardIsBlock(const NDKSIM_GUARD *Guard);
BOOLEAN NdksimGuardExcept(NDKSIM_GUARD *Guard, LONG Filter);
BOOLEAN NdksimGuardFails(const NDKSIM_GUARD *Guard);
BOOLEAN NdksimGuardFinally(NDKSIM_GUARD *Guard);
DECLSPEC_NORETURN VOID NdksimGuardLeave(NDKSIM_GUARD *Guard);
VOID NdksimGuardDrop(NDKSIM_GUARD *Guard);

#ifdef _NDKSIM_DRIVER_DIALECT

/* The host's, under names that no header of it declares. */
#define _NDKSIM_PREFIX(x) _NDKSIM_TEXT(x)
#define _NDKSIM_TEXT(x) #x
#define _NDKSIM_SYMBOL(prefix, name) _NDKSIM_PREFIX(prefix) name
int NdksimSaveContext(VOID *Buffer) __asm__(_NDKSIM_SYMBOL(__USER_LABEL_PREFIX__, "_setjmp"))
    __attribute__((returns_twice));
VOID NdksimRestoreContext(VOID *Buffer,
                          int Value) __asm__(_NDKSIM_SYMBOL(__USER_LABEL_PREFIX__, "_longjmp"))
    __attribute__((noreturn));

static __attribute__((unused)) VOID NdksimGuardResume(NDKSIM_GUARD *Guard) {
    NdksimRestoreContext(Guard->Buffer, 1);
}

/* clang-format off */
#define __try                                                                                      \
    for (NDKSIM_GUARD __attribute__((cleanup(NdksimGuardDrop)))                                    \
             NdksimGuard = {.Resume = NdksimGuardResume};                                          \
         NdksimGuardNext(&NdksimGuard);)                                                           \
        if (NdksimGuardIsBlock(&NdksimGuard) && NdksimSaveContext(NdksimGuard.Buffer) == 0)
#define __except(Filter)                                                                           \
        else if (NdksimGuardFails(&NdksimGuard) && NdksimGuardExcept(&NdksimGuard, (Filter)))
#define __finally else if (NdksimGuardFinally(&NdksimGuard))
#define __leave NdksimGuardLeave(&NdksimGuard)
/* clang-format on */
#define GetExceptionCode() (NdksimGuard.Record.ExceptionCode)
#define _exception_code() GetExceptionCode()
#define GetExceptionInformation() (&NdksimGuard.Pointers)
#define _exception_info() GetExceptionInformation()
#define AbnormalTermination() NdksimGuardFails(&NdksimGuard)
#define _abnormal_termination() AbnormalTermination()

#endif

#endif
