/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S08, as it is found in the field: after a failed connect "there is no connection", so the
 * connector is forgotten. Ten times over; then the adapter cannot be closed.
 */
#include "sketch.h"

#define REPETITIONS 10u

static SKETCH_END End;

NTSTATUS SketchMain(VOID) {
    ULONG Refused = 0;
    NTSTATUS Status = STATUS_SUCCESS;
    ULONG Index;

    for (Index = 0; NT_SUCCESS(Status) && Index < REPETITIONS; Index++) {
        Status = EndOpen(&End, &Sketch.Rdma);
        if (NT_SUCCESS(Status)) {
            NTSTATUS Connected = EndConnect(&End, &Sketch.Source, &Sketch.Remote);

            if (Connected == STATUS_CONNECTION_REFUSED) {
                Refused++;
                End.Connector = NULL;
            }
        }
        EndClose(&End);
    }
    NdksimCounter("refused", Refused);
    return Status;
}
