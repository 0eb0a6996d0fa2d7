/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an administrator may set: standardised keywords of the adapter and this driver's own. Each
 * is looked up among the adapter's keywords, then among the driver's registry parameters.
 */
#ifndef PROVIDER_SETTINGS_H
#define PROVIDER_SETTINGS_H

#include "common.h"

/* In the event log: frame size configured, frame size in force (R-NDIS-29). */
#define RNIC_LOG_FRAME_SIZE ((NDIS_ERROR_CODE)0x60000001)

#define RNIC_DEFER_NEVER 0u
#define RNIC_DEFER_ALWAYS 1u
#define RNIC_DEFER_CHOSEN 2u /* at each request, by the choice post.defer */

typedef struct _RNIC_SETTINGS {
    ULONG NetworkDirect;    /* 0: NDK cannot be enabled */
    ULONG Technology;       /* NDK_RDMA_TECHNOLOGY: RoCEv2, or iWARP over its frames */
    ULONG RoceFrameBytes;   /* wanted path MTU */
    ULONG JumboPacketBytes; /* 0: not limited by it */
    ULONG NdkMajorMin;      /* versions of NDKPI offered */
    ULONG NdkMajorMax;
    ULONG NdkMinorMax1; /* highest minor of major 1, of 2 */
    ULONG NdkMinorMax2;

    ULONG AnswerShape; /* 0 chosen, 1 all inline, 2 all pending, 3 callback first */
    ULONG AnswerWaits; /* calls at PASSIVE_LEVEL wait for outcomes that the network has */

    ULONG CmResponseTimeout; /* code: 4.096 us * 2^n */
    ULONG CmRetryCount;
    ULONG CmServiceTimeout; /* code that our MRA carries */
    ULONG CmTimewaitMs;     /* 0: as long as the peer may repeat its DREQ */
    ULONG CmBacklog;
    ULONG CmMraRep;           /* answer a repeated REP with an MRA */
    ULONG NeighbourTimeoutMs; /* of each question for a neighbour */
    ULONG Loopback;           /* connections within this machine work */
    ULONG QosPort;            /* NetworkDirect port of the QoS condition; 0: there is none */
    ULONG QosPriority;        /* of what it matches */
    ULONG PortFirst;          /* ephemeral ports */
    ULONG PortLast;

    ULONG AckTimeout; /* code */
    ULONG RetryCount;
    ULONG RnrRetryCount; /* 7: for ever */
    ULONG RnrTimer;      /* code */

    ULONG StrictSlots;          /* a slot is free when its completion is retrieved */
    ULONG TokenRotates;         /* the low 8 bits change with each fast-register */
    ULONG TokensEqual;          /* local and remote tokens are the same */
    ULONG LamPends;             /* mappings are answered later */
    ULONG WindowsReadFreely;    /* a read window needs no remote read of its region */
    ULONG ReceiveBeforeAccept;  /* receives may be seen before the accept completes */
    ULONG ArmFiresOnOld;        /* an arm is met by completions that were there before */
    ULONG ErrorsMeetFailures;   /* requests that failed meet an arm for errors */
    ULONG ArmInline;            /* an arm that is met calls back within the call */
    ULONG DeferHolds;           /* RNIC_DEFER_*: DEFER keeps a request until a plain one */
    ULONG PrivateDataExact;     /* report the length without its trailing zeros */
    ULONG EventAfterDisconnect; /* report a notice that crossed the local disconnect */
    ULONG GracefulClose;        /* closing a drained connection counts as a disconnect */
    ULONG DisconnectAborts;     /* do not wait for requests that are under way */
    ULONG DisconnectReasons;    /* the extended event tells why */
    ULONG AbortEventFirst;      /* ... and comes before what it cancels */
    ULONG ConnectEventsOverlap; /* connect callbacks of one listener may */
    ULONG PostsFailEarly;       /* posts to a failed QP fail, and no longer when it has ended */
    ULONG FlushOrder;           /* 0 initiator queue first, 1 receive queue first, 2 in turn */
    ULONG HoldersExtension;     /* NdkQueryExtension knows the extension of ndksim_holders.h */
    ULONG MaxQpCount;
    ULONG MaxCqCount;
    ULONG MaxMrCount;
    ULONG MaxMwCount;
    ULONG MaxPdCount;
    ULONG MaxQueueDepth;
    ULONG MaxCqDepth;
    ULONG MaxSrqCount;
    ULONG MaxSrqDepth; /* 0: no shared receive queues */
    ULONG CqResize;    /* offered */
    ULONG CqModeration;
    ULONG MaxSge;
    ULONG MaxReadSge;
    ULONG MaxInlineBytes;
    ULONG MaxReadLimit;
    ULONG FrmrPageCount;
} RNIC_SETTINGS;

/*
 * PASSIVE_LEVEL. Values out of range become the default; standardised keywords with such values,
 * and a transport that the device does not have, are refused, with an entry in the event log.
 */
NTSTATUS SettingsRead(PRNIC_ADAPTER Adapter);

#endif
