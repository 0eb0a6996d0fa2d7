/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connectors. The machine is that of cm.h; everything but the object is guarded by the CM lock.
 *
 * Upcalls: what the consumer must hear is noted here and delivered by the pump, one at a time and
 * with no lock held: first the end of the pending request, then the disconnect event. A request
 * that is answered within its call does not take that way; the event waits for it all the same.
 */
#ifndef PROVIDER_CONNECTOR_H
#define PROVIDER_CONNECTOR_H

#include "cm.h"
#include "command.h"
#include "defer.h"
#include "endpoint.h"
#include "listener.h"
#include "object.h"
#include "qp.h"
#include "shared_endpoint.h"

#define RNIC_UPCALL_REQUEST 0x1u
#define RNIC_UPCALL_EVENT 0x2u

struct _RNIC_CONNECTOR {
    RNIC_OBJECT Object;
    PRNIC_OPEN Open;
    PRNIC_LISTENER Listener;      /* NULL: made by the consumer */
    PRNIC_QP Qp;                  /* tied by connect or accept, until the close */
    PRNIC_SHARED_ENDPOINT Shared; /* as the QP: by the last connect */
    PRNIC_ENDPOINT Endpoint;
    LIST_ENTRY EndpointLink;
    UCHAR State;           /* RNIC_CM_STATE */
    BOOLEAN PeerAbandoned; /* establishment was ended by the other side */
    BOOLEAN Waits;         /* counts in Listener->Waiting */
    BOOLEAN MraSent;
    BOOLEAN Unheard;    /* born of a request of which the consumer did not hear */
    NTSTATUS EndStatus; /* of the disconnect that waits for the flush */

    UCHAR Upcalls;
    BOOLEAN Pumping;
    BOOLEAN Starting; /* the call that started the request wants its outcome itself ... */
    BOOLEAN Settled;  /* ... which is known now */
    BOOLEAN Polling;  /* ... and runs the device's commands itself */
    PKEVENT Outcome;  /* ... and waits for it with this; else NULL */
    ULONG Answering;  /* such calls that have not got their outcome: no events before */
    NTSTATUS RequestStatus;
    RNIC_DEFERRED Pump;
    NDK_FN_DISCONNECT_EVENT_CALLBACK Event;
    NDK_FN_DISCONNECT_EVENT_CALLBACK_EX EventEx;
    PVOID EventContext;
    BOOLEAN EventRaised;
    BOOLEAN Disconnecting; /* NdkDisconnect was accepted */
    ULONG Reason;

    LIST_ENTRY IdLink; /* in conversation */
    BOOLEAN InConversation;
    LIST_ENTRY ActiveLink;
    BOOLEAN IsActive;
    BOOLEAN IsPassive; /* born of a listener */
    BOOLEAN SendsHeld; /* until the peer's first message (B-22) */
    RNIC_CM_IDS Ids;
    RNIC_IP LocalIp;
    RNIC_IP PeerIp;
    USHORT LocalPort;
    USHORT PeerPort;
    UCHAR AddressIndex;
    UCHAR PathMtu;
    UCHAR PeerRnrRetry;
    UCHAR PeerResponseTimeout;
    ULONG PeerQpn;
    ULONG LocalPsn; /* expected from the peer */
    ULONG PeerPsn;  /* with which we start */
    UCHAR InboundLimit;
    UCHAR OutboundLimit;
    BOOLEAN HasAddresses;
    UCHAR Dscp;
    BOOLEAN HasPrivate;
    RNIC_CM_TIMER Timer;
    ULONG RetriesLeft;
    ULONG64 TryWait100ns;       /* for an answer of a neighbour that there is none of */
    RNIC_CM_PRIVATE Told;       /* to the peer, in the REQ or REP that may have to be repeated */
    RNIC_CM_PRIVATE Heard;      /* from the peer; with HasPrivate */
    const UCHAR *RejectPrivate; /* while a reject is sent */
    ULONG RejectPrivateBytes;

    RNIC_COMMAND RtrCommand;
    RNIC_COMMAND RtsCommand;
    RNIC_COMMAND ErrCommand;
    BOOLEAN ErrUnderWay;
    LIST_ENTRY PendingLink; /* in Listener->Pending */
};

static inline PRNIC_CONNECTOR ConnectorOf(NDK_CONNECTOR *pNdkConnector) {
    return CONTAINING_RECORD(pNdkConnector, RNIC_CONNECTOR, Object.Ndk.Connector);
}

/* connector.c: life, and the table of functions. */
NTSTATUS NdkCreateConnector(NDK_ADAPTER *pNdkAdapter, NDK_FN_CREATE_COMPLETION CreateCompletion,
                            PVOID RequestContext, NDK_CONNECTOR **ppNdkConnector);
/* One born of a request that came in; NULL: no memory. Under the CM lock. */
PRNIC_CONNECTOR ConnectorBorn(PRNIC_LISTENER Listener);

/* connector_active.c */
NTSTATUS NdkConnect(NDK_CONNECTOR *pNdkConnector, NDK_QP *pNdkQp,
                    const struct sockaddr *pSrcAddress, ULONG SrcAddressLength,
                    const struct sockaddr *pDestAddress, ULONG DestAddressLength,
                    ULONG InboundReadLimit, ULONG OutboundReadLimit, CONST PVOID pPrivateData,
                    ULONG PrivateDataLength, NDK_FN_REQUEST_COMPLETION RequestCompletion,
                    PVOID RequestContext);
NTSTATUS NdkConnectWithSharedEndpoint(NDK_CONNECTOR *pNdkConnector, NDK_QP *pNdkQp,
                                      NDK_SHARED_ENDPOINT *pNdkSharedEndpoint,
                                      const struct sockaddr *pDestAddress, ULONG DestAddressLength,
                                      ULONG InboundReadLimit, ULONG OutboundReadLimit,
                                      CONST PVOID pPrivateData, ULONG PrivateDataLength,
                                      NDK_FN_REQUEST_COMPLETION RequestCompletion,
                                      PVOID RequestContext);

/* connector_complete.c */
NTSTATUS NdkCompleteConnect(NDK_CONNECTOR *pNdkConnector,
                            NDK_FN_DISCONNECT_EVENT_CALLBACK DisconnectEvent,
                            PVOID DisconnectEventContext,
                            NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext);
NTSTATUS NdkCompleteConnectEx(NDK_CONNECTOR *pNdkConnector,
                              NDK_FN_DISCONNECT_EVENT_CALLBACK_EX DisconnectEvent,
                              PVOID DisconnectEventContext,
                              NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext);

/* connector_passive.c */
NTSTATUS NdkAccept(NDK_CONNECTOR *pNdkConnector, NDK_QP *pNdkQp, ULONG InboundReadLimit,
                   ULONG OutboundReadLimit, CONST PVOID pPrivateData, ULONG PrivateDataLength,
                   NDK_FN_DISCONNECT_EVENT_CALLBACK DisconnectEvent, PVOID DisconnectEventContext,
                   NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext);
NTSTATUS NdkAcceptEx(NDK_CONNECTOR *pNdkConnector, NDK_QP *pNdkQp, ULONG InboundReadLimit,
                     ULONG OutboundReadLimit, CONST PVOID pPrivateData, ULONG PrivateDataLength,
                     NDK_FN_DISCONNECT_EVENT_CALLBACK_EX DisconnectEvent,
                     PVOID DisconnectEventContext, NDK_FN_REQUEST_COMPLETION RequestCompletion,
                     PVOID RequestContext);
NTSTATUS NdkReject(NDK_CONNECTOR *pNdkConnector, CONST PVOID pPrivateData, ULONG PrivateDataLength);

/* connector_end.c */
NTSTATUS NdkDisconnect(NDK_CONNECTOR *pNdkConnector, NDK_FN_REQUEST_COMPLETION RequestCompletion,
                       PVOID RequestContext);
VOID ConnectorClosing(PRNIC_OBJECT Object);

/* connector_query.c */
NTSTATUS NdkGetConnectionData(NDK_CONNECTOR *pNdkConnector, ULONG *pInboundReadLimit,
                              ULONG *pOutboundReadLimit, PVOID pPrivateData,
                              ULONG *pPrivateDataLength);
NTSTATUS NdkGetLocalAddress(NDK_CONNECTOR *pNdkConnector, PSOCKADDR pAddress,
                            ULONG *pAddressLength);
NTSTATUS NdkGetPeerAddress(NDK_CONNECTOR *pNdkConnector, PSOCKADDR pAddress, ULONG *pAddressLength);

/*
 * connector_request.c, under the CM lock but for ConnectorAnswer.
 *
 * ConnectorBegin starts a request; ConnectorSettle says how it ended; ConnectorAnswer gives the
 * starting call its return value and lets the lock go. ConnectorMustPend: not within the call.
 */
VOID ConnectorBegin(PRNIC_CONNECTOR Connector, RNIC_SHAPE Shape,
                    NDK_FN_REQUEST_COMPLETION Completion, PVOID Context);
VOID ConnectorSettle(PRNIC_CONNECTOR Connector, NTSTATUS Status);
NTSTATUS ConnectorAnswer(PRNIC_CONNECTOR Connector, PKLOCK_QUEUE_HANDLE Lock);
VOID ConnectorMustPend(PRNIC_CONNECTOR Connector);
BOOLEAN ConnectorIsBusy(const RNIC_CONNECTOR *Connector);
/*
 * Ties a QP of the same adapter, of whichever open of it; STATUS_CONNECTION_ACTIVE and the like
 * otherwise.
 */
NTSTATUS ConnectorTie(PRNIC_CONNECTOR Connector, PRNIC_QP Qp);
VOID ConnectorUntie(PRNIC_CONNECTOR Connector);
/* Ties a shared endpoint instead of what was tied; NULL: none. */
VOID ConnectorShare(PRNIC_CONNECTOR Connector, PRNIC_SHARED_ENDPOINT Shared);

/* connector_pump.c, under the CM lock. */
VOID ConnectorUpcall(PRNIC_CONNECTOR Connector, UCHAR Upcall);
VOID ConnectorPumpInit(PRNIC_CONNECTOR Connector);

/* connector_qp.c, under the CM lock: device commands; their ends are events of the machine. */
VOID ConnectorToRtr(PRNIC_CONNECTOR Connector);
VOID ConnectorToRts(PRNIC_CONNECTOR Connector);
VOID ConnectorToErr(PRNIC_CONNECTOR Connector);
/* Runs what ConnectorToRtr and ConnectorToRts left to a call that wants it done now. No lock. */
VOID ConnectorRunPolled(PRNIC_CONNECTOR Connector);

#endif
