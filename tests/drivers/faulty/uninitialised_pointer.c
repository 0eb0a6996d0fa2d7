/* SPDX-License-Identifier: Apache-2.0 */
/* Follows a pointer in memory that was allocated uninitialised and never filled. */
#include <ntddk.h>

#define NODE_TAG 'edoN'

typedef struct _NODE {
    struct _NODE *Next;
    ULONG Value;
} NODE;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static ULONG SumOfNodes(const NODE *First) {
    ULONG Sum = 0;

    for (const NODE *Node = First; Node != NULL; Node = Node->Next) {
        Sum += Node->Value;
    }
    return Sum;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    NODE *Node = ExAllocatePoolUninitialized(NonPagedPoolNx, sizeof(*Node), NODE_TAG);

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    if (Node == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Node->Value = 1; /* wrong: Next is not set */
#ifdef FIXED
    Node->Next = NULL;
#endif
    DbgPrint("sum %u\n", SumOfNodes(Node));
    ExFreePoolWithTag(Node, NODE_TAG);
    return STATUS_SUCCESS;
}
