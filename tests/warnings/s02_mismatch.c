/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S02, the wrong type: a request completion, which takes a status, is given where a close
 * completion is expected. The provider would call it with one argument. A compiler must say so:
 * once plainly, once behind a cast. Compiled by build_warnings.py only.
 */
#include <ntddk.h>
#include <ndkpi.h>

NTSTATUS CloseIt(NDK_CQ *Cq);
NTSTATUS CloseItQuietly(NDK_CQ *Cq);

static VOID Completed(PVOID Context, NTSTATUS Status) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(Status);
}

NTSTATUS CloseIt(NDK_CQ *Cq) {
    return Cq->Dispatch->NdkCloseCq(&Cq->Header, Completed, NULL);
}

NTSTATUS CloseItQuietly(NDK_CQ *Cq) {
    return Cq->Dispatch->NdkCloseCq(&Cq->Header, (NDK_FN_CLOSE_COMPLETION)Completed, NULL);
}
