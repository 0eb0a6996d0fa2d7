/* SPDX-License-Identifier: Apache-2.0 */
/* Memory regions and logical address mappings. */
#include "script.h"

#define MR(Slot) ((NDK_MR *)(PVOID)(Slot)->Object)
#define MR_TABLE(Slot) ((CONST NDK_MR_DISPATCH *)StepTable(Run, Step, Slot))

#define ALL_RIGHTS                                                                                 \
    (NDK_MR_FLAG_ALLOW_LOCAL_WRITE | NDK_MR_FLAG_ALLOW_REMOTE_READ | NDK_MR_FLAG_ALLOW_REMOTE_WRITE)

static VOID Registered(PCALL Call, NTSTATUS Status) {
    if (Status != STATUS_SUCCESS) {
        Call->Slot->IsRegistered = FALSE;
    }
}

static NTSTATUS RegisterMr(PRUN Run, CONST STEP *Step, PCALL Call) {
    PSLOT Memory = StepSlot(Run, Step, SCRIPT_MEMBER_MEMORY);
    SIZE_T Bytes = (SIZE_T)StepNumber(Step, SCRIPT_MEMBER_BYTES, Memory->Bytes);

    Call->Slot->Buffer = Memory->Mdls;
    Call->Slot->Bytes = Bytes;
    Call->Slot->HasToken = FALSE;
    Call->Slot->IsRegistered = TRUE;
    Call->Finished = Registered;
    return MR_TABLE(Call->Slot)
        ->NdkRegisterMr(MR(Call->Slot), Memory->Mdl, Bytes,
                        (ULONG)StepNumber(Step, SCRIPT_MEMBER_FLAGS, ALL_RIGHTS), Call->Requested,
                        Call->Context);
}

BOOLEAN StepRegisterMr(PRUN Run, CONST STEP *Step) {
    PSLOT Mr = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);
    PSLOT Memory = StepSlot(Run, Step, SCRIPT_MEMBER_MEMORY);

    if (Memory == NULL || Memory->Mdl == NULL) {
        return Fail(Step, "the memory that it names is not allocated");
    }
    return CallStep(Run, Step, CallRequests, Mr, RegisterMr);
}

static NTSTATUS DeregisterMr(PRUN Run, CONST STEP *Step, PCALL Call) {
    /* So that a token of before can be used afterwards. */
    Call->Slot->IsRegistered = FALSE;
    return MR_TABLE(Call->Slot)->NdkDeregisterMr(MR(Call->Slot), Call->Requested, Call->Context);
}

BOOLEAN StepDeregisterMr(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallRequests, StepObject(Run, Step, SCRIPT_MEMBER_OBJECT),
                    DeregisterMr);
}

static NTSTATUS InitializeFastRegisterMr(PRUN Run, CONST STEP *Step, PCALL Call) {
    Call->Slot->HasToken = FALSE;
    return MR_TABLE(Call->Slot)
        ->NdkInitializeFastRegisterMr(
            MR(Call->Slot), (ULONG)StepNumber(Step, SCRIPT_MEMBER_PAGES, 16),
            StepFlag(Step, SCRIPT_MEMBER_REMOTE_ACCESS, TRUE), Call->Requested, Call->Context);
}

BOOLEAN StepInitializeFastRegisterMr(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallRequests, StepObject(Run, Step, SCRIPT_MEMBER_OBJECT),
                    InitializeFastRegisterMr);
}

static BOOLEAN TokenOutput(CONST STEP *Step, UINT32 Token) {
    OUTPUTS Outputs = {0};

    OutputAdd(&Outputs, SCRIPT_OUTPUT_TOKEN, Token);
    return OutputsUse(Step, &Outputs);
}

BOOLEAN StepGetLocalToken(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);

    return Slot != NULL && TokenOutput(Step, MR_TABLE(Slot)->NdkGetLocalTokenFromMr(MR(Slot)));
}

BOOLEAN StepGetRemoteToken(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);

    if (Slot == NULL) {
        return FALSE;
    }
    if (Slot->Kind == SCRIPT_MW) {
        CONST NDK_MW_DISPATCH *Table = StepTable(Run, Step, Slot);

        return TokenOutput(Step, Table->NdkGetRemoteTokenFromMw((NDK_MW *)(PVOID)Slot->Object));
    }
    return TokenOutput(Step, MR_TABLE(Slot)->NdkGetRemoteTokenFromMr(MR(Slot)));
}

BOOLEAN StepGetPrivilegedToken(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);
    UINT32 Token = 0;

    if (Slot == NULL) {
        return FALSE;
    }
    ((CONST NDK_PD_DISPATCH *)StepTable(Run, Step, Slot))
        ->NdkGetPrivilegedMemoryRegionToken((NDK_PD *)(PVOID)Slot->Object, &Token);
    return TokenOutput(Step, Token);
}

static VOID LamFinished(PCALL Call, NTSTATUS Status) {
    if (Status != STATUS_SUCCESS) {
        Call->Slot->IsRegistered = FALSE;
        LamRelease(Call->Slot);
    }
}

static NTSTATUS BuildLam(PRUN Run, CONST STEP *Step, PCALL Call) {
    PSLOT Memory = StepSlot(Run, Step, SCRIPT_MEMBER_MEMORY);
    PSLOT Slot = Call->Slot;
    NDK_ADAPTER *Adapter = (NDK_ADAPTER *)(PVOID)Slot->Parent->Object;
    SIZE_T Length = (SIZE_T)StepNumber(Step, SCRIPT_MEMBER_BYTES, Memory->Bytes);

    Slot->Buffer = Memory->Mdls;
    Slot->Bytes = Length;
    Call->Finished = LamFinished;
    return ((CONST NDK_ADAPTER_DISPATCH *)StepTable(Run, Step, Slot->Parent))
        ->NdkBuildLAM(Adapter, Memory->Mdl, Length, Call->Requested, Call->Context, Slot->Lam,
                      &Slot->LamBytes, &Slot->Fbo);
}

/* The size that a mapping needs, asked with no buffer, as drivers do. */
static ULONG LamNeeds(PSLOT Adapter, PSLOT Memory, SIZE_T Length) {
    NDK_ADAPTER *Object = (NDK_ADAPTER *)(PVOID)Adapter->Object;
    ULONG Bytes = 0;
    ULONG Fbo = 0;

    (VOID)((CONST NDK_ADAPTER_DISPATCH *)SlotTable(Adapter))
        ->NdkBuildLAM(Object, Memory->Mdl, Length, NULL, NULL, NULL, &Bytes, &Fbo);
    return Bytes;
}

VOID LamRelease(PSLOT Slot) {
    if (Slot->IsRegistered && Slot->Parent->Object != NULL) {
        ((CONST NDK_ADAPTER_DISPATCH *)SlotTable(Slot->Parent))
            ->NdkReleaseLAM((NDK_ADAPTER *)(PVOID)Slot->Parent->Object, Slot->Lam);
    }
    Slot->IsRegistered = FALSE;
    if (Slot->Lam != NULL) {
        ExFreePoolWithTag(Slot->Lam, SCRIPT_DATA_TAG);
        Slot->Lam = NULL;
    }
    Slot->State = SlotClosed;
}

static BOOLEAN LamOutputs(CONST STEP *Step, CONST SLOT *Slot) {
    OUTPUTS Outputs = {0};

    OutputAdd(&Outputs, SCRIPT_OUTPUT_BYTES, Slot->LamBytes);
    OutputAdd(&Outputs, SCRIPT_OUTPUT_FBO, Slot->Fbo);
    if (Slot->IsRegistered) {
        OutputAdd(&Outputs, SCRIPT_OUTPUT_PAGES, Slot->Lam->AdapterPageCount);
    }
    return OutputsUse(Step, &Outputs);
}

BOOLEAN StepBuildLam(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepSlot(Run, Step, SCRIPT_MEMBER_OBJECT);
    PSLOT Memory = StepSlot(Run, Step, SCRIPT_MEMBER_MEMORY);
    PSLOT Adapter = StepObject(Run, Step, SCRIPT_MEMBER_ADAPTER);
    BOOLEAN Holds;

    if (Slot == NULL || Adapter == NULL || Memory == NULL || Memory->Mdl == NULL) {
        return Fail(Step, "adapter or memory is not there");
    }
    if (Slot->Lam != NULL) {
        return Fail(Step, "%s is built already", SlotName(Slot));
    }
    Slot->Parent = Adapter;
    Slot->LamBytes = StepHas(Step, SCRIPT_MEMBER_OUTPUT_BYTES)
                         ? (ULONG)StepNumber(Step, SCRIPT_MEMBER_OUTPUT_BYTES, 0)
                         : LamNeeds(Adapter, Memory,
                                    (SIZE_T)StepNumber(Step, SCRIPT_MEMBER_BYTES, Memory->Bytes));
    if (Slot->LamBytes != 0 && !StepIsNothing(Step, SCRIPT_MEMBER_BUFFER)) {
        Slot->Lam = ExAllocatePoolWithTag(NonPagedPoolNx, Slot->LamBytes, SCRIPT_DATA_TAG);
    }
    Slot->State = SlotOpen;
    Slot->IsRegistered = TRUE; /* until it fails */
    Holds = CallStep(Run, Step, CallRequests, Slot, BuildLam);
    return Holds && LamOutputs(Step, Slot);
}

BOOLEAN StepReleaseLam(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepSlot(Run, Step, SCRIPT_MEMBER_OBJECT);

    if (Slot == NULL || Slot->Lam == NULL) {
        return Fail(Step, "this mapping is not built");
    }
    LamRelease(Slot);
    return TRUE;
}
