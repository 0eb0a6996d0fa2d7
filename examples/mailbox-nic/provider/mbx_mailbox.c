/* SPDX-License-Identifier: Apache-2.0 */
/* The device: registers, shared memory, the mailbox, events, and the DPC that serves them. */
#include "mbx.h"

#define MBX_DPC_BUDGET 64u /* events and deferred routines; then the DPC queues itself again */

/* ---- Registers and memory ---- */

static PVOID RegisterAt(PMBX_ADAPTER Adapter, ULONG Bar, ULONG Offset) {
    return (PUCHAR)Adapter->Bar[Bar] + Offset;
}

ULONG RegisterRead(PMBX_ADAPTER Adapter, ULONG Register) {
    return READ_REGISTER_ULONG(RegisterAt(Adapter, MBX_BAR_REGISTERS, Register));
}

ULONG64 RegisterRead64(PMBX_ADAPTER Adapter, ULONG Register) {
    return READ_REGISTER_ULONG64(RegisterAt(Adapter, MBX_BAR_REGISTERS, Register));
}

VOID RegisterWrite(PMBX_ADAPTER Adapter, ULONG Register, ULONG Value) {
    WRITE_REGISTER_ULONG(RegisterAt(Adapter, MBX_BAR_REGISTERS, Register), Value);
}

static VOID RegisterWrite64(PMBX_ADAPTER Adapter, ULONG Register, ULONG64 Value) {
    WRITE_REGISTER_ULONG64(RegisterAt(Adapter, MBX_BAR_REGISTERS, Register), Value);
}

VOID DoorbellRing(PMBX_ADAPTER Adapter, ULONG Doorbell, ULONG Number, ULONG Index) {
    WRITE_REGISTER_ULONG64(RegisterAt(Adapter, MBX_BAR_DOORBELLS, Doorbell),
                           (ULONG64)Number << 32 | Index);
}

/* At DISPATCH_LEVEL, too: objects may be made there. */
NTSTATUS SharedAllocate(PMBX_SHARED Shared, SIZE_T Bytes) {
    PHYSICAL_ADDRESS Anywhere;

    Anywhere.QuadPart = MAXLONGLONG;
    Shared->Va = MmAllocateContiguousMemory(Bytes, Anywhere);
    if (Shared->Va == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    RtlZeroMemory(Shared->Va, Bytes);
    Shared->Address = (ULONG64)MmGetPhysicalAddress(Shared->Va).QuadPart;
    return STATUS_SUCCESS;
}

VOID SharedFree(PMBX_SHARED Shared) {
    if (Shared->Va != NULL) {
        MmFreeContiguousMemory(Shared->Va);
        Shared->Va = NULL;
    }
}

/* ---- Deferred work ---- */

/* Under the lock. */
static VOID DeferLocked(PMBX_ADAPTER Adapter, PMBX_DEFERRED Deferred) {
    if (!Deferred->Queued) {
        Deferred->Queued = TRUE;
        InsertTailList(&Adapter->Mailbox.Deferred, &Deferred->Link);
    }
}

VOID Defer(PMBX_ADAPTER Adapter, PMBX_DEFERRED Deferred) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->Mailbox.Lock, &Lock);
    DeferLocked(Adapter, Deferred);
    KeReleaseInStackQueuedSpinLock(&Lock);
    KeInsertQueueDpc(&Adapter->Mailbox.Dpc, NULL, NULL);
}

static PMBX_DEFERRED DeferredTake(PMBX_ADAPTER Adapter) {
    PMBX_DEFERRED Deferred = NULL;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->Mailbox.Lock, &Lock);
    if (!IsListEmpty(&Adapter->Mailbox.Deferred)) {
        Deferred =
            CONTAINING_RECORD(RemoveHeadList(&Adapter->Mailbox.Deferred), MBX_DEFERRED, Link);
        Deferred->Queued = FALSE;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Deferred;
}

/* ---- Commands ---- */

VOID CommandInit(PMBX_COMMAND Command, ULONG Opcode, ULONG Object,
                 VOID (*Done)(PMBX_COMMAND Command)) {
    RtlZeroMemory(Command, sizeof(*Command));
    Command->Data.opcode = Opcode;
    Command->Data.object = Object;
    Command->Done = Done;
}

NTSTATUS CommandNtStatus(ULONG Status) {
    static const NTSTATUS Map[] = {
        [MBX_OK] = STATUS_SUCCESS,
        [MBX_BAD_COMMAND] = STATUS_INTERNAL_ERROR,
        [MBX_BAD_OBJECT] = STATUS_INTERNAL_ERROR,
        [MBX_BAD_STATE] = STATUS_INVALID_DEVICE_STATE,
        [MBX_NO_RESOURCES] = STATUS_INSUFFICIENT_RESOURCES,
        [MBX_DMA_ERROR] = STATUS_INTERNAL_ERROR,
        [MBX_TOO_SMALL] = STATUS_BUFFER_OVERFLOW,
        [MBX_ADDRESS_NOT_OWN] = STATUS_INVALID_ADDRESS,
        [MBX_ADDRESS_IN_USE] = STATUS_SHARING_VIOLATION,
        [MBX_NO_PORT_LEFT] = STATUS_TOO_MANY_ADDRESSES,
        [MBX_UNREACHABLE] = STATUS_HOST_UNREACHABLE,
        [MBX_REFUSED] = STATUS_CONNECTION_REFUSED,
        [MBX_ABORTED] = STATUS_CONNECTION_ABORTED,
        [MBX_TIMED_OUT] = STATUS_IO_TIMEOUT,
        [MBX_DEVICE_GONE] = STATUS_DEVICE_REMOVED,
    };

    return Status < RTL_NUMBER_OF(Map) ? Map[Status] : STATUS_INTERNAL_ERROR;
}

/* Under the lock, with room in the ring. */
static VOID CommandWrite(PMBX_ADAPTER Adapter, PMBX_COMMAND Command) {
    MBX_MAILBOX *Mailbox = &Adapter->Mailbox;
    ULONG Index = Mailbox->CommandTail & (MBX_COMMAND_COUNT - 1);
    struct mbx_command *Entry = (struct mbx_command *)Mailbox->Commands.Va + Index;

    Command->Data.tag = Mailbox->CommandTail;
    *Entry = Command->Data;
    Mailbox->Pending[Index] = Command;
    Mailbox->CommandTail++;
    RegisterWrite(Adapter, MBX_REG_COMMAND_TAIL, Mailbox->CommandTail);
}

static BOOLEAN MailboxHasRoom(const MBX_MAILBOX *Mailbox) {
    return Mailbox->CommandTail - Mailbox->CommandHead < MBX_COMMAND_COUNT;
}

static VOID CommandGone(PMBX_DEFERRED Deferred) {
    PMBX_COMMAND Command = CONTAINING_RECORD(Deferred, MBX_COMMAND, Deferred);

    Command->Status = MBX_DEVICE_GONE;
    Command->Done(Command);
}

static VOID CommandFaked(PMBX_DEFERRED Deferred) {
    PMBX_COMMAND Command = CONTAINING_RECORD(Deferred, MBX_COMMAND, Deferred);

    Command->Done(Command);
}

VOID CommandFake(PMBX_ADAPTER Adapter, PMBX_COMMAND Command, ULONG Status) {
    Command->Status = Status;
    Command->Deferred.Routine = CommandFaked;
    Defer(Adapter, &Command->Deferred);
}

VOID CommandPost(PMBX_ADAPTER Adapter, PMBX_COMMAND Command) {
    MBX_MAILBOX *Mailbox = &Adapter->Mailbox;
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Up;

    KeAcquireInStackQueuedSpinLock(&Mailbox->Lock, &Lock);
    Up = Mailbox->Up;
    if (!Up) {
        Command->Deferred.Routine = CommandGone;
        DeferLocked(Adapter, &Command->Deferred);
    } else if (MailboxHasRoom(Mailbox) && IsListEmpty(&Mailbox->Waiting)) {
        CommandWrite(Adapter, Command);
    } else {
        InsertTailList(&Mailbox->Waiting, &Command->Deferred.Link);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (!Up) {
        KeInsertQueueDpc(&Mailbox->Dpc, NULL, NULL);
    }
}

/* The one that the device has finished; those that waited for room go on. */
static PMBX_COMMAND CommandTake(PMBX_ADAPTER Adapter, const struct mbx_event *Event) {
    MBX_MAILBOX *Mailbox = &Adapter->Mailbox;
    PMBX_COMMAND Command = NULL;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Mailbox->Lock, &Lock);
    if (Mailbox->Up && Event->body.answer.tag == Mailbox->CommandHead) {
        PMBX_COMMAND *Slot = &Mailbox->Pending[Mailbox->CommandHead & (MBX_COMMAND_COUNT - 1)];

        Command = *Slot;
        *Slot = NULL;
        Mailbox->CommandHead++;
        if (!IsListEmpty(&Mailbox->Waiting)) {
            CommandWrite(Adapter, CONTAINING_RECORD(RemoveHeadList(&Mailbox->Waiting), MBX_COMMAND,
                                                    Deferred.Link));
        }
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Command;
}

static VOID CommandAnswered(PMBX_ADAPTER Adapter, const struct mbx_event *Event) {
    PMBX_COMMAND Command = CommandTake(Adapter, Event);

    if (Command != NULL) {
        Command->Status = Event->status;
        Command->Object = Event->object;
        Command->Value = Event->body.answer.value;
        Command->Done(Command);
    }
}

static VOID CommandAloneDone(PMBX_COMMAND Command) {
    MbxFree(Command);
}

BOOLEAN CommandPostAlone(PMBX_ADAPTER Adapter, ULONG Opcode, ULONG Object) {
    PMBX_COMMAND Command = MbxAllocate(sizeof(*Command));

    if (Command == NULL) {
        return FALSE;
    }
    CommandInit(Command, Opcode, Object, CommandAloneDone);
    CommandPost(Adapter, Command);
    return TRUE;
}

/* ---- Events ---- */

static VOID ConnectionEvent(PMBX_ADAPTER Adapter, const struct mbx_event *Event) {
    PMBX_OBJECT Object = ObjectFind(&Adapter->Connectors, Event->object);

    if (Object != NULL) {
        ConnectorEvent(CONTAINING_RECORD(Object, MBX_CONNECTOR, Object), Event);
    }
}

static VOID CqEventFind(PMBX_ADAPTER Adapter, const struct mbx_event *Event) {
    PMBX_OBJECT Object = ObjectFind(&Adapter->Cqs, Event->object);
    PMBX_CQ Cq = CONTAINING_RECORD(Object, MBX_CQ, Object);

    if (Object == NULL) {
        return;
    }
    if (Event->type == MBX_EVENT_CQ_FAILED) {
        CqFail(Cq);
    } else {
        CqEvent(Cq);
    }
}

static VOID EventDispatch(PMBX_ADAPTER Adapter, const struct mbx_event *Event) {
    switch (Event->type) {
    case MBX_EVENT_COMMAND:
        CommandAnswered(Adapter, Event);
        break;
    case MBX_EVENT_CQ:
    case MBX_EVENT_CQ_FAILED:
        CqEventFind(Adapter, Event);
        break;
    case MBX_EVENT_REQUEST:
        ListenerRequest(Adapter, Event);
        break;
    case MBX_EVENT_REPLY:
    case MBX_EVENT_ESTABLISHED:
    case MBX_EVENT_PEER_DONE:
    case MBX_EVENT_DISCONNECTED:
    case MBX_EVENT_LOST:
        ConnectionEvent(Adapter, Event);
        break;
    case MBX_EVENT_LINK:
        AdapterLinkChanged(Adapter);
        break;
    default:
        break;
    }
}

static BOOLEAN EventTake(PMBX_ADAPTER Adapter, struct mbx_event *Event) {
    MBX_MAILBOX *Mailbox = &Adapter->Mailbox;
    volatile struct mbx_event *Entry = (volatile struct mbx_event *)Mailbox->Events.Va +
                                       (Mailbox->EventHead & (MBX_EVENT_COUNT - 1));

    if (!Mailbox->Up || Entry->sequence != Mailbox->EventHead + 1) {
        return FALSE;
    }
    *Event = *(struct mbx_event *)Entry;
    Mailbox->EventHead++;
    return TRUE;
}

/* All ones, too, where there is no device any more. */
static BOOLEAN DeviceHasFailed(PMBX_ADAPTER Adapter) {
    return Adapter->Mailbox.Up && (ReadNoFence(&Adapter->FatalSeen) != 0 ||
                                   (RegisterRead(Adapter, MBX_REG_STATUS) & MBX_STATUS_FATAL) != 0);
}

static VOID MailboxDpc(PKDPC Dpc, PVOID DeferredContext, PVOID SystemArgument1,
                       PVOID SystemArgument2) {
    PMBX_ADAPTER Adapter = DeferredContext;
    ULONG Budget = MBX_DPC_BUDGET;
    ULONG First = Adapter->Mailbox.EventHead;
    struct mbx_event Event;
    PMBX_DEFERRED Deferred;

    UNREFERENCED_PARAMETER(SystemArgument1);
    UNREFERENCED_PARAMETER(SystemArgument2);
    if (DeviceHasFailed(Adapter)) {
        AdapterLost(Adapter);
    }
    while (Budget != 0 && EventTake(Adapter, &Event)) {
        EventDispatch(Adapter, &Event);
        Budget--;
    }
    if (Adapter->Mailbox.Up && Adapter->Mailbox.EventHead != First) {
        RegisterWrite(Adapter, MBX_REG_EVENT_HEAD, Adapter->Mailbox.EventHead);
    }
    while (Budget != 0 && (Deferred = DeferredTake(Adapter)) != NULL) {
        Deferred->Routine(Deferred);
        Budget--;
    }
    if (Budget == 0) {
        KeInsertQueueDpc(Dpc, NULL, NULL);
    }
}

BOOLEAN MailboxInterrupt(PMBX_ADAPTER Adapter) {
    KeInsertQueueDpc(&Adapter->Mailbox.Dpc, NULL, NULL);
    return TRUE;
}

/* ---- Its life ---- */

VOID MailboxInit(PMBX_ADAPTER Adapter) {
    MBX_MAILBOX *Mailbox = &Adapter->Mailbox;

    KeInitializeSpinLock(&Mailbox->Lock);
    InitializeListHead(&Mailbox->Waiting);
    InitializeListHead(&Mailbox->Deferred);
    KeInitializeDpc(&Mailbox->Dpc, MailboxDpc, Adapter);
    /* On one processor it never runs beside itself. */
    KeSetTargetProcessorDpc(&Mailbox->Dpc, 0);
}

NTSTATUS MailboxStart(PMBX_ADAPTER Adapter) {
    MBX_MAILBOX *Mailbox = &Adapter->Mailbox;
    NTSTATUS Status =
        SharedAllocate(&Mailbox->Commands, MBX_COMMAND_COUNT * sizeof(struct mbx_command));

    if (NT_SUCCESS(Status)) {
        Status = SharedAllocate(&Mailbox->Events, MBX_EVENT_COUNT * sizeof(struct mbx_event));
    }
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Mailbox->CommandTail = Mailbox->CommandHead = Mailbox->EventHead = 0;
    RegisterWrite64(Adapter, MBX_REG_COMMAND_BASE, Mailbox->Commands.Address);
    RegisterWrite64(Adapter, MBX_REG_EVENT_BASE, Mailbox->Events.Address);
    Mailbox->Up = TRUE;
    RegisterWrite(Adapter, MBX_REG_EVENT_HEAD, 0);
    return STATUS_SUCCESS;
}

/* In the DPC. The answers are given here, so that none is left for later. */
VOID MailboxLost(PMBX_ADAPTER Adapter) {
    MBX_MAILBOX *Mailbox = &Adapter->Mailbox;
    LIST_ENTRY Gone;
    KLOCK_QUEUE_HANDLE Lock;

    InitializeListHead(&Gone);
    KeAcquireInStackQueuedSpinLock(&Mailbox->Lock, &Lock);
    Mailbox->Up = FALSE;
    for (; Mailbox->CommandHead != Mailbox->CommandTail; Mailbox->CommandHead++) {
        PMBX_COMMAND Command = Mailbox->Pending[Mailbox->CommandHead & (MBX_COMMAND_COUNT - 1)];

        InsertTailList(&Gone, &Command->Deferred.Link);
    }
    while (!IsListEmpty(&Mailbox->Waiting)) {
        InsertTailList(&Gone, RemoveHeadList(&Mailbox->Waiting));
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    while (!IsListEmpty(&Gone)) {
        CommandGone(CONTAINING_RECORD(RemoveHeadList(&Gone), MBX_DEFERRED, Link));
    }
}

/* With no NDK adapter open: nothing is under way but the DPC itself. */
VOID MailboxStop(PMBX_ADAPTER Adapter) {
    MBX_MAILBOX *Mailbox = &Adapter->Mailbox;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Mailbox->Lock, &Lock);
    Mailbox->Up = FALSE;
    KeReleaseInStackQueuedSpinLock(&Lock);
    KeFlushQueuedDpcs();
    SharedFree(&Mailbox->Commands);
    SharedFree(&Mailbox->Events);
}
