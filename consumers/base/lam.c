/* SPDX-License-Identifier: Apache-2.0 */
/* Logical address mappings; see lam.h. */
#include "lam.h"

#include "adapter.h"

static NTSTATUS MappingAsk(PRDMA_MAPPING Mapping, NDK_ADAPTER *Adapter, PMDL Mdl, ULONG Bytes,
                           PULONG Size) {
    SYNC_WAIT Wait;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status = Adapter->Dispatch->NdkBuildLAM(Adapter, Mdl, Bytes, SyncRequested, &Wait, Mapping->Lam,
                                            Size, &Mapping->FirstByteOffset);
    return SyncFinish(&Wait, Status);
}

NTSTATUS MappingBuild(PRDMA_MAPPING Mapping, NDK_ADAPTER *Adapter, PMDL Mdl, ULONG Bytes) {
    ULONG Size = 0;
    NTSTATUS Status;

    PAGED_CODE();
    RtlZeroMemory(Mapping, sizeof(*Mapping));
    Status = MappingAsk(Mapping, Adapter, Mdl, Bytes, &Size);
    if (Status != STATUS_BUFFER_TOO_SMALL) {
        return NT_SUCCESS(Status) ? STATUS_INVALID_PARAMETER : Status;
    }
    Mapping->Lam = ExAllocatePoolWithTag(NonPagedPoolNx, Size, BASE_POOL_TAG);
    if (Mapping->Lam == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Status = MappingAsk(Mapping, Adapter, Mdl, Bytes, &Size);
    Mapping->IsBuilt = Status == STATUS_SUCCESS;
    if (!Mapping->IsBuilt) {
        MappingRelease(Mapping, Adapter);
    }
    return Status;
}

VOID MappingRelease(PRDMA_MAPPING Mapping, NDK_ADAPTER *Adapter) {
    if (Mapping->IsBuilt) {
        Adapter->Dispatch->NdkReleaseLAM(Adapter, Mapping->Lam);
        Mapping->IsBuilt = FALSE;
    }
    if (Mapping->Lam != NULL) {
        ExFreePoolWithTag(Mapping->Lam, BASE_POOL_TAG);
        Mapping->Lam = NULL;
    }
}
