/* SPDX-License-Identifier: Apache-2.0 */
/* Life of NDK objects, and requests that need a command of their own; see mbx.h. */
#include "mbx.h"

static VOID ObjectEnd(PMBX_DEFERRED Deferred);

PMBX_OBJECT ObjectNew(PMBX_ADAPTER Adapter, const MBX_CLASS *Class, SIZE_T Bytes,
                      PMBX_OBJECT Parent) {
    PMBX_OBJECT Object = MbxAllocate(Bytes);

    if (Object == NULL) {
        return NULL;
    }
    Object->Adapter = Adapter;
    Object->Class = Class;
    Object->References = 1;
    Object->Ndk.Header.ObjectType = Class->Type;
    Object->End.Routine = ObjectEnd;
    if (Parent != NULL) {
        Object->Ndk.Header.Version = Parent->Ndk.Header.Version;
        ObjectAddParent(Object, 0, Parent);
    }
    return Object;
}

VOID ObjectAddParent(PMBX_OBJECT Object, ULONG Index, PMBX_OBJECT Parent) {
    ObjectGet(Parent);
    Object->Parents[Index] = Parent;
}

VOID ObjectGet(PMBX_OBJECT Object) {
    InterlockedIncrement(&Object->References);
}

VOID ObjectPut(PMBX_OBJECT Object) {
    PMBX_ADAPTER Adapter = Object->Adapter;

    if (InterlockedDecrement(&Object->References) == 0) {
        Defer(Adapter, &Object->End);
    }
}

/* ---- Lists: changed in the DPC only, read by OIDs, too ---- */

VOID ObjectEnlist(PMBX_OBJECT Object, PLIST_ENTRY List, ULONG Number) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Object->Adapter->Lock, &Lock);
    Object->Number = Number;
    Object->List = List;
    InsertTailList(List, &Object->Link);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

VOID ObjectDelist(PMBX_OBJECT Object) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Object->Adapter->Lock, &Lock);
    if (Object->List != NULL) {
        RemoveEntryList(&Object->Link);
        Object->List = NULL;
        Object->Number = 0;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}

PMBX_OBJECT ObjectFind(PLIST_ENTRY List, ULONG Number) {
    PLIST_ENTRY Entry;

    for (Entry = List->Flink; Entry != List; Entry = Entry->Flink) {
        PMBX_OBJECT Object = CONTAINING_RECORD(Entry, MBX_OBJECT, Link);

        if (Object->Number == Number) {
            return Object;
        }
    }
    return NULL;
}

/* ---- The end: nobody refers to it, so nobody but the DPC knows it ---- */

static VOID ObjectFree(PMBX_OBJECT Object) {
    PMBX_OBJECT Parents[MBX_PARENT_COUNT];
    ULONG i;

    if (Object->Class->Free != NULL) {
        Object->Class->Free(Object);
    }
    RtlCopyMemory(Parents, Object->Parents, sizeof(Parents));
    if (Object->CloseCompletion != NULL) {
        Object->CloseCompletion(Object->CloseContext);
    }
    MbxFree(Object);
    /* Not earlier: an antecedent does not end while this close completion runs. */
    for (i = 0; i < MBX_PARENT_COUNT; i++) {
        if (Parents[i] != NULL) {
            ObjectPut(Parents[i]);
        }
    }
}

static VOID ObjectDestroyed(PMBX_COMMAND Command) {
    PMBX_OBJECT Object = CONTAINING_RECORD(Command, MBX_OBJECT, Command);

    ObjectDelist(Object);
    ObjectFree(Object);
}

static VOID ObjectEnd(PMBX_DEFERRED Deferred) {
    PMBX_OBJECT Object = CONTAINING_RECORD(Deferred, MBX_OBJECT, End);

    if (Object->Number == 0 || Object->Class->DestroyOpcode == 0) {
        ObjectDelist(Object);
        ObjectFree(Object);
        return;
    }
    CommandInit(&Object->Command, Object->Class->DestroyOpcode, Object->Number, ObjectDestroyed);
    CommandPost(Object->Adapter, &Object->Command);
}

NTSTATUS MbxCloseObject(NDK_OBJECT_HEADER *ObjectHandle, NDK_FN_CLOSE_COMPLETION CloseCompletion,
                        PVOID Caller) {
    PMBX_OBJECT Object = CONTAINING_RECORD(ObjectHandle, MBX_OBJECT, Ndk.Header);

    Object->CloseCompletion = CloseCompletion;
    Object->CloseContext = Caller;
    InterlockedExchange(&Object->Closing, 1);
    if (Object->Class->Closing != NULL) {
        Object->Class->Closing(Object);
    }
    ObjectPut(Object);
    return STATUS_PENDING;
}

NTSTATUS MbxQueryExtension(NDK_OBJECT_HEADER *ObjectHandle, GUID *ExtensionInterfaceID,
                           NDK_VERSION ExtensionInterfaceVersion,
                           NDK_EXTENSION_INTERFACE *pExtensionInterface) {
    UNREFERENCED_PARAMETER(ObjectHandle);
    UNREFERENCED_PARAMETER(ExtensionInterfaceID);
    UNREFERENCED_PARAMETER(ExtensionInterfaceVersion);
    UNREFERENCED_PARAMETER(pExtensionInterface);
    return STATUS_NOT_SUPPORTED;
}

/* ---- Creation ---- */

static VOID ObjectCreated(PMBX_COMMAND Command) {
    PMBX_OBJECT Object = CONTAINING_RECORD(Command, MBX_OBJECT, Command);
    NDK_FN_CREATE_COMPLETION Completion = Object->CreateCompletion;
    PVOID Context = Object->CreateContext;
    NTSTATUS Status = CommandNtStatus(Command->Status);

    if (NT_SUCCESS(Status)) {
        ObjectEnlist(Object, Object->List, Command->Object);
        if (Object->Created != NULL) {
            Object->Created(Object);
        }
        Completion(Context, STATUS_SUCCESS, &Object->Ndk.Header);
        return;
    }
    Object->List = NULL;
    ObjectFree(Object);
    Completion(Context, Status, NULL);
}

NTSTATUS ObjectCreate(PMBX_OBJECT Object, PLIST_ENTRY List, NDK_FN_CREATE_COMPLETION Completion,
                      PVOID Context) {
    PMBX_COMMAND Command = &Object->Command;

    Object->List = List;
    Object->CreateCompletion = Completion;
    Object->CreateContext = Context;
    Command->Done = ObjectCreated;
    if (FaultFires(Object->Class->CreateFault, Object->Parents[0])) {
        CommandFake(Object->Adapter, Command, MBX_NO_RESOURCES);
    } else if (Command->Data.opcode != 0) {
        CommandPost(Object->Adapter, Command);
    } else {
        CommandFake(Object->Adapter, Command, MBX_OK);
    }
    return STATUS_PENDING;
}

/* ---- Requests ---- */

PMBX_REQUEST RequestNew(PMBX_OBJECT Object, ULONG Opcode,
                        NTSTATUS (*Answered)(PMBX_REQUEST Request),
                        NDK_FN_REQUEST_COMPLETION Completion, PVOID Context) {
    PMBX_REQUEST Request = MbxAllocate(sizeof(*Request));

    if (Request != NULL) {
        Request->Command.Data.opcode = Opcode;
        Request->Command.Data.object = Object->Number;
        Request->Object = Object;
        Request->Answered = Answered;
        Request->Completion = Completion;
        Request->Context = Context;
        ObjectGet(Object);
    }
    return Request;
}

VOID RequestFree(PMBX_REQUEST Request) {
    PMBX_OBJECT Object = Request->Object;

    SharedFree(&Request->Shared);
    MbxFree(Request);
    ObjectPut(Object);
}

static VOID RequestDone(PMBX_COMMAND Command) {
    PMBX_REQUEST Request = CONTAINING_RECORD(Command, MBX_REQUEST, Command);
    NTSTATUS Status = Request->Answered(Request);

    Request->Completion(Request->Context, Status);
    RequestFree(Request);
}

NTSTATUS RequestPost(PMBX_REQUEST Request) {
    Request->Command.Done = RequestDone;
    CommandPost(Request->Object->Adapter, &Request->Command);
    return STATUS_PENDING;
}
