/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logical address mappings. The pages are pinned by the consumer's MDL and the device reaches all
 * of memory, so there is nothing to map and nothing to undo: a mapping is its page list. The
 * number that stand is kept, to tell of those that nobody released.
 */
#include "adapter.h"

static ULONG LamSize(ULONG PageCount) {
    return FIELD_OFFSET(NDK_LOGICAL_ADDRESS_MAPPING, AdapterPageArray) +
           PageCount * (ULONG)sizeof(NDK_LOGICAL_ADDRESS);
}

C_ASSERT(sizeof(NDK_LOGICAL_ADDRESS) == sizeof(ULONG64));

static NTSTATUS LamFill(PRNIC_OPEN Open, MDL *Mdl, SIZE_T Length, NDK_LOGICAL_ADDRESS_MAPPING *Lam,
                        PULONG Size, PULONG Fbo) {
    ULONG PageCount = MdlPageCount(Mdl, Length);
    ULONG Needed = LamSize(PageCount);
    BOOLEAN Fits = Lam != NULL && *Size >= Needed;
    NTSTATUS Status;

    *Size = Needed;
    if (!Fits) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    Status = MdlPages(Mdl, Length, (ULONG64 *)Lam->AdapterPageArray);
    if (NT_SUCCESS(Status)) {
        Lam->AdapterContext = Open;
        Lam->AdapterPageCount = PageCount;
        *Fbo = MmGetMdlByteOffset(Mdl);
        InterlockedIncrement(&Open->LamCount);
    }
    return Status;
}

NTSTATUS NdkBuildLam(NDK_ADAPTER *pNdkAdapter, MDL *Mdl, SIZE_T Length,
                     NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext,
                     NDK_LOGICAL_ADDRESS_MAPPING *pNdkLAM, ULONG *pLAMSize, ULONG *pFBO) {
    PRNIC_OPEN Open = OpenOf(pNdkAdapter);
    RNIC_SHAPE Shape = ShapeInline;
    PRNIC_REQUEST Request;
    NTSTATUS Status;

    if (Length == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    if (AnswerFault(pNdkAdapter, "provider.build_lam.insufficient_resources")) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Status = LamFill(Open, Mdl, Length, pNdkLAM, pLAMSize, pFBO);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    /* Without a completion routine it never pends (F-18). */
    if (RequestCompletion != NULL) {
        Shape = AnswerChoose(Open->Object.Owner, pNdkAdapter, "answer.build_lam", ShapeInline);
    }
    Request = Shape == ShapeInline ? NULL : PoolGet(sizeof(*Request));
    if (Request == NULL) {
        return Status;
    }
    Request->FromPool = TRUE;
    RequestBegin(Request, &Open->Object, Shape, RequestCompletion, RequestContext);
    return RequestAnswer(Request, Status);
}

VOID NdkReleaseLam(NDK_ADAPTER *pNdkAdapter, NDK_LOGICAL_ADDRESS_MAPPING *pNdkLAM) {
    PRNIC_OPEN Open = OpenOf(pNdkAdapter);

    UNREFERENCED_PARAMETER(pNdkLAM);
    InterlockedDecrement(&Open->LamCount);
}
