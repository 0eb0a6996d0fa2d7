/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The NDK provider of the mailbox NIC: an NDIS miniport.
 *
 *   mbx_driver.c    DriverEntry, what NDIS may call;  mbx_start.c  an adapter's start and end
 *   mbx_oid.c       OIDs;  mbx_state.c  NDK and the device coming and going
 *   mbx_mailbox.c   registers, commands, events, and the one DPC
 *   mbx_object.c    what all NDK objects share: references, creation, close
 *   mbx_adapter.c, mbx_cq.c, mbx_pd.c, mbx_mr.c, mbx_qp.c, mbx_post.c, mbx_listener.c,
 *   mbx_connector.c, mbx_connect.c    the objects;  mbx_address.c  socket addresses, MDLs
 *   mbx_faults.c    where it fails on purpose
 *
 * One rule makes the rest simple: EVERY ROUTINE OF A CONSUMER IS CALLED FROM THE ADAPTER'S ONE DPC,
 * which takes events of the device and deferred work one after the other, and holds no lock then.
 * So callbacks of an object never overlap, and an object lives as long as the DPC works on it:
 * nobody else frees one. Calls of consumers come on any CPU; they check, change state under a lock,
 * post a command or ring a doorbell, and answer STATUS_PENDING where the answer is the device's.
 *
 * Locks, outermost first: Qp->Lock, Cq->Lock, Adapter->Lock, then Mailbox.Lock.
 */
#ifndef MBX_H
#define MBX_H

#include <ntddk.h>
#include <ndis.h>
#include <ndkpi.h>
#include <ndisndk.h>
#include <mailbox_nic.h>

#define MBX_POOL_TAG ' xbM'

/* Header of a structure of NDIS in its first revision: the object's type, the structure's name. */
#define MBX_HEADER(object, structure)                                                              \
    {                                                                                              \
        NDIS_OBJECT_TYPE_##object, NDIS_##structure##_REVISION_1,                                  \
            NDIS_SIZEOF_##structure##_REVISION_1                                                   \
    }

#define MBX_UNUSED1(a) (VOID)(a)
#define MBX_UNUSED2(a, b) (VOID)(a), (VOID)(b)
#define MBX_UNUSED3(a, b, c) (VOID)(a), (VOID)(b), (VOID)(c)

typedef struct _MBX_ADAPTER MBX_ADAPTER, *PMBX_ADAPTER;

/* Zeroed, non-paged. */
static inline PVOID MbxAllocate(SIZE_T Bytes) {
    return ExAllocatePool2(POOL_FLAG_NON_PAGED, Bytes, MBX_POOL_TAG);
}

static inline VOID MbxFree(PVOID Block) {
    if (Block != NULL) {
        ExFreePoolWithTag(Block, MBX_POOL_TAG);
    }
}

/* ---- mbx_mailbox.c ---- */

/* What the DPC is to do soon. One that is queued already stays where it is. */
typedef struct _MBX_DEFERRED {
    LIST_ENTRY Link;
    BOOLEAN Queued;
    VOID (*Routine)(struct _MBX_DEFERRED *Deferred);
} MBX_DEFERRED, *PMBX_DEFERRED;

typedef struct _MBX_COMMAND {
    MBX_DEFERRED Deferred; /* its answer, where the device gives none */
    struct mbx_command Data;
    VOID (*Done)(struct _MBX_COMMAND *Command); /* in the DPC; it owns the command again */
    ULONG Status;                               /* enum mbx_status; the next two only with MBX_OK */
    ULONG Object;
    ULONG Value;
} MBX_COMMAND, *PMBX_COMMAND;

/* Memory that the device and the driver share. */
typedef struct _MBX_SHARED {
    PVOID Va;
    ULONG64 Address;
} MBX_SHARED, *PMBX_SHARED;

typedef struct _MBX_MAILBOX {
    KSPIN_LOCK Lock; /* of everything here but EventHead, which is the DPC's */
    MBX_SHARED Commands;
    MBX_SHARED Events;
    PMBX_COMMAND Pending[MBX_COMMAND_COUNT]; /* by index; the device answers in order */
    LIST_ENTRY Waiting;                      /* commands, for room */
    ULONG CommandTail;
    ULONG CommandHead;
    ULONG EventHead;
    LIST_ENTRY Deferred;
    BOOLEAN Up; /* the device takes commands; where not, they are answered MBX_DEVICE_GONE */
    KDPC Dpc;
} MBX_MAILBOX;

NTSTATUS MailboxStart(PMBX_ADAPTER Adapter);
VOID MailboxStop(PMBX_ADAPTER Adapter);
/* Answers all that is under way with MBX_DEVICE_GONE, and what comes. */
VOID MailboxLost(PMBX_ADAPTER Adapter);
BOOLEAN MailboxInterrupt(PMBX_ADAPTER Adapter);
VOID MailboxInit(PMBX_ADAPTER Adapter);

/* Zeroes it but for what Done is. */
VOID CommandInit(PMBX_COMMAND Command, ULONG Opcode, ULONG Object,
                 VOID (*Done)(PMBX_COMMAND Command));
/* `Command` lives until Done. IRQL <= DISPATCH_LEVEL. */
VOID CommandPost(PMBX_ADAPTER Adapter, PMBX_COMMAND Command);
/* For what has no place of its own and no answer; FALSE: no memory. */
BOOLEAN CommandPostAlone(PMBX_ADAPTER Adapter, ULONG Opcode, ULONG Object);
NTSTATUS CommandNtStatus(ULONG Status);
VOID Defer(PMBX_ADAPTER Adapter, PMBX_DEFERRED Deferred);
/* Answers a command in the DPC as if the device had said so; it is not told. */
VOID CommandFake(PMBX_ADAPTER Adapter, PMBX_COMMAND Command, ULONG Status);

NTSTATUS SharedAllocate(PMBX_SHARED Shared, SIZE_T Bytes);
VOID SharedFree(PMBX_SHARED Shared);
ULONG RegisterRead(PMBX_ADAPTER Adapter, ULONG Register);
ULONG64 RegisterRead64(PMBX_ADAPTER Adapter, ULONG Register);
VOID RegisterWrite(PMBX_ADAPTER Adapter, ULONG Register, ULONG Value);
VOID DoorbellRing(PMBX_ADAPTER Adapter, ULONG Doorbell, ULONG Number, ULONG Index);

/* ---- mbx_object.c ---- */

typedef struct _MBX_OBJECT MBX_OBJECT, *PMBX_OBJECT;

typedef struct _MBX_CLASS {
    NDK_OBJECT_TYPE Type;
    ULONG DestroyOpcode; /* of the device's object, once there is one; 0: it has none */
    PCSTR CreateFault;   /* fault point of its creation; NULL: none */
    /* The consumer asked to close: bring to an end what will not end by itself. May be NULL. */
    VOID (*Closing)(PMBX_OBJECT Object);
    /* The device has let go of it, nobody refers to it: free what it holds. May be NULL. */
    VOID (*Free)(PMBX_OBJECT Object);
} MBX_CLASS;

#define MBX_PARENT_COUNT 3u

/*
 * Head of every NDK object. It is referred to by its consumer (until the close), by each object
 * that relies on it, by each request and command under way. The last reference gone, the DPC
 * destroys the device's object, runs the close completion, lets go of the parents, frees it.
 */
struct _MBX_OBJECT {
    union {
        NDK_CONNECTOR Connector;
        NDK_LISTENER Listener;
        NDK_QP Qp;
        NDK_MR Mr;
        NDK_PD Pd;
        NDK_CQ Cq;
        NDK_ADAPTER Adapter;
        NDK_OBJECT_HEADER Header;
    } Ndk;
    PMBX_ADAPTER Adapter;
    const MBX_CLASS *Class;
    PMBX_OBJECT Parents[MBX_PARENT_COUNT]; /* a reference each */
    ULONG Number;                          /* the device's; 0: none */
    volatile LONG References;
    volatile LONG Closing;
    NDK_FN_CLOSE_COMPLETION CloseCompletion;
    PVOID CloseContext;
    NDK_FN_CREATE_COMPLETION CreateCompletion;
    PVOID CreateContext;
    VOID (*Created)(PMBX_OBJECT Object); /* before the consumer hears of it; may be NULL */
    MBX_COMMAND Command;                 /* its creation, then its end */
    MBX_DEFERRED End;
    LIST_ENTRY Link; /* in a list of the adapter, while it has a number */
    PLIST_ENTRY List;
};

C_ASSERT(FIELD_OFFSET(MBX_OBJECT, Ndk) == 0);

/* Zeroed memory with an MBX_OBJECT in front, held by the consumer; it takes the first parent. */
PMBX_OBJECT ObjectNew(PMBX_ADAPTER Adapter, const MBX_CLASS *Class, SIZE_T Bytes,
                      PMBX_OBJECT Parent);
/* Room for one more: parents are let go of in any order. */
VOID ObjectAddParent(PMBX_OBJECT Object, ULONG Index, PMBX_OBJECT Parent);
VOID ObjectGet(PMBX_OBJECT Object);
/* Treat it as gone afterwards. */
VOID ObjectPut(PMBX_OBJECT Object);
/*
 * Posts Object->Command, whose opcode 0 means that there is nothing to ask. Always STATUS_PENDING:
 * the create completion gets the object, in the list of `List` by then, or the failure.
 */
NTSTATUS ObjectCreate(PMBX_OBJECT Object, PLIST_ENTRY List, NDK_FN_CREATE_COMPLETION Completion,
                      PVOID Context);
/* In the DPC. */
PMBX_OBJECT ObjectFind(PLIST_ENTRY List, ULONG Number);
VOID ObjectEnlist(PMBX_OBJECT Object, PLIST_ENTRY List, ULONG Number);
VOID ObjectDelist(PMBX_OBJECT Object);

static inline BOOLEAN ObjectKnows(const MBX_OBJECT *Object, USHORT Major, USHORT Minor) {
    NDK_VERSION Version = Object->Ndk.Header.Version;

    return Version.Major > Major || (Version.Major == Major && Version.Minor >= Minor);
}

NTSTATUS MbxCloseObject(NDK_OBJECT_HEADER *ObjectHandle, NDK_FN_CLOSE_COMPLETION CloseCompletion,
                        PVOID Caller);
NTSTATUS MbxQueryExtension(NDK_OBJECT_HEADER *ObjectHandle, GUID *ExtensionInterfaceID,
                           NDK_VERSION ExtensionInterfaceVersion,
                           NDK_EXTENSION_INTERFACE *pExtensionInterface);

/* A request with a completion routine that needs a command of its own; freed after the routine. */
typedef struct _MBX_REQUEST {
    MBX_COMMAND Command;
    PMBX_OBJECT Object; /* referred to */
    NDK_FN_REQUEST_COMPLETION Completion;
    PVOID Context;
    NTSTATUS (*Answered)(struct _MBX_REQUEST *Request); /* what the consumer is told */
    MBX_SHARED Shared;                                  /* freed with it */
    ULONG64 Argument;
} MBX_REQUEST, *PMBX_REQUEST;

/* NULL: no memory. */
PMBX_REQUEST RequestNew(PMBX_OBJECT Object, ULONG Opcode,
                        NTSTATUS (*Answered)(PMBX_REQUEST Request),
                        NDK_FN_REQUEST_COMPLETION Completion, PVOID Context);
NTSTATUS RequestPost(PMBX_REQUEST Request);
VOID RequestFree(PMBX_REQUEST Request);

/* mbx_faults.c: whether a fault point of the table there fires; NULL never does. */
BOOLEAN FaultFires(PCSTR Point, PMBX_OBJECT ObjectOrNull);

/* ---- The adapter ---- */

typedef struct _MBX_SETTINGS {
    ULONG NetworkDirect;
    ULONG Technology;
    ULONG Backlog;
    ULONG BusyRetries;
    ULONG Loopback;
} MBX_SETTINGS;

#define MBX_FACT_WANTED 0x01u /* NDK, by keyword or OID_NDK_SET_STATE */
#define MBX_FACT_TOLD 0x02u   /* NDIS has heard last that NDK is on */
#define MBX_FACT_REMOVED 0x04u
#define MBX_FACT_SUSPENDED 0x08u
#define MBX_FACT_RESET 0x10u /* NDIS waits for the end of a reset */
#define MBX_FACT_HALTING 0x20u
#define MBX_FACT_BUSY 0x40u /* the work item is queued or runs */

typedef struct _MBX_STATE {
    KSPIN_LOCK Lock;
    WORK_QUEUE_ITEM Work;
    KEVENT Idle;
    ULONG Facts; /* MBX_FACT_... */
    ULONG RestartsLeft;
} MBX_STATE;

struct _MBX_ADAPTER {
    NDIS_HANDLE MiniportHandle;
    NDIS_HANDLE InterruptHandle;
    MBX_SETTINGS Settings;
    ULONG Stage; /* of its start: so many have begun */
    NDIS_OID Oids[16];
    ULONG BarBytes[2];
    PVOID Bar[2];
    UCHAR Mac[6];
    ULONG64 LinkBps;
    ULONG MtuBytes;
    NDK_ADAPTER_INFO Info;
    NDIS_NDK_CAPABILITIES Capabilities;
    NDIS_NDK_PERFORMANCE_COUNTERS Counters;
    volatile LONG Enabled;
    volatile LONG Lost;
    volatile LONG FatalSeen;
    MBX_STATE State;
    MBX_MAILBOX Mailbox;
    KSPIN_LOCK Lock; /* the state of listeners and connectors, and of the lists */
    LIST_ENTRY Cqs;
    LIST_ENTRY Qps;
    LIST_ENTRY Listeners;
    LIST_ENTRY Connectors;
    LIST_ENTRY Others; /* objects that no event names */
};

/* mbx_start.c */
MINIPORT_INITIALIZE MbxInitialize;
MINIPORT_HALT MbxHalt;
MINIPORT_SHUTDOWN MbxShutdown;
NET_IF_MEDIA_CONNECT_STATE LinkState(PMBX_ADAPTER Adapter);
NTSTATUS DeviceStart(PMBX_ADAPTER Adapter);
VOID DeviceStop(PMBX_ADAPTER Adapter);
/* mbx_state.c */
VOID StateInit(PMBX_ADAPTER Adapter);
/* As it is when NDIS is told of the adapter. */
VOID StateBegin(PMBX_ADAPTER Adapter, BOOLEAN On);
/* Facts that hold from now on, and facts that hold no more. */
VOID StateChange(PMBX_ADAPTER Adapter, ULONG Set, ULONG Clear);
VOID StateSettle(PMBX_ADAPTER Adapter);
BOOLEAN StateIsGone(PMBX_ADAPTER Adapter);
NDIS_STATUS PowerDown(PMBX_ADAPTER Adapter);
NDIS_STATUS PowerUp(PMBX_ADAPTER Adapter);
VOID AdapterLost(PMBX_ADAPTER Adapter);
VOID AdapterLinkChanged(PMBX_ADAPTER Adapter);
MINIPORT_DEVICE_PNP_EVENT_NOTIFY MbxPnpEvent;
MINIPORT_RESET MbxReset;
/* mbx_oid.c */
MINIPORT_OID_REQUEST MbxOid;
MINIPORT_DIRECT_OID_REQUEST MbxDirectOid;
/* Those that it knows. The list is the adapter's. */
PNDIS_OID OidList(PMBX_ADAPTER Adapter, PUINT Bytes);
/* Of OID_GEN_STATISTICS: frames and bytes to one receiver, and all bytes, in both directions. */
#define MBX_COUNTED_ONE_WAY(way)                                                                   \
    (NDIS_STATISTICS_DIRECTED_FRAMES_##way##_SUPPORTED |                                           \
     NDIS_STATISTICS_DIRECTED_BYTES_##way##_SUPPORTED | NDIS_STATISTICS_BYTES_##way##_SUPPORTED)
#define MBX_COUNTED (MBX_COUNTED_ONE_WAY(XMIT) | MBX_COUNTED_ONE_WAY(RCV))

/* ---- mbx_adapter.c: one that is open ---- */

typedef struct _MBX_OPEN {
    MBX_OBJECT Object;
} MBX_OPEN, *PMBX_OPEN;

NDIS_STATUS OpenNdkAdapter(NDIS_HANDLE Miniport, NDIS_OPEN_NDK_ADAPTER_PARAMETERS *Parameters,
                           NDK_ADAPTER **Made);
VOID CloseNdkAdapter(NDIS_HANDLE Miniport, NDK_ADAPTER *AdapterHandle);
VOID AdapterFillInfo(PMBX_ADAPTER Adapter);

/* ---- mbx_address.c ---- */

/* STATUS_INVALID_PARAMETER: malformed. */
NTSTATUS AddressFromSockaddr(const struct sockaddr *Sockaddr, ULONG Length,
                             struct mbx_address *Address);
VOID AddressToInet(const struct mbx_address *Address, PSOCKADDR_INET Inet);
/* As the address queries of NDK answer. */
NTSTATUS AddressToSockaddr(const struct mbx_address *Address, PSOCKADDR Sockaddr, PULONG Length);
BOOLEAN AddressIsV4(const struct mbx_address *Address);
BOOLEAN AddressIsWildcard(const struct mbx_address *Address);
ULONG MdlPageCount(MDL *Mdl, SIZE_T Length);
/* STATUS_INVALID_PARAMETER: no one virtual range of Length bytes. `Pages` NULL: it only looks. */
NTSTATUS MdlPages(MDL *Mdl, SIZE_T Length, ULONG64 *Pages);

/* ---- mbx_cq.c ---- */

typedef enum _MBX_ARM { ArmNone, ArmErrors, ArmSolicited, ArmAny } MBX_ARM;

/*
 * Indices are free running: Consumed <= Seen; entries before Notified were there when the last
 * notification began, and meet no arm.
 */
typedef struct _MBX_CQ {
    MBX_OBJECT Object;
    KSPIN_LOCK Lock;
    MBX_SHARED Ring; /* entries, then the consumer's index for the device */
    ULONG EntryCount;
    ULONG Depth;
    PULONG Consumer;
    PULONG NextConsumer; /* of the ring that a resize is about to bring */
    ULONG Consumed;
    ULONG Seen;
    ULONG Notified;
    ULONG Solicited; /* index after the last one seen that is, when HasSolicited */
    BOOLEAN HasSolicited;
    MBX_ARM Armed;
    volatile LONG Failed;
    BOOLEAN FailureTold;
    NDK_FN_CQ_NOTIFICATION_CALLBACK Notification;
    PVOID NotificationContext;
    MBX_DEFERRED Look;
    BOOLEAN LookQueued; /* holds a reference */
} MBX_CQ, *PMBX_CQ;

NTSTATUS MbxCreateCq(NDK_ADAPTER *AdapterHandle, ULONG CqDepth,
                     NDK_FN_CQ_NOTIFICATION_CALLBACK OnNotify, PVOID NotifyContext,
                     GROUP_AFFINITY *Affinity, NDK_FN_CREATE_COMPLETION OnMade, PVOID Caller,
                     NDK_CQ **Made);
/* In the DPC: an event of the device. */
VOID CqEvent(PMBX_CQ Cq);
VOID CqFail(PMBX_CQ Cq);
/* A result of the driver's own, once the device is gone. Under no lock of the CQ. */
VOID CqPut(PMBX_CQ Cq, struct mbx_completion *Completion);

static inline PMBX_CQ CqOf(NDK_CQ *CqHandle) {
    return CONTAINING_RECORD(CqHandle, MBX_CQ, Object.Ndk.Cq);
}

/* ---- mbx_pd.c, mbx_mr.c ---- */

typedef struct _MBX_PD {
    MBX_OBJECT Object;
    ULONG PrivilegedToken;
} MBX_PD, *PMBX_PD;

NTSTATUS MbxCreatePd(NDK_ADAPTER *AdapterHandle, NDK_FN_CREATE_COMPLETION OnMade, PVOID Caller,
                     NDK_PD **Made);

static inline PMBX_PD PdOf(NDK_PD *PdHandle) {
    return CONTAINING_RECORD(PdHandle, MBX_PD, Object.Ndk.Pd);
}

typedef enum _MBX_MR_STATE { MrIdle, MrChanging, MrRegistered } MBX_MR_STATE;

typedef struct _MBX_RIGHT {
    ULONG Flag; /* of NDK; 0: the table ends */
    ULONG Right;
} MBX_RIGHT;

/* FALSE: remote writing without local writing. `Unknown`: the flags that are not in the table. */
BOOLEAN RightsTake(const MBX_RIGHT *Known, ULONG Flags, PULONG Taken, PULONG Unknown);

/* Object.Number is its token, for peers and for SGEs alike. */
typedef struct _MBX_MR {
    MBX_OBJECT Object;
    BOOLEAN FastRegister;
    BOOLEAN RemoteAccess;
    volatile LONG State; /* MBX_MR_STATE, of one that is not fast */
    ULONG PageCount;     /* of a fast one */
} MBX_MR, *PMBX_MR;

NTSTATUS MbxCreateMr(NDK_PD *PdHandle, BOOLEAN FastRegister, NDK_FN_CREATE_COMPLETION OnMade,
                     PVOID Caller, NDK_MR **Made);

static inline PMBX_MR MrOf(NDK_MR *MrHandle) {
    return CONTAINING_RECORD(MrHandle, MBX_MR, Object.Ndk.Mr);
}

/* ---- mbx_qp.c, mbx_post.c ---- */

/*
 *   Unconnected --established--> Connected --lost, flushed--> Flushing --disconnected, closed-->
 * Ended
 *
 * Initiator requests are refused in the first and the last phase; receives never are.
 */
typedef enum _MBX_QP_PHASE { QpUnconnected, QpConnected, QpFlushing, QpEnded } MBX_QP_PHASE;

typedef struct _MBX_RING {
    struct mbx_work *Entries;
    ULONG Mask;
    ULONG Depth;
    ULONG SgeMax;
    ULONG Tail;
} MBX_RING, *PMBX_RING;

typedef struct _MBX_CONNECTOR MBX_CONNECTOR, *PMBX_CONNECTOR;

typedef struct _MBX_QP {
    MBX_OBJECT Object;
    PMBX_CQ ReceiveCq;
    PMBX_CQ InitiatorCq;
    PVOID Context;
    KSPIN_LOCK Lock; /* of both rings and the phase */
    MBX_SHARED Memory;
    MBX_RING Send;
    MBX_RING Receive;
    volatile struct mbx_progress *Progress;
    ULONG InlineBytes;
    volatile LONG Phase;      /* MBX_QP_PHASE */
    BOOLEAN Orphan;           /* the device is gone: the driver cancels what is posted itself */
    PMBX_CONNECTOR Connector; /* that it is tied to; under Adapter->Lock */
    MBX_COMMAND FlushCommand;
    volatile LONG FlushPosted;
} MBX_QP, *PMBX_QP;

NTSTATUS MbxCreateQp(NDK_PD *PdHandle, NDK_CQ *ReceiveHandle, NDK_CQ *InitiatorHandle,
                     PVOID ForResults, ULONG ReceiveDepth, ULONG SendDepth, ULONG ReceiveSges,
                     ULONG SendSges, ULONG InlineRoom, NDK_FN_CREATE_COMPLETION OnMade,
                     PVOID Caller, NDK_QP **Made);
/* To a later phase. */
VOID QpSetPhase(PMBX_QP Qp, MBX_QP_PHASE Phase);
/* The device is gone: cancels what it has not finished. In the DPC. */
VOID QpCancelAll(PMBX_QP Qp);

static inline PMBX_QP QpOf(NDK_QP *QpHandle) {
    return CONTAINING_RECORD(QpHandle, MBX_QP, Object.Ndk.Qp);
}

NTSTATUS MbxSend(NDK_QP *QpHandle, PVOID Caller, CONST NDK_SGE *Sges, ULONG SgeCount, ULONG Flags);
NTSTATUS MbxSendAndInvalidate(NDK_QP *QpHandle, PVOID Caller, CONST NDK_SGE *Sges, ULONG SgeCount,
                              ULONG Flags, UINT32 RemoteToken);
NTSTATUS MbxReceive(NDK_QP *QpHandle, PVOID Caller, CONST NDK_SGE *Sges, ULONG SgeCount);
NTSTATUS MbxRead(NDK_QP *QpHandle, PVOID Caller, CONST NDK_SGE *Sges, ULONG SgeCount,
                 UINT64 RemoteAddress, UINT32 RemoteToken, ULONG Flags);
NTSTATUS MbxWrite(NDK_QP *QpHandle, PVOID Caller, CONST NDK_SGE *Sges, ULONG SgeCount,
                  UINT64 RemoteAddress, UINT32 RemoteToken, ULONG Flags);
NTSTATUS MbxFastRegister(NDK_QP *QpHandle, PVOID Caller, NDK_MR *pMr, ULONG AdapterPageCount,
                         CONST NDK_LOGICAL_ADDRESS *AdapterPageArray, ULONG FBO, SIZE_T Length,
                         PVOID BaseVirtualAddress, ULONG Flags);
NTSTATUS MbxInvalidate(NDK_QP *QpHandle, PVOID Caller, NDK_OBJECT_HEADER *pNdkMrOrMw, ULONG Flags);
NTSTATUS MbxBind(NDK_QP *QpHandle, PVOID Caller, NDK_MR *pMr, NDK_MW *pMw, PVOID VirtualAddress,
                 SIZE_T Length, ULONG Flags);

/* ---- mbx_listener.c ---- */

typedef struct _MBX_LISTENER {
    MBX_OBJECT Object;
    NDK_FN_CONNECT_EVENT_CALLBACK ConnectEvent;
    PVOID ConnectEventContext;
    struct mbx_address Local;
    volatile LONG Listening; /* MbxListen has been called */
    BOOLEAN Paused;          /* under Adapter->Lock */
} MBX_LISTENER, *PMBX_LISTENER;

NTSTATUS MbxCreateListener(NDK_ADAPTER *AdapterHandle, NDK_FN_CONNECT_EVENT_CALLBACK OnRequest,
                           PVOID RequestEventContext, NDK_FN_CREATE_COMPLETION OnMade, PVOID Caller,
                           NDK_LISTENER **Made);
/* In the DPC: the device has a request for one of the listeners. */
VOID ListenerRequest(PMBX_ADAPTER Adapter, const struct mbx_event *Event);

/* ---- mbx_connector.c, mbx_connect.c ---- */

/*
 *   Idle --NdkConnect--> Connecting --reply--> Replied --NdkCompleteConnect--> Establishing
 *   Requested --NdkAccept--> Establishing --established--> Connected
 *   Connected --NdkDisconnect--> Disconnecting --disconnected--> Ended
 *   Connecting --failed--> Idle;  what the peer ends before Connected is Abandoned, after it Lost
 */
typedef enum _MBX_CONNECTOR_STATE {
    ConnectorIdle,
    ConnectorConnecting,
    ConnectorReplied,
    ConnectorRequested,
    ConnectorEstablishing,
    ConnectorConnected,
    ConnectorDisconnecting,
    ConnectorAbandoned,
    ConnectorLost,
    ConnectorEnded
} MBX_CONNECTOR_STATE;

struct _MBX_CONNECTOR {
    MBX_OBJECT Object;
    /* Under Adapter->Lock from here on. */
    MBX_CONNECTOR_STATE State;
    BOOLEAN IsPassive;
    BOOLEAN IsActive; /* counts as a connection */
    BOOLEAN HasPeerData;
    BOOLEAN HasAddresses;
    PMBX_QP Qp; /* referred to, until the close */
    struct mbx_address Local;
    struct mbx_address Peer;
    ULONG ReadsIn;
    ULONG ReadsOut;
    ULONG PrivateBytes;
    UCHAR Private[MBX_PRIVATE_BYTES];
    PVOID EventContext; /* of either */
    NDK_FN_DISCONNECT_EVENT_CALLBACK Event;
    NDK_FN_DISCONNECT_EVENT_CALLBACK_EX EventEx;
    /* The one request that may be pending: NULL: none. It holds a reference. */
    NDK_FN_REQUEST_COMPLETION Completion;
    PVOID Context;
    MBX_COMMAND Request;
    MBX_COMMAND Reject;
    MBX_COMMAND Close;
};

static inline PMBX_CONNECTOR ConnectorOf(NDK_CONNECTOR *ConnectorHandle) {
    return CONTAINING_RECORD(ConnectorHandle, MBX_CONNECTOR, Object.Ndk.Connector);
}

NTSTATUS MbxCreateConnector(NDK_ADAPTER *AdapterHandle, NDK_FN_CREATE_COMPLETION OnMade,
                            PVOID Caller, NDK_CONNECTOR **Made);
/* A connector of a request that came in; NULL: no memory. In the DPC. */
PMBX_CONNECTOR ConnectorBorn(PMBX_LISTENER Listener, const struct mbx_event *Event);
/* In the DPC: an event of the device about a connection of ours. */
VOID ConnectorEvent(PMBX_CONNECTOR Connector, const struct mbx_event *Event);
/* Under Adapter->Lock: why a connection cannot be made with this QP. */
NTSTATUS ConnectorTie(PMBX_CONNECTOR Connector, PMBX_QP Qp);
VOID ConnectorBegin(PMBX_CONNECTOR Connector, MBX_CONNECTOR_STATE State, ULONG Opcode,
                    NDK_FN_REQUEST_COMPLETION Completion, PVOID Context);
/* Answers the pending request, if any. In the DPC, without a lock. */
VOID ConnectorAnswer(PMBX_CONNECTOR Connector, NTSTATUS Status);
VOID ConnectorPeerData(PMBX_CONNECTOR Connector, const struct mbx_request_body *Body);

/* mbx_connect.c */
NTSTATUS MbxConnect(NDK_CONNECTOR *ConnectorHandle, NDK_QP *QpHandle,
                    const struct sockaddr *FromAddress, ULONG FromBytes,
                    const struct sockaddr *ToAddress, ULONG ToBytes, ULONG InReads, ULONG OutReads,
                    CONST PVOID Words, ULONG WordsBytes, NDK_FN_REQUEST_COMPLETION OnDone,
                    PVOID Caller);
NTSTATUS MbxCompleteConnect(NDK_CONNECTOR *ConnectorHandle, NDK_FN_DISCONNECT_EVENT_CALLBACK OnEnd,
                            PVOID EndContext, NDK_FN_REQUEST_COMPLETION OnDone, PVOID Caller);
NTSTATUS MbxCompleteConnectEx(NDK_CONNECTOR *ConnectorHandle,
                              NDK_FN_DISCONNECT_EVENT_CALLBACK_EX OnEnd, PVOID EndContext,
                              NDK_FN_REQUEST_COMPLETION OnDone, PVOID Caller);
NTSTATUS MbxAccept(NDK_CONNECTOR *ConnectorHandle, NDK_QP *QpHandle, ULONG InReads, ULONG OutReads,
                   CONST PVOID Words, ULONG WordsBytes, NDK_FN_DISCONNECT_EVENT_CALLBACK OnEnd,
                   PVOID EndContext, NDK_FN_REQUEST_COMPLETION OnDone, PVOID Caller);
NTSTATUS MbxAcceptEx(NDK_CONNECTOR *ConnectorHandle, NDK_QP *QpHandle, ULONG InReads,
                     ULONG OutReads, CONST PVOID Words, ULONG WordsBytes,
                     NDK_FN_DISCONNECT_EVENT_CALLBACK_EX OnEnd, PVOID EndContext,
                     NDK_FN_REQUEST_COMPLETION OnDone, PVOID Caller);
NTSTATUS MbxReject(NDK_CONNECTOR *ConnectorHandle, CONST PVOID Words, ULONG WordsBytes);
NTSTATUS MbxDisconnect(NDK_CONNECTOR *ConnectorHandle, NDK_FN_REQUEST_COMPLETION OnDone,
                       PVOID Caller);

#endif
