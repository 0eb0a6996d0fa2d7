/* SPDX-License-Identifier: Apache-2.0 */
/* Client half of the request layer: the plan and the session; see mini_client.h. */
#include "mini_client.h"

#define MINI_POOL_TAG 'cBmS'
#define CONTROL_MESSAGE_ID 0xFFFFFFFFu

NTSTATUS MiniClientInit(PMINI_CLIENT Client, PSMBD_TRANSPORT Transport,
                        const MINI_SETTINGS *Settings) {
    NTSTATUS Status = STATUS_SUCCESS;
    ULONG Index;

    PAGED_CODE();
    RtlZeroMemory(Client, sizeof(*Client));
    Client->Transport = Transport;
    Client->Settings = *Settings;
    Client->UnitCount = Settings->FileBytes / Settings->IoBytes;
    Client->Slots =
        ExAllocatePoolZero(NonPagedPoolNx, Settings->SlotCount * sizeof(MINI_SLOT), MINI_POOL_TAG);
    Client->Generations =
        ExAllocatePoolZero(NonPagedPoolNx, Client->UnitCount * sizeof(ULONG), MINI_POOL_TAG);
    Client->UnitBusy = ExAllocatePoolZero(NonPagedPoolNx, Client->UnitCount, MINI_POOL_TAG);
    if (Client->Slots == NULL || Client->Generations == NULL || Client->UnitBusy == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    for (Index = 0; NT_SUCCESS(Status) && Index < Settings->SlotCount; Index++) {
        Status = MiniSlotInit(Client, &Client->Slots[Index]);
    }
    return Status;
}

VOID MiniClientDeinit(PMINI_CLIENT Client) {
    ULONG Index;

    PAGED_CODE();
    if (Client->Slots != NULL) {
        for (Index = 0; Index < Client->Settings.SlotCount; Index++) {
            MiniSlotDeinit(&Client->Slots[Index]);
        }
        ExFreePoolWithTag(Client->Slots, MINI_POOL_TAG);
        Client->Slots = NULL;
    }
    if (Client->Generations != NULL) {
        ExFreePoolWithTag(Client->Generations, MINI_POOL_TAG);
        Client->Generations = NULL;
    }
    if (Client->UnitBusy != NULL) {
        ExFreePoolWithTag(Client->UnitBusy, MINI_POOL_TAG);
        Client->UnitBusy = NULL;
    }
}

VOID MiniClientPlan(PMINI_CLIENT Client, ULONG64 WriteBytes, ULONG64 ReadBytes, ULONG Smalls) {
    ULONG Unit = Client->Settings.IoBytes;

    Client->Writes.Total += (ULONG)((WriteBytes + Unit - 1) / Unit);
    Client->Reads.Total += (ULONG)((ReadBytes + Unit - 1) / Unit);
    Client->Smalls.Total += Smalls;
}

BOOLEAN MiniClientIsDone(const MINI_CLIENT *Client) {
    return Client->Writes.Done == Client->Writes.Total &&
           Client->Reads.Done == Client->Reads.Total && Client->Smalls.Done == Client->Smalls.Total;
}

static BOOLEAN WorkSmall(PMINI_CLIENT Client, PMINI_WORK Work) {
    if (Client->Smalls.Issued == Client->Smalls.Total) {
        return FALSE;
    }
    Work->Opcode = MiniEcho;
    Work->Unit = 0;
    Work->Bytes = Client->Smalls.Issued * 37 % Client->Settings.SmallBytes + 1;
    Client->Smalls.Issued++;
    return TRUE;
}

/* Writes first; reads when every write is done, so that each finds the last generation. */
static BOOLEAN WorkBulk(PMINI_CLIENT Client, PMINI_WORK Work) {
    PMINI_TALLY Tally = &Client->Writes;
    ULONG Unit;

    if (Client->Writes.Issued == Client->Writes.Total) {
        if (Client->Writes.Done != Client->Writes.Total) {
            return FALSE;
        }
        Tally = &Client->Reads;
    }
    if (Tally->Issued == Tally->Total) {
        return FALSE;
    }
    Unit = Tally->Issued % Client->UnitCount;
    if (Client->UnitBusy[Unit]) {
        return FALSE;
    }
    Client->UnitBusy[Unit] = TRUE;
    Work->Opcode = Tally == &Client->Writes ? MiniWrite : MiniRead;
    if (Work->Opcode == MiniWrite) {
        Client->Generations[Unit]++;
    }
    Work->Unit = Unit;
    Work->Generation = Client->Generations[Unit];
    Work->Bytes = Client->Settings.IoBytes;
    Tally->Issued++;
    return TRUE;
}

static BOOLEAN WorkNext(PMINI_CLIENT Client, PMINI_WORK Work) {
    Client->PrefersSmall = !Client->PrefersSmall;
    if (Client->PrefersSmall && WorkSmall(Client, Work)) {
        return TRUE;
    }
    return WorkBulk(Client, Work) || WorkSmall(Client, Work);
}

/* The last request of its kind was answered and its content was right. */
static VOID SayVerified(PMINI_CLIENT Client, const MINI_TALLY *Tally, PCSTR What) {
    ULONG64 Bytes = (ULONG64)Tally->Done * Client->Settings.IoBytes;
    BOOLEAN IsLarge = Bytes >= 1u << 20;

    if (Tally->Done == Tally->Total) {
        DbgPrint("%s: connection %u: %s %u %s verified\n", Client->Transport->Name,
                 Client->Connection->Number, What, (ULONG)(Bytes >> (IsLarge ? 20 : 10)),
                 IsLarge ? "MiB" : "KiB");
    }
}

static VOID WorkDone(PMINI_CLIENT Client, const MINI_WORK *Work) {
    PSMBD_CONNECTION Connection = Client->Connection;
    KLOCK_QUEUE_HANDLE Handle;

    Client->Progress++;
    Client->SessionBytes += Work->Bytes;
    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    switch (Work->Opcode) {
    case MiniWrite:
        Client->Writes.Done++;
        Connection->Counters.BytesWritten += Work->Bytes;
        break;
    case MiniRead:
        Client->Reads.Done++;
        Connection->Counters.BytesRead += Work->Bytes;
        break;
    default:
        Client->Smalls.Done++;
        Connection->Counters.Messages++;
        break;
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (Work->Opcode == MiniEcho) {
        return;
    }
    Client->UnitBusy[Work->Unit] = FALSE;
    if (Work->Opcode == MiniWrite) {
        SayVerified(Client, &Client->Writes, "wrote");
    } else {
        SayVerified(Client, &Client->Reads, "read");
    }
}

static VOID ChecksumFailed(PMINI_CLIENT Client, const MINI_WORK *Work) {
    PSMBD_CONNECTION Connection = Client->Connection;
    KLOCK_QUEUE_HANDLE Handle;

    DbgPrint("%s: connection %u: wrong content, opcode %u, unit %u\n", Client->Transport->Name,
             Connection->Number, Work->Opcode, Work->Unit);
    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    Connection->Counters.ChecksumErrors++;
    KeReleaseInStackQueuedSpinLock(&Handle);
}

static VOID AnswerToSlot(PMINI_CLIENT Client, PSMBD_INBOUND Inbound, const MINI_HEADER *Header) {
    PMINI_SLOT Slot = &Client->Slots[Header->MessageId % Client->Settings.SlotCount];
    NTSTATUS Status = STATUS_INVALID_NETWORK_RESPONSE;

    if (Slot->State == SlotWaiting && Slot->Header.MessageId == Header->MessageId) {
        Status = MiniSlotAnswer(Slot, Inbound, Header);
    }
    if (Status == STATUS_CRC_ERROR) {
        ChecksumFailed(Client, &Slot->Work);
    }
    if (!NT_SUCCESS(Status)) {
        SmbdEnd(Client->Connection, Status, "a request was not answered as it should be");
        return;
    }
    WorkDone(Client, &Slot->Work);
}

static VOID TakeAnswers(PMINI_CLIENT Client) {
    PSMBD_CONNECTION Connection = Client->Connection;
    PSMBD_INBOUND Inbound;
    MINI_HEADER Header;

    while ((Inbound = SmbdTakeInbound(Connection)) != NULL) {
        if (!MiniGetHeader(Inbound->Data, Inbound->Length, &Header) ||
            (Header.Flags & MINI_FLAG_RESPONSE) == 0) {
            SmbdEnd(Connection, STATUS_INVALID_NETWORK_RESPONSE, "not an answer");
        } else if (Header.MessageId == CONTROL_MESSAGE_ID) {
            Client->ControlAnswered = TRUE;
            Client->ControlStatus = Header.Status;
        } else {
            AnswerToSlot(Client, Inbound, &Header);
        }
        SmbdReturnInbound(Connection, Inbound);
    }
}

/* Open or close: sends and waits. */
static NTSTATUS ControlRequest(PMINI_CLIENT Client, USHORT Opcode) {
    PSMBD_OUTBOUND Control = &Client->Control;
    MINI_HEADER Header;

    RtlZeroMemory(&Header, sizeof(Header));
    RtlZeroMemory(Control, sizeof(*Control));
    Header.Opcode = Opcode;
    Header.MessageId = CONTROL_MESSAGE_ID;
    Header.FileId = Client->Settings.FileId;
    Header.Length = Client->Settings.FileBytes;
    Header.Offset = Client->Settings.Seed;
    MiniPutHeader(Control->Head, &Header);
    Control->HeadBytes = MINI_HEADER_BYTES;
    Client->ControlAnswered = FALSE;
    SmbdQueue(Client->Connection, Control);
    while (!Client->ControlAnswered) {
        if (!SmbdWait(Client->Connection)) {
            return STATUS_CANCELLED;
        }
        TakeAnswers(Client);
    }
    return Client->ControlStatus;
}

static VOID SlotsIssue(PMINI_CLIENT Client) {
    ULONG Index;

    for (Index = 0; Index < Client->Settings.SlotCount; Index++) {
        PMINI_SLOT Slot = &Client->Slots[Index];
        NTSTATUS Status;

        if (Slot->State == SlotReleasing) {
            MiniSlotRelease(Slot);
        }
        if (Slot->State == SlotFree && WorkNext(Client, &Slot->Work)) {
            Slot->State = SlotAssigned;
        }
        if (Slot->State == SlotAssigned) {
            Status = MiniSlotSend(Slot);
            if (!NT_SUCCESS(Status)) {
                SmbdEnd(Client->Connection, Status, "no registration for a request");
                return;
            }
        }
    }
}

static BOOLEAN SlotsAreFree(const MINI_CLIENT *Client) {
    ULONG Index;

    for (Index = 0; Index < Client->Settings.SlotCount; Index++) {
        if (Client->Slots[Index].State != SlotFree) {
            return FALSE;
        }
    }
    return TRUE;
}

/* The planned moment, or one of the chooser's, while requests are under way. */
static BOOLEAN ShouldEndNow(PMINI_CLIENT Client) {
    static const PCSTR Labels[] = {"go-on", "close"};

    if (Client->EndAfterBytes == 0) {
        return FALSE;
    }
    if (Client->SessionBytes >= Client->EndAfterBytes) {
        return TRUE;
    }
    return Client->Transport->Teardown == TeardownAny &&
           NdksimChoose("teardown.now", Client->Connection->Qp, Labels, RTL_NUMBER_OF(Labels)) != 0;
}

static VOID SessionWork(PMINI_CLIENT Client) {
    while (!SmbdHasEnded(Client->Connection)) {
        SlotsIssue(Client);
        if (MiniClientIsDone(Client) && SlotsAreFree(Client)) {
            return;
        }
        if (ShouldEndNow(Client)) {
            Client->EndedItself = TRUE;
            SmbdEndAlive(Client->Connection, STATUS_CANCELLED, "torn down with requests under way");
            return;
        }
        if (!SmbdWait(Client->Connection)) {
            return;
        }
        TakeAnswers(Client);
    }
}

static NTSTATUS SlotsAttach(PMINI_CLIENT Client) {
    NTSTATUS Status = STATUS_SUCCESS;
    ULONG Index;

    for (Index = 0; NT_SUCCESS(Status) && Index < Client->Settings.SlotCount; Index++) {
        Status = MiniSlotAttach(&Client->Slots[Index]);
    }
    return Status;
}

static VOID SessionRun(PMINI_CLIENT Client) {
    PSMBD_CONNECTION Connection = Client->Connection;
    NTSTATUS Status;

    Status = SlotsAttach(Client);
    if (NT_SUCCESS(Status)) {
        Status = ControlRequest(Client, MiniOpen);
    }
    if (!NT_SUCCESS(Status)) {
        SmbdEnd(Connection, Status, "the file could not be opened");
        return;
    }
    SessionWork(Client);
    if (Client->Settings.PauseMs != 0) {
        SmbdPause(Connection, Client->Settings.PauseMs);
    }
    if (!SmbdHasEnded(Connection)) {
        Status = ControlRequest(Client, MiniClose);
        SmbdEnd(Connection, Status, "work is done");
    }
}

/* No request of this session is timed any more, and no timer holds the connection. */
static VOID SessionUntime(PMINI_CLIENT Client) {
    ULONG Index;

    if (Client->Connection->Transport->RequestMs == 0) {
        return;
    }
    for (Index = 0; Index < Client->Settings.SlotCount; Index++) {
        MiniSlotStop(&Client->Slots[Index]);
    }
    SmbdTimersWait(Client->Connection);
}

VOID MiniClientRun(PMINI_CLIENT Client, PSMBD_CONNECTION Connection) {
    PAGED_CODE();
    Client->Connection = Connection;
    Client->SessionBytes = 0;
    Client->EndedItself = FALSE;
    if (Connection->Transport->RequestMs != 0) {
        KLOCK_QUEUE_HANDLE Handle;

        KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
        Connection->Upper = Client;
        Connection->Arrived = MiniSlotArrived;
        KeReleaseInStackQueuedSpinLock(&Handle);
    }
    SessionRun(Client);
    SessionUntime(Client);
}

VOID MiniClientDetach(PMINI_CLIENT Client) {
    ULONG Index;

    PAGED_CODE();
    for (Index = 0; Index < Client->Settings.SlotCount; Index++) {
        MiniSlotDetach(&Client->Slots[Index]);
    }
    Client->Connection = NULL;
}
