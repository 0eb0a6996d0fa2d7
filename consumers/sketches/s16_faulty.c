/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S16, as it is found in the field: receives are posted when the accept has completed, 40 us after
 * the peer may send. Works where the receiver is retried for long enough.
 */
#include "s16.h"

#define LATE_US 40u

static SKETCH_END End;

NTSTATUS SketchMain(VOID) {
    NDK_CONNECTOR *Connector;
    NTSTATUS Status;

    Status = S16Open(&End, &Connector);
    if (Connector != NULL) {
        NTSTATUS Accepted = EndStartAccept(&End, Connector);

        Status = SyncFinish(&End.Request, Accepted);
    }
    if (NT_SUCCESS(Status)) {
        KeStallExecutionProcessor(LATE_US);
        Status = S16PostReceives(&End);
    }
    S16Finish(&End);
    return Status == STATUS_CANCELLED ? STATUS_SUCCESS : Status;
}
