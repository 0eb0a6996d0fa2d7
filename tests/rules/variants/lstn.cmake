# SPDX-License-Identifier: Apache-2.0
# A listener's address that is taken is told in another word.
ndksim_add_variant(breaks-r-lstn-02 BASE ndksim-rnic
  FILE ndkpi-model/provider/endpoint.c
  OLD [==[
        return STATUS_SHARING_VIOLATION;
]==]
  NEW [==[
        return Kind == EndpointOfListener ? STATUS_ADDRESS_ALREADY_EXISTS
                                          : STATUS_SHARING_VIOLATION;
]==])

# The port is told in the order of the other kind of machine.
ndksim_add_variant(breaks-r-lstn-03 BASE ndksim-rnic
  FILE ndkpi-model/provider/listener.c
  OLD [==[
        Port = Listener->Endpoint->Port;
]==]
  NEW [==[
        Port = (USHORT)(Listener->Endpoint->Port >> 8 | Listener->Endpoint->Port << 8);
]==])

# To be sure, each event is raised twice.
ndksim_add_variant(breaks-r-lstn-04 BASE ndksim-rnic
  FILE ndkpi-model/provider/listener.c
  OLD [==[
        Listener->ConnectEvent(Listener->ConnectEventContext, &Connector->Object.Ndk.Connector);
]==]
  NEW [==[
        Listener->ConnectEvent(Listener->ConnectEventContext, &Connector->Object.Ndk.Connector);
        Listener->ConnectEvent(Listener->ConnectEventContext, &Connector->Object.Ndk.Connector);
]==])

# A pause holds for what waits already.
ndksim_add_variant(breaks-r-lstn-05 BASE ndksim-rnic
  FILE ndkpi-model/provider/listener.c
  OLD [==[
        if (!Listener->Paused && Endpoint->Port == Port &&
]==]
  NEW [==[
        if (Endpoint->Port == Port &&
]==])

# Paused once is paused for good.
ndksim_add_variant(breaks-r-lstn-06 BASE ndksim-rnic
  FILE ndkpi-model/provider/listener.c
  OLD [==[
    Listener->Paused = Pause != FALSE;
]==]
  NEW [==[
    Listener->Paused = TRUE;
]==])

# A listener that cannot end yet goes on listening.
ndksim_add_variant(breaks-r-lstn-07 BASE ndksim-rnic
  FILE ndkpi-model/provider/listener.c
  OLD [==[
    if (Listener->Endpoint != NULL) {
        RemoveEntryList(&Listener->Link);
        EndpointPut(Listener->Endpoint);
        Listener->Endpoint = NULL;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}
]==]
  NEW [==[
    if (Listener->Endpoint != NULL && ObjectCount(Object, RefSuccessor) == 0) {
        RemoveEntryList(&Listener->Link);
        EndpointPut(Listener->Endpoint);
        Listener->Endpoint = NULL;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}
]==])

# Accepted connectors are on their own.
ndksim_add_variant(breaks-r-lstn-08 BASE ndksim-rnic
  FILE ndkpi-model/provider/listener.c
  OLD [==[
    if (Listener->Endpoint != NULL) {
        RemoveEntryList(&Listener->Link);
        EndpointPut(Listener->Endpoint);
        Listener->Endpoint = NULL;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}
]==]
  NEW [==[
    if (Listener->Endpoint != NULL) {
        RemoveEntryList(&Listener->Link);
        EndpointPut(Listener->Endpoint);
        Listener->Endpoint = NULL;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (ObjectCount(Object, RefSuccessor) != 0 && Object->CloseCompletion != NULL) {
        NDK_FN_CLOSE_COMPLETION Completion = Object->CloseCompletion;

        Object->CloseCompletion = NULL;
        Completion(Object->CloseContext);
    }
}
]==])

# A request that waits for its answer does not hold the listener.
ndksim_add_variant(breaks-r-lstn-09 BASE ndksim-rnic
  FILE ndkpi-model/provider/listener.c
  OLD [==[
    if (Listener->Endpoint != NULL) {
        RemoveEntryList(&Listener->Link);
        EndpointPut(Listener->Endpoint);
        Listener->Endpoint = NULL;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}
]==]
  NEW [==[
    if (Listener->Endpoint != NULL) {
        RemoveEntryList(&Listener->Link);
        EndpointPut(Listener->Endpoint);
        Listener->Endpoint = NULL;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Listener->Waiting != 0 && Object->CloseCompletion != NULL) {
        NDK_FN_CLOSE_COMPLETION Completion = Object->CloseCompletion;

        Object->CloseCompletion = NULL;
        Completion(Object->CloseContext);
    }
}
]==])

# A connect event that runs does not hold the listener.
ndksim_add_variant(breaks-r-lstn-11 BASE ndksim-rnic
  FILE ndkpi-model/provider/listener.c
  OLD [==[
    if (Listener->Endpoint != NULL) {
        RemoveEntryList(&Listener->Link);
        EndpointPut(Listener->Endpoint);
        Listener->Endpoint = NULL;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}
]==]
  NEW [==[
    if (Listener->Endpoint != NULL) {
        RemoveEntryList(&Listener->Link);
        EndpointPut(Listener->Endpoint);
        Listener->Endpoint = NULL;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (ObjectCount(Object, RefCallback) != 0 && Object->CloseCompletion != NULL) {
        NDK_FN_CLOSE_COMPLETION Completion = Object->CloseCompletion;

        Object->CloseCompletion = NULL;
        Completion(Object->CloseContext);
    }
}
]==])

# There is no bound.
ndksim_add_variant(breaks-r-lstn-12 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm.c
  OLD [==[
    return (*Listener)->Waiting < Adapter->Settings.CmBacklog ? 0 : CmReasonNoResources;
]==]
  NEW [==[
    return 0;
]==])

# Addresses are known when the request has been accepted.
ndksim_add_variant(breaks-r-lstn-13 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_query.c
  OLD [==[
    Known = Connector->HasAddresses;
]==]
  NEW [==[
    Known = Connector->HasAddresses && Connector->Endpoint != NULL;
]==])
