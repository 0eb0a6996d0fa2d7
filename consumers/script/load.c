/* SPDX-License-Identifier: Apache-2.0 */
/* From the registry value "Script" to the state of a run; see script.h. */
#include "script.h"

SCRIPT Script;

static NTSTATUS KeyOpen(PUNICODE_STRING RegistryPath, PHANDLE Key) {
    WCHAR Text[192];
    UNICODE_STRING Path = {0, sizeof(Text), Text};
    OBJECT_ATTRIBUTES Attributes;

    RtlCopyUnicodeString(&Path, RegistryPath);
    RtlAppendUnicodeToString(&Path, L"\\Parameters");
    InitializeObjectAttributes(&Attributes, &Path, OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE, NULL,
                               NULL);
    return ZwOpenKey(Key, KEY_READ, &Attributes);
}

static NTSTATUS ValueRead(HANDLE Key, PVOID *Data, ULONG *Bytes) {
    KEY_VALUE_PARTIAL_INFORMATION *Value;
    UNICODE_STRING Name;
    ULONG Needed = 0;
    NTSTATUS Status;

    RtlInitUnicodeString(&Name, L"Script");
    Status = ZwQueryValueKey(Key, &Name, KeyValuePartialInformation, NULL, 0, &Needed);
    if (Status != STATUS_BUFFER_TOO_SMALL && Status != STATUS_BUFFER_OVERFLOW) {
        return NT_SUCCESS(Status) ? STATUS_OBJECT_NAME_NOT_FOUND : Status;
    }
    Value = ExAllocatePoolWithTag(NonPagedPoolNx, Needed, SCRIPT_POOL_TAG);
    *Data = ExAllocatePoolWithTag(NonPagedPoolNx, Needed, SCRIPT_POOL_TAG);
    if (Value == NULL || *Data == NULL) {
        Status = STATUS_INSUFFICIENT_RESOURCES;
    } else {
        Status = ZwQueryValueKey(Key, &Name, KeyValuePartialInformation, Value, Needed, &Needed);
    }
    if (NT_SUCCESS(Status)) {
        *Bytes = Value->DataLength;
        RtlCopyMemory(*Data, Value->Data, Value->DataLength);
    }
    if (Value != NULL) {
        ExFreePoolWithTag(Value, SCRIPT_POOL_TAG);
    }
    return Status;
}

static PVOID Zeroed(SIZE_T Count, SIZE_T Bytes) {
    PVOID Block = ExAllocatePoolWithTag(NonPagedPoolNx, Count * Bytes + 1, SCRIPT_POOL_TAG);

    if (Block != NULL) {
        RtlZeroMemory(Block, Count * Bytes + 1);
    }
    return Block;
}

static VOID SlotsInit(CONST struct script_program *Program) {
    CONST struct script_object *Objects =
        (CONST struct script_object *)((PUCHAR)Program + Program->object_at);
    ULONG Index;

    for (Index = 0; Index < Program->object_count; Index++) {
        Script.Slots[Index].Kind = Objects[Index].kind;
        SourceInit(&Script.Slots[Index].Event);
    }
    for (Index = 0; Index < Program->label_count; Index++) {
        SourceInit(&Script.Labels[Index].Done);
    }
    for (Index = 0; Index < Program->signal_count; Index++) {
        SourceInit(&Script.Signals[Index]);
    }
    for (Index = 0; Index < Program->lock_count; Index++) {
        KeInitializeSpinLock(&Script.Locks[Index]);
    }
    for (Index = 0; Index < Program->thread_count; Index++) {
        SourceInit(&Script.Threads[Index].Ended);
    }
    SourceInit(&Script.Transport);
}

static NTSTATUS StateMake(VOID) {
    CONST struct script_program *Program = Script.Program;

    Script.Args = (CONST ARG *)((PUCHAR)Program + Program->arg_at);
    Script.Steps = (CONST STEP *)((PUCHAR)Program + Program->step_at);
    Script.Blocks = (CONST struct script_block *)((PUCHAR)Program + Program->block_at);
    Script.Handlers = (CONST struct script_handler *)((PUCHAR)Program + Program->handler_at);
    Script.Slots = Zeroed(Program->object_count, sizeof(*Script.Slots));
    Script.Labels = Zeroed(Program->label_count, sizeof(*Script.Labels));
    Script.Variables = Zeroed(Program->variable_count, sizeof(*Script.Variables));
    Script.Signals = Zeroed(Program->signal_count, sizeof(*Script.Signals));
    Script.Locks = Zeroed(Program->lock_count, sizeof(*Script.Locks));
    Script.Threads = Zeroed(Program->thread_count, sizeof(*Script.Threads));
    if (Script.Slots == NULL || Script.Labels == NULL || Script.Variables == NULL ||
        Script.Signals == NULL || Script.Locks == NULL || Script.Threads == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    SlotsInit(Program);
    return STATUS_SUCCESS;
}

NTSTATUS ScriptLoad(PUNICODE_STRING RegistryPath) {
    PVOID Data = NULL;
    ULONG Bytes = 0;
    HANDLE Key = NULL;
    NTSTATUS Status;

    PAGED_CODE();
    Status = KeyOpen(RegistryPath, &Key);
    if (NT_SUCCESS(Status)) {
        Status = ValueRead(Key, &Data, &Bytes);
        ZwClose(Key);
    }
    Script.Program = Data;
    if (NT_SUCCESS(Status) &&
        (Bytes < sizeof(*Script.Program) || Script.Program->magic != SCRIPT_MAGIC ||
         Script.Program->format != SCRIPT_FORMAT || Script.Program->bytes != Bytes)) {
        Status = STATUS_INVALID_PARAMETER;
    }
    if (NT_SUCCESS(Status)) {
        Status = StateMake();
    }
    if (!NT_SUCCESS(Status)) {
        ScriptFree();
    }
    return Status;
}

VOID ScriptFree(VOID) {
    PVOID Blocks[] = {Script.Program, Script.Slots,   Script.Labels, Script.Variables,
                      Script.Signals, Script.Threads, Script.Locks};
    ULONG Index;

    for (Index = 0; Index < RTL_NUMBER_OF(Blocks); Index++) {
        if (Blocks[Index] != NULL) {
            ExFreePoolWithTag(Blocks[Index], SCRIPT_POOL_TAG);
        }
    }
    RtlZeroMemory(&Script, sizeof(Script));
}
