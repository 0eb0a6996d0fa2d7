/* SPDX-License-Identifier: Apache-2.0 */
/* S08, done right: a connector whose connect failed is closed like any other. Ten times over. */
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

            Refused += Connected == STATUS_CONNECTION_REFUSED ? 1 : 0;
        }
        EndClose(&End);
    }
    NdksimCounter("refused", Refused);
    return Status;
}
