/* SPDX-License-Identifier: Apache-2.0 */
/* As it may be written on Windows: includes in any case, a trace header, a guarded block. */
#include <NTDDK.h>
#include <NdkPi.h>
#include <wskndk.h>
#include "Sub\Words.H"
/*
 * begin_wpp config
 * FUNC TraceHello(LEVEL, MSG, ...);
 * end_wpp
 */
#include "hello.tmh"

DRIVER_INITIALIZE DriverEntry;
DRIVER_UNLOAD HelloUnload;

void HelloUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

static NTSTATUS Steps(void) {
    NTSTATUS Code = STATUS_SUCCESS;
    int Taken = 0;

    for (int i = 0; i < GREETING; i++) {
        Taken++;
    }
    GUARDED(Taken++; ExRaiseStatus(STATUS_DATA_ERROR), Code)
    return Taken == GREETING + 1 ? Code : STATUS_UNSUCCESSFUL;
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    unsigned long Wide = 1UL;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = HelloUnload;
    TraceHello(Wide, "traced %!STATUS!\n", Steps());
    DbgPrint(WORDS "\n");
    return STATUS_SUCCESS;
}
