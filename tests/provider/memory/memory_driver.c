/* SPDX-License-Identifier: Apache-2.0 */
/* DriverEntry and unload of the memory tests' driver, client or peer by its parameter "Role". */
#include "client.h"

DRIVER_INITIALIZE DriverEntry;

static SIDE Side;

#define CASE_ROUTINE(name) name,
static VOID (*const Case[])(PSIDE Side) = {MEMORY_CASES(CASE_ROUTINE)};

VOID ClientThread(PVOID Context) {
    PSIDE Client = Context;

    SideOpen(Client);
    ClientConnect(Client);
    Case[Client->Case % CaseCount](Client);
    ClientEnd(Client);
    SideClose(Client);
    NdksimCounter("done", 1);
}

static VOID MemoryUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeSetEvent(&Side.Stop, IO_NO_INCREMENT, FALSE);
    ThreadJoin(Side.Thread);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    BOOLEAN IsPeer = NdksimRegistryUlong(L"Role", 0) == 0;
    NTSTATUS Status;

    RtlZeroMemory(&Side, sizeof(Side));
    DriverObject->DriverUnload = MemoryUnload;
    KeInitializeEvent(&Side.Stop, NotificationEvent, FALSE);
    Side.Case = NdksimRegistryUlong(L"Case", 0);
    Side.Seed = NdksimRegistryUlong(L"Seed", 1);
    Side.Lossy = NdksimRegistryUlong(L"Lossy", 0);
    Status = SettingsAddress(RegistryPath, L"Local", IsPeer ? SIDE_PORT : 0, &Side.Local);
    if (NT_SUCCESS(Status)) {
        Status = SettingsAddress(RegistryPath, L"Peer", SIDE_PORT, &Side.Peer);
    }
    if (NT_SUCCESS(Status)) {
        Status = ThreadStart(IsPeer ? PeerThread : ClientThread, &Side, &Side.Thread);
    }
    return Status;
}
