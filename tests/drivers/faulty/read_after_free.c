/* SPDX-License-Identifier: Apache-2.0 */
/* Frees the elements of a list and reads the link of each after its free. */
#include <ntddk.h>

#define NODE_TAG 'edoN'

typedef struct _NODE {
    struct _NODE *volatile Next;
} NODE;

static NODE *First;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    NODE *Next;

    UNREFERENCED_PARAMETER(DriverObject);
    for (NODE *Node = First; Node != NULL; Node = Next) {
#ifdef FIXED
        Next = Node->Next;
        ExFreePoolWithTag(Node, NODE_TAG);
#else
        ExFreePoolWithTag(Node, NODE_TAG);
        Next = Node->Next; /* wrong: read before the free */
#endif
    }
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    First = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*First), NODE_TAG);
    return First != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}
