/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structured exceptions, see wdm/exception.h. Guards that are entered stand in one list, the last
 * one first, of all tasks. An exception goes to the innermost guard of the task that raised it: its
 * setjmp returns again. Guards further in are dropped on the way. Without a guard it is bugcheck
 * 0x1E.
 */
#include <signal.h>

#include <ntddk.h>

#include <krn/bugcheck.h>
#include <sim/cpu.h>
#include <sim/host.h>

#include "call_error.h"
#include "exception.h"
#include "fault_points.h"

enum phase {
    PHASE_BEFORE,
    PHASE_BLOCK,
    PHASE_DONE,    /* the block came to its end: __finally is next */
    PHASE_LEFT,    /* by __leave: the same, within this turn */
    PHASE_RAISED,  /* __except or __finally is next */
    PHASE_PASSED,  /* nobody took it here: it goes on to the next guard */
    PHASE_HANDLED, /* the handler ran */
};

/* What only the machine raises; 64 KiB from 0 belong to nobody. */
#define NULL_PAGES_BYTES 0x10000u

static uint32_t task_id(void) {
    struct sim_task *task = sim_task_current();

    return task != NULL ? sim_task_object(task)->id : 0;
}

static bool is_entered(const struct krn_world *krn, const NDKSIM_GUARD *guard) {
    const NDKSIM_GUARD *one = krn->guard_first;

    while (one != NULL && one != guard) {
        one = one->Next;
    }
    return one == guard;
}

static void drop(struct krn_world *krn, NDKSIM_GUARD *guard) {
    NDKSIM_GUARD **link = &krn->guard_first;

    while (*link != NULL && *link != guard) {
        link = &(*link)->Next;
    }
    if (*link == guard) {
        *link = guard->Next;
    }
}

/* The innermost guard of this task. A task enters and leaves them like a stack. */
static NDKSIM_GUARD *innermost(const struct krn_world *krn, uint32_t task) {
    NDKSIM_GUARD *guard = krn->guard_first;

    while (guard != NULL && guard->Owner != task) {
        guard = guard->Next;
    }
    return guard;
}

static void prepare(struct krn_world *krn, NDKSIM_GUARD *guard, NTSTATUS status,
                    const struct sim_accident *accident) {
    drop(krn, guard);
    guard->Phase = PHASE_RAISED;
    RtlZeroMemory(&guard->Record, sizeof(guard->Record));
    guard->Record.ExceptionCode = status;
    if (accident != NULL && status == STATUS_ACCESS_VIOLATION) {
        guard->Record.NumberParameters = 2;
        guard->Record.ExceptionInformation[0] = accident->write;
        guard->Record.ExceptionInformation[1] = accident->address;
    }
    guard->Pointers.ExceptionRecord = &guard->Record;
}

static SIM_NORETURN void raise_status(struct krn_world *krn, NTSTATUS status) {
    NDKSIM_GUARD *guard = innermost(krn, task_id());

    if (guard == NULL) {
        krn_bugcheck(0x1E, (uint32_t)status, 0, 0, 0,
                     "an exception was raised and no __except takes it");
    }
    prepare(krn, guard, status, NULL);
    guard->Resume(guard);
    SIM_ASSERT(false); /* it does not return */
}

VOID NTAPI ExRaiseStatus(NTSTATUS Status) {
    KRN_CALL(HIGH_LEVEL);
    raise_status(call.krn, Status);
}

VOID NTAPI RtlRaiseStatus(NTSTATUS Status) {
    KRN_CALL(HIGH_LEVEL);
    raise_status(call.krn, Status);
}

VOID NTAPI ExRaiseAccessViolation(VOID) {
    KRN_CALL(HIGH_LEVEL);
    raise_status(call.krn, STATUS_ACCESS_VIOLATION);
}

VOID NTAPI ExRaiseDatatypeMisalignment(VOID) {
    KRN_CALL(HIGH_LEVEL);
    raise_status(call.krn, STATUS_DATATYPE_MISALIGNMENT);
}

static void probe(const struct krn_call *call, ULONG_PTR address, SIZE_T length, ULONG alignment) {
    if (length == 0) {
        return;
    }
    krn_call_point(call, krn_call_owner(call), SIM_ACCESS_READ);
    if (alignment != 0 && (address & (alignment - 1)) != 0) {
        raise_status(call->krn, STATUS_DATATYPE_MISALIGNMENT);
    }
    raise_status(call->krn, STATUS_ACCESS_VIOLATION);
}

VOID NTAPI ProbeForRead(const volatile VOID *Address, SIZE_T Length, ULONG Alignment) {
    KRN_CALL(APC_LEVEL);
    probe(&call, (ULONG_PTR)Address, Length, Alignment);
}

VOID NTAPI ProbeForWrite(volatile VOID *Address, SIZE_T Length, ULONG Alignment) {
    KRN_CALL(APC_LEVEL);
    probe(&call, (ULONG_PTR)Address, Length, Alignment);
}

void krn_raise(const struct krn_call *call, NTSTATUS status) {
    raise_status(call->krn, status);
}

/* On the signal's stack: only what user memory and arithmetic raise is an exception at home. */
static bool is_exception(const struct sim_accident *accident) {
    if (accident->signal == SIGFPE || accident->signal == SIGTRAP) {
        return true;
    }
    return accident->signal == SIGSEGV && !accident->is_stack_overflow &&
           accident->address < NULL_PAGES_BYTES;
}

static void resume(void *context) {
    NDKSIM_GUARD *guard = context;

    guard->Resume(guard);
}

static NTSTATUS status_of(const struct sim_accident *accident) {
    switch (accident->signal) {
    case SIGFPE:
        return STATUS_INTEGER_DIVIDE_BY_ZERO;
    case SIGTRAP:
        return STATUS_BREAKPOINT;
    default:
        return STATUS_ACCESS_VIOLATION;
    }
}

bool krn_exception_rescue(struct sim_world *world, const struct sim_accident *accident,
                          struct sim_rescue *way) {
    struct krn_world *krn = sim_world_slot(world, SIM_SLOT_KERNEL);
    NDKSIM_GUARD *guard = krn != NULL ? innermost(krn, task_id()) : NULL;

    if (guard == NULL || !is_exception(accident)) {
        return false;
    }
    prepare(krn, guard, status_of(accident), accident);
    *way = (struct sim_rescue){resume, guard};
    return true;
}

/* ---- The keywords ---- */

BOOLEAN NdksimGuardNext(NDKSIM_GUARD *Guard) {
    KRN_CALL(HIGH_LEVEL);

    switch (Guard->Phase) {
    case PHASE_BEFORE:
        Guard->Phase = PHASE_BLOCK;
        Guard->Owner = task_id();
        Guard->Next = call.krn->guard_first;
        call.krn->guard_first = Guard;
        return TRUE;
    case PHASE_BLOCK:
        drop(call.krn, Guard);
        Guard->Phase = PHASE_DONE;
        return TRUE;
    case PHASE_PASSED:
        Guard->Phase = PHASE_HANDLED;
        raise_status(call.krn, Guard->Record.ExceptionCode);
    default:
        return FALSE;
    }
}

BOOLEAN NdksimGuardIsBlock(const NDKSIM_GUARD *Guard) {
    return Guard->Phase == PHASE_BLOCK;
}

BOOLEAN NdksimGuardFails(const NDKSIM_GUARD *Guard) {
    return Guard->Phase == PHASE_RAISED || Guard->Phase == PHASE_PASSED;
}

BOOLEAN NdksimGuardExcept(NDKSIM_GUARD *Guard, LONG Filter) {
    if (Filter < 0) {
        krn_bugcheck(0x1E, (uint32_t)STATUS_NONCONTINUABLE_EXCEPTION, 0, 0, 0,
                     "a filter wants to go on where the exception 0x%08x was raised",
                     (uint32_t)Guard->Record.ExceptionCode);
    }
    Guard->Phase = Filter != 0 ? PHASE_HANDLED : PHASE_PASSED;
    return Filter != 0;
}

BOOLEAN NdksimGuardFinally(NDKSIM_GUARD *Guard) {
    if (Guard->Phase == PHASE_RAISED) {
        Guard->Phase = PHASE_PASSED; /* on, when the handler is through */
        return TRUE;
    }
    return Guard->Phase == PHASE_DONE || Guard->Phase == PHASE_LEFT;
}

VOID NdksimGuardLeave(NDKSIM_GUARD *Guard) {
    KRN_CALL(HIGH_LEVEL);

    /* Guards further in were left with it. */
    while (is_entered(call.krn, Guard) && innermost(call.krn, Guard->Owner) != Guard) {
        drop(call.krn, innermost(call.krn, Guard->Owner));
    }
    drop(call.krn, Guard);
    Guard->Phase = PHASE_LEFT;
    Guard->Resume(Guard);
    SIM_ASSERT(false);
}

VOID NdksimGuardDrop(NDKSIM_GUARD *Guard) {
    KRN_CALL(HIGH_LEVEL);
    drop(call.krn, Guard);
}
