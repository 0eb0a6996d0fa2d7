/* SPDX-License-Identifier: Apache-2.0 */
#include <ntddk.h>

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    ULONG Begin = VendorClockMs();
    UCHAR *Block;
    BOOLEAN Woken;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    VendorSleep(2);
    DbgPrint("a wait of 2 ms took %u ms\n", VendorClockMs() - Begin);
    Woken = VendorMeet();
    DbgPrint("woken %u, chosen %u\n", Woken, VendorPick());
    DbgPrint("woken again %u\n", VendorMeet());
    Block = VendorBlock(16);
    if (Block != NULL) {
        DbgPrint("block of 16 is %s\n", Block[0] + Block[15] == 0 ? "zeroed" : "not zeroed");
        VendorRelease(Block);
    }
    return STATUS_SUCCESS;
}
