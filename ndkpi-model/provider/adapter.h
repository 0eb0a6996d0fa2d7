/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One network adapter: everything this driver holds for it. The lock order, outermost first:
 *
 *   EqLock or Cm.Lock, Sq.Lock or Rq.Lock or Srq.Lock, Cq.Lock, Windows.Lock, then one of
 * TableLock, Defer.Lock, Commands.Lock, Commands.MailboxLock, Gsi.Lock, Dma.Lock, Srq.SlotLock
 *
 * None is held while a routine of a consumer runs.
 */
#ifndef PROVIDER_ADAPTER_H
#define PROVIDER_ADAPTER_H

#include "address.h"
#include "cm.h"
#include "command.h"
#include "common.h"
#include "connector.h"
#include "cq.h"
#include "defer.h"
#include "dma.h"
#include "endpoint.h"
#include "eq.h"
#include "gsi.h"
#include "lam.h"
#include "listener.h"
#include "mr.h"
#include "mw.h"
#include "ndk_adapter.h"
#include "object.h"
#include "pd.h"
#include "qp.h"
#include "request.h"
#include "settings.h"
#include "shared_endpoint.h"
#include "srq.h"
#include "turn.h"

#define RNIC_TABLE_BUCKETS 32u

/* NDK and the device coming and going; see adapter_state.c. */
typedef struct _RNIC_STATE {
    KSPIN_LOCK Lock;
    WORK_QUEUE_ITEM Work;
    KEVENT Idle;
    BOOLEAN Wanted;
    BOOLEAN Announced;
    BOOLEAN Running;     /* the work item is queued or at work */
    BOOLEAN ResetWanted; /* by NDIS */
    BOOLEAN Removed;     /* for good */
    BOOLEAN Suspended;   /* without power, or not initialised yet */
    BOOLEAN Halting;
    BOOLEAN Kicked; /* nothing but a reason to look */
    ULONG RestartsLeft;
} RNIC_STATE;

/* All that went over the wire, with layer 2 headers. */
typedef struct _RNIC_TRAFFIC {
    ULONG64 InBytes;
    ULONG64 OutBytes;
    ULONG64 InFrames;
    ULONG64 OutFrames;
} RNIC_TRAFFIC, *PRNIC_TRAFFIC;

#define RNIC_SUPPORTED_STATISTICS                                                                  \
    (NDIS_STATISTICS_BYTES_RCV_SUPPORTED | NDIS_STATISTICS_BYTES_XMIT_SUPPORTED |                  \
     NDIS_STATISTICS_DIRECTED_FRAMES_RCV_SUPPORTED |                                               \
     NDIS_STATISTICS_DIRECTED_FRAMES_XMIT_SUPPORTED |                                              \
     NDIS_STATISTICS_DIRECTED_BYTES_RCV_SUPPORTED | NDIS_STATISTICS_DIRECTED_BYTES_XMIT_SUPPORTED)

struct _RNIC_ADAPTER {
    NDIS_HANDLE MiniportHandle;
    NDIS_HANDLE InterruptHandle;
    NET_IFINDEX IfIndex;
    RNIC_SETTINGS Settings;

    PHYSICAL_ADDRESS BarAddress[2];
    ULONG BarBytes[2];
    PVOID Bar[2]; /* registers, doorbells */
    ULONG VectorCount;
    BOOLEAN DeviceReady;        /* INIT was done, objects may be made */
    volatile BOOLEAN Stopping;  /* event queues are no longer looked at */
    volatile BOOLEAN FatalSeen; /* by an interrupt; its DPC deals with it */
    volatile LONG Lost;         /* the device failed or is gone; back to 0 when it was restarted */

    struct rnic_caps Caps;
    ULONG FrmrPageCountMax;
    NDK_ADAPTER_INFO Info;
    NDIS_NDK_CAPABILITIES Capabilities;
    UCHAR Mac[6];
    ULONG64 LinkSpeedBps;
    ULONG MtuBytes;
    UCHAR PathMtu; /* code, by keyword, jumbo packet and link */
    ULONG TokenFlip;

    volatile LONG Enabled; /* NDK may be opened */
    volatile LONG OpenCount;
    RNIC_STATE State;

    RNIC_DMA_POOL Dma;
    RNIC_COMMANDS Commands;
    RNIC_DEFER Defer;
    RNIC_EQ Eqs[RNIC_EQ_COUNT_MAX];
    KSPIN_LOCK EqLock; /* of their rings and what these are taken for */
    ULONG EqCount;
    volatile LONG CqSpread;

    KSPIN_LOCK TableLock;
    LIST_ENTRY QpTable[RNIC_TABLE_BUCKETS];
    LIST_ENTRY CqTable[RNIC_TABLE_BUCKETS];
    RNIC_WINDOWS Windows;
    LIST_ENTRY SrqTable[RNIC_TABLE_BUCKETS];

    volatile LONG QpCount;
    volatile LONG CqCount;
    volatile LONG MrCount;
    volatile LONG MwCount;
    volatile LONG PdCount;
    volatile LONG SrqCount;
    ULONG SrqCountMax;
    NDIS_NDK_PERFORMANCE_COUNTERS Counters; /* octets and frames come from the device */
    RNIC_TRAFFIC Traffic;                   /* as the device told it last */

    RNIC_GSI Gsi;
    RNIC_CM Cm;
};

/* FALSE: `Count` has reached `Limit`. */
static inline BOOLEAN AdapterCountUp(volatile LONG *Count, ULONG Limit) {
    if ((ULONG)InterlockedIncrement(Count) <= Limit) {
        return TRUE;
    }
    InterlockedDecrement(Count);
    return FALSE;
}

/* What is iWARP's of this interface, over the frames that there are. */
static inline BOOLEAN AdapterIsIwarp(PRNIC_ADAPTER Adapter) {
    return Adapter->Settings.Technology == NdkiWarp;
}

/* Private data is told to the byte, not as long as its field (D-08). */
static inline BOOLEAN AdapterIsExact(PRNIC_ADAPTER Adapter) {
    return AdapterIsIwarp(Adapter) || Adapter->Settings.PrivateDataExact != 0;
}

static inline VOID AdapterCount(ULONG64 *Counter) {
    InterlockedIncrement64((volatile LONG64 *)Counter);
}

/* Local tokens differ from the key that peers see, so that a mix-up is caught (F-04). */
static inline UINT32 TokenFromKey(PRNIC_ADAPTER Adapter, ULONG Key) {
    return Key ^ Adapter->TokenFlip;
}

static inline ULONG KeyFromToken(PRNIC_ADAPTER Adapter, UINT32 Token) {
    return Token ^ Adapter->TokenFlip;
}

/* Rounded up. */
static inline UCHAR Log2(ULONG Value) {
    UCHAR Log = 0;

    while ((1u << Log) < Value) {
        Log++;
    }
    return Log;
}

/* register.c */
ULONG RegisterRead32(PRNIC_ADAPTER Adapter, ULONG Offset);
VOID RegisterWrite32(PRNIC_ADAPTER Adapter, ULONG Offset, ULONG Value);
VOID RegisterWrite64(PRNIC_ADAPTER Adapter, ULONG Offset, ULONG64 Value);
VOID DoorbellRing(PRNIC_ADAPTER Adapter, ULONG Doorbell, ULONG Number, ULONG Command, ULONG Index);

/* adapter_*.c, oid.c: NDIS handlers and what they share. */
MINIPORT_INITIALIZE MiniportInitializeEx;
MINIPORT_HALT MiniportHaltEx;
MINIPORT_PAUSE MiniportPause;
MINIPORT_RESTART MiniportRestart;
MINIPORT_RESET MiniportReset;
MINIPORT_SHUTDOWN MiniportShutdownEx;
MINIPORT_DEVICE_PNP_EVENT_NOTIFY MiniportDevicePnPEventNotify;
MINIPORT_OID_REQUEST MiniportOidRequest;
MINIPORT_CANCEL_OID_REQUEST MiniportCancelOidRequest;
MINIPORT_DIRECT_OID_REQUEST MiniportDirectOidRequest;
MINIPORT_CANCEL_DIRECT_OID_REQUEST MiniportCancelDirectOidRequest;
MINIPORT_SEND_NET_BUFFER_LISTS MiniportSendNetBufferLists;
MINIPORT_RETURN_NET_BUFFER_LISTS MiniportReturnNetBufferLists;
MINIPORT_CANCEL_SEND MiniportCancelSend;

/* Once, when the device has told its limits; it never fails. */
NTSTATUS AdapterFillInfo(PRNIC_ADAPTER Adapter);
/* PASSIVE_LEVEL, with no NDK adapter open. A start that failed is followed by a stop. */
NTSTATUS DeviceStart(PRNIC_ADAPTER Adapter);
VOID DeviceStop(PRNIC_ADAPTER Adapter);
/* Waits until nothing of the adapter is at work, and frees it. */
VOID AdapterStop(PRNIC_ADAPTER Adapter);
NDIS_STATUS AdapterPowerDown(PRNIC_ADAPTER Adapter);
NDIS_STATUS AdapterPowerUp(PRNIC_ADAPTER Adapter);
VOID AdapterLinkChanged(PRNIC_ADAPTER Adapter, BOOLEAN Up);
/* The device is gone or beyond help: everything under way ends with failures. */
VOID AdapterDeviceLost(PRNIC_ADAPTER Adapter);
VOID StateInit(PRNIC_ADAPTER Adapter);
/* The miniport is initialised: from now on what befalls the device is dealt with. */
VOID StateBegin(PRNIC_ADAPTER Adapter);
/* The device failed for good or was removed: nothing brings NDK back. */
BOOLEAN AdapterIsGone(PRNIC_ADAPTER Adapter);
/* Queues the announcement that NDK comes or goes. IRQL <= DISPATCH_LEVEL. */
VOID AdapterChangeState(PRNIC_ADAPTER Adapter, BOOLEAN Enable);

/* oid_ndk.c. IRQL <= DISPATCH_LEVEL. */
NDIS_STATUS OidQueryConnections(PRNIC_ADAPTER Adapter, PNDIS_OID_REQUEST Request);
NDIS_STATUS OidQueryEndpoints(PRNIC_ADAPTER Adapter, PNDIS_OID_REQUEST Request);
NDIS_STATUS OidQueryStatistics(PRNIC_ADAPTER Adapter, PNDIS_OID_REQUEST Request);
VOID OidReadTraffic(PRNIC_ADAPTER Adapter, PRNIC_TRAFFIC Traffic);

#endif
