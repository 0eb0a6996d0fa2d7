/* SPDX-License-Identifier: Apache-2.0 */
/* System threads; see thread.h. */
#include "thread.h"

NTSTATUS ThreadStart(PKSTART_ROUTINE Routine, PVOID Context, PVOID *Thread) {
    HANDLE Handle = NULL;
    NTSTATUS Status;

    PAGED_CODE();
    *Thread = NULL;
    Status = PsCreateSystemThread(&Handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, Routine, Context);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    /* A handle that was just made can always be turned into a reference. */
    Status = ObReferenceObjectByHandle(Handle, THREAD_ALL_ACCESS, *PsThreadType, KernelMode, Thread,
                                       NULL);
    NT_ASSERT(NT_SUCCESS(Status));
    ZwClose(Handle);
    return STATUS_SUCCESS;
}

VOID ThreadJoin(PVOID Thread) {
    PAGED_CODE();
    if (Thread != NULL) {
        KeWaitForSingleObject(Thread, Executive, KernelMode, FALSE, NULL);
        ObDereferenceObject(Thread);
    }
}

BOOLEAN ThreadSleep(PKEVENT Stop, ULONG Milliseconds) {
    LARGE_INTEGER Timeout;
    NTSTATUS Status;

    PAGED_CODE();
    Timeout.QuadPart = -10000 * (LONGLONG)Milliseconds;
    Status = KeWaitForSingleObject(Stop, Executive, KernelMode, FALSE, &Timeout);
    return Status == STATUS_SUCCESS;
}
