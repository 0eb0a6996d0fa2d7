/* SPDX-License-Identifier: Apache-2.0 */
/* IRQL and critical regions. */
#include <ntddk.h>

#include <krn/bugcheck.h>
#include <krn/state.h>

#include "call_error.h"
#include "race.h"
#include "record.h"
#include "thread.h"

KIRQL NTAPI KeGetCurrentIrql(VOID) {
    KRN_CALL(HIGH_LEVEL);
    return call.level;
}

KIRQL NTAPI KfRaiseIrql(KIRQL NewIrql) {
    KRN_CALL(HIGH_LEVEL);
    if (NewIrql < call.level || NewIrql > HIGH_LEVEL) {
        krn_bugcheck(0xC4, 0x30, call.level, NewIrql, 0,
                     "KeRaiseIrql was asked to go from %s to %s", krn_irql_name(call.level),
                     krn_irql_name(NewIrql));
    }
    sim_cpu_raise(call.cpu, NewIrql);
    if (NewIrql >= DISPATCH_LEVEL) {
        krn_race_after(call.krn, krn_race_dispatch(krn_cpu_of(call.cpu)));
    }
    return call.level;
}

KIRQL NTAPI KeRaiseIrqlToDpcLevel(VOID) {
    KRN_CALL(DISPATCH_LEVEL);
    sim_cpu_raise(call.cpu, DISPATCH_LEVEL);
    krn_race_after(call.krn, krn_race_dispatch(krn_cpu_of(call.cpu)));
    return call.level;
}

VOID NTAPI KeLowerIrql(KIRQL NewIrql) {
    KRN_CALL(HIGH_LEVEL);
    if (NewIrql > call.level) {
        krn_bugcheck(0xC4, 0x31, call.level, NewIrql, 0,
                     "KeLowerIrql was asked to go from %s to %s", krn_irql_name(call.level),
                     krn_irql_name(NewIrql));
    }
    if (NewIrql < DISPATCH_LEVEL && krn_held_count(call.krn, call.task) != 0) {
        char name[SIM_NAME_BYTES];

        krn_bugcheck(0xC4, 0x34, call.level, NewIrql, 0, "KeLowerIrql to %s while %s is held",
                     krn_irql_name(NewIrql),
                     sim_object_name(&krn_held_first(call.krn, call.task)->record.object, name,
                                     sizeof(name)));
    }
    if (NewIrql < DISPATCH_LEVEL && sim_task_layer(call.task) != SIM_LAYER_THREAD) {
        krn_call_error(&call, 0xC4, 0x31, call.level,
                       "a DPC or interrupt routine went below its IRQL");
    }
    if (call.level >= DISPATCH_LEVEL && NewIrql < DISPATCH_LEVEL) {
        krn_race_before(call.krn, krn_race_dispatch(krn_cpu_of(call.cpu)));
    }
    sim_cpu_lower(call.cpu, NewIrql);
}

VOID NTAPI KeEnterCriticalRegion(VOID) {
    KRN_CALL(APC_LEVEL);
    struct krn_thread *thread = krn_thread_current();

    if (thread != NULL) {
        thread->critical_regions++;
    }
}

VOID NTAPI KeLeaveCriticalRegion(VOID) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_thread *thread = krn_thread_current();

    if (thread == NULL || thread->critical_regions == 0) {
        krn_call_error(&call, 0x01, 0, 0, "the thread is in no critical region");
    }
    thread->critical_regions--;
}

BOOLEAN NTAPI KeAreApcsDisabled(VOID) {
    KRN_CALL(DISPATCH_LEVEL);
    const struct krn_thread *thread = krn_thread_current();

    return thread != NULL && (thread->critical_regions != 0 || thread->guarded_regions != 0 ||
                              thread->mutexes_owned != 0);
}

void krn_guarded_enter(void) {
    struct krn_thread *thread = krn_thread_current();

    if (thread != NULL) {
        thread->guarded_regions++;
    }
}

void krn_guarded_leave(const struct krn_call *call) {
    struct krn_thread *thread = krn_thread_current();

    if (thread == NULL || thread->guarded_regions == 0) {
        krn_call_error(call, 0x01, 0, 0, "the thread is in no guarded region");
    }
    thread->guarded_regions--;
}

VOID NTAPI KeEnterGuardedRegion(VOID) {
    KRN_CALL(APC_LEVEL);
    krn_guarded_enter();
}

VOID NTAPI KeLeaveGuardedRegion(VOID) {
    KRN_CALL(APC_LEVEL);
    krn_guarded_leave(&call);
}

BOOLEAN NTAPI KeAreAllApcsDisabled(VOID) {
    KRN_CALL(DISPATCH_LEVEL);
    const struct krn_thread *thread = krn_thread_current();

    return call.level >= APC_LEVEL || (thread != NULL && thread->guarded_regions != 0);
}
