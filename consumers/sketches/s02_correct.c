/* SPDX-License-Identifier: Apache-2.0 */
/* S02, done right: every close has a completion routine, and is waited for. */
#include "s02.h"

NTSTATUS SketchMain(VOID) {
    NDK_CQ *Cq;
    NTSTATUS Status;

    Status = S02Enter(&Cq);
    if (Cq != NULL) {
        SyncClose(&Cq->Header, Cq->Dispatch->NdkCloseCq);
    }
    S02Leave();
    return Status;
}
