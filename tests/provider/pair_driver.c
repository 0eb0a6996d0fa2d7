/* SPDX-License-Identifier: Apache-2.0 */
/* DriverEntry and unload of the pair driver; see pair.h. */
#include "pair.h"

DRIVER_INITIALIZE DriverEntry;

static PAIR Pair;

VOID PairMustSucceed(NTSTATUS Status, PCSTR What) {
    if (Status != STATUS_SUCCESS) {
        DbgPrint("pair: %s: 0x%08X\n", What, Status);
    }
    NdksimRequire(Status == STATUS_SUCCESS, What);
}

static VOID PairUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    RaceStop();
    ThreadJoin(Pair.Thread);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    static const PKSTART_ROUTINE Routine[] = {PairServer, PairClient, RaceServer, RaceClient};
    ULONG Role = NdksimRegistryUlong(L"Role", 0) % RTL_NUMBER_OF(Routine);
    NTSTATUS Status;

    RtlZeroMemory(&Pair, sizeof(Pair));
    DriverObject->DriverUnload = PairUnload;
    Pair.Count = NdksimRegistryUlong(L"Count", 8);
    Pair.Abort = NdksimRegistryUlong(L"Abort", 0);
    Pair.NoPeer = NdksimRegistryUlong(L"NoPeer", 0);
    Pair.Seed = NdksimRegistryUlong(L"Seed", 1);
    Pair.Rounds = NdksimRegistryUlong(L"Rounds", 1);
    Pair.Shared = NdksimRegistryUlong(L"Shared", 0);
    Pair.Extended = NdksimRegistryUlong(L"Extended", 0);
    Status = SettingsAddress(RegistryPath, L"Local", Role % 2 == 0 ? PAIR_PORT : 0, &Pair.Local);
    if (NT_SUCCESS(Status)) {
        Status = SettingsAddress(RegistryPath, L"Peer", PAIR_PORT, &Pair.Peer);
    }
    if (NT_SUCCESS(Status)) {
        Status = ThreadStart(Routine[Role], &Pair, &Pair.Thread);
    }
    return Status;
}
