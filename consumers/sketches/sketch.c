/* SPDX-License-Identifier: Apache-2.0 */
/* DriverEntry and thread of every sketch; see sketch.h. */
#include "sketch.h"

SKETCH Sketch;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD SketchUnload;

static VOID SketchThread(PVOID Context) {
    ULONG Interface = NdksimRegistryUlong(L"InterfaceIndex", 1);
    NTSTATUS Status;

    UNREFERENCED_PARAMETER(Context);
    Status = AdapterOpen(&Sketch.Rdma, Interface);
    if (NT_SUCCESS(Status)) {
        Status = SketchMain();
        AdapterClose(&Sketch.Rdma);
    }
    DbgPrint("sketch: done: 0x%08X\n", Status);
    NdksimCounter("failed", NT_SUCCESS(Status) ? 0 : 1);
    NdksimCounter("done", 1);
}

static NTSTATUS SketchRead(PUNICODE_STRING RegistryPath) {
    ULONG Port = NdksimRegistryUlong(L"Port", SKETCH_PORT);
    NTSTATUS Status;

    Status = SettingsAddress(RegistryPath, L"LocalAddress", (USHORT)Port, &Sketch.Local);
    if (NT_SUCCESS(Status)) {
        Status = SettingsAddress(RegistryPath, L"LocalAddress", 0, &Sketch.Source);
    }
    if (NT_SUCCESS(Status)) {
        Status = SettingsAddress(RegistryPath, L"RemoteAddress", (USHORT)Port, &Sketch.Remote);
    }
    return Status;
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    NTSTATUS Status;

    DriverObject->DriverUnload = SketchUnload;
    KeInitializeEvent(&Sketch.Stop, NotificationEvent, FALSE);
    Status = SketchRead(RegistryPath);
    if (NT_SUCCESS(Status)) {
        NdksimCounter("done", 0);
        Status = ThreadStart(SketchThread, NULL, &Sketch.Thread);
        if (!NT_SUCCESS(Status)) {
            NdksimCounter("done", 1);
        }
    }
    return Status;
}

static VOID SketchUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeSetEvent(&Sketch.Stop, IO_NO_INCREMENT, FALSE);
    ThreadJoin(Sketch.Thread);
}
