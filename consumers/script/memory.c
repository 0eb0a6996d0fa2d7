/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of the script, their MDLs, what they hold. */
#include "script.h"

static VOID MdlsFree(PMDL Mdl) {
    while (Mdl != NULL) {
        PMDL Next = Mdl->Next;

        IoFreeMdl(Mdl);
        Mdl = Next;
    }
}

/* `Chain` MDLs over equal pieces, `Gap` bytes between them, that call the buffer `Address`. */
static PMDL MdlsMake(PUCHAR Buffer, PUCHAR Address, SIZE_T Bytes, ULONG Chain, SIZE_T Gap) {
    SIZE_T Piece = (Bytes + Chain - 1) / Chain;
    PMDL First = NULL;
    PMDL *Link = &First;
    SIZE_T At;

    for (At = 0; At < Bytes; At += Piece) {
        ULONG Length = (ULONG)min(Piece, Bytes - At);

        *Link = IoAllocateMdl(Buffer + At + Gap * (At / Piece), Length, FALSE, FALSE, NULL);
        if (*Link == NULL) {
            MdlsFree(First);
            return NULL;
        }
        MmBuildMdlForNonPagedPool(*Link);
        (*Link)->StartVa = PAGE_ALIGN(Address + At + Gap * (At / Piece));
        Link = &(*Link)->Next;
    }
    return First;
}

VOID MemoryFree(PSLOT Slot) {
    MdlsFree(Slot->Mdl);
    if (Slot->Buffer != NULL) {
        ExFreePoolWithTag(Slot->Buffer, SCRIPT_DATA_TAG);
    }
    Slot->Mdl = NULL;
    Slot->Buffer = NULL;
    Slot->State = SlotClosed;
}

/* Another base has the buffer's place in its page: page frames and addresses must agree on that. */
static PUCHAR MdlAddress(CONST STEP *Step, PUCHAR Buffer) {
    ULONG_PTR Base = (ULONG_PTR)StepNumber(Step, SCRIPT_MEMBER_BASE, (ULONG_PTR)Buffer);

    return (PUCHAR)PAGE_ALIGN(Base) + BYTE_OFFSET(Buffer);
}

BOOLEAN StepAllocate(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepSlot(Run, Step, SCRIPT_MEMBER_OBJECT);
    SIZE_T Bytes = (SIZE_T)StepNumber(Step, SCRIPT_MEMBER_BYTES, 4096);
    ULONG Chain = (ULONG)StepNumber(Step, SCRIPT_MEMBER_CHAIN, 1);
    SIZE_T Gap = (SIZE_T)StepNumber(Step, SCRIPT_MEMBER_GAP, 0);

    if (Slot == NULL || Slot->State == SlotOpen) {
        return Fail(Step, "this memory is allocated already");
    }
    if (Chain == 0 || (Chain > 1 && Gap > MAXULONG / (Chain - 1)) ||
        Bytes > MAXULONG - Gap * (Chain - 1)) {
        return Fail(Step, "there is no such memory: %llu bytes in %lu MDLs with gaps of %llu",
                    (ULONG64)Bytes, Chain, (ULONG64)Gap);
    }
    Slot->Buffer =
        ExAllocatePoolWithTag(NonPagedPoolNx, Bytes + Gap * (Chain - 1), SCRIPT_DATA_TAG);
    if (Slot->Buffer == NULL) {
        return Fail(Step, "the pool has no %llu bytes", (ULONG64)Bytes);
    }
    Slot->Bytes = Bytes;
    PatternFill(ArgFind(Step, SCRIPT_MEMBER_WITH), Slot->Buffer, Bytes + Gap * (Chain - 1));
    Slot->Mdls = MdlAddress(Step, Slot->Buffer);
    Slot->Mdl = MdlsMake(Slot->Buffer, Slot->Mdls, Bytes, Chain, Gap);
    Slot->State = SlotOpen;
    return Slot->Mdl != NULL || Fail(Step, "the driver has no memory for an MDL");
}

BOOLEAN StepFree(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepSlot(Run, Step, SCRIPT_MEMBER_OBJECT);

    if (Slot == NULL || Slot->State != SlotOpen) {
        return Fail(Step, "this memory is not allocated");
    }
    MemoryFree(Slot);
    return TRUE;
}

PUCHAR StepRange(PRUN Run, CONST STEP *Step, PSLOT *Memory, SIZE_T *Bytes) {
    PSLOT Slot =
        StepSlot(Run, Step,
                 StepHas(Step, SCRIPT_MEMBER_MEMORY) ? SCRIPT_MEMBER_MEMORY : SCRIPT_MEMBER_OBJECT);
    SIZE_T Offset = (SIZE_T)StepNumber(Step, SCRIPT_MEMBER_OFFSET, 0);

    if (Slot == NULL || Slot->Buffer == NULL) {
        Failed(Step, "the memory that it names is not allocated");
        return NULL;
    }
    *Memory = Slot;
    *Bytes = (SIZE_T)StepNumber(Step, SCRIPT_MEMBER_BYTES,
                                Offset < Slot->Bytes ? Slot->Bytes - Offset : 0);
    return Slot->Buffer + Offset;
}

/* What the driver itself reads and writes must be its own. */
static PUCHAR OwnRange(PRUN Run, CONST STEP *Step, SIZE_T *Bytes) {
    PSLOT Memory;
    PUCHAR Range = StepRange(Run, Step, &Memory, Bytes);

    if (Range != NULL &&
        (*Bytes > Memory->Bytes || (SIZE_T)(Range - Memory->Buffer) > Memory->Bytes - *Bytes)) {
        Failed(Step, "%s ends before this range does", SlotName(Memory));
        return NULL;
    }
    return Range;
}

BOOLEAN StepFill(PRUN Run, CONST STEP *Step) {
    SIZE_T Bytes;
    PUCHAR Range = OwnRange(Run, Step, &Bytes);

    if (Range != NULL) {
        PatternFill(ArgFind(Step, SCRIPT_MEMBER_WITH), Range, Bytes);
    }
    return Range != NULL;
}

BOOLEAN StepCompare(PRUN Run, CONST STEP *Step) {
    SIZE_T Bytes;
    PUCHAR Range = OwnRange(Run, Step, &Bytes);
    PUCHAR Wanted;
    BOOLEAN Holds;
    SIZE_T At;

    if (Range == NULL) {
        return FALSE;
    }
    Wanted = ExAllocatePoolWithTag(NonPagedPoolNx, Bytes + 1, SCRIPT_DATA_TAG);
    if (Wanted == NULL) {
        return Fail(Step, "the pool has no %llu bytes", (ULONG64)Bytes);
    }
    PatternFill(ArgFind(Step, SCRIPT_MEMBER_WITH), Wanted, Bytes);
    At = RtlCompareMemory(Wanted, Range, Bytes);
    Holds = At == Bytes || Fail(Step, "byte %llu of the range: expected 0x%02x, got 0x%02x",
                                (ULONG64)At, Wanted[At], Range[At]);
    ExFreePoolWithTag(Wanted, SCRIPT_DATA_TAG);
    return Holds;
}

BOOLEAN StepPeek(PRUN Run, CONST STEP *Step) {
    OUTPUTS Outputs = {0};
    ULONG64 Value = 0;
    SIZE_T Bytes;
    PUCHAR Range = OwnRange(Run, Step, &Bytes);

    if (Range == NULL) {
        return FALSE;
    }
    while (Bytes != 0) {
        Value = Value << 8 | ((volatile UCHAR *)Range)[--Bytes];
    }
    OutputAdd(&Outputs, SCRIPT_OUTPUT_VALUE, Value);
    return OutputsUse(Step, &Outputs);
}

BOOLEAN StepReadOffer(PRUN Run, CONST STEP *Step) {
    PSLOT Remote = StepSlot(Run, Step, SCRIPT_MEMBER_OBJECT);
    SIZE_T Bytes;
    PUCHAR Range = OwnRange(Run, Step, &Bytes);

    if (Range == NULL || Remote == NULL) {
        return FALSE;
    }
    if (Bytes < sizeof(Remote->Offer)) {
        return Fail(Step, "%llu bytes hold no offer", (ULONG64)Bytes);
    }
    RtlCopyMemory(&Remote->Offer, Range, sizeof(Remote->Offer));
    return Remote->Offer.magic == SCRIPT_OFFER_MAGIC || Fail(Step, "there is no offer");
}
