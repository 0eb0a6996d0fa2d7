/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S04, as it is found in the field: "our protocol sends 24 bytes", so a buffer of 32 will do; the
 * variable that tells the call how long it is was never set, and holds what happened to lie there.
 */
#include "s04.h"

#define BUFFER_BYTES 32u

/* What an uninitialised variable held on the developer's machine. */
#define LEFT_OVER 0x7000u

NTSTATUS S04Fetch(NDK_CONNECTOR *Connector, PULONG Bytes) {
    ULONG Length = LEFT_OVER;
    NTSTATUS Status;
    PVOID Buffer;

    Buffer = ExAllocatePoolZero(NonPagedPoolNx, BUFFER_BYTES, SKETCH_POOL_TAG);
    if (Buffer == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Status = Connector->Dispatch->NdkGetConnectionData(Connector, NULL, NULL, Buffer, &Length);
    *Bytes = Length;
    ExFreePoolWithTag(Buffer, SKETCH_POOL_TAG);
    return Status;
}
