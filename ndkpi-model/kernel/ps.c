/* SPDX-License-Identifier: Apache-2.0 */
/* System threads as drivers make them. */
#include <ntddk.h>

#include "call_error.h"
#include "fault_points.h"
#include "handle.h"
#include "pool.h"
#include "thread.h"

/* Stacks that drivers' threads leave to the kernel's own. */
#define STACKS_RESERVED 64u

static NTSTATUS create(const struct krn_call *call, PHANDLE handle, PKSTART_ROUTINE routine,
                       PVOID context) {
    struct sim_object *owner = krn_call_owner(call);
    struct krn_thread *thread;

    krn_check_memory(call, handle, sizeof(*handle), "handle");
    krn_call_point(call, owner, SIM_ACCESS_CREATE);
    if (sim_fault_hit(call->world, &krn_fault_thread, owner, NULL) ||
        sim_stacks_left(call->world) <= STACKS_RESERVED) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    thread =
        krn_thread_create(call->node, krn_call_driver(call), owner, "thread", routine, context);
    thread->is_driver_routine = true;
    krn_site_keep_here(call->world, &thread->made);
    *handle = krn_handle_make(call, KRN_HANDLE_THREAD, thread);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI PsCreateSystemThread(PHANDLE ThreadHandle, ULONG DesiredAccess,
                                    POBJECT_ATTRIBUTES ObjectAttributes, HANDLE ProcessHandle,
                                    PCLIENT_ID ClientId, PKSTART_ROUTINE StartRoutine,
                                    PVOID StartContext) {
    KRN_CALL(PASSIVE_LEVEL);
    UNREFERENCED_PARAMETER(DesiredAccess);
    UNREFERENCED_PARAMETER(ObjectAttributes);
    UNREFERENCED_PARAMETER(ProcessHandle);
    if (ClientId != NULL) {
        RtlZeroMemory(ClientId, sizeof(*ClientId));
    }
    return create(&call, ThreadHandle, StartRoutine, StartContext);
}

NTSTATUS NTAPI IoCreateSystemThread(PVOID IoObject, PHANDLE ThreadHandle, ULONG DesiredAccess,
                                    POBJECT_ATTRIBUTES ObjectAttributes, HANDLE ProcessHandle,
                                    PCLIENT_ID ClientId, PKSTART_ROUTINE StartRoutine,
                                    PVOID StartContext) {
    KRN_CALL(PASSIVE_LEVEL);
    UNREFERENCED_PARAMETER(DesiredAccess);
    UNREFERENCED_PARAMETER(ObjectAttributes);
    UNREFERENCED_PARAMETER(ProcessHandle);
    krn_check_memory(&call, IoObject, sizeof(USHORT), "driver or device object");
    if (ClientId != NULL) {
        RtlZeroMemory(ClientId, sizeof(*ClientId));
    }
    return create(&call, ThreadHandle, StartRoutine, StartContext);
}

NTSTATUS NTAPI PsTerminateSystemThread(NTSTATUS ExitStatus) {
    KRN_CALL(PASSIVE_LEVEL);
    const struct krn_thread *thread = krn_thread_current();

    if (thread == NULL || !thread->is_driver_routine) {
        krn_call_error(&call, 0xC4, 0xE6, 0, "the thread is none that a driver made");
    }
    krn_thread_end(&call, ExitStatus);
}

PETHREAD NTAPI PsGetCurrentThread(VOID) {
    KRN_CALL(HIGH_LEVEL);
    return (PETHREAD)krn_thread_current();
}

HANDLE NTAPI PsGetCurrentThreadId(VOID) {
    KRN_CALL(HIGH_LEVEL);
    return (HANDLE)((uintptr_t)sim_task_object(call.task)->id * 4);
}

HANDLE NTAPI PsGetCurrentProcessId(VOID) {
    KRN_CALL(HIGH_LEVEL);
    return (HANDLE)(uintptr_t)4;
}

PEPROCESS NTAPI PsGetCurrentProcess(VOID) {
    KRN_CALL(HIGH_LEVEL);
    return (PEPROCESS)call.node;
}

BOOLEAN NTAPI PsIsSystemThread(PETHREAD Thread) {
    KRN_CALL(HIGH_LEVEL);
    return krn_thread_of(Thread) != NULL;
}
