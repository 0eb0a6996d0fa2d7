/* SPDX-License-Identifier: Apache-2.0 */
/* Logical address mappings and the privileged token. */
#include "client.h"

#define CONTEXT SIDE_FIRST_CONTEXT
#define PAGES (SIDE_BULK_BYTES / PAGE_SIZE + 1)
#define LAM_BYTES(pages) (FIELD_OFFSET(NDK_LOGICAL_ADDRESS_MAPPING, AdapterPageArray) + 8 * (pages))

typedef union _LAM {
    NDK_LOGICAL_ADDRESS_MAPPING Mapping;
    UCHAR Bytes[LAM_BYTES(PAGES) + 64];
} LAM;

static LAM Lam;

static NTSTATUS Build(PSIDE Side, PMDL Mdl, SIZE_T Length, NDK_LOGICAL_ADDRESS_MAPPING *To,
                      PULONG Size, PULONG Fbo) {
    NDK_ADAPTER *Adapter = Side->Rdma.Adapter;
    SYNC_WAIT Wait;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status =
        Adapter->Dispatch->NdkBuildLAM(Adapter, Mdl, Length, SyncRequested, &Wait, To, Size, Fbo);
    return SyncFinish(&Wait, Status);
}

static VOID Release(PSIDE Side) {
    Side->Rdma.Adapter->Dispatch->NdkReleaseLAM(Side->Rdma.Adapter, &Lam.Mapping);
}

/* A failure leaves offset and buffer as they were. */
static VOID BuildFails(PSIDE Side, PMDL Mdl, SIZE_T Length, ULONG Size, NTSTATUS Wanted,
                       ULONG WantedSize) {
    ULONG Given = Size;
    ULONG Fbo = 0x5A5A;
    ULONG i;

    RtlFillMemory(&Lam, sizeof(Lam), 0xA5);
    CheckStatus(Build(Side, Mdl, Length, Size == 0 ? NULL : &Lam.Mapping, &Given, &Fbo), Wanted,
                "a mapping that fails");
    Check(Given == WantedSize, "the size that is told");
    Check(Fbo == 0x5A5A, "the offset is left alone");
    for (i = 0; i < sizeof(Lam); i++) {
        Check(Lam.Bytes[i] == 0xA5, "the buffer is left alone");
    }
}

/* Built from the MDL's own frames, which is how the device addresses memory. */
static VOID CheckPages(PMDL Mdl, ULONG Count) {
    ULONG i;

    Check(Lam.Mapping.AdapterPageCount == Count, "pages");
    for (i = 0; i < Count; i++) {
        Check((ULONG64)Lam.Mapping.AdapterPageArray[i].QuadPart == (ULONG64)MmGetMdlPfnArray(Mdl)[i]
                                                                       << PAGE_SHIFT,
              "each page, in virtual order");
    }
    Check(Lam.Bytes[LAM_BYTES(Count)] == 0xA5, "nothing behind the last page");
}

static VOID BuildOf(PSIDE Side, ULONG Offset, ULONG Bytes, ULONG Extra) {
    PMDL Mdl = IoAllocateMdl(Side->Bulk.Buffer + Offset, Bytes, FALSE, FALSE, NULL);
    ULONG Count = ADDRESS_AND_SIZE_TO_SPAN_PAGES(Side->Bulk.Buffer + Offset, Bytes);
    ULONG Needed = LAM_BYTES(Count);
    ULONG Size = Needed + Extra;
    ULONG Fbo = 0;
    UCHAR Before[sizeof(MDL)];

    Check(Mdl != NULL, "an MDL");
    MmBuildMdlForNonPagedPool(Mdl);
    RtlCopyMemory(Before, Mdl, sizeof(Before));
    BuildFails(Side, Mdl, Bytes, 0, STATUS_BUFFER_TOO_SMALL, Needed);
    BuildFails(Side, Mdl, Bytes, Needed - 1, STATUS_BUFFER_TOO_SMALL, Needed);
    RtlFillMemory(&Lam, sizeof(Lam), 0xA5);
    CheckStatus(Build(Side, Mdl, Bytes, &Lam.Mapping, &Size, &Fbo), STATUS_SUCCESS, "map");
    Check(Size == Needed, "the size that was written");
    Check(Fbo == MmGetMdlByteOffset(Mdl), "the first byte's offset");
    CheckPages(Mdl, Count);
    Release(Side);
    Check(RtlEqualMemory(Before, (PUCHAR)Mdl, sizeof(Before)), "the MDL as it was");
    IoFreeMdl(Mdl);
}

VOID MappingSizes(PSIDE Side) {
    BuildOf(Side, 0, 1, 0);
    BuildOf(Side, 0x123, PAGE_SIZE, 0);
    BuildOf(Side, PAGE_SIZE - 1, 2, 16);
    BuildOf(Side, 0, SIDE_BULK_BYTES, 0);
    BuildOf(Side, 8, SIDE_BULK_BYTES - 16, 40);
}

/* Part of an MDL; a chain; a hole; too long; nothing. */
VOID MappingArguments(PSIDE Side) {
    PUCHAR Buffer = Side->Bulk.Buffer;
    PMDL First = IoAllocateMdl(Buffer, 0x1800, FALSE, FALSE, NULL);
    PMDL Second = IoAllocateMdl(Buffer + 0x1800, 0x1800, FALSE, FALSE, NULL);
    ULONG Size = sizeof(Lam);
    ULONG Fbo;

    Check(First != NULL && Second != NULL, "two MDLs");
    MmBuildMdlForNonPagedPool(First);
    MmBuildMdlForNonPagedPool(Second);
    BuildFails(Side, First, 0, sizeof(Lam), STATUS_INVALID_PARAMETER, sizeof(Lam));
    BuildFails(Side, First, 0x1801, sizeof(Lam), STATUS_INVALID_PARAMETER, sizeof(Lam));
    BuildFails(Side, First, 0x1801, 0, STATUS_INVALID_PARAMETER, 0);
    First->Next = Second;
    RtlFillMemory(&Lam, sizeof(Lam), 0xA5);
    CheckStatus(Build(Side, First, 0x3000, &Lam.Mapping, &Size, &Fbo), STATUS_SUCCESS, "a chain");
    CheckPages(Side->Bulk.Mdl, 3);
    Release(Side);
    Second->Next = First;
    First->Next = NULL;
    BuildFails(Side, Second, 0x3000, sizeof(Lam), STATUS_INVALID_PARAMETER, sizeof(Lam));
    Second->Next = NULL;
    IoFreeMdl(First);
    IoFreeMdl(Second);
}

static VOID Counted(PVOID Context, NTSTATUS Status) {
    CheckStatus(Status, STATUS_SUCCESS, "a mapping that was answered later");
    InterlockedIncrement((volatile LONG *)Context);
}

/* Without a routine it is answered at once; with one as the adapter likes. */
VOID MappingAnswers(PSIDE Side) {
    BOOLEAN Pends =
        NdksimRegistryUlong(L"LamPends", 0) != 0 && NdksimRegistryUlong(L"Quiet", 0) != 0;
    NDK_ADAPTER *Adapter = Side->Rdma.Adapter;
    volatile LONG Count = 0;
    ULONG Size = sizeof(Lam);
    LARGE_INTEGER Time;
    NTSTATUS Status;
    ULONG Fbo;

    CheckStatus(Adapter->Dispatch->NdkBuildLAM(Adapter, Side->Bulk.Mdl, 64, NULL, NULL,
                                               &Lam.Mapping, &Size, &Fbo),
                STATUS_SUCCESS, "without a routine");
    Release(Side);
    Size = sizeof(Lam);
    Status = Adapter->Dispatch->NdkBuildLAM(Adapter, Side->Bulk.Mdl, 64, Counted, (PVOID)&Count,
                                            &Lam.Mapping, &Size, &Fbo);
    Check(Status == STATUS_SUCCESS || Status == STATUS_PENDING, "at once or later");
    Check(!Pends || Status == STATUS_PENDING, "later, where the adapter says so");
    Time.QuadPart = -100000;
    KeDelayExecutionThread(KernelMode, FALSE, &Time);
    Check(Count == (Status == STATUS_PENDING ? 1 : 0), "one answer");
    Release(Side);
}

static VOID MapBulk(PSIDE Side) {
    ULONG Size = sizeof(Lam);
    ULONG Fbo;

    CheckStatus(Build(Side, Side->Bulk.Mdl, SIDE_BULK_BYTES, &Lam.Mapping, &Size, &Fbo),
                STATUS_SUCCESS, "map the bulk");
    Check(Fbo == 0, "whole pages");
}

static BOOLEAN SinkIsFree(PSIDE Side) {
    return (Side->Rdma.Info.AdapterFlags & NDK_ADAPTER_FLAG_RDMA_READ_SINK_NOT_REQUIRED) != 0;
}

/* Memory by its logical address: read and written locally, never reached by a peer. */
VOID PrivilegedToken(PSIDE Side) {
    NDK_SGE Sgl[2];
    UINT32 Token = 0;
    UINT32 Other = 0;
    NDK_PD *Pd;

    Side->Pd->Dispatch->NdkGetPrivilegedMemoryRegionToken(Side->Pd, &Token);
    CheckStatus(SyncCreatePd(Side->Rdma.Adapter, &Pd), STATUS_SUCCESS, "create another PD");
    Pd->Dispatch->NdkGetPrivilegedMemoryRegionToken(Pd, &Other);
    Check(Token != 0 && Other != 0 && Token != Other, "a token for each PD");
    SyncClose(&Pd->Header, Pd->Dispatch->NdkClosePd);
    AskWhere(Side);
    MapBulk(Side);
    Sgl[0].LogicalAddress = Lam.Mapping.AdapterPageArray[2];
    Sgl[0].Length = 100;
    Sgl[0].MemoryRegionToken = Token;
    Sgl[1].LogicalAddress = Lam.Mapping.AdapterPageArray[0];
    Sgl[1].LogicalAddress.QuadPart += 16;
    Sgl[1].Length = 50;
    Sgl[1].MemoryRegionToken = Token;
    PatternFill(Side->Bulk.Buffer, SIDE_BULK_BYTES, 0);
    PatternFill(Side->Bulk.Buffer + 2 * PAGE_SIZE, 100, 7);
    PatternFill(Side->Bulk.Buffer + 16, 50, (UCHAR)(7 + 100 * 7));
    Write(Side, CONTEXT, Sgl, 2, 0);
    Expect(Side, CONTEXT, NdkOperationTypeWrite, STATUS_SUCCESS);
    RtlZeroMemory(Side->Bulk.Buffer, SIDE_BULK_BYTES);
    Read(Side, CONTEXT, Sgl, 2, 0);
    if (SinkIsFree(Side)) {
        Expect(Side, CONTEXT, NdkOperationTypeRead, STATUS_SUCCESS);
        Check(PatternIs(Side->Bulk.Buffer + 2 * PAGE_SIZE, 100, 7) &&
                  PatternIs(Side->Bulk.Buffer + 16, 50, (UCHAR)(7 + 100 * 7)),
              "scattered by logical addresses");
        Check(Side->Bulk.Buffer[15] == 0 && Side->Bulk.Buffer[66] == 0, "and nowhere else");
    } else {
        Expect(Side, CONTEXT, NdkOperationTypeRead, STATUS_ACCESS_VIOLATION);
        ExpectCancelled(Side, SIDE_RECEIVES);
        ClientReconnect(Side);
    }
    CheckRefused(Side, AskRead(Side, Side->Bulk.Buffer, Token, 8), "a peer with the token");
    CheckRefused(
        Side,
        AskWrite(Side, (PVOID)(ULONG_PTR)Lam.Mapping.AdapterPageArray[0].QuadPart, Token, 8, 3),
        "a peer with token and logical address");
    Release(Side);
}
