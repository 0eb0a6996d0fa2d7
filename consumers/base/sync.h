/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NDK calls that a thread waits for, and groups of closes that are waited for together. All at
 * PASSIVE_LEVEL unless said otherwise. A wait has no limit, so that its record may be on the stack:
 * the provider owes every completion.
 */
#ifndef CONSUMERS_BASE_SYNC_H
#define CONSUMERS_BASE_SYNC_H

#include <ntddk.h>
#include <wskndk.h>
#include <ndkpi.h>

typedef struct _SYNC_WAIT {
    KEVENT Event;
    NTSTATUS Status;
    NDK_OBJECT_HEADER *Object; /* what a create made */
} SYNC_WAIT, *PSYNC_WAIT;

VOID SyncInit(PSYNC_WAIT Wait);
VOID SyncCreated(PVOID Context, NTSTATUS Status, NDK_OBJECT_HEADER *Object);
VOID SyncRequested(PVOID Context, NTSTATUS Status);
/* `Status` is what the starting call returned; the answer is the request's outcome. */
NTSTATUS SyncFinish(PSYNC_WAIT Wait, NTSTATUS Status);

/* Creates. On failure *Object is NULL. */
NTSTATUS SyncCreateCq(NDK_ADAPTER *Adapter, ULONG Depth, NDK_FN_CQ_NOTIFICATION_CALLBACK Notify,
                      PVOID Context, NDK_CQ **Cq);
NTSTATUS SyncCreatePd(NDK_ADAPTER *Adapter, NDK_PD **Pd);
NTSTATUS SyncCreateConnector(NDK_ADAPTER *Adapter, NDK_CONNECTOR **Connector);
NTSTATUS SyncCreateListener(NDK_ADAPTER *Adapter, NDK_FN_CONNECT_EVENT_CALLBACK Event,
                            PVOID Context, NDK_LISTENER **Listener);
NTSTATUS SyncCreateMr(NDK_PD *Pd, BOOLEAN FastRegister, NDK_MR **Mr);
NTSTATUS SyncCreateMw(NDK_PD *Pd, NDK_MW **Mw);

typedef struct _SYNC_QP_SIZES {
    ULONG ReceiveDepth;
    ULONG InitiatorDepth;
    ULONG ReceiveSge;
    ULONG InitiatorSge;
    ULONG InlineBytes;
} SYNC_QP_SIZES, *PSYNC_QP_SIZES;
NTSTATUS SyncCreateQp(NDK_PD *Pd, NDK_CQ *ReceiveCq, NDK_CQ *InitiatorCq, PVOID Context,
                      const SYNC_QP_SIZES *Sizes, NDK_QP **Qp);

/* Requests. */
NTSTATUS SyncRegisterMr(NDK_MR *Mr, PMDL Mdl, ULONG Bytes, ULONG Flags);
NTSTATUS SyncDeregisterMr(NDK_MR *Mr);
NTSTATUS SyncInitializeFastRegisterMr(NDK_MR *Mr, ULONG Pages, BOOLEAN RemoteAccess);
NTSTATUS SyncListen(NDK_LISTENER *Listener, const SOCKADDR *Address, ULONG AddressBytes);
NTSTATUS SyncDisconnect(NDK_CONNECTOR *Connector);

/* Closes under way. Lives until CloseGroupWait has returned. */
typedef struct _CLOSE_GROUP {
    LONG Pending; /* closes that were not completed yet, and one while more may be started */
    KEVENT Empty;
} CLOSE_GROUP, *PCLOSE_GROUP;

VOID CloseGroupInit(PCLOSE_GROUP Group);
/* Starts a close and does not wait. IRQL <= DISPATCH_LEVEL. */
VOID CloseGroupStart(PCLOSE_GROUP Group, NDK_OBJECT_HEADER *Object, NDK_FN_CLOSE_OBJECT Close);
/* Waits for all closes. None may be started from now on. */
VOID CloseGroupWait(PCLOSE_GROUP Group);

/* Closes one object and waits. */
VOID SyncClose(NDK_OBJECT_HEADER *Object, NDK_FN_CLOSE_OBJECT Close);

#endif
