/* SPDX-License-Identifier: Apache-2.0 */
/* S16, done right: receives are posted before the connection is accepted. */
#include "s16.h"

static SKETCH_END End;

NTSTATUS SketchMain(VOID) {
    NDK_CONNECTOR *Connector;
    NTSTATUS Status;

    Status = S16Open(&End, &Connector);
    if (NT_SUCCESS(Status)) {
        Status = S16PostReceives(&End);
    }
    if (Connector != NULL) {
        NTSTATUS Accepted = EndStartAccept(&End, Connector);

        Status = SyncFinish(&End.Request, Accepted);
    }
    S16Finish(&End);
    return Status == STATUS_CANCELLED ? STATUS_SUCCESS : Status;
}
