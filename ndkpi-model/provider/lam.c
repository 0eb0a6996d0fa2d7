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

/* FALSE: the consumer's buffer is too small. */
static BOOLEAN LamFits(const NDK_LOGICAL_ADDRESS_MAPPING *Lam, ULONG Size, ULONG Needed) {
    return Lam != NULL && Size >= Needed;
}

static VOID LamFill(PRNIC_OPEN Open, MDL *Mdl, SIZE_T Length, NDK_LOGICAL_ADDRESS_MAPPING *Lam) {
    MdlPages(Mdl, Length, (ULONG64 *)Lam->AdapterPageArray);
    Lam->AdapterContext = Open;
    Lam->AdapterPageCount = MdlPageCount(Mdl, Length);
    InterlockedIncrement(&Open->LamCount);
}

/* Inline without a completion routine (F-18), and when there is no memory for a request. */
static NTSTATUS LamAnswer(PRNIC_OPEN Open, NTSTATUS Status,
                          NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext) {
    PRNIC_ADAPTER Adapter = Open->Object.Owner;
    RNIC_SHAPE Shape = ShapeInline;
    PRNIC_REQUEST Request;

    if (RequestCompletion != NULL) {
        Shape = AnswerChoose(Adapter, &Open->Object.Ndk.Header, "answer.build_lam",
                             Adapter->Settings.LamPends != 0 ? ShapePending : ShapeInline);
    }
    Request = Shape == ShapeInline ? NULL : PoolGet(sizeof(*Request));
    if (Request == NULL) {
        return Status;
    }
    Request->FromPool = TRUE;
    RequestBegin(Request, &Open->Object, Shape, RequestCompletion, RequestContext);
    return RequestAnswer(Request, Status);
}

NTSTATUS NdkBuildLam(NDK_ADAPTER *pNdkAdapter, MDL *Mdl, SIZE_T Length,
                     NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext,
                     NDK_LOGICAL_ADDRESS_MAPPING *pNdkLAM, ULONG *pLAMSize, ULONG *pFBO) {
    PRNIC_OPEN Open = OpenOf(pNdkAdapter);
    NTSTATUS Status;
    ULONG Needed;

    if (Length == 0 || !NT_SUCCESS(MdlPages(Mdl, Length, NULL))) {
        return STATUS_INVALID_PARAMETER;
    }
    Needed = LamSize(MdlPageCount(Mdl, Length));
    if (!LamFits(pNdkLAM, *pLAMSize, Needed)) {
        *pLAMSize = Needed;
        return STATUS_BUFFER_TOO_SMALL;
    }
    if (AnswerFault(pNdkAdapter, "provider.build_lam.insufficient_resources")) {
        Status = STATUS_INSUFFICIENT_RESOURCES;
    } else {
        Status = STATUS_SUCCESS;
        *pLAMSize = Needed;
        *pFBO = MmGetMdlByteOffset(Mdl);
        LamFill(Open, Mdl, Length, pNdkLAM);
    }
    return LamAnswer(Open, Status, RequestCompletion, RequestContext);
}

VOID NdkReleaseLam(NDK_ADAPTER *pNdkAdapter, NDK_LOGICAL_ADDRESS_MAPPING *pNdkLAM) {
    PRNIC_OPEN Open = OpenOf(pNdkAdapter);

    UNREFERENCED_PARAMETER(pNdkLAM);
    InterlockedDecrement(&Open->LamCount);
}
