/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S02, as it is found in the field: "close is done at once anyway", so there is no completion
 * routine. With the notification still running it is not done at once.
 */
#include "s02.h"

NTSTATUS SketchMain(VOID) {
    NDK_CQ *Cq;
    NTSTATUS Status;

    Status = S02Enter(&Cq);
    if (Cq != NULL) {
        Cq->Dispatch->NdkCloseCq(&Cq->Header, NULL, NULL);
    }
    S02Leave();
    return Status;
}
