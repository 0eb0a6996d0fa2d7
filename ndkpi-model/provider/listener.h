/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listeners. A request that comes in makes a connector, which waits in `Pending` until the connect
 * callbacks before it have returned: they do not overlap, unless a knob lets them. All but
 * the object under the CM lock.
 */
#ifndef PROVIDER_LISTENER_H
#define PROVIDER_LISTENER_H

#include "defer.h"
#include "endpoint.h"
#include "object.h"

struct _RNIC_LISTENER {
    RNIC_OBJECT Object;
    PRNIC_OPEN Open;
    NDK_FN_CONNECT_EVENT_CALLBACK ConnectEvent;
    PVOID ConnectEventContext;
    LIST_ENTRY Link;         /* while there is an endpoint */
    PRNIC_ENDPOINT Endpoint; /* from listen to close */
    BOOLEAN Paused;
    BOOLEAN Pumping;
    BOOLEAN Listened; /* a pending listen has an outcome, which the pump tells */
    NTSTATUS ListenStatus;
    ULONG Waiting; /* requests that are not delivered or not answered */
    LIST_ENTRY Pending;
    RNIC_DEFERRED Pump;
};

NTSTATUS NdkCreateListener(NDK_ADAPTER *pNdkAdapter, NDK_FN_CONNECT_EVENT_CALLBACK ConnectEvent,
                           PVOID ConnectEventContext, NDK_FN_CREATE_COMPLETION CreateCompletion,
                           PVOID RequestContext, NDK_LISTENER **ppNdkListener);

static inline PRNIC_LISTENER ListenerOf(NDK_LISTENER *pNdkListener) {
    return CONTAINING_RECORD(pNdkListener, RNIC_LISTENER, Object.Ndk.Listener);
}

/* Under the CM lock: who takes a request to this address, or NULL. */
PRNIC_LISTENER ListenerFind(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip, USHORT Port);
/* A new connector for the consumer of `Listener`. */
VOID ListenerDeliver(PRNIC_LISTENER Listener, PRNIC_CONNECTOR Connector);

#endif
