/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection manager: IB CM over QP1, one machine per connector (IBTA 12.9, as RDMA CM uses it
 * with TCP-space service ids and the IP private data header).
 *
 *  active            Idle -> ReqSent [-> MraReqRcvd] -> RepRcvd -> Completing -> Established
 *                    Idle -> Resolving -> Idle, where there is nobody to be asked
 *  passive           ReqRcvd [-> MraReqSent] -> Accepting -> RepSent [-> MraRepRcvd]
 *                            -> Establishing -> Established
 *                    RepSent -> Established, where the first message is the peer's (B-22)
 *  graceful ending   Established [-> Draining] -> DreqSent -> Flushing -> Ended
 *                    Established -> DreqRcvd [-> DrainingRcvd] -> Flushing -> Ended
 *  abort             Established, ... -> Breaking -> Broken -> Flushing -> Ended
 *
 * The peer's graceful notice is its DREP (or its crossing DREQ): a DREQ is answered when the local
 * consumer disconnects, too. An abort is a DREQ or DREP whose private data says so.
 *
 * One lock guards all of it. Actions run under the lock and call no consumer: completions and
 * events are left to the connector's pump (connector_pump.c). What must go on when the connector is
 * gone (a DREQ until its DREP, the memory of old ids) is a linger record.
 */
#ifndef PROVIDER_CM_H
#define PROVIDER_CM_H

#include "address.h"
#include "endpoint.h"
#include "gsi.h"

#define RNIC_CM_STATES(X)                                                                          \
    X(Idle)                                                                                        \
    X(ReqSent)                                                                                     \
    X(MraReqRcvd)                                                                                  \
    X(RepRcvd)                                                                                     \
    X(Completing)                                                                                  \
    X(ReqRcvd)                                                                                     \
    X(MraReqSent)                                                                                  \
    X(Accepting)                                                                                   \
    X(RepSent)                                                                                     \
    X(MraRepRcvd)                                                                                  \
    X(Establishing)                                                                                \
    X(EstablishingDreq)                                                                            \
    X(Established)                                                                                 \
    X(Draining)                                                                                    \
    X(DreqSent)                                                                                    \
    X(DreqRcvd)                                                                                    \
    X(DrainingRcvd)                                                                                \
    X(Breaking)                                                                                    \
    X(Broken)                                                                                      \
    X(Flushing)                                                                                    \
    X(Ended)                                                                                       \
    X(Resolving)

#define RNIC_CM_EVENTS(X)                                                                          \
    X(Connect)                                                                                     \
    X(ConnectNobody)                                                                               \
    X(CompleteConnect)                                                                             \
    X(Accept)                                                                                      \
    X(Reject)                                                                                      \
    X(Refuse)                                                                                      \
    X(Disconnect)                                                                                  \
    X(DisconnectBusy)                                                                              \
    X(Close)                                                                                       \
    X(RtrDone)                                                                                     \
    X(RtsDone)                                                                                     \
    X(ModifyFailed)                                                                                \
    X(ErrDone)                                                                                     \
    X(Timeout)                                                                                     \
    X(TimedOut)                                                                                    \
    X(Drained)                                                                                     \
    X(QpError)                                                                                     \
    X(CommEst)                                                                                     \
    X(Stale)                                                                                       \
    X(ReqAgain)                                                                                    \
    X(Mra)                                                                                         \
    X(Rep)                                                                                         \
    X(Rtu)                                                                                         \
    X(RtuHeld)                                                                                     \
    X(Rej)                                                                                         \
    X(Dreq)                                                                                        \
    X(DreqAbort)                                                                                   \
    X(Drep)                                                                                        \
    X(DrepAbort)

#define RNIC_CM_STATE_NAME(name) Cm##name,
typedef enum _RNIC_CM_STATE { RNIC_CM_STATES(RNIC_CM_STATE_NAME) CmStateCount } RNIC_CM_STATE;
#define RNIC_CM_EVENT_NAME(name) Ev##name,
typedef enum _RNIC_CM_EVENT { RNIC_CM_EVENTS(RNIC_CM_EVENT_NAME) EvCount } RNIC_CM_EVENT;

/* Messages, by MAD attribute. */
typedef enum _RNIC_CM_KIND {
    CmReq = 0x10,
    CmMra = 0x11,
    CmRej = 0x12,
    CmRep = 0x13,
    CmRtu = 0x14,
    CmDreq = 0x15,
    CmDrep = 0x16
} RNIC_CM_KIND;

#define RNIC_CM_REQ_PRIVATE_BYTES 56u /* the consumer's part */
#define RNIC_CM_REP_PRIVATE_BYTES 196u
#define RNIC_CM_REJ_PRIVATE_BYTES 148u

typedef enum _RNIC_CM_REASON {
    CmReasonNoResources = 3,
    CmReasonTimeout = 4,
    CmReasonInvalidCommId = 6,
    CmReasonInvalidServiceId = 8,
    CmReasonTransportType = 9,
    CmReasonStale = 10,
    CmReasonInvalidMtu = 26,
    CmReasonConsumer = 28
} RNIC_CM_REASON;

/* Why a connection ended, as the extended disconnect event tells it; 0 for a notice (R-CONN-35). */
#define RNIC_REASON_PEER_ABORTED 1u
#define RNIC_REASON_PEER_FORGOT 2u
#define RNIC_REASON_QP_ERROR 0x100u /* and the device's syndrome */

/* What a REJ rejects, what an MRA acknowledges. */
typedef enum _RNIC_CM_ANSWERED { CmAnsweredReq, CmAnsweredRep, CmAnsweredOther } RNIC_CM_ANSWERED;

/* A message in host order, as far as this driver needs it. */
typedef struct _RNIC_CM_MESSAGE {
    RNIC_CM_KIND Kind;
    ULONG64 TransactionId;
    ULONG LocalId;  /* the sender's */
    ULONG RemoteId; /* the receiver's */
    ULONG Qpn;      /* REQ, REP: the sender's; DREQ: the receiver's */
    ULONG Psn;      /* REQ, REP: what the sender expects first */
    UCHAR ResponderResources;
    UCHAR InitiatorDepth;
    UCHAR PathMtu;
    UCHAR RnrRetryCount;
    UCHAR ResponseTimeout; /* REQ: how long the sender takes to answer; MRA: service timeout */
    UCHAR TransportType;
    UCHAR Answered;
    USHORT Reason;
    ULONG64 ServiceId;
    RNIC_IP Source; /* REQ, from the IP header */
    RNIC_IP Destination;
    USHORT SourcePort;
    BOOLEAN Abort;        /* DREQ, DREP */
    const UCHAR *Private; /* the consumer's bytes, in the MAD */
    ULONG PrivateBytes;
} RNIC_CM_MESSAGE, *PRNIC_CM_MESSAGE;

/* Private data that is kept. Most of it is zeroes, in full or behind: those take no memory. */
typedef struct _RNIC_CM_PRIVATE {
    PUCHAR Bytes; /* in pool; NULL: none but zeroes */
    ULONG Kept;
    ULONG Count; /* Kept, and the zeroes behind */
} RNIC_CM_PRIVATE, *PRNIC_CM_PRIVATE;

typedef struct _RNIC_CM_TIMER {
    LIST_ENTRY Link;
    ULONG64 Due; /* interrupt time */
    BOOLEAN Set;
    VOID (*Expired)(struct _RNIC_CM_TIMER *Timer); /* under the lock */
} RNIC_CM_TIMER, *PRNIC_CM_TIMER;

#define RNIC_CM_BUCKETS 16u
#define RNIC_LINGER_BUCKETS 64u
#define RNIC_LINGER_MAX 1024u /* the oldest one makes room */

typedef struct _RNIC_CM {
    KSPIN_LOCK Lock;
    RNIC_ADDRESSES Addresses;                /* fixed after the start */
    LIST_ENTRY Connectors[RNIC_CM_BUCKETS];  /* in conversation, by local id */
    LIST_ENTRY Lingers[RNIC_LINGER_BUCKETS]; /* old connections, by the peer's id */
    LIST_ENTRY LingersByAge;
    ULONG LingerCount;
    LIST_ENTRY Listeners;
    RNIC_ENDPOINTS Endpoints;
    LIST_ENTRY Active; /* connectors whose connection counts as active */
    LIST_ENTRY Timers; /* by due time */
    KTIMER Timer;
    KDPC TimerDpc;
    ULONG64 TimerDue; /* 0: not set */
    ULONG NextId;
    ULONG64 CaGuid;
    BOOLEAN Stopped;
} RNIC_CM;

/* cm.c */
VOID CmInit(PRNIC_ADAPTER Adapter);
NTSTATUS CmStart(PRNIC_ADAPTER Adapter);
VOID CmStop(PRNIC_ADAPTER Adapter);
VOID CmReceive(PRNIC_ADAPTER Adapter, const RNIC_IP *From, const RNIC_IP *To, const UCHAR *Mad);
VOID CmQpError(PRNIC_QP Qp, UCHAR Syndrome);
VOID CmCommunicationEstablished(PRNIC_QP Qp);
/* Under the lock: a fresh local id; the connector answers to it, or no longer. */
VOID CmEnter(PRNIC_CONNECTOR Connector);
VOID CmLeave(PRNIC_CONNECTOR Connector);
ULONG CmPsnOf(ULONG LocalId);

/* cm_table.c, under the lock. An event that the table does not know is a bug of this driver. */
VOID CmStep(PRNIC_CONNECTOR Connector, RNIC_CM_EVENT Event, const RNIC_CM_MESSAGE *Message);
PCSTR CmStateName(RNIC_CM_STATE State);
PCSTR CmEventName(RNIC_CM_EVENT Event);

/* cm_mad.c */
BOOLEAN CmDecode(PRNIC_ADAPTER Adapter, const UCHAR *Mad, PRNIC_CM_MESSAGE Message);
VOID CmEncodeReq(PRNIC_CONNECTOR Connector, PUCHAR Mad);
VOID CmEncodeRep(PRNIC_CONNECTOR Connector, PUCHAR Mad);

/* The short messages: whom they are about. */
typedef struct _RNIC_CM_IDS {
    ULONG64 TransactionId;
    ULONG LocalId;
    ULONG RemoteId;
} RNIC_CM_IDS;
VOID CmEncodeMra(PUCHAR Mad, const RNIC_CM_IDS *Ids, RNIC_CM_ANSWERED Answered, UCHAR Timeout);
VOID CmEncodeRtu(PUCHAR Mad, const RNIC_CM_IDS *Ids);
VOID CmEncodeDreq(PUCHAR Mad, const RNIC_CM_IDS *Ids, ULONG RemoteQpn, BOOLEAN Abort);
VOID CmEncodeDrep(PUCHAR Mad, const RNIC_CM_IDS *Ids, BOOLEAN Abort);
VOID CmEncodeRej(PRNIC_ADAPTER Adapter, PUCHAR Mad, const RNIC_CM_IDS *Ids,
                 RNIC_CM_ANSWERED Answered, USHORT Reason, const UCHAR *Private, ULONG Bytes);

/* cm_private.c. `Private` is empty, or holds what it was given before. FALSE: no memory. */
BOOLEAN CmPrivateSet(PRNIC_CM_PRIVATE Private, const UCHAR *Bytes, ULONG Count);
/* Up to `Space` of them. */
VOID CmPrivateCopy(const RNIC_CM_PRIVATE *Private, PUCHAR To, ULONG Space);
VOID CmPrivateDrop(PRNIC_CM_PRIVATE Private);

/* cm_timer.c, under the lock. */
VOID CmTimerSet(PRNIC_ADAPTER Adapter, PRNIC_CM_TIMER Timer, ULONG64 After100ns);
VOID CmTimerCancel(PRNIC_CM_TIMER Timer);
VOID CmTimersInit(PRNIC_ADAPTER Adapter);
/* 4.096 us * 2^Code in 100 ns. */
ULONG64 CmTimeoutOf(UCHAR Code);

#endif
