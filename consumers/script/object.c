/* SPDX-License-Identifier: Apache-2.0 */
/* Objects as steps use them: pointers, dispatch tables, headers. */
#include "script.h"

#include <ndksim_tables.h>

static CONST ULONG TableBytes[NdkObjectTypeMax] = NDKSIM_TABLE_BYTES;
static CONST struct {
    ULONG Type;
    PCSTR Word;
} Kinds[SCRIPT_NDK_KIND_COUNT] = {
    [SCRIPT_ADAPTER] = {NdkObjectTypeAdapter, "an adapter"},
    [SCRIPT_CQ] = {NdkObjectTypeCq, "a CQ"},
    [SCRIPT_PD] = {NdkObjectTypePd, "a PD"},
    [SCRIPT_MR] = {NdkObjectTypeMr, "an MR"},
    [SCRIPT_MW] = {NdkObjectTypeMw, "an MW"},
    [SCRIPT_SRQ] = {NdkObjectTypeSrq, "an SRQ"},
    [SCRIPT_QP] = {NdkObjectTypeQp, "a QP"},
    [SCRIPT_SHARED_ENDPOINT] = {NdkObjectTypeSharedEndpoint, "a shared endpoint"},
    [SCRIPT_CONNECTOR] = {NdkObjectTypeConnector, "a connector"},
    [SCRIPT_LISTENER] = {NdkObjectTypeListener, "a listener"},
};

PSLOT StepObject(PRUN Run, CONST STEP *Step, ULONG Member) {
    static PCSTR CONST States[] = {"is not there yet", "is being created", "", "is being closed",
                                   "is closed"};
    PSLOT Slot = StepSlot(Run, Step, Member);

    if (Slot == NULL) {
        Failed(Step, "\"it\" is no object here");
        return NULL;
    }
    if (Slot->State == SlotOpen || (Step->is_misuse && Slot->Object != NULL)) {
        return Slot;
    }
    Failed(Step, "%s %s%s", SlotName(Slot), States[Slot->State],
           Slot->Object != NULL ? "; a step that uses it all the same says \"misuse\": true" : "");
    return NULL;
}

PVOID SlotObject(PRUN Run, CONST STEP *Step, ULONG Member) {
    PSLOT Slot;

    if (!StepHas(Step, Member) || StepIsNothing(Step, Member)) {
        return NULL;
    }
    Slot = StepObject(Run, Step, Member);
    return Slot != NULL ? Slot->Object : NULL;
}

CONST VOID *SlotTable(CONST SLOT *Slot) {
    /* Behind a trap, calls go on through the table of before. */
    return Slot->Trap != NULL ? Slot->Dispatch : ((NDK_CQ *)(PVOID)Slot->Object)->Dispatch;
}

/* A slot behind the end of a shorter table. */
static NTSTATUS NoSlot(VOID) {
    NdksimRequire(FALSE, "the table that \"via\" names has no such function");
    return STATUS_NOT_SUPPORTED;
}

/* Another object's table may be shorter than the one that the step calls through. */
static CONST VOID *ViaTable(PSLOT Via) {
    static PVOID Tables[SCRIPT_NDK_KIND_COUNT][sizeof(NDK_CONNECTOR_DISPATCH) / sizeof(PVOID)];
    CONST PVOID *Table = SlotTable(Via);
    ULONG Index;

    for (Index = 0; Index < RTL_NUMBER_OF(Tables[0]); Index++) {
        Tables[Via->Kind][Index] = Index < TableBytes[Kinds[Via->Kind].Type] / sizeof(PVOID)
                                       ? Table[Index]
                                       : (PVOID)(ULONG_PTR)NoSlot;
    }
    return Tables[Via->Kind];
}

CONST VOID *StepTable(PRUN Run, CONST STEP *Step, PSLOT Slot) {
    PSLOT Via = StepSlot(Run, Step, SCRIPT_MEMBER_VIA);

    if (Via != NULL && Via->Object != NULL) {
        return ViaTable(Via);
    }
    /* A closed object's memory may be gone; its table is not. */
    return Slot->IsGone ? Slot->Dispatch : SlotTable(Slot);
}

NDK_FN_CLOSE_OBJECT SlotCloseRoutine(CONST SLOT *Slot) {
    /* The first slot of every table but the adapter's. */
    return ((CONST NDK_CQ_DISPATCH *)SlotTable(Slot))->NdkCloseCq;
}

static BOOLEAN ReservedIs(CONST NDK_OBJECT_HEADER *Header, PVOID Value) {
    ULONG Index;

    for (Index = 0; Index < RTL_NUMBER_OF(Header->NdkReserved.rf); Index++) {
        if (Header->NdkReserved.rf[Index] != Value) {
            return FALSE;
        }
    }
    return TRUE;
}

/* The adapter that an object came from; NULL: not known, or it is one. */
static CONST SLOT *AdapterOf(CONST SLOT *Slot) {
    CONST SLOT *At = Slot->Parent;

    while (At != NULL && At->Kind != SCRIPT_ADAPTER) {
        At = At->Parent;
    }
    return At;
}

static BOOLEAN VersionCheck(CONST STEP *Step, PSLOT Slot) {
    CONST SLOT *Adapter = AdapterOf(Slot);
    CONST NDK_VERSION *Wanted =
        Adapter != NULL && !Adapter->IsGone ? &Adapter->Object->Version : NULL;
    NDK_VERSION Version;

    if (StepHas(Step, SCRIPT_MEMBER_VERSION)) {
        Version.Major = (USHORT)(StepNumber(Step, SCRIPT_MEMBER_VERSION, 0) >> 16);
        Version.Minor = (USHORT)StepNumber(Step, SCRIPT_MEMBER_VERSION, 0);
        Wanted = &Version;
    }
    if (Wanted == NULL || (Slot->Object->Version.Major == Wanted->Major &&
                           Slot->Object->Version.Minor == Wanted->Minor)) {
        return TRUE;
    }
    return Fail(Step, "%s: expected Header.Version %u.%u, got %u.%u", SlotName(Slot), Wanted->Major,
                Wanted->Minor, Slot->Object->Version.Major, Slot->Object->Version.Minor);
}

static BOOLEAN DispatchCheck(CONST STEP *Step, PSLOT Slot) {
    PVOID CONST *Members = (PVOID CONST *)SlotTable(Slot);
    ULONG Index;

    if (Members == NULL) {
        return Fail(Step, "%s: Dispatch is NULL", SlotName(Slot));
    }
    for (Index = 0; Index < TableBytes[Kinds[Slot->Kind].Type] / sizeof(PVOID); Index++) {
        if (Members[Index] == NULL) {
            return Fail(Step, "%s: member %u of the dispatch table is NULL", SlotName(Slot), Index);
        }
    }
    return TRUE;
}

BOOLEAN HeaderCheck(CONST STEP *Step, PSLOT Slot, ULONG What) {
    if (Slot->Object == NULL) {
        return FALSE;
    }
    if ((What & SCRIPT_CHECK_TYPE) != 0 &&
        Slot->Object->ObjectType != (NDK_OBJECT_TYPE)Kinds[Slot->Kind].Type) {
        return Fail(Step, "%s: expected Header.ObjectType %u (%s), got %u", SlotName(Slot),
                    Kinds[Slot->Kind].Type, Kinds[Slot->Kind].Word, Slot->Object->ObjectType);
    }
    if ((What & SCRIPT_CHECK_VERSION) != 0 && !VersionCheck(Step, Slot)) {
        return FALSE;
    }
    if ((What & SCRIPT_CHECK_RESERVED) != 0 && !ReservedIs(Slot->Object, NULL)) {
        return Fail(Step, "%s: Header.NdkReserved is not zero", SlotName(Slot));
    }
    if ((What & SCRIPT_CHECK_RESERVED_KEPT) != 0 && !ReservedIs(Slot->Object, SCRIPT_POISON)) {
        return Fail(Step, "%s: what was written to Header.NdkReserved is not there any more",
                    SlotName(Slot));
    }
    return (What & SCRIPT_CHECK_DISPATCH) == 0 || DispatchCheck(Step, Slot);
}

BOOLEAN StepCheck(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);

    return Slot != NULL &&
           HeaderCheck(Step, Slot,
                       (ULONG)StepNumber(Step, SCRIPT_MEMBER_WHAT,
                                         SCRIPT_CHECK_VERSION | SCRIPT_CHECK_TYPE |
                                             SCRIPT_CHECK_RESERVED | SCRIPT_CHECK_DISPATCH));
}

BOOLEAN StepWriteReserved(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepSlot(Run, Step, SCRIPT_MEMBER_OBJECT);
    ULONG Index;

    if (Slot != NULL && Slot->Kind == SCRIPT_LAM) {
        if (Slot->Lam == NULL) {
            return Fail(Step, "this mapping is not built");
        }
        Slot->Lam->AdapterContext = SCRIPT_POISON;
        return TRUE;
    }
    Slot = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);
    if (Slot == NULL) {
        return FALSE;
    }
    for (Index = 0; Index < RTL_NUMBER_OF(Slot->Object->NdkReserved.rf); Index++) {
        Slot->Object->NdkReserved.rf[Index] = SCRIPT_POISON;
    }
    return TRUE;
}

static VOID Trapped(VOID) {
    NdksimRequire(FALSE, "a dispatch table that the consumer had put in place was used by somebody "
                         "else: a provider must not use an object's Dispatch");
}

/* The object's Dispatch becomes a table of the driver's own: a copy, or traps. */
BOOLEAN StepSwapDispatch(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);
    BOOLEAN IsTrap = StepNumber(Step, SCRIPT_MEMBER_TABLE, SCRIPT_SWAP_COPY) == SCRIPT_SWAP_TRAP;
    VOID (**Table)(VOID);
    ULONG Index;

    if (Slot == NULL || Slot->Trap != NULL) {
        return Slot != NULL;
    }
    Table =
        ExAllocatePoolWithTag(NonPagedPoolNx, TableBytes[Kinds[Slot->Kind].Type], SCRIPT_DATA_TAG);
    if (Table == NULL) {
        return Fail(Step, "the driver has no memory for a table");
    }
    RtlCopyMemory(Table, Slot->Dispatch, TableBytes[Kinds[Slot->Kind].Type]);
    for (Index = 0; IsTrap && Index < TableBytes[Kinds[Slot->Kind].Type] / sizeof(PVOID); Index++) {
        Table[Index] = Trapped;
    }
    ((NDK_CQ *)(PVOID)Slot->Object)->Dispatch = (CONST NDK_CQ_DISPATCH *)Table;
    Slot->Trap = Table;
    if (!IsTrap) {
        Slot->Dispatch = Table;
    }
    return TRUE;
}

BOOLEAN StepQueryExtension(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);
    CONST ARG *Guid = ArgFind(Step, SCRIPT_MEMBER_GUID);
    ULONG64 Number = StepNumber(Step, SCRIPT_MEMBER_VERSION, 0x10000);
    NDK_VERSION Version = {(USHORT)(Number >> 16), (USHORT)Number};
    NDK_EXTENSION_INTERFACE Interface = {SCRIPT_POISON};
    NDK_FN_QUERY_EXTENSION_INTERFACE Query;
    GUID Id;

    if (Slot == NULL) {
        return FALSE;
    }
    RtlFillMemory(&Id, sizeof(Id), 0x11);
    if (Guid != NULL) {
        RtlCopyMemory(&Id, ScriptText(Guid->value), sizeof(Id));
    }
    /* The first member of the adapter's table, the second of all others. */
    Query = Slot->Kind == SCRIPT_ADAPTER
                ? ((CONST NDK_ADAPTER_DISPATCH *)StepTable(Run, Step, Slot))->NdkQueryExtension
                : ((CONST NDK_CQ_DISPATCH *)StepTable(Run, Step, Slot))->NdkQueryExtension;
    return StatusCheck(Step, "outcome", Query(Slot->Object, &Id, Version, &Interface));
}
