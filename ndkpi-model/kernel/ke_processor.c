/* SPDX-License-Identifier: Apache-2.0 */
/* Processors: one group, one memory node. Affinity moves the current thread. */
#include <ntddk.h>

#include "call_error.h"
#include "thread.h"

static KAFFINITY all_of(const struct krn_node *node) {
    return node->cpu_count >= 64 ? ~(KAFFINITY)0 : ((KAFFINITY)1 << node->cpu_count) - 1;
}

ULONG NTAPI KeGetCurrentProcessorNumberEx(PPROCESSOR_NUMBER ProcNumber) {
    KRN_CALL(HIGH_LEVEL);
    if (ProcNumber != NULL) {
        RtlZeroMemory(ProcNumber, sizeof(*ProcNumber));
        ProcNumber->Number = (UCHAR)sim_cpu_index(call.cpu);
    }
    return sim_cpu_index(call.cpu);
}

ULONG NTAPI KeGetCurrentProcessorNumber(VOID) {
    KRN_CALL(HIGH_LEVEL);
    return sim_cpu_index(call.cpu);
}

ULONG NTAPI KeGetCurrentProcessorIndex(VOID) {
    KRN_CALL(HIGH_LEVEL);
    return sim_cpu_index(call.cpu);
}

ULONG NTAPI KeQueryActiveProcessorCount(PKAFFINITY ActiveProcessors) {
    KRN_CALL(HIGH_LEVEL);
    if (ActiveProcessors != NULL) {
        *ActiveProcessors = all_of(call.node);
    }
    return call.node->cpu_count;
}

ULONG NTAPI KeQueryActiveProcessorCountEx(USHORT GroupNumber) {
    KRN_CALL(HIGH_LEVEL);
    return GroupNumber == 0 || GroupNumber == ALL_PROCESSOR_GROUPS ? call.node->cpu_count : 0;
}

ULONG NTAPI KeQueryMaximumProcessorCount(VOID) {
    KRN_CALL(HIGH_LEVEL);
    return call.node->cpu_count;
}

ULONG NTAPI KeQueryMaximumProcessorCountEx(USHORT GroupNumber) {
    KRN_CALL(HIGH_LEVEL);
    return GroupNumber == 0 || GroupNumber == ALL_PROCESSOR_GROUPS ? call.node->cpu_count : 0;
}

USHORT NTAPI KeQueryActiveGroupCount(VOID) {
    KRN_CALL(HIGH_LEVEL);
    return 1;
}

USHORT NTAPI KeQueryMaximumGroupCount(VOID) {
    KRN_CALL(HIGH_LEVEL);
    return 1;
}

KAFFINITY NTAPI KeQueryActiveProcessors(VOID) {
    KRN_CALL(HIGH_LEVEL);
    return all_of(call.node);
}

KAFFINITY NTAPI KeQueryGroupAffinity(USHORT GroupNumber) {
    KRN_CALL(HIGH_LEVEL);
    return GroupNumber == 0 ? all_of(call.node) : 0;
}

ULONG NTAPI KeGetProcessorIndexFromNumber(PPROCESSOR_NUMBER ProcNumber) {
    KRN_CALL(HIGH_LEVEL);
    return ProcNumber->Group == 0 && ProcNumber->Number < call.node->cpu_count ? ProcNumber->Number
                                                                               : (ULONG)-1;
}

NTSTATUS NTAPI KeGetProcessorNumberFromIndex(ULONG ProcIndex, PPROCESSOR_NUMBER ProcNumber) {
    KRN_CALL(HIGH_LEVEL);
    if (ProcIndex >= call.node->cpu_count) {
        return STATUS_INVALID_PARAMETER;
    }
    RtlZeroMemory(ProcNumber, sizeof(*ProcNumber));
    ProcNumber->Number = (UCHAR)ProcIndex;
    return STATUS_SUCCESS;
}

USHORT NTAPI KeQueryHighestNodeNumber(VOID) {
    KRN_CALL(HIGH_LEVEL);
    return 0;
}

USHORT NTAPI KeGetCurrentNodeNumber(VOID) {
    KRN_CALL(HIGH_LEVEL);
    return 0;
}

VOID NTAPI KeQueryNodeActiveAffinity(USHORT NodeNumber, PGROUP_AFFINITY Affinity, PUSHORT Count) {
    KRN_CALL(HIGH_LEVEL);
    if (Affinity != NULL) {
        RtlZeroMemory(Affinity, sizeof(*Affinity));
        Affinity->Mask = NodeNumber == 0 ? all_of(call.node) : 0;
    }
    if (Count != NULL) {
        *Count = NodeNumber == 0 ? (USHORT)call.node->cpu_count : 0;
    }
}

/* The lowest CPU of the mask that the thread is not kept from; it stays where it may stay. */
static void move_to(const struct krn_call *call, struct krn_thread *thread, KAFFINITY mask) {
    uint32_t now = sim_cpu_index(call->cpu);

    thread->affinity = mask;
    if ((mask >> now & 1) == 0) {
        sim_task_move(call->node->cpus[__builtin_ctzll(mask)].cpu);
    }
}

static KAFFINITY set_affinity(const struct krn_call *call, KAFFINITY mask) {
    struct krn_thread *thread = krn_thread_current();
    KAFFINITY old;

    if (thread == NULL) {
        krn_call_error(call, 0x0A, 0, call->level, "there is no thread to move");
    }
    old = thread->affinity;
    mask &= all_of(call->node);
    if (mask == 0) {
        mask = all_of(call->node);
    }
    move_to(call, thread, mask);
    return old;
}

VOID NTAPI KeSetSystemGroupAffinityThread(PGROUP_AFFINITY Affinity,
                                          PGROUP_AFFINITY PreviousAffinity) {
    KRN_CALL(APC_LEVEL);
    KAFFINITY old = set_affinity(&call, Affinity->Mask);

    if (PreviousAffinity != NULL) {
        RtlZeroMemory(PreviousAffinity, sizeof(*PreviousAffinity));
        PreviousAffinity->Mask = old;
    }
}

VOID NTAPI KeRevertToUserGroupAffinityThread(PGROUP_AFFINITY PreviousAffinity) {
    KRN_CALL(APC_LEVEL);
    (void)set_affinity(&call, PreviousAffinity->Mask);
}

KAFFINITY NTAPI KeSetSystemAffinityThreadEx(KAFFINITY Affinity) {
    KRN_CALL(APC_LEVEL);
    return set_affinity(&call, Affinity);
}

VOID NTAPI KeRevertToUserAffinityThreadEx(KAFFINITY Affinity) {
    KRN_CALL(APC_LEVEL);
    (void)set_affinity(&call, Affinity);
}
