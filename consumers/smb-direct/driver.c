/* SPDX-License-Identifier: Apache-2.0 */
/* Registry values of the transport; see driver.h and README.md. */
#include "driver.h"

#include "thread.h"

#define OPEN_TRIES 20u
#define OPEN_DELAY_MS 100u
#define ADAPTER_WAIT_MS 60000u

static ULONG Bounded(PCWSTR Name, ULONG Default, ULONG Low, ULONG High) {
    ULONG Value = NdksimRegistryUlong(Name, Default);

    return min(max(Value, Low), High);
}

static VOID LimitsRead(PSMBD_LIMITS Limits) {
    Limits->ReceiveCreditMax = (USHORT)Bounded(L"ReceiveCreditMax", 255, CREDITS_MIN, 4096);
    Limits->SendCreditTarget = (USHORT)Bounded(L"SendCreditTarget", 255, 1, 4096);
    Limits->MaxSendSize = Bounded(L"MaxSendSize", 1364, SMBD_RECEIVE_BYTES_MIN, 65536);
    Limits->MaxReceiveSize = Bounded(L"MaxReceiveSize", 8192, SMBD_RECEIVE_BYTES_MIN, 65536);
    Limits->MaxFragmentedReceiveSize =
        Bounded(L"MaxFragmentedSize", 1u << 20, SMBD_FRAGMENTED_BYTES_MIN, 16u << 20);
    Limits->MaxFragmentedSendSize = Limits->MaxFragmentedReceiveSize;
    Limits->MaxReadWriteSize =
        Bounded(L"MaxReadWriteSize", SMBD_READ_WRITE_BYTES_MAX, 1u << 20, 64u << 20);
    Limits->PreferredSendMax = NdksimRegistryUlong(L"PreferredSendMax", MAXULONG);
}

VOID TransportRead(PSMBD_TRANSPORT Transport, PCSTR Name, ULONG RequestCount) {
    PAGED_CODE();
    Transport->Name = Name;
    LimitsRead(&Transport->Limits);
    Transport->RequestCount = Bounded(L"QueueDepth", RequestCount, 1, 64);
    Transport->SendBufferCount = Bounded(L"SendBuffers", 64, 2, 1024);
    Transport->RdmaDepth = Bounded(L"RdmaDepth", 16, 1, 1024);
    Transport->PieceBytes = Bounded(L"RdmaPieceBytes", 1u << 20, 8, 64u << 20);
    Transport->IdleMs = Bounded(L"IdleMs", 120000, 1, MAXLONG);
    Transport->KeepaliveMs = Bounded(L"KeepaliveMs", 5000, 1, MAXLONG);
    Transport->ConnectTries = NdksimRegistryUlong(L"ConnectTries", 0);
    Transport->ConnectMs = Bounded(L"ConnectMs", 5000, 1, MAXLONG);
    Transport->ConnectDelayMs = Bounded(L"ConnectDelayMs", 100, 0, MAXLONG);
    Transport->RequestMs = Bounded(L"RequestMs", 0, 0, MAXLONG);
    Transport->Teardown = (SMBD_TEARDOWN)Bounded(L"TeardownMode", TeardownOrderly, 0, TeardownAny);
    Transport->IsStrict = NdksimRegistryUlong(L"StrictReassembly", 0) != 0;
    KeInitializeSpinLock(&Transport->CounterLock);
}

/* NDK 1.1 may be asked for. */
static VOID VersionFit(PSMBD_TRANSPORT Transport) {
    if (NdksimRegistryUlong(L"UseNdk11", 0) != 0) {
        Transport->Rdma.HasVersion12 = FALSE;
    }
}

NTSTATUS TransportRenew(PSMBD_TRANSPORT Transport, PKEVENT Stop) {
    ULONG LimitMs = NdksimRegistryUlong(L"AdapterWaitMs", ADAPTER_WAIT_MS);
    NTSTATUS Status;

    PAGED_CODE();
    AdapterShut(&Transport->Rdma);
    DbgPrint("%s: the adapter goes away\n", Transport->Name);
    Status = AdapterAwait(&Transport->Rdma, Stop, LimitMs);
    if (NT_SUCCESS(Status)) {
        VersionFit(Transport);
        DbgPrint("%s: the adapter is back\n", Transport->Name);
    } else {
        DbgPrint("%s: the adapter does not come back: 0x%08X\n", Transport->Name, Status);
    }
    return Status;
}

NTSTATUS TransportOpen(PSMBD_TRANSPORT Transport, PKEVENT Stop) {
    ULONG Interface = NdksimRegistryUlong(L"InterfaceIndex", 1);
    NTSTATUS Status = STATUS_CANCELLED;
    ULONG Try;

    PAGED_CODE();
    for (Try = 0; Try < OPEN_TRIES; Try++) {
        Status = AdapterOpen(&Transport->Rdma, Interface);
        if (NT_SUCCESS(Status)) {
            VersionFit(Transport);
            return Status;
        }
        if (ThreadSleep(Stop, OPEN_DELAY_MS)) {
            return STATUS_CANCELLED;
        }
    }
    DbgPrint("%s: the adapter with interface index %u could not be opened: 0x%08X\n",
             Transport->Name, Interface, Status);
    return Status;
}
