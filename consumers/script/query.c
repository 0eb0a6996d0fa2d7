/* SPDX-License-Identifier: Apache-2.0 */
/* What connectors, listeners and endpoints tell: connection data and addresses. */
#include "script.h"

#define BUFFER_BYTES 1024u

typedef struct _DATA {
    ULONG Inbound;
    ULONG Outbound;
    ULONG Bytes;
    UCHAR Buffer[BUFFER_BYTES];
} DATA, *PDATA;

static NTSTATUS Ask(PRUN Run, CONST STEP *Step, PSLOT Slot, PDATA Data) {
    ULONG64 Limits = StepNumber(Step, SCRIPT_MEMBER_LIMITS, SCRIPT_LIMITS_BOTH);
    BOOLEAN IsNull = StepIsNothing(Step, SCRIPT_MEMBER_BUFFER);

    RtlZeroMemory(Data, sizeof(*Data));
    Data->Bytes = (ULONG)StepNumber(Step, SCRIPT_MEMBER_BYTES, IsNull ? 0 : 512);
    return ((CONST NDK_CONNECTOR_DISPATCH *)StepTable(Run, Step, Slot))
        ->NdkGetConnectionData(
            (NDK_CONNECTOR *)(PVOID)Slot->Object,
            Limits == SCRIPT_LIMITS_BOTH || Limits == SCRIPT_LIMITS_INBOUND ? &Data->Inbound : NULL,
            Limits == SCRIPT_LIMITS_BOTH || Limits == SCRIPT_LIMITS_OUTBOUND ? &Data->Outbound
                                                                             : NULL,
            IsNull ? NULL : Data->Buffer, &Data->Bytes);
}

static BOOLEAN ContentCheck(CONST STEP *Step, PDATA Data) {
    CONST ARG *With = ArgFind(Step, SCRIPT_MEMBER_WITH);
    CONST ARG *Bytes = ArgElement(With, SCRIPT_ELEMENT_BYTES);
    UCHAR Wanted[BUFFER_BYTES];
    SIZE_T Length;
    SIZE_T At;

    if (With == NULL) {
        return TRUE;
    }
    Length = min(Bytes != NULL ? (SIZE_T)ArgValue(Bytes) : Data->Bytes, BUFFER_BYTES);
    PatternFill(With, Wanted, Length);
    At = RtlCompareMemory(Wanted, Data->Buffer, Length);
    return At == Length || Fail(Step, "byte %llu of the private data: expected 0x%02x, got 0x%02x",
                                (ULONG64)At, Wanted[At], Data->Buffer[At]);
}

/* A peer that offers nothing leaves the remote memory unknown: what uses it fails. */
static VOID OfferTake(PRUN Run, CONST STEP *Step, PDATA Data) {
    PSLOT Remote = StepSlot(Run, Step, SCRIPT_MEMBER_TAKE);

    if (Remote != NULL) {
        RtlCopyMemory(&Remote->Offer, Data->Buffer, sizeof(Remote->Offer));
    }
}

BOOLEAN StepGetConnectionData(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);
    OUTPUTS Outputs = {0};
    NTSTATUS Status;
    DATA Data;

    if (Slot == NULL) {
        return FALSE;
    }
    Status = Ask(Run, Step, Slot, &Data);
    OutputAdd(&Outputs, SCRIPT_OUTPUT_STATUS, (ULONG)Status);
    OutputAdd(&Outputs, SCRIPT_OUTPUT_BYTES, Data.Bytes);
    OutputAdd(&Outputs, SCRIPT_OUTPUT_INBOUND_READS, Data.Inbound);
    OutputAdd(&Outputs, SCRIPT_OUTPUT_OUTBOUND_READS, Data.Outbound);
    if (!StatusCheck(Step, "outcome", Status) || !OutputsUse(Step, &Outputs)) {
        return FALSE;
    }
    if (Status != STATUS_SUCCESS) {
        return TRUE;
    }
    OfferTake(Run, Step, &Data);
    return ContentCheck(Step, &Data);
}

static NTSTATUS AskAddress(PRUN Run, CONST STEP *Step, PSLOT Slot, PSOCKADDR Address,
                           ULONG *Bytes) {
    CONST VOID *Table = StepTable(Run, Step, Slot);

    if (Step->verb == SCRIPT_VERB_GET_PEER_ADDRESS) {
        return ((CONST NDK_CONNECTOR_DISPATCH *)Table)
            ->NdkGetPeerAddress((NDK_CONNECTOR *)(PVOID)Slot->Object, Address, Bytes);
    }
    if (Slot->Kind == SCRIPT_LISTENER) {
        return ((CONST NDK_LISTENER_DISPATCH *)Table)
            ->NdkGetLocalAddress((NDK_LISTENER *)(PVOID)Slot->Object, Address, Bytes);
    }
    if (Slot->Kind == SCRIPT_SHARED_ENDPOINT) {
        return ((CONST NDK_SHARED_ENDPOINT_DISPATCH *)Table)
            ->NdkGetLocalAddress((NDK_SHARED_ENDPOINT *)(PVOID)Slot->Object, Address, Bytes);
    }
    return ((CONST NDK_CONNECTOR_DISPATCH *)Table)
        ->NdkGetLocalAddress((NDK_CONNECTOR *)(PVOID)Slot->Object, Address, Bytes);
}

static USHORT PortOf(CONST ADDRESS *Address) {
    /* At the same place in both families. */
    return RtlUshortByteSwap(Address->Inet.Ipv4.sin_port);
}

/* Port 0 of a wanted address stands for any port. */
static BOOLEAN AddressCheck(CONST STEP *Step, CONST ADDRESS *Got) {
    CONST ARG *Arg = ArgFind(Step, SCRIPT_MEMBER_ADDRESS);
    ADDRESS Wanted;
    BOOLEAN Same;

    if (Arg == NULL) {
        return TRUE;
    }
    AddressOf(Arg, &Wanted);
    if (PortOf(&Wanted) != 0 && PortOf(&Wanted) != PortOf(Got)) {
        return Fail(Step, "expected port %u, got %u", PortOf(&Wanted), PortOf(Got));
    }
    Same = Wanted.Inet.si_family == Got->Inet.si_family;
    if (Same && Got->Inet.si_family == AF_INET) {
        Same = RtlEqualMemory(&Wanted.Inet.Ipv4.sin_addr, &Got->Inet.Ipv4.sin_addr, 4);
    } else if (Same) {
        Same = RtlEqualMemory(&Wanted.Inet.Ipv6.sin6_addr, &Got->Inet.Ipv6.sin6_addr, 16);
    }
    return Same || Fail(Step, "another address than expected");
}

static BOOLEAN AddressStep(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);
    BOOLEAN IsNull = StepIsNothing(Step, SCRIPT_MEMBER_BUFFER);
    ADDRESS Address = {0};
    ULONG Bytes = (ULONG)StepNumber(Step, SCRIPT_MEMBER_BYTES, IsNull ? 0 : sizeof(Address.Inet));
    OUTPUTS Outputs = {0};
    NTSTATUS Status;

    if (Slot == NULL) {
        return FALSE;
    }
    Status = AskAddress(Run, Step, Slot, IsNull ? NULL : &Address.Plain, &Bytes);
    OutputAdd(&Outputs, SCRIPT_OUTPUT_STATUS, (ULONG)Status);
    OutputAdd(&Outputs, SCRIPT_OUTPUT_BYTES, Bytes);
    if (Status == STATUS_SUCCESS && !IsNull) {
        OutputAdd(&Outputs, SCRIPT_OUTPUT_PORT, PortOf(&Address));
        OutputAdd(&Outputs, SCRIPT_OUTPUT_FAMILY, Address.Inet.si_family == AF_INET ? 4 : 6);
    }
    return StatusCheck(Step, "outcome", Status) && OutputsUse(Step, &Outputs) &&
           (Status != STATUS_SUCCESS || AddressCheck(Step, &Address));
}

BOOLEAN StepGetLocalAddress(PRUN Run, CONST STEP *Step) {
    return AddressStep(Run, Step);
}

BOOLEAN StepGetPeerAddress(PRUN Run, CONST STEP *Step) {
    return AddressStep(Run, Step);
}
