/* SPDX-License-Identifier: Apache-2.0 */
/* Contents of memory: patterns by seed, bytes, offers. */
#include "script.h"

static UCHAR Nibble(CHAR Digit) {
    return (UCHAR)(Digit <= '9' ? Digit - '0' : Digit - 'a' + 10);
}

static VOID DataFill(PCSTR Hex, PUCHAR Buffer, SIZE_T Bytes) {
    SIZE_T Length = 0;
    SIZE_T At;

    while (Hex[2 * Length] != 0) {
        Length++;
    }
    for (At = 0; Length != 0 && At < Bytes; At++) {
        PCSTR Digits = Hex + 2 * (At % Length);

        Buffer[At] = (UCHAR)(Nibble(Digits[0]) << 4 | Nibble(Digits[1]));
    }
}

static UINT32 LocalTokenOf(PSLOT Slot) {
    if (!Slot->HasToken && Slot->Object != NULL) {
        if (Slot->Kind == SCRIPT_PD) {
            ((CONST NDK_PD_DISPATCH *)SlotTable(Slot))
                ->NdkGetPrivilegedMemoryRegionToken((NDK_PD *)(PVOID)Slot->Object, &Slot->Token);
        } else {
            Slot->Token = ((CONST NDK_MR_DISPATCH *)SlotTable(Slot))
                              ->NdkGetLocalTokenFromMr((NDK_MR *)(PVOID)Slot->Object);
        }
        Slot->HasToken = TRUE;
    }
    return Slot->Token;
}

/* What opens mappings: the token of the first PD that is open. */
static UINT32 PrivilegedToken(VOID) {
    ULONG Index;

    for (Index = 0; Index < Script.Program->object_count; Index++) {
        if (Script.Slots[Index].Kind == SCRIPT_PD && Script.Slots[Index].Object != NULL) {
            return LocalTokenOf(&Script.Slots[Index]);
        }
    }
    return 0;
}

/* The token is asked for at every use: it changes with each registration. */
static UINT32 RemoteTokenOf(PSLOT Slot) {
    if (Slot->Object == NULL) {
        return 0;
    }
    if (Slot->Kind == SCRIPT_MW) {
        NDK_MW *Mw = (NDK_MW *)(PVOID)Slot->Object;

        return Mw->Dispatch->NdkGetRemoteTokenFromMw(Mw);
    }
    return ((CONST NDK_MR_DISPATCH *)SlotTable(Slot))
        ->NdkGetRemoteTokenFromMr((NDK_MR *)(PVOID)Slot->Object);
}

static VOID OfferFill(CONST ARG *Whose, PUCHAR Buffer, SIZE_T Bytes) {
    RUN Run = {SCRIPT_NONE, FALSE, FALSE, FALSE, 0};
    PSLOT Slot = ArgSlot(&Run, Whose);
    struct script_offer Offer = {SCRIPT_OFFER_MAGIC, 0, 0, 0};

    if (Slot != NULL && Slot->Kind == SCRIPT_LAM && Slot->Lam != NULL) {
        Offer.token = PrivilegedToken();
        Offer.address = (ULONG64)Slot->Lam->AdapterPageArray[0].QuadPart + Slot->Fbo;
        Offer.bytes = Slot->Bytes;
    } else if (Slot != NULL && Slot->Kind != SCRIPT_LAM) {
        Offer.token = RemoteTokenOf(Slot);
        Offer.address = (ULONG64)(ULONG_PTR)Slot->Buffer;
        Offer.bytes = Slot->Bytes;
    }
    RtlZeroMemory(Buffer, Bytes);
    RtlCopyMemory(Buffer, &Offer, min(Bytes, sizeof(Offer)));
}

VOID PatternFill(CONST ARG *Pattern, PUCHAR Buffer, SIZE_T Bytes) {
    CONST ARG *Data = ArgElement(Pattern, SCRIPT_ELEMENT_DATA);
    CONST ARG *Offer = ArgElement(Pattern, SCRIPT_ELEMENT_OFFER);
    CONST ARG *Given = ArgElement(Pattern, SCRIPT_ELEMENT_SEED);
    ULONG64 Seed;
    SIZE_T At;

    if (Data != NULL) {
        DataFill(ScriptText(Data->value), Buffer, Bytes);
        return;
    }
    if (Offer != NULL) {
        OfferFill(Offer, Buffer, Bytes);
        return;
    }
    Seed = Given != NULL ? ArgValue(Given) : 0;
    for (At = 0; At < Bytes; At++) {
        Buffer[At] = Seed == 0 ? 0 : (UCHAR)(Seed * 31 + At * 7 + (At >> 8));
    }
}

UINT32 TokenOf(PRUN Run, CONST ARG *Token) {
    CONST ARG *Whose;
    PSLOT Slot;

    if (Token == NULL) {
        return 0;
    }
    if (Token->kind != SCRIPT_ARG_LIST) {
        return (UINT32)ArgValue(Token);
    }
    Whose = ArgAt(Token->value);
    Slot = ArgSlot(Run, Whose);
    if (Slot == NULL) {
        return 0;
    }
    if (Slot->Kind == SCRIPT_REMOTE) {
        return Slot->Offer.token;
    }
    return Whose->member == SCRIPT_ELEMENT_REMOTE ? RemoteTokenOf(Slot) : LocalTokenOf(Slot);
}
