/* SPDX-License-Identifier: Apache-2.0 */
/* Frees the payload of a message instead of the message that holds it. */
#include <ntddk.h>

#define MESSAGE_TAG 'gseM'

typedef struct _MESSAGE {
    ULONG64 Header[2];
    UCHAR Payload[100];
} MESSAGE;

static PUCHAR Payload;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
#ifdef FIXED
    ExFreePoolWithTag(CONTAINING_RECORD(Payload, MESSAGE, Payload), MESSAGE_TAG);
#else
    ExFreePoolWithTag(Payload, MESSAGE_TAG); /* wrong: no start of a block */
#endif
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    MESSAGE *Message = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Message), MESSAGE_TAG);

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    if (Message == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Payload = Message->Payload;
    return STATUS_SUCCESS;
}
