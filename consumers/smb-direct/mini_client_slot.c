/* SPDX-License-Identifier: Apache-2.0 */
/* One request of the client at a time, with its buffer and its registration; see mini_client.h. */
#include "mini_client.h"

#define SLOT_POOL_TAG 'lBmS'

NTSTATUS MiniSlotInit(PMINI_CLIENT Client, PMINI_SLOT Slot) {
    /* A page at least: then the buffer begins on a page of its own. */
    ULONG Bytes = max(Client->Settings.IoBytes, PAGE_SIZE);

    PAGED_CODE();
    Slot->Client = Client;
    SmbdTimerInit(&Slot->Timer);
    Slot->Buffer = ExAllocatePoolWithTag(NonPagedPoolNx, Bytes, SLOT_POOL_TAG);
    if (Slot->Buffer == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Slot->Mdl = IoAllocateMdl(Slot->Buffer, Bytes, FALSE, FALSE, NULL);
    if (Slot->Mdl == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    MmBuildMdlForNonPagedPool(Slot->Mdl);
    Slot->Bytes = Bytes;
    return STATUS_SUCCESS;
}

VOID MiniSlotDeinit(PMINI_SLOT Slot) {
    PAGED_CODE();
    if (Slot->Client == NULL) {
        return;
    }
    if (Slot->Mdl != NULL) {
        IoFreeMdl(Slot->Mdl);
    }
    if (Slot->Buffer != NULL) {
        ExFreePoolWithTag(Slot->Buffer, SLOT_POOL_TAG);
    }
}

static NTSTATUS SlotAttachFast(PMINI_SLOT Slot, PSMBD_CONNECTION Connection) {
    PSMBD_REGISTRATION Registration = &Slot->Registration;
    NTSTATUS Status;

    /* The mapping is the adapter's, and may not outlive it. */
    Status =
        MappingBuild(&Slot->Mapping, Connection->Transport->Rdma.Adapter, Slot->Mdl, Slot->Bytes);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Registration->Register.Kind = OpRegister;
    Registration->Register.Owner = Registration;
    Registration->Invalidate.Kind = OpInvalidate;
    Registration->Invalidate.Owner = Registration;
    Registration->Lam = Slot->Mapping.Lam;
    Registration->FirstByteOffset = Slot->Mapping.FirstByteOffset;
    Registration->Base = Slot->Buffer;
    Status = SyncCreateMr(Connection->Pd, TRUE, &Registration->Mr);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = SmbdAddMr(Connection, Registration->Mr, NULL, "mr-fast");
    if (!NT_SUCCESS(Status)) {
        SyncClose(&Registration->Mr->Header, Registration->Mr->Dispatch->NdkCloseMr);
        return Status;
    }
    return SyncInitializeFastRegisterMr(Registration->Mr, Slot->Mapping.Lam->AdapterPageCount,
                                        TRUE);
}

/* Without fast registration the server may read and write for as long as the MR is registered. */
static NTSTATUS SlotRegister(PMINI_SLOT Slot) {
    PSMBD_CONNECTION Connection = Slot->Client->Connection;
    NTSTATUS Status;

    Status =
        RegionCreate(&Slot->Region, Connection->Pd, Slot->Buffer, Slot->Client->Settings.IoBytes,
                     NDK_MR_FLAG_ALLOW_REMOTE_READ | NDK_MR_FLAG_ALLOW_REMOTE_WRITE);
    if (!NT_SUCCESS(Status)) {
        RegionClose(&Slot->Region);
        RegionFree(&Slot->Region);
        return Status;
    }
    Status = SmbdAddMr(Connection, Slot->Region.Mr, &Slot->Region, "mr-slot");
    if (!NT_SUCCESS(Status)) {
        RegionClose(&Slot->Region);
        RegionFree(&Slot->Region);
    }
    return Status;
}

static VOID SlotUnregister(PMINI_SLOT Slot) {
    if (Slot->Region.Mr != NULL) {
        SmbdRemoveMr(Slot->Client->Connection, Slot->Region.Mr);
        RegionClose(&Slot->Region);
        RegionFree(&Slot->Region);
    }
}

NTSTATUS MiniSlotAttach(PMINI_SLOT Slot) {
    PAGED_CODE();
    RtlZeroMemory(&Slot->Registration, sizeof(Slot->Registration));
    RtlZeroMemory(&Slot->Request, sizeof(Slot->Request));
    switch (Slot->Client->Settings.Access) {
    case AccessFast:
        return SlotAttachFast(Slot, Slot->Client->Connection);
    case AccessStatic:
        return SlotRegister(Slot);
    default:
        return STATUS_SUCCESS;
    }
}

VOID MiniSlotDetach(PMINI_SLOT Slot) {
    PAGED_CODE();
    MappingRelease(&Slot->Mapping, Slot->Client->Transport->Rdma.Adapter);
    RegionFree(&Slot->Region);
    RtlZeroMemory(&Slot->Region, sizeof(Slot->Region));
    /* An answer that did not come: all over again. One that came stays valid. */
    if (Slot->State == SlotWaiting) {
        Slot->State = SlotAssigned;
    }
    if (Slot->State == SlotReleasing) {
        Slot->State = SlotFree;
    }
}

static VOID SlotPutDescriptors(PMINI_SLOT Slot, UINT32 Token) {
    ULONG Count = Slot->Header.DescriptorCount;
    ULONG Piece = (ULONG)ALIGN_UP_BY(Slot->Work.Bytes / Count, 8);
    ULONG Done = 0;
    ULONG Index;

    for (Index = 0; Index < Count; Index++) {
        SMBD_DESCRIPTOR Descriptor;

        Descriptor.Offset = (ULONG64)(ULONG_PTR)Slot->Buffer + Done;
        Descriptor.Token = Token;
        Descriptor.Length =
            Index + 1 == Count ? Slot->Work.Bytes - Done : min(Piece, Slot->Work.Bytes - Done);
        Done += Descriptor.Length;
        WirePutDescriptor(Slot->Request.Head + MINI_HEADER_BYTES + Index * SMBD_DESCRIPTOR_BYTES,
                          &Descriptor);
    }
}

/* The token is known now. */
static VOID SlotPrepare(PSMBD_OUTBOUND Outbound) {
    PMINI_SLOT Slot = CONTAINING_RECORD(Outbound, MINI_SLOT, Request);

    SlotPutDescriptors(Slot, Slot->Registration.Token);
}

static NTSTATUS SlotDescribe(PMINI_SLOT Slot) {
    PMINI_CLIENT Client = Slot->Client;
    BOOLEAN Reads = Slot->Work.Opcode == MiniRead;
    NTSTATUS Status;

    Slot->Header.DescriptorCount = Client->Settings.Descriptors;
    Slot->Request.HeadBytes =
        MINI_HEADER_BYTES + Slot->Header.DescriptorCount * SMBD_DESCRIPTOR_BYTES;
    if (Client->Settings.Access == AccessFast) {
        Slot->Header.Flags = Client->Transport->Rdma.HasVersion12 ? MINI_FLAG_INVALIDATE : 0;
        Slot->Registration.Bytes = Slot->Work.Bytes;
        Slot->Registration.Flags =
            Reads ? NDK_OP_FLAG_ALLOW_REMOTE_WRITE : NDK_OP_FLAG_ALLOW_REMOTE_READ;
        Slot->Request.Register = &Slot->Registration;
        Slot->Request.Prepare = SlotPrepare;
        return STATUS_SUCCESS;
    }
    if (Client->Settings.Access == AccessPerUse) {
        Status = SlotRegister(Slot);
        if (!NT_SUCCESS(Status)) {
            return Status;
        }
    }
    SlotPutDescriptors(Slot, Slot->Region.RemoteToken);
    return STATUS_SUCCESS;
}

static VOID SlotFill(PMINI_SLOT Slot) {
    PMINI_CLIENT Client = Slot->Client;
    ULONG64 Base;

    Slot->Header.Offset = (ULONG64)Slot->Work.Unit * Client->Settings.IoBytes;
    if (Slot->Work.Opcode == MiniEcho) {
        Base = MiniPatternBase(Client->Settings.Seed, Slot->Work.Unit, Slot->Header.MessageId);
        Slot->Header.Offset = 0;
        Slot->Work.Generation = Slot->Header.MessageId;
    } else {
        Base =
            MiniPatternBase(Client->Settings.Seed, Client->Settings.FileId, Slot->Work.Generation);
    }
    if (Slot->Work.Opcode == MiniRead) {
        /* What is there must not be what is expected. */
        RtlFillMemory(Slot->Buffer, Slot->Work.Bytes, 0xA5);
        return;
    }
    MiniPatternFill(Slot->Buffer, Base, Slot->Header.Offset,
                    (ULONG)ALIGN_UP_BY(Slot->Work.Bytes, 8));
    Slot->Header.Checksum = MiniChecksum(Slot->Buffer, Slot->Work.Bytes);
}

/* Before the request goes: its answer may be there before the call that sends it returns. */
static VOID SlotArm(PMINI_SLOT Slot) {
    PSMBD_CONNECTION Connection = Slot->Client->Connection;
    KLOCK_QUEUE_HANDLE Handle;

    if (Connection->Transport->RequestMs == 0) {
        return;
    }
    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    SmbdTimerArmLocked(&Slot->Timer, Connection, Connection->Transport->RequestMs);
    KeReleaseInStackQueuedSpinLock(&Handle);
}

NTSTATUS MiniSlotSend(PMINI_SLOT Slot) {
    PMINI_CLIENT Client = Slot->Client;
    NTSTATUS Status;
    BOOLEAN ByRdma;

    PAGED_CODE();
    NT_ASSERT(Slot->State == SlotAssigned);
    RtlZeroMemory(&Slot->Header, sizeof(Slot->Header));
    RtlZeroMemory(&Slot->Request, sizeof(Slot->Request));
    Slot->Header.Opcode = Slot->Work.Opcode;
    Slot->Header.MessageId =
        ++Client->Serial * Client->Settings.SlotCount + (ULONG)(Slot - Client->Slots);
    Slot->Header.FileId = Client->Settings.FileId;
    Slot->Header.Length = Slot->Work.Bytes;
    SlotFill(Slot);
    Slot->Request.HeadBytes = MINI_HEADER_BYTES;
    ByRdma = Slot->Work.Opcode != MiniEcho && Slot->Work.Bytes >= Client->Settings.RdmaBytes;
    if (ByRdma) {
        Status = SlotDescribe(Slot);
        if (!NT_SUCCESS(Status)) {
            return Status;
        }
    } else if (Slot->Work.Opcode != MiniRead) {
        Slot->Request.Tail = Slot->Buffer;
        Slot->Request.TailBytes = Slot->Work.Bytes;
    }
    MiniPutHeader(Slot->Request.Head, &Slot->Header);
    Slot->State = SlotWaiting;
    SlotArm(Slot);
    SmbdQueue(Client->Connection, &Slot->Request);
    return STATUS_SUCCESS;
}

VOID MiniSlotStop(PMINI_SLOT Slot) {
    PSMBD_CONNECTION Connection = Slot->Client->Connection;
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    SmbdTimerStopLocked(&Slot->Timer);
    KeReleaseInStackQueuedSpinLock(&Handle);
}

VOID MiniSlotArrived(PSMBD_CONNECTION Connection, const SMBD_INBOUND *Inbound) {
    PMINI_CLIENT Client = Connection->Upper;
    MINI_HEADER Header;
    PMINI_SLOT Slot;

    if (!MiniGetHeader(Inbound->Data, Inbound->Length, &Header)) {
        return;
    }
    Slot = &Client->Slots[Header.MessageId % Client->Settings.SlotCount];
    if (Slot->Header.MessageId == Header.MessageId) {
        SmbdTimerStopLocked(&Slot->Timer);
    }
}

/* Content that came back: by RDMA in the buffer, inline in the message. */
static BOOLEAN SlotVerify(PMINI_SLOT Slot, PSMBD_INBOUND Inbound, const MINI_HEADER *Header) {
    const UCHAR *Data = Slot->Buffer;
    ULONG64 Base;

    if (Slot->Work.Opcode == MiniWrite) {
        return TRUE;
    }
    if (Slot->Header.DescriptorCount == 0) {
        if (Inbound->Length - MINI_HEADER_BYTES != Slot->Work.Bytes) {
            return FALSE;
        }
        Data = Inbound->Data + MINI_HEADER_BYTES;
    }
    if (MiniChecksum(Data, Slot->Work.Bytes) != Header->Checksum) {
        return FALSE;
    }
    if (Slot->Work.Opcode == MiniEcho) {
        return RtlEqualMemory(Data, Slot->Buffer, Slot->Work.Bytes);
    }
    RtlCopyMemory(Slot->Buffer, Data, Data != Slot->Buffer ? Slot->Work.Bytes : 0);
    Base = MiniPatternBase(Slot->Client->Settings.Seed, Slot->Client->Settings.FileId,
                           Slot->Work.Generation);
    return MiniPatternEquals(Slot->Buffer, Base, Slot->Header.Offset, Slot->Work.Bytes);
}

NTSTATUS MiniSlotAnswer(PMINI_SLOT Slot, PSMBD_INBOUND Inbound, const MINI_HEADER *Header) {
    PSMBD_REGISTRATION Registration = &Slot->Registration;
    KLOCK_QUEUE_HANDLE Handle;
    NTSTATUS Status = STATUS_SUCCESS;

    PAGED_CODE();
    if (!NT_SUCCESS(Header->Status)) {
        return Header->Status;
    }
    if (!SlotVerify(Slot, Inbound, Header)) {
        return STATUS_CRC_ERROR;
    }
    KeAcquireInStackQueuedSpinLock(&Slot->Client->Connection->Lock, &Handle);
    if (Inbound->InvalidatedToken != 0) {
        if (Registration->IsValid && Registration->Token == Inbound->InvalidatedToken) {
            Registration->IsValid = FALSE;
        } else {
            Status = STATUS_INVALID_NETWORK_RESPONSE;
        }
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (NT_SUCCESS(Status)) {
        Slot->State = SlotReleasing;
        MiniSlotRelease(Slot);
    }
    return Status;
}

VOID MiniSlotRelease(PMINI_SLOT Slot) {
    PSMBD_REGISTRATION Registration = &Slot->Registration;
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN IsValid;
    BOOLEAN IsBusy;

    KeAcquireInStackQueuedSpinLock(&Slot->Client->Connection->Lock, &Handle);
    IsValid = Registration->IsValid;
    IsBusy =
        Registration->Register.IsBusy || Registration->Invalidate.IsBusy || Slot->Request.IsQueued;
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (IsBusy) {
        return;
    }
    if (IsValid) {
        SmbdInvalidate(Slot->Client->Connection, Registration);
        return;
    }
    if (Slot->Client->Settings.Access == AccessPerUse) {
        SlotUnregister(Slot);
    }
    Slot->State = SlotFree;
}
