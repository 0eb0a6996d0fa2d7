/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The built-in device. Bring-up is as its header says: reset, enable, wait, INIT, QUERY_CAPS, then
 * an event queue, which every completion queue names. Commands go through the mailbox: the device
 * has answered when the write to GO returns.
 */
#include "hal.h"

#include <rnic_hw/rnic.h>

#define READY_POLL_US 5
#define READY_POLLS 20000
#define EVENTS_LOG2 6
#define IN_OFFSET 512 /* in the mailbox page */
#define OUT_OFFSET 1024
#define CQE_LOG2 6

static ULONG Read(PHAL Hal, ULONG Offset) {
    return READ_REGISTER_ULONG((PULONG)(PVOID)(Hal->Registers + Offset));
}

static VOID Write(PHAL Hal, ULONG Offset, ULONG Value) {
    WRITE_REGISTER_ULONG((PULONG)(PVOID)(Hal->Registers + Offset), Value);
}

static NTSTATUS MemoryTake(PHAL Hal, ULONG Bytes, PHAL_MEMORY Memory) {
    Memory->Bytes = (Bytes + RNIC_PAGE_BYTES - 1) / RNIC_PAGE_BYTES * RNIC_PAGE_BYTES;
    NdisMAllocateSharedMemory(Hal->Handle, Memory->Bytes, TRUE, &Memory->Base, &Memory->Address);
    if (Memory->Base == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    RtlZeroMemory(Memory->Base, Memory->Bytes);
    return STATUS_SUCCESS;
}

static VOID MemoryGive(PHAL Hal, PHAL_MEMORY Memory) {
    if (Memory->Base != NULL) {
        NdisMFreeSharedMemory(Hal->Handle, Memory->Bytes, TRUE, Memory->Base, Memory->Address);
        Memory->Base = NULL;
    }
}

static NTSTATUS StatusOf(ULONG Status) {
    switch (Status) {
    case RNIC_STATUS_OK:
        return STATUS_SUCCESS;
    case RNIC_STATUS_BAD_PARAMETER:
    case RNIC_STATUS_LIMIT:
        return STATUS_INVALID_PARAMETER;
    case RNIC_STATUS_NO_RESOURCES:
        return STATUS_INSUFFICIENT_RESOURCES;
    default:
        return STATUS_INTERNAL_ERROR;
    }
}

/* In: copied to the device, Out: back from it; either may be NULL. Number goes both ways. */
static NTSTATUS Command(PHAL Hal, ULONG Opcode, PULONG Number, const VOID *In, ULONG InBytes,
                        PVOID Out, ULONG OutBytes) {
    PUCHAR Page = Hal->Mailbox.Base;
    ULONG64 Address = (ULONG64)Hal->Mailbox.Address.QuadPart;
    struct rnic_command *Mail = (struct rnic_command *)(PVOID)Page;
    ULONG Status;

    KeWaitForSingleObject(&Hal->Lock, Executive, KernelMode, FALSE, NULL);
    RtlZeroMemory(Page, RNIC_PAGE_BYTES);
    Mail->opcode = (UINT16)Opcode;
    Mail->number = *Number;
    Mail->in_address = Address + IN_OFFSET;
    Mail->in_bytes = InBytes;
    Mail->out_address = Address + OUT_OFFSET;
    Mail->out_bytes = OutBytes;
    if (InBytes != 0) {
        RtlCopyMemory(Page + IN_OFFSET, In, InBytes);
    }
    Write(Hal, RNIC_REG_MAILBOX_ADDRESS, (ULONG)Address);
    Write(Hal, RNIC_REG_MAILBOX_ADDRESS + 4, (ULONG)(Address >> 32));
    Write(Hal, RNIC_REG_MAILBOX_GO, 1);
    Status = Read(Hal, RNIC_REG_MAILBOX_STATUS);
    *Number = Mail->number;
    if (OutBytes != 0) {
        RtlCopyMemory(Out, Page + OUT_OFFSET, OutBytes);
    }
    KeReleaseMutex(&Hal->Lock, FALSE);
    return StatusOf(Status);
}

static NTSTATUS Enable(PHAL Hal) {
    if (Read(Hal, RNIC_REG_MAGIC) != RNIC_MAGIC) {
        return STATUS_DEVICE_NOT_READY;
    }
    Write(Hal, RNIC_REG_CONTROL, RNIC_CONTROL_RESET);
    Write(Hal, RNIC_REG_CONTROL, RNIC_CONTROL_ENABLE);
    for (ULONG I = 0; I < READY_POLLS; I++) {
        if ((Read(Hal, RNIC_REG_STATUS) & RNIC_STATUS_READY) != 0) {
            return STATUS_SUCCESS;
        }
        NdisMSleep(READY_POLL_US);
    }
    return STATUS_DEVICE_NOT_READY;
}

static NTSTATUS Init(PHAL Hal) {
    struct rnic_caps Caps;
    ULONG Number = 0;
    NTSTATUS Status = Command(Hal, RNIC_CMD_INIT, &Number, NULL, 0, NULL, 0);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Hal->IsUp = TRUE;
    Status = Command(Hal, RNIC_CMD_QUERY_CAPS, &Number, NULL, 0, &Caps, sizeof(Caps));
    Hal->Limits.VendorId = RNIC_VENDOR_ID;
    Hal->Limits.DeviceId = RNIC_DEVICE_ID;
    Hal->Limits.CqDepth = Caps.cq_entry_count_max;
    Hal->Limits.SqDepth = Caps.sq_entry_count_max;
    Hal->Limits.RqDepth = Caps.rq_entry_count_max;
    Hal->Limits.SrqDepth = Caps.srq_entry_count_max;
    Hal->Limits.SgeCount = Caps.sge_count_max;
    Hal->Limits.ReadSgeCount = Caps.read_sge_count_max;
    Hal->Limits.InlineBytes = Caps.inline_bytes_max;
    Hal->Limits.MessageBytes = Caps.message_bytes_max;
    Hal->Limits.FastRegisterPages = Caps.fast_reg_page_count_max;
    Hal->Limits.ReadsIn = Caps.reads_in_max;
    Hal->Limits.ReadsOut = Caps.reads_out_max;
    return Status;
}

static VOID PagesOf(PHAL_MEMORY Memory, struct rnic_pages *Pages) {
    Pages->address = (ULONG64)Memory->Address.QuadPart;
    Pages->page_count = Memory->Bytes / RNIC_PAGE_BYTES;
}

/* No event type is asked for, and it is never armed: nothing can happen yet that it would tell. */
static NTSTATUS EventsOpen(PHAL Hal) {
    struct rnic_eq_create Create = {.entry_count_log2 = EVENTS_LOG2};
    NTSTATUS Status = MemoryTake(Hal, RNIC_EQE_BYTES << EVENTS_LOG2, &Hal->Events);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    PagesOf(&Hal->Events, &Create.pages);
    return Command(Hal, RNIC_CMD_CREATE_EQ, &Hal->EventQueue, &Create, sizeof(Create), NULL, 0);
}

NTSTATUS HalOpen(PHAL Hal, NDIS_HANDLE Handle, PCM_PARTIAL_RESOURCE_DESCRIPTOR Bar) {
    PVOID Mapped;
    NTSTATUS Status;

    RtlZeroMemory(Hal, sizeof(*Hal));
    Hal->Handle = Handle;
    KeInitializeMutex(&Hal->Lock, 0);
    if (NdisMMapIoSpace(&Mapped, Handle, Bar->u.Memory.Start, Bar->u.Memory.Length) !=
        NDIS_STATUS_SUCCESS) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Hal->Registers = Mapped;
    Hal->RegisterBytes = Bar->u.Memory.Length;
    Status = Enable(Hal);
    if (NT_SUCCESS(Status)) {
        Status = MemoryTake(Hal, RNIC_PAGE_BYTES, &Hal->Mailbox);
    }
    if (NT_SUCCESS(Status)) {
        Status = Init(Hal);
    }
    return NT_SUCCESS(Status) ? EventsOpen(Hal) : Status;
}

VOID HalClose(PHAL Hal) {
    if (Hal->IsUp && Hal->EventQueue != 0) {
        Command(Hal, RNIC_CMD_DESTROY_EQ, &Hal->EventQueue, NULL, 0, NULL, 0);
    }
    if (Hal->Registers != NULL) {
        Write(Hal, RNIC_REG_CONTROL, RNIC_CONTROL_RESET);
    }
    MemoryGive(Hal, &Hal->Events);
    MemoryGive(Hal, &Hal->Mailbox);
    if (Hal->Registers != NULL) {
        NdisMUnmapIoSpace(Hal->Handle, Hal->Registers, Hal->RegisterBytes);
    }
}

NTSTATUS HalCqCreate(PHAL Hal, ULONG Depth, PHAL_CQ Cq) {
    struct rnic_cq_create Create = {.eqn = Hal->EventQueue, .entry_limit = Depth};
    NTSTATUS Status;

    while ((1u << Create.entry_count_log2) < Depth) {
        Create.entry_count_log2++;
    }
    RtlZeroMemory(Cq, sizeof(*Cq));
    Status = MemoryTake(Hal, 1u << (Create.entry_count_log2 + CQE_LOG2), &Cq->Ring);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    PagesOf(&Cq->Ring, &Create.pages);
    Status = Command(Hal, RNIC_CMD_CREATE_CQ, &Cq->Number, &Create, sizeof(Create), NULL, 0);
    if (!NT_SUCCESS(Status)) {
        MemoryGive(Hal, &Cq->Ring);
    }
    return Status;
}

VOID HalCqDestroy(PHAL Hal, PHAL_CQ Cq) {
    Command(Hal, RNIC_CMD_DESTROY_CQ, &Cq->Number, NULL, 0, NULL, 0);
    MemoryGive(Hal, &Cq->Ring);
}
