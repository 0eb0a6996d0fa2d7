/* SPDX-License-Identifier: Apache-2.0 */
/* The command ring and the mailbox; see command.h. */
#include "adapter.h"

/* A ring that makes no progress for so long belongs to a device that no longer answers. */
#define RNIC_COMMAND_TIMEOUT_100NS (-20000000LL)

/* So many refusals in a row are no accident. */
#define RNIC_COMMAND_REFUSALS_MAX 8

NTSTATUS CommandNtStatus(UCHAR Status) {
    static const NTSTATUS Map[] = {
        [RNIC_STATUS_OK] = STATUS_SUCCESS,
        [RNIC_STATUS_BAD_OPCODE] = STATUS_INTERNAL_ERROR,
        [RNIC_STATUS_BAD_PARAMETER] = STATUS_INTERNAL_ERROR,
        [RNIC_STATUS_BAD_NUMBER] = STATUS_INTERNAL_ERROR,
        [RNIC_STATUS_BAD_STATE] = STATUS_INTERNAL_ERROR,
        [RNIC_STATUS_BUSY] = STATUS_DEVICE_BUSY,
        [RNIC_STATUS_NO_RESOURCES] = STATUS_INSUFFICIENT_RESOURCES,
        [RNIC_STATUS_LIMIT] = STATUS_INSUFFICIENT_RESOURCES,
        [RNIC_STATUS_NO_ROUTE] = STATUS_NETWORK_UNREACHABLE,
        [RNIC_STATUS_DMA_ERROR] = STATUS_INTERNAL_ERROR,
        [RNIC_STATUS_NOT_READY] = STATUS_INSUFFICIENT_RESOURCES,
        [RNIC_STATUS_INTERNAL] = STATUS_INSUFFICIENT_RESOURCES,
        [RNIC_STATUS_TIMEOUT] = STATUS_INSUFFICIENT_RESOURCES,
        [RNIC_STATUS_IN_USE] = STATUS_DEVICE_BUSY,
    };

    return Status < RTL_NUMBER_OF(Map) ? Map[Status] : STATUS_INTERNAL_ERROR;
}

VOID CommandInit(PRNIC_COMMAND Command, UCHAR Opcode, ULONG Number) {
    RtlZeroMemory(Command, sizeof(*Command));
    Command->Opcode = Opcode;
    Command->Number = Number;
}

static VOID BoxedFill(const RNIC_COMMAND *Command, PVOID Input) {
    RtlCopyMemory(Input, CONTAINING_RECORD(Command, RNIC_BOXED, Command)->In.Bytes,
                  Command->InBytes);
}

VOID BoxedInit(PRNIC_BOXED Boxed, UCHAR Opcode, ULONG Number, UCHAR InBytes, UCHAR OutBytes) {
    RtlZeroMemory(Boxed, sizeof(*Boxed));
    CommandInit(&Boxed->Command, Opcode, Number);
    Boxed->Command.InBytes = InBytes;
    Boxed->Command.OutBytes = OutBytes;
    if (InBytes != 0) {
        Boxed->Command.Data.Fill = BoxedFill;
    } else {
        Boxed->Command.Data.Answer = &Boxed->In;
    }
}

static VOID CommandEncode(const RNIC_COMMAND *Command, struct rnic_command *Wire, PUCHAR In,
                          ULONG64 InAddress) {
    RtlZeroMemory(Wire, sizeof(*Wire));
    Wire->opcode = Command->Opcode;
    Wire->number = Command->Number;
    Wire->argument[0] = Command->Argument;
    if (Command->InBytes != 0) {
        RtlZeroMemory(In, Command->InBytes);
        Command->Data.Fill(Command, In);
        Wire->in_address = InAddress;
        Wire->in_bytes = Command->InBytes;
    }
    if (Command->OutBytes != 0) {
        Wire->out_address = InAddress;
        Wire->out_bytes = Command->OutBytes;
    }
}

static VOID CommandDecode(PRNIC_COMMAND Command, const struct rnic_command *Wire,
                          const UCHAR *Box) {
    if (Command->OutBytes != 0) {
        RtlCopyMemory(Command->Data.Answer, Box, Command->OutBytes);
    }
    Command->Status = Wire->status;
    Command->Number = Wire->number;
    Command->Argument = Wire->argument[0];
}

/* Under the ring's lock: moves waiting commands into free slots. */
static VOID RingFill(PRNIC_ADAPTER Adapter) {
    RNIC_COMMANDS *Commands = &Adapter->Commands;
    ULONG Before = Commands->Producer;

    while (!IsListEmpty(&Commands->Waiting) &&
           Commands->Producer - Commands->Consumer < RNIC_COMMAND_SLOTS) {
        PLIST_ENTRY Entry = RemoveHeadList(&Commands->Waiting);
        PRNIC_COMMAND Command = CONTAINING_RECORD(Entry, RNIC_COMMAND, Link);
        ULONG Slot = Commands->Producer % RNIC_COMMAND_SLOTS;

        CommandEncode(Command, &Commands->Ring[Slot],
                      Commands->Boxes + Slot * RNIC_COMMAND_BOX_BYTES,
                      Commands->BoxesAddress + (ULONG64)Slot * RNIC_COMMAND_BOX_BYTES);
        Commands->Slot[Slot] = Command;
        Commands->Producer++;
    }
    if (Commands->Producer != Before) {
        RegisterWrite32(Adapter, RNIC_REG_RING_DOORBELL, Commands->Producer);
    }
}

/* Under the ring's lock: watches as long as commands are under way. */
static VOID WatchdogSet(RNIC_COMMANDS *Commands) {
    LARGE_INTEGER Due;

    if (Commands->Watching || Commands->Producer == Commands->Consumer) {
        return;
    }
    Commands->Watching = TRUE;
    Commands->WatchedConsumer = Commands->Consumer;
    Due.QuadPart = RNIC_COMMAND_TIMEOUT_100NS;
    KeSetTimer(&Commands->Watchdog, Due, &Commands->WatchdogDpc);
}

VOID CommandSubmit(PRNIC_ADAPTER Adapter, PRNIC_COMMAND Command,
                   VOID (*Done)(PRNIC_COMMAND Command), PVOID Context) {
    RNIC_COMMANDS *Commands = &Adapter->Commands;
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Dead;

    Command->Done = Done;
    Command->Context = Context;
    KeAcquireInStackQueuedSpinLock(&Commands->Lock, &Lock);
    InsertTailList(&Commands->Waiting, &Command->Link);
    Dead = Commands->Dead;
    if (!Dead) {
        RingFill(Adapter);
        WatchdogSet(Commands);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Dead) {
        DeferItem(Adapter, &Commands->Failing);
    }
}

/* Takes finished commands in order; one event may stand for several. */
static PRNIC_COMMAND RingTake(RNIC_COMMANDS *Commands) {
    ULONG Slot = Commands->Consumer % RNIC_COMMAND_SLOTS;
    struct rnic_command *Wire = &Commands->Ring[Slot];
    PRNIC_COMMAND Command;

    if (Commands->Consumer == Commands->Producer || *(volatile UCHAR *)&Wire->done == 0) {
        return NULL;
    }
    Command = Commands->Slot[Slot];
    Commands->Slot[Slot] = NULL;
    Commands->Consumer++;
    CommandDecode(Command, Wire, Commands->Boxes + Slot * RNIC_COMMAND_BOX_BYTES);
    return Command;
}

VOID CommandEvent(PRNIC_ADAPTER Adapter) {
    RNIC_COMMANDS *Commands = &Adapter->Commands;
    KLOCK_QUEUE_HANDLE Lock;
    PRNIC_COMMAND Command;
    LIST_ENTRY Finished;

    InitializeListHead(&Finished);
    KeAcquireInStackQueuedSpinLock(&Commands->Lock, &Lock);
    for (Command = RingTake(Commands); Command != NULL; Command = RingTake(Commands)) {
        InsertTailList(&Finished, &Command->Link);
    }
    if (!IsListEmpty(&Finished)) {
        RingFill(Adapter);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    while (!IsListEmpty(&Finished)) {
        PLIST_ENTRY Entry = RemoveHeadList(&Finished);

        Command = CONTAINING_RECORD(Entry, RNIC_COMMAND, Link);
        Command->Done(Command);
    }
}

UCHAR CommandPolled(PRNIC_ADAPTER Adapter, PRNIC_COMMAND Command, PVOID Out, ULONG OutBytes) {
    RNIC_COMMANDS *Commands = &Adapter->Commands;
    struct rnic_command *Wire;
    KLOCK_QUEUE_HANDLE Lock;

    NT_ASSERT(OutBytes <= RNIC_MAILBOX_OUT_BYTES);
    KeAcquireInStackQueuedSpinLock(&Commands->MailboxLock, &Lock);
    Wire = Commands->Mailbox;
    if (Wire == NULL) {
        KeReleaseInStackQueuedSpinLock(&Lock);
        Command->Status = RNIC_STATUS_NOT_READY;
        return Command->Status;
    }
    CommandEncode(Command, Wire, Commands->MailboxIn, Commands->MailboxInAddress);
    if (Out != NULL) {
        Wire->out_address = Commands->MailboxOutAddress;
        Wire->out_bytes = OutBytes;
    }
    RegisterWrite64(Adapter, RNIC_REG_MAILBOX_ADDRESS, Commands->MailboxAddress);
    RegisterWrite32(Adapter, RNIC_REG_MAILBOX_GO, 1);
    CommandDecode(Command, Wire, Commands->MailboxIn);
    Command->Status = (UCHAR)RegisterRead32(Adapter, RNIC_REG_MAILBOX_STATUS);
    if (Out != NULL && Command->Status == RNIC_STATUS_OK) {
        RtlCopyMemory(Out, Commands->MailboxOut, OutBytes);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Command->Status;
}

/* One whose input could not be read was not executed either. */
static BOOLEAN StatusRefuses(UCHAR Status) {
    return Status == RNIC_STATUS_INTERNAL || Status == RNIC_STATUS_DMA_ERROR;
}

BOOLEAN CommandRefused(PRNIC_ADAPTER Adapter, PRNIC_COMMAND Command) {
    RNIC_COMMANDS *Commands = &Adapter->Commands;

    if (!StatusRefuses(Command->Status)) {
        if (ReadNoFence(&Commands->Refusals) != 0) {
            InterlockedExchange(&Commands->Refusals, 0);
        }
        return FALSE;
    }
    if (InterlockedIncrement(&Commands->Refusals) < RNIC_COMMAND_REFUSALS_MAX) {
        return TRUE;
    }
    AdapterDeviceLost(Adapter);
    return FALSE;
}

BOOLEAN CommandGivenAgain(PRNIC_ADAPTER Adapter, PRNIC_COMMAND Command) {
    if (!CommandRefused(Adapter, Command)) {
        return FALSE;
    }
    CommandSubmit(Adapter, Command, Command->Done, Command->Context);
    return TRUE;
}

VOID CommandPolledFirmly(PRNIC_ADAPTER Adapter, PRNIC_COMMAND Command) {
    do {
        CommandPolled(Adapter, Command, NULL, 0);
    } while (CommandRefused(Adapter, Command));
}

/* Under the ring's lock: the next command that will never be executed, or NULL. */
static PRNIC_COMMAND RingGiveUp(RNIC_COMMANDS *Commands) {
    PRNIC_COMMAND Command = NULL;

    if (Commands->Consumer != Commands->Producer) {
        Command = Commands->Slot[Commands->Consumer++ % RNIC_COMMAND_SLOTS];
    } else if (!IsListEmpty(&Commands->Waiting)) {
        PLIST_ENTRY Entry = RemoveHeadList(&Commands->Waiting);

        Command = CONTAINING_RECORD(Entry, RNIC_COMMAND, Link);
    }
    if (Command != NULL) {
        Command->Status = RNIC_STATUS_TIMEOUT;
    }
    return Command;
}

/* The device is given up: what is under way and what comes ends with a failure. */
static VOID CommandFailAll(PRNIC_DEFERRED Deferred) {
    RNIC_COMMANDS *Commands = CONTAINING_RECORD(Deferred, RNIC_COMMANDS, Failing);

    for (;;) {
        KLOCK_QUEUE_HANDLE Lock;
        PRNIC_COMMAND Command = NULL;

        KeAcquireInStackQueuedSpinLock(&Commands->Lock, &Lock);
        /* What was executed has had its effect, and ends as it did. */
        Command = RingTake(Commands);
        if (Command == NULL) {
            Command = RingGiveUp(Commands);
        }
        KeReleaseInStackQueuedSpinLock(&Lock);
        if (Command == NULL) {
            return;
        }
        Command->Done(Command);
    }
}

VOID CommandDeviceLost(PRNIC_ADAPTER Adapter) {
    RNIC_COMMANDS *Commands = &Adapter->Commands;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Commands->Lock, &Lock);
    Commands->Dead = TRUE;
    KeReleaseInStackQueuedSpinLock(&Lock);
    DeferItem(Adapter, &Commands->Failing);
}

static VOID WatchdogRoutine(PKDPC Dpc, PVOID DeferredContext, PVOID SystemArgument1,
                            PVOID SystemArgument2) {
    PRNIC_ADAPTER Adapter = DeferredContext;
    RNIC_COMMANDS *Commands = &Adapter->Commands;
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Stuck;

    UNREFERENCED_PARAMETER(Dpc);
    UNREFERENCED_PARAMETER(SystemArgument1);
    UNREFERENCED_PARAMETER(SystemArgument2);
    /* An interrupt may have been lost: what is finished is not stuck. */
    CommandEvent(Adapter);
    KeAcquireInStackQueuedSpinLock(&Commands->Lock, &Lock);
    Stuck = !Commands->Dead && Commands->Producer != Commands->Consumer &&
            Commands->WatchedConsumer == Commands->Consumer;
    Commands->Watching = FALSE;
    if (!Stuck && !Commands->Dead) {
        WatchdogSet(Commands);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Stuck) {
        AdapterDeviceLost(Adapter);
    }
}

static NTSTATUS MailboxStart(PRNIC_ADAPTER Adapter) {
    RNIC_COMMANDS *Commands = &Adapter->Commands;
    NTSTATUS Status = DmaGet(Adapter, RNIC_MAILBOX_BYTES, &Commands->MailboxDma);

    if (NT_SUCCESS(Status)) {
        Commands->Mailbox = (struct rnic_command *)Commands->MailboxDma.Va;
        Commands->MailboxAddress = Commands->MailboxDma.Address;
        Commands->MailboxIn = Commands->MailboxDma.Va + RNIC_COMMAND_BYTES;
        Commands->MailboxInAddress = Commands->MailboxAddress + RNIC_COMMAND_BYTES;
        Commands->MailboxOut = Commands->MailboxIn + RNIC_COMMAND_BOX_BYTES;
        Commands->MailboxOutAddress = Commands->MailboxInAddress + RNIC_COMMAND_BOX_BYTES;
    }
    return Status;
}

VOID CommandsInit(PRNIC_ADAPTER Adapter) {
    RNIC_COMMANDS *Commands = &Adapter->Commands;

    KeInitializeSpinLock(&Commands->Lock);
    KeInitializeSpinLock(&Commands->MailboxLock);
    InitializeListHead(&Commands->Waiting);
    KeInitializeTimer(&Commands->Watchdog);
    KeInitializeDpc(&Commands->WatchdogDpc, WatchdogRoutine, Adapter);
    Commands->Failing.Run = CommandFailAll;
}

NTSTATUS CommandStart(PRNIC_ADAPTER Adapter) {
    RNIC_COMMANDS *Commands = &Adapter->Commands;
    NTSTATUS Status;

    Commands->Producer = Commands->Consumer = 0;
    Commands->Dead = FALSE;
    Commands->Watching = FALSE;
    Commands->Refusals = 0;
    Status = MailboxStart(Adapter);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = DmaGet(Adapter, RNIC_COMMAND_SLOTS * (RNIC_COMMAND_BYTES + RNIC_COMMAND_BOX_BYTES),
                    &Commands->RingDma);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Commands->Ring = (struct rnic_command *)Commands->RingDma.Va;
    Commands->Boxes = Commands->RingDma.Va + RNIC_COMMAND_SLOTS * RNIC_COMMAND_BYTES;
    Commands->BoxesAddress = Commands->RingDma.Address + RNIC_COMMAND_SLOTS * RNIC_COMMAND_BYTES;
    RegisterWrite64(Adapter, RNIC_REG_RING_BASE, Commands->RingDma.Address);
    RegisterWrite32(Adapter, RNIC_REG_RING_SIZE_LOG2, RNIC_COMMAND_SLOT_LOG2);
    return STATUS_SUCCESS;
}

VOID CommandStop(PRNIC_ADAPTER Adapter) {
    RNIC_COMMANDS *Commands = &Adapter->Commands;

    KLOCK_QUEUE_HANDLE Lock;

    if (Commands->Ring != NULL) {
        KeCancelTimer(&Commands->Watchdog);
        KeFlushQueuedDpcs();
        Commands->Ring = NULL;
    }
    DmaPut(Adapter, &Commands->RingDma);
    /* Requests of NDIS may still come and ask the device. */
    KeAcquireInStackQueuedSpinLock(&Commands->MailboxLock, &Lock);
    Commands->Mailbox = NULL;
    DmaPut(Adapter, &Commands->MailboxDma);
    KeReleaseInStackQueuedSpinLock(&Lock);
}
