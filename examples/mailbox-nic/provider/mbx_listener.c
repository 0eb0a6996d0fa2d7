/* SPDX-License-Identifier: Apache-2.0 */
/* Listeners. Their port is the device's, and is free when nobody refers to the listener any more.
 */
#include "mbx.h"

static const MBX_CLASS ListenerClass = {.Type = NdkObjectTypeListener,
                                        .CreateFault =
                                            "provider.create_listener.insufficient_resources",
                                        .DestroyOpcode = MBX_DESTROY_LISTENER};

static PMBX_LISTENER ListenerOf(NDK_LISTENER *ListenerHandle) {
    return CONTAINING_RECORD(ListenerHandle, MBX_LISTENER, Object.Ndk.Listener);
}

static NTSTATUS ListenAnswered(PMBX_REQUEST Request) {
    PMBX_LISTENER Listener = CONTAINING_RECORD(Request->Object, MBX_LISTENER, Object);
    PMBX_ADAPTER Adapter = Listener->Object.Adapter;
    KLOCK_QUEUE_HANDLE Lock;

    if (Request->Command.Status != MBX_OK) {
        InterlockedExchange(&Listener->Listening, 0);
        return CommandNtStatus(Request->Command.Status);
    }
    KeAcquireInStackQueuedSpinLock(&Adapter->Lock, &Lock);
    Listener->Object.Number = Request->Command.Object;
    Listener->Local.port = (USHORT)Request->Command.Value;
    KeReleaseInStackQueuedSpinLock(&Lock);
    return STATUS_SUCCESS;
}

static NTSTATUS MbxListen(NDK_LISTENER *ListenerHandle, const struct sockaddr *pAddress,
                          ULONG AddressLength, NDK_FN_REQUEST_COMPLETION OnDone, PVOID Caller) {
    PMBX_LISTENER Listener = ListenerOf(ListenerHandle);
    struct mbx_address Local;
    PMBX_REQUEST Request;

    if (!NT_SUCCESS(AddressFromSockaddr(pAddress, AddressLength, &Local))) {
        return STATUS_INVALID_PARAMETER;
    }
    if (InterlockedCompareExchange(&Listener->Listening, 1, 0) != 0) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    Request = RequestNew(&Listener->Object, MBX_LISTEN, ListenAnswered, OnDone, Caller);
    if (Request == NULL) {
        InterlockedExchange(&Listener->Listening, 0);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Listener->Local = Local;
    Request->Command.Data.body.listen.local = Local;
    Request->Command.Data.body.listen.backlog = Listener->Object.Adapter->Settings.Backlog;
    return RequestPost(Request);
}

static NTSTATUS MbxGetListenerLocalAddress(NDK_LISTENER *ListenerHandle, PSOCKADDR pAddress,
                                           ULONG *pAddressLength) {
    PMBX_LISTENER Listener = ListenerOf(ListenerHandle);

    return Listener->Object.Number != 0
               ? AddressToSockaddr(&Listener->Local, pAddress, pAddressLength)
               : STATUS_INVALID_DEVICE_STATE;
}

static VOID MbxControlConnectEvents(NDK_LISTENER *ListenerHandle, BOOLEAN Pause) {
    PMBX_LISTENER Listener = ListenerOf(ListenerHandle);
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Listener->Object.Adapter->Lock, &Lock);
    Listener->Paused = Pause != FALSE;
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static const NDK_LISTENER_DISPATCH ListenerDispatch = {
    .NdkCloseListener = MbxCloseObject,
    .NdkQueryExtension = MbxQueryExtension,
    .NdkListen = MbxListen,
    .NdkGetLocalAddress = MbxGetListenerLocalAddress,
    .NdkControlConnectEvents = MbxControlConnectEvents,
};

/* While paused or closing it is as if nobody listened. */
VOID ListenerRequest(PMBX_ADAPTER Adapter, const struct mbx_event *Event) {
    PMBX_OBJECT Object = ObjectFind(&Adapter->Listeners, Event->body.request.listener);
    PMBX_LISTENER Listener = CONTAINING_RECORD(Object, MBX_LISTENER, Object);
    PMBX_CONNECTOR Connector = NULL;

    if (Object != NULL && !Listener->Paused && ReadNoFence(&Object->Closing) == 0) {
        Connector = ConnectorBorn(Listener, Event);
    }
    if (Connector == NULL) {
        CommandPostAlone(Adapter, MBX_CLOSE_CONNECTION, Event->object);
        return;
    }
    Listener->ConnectEvent(Listener->ConnectEventContext, &Connector->Object.Ndk.Connector);
}

NTSTATUS MbxCreateListener(NDK_ADAPTER *AdapterHandle, NDK_FN_CONNECT_EVENT_CALLBACK OnRequest,
                           PVOID RequestEventContext, NDK_FN_CREATE_COMPLETION OnMade, PVOID Caller,
                           NDK_LISTENER **Made) {
    PMBX_OBJECT Open = CONTAINING_RECORD(AdapterHandle, MBX_OBJECT, Ndk.Adapter);
    PMBX_ADAPTER Adapter = Open->Adapter;
    PMBX_LISTENER Listener =
        (PMBX_LISTENER)ObjectNew(Adapter, &ListenerClass, sizeof(*Listener), Open);

    UNREFERENCED_PARAMETER(Made);
    if (Listener == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Listener->Object.Ndk.Listener.Dispatch = &ListenerDispatch;
    Listener->ConnectEvent = OnRequest;
    Listener->ConnectEventContext = RequestEventContext;
    return ObjectCreate(&Listener->Object, &Adapter->Listeners, OnMade, Caller);
}
