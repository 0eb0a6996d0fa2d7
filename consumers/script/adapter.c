/* SPDX-License-Identifier: Apache-2.0 */
/* The WSK way and adapters, by steps or by itself. PASSIVE_LEVEL. */
#include "script.h"

static NTSTATUS Register(PWSK_SLOT Wsk, USHORT Version) {
    WSK_CLIENT_NPI Npi = {NULL, &Wsk->Dispatch};
    NTSTATUS Status;

    Wsk->Dispatch.Version = Version;
    Wsk->Dispatch.WskClientEvent = TransportEvent;
    Status = WskRegister(&Npi, &Wsk->Registration);
    Wsk->IsRegistered = NT_SUCCESS(Status);
    return Status;
}

static NTSTATUS Capture(PWSK_SLOT Wsk, ULONG Timeout) {
    NTSTATUS Status = WskCaptureProviderNPI(&Wsk->Registration, Timeout, &Wsk->Npi);

    Wsk->IsCaptured = NT_SUCCESS(Status) || Wsk->IsCaptured;
    return Status;
}

NTSTATUS WskEnter(VOID) {
    PWSK_SLOT Wsk = &Script.OwnWsk;
    SIZE_T Bytes = 0;
    NTSTATUS Status = Register(Wsk, MAKE_WSK_VERSION(1, 0));

    if (NT_SUCCESS(Status)) {
        Status = Capture(Wsk, WSK_INFINITE_WAIT);
    }
    if (NT_SUCCESS(Status)) {
        Status = Wsk->Npi.Dispatch->WskControlClient(Wsk->Npi.Client,
                                                     WSKNDK_GET_WSK_PROVIDER_NDK_DISPATCH, 0, NULL,
                                                     sizeof(Wsk->Ndk), &Wsk->Ndk, &Bytes, NULL);
    }
    return Status;
}

static VOID Leave(PWSK_SLOT Wsk) {
    if (Wsk->IsCaptured) {
        WskReleaseProviderNPI(&Wsk->Registration);
        Wsk->IsCaptured = FALSE;
    }
    if (Wsk->IsRegistered) {
        WskDeregister(&Wsk->Registration);
        Wsk->IsRegistered = FALSE;
    }
}

VOID WskLeave(VOID) {
    ULONG Index;

    for (Index = 0; Index < Script.Program->object_count; Index++) {
        if (Script.Slots[Index].Wsk != NULL) {
            Leave(Script.Slots[Index].Wsk);
            ExFreePoolWithTag(Script.Slots[Index].Wsk, SCRIPT_POOL_TAG);
            Script.Slots[Index].Wsk = NULL;
        }
    }
    Leave(&Script.OwnWsk);
}

/* The client of a step: named, or the driver's own. */
static PWSK_SLOT WskOf(PRUN Run, CONST STEP *Step, ULONG Member) {
    PSLOT Slot = StepSlot(Run, Step, Member);

    if (Slot == NULL) {
        return &Script.OwnWsk;
    }
    if (Slot->Wsk == NULL) {
        Slot->Wsk = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*Slot->Wsk), SCRIPT_POOL_TAG);
        if (Slot->Wsk != NULL) {
            RtlZeroMemory(Slot->Wsk, sizeof(*Slot->Wsk));
        }
    }
    if (Slot->Wsk == NULL) {
        Failed(Step, "the driver has no memory for a WSK client");
    }
    return Slot->Wsk;
}

BOOLEAN StepWskRegister(PRUN Run, CONST STEP *Step) {
    PWSK_SLOT Wsk = WskOf(Run, Step, SCRIPT_MEMBER_OBJECT);
    ULONG64 Version = StepNumber(Step, SCRIPT_MEMBER_VERSION, 0x10000);

    return Wsk != NULL &&
           StatusCheck(Step, "outcome",
                       Register(Wsk, MAKE_WSK_VERSION(Version >> 16, Version & 0xFF)));
}

BOOLEAN StepWskCapture(PRUN Run, CONST STEP *Step) {
    PWSK_SLOT Wsk = WskOf(Run, Step, SCRIPT_MEMBER_OBJECT);
    ULONG64 Ns = StepNumber(Step, SCRIPT_MEMBER_TIMEOUT, MAXULONGLONG);
    ULONG Timeout = Ns == MAXULONGLONG ? WSK_INFINITE_WAIT : (ULONG)((Ns + 999999) / 1000000);

    return Wsk != NULL && StatusCheck(Step, "outcome", Capture(Wsk, Timeout));
}

BOOLEAN StepWskQuery(PRUN Run, CONST STEP *Step) {
    PWSK_SLOT Wsk = WskOf(Run, Step, SCRIPT_MEMBER_OBJECT);
    WSK_PROVIDER_CHARACTERISTICS Range = {0, 0};
    OUTPUTS Outputs = {0};
    NTSTATUS Status;

    if (Wsk == NULL) {
        return FALSE;
    }
    Status = WskQueryProviderCharacteristics(&Wsk->Registration, &Range);
    OutputAdd(&Outputs, SCRIPT_OUTPUT_LOW, Range.LowestVersion);
    OutputAdd(&Outputs, SCRIPT_OUTPUT_HIGH, Range.HighestVersion);
    return StatusCheck(Step, "outcome", Status) && OutputsUse(Step, &Outputs);
}

static NTSTATUS Control(CONST STEP *Step, PWSK_SLOT Wsk, PIRP Irp, SIZE_T *Returned) {
    BOOLEAN HasOutput = !StepIsNothing(Step, SCRIPT_MEMBER_BUFFER);
    SIZE_T Input = (SIZE_T)StepNumber(Step, SCRIPT_MEMBER_INPUT_BYTES, 0);
    SIZE_T Output = (SIZE_T)StepNumber(Step, SCRIPT_MEMBER_OUTPUT_BYTES, sizeof(Wsk->Ndk));
    UCHAR Buffers[256];
    NTSTATUS Status;

    RtlZeroMemory(Buffers, sizeof(Buffers));
    Status = Wsk->Npi.Dispatch->WskControlClient(
        Wsk->Npi.Client,
        (ULONG)StepNumber(Step, SCRIPT_MEMBER_CODE, WSKNDK_GET_WSK_PROVIDER_NDK_DISPATCH), Input,
        Input != 0 ? Buffers + 128 : NULL, Output, HasOutput ? Buffers : NULL, Returned, Irp);
    if (Status == STATUS_SUCCESS && HasOutput && Output >= sizeof(Wsk->Ndk)) {
        RtlCopyMemory(&Wsk->Ndk, Buffers, sizeof(Wsk->Ndk));
    }
    return Status;
}

BOOLEAN StepWskControl(PRUN Run, CONST STEP *Step) {
    PWSK_SLOT Wsk = WskOf(Run, Step, SCRIPT_MEMBER_OBJECT);
    OUTPUTS Outputs = {0};
    SIZE_T Returned = 0;
    PIRP Irp = NULL;
    NTSTATUS Status;

    if (Wsk == NULL || Wsk->Npi.Dispatch == NULL) {
        return Fail(Step, "this WSK client has not captured the provider");
    }
    if (StepFlag(Step, SCRIPT_MEMBER_IRP, FALSE)) {
        Irp = IoAllocateIrp(1, FALSE);
    }
    Status = Control(Step, Wsk, Irp, &Returned);
    if (Irp != NULL && Status != STATUS_PENDING) {
        IoFreeIrp(Irp);
    }
    OutputAdd(&Outputs, SCRIPT_OUTPUT_BYTES, Returned);
    return StatusCheck(Step, "outcome", Status) && OutputsUse(Step, &Outputs);
}

BOOLEAN StepWskRelease(PRUN Run, CONST STEP *Step) {
    PWSK_SLOT Wsk = WskOf(Run, Step, SCRIPT_MEMBER_OBJECT);

    if (Wsk != NULL) {
        Wsk->IsCaptured = FALSE;
        WskReleaseProviderNPI(&Wsk->Registration);
    }
    return Wsk != NULL;
}

BOOLEAN StepWskDeregister(PRUN Run, CONST STEP *Step) {
    PWSK_SLOT Wsk = WskOf(Run, Step, SCRIPT_MEMBER_OBJECT);

    if (Wsk != NULL) {
        Wsk->IsRegistered = FALSE;
        WskDeregister(&Wsk->Registration);
    }
    return Wsk != NULL;
}

static NTSTATUS Open(PSLOT Slot, PWSK_SLOT Wsk, ULONG Wanted, ULONG Interface) {
    NDK_VERSION Version = {(USHORT)((Wanted & ~SCRIPT_VERSION_OR_2) >> 16), (USHORT)Wanted};
    NDK_VERSION Newest = {2, 0};
    NDK_ADAPTER *Adapter = SCRIPT_POISON;
    NTSTATUS Status = STATUS_NOT_SUPPORTED;

    if ((Wanted & SCRIPT_VERSION_OR_2) != 0) {
        Status = Wsk->Ndk.WskOpenNdkAdapter(Wsk->Npi.Client, Newest, Interface, &Adapter);
    }
    if (Status == STATUS_NOT_SUPPORTED) {
        Status = Wsk->Ndk.WskOpenNdkAdapter(Wsk->Npi.Client, Version, Interface, &Adapter);
    }
    if (Status == STATUS_SUCCESS) {
        SlotFill(Slot, &Adapter->Header, NULL);
        Slot->Opener = Wsk;
    }
    return Status;
}

NTSTATUS AdapterOpen(VOID) {
    CONST struct script_program *Program = Script.Program;

    return Open(&Script.Slots[Program->adapter], &Script.OwnWsk, Program->version,
                Program->interface_index);
}

BOOLEAN StepOpenAdapter(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepSlot(Run, Step, SCRIPT_MEMBER_OBJECT);
    PWSK_SLOT Wsk = WskOf(Run, Step, SCRIPT_MEMBER_WSK);
    ULONG Version = (ULONG)StepNumber(Step, SCRIPT_MEMBER_VERSION, SCRIPT_VERSION_ANY);
    CONST NDK_VERSION *Got;
    OUTPUTS Outputs = {0};
    NTSTATUS Status;

    if (Wsk == NULL || Slot == NULL) {
        return FALSE;
    }
    if (Wsk->Ndk.WskOpenNdkAdapter == NULL) {
        return Fail(Step, "this WSK client has no NDK dispatch: wsk_control gets it");
    }
    if (Slot->State == SlotOpen) {
        return Fail(Step, "%s is open already", SlotName(Slot));
    }
    Status =
        Open(Slot, Wsk, Version,
             (ULONG)StepNumber(Step, SCRIPT_MEMBER_INTERFACE, Script.Program->interface_index));
    Got = Status == STATUS_SUCCESS ? &Slot->Object->Version : NULL;
    OutputAdd(&Outputs, SCRIPT_OUTPUT_STATUS, (ULONG)Status);
    OutputAdd(&Outputs, SCRIPT_OUTPUT_VERSION_MAJOR, Got != NULL ? Got->Major : 0);
    OutputAdd(&Outputs, SCRIPT_OUTPUT_VERSION_MINOR, Got != NULL ? Got->Minor : 0);
    return StatusCheck(Step, "outcome", Status) && OutputsUse(Step, &Outputs);
}

VOID AdapterSlotClose(PSLOT Slot) {
    PWSK_SLOT Wsk = Slot->Opener;

    Slot->State = SlotClosing;
    Wsk->Ndk.WskCloseNdkAdapter(Wsk->Npi.Client, (NDK_ADAPTER *)(PVOID)Slot->Object);
    Slot->State = SlotClosed;
    Slot->IsGone = TRUE;
}

BOOLEAN StepCloseAdapter(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);

    if (Slot != NULL) {
        AdapterSlotClose(Slot);
    }
    return Slot != NULL;
}

static VOID InfoOutputs(CONST NDK_ADAPTER_INFO *Info, POUTPUTS Outputs) {
    OutputAdd(Outputs, SCRIPT_OUTPUT_VERSION_MAJOR, Info->Version.Major);
    OutputAdd(Outputs, SCRIPT_OUTPUT_VERSION_MINOR, Info->Version.Minor);
    OutputAdd(Outputs, SCRIPT_OUTPUT_VENDOR_ID, Info->VendorId);
    OutputAdd(Outputs, SCRIPT_OUTPUT_DEVICE_ID, Info->DeviceId);
    OutputAdd(Outputs, SCRIPT_OUTPUT_MAX_REGISTRATION_SIZE, Info->MaxRegistrationSize);
    OutputAdd(Outputs, SCRIPT_OUTPUT_MAX_WINDOW_SIZE, Info->MaxWindowSize);
    OutputAdd(Outputs, SCRIPT_OUTPUT_FRMR_PAGE_COUNT, Info->FRMRPageCount);
    OutputAdd(Outputs, SCRIPT_OUTPUT_MAX_INITIATOR_REQUEST_SGE, Info->MaxInitiatorRequestSge);
    OutputAdd(Outputs, SCRIPT_OUTPUT_MAX_RECEIVE_REQUEST_SGE, Info->MaxReceiveRequestSge);
    OutputAdd(Outputs, SCRIPT_OUTPUT_MAX_READ_REQUEST_SGE, Info->MaxReadRequestSge);
    OutputAdd(Outputs, SCRIPT_OUTPUT_MAX_TRANSFER_LENGTH, Info->MaxTransferLength);
    OutputAdd(Outputs, SCRIPT_OUTPUT_MAX_INLINE_DATA_SIZE, Info->MaxInlineDataSize);
    OutputAdd(Outputs, SCRIPT_OUTPUT_MAX_INBOUND_READ_LIMIT, Info->MaxInboundReadLimit);
    OutputAdd(Outputs, SCRIPT_OUTPUT_MAX_OUTBOUND_READ_LIMIT, Info->MaxOutboundReadLimit);
    OutputAdd(Outputs, SCRIPT_OUTPUT_MAX_RECEIVE_QUEUE_DEPTH, Info->MaxReceiveQueueDepth);
    OutputAdd(Outputs, SCRIPT_OUTPUT_MAX_INITIATOR_QUEUE_DEPTH, Info->MaxInitiatorQueueDepth);
    OutputAdd(Outputs, SCRIPT_OUTPUT_MAX_SRQ_DEPTH, Info->MaxSrqDepth);
    OutputAdd(Outputs, SCRIPT_OUTPUT_MAX_CQ_DEPTH, Info->MaxCqDepth);
    OutputAdd(Outputs, SCRIPT_OUTPUT_LARGE_REQUEST_THRESHOLD, Info->LargeRequestThreshold);
    OutputAdd(Outputs, SCRIPT_OUTPUT_MAX_CALLER_DATA, Info->MaxCallerData);
    OutputAdd(Outputs, SCRIPT_OUTPUT_MAX_CALLEE_DATA, Info->MaxCalleeData);
    OutputAdd(Outputs, SCRIPT_OUTPUT_ADAPTER_FLAGS, Info->AdapterFlags);
    OutputAdd(Outputs, SCRIPT_OUTPUT_RDMA_TECHNOLOGY, (ULONG)Info->RdmaTechnology);
}

BOOLEAN StepQueryAdapterInfo(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);
    BOOLEAN IsNull = StepIsNothing(Step, SCRIPT_MEMBER_BUFFER);
    ULONG Bytes =
        (ULONG)StepNumber(Step, SCRIPT_MEMBER_BYTES, IsNull ? 0 : sizeof(NDK_ADAPTER_INFO));
    OUTPUTS Outputs = {0};
    NDK_ADAPTER_INFO Info;
    NTSTATUS Status;

    if (Slot == NULL) {
        return FALSE;
    }
    RtlZeroMemory(&Info, sizeof(Info));
    Status = ((CONST NDK_ADAPTER_DISPATCH *)StepTable(Run, Step, Slot))
                 ->NdkQueryAdapterInfo((NDK_ADAPTER *)(PVOID)Slot->Object, IsNull ? NULL : &Info,
                                       &Bytes);
    OutputAdd(&Outputs, SCRIPT_OUTPUT_STATUS, (ULONG)Status);
    OutputAdd(&Outputs, SCRIPT_OUTPUT_BYTES, Bytes);
    if (Status == STATUS_SUCCESS) {
        InfoOutputs(&Info, &Outputs);
    }
    return StatusCheck(Step, "outcome", Status) && OutputsUse(Step, &Outputs);
}
