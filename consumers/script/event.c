/* SPDX-License-Identifier: Apache-2.0 */
/* What comes: counted, handed to the script's handlers, waited for. */
#include "script.h"

VOID SourceInit(PSOURCE Source) {
    KeInitializeSpinLock(&Source->Lock);
    KeInitializeEvent(&Source->Event, NotificationEvent, FALSE);
}

VOID SourceCount(PSOURCE Source, ULONG Value) {
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Source->Lock, &Handle);
    Source->Seen++;
    Source->Value = Value;
    KeSetEvent(&Source->Event, IO_NO_INCREMENT, FALSE);
    KeReleaseInStackQueuedSpinLock(&Handle);
}

static BOOLEAN SourceTry(PSOURCE Source) {
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN Taken;

    KeAcquireInStackQueuedSpinLock(&Source->Lock, &Handle);
    Taken = Source->Seen > Source->Taken;
    if (Taken) {
        Source->Taken++;
    }
    if (Source->Seen == Source->Taken) {
        KeClearEvent(&Source->Event);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    return Taken;
}

BOOLEAN SourceTake(PSOURCE Source, CONST ULONG64 *WithinNs) {
    LARGE_INTEGER Due;
    NTSTATUS Status;

    while (!SourceTry(Source)) {
        Due.QuadPart = WithinNs != NULL ? -(LONGLONG)((*WithinNs + 99) / 100) : 0;
        Status = KeWaitForSingleObject(&Source->Event, Executive, KernelMode, FALSE,
                                       WithinNs != NULL ? &Due : NULL);
        if (Status == STATUS_TIMEOUT) {
            return SourceTry(Source);
        }
    }
    return TRUE;
}

LONG SourceLeft(PSOURCE Source) {
    return Source->Seen - Source->Taken;
}

PSOURCE SourceOf(PRUN Run, CONST ARG *Arg) {
    ULONG64 Index = Arg->value == SCRIPT_IT ? Run->It : Arg->value;

    switch (Arg->count) {
    case SCRIPT_SOURCE_LABEL:
        return &Script.Labels[Index].Done;
    case SCRIPT_SOURCE_SIGNAL:
        return &Script.Signals[Index];
    case SCRIPT_SOURCE_TRANSPORT:
        return &Script.Transport;
    case SCRIPT_SOURCE_THREAD:
        return &Script.Threads[Index].Ended;
    default:
        /* "it", where no event is at hand */
        return Index < Script.Program->object_count ? &Script.Slots[Index].Event : NULL;
    }
}

VOID StepsEnter(VOID) {
    InterlockedIncrement(&Script.Working);
}

VOID StepsLeave(VOID) {
    InterlockedDecrement(&Script.Working);
}

static BOOLEAN HasHandler(ULONG Source, ULONG Index) {
    ULONG At;

    for (At = 0; At < Script.Program->handler_count; At++) {
        if (Script.Handlers[At].source == Source && Script.Handlers[At].index == Index) {
            return TRUE;
        }
    }
    return FALSE;
}

/* An event's handlers, unless what they work on is being closed. */
static VOID EventHandlersRun(ULONG Source, ULONG Index, ULONG It) {
    if (!HasHandler(Source, Index)) {
        return;
    }
    StepsEnter();
    if (ReadAcquire(&Script.Cleaning) == 0) {
        HandlerRun(Source, Index, It);
    }
    StepsLeave();
}

VOID HandlerRun(ULONG Source, ULONG Index, ULONG It) {
    ULONG At;

    for (At = 0; At < Script.Program->handler_count; At++) {
        CONST struct script_handler *Handler = &Script.Handlers[At];
        RUN Run = {It, FALSE, FALSE, FALSE, 0};

        if (Handler->source == Source && Handler->index == Index) {
            (VOID) BlockRun(&Run, Handler->block);
        }
    }
}

VOID SlotEvent(PSLOT Slot, ULONG Source, ULONG Value) {
    ULONG Index = (ULONG)(Slot - Script.Slots);

    EventHandlersRun(Source, Index, Index);
    SourceCount(&Slot->Event, Value);
}

/* A listener gives its connectors the names of a list, in turn; the last one again when free. */
static PSLOT ListenerNext(PSLOT Listener) {
    CONST ARG *Names = ArgFind(Listener->Made, SCRIPT_MEMBER_CONNECTOR);
    ULONG At = Listener->Connects;
    RUN Run = {SCRIPT_NONE, FALSE, FALSE, FALSE, 0};
    PSLOT Slot;

    if (Names == NULL) {
        return NULL;
    }
    if (At >= Names->count) {
        At = Names->count - 1;
    }
    Slot = ArgSlot(&Run, ArgAt(Names->value + At));
    if (Slot == NULL || (Slot->State != SlotEmpty && Slot->State != SlotClosed)) {
        return NULL;
    }
    Listener->Connects++;
    return Slot;
}

static VOID UnwantedClosed(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    InterlockedDecrement(&Script.Pending);
}

/* Nobody asked for this one: it is refused and closed. */
static VOID ConnectRefuse(NDK_CONNECTOR *Connector) {
    NTSTATUS Status;

    DbgPrint("script: a connect event without a free name: rejected\n");
    (VOID) Connector->Dispatch->NdkReject(Connector, NULL, 0);
    InterlockedIncrement(&Script.Pending);
    Status = Connector->Dispatch->NdkCloseConnector(&Connector->Header, UnwantedClosed, &Script);
    if (Status != STATUS_PENDING) {
        UnwantedClosed(&Script);
    }
}

VOID ConnectEvent(PVOID Context, NDK_CONNECTOR *Connector) {
    PSLOT Listener = Context;
    PSLOT Slot = ListenerNext(Listener);

    if (Slot == NULL) {
        ConnectRefuse(Connector);
    } else {
        SlotFill(Slot, &Connector->Header, Listener->Made);
        Slot->Parent = Listener->Parent;
        EventHandlersRun(SCRIPT_SOURCE_CONNECT, (ULONG)(Listener - Script.Slots),
                         (ULONG)(Slot - Script.Slots));
    }
    SourceCount(&Listener->Event, 0);
}

VOID DisconnectEvent(PVOID Context) {
    SlotEvent(Context, SCRIPT_SOURCE_DISCONNECT, 0);
}

VOID DisconnectEventEx(PVOID Context, ULONG Reason) {
    SlotEvent(Context, SCRIPT_SOURCE_DISCONNECT, Reason);
}

VOID NotifyEvent(PVOID Context, NTSTATUS Status) {
    SlotEvent(Context, SCRIPT_SOURCE_NOTIFY, (ULONG)Status);
}

VOID SrqEvent(PVOID Context, NTSTATUS Status) {
    SlotEvent(Context, SCRIPT_SOURCE_SRQ, (ULONG)Status);
}

NTSTATUS NTAPI TransportEvent(PVOID Context, ULONG Type, PVOID Information, SIZE_T Bytes) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(Information);
    UNREFERENCED_PARAMETER(Bytes);
    EventHandlersRun(SCRIPT_SOURCE_TRANSPORT, 0, SCRIPT_NONE);
    SourceCount(&Script.Transport, Type);
    return STATUS_SUCCESS;
}

ULONG64 NowNs(VOID) {
    return KeQueryInterruptTime() * 100 - Script.Program->boot_ns;
}

VOID SleepNs(ULONG64 Ns) {
    LARGE_INTEGER Due;

    Due.QuadPart = -(LONGLONG)((Ns + 99) / 100);
    if (Ns != 0) {
        KeDelayExecutionThread(KernelMode, FALSE, &Due);
    }
}
