/* SPDX-License-Identifier: Apache-2.0 */
/* S04, done right: the size is asked for, and the buffer is as long as the call is told. */
#include "s04.h"

NTSTATUS S04Fetch(NDK_CONNECTOR *Connector, PULONG Bytes) {
    NTSTATUS Status;
    PVOID Buffer;

    *Bytes = 0;
    Status = Connector->Dispatch->NdkGetConnectionData(Connector, NULL, NULL, NULL, Bytes);
    if (!NT_SUCCESS(Status) || *Bytes == 0) {
        return Status;
    }
    Buffer = ExAllocatePoolZero(NonPagedPoolNx, *Bytes, SKETCH_POOL_TAG);
    if (Buffer == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Status = Connector->Dispatch->NdkGetConnectionData(Connector, NULL, NULL, Buffer, Bytes);
    ExFreePoolWithTag(Buffer, SKETCH_POOL_TAG);
    return Status;
}
