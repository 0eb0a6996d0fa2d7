/* SPDX-License-Identifier: Apache-2.0 */
/* DriverEntry, the threads, DriverUnload; see script.h. */
#include "script.h"

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD ScriptUnload;

static NTSTATUS ThreadStart(PKSTART_ROUTINE Routine, PVOID Context, PVOID *Thread) {
    OBJECT_ATTRIBUTES Attributes;
    HANDLE Handle;
    NTSTATUS Status;

    InitializeObjectAttributes(&Attributes, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
    Status =
        PsCreateSystemThread(&Handle, THREAD_ALL_ACCESS, &Attributes, NULL, NULL, Routine, Context);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = ObReferenceObjectByHandle(Handle, THREAD_ALL_ACCESS, NULL, KernelMode, Thread, NULL);
    ZwClose(Handle);
    return Status;
}

static VOID ThreadJoin(PVOID Thread) {
    if (Thread != NULL) {
        KeWaitForSingleObject(Thread, Executive, KernelMode, FALSE, NULL);
        ObDereferenceObject(Thread);
    }
}

static VOID ScriptThread(PVOID Context) {
    PTHREAD_SLOT Slot = Context;
    CONST struct script_thread *Threads =
        (CONST struct script_thread *)((PUCHAR)Script.Program + Script.Program->thread_at);
    RUN Run = {SCRIPT_NONE, TRUE, FALSE, FALSE, 0};

    (VOID) BlockRun(&Run, Threads[Slot - Script.Threads].block);
    SourceCount(&Slot->Ended, 0);
}

static VOID Begin(VOID) {
    CONST struct script_program *Program = Script.Program;
    CHAR Name[20];
    CHAR Text[128];
    NTSTATUS Status = STATUS_SUCCESS;

    if ((Program->flags & (SCRIPT_FLAG_OPENS | SCRIPT_FLAG_REGISTERS)) != 0) {
        Status = WskEnter();
    }
    if (NT_SUCCESS(Status) && (Program->flags & SCRIPT_FLAG_OPENS) != 0) {
        Status = AdapterOpen();
    }
    if (!NT_SUCCESS(Status)) {
        (VOID) RtlStringCbPrintfA(Text, sizeof(Text), "node %s: the adapter cannot be opened: %s",
                                  ScriptText(Program->node), StatusName(Status, Name));
        NdksimRequire(FALSE, Text);
    }
}

static VOID ControlThread(PVOID Context) {
    ULONG Count = Script.Program->thread_count;
    ULONG Index;

    UNREFERENCED_PARAMETER(Context);
    Begin();
    for (Index = 0; Index < Count; Index++) {
        if (!NT_SUCCESS(
                ThreadStart(ScriptThread, &Script.Threads[Index], &Script.Threads[Index].Thread))) {
            NdksimRequire(FALSE, "a thread cannot be started");
        }
    }
    for (Index = 0; Index < Count; Index++) {
        ThreadJoin(Script.Threads[Index].Thread);
    }
    if ((Script.Program->flags & SCRIPT_FLAG_CLEANS_AT_END) != 0) {
        Cleanup();
    }
    NdksimCounter("done", 1);
}

static NTSTATUS DeviceMake(PDRIVER_OBJECT DriverObject) {
    if ((Script.Program->flags & SCRIPT_FLAG_WORKS) == 0) {
        return STATUS_SUCCESS;
    }
    return IoCreateDevice(DriverObject, 0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &Script.Device);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    NTSTATUS Status;

    DriverObject->DriverUnload = ScriptUnload;
    Status = ScriptLoad(RegistryPath);
    if (!NT_SUCCESS(Status)) {
        DbgPrint("script: no script below the Parameters key: 0x%08X\n", Status);
        return Status;
    }
    NdksimCounter("done", 0);
    Status = DeviceMake(DriverObject);
    if (NT_SUCCESS(Status)) {
        Status = ThreadStart(ControlThread, NULL, &Script.Control);
    }
    if (!NT_SUCCESS(Status)) {
        NdksimCounter("done", 1);
        if (Script.Device != NULL) {
            IoDeleteDevice(Script.Device);
        }
        ScriptFree();
    }
    return Status;
}

static VOID UnloadSteps(VOID) {
    RUN Run = {SCRIPT_NONE, TRUE, FALSE, FALSE, 0};

    if (Script.Program->unload_block != SCRIPT_NONE) {
        (VOID) BlockRun(&Run, Script.Program->unload_block);
    }
}

static VOID ScriptUnload(PDRIVER_OBJECT DriverObject) {
    ULONG Flags = Script.Program->flags;

    UNREFERENCED_PARAMETER(DriverObject);
    if ((Flags & SCRIPT_FLAG_UNLOADS_AT_ONCE) == 0) {
        ThreadJoin(Script.Control);
    }
    UnloadSteps();
    if ((Flags & SCRIPT_FLAG_CLEANS) != 0) {
        Cleanup();
        WskLeave();
    }
    if (Script.Device != NULL) {
        IoDeleteDevice(Script.Device);
    }
    if ((Flags & SCRIPT_FLAG_UNLOADS_AT_ONCE) == 0) {
        ScriptFree();
    }
}
