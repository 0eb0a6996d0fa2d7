/* SPDX-License-Identifier: Apache-2.0 */
/* Reads from a pipe that nobody writes to. */
#include <ntddk.h>

extern int pipe(int *);
extern SSIZE_T read(int, void *, SIZE_T);

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static SSIZE_T NextByte(VOID) {
    int Ends[2] = {0, 0};
    UCHAR Byte = 0;
    SSIZE_T Got;

    (void)pipe(Ends);
    Got = read(Ends[0], &Byte, 1); /* wrong: it never comes */
    return Got + Byte;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    DbgPrint("%d\n", (int)NextByte());
    return STATUS_SUCCESS;
}
