/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Client half of the request layer: a plan of writes, reads and small messages over one file, which
 * outlives connections. What was under way when a connection ended is done again on the next one.
 * Runs on the worker's thread.
 *
 *   slot:  Free --work--> Assigned --sent--> Waiting --answered--> Releasing --access ended--> Free
 *                            ^--- connection ended, not answered ---'
 *
 * The file is written and read in units of IoSize. Each write of a unit gives it its next
 * generation; a unit is never under way twice.
 */
#ifndef SMB_DIRECT_MINI_CLIENT_H
#define SMB_DIRECT_MINI_CLIENT_H

#include "lam.h"
#include "mini_wire.h"
#include "smbd_timer.h"

typedef enum _MINI_SLOT_STATE {
    SlotFree,
    SlotAssigned,
    SlotWaiting,
    SlotReleasing
} MINI_SLOT_STATE;
typedef enum _MINI_ACCESS {
    AccessFast,   /* fast registration for each request, invalidated by the server */
    AccessStatic, /* registered once per connection */
    AccessPerUse  /* registered and deregistered for each request */
} MINI_ACCESS;

typedef struct _MINI_WORK {
    USHORT Opcode; /* MiniWrite, MiniRead, MiniEcho */
    ULONG Unit;
    ULONG Generation;
    ULONG Bytes;
} MINI_WORK, *PMINI_WORK;

typedef struct _MINI_SLOT {
    SMBD_OUTBOUND Request;
    SMBD_REGISTRATION Registration;
    struct _MINI_CLIENT *Client;
    MINI_SLOT_STATE State;
    MINI_WORK Work;
    MINI_HEADER Header;
    PUCHAR Buffer;
    PMDL Mdl;
    ULONG Bytes;          /* of the buffer */
    RDMA_MAPPING Mapping; /* while there is a connection */
    RDMA_REGION Region;   /* without fast registration */
    SMBD_TIMER Timer;     /* while an answer is owed, with RequestMs */
} MINI_SLOT, *PMINI_SLOT;

typedef struct _MINI_SETTINGS {
    ULONG64 Seed;
    ULONG FileId;
    ULONG FileBytes;
    ULONG IoBytes;
    ULONG SmallBytes;  /* of a small message, at most */
    ULONG RdmaBytes;   /* requests of at least this size go by RDMA */
    ULONG Descriptors; /* a buffer is described in so many pieces */
    ULONG SlotCount;
    ULONG PauseMs; /* the connection is left alone for so long before it is closed */
    MINI_ACCESS Access;
} MINI_SETTINGS, *PMINI_SETTINGS;

/* Requests of one kind. */
typedef struct _MINI_TALLY {
    ULONG Total;
    ULONG Issued;
    ULONG Done;
} MINI_TALLY, *PMINI_TALLY;

typedef struct _MINI_CLIENT {
    PSMBD_TRANSPORT Transport;
    PSMBD_CONNECTION Connection; /* of this session */
    MINI_SETTINGS Settings;
    PMINI_SLOT Slots;
    ULONG Serial;
    ULONG UnitCount;
    PULONG Generations;
    PUCHAR UnitBusy;
    MINI_TALLY Writes;
    MINI_TALLY Reads;
    MINI_TALLY Smalls;
    BOOLEAN PrefersSmall;  /* small messages alternate with the rest */
    SMBD_OUTBOUND Control; /* open and close */
    BOOLEAN ControlAnswered;
    NTSTATUS ControlStatus;
    ULONG64 SessionBytes;
    ULONG Progress;        /* requests done, ever */
    ULONG64 EndAfterBytes; /* the session ends itself after so many; 0: never */
    BOOLEAN EndedItself;
} MINI_CLIENT, *PMINI_CLIENT;

/* mini_client.c */
NTSTATUS MiniClientInit(PMINI_CLIENT Client, PSMBD_TRANSPORT Transport,
                        const MINI_SETTINGS *Settings);
VOID MiniClientDeinit(PMINI_CLIENT Client);
/* Adds to the plan. */
VOID MiniClientPlan(PMINI_CLIENT Client, ULONG64 WriteBytes, ULONG64 ReadBytes, ULONG Smalls);
BOOLEAN MiniClientIsDone(const MINI_CLIENT *Client);
/* Works on an established connection until the plan is done or the connection ends. */
VOID MiniClientRun(PMINI_CLIENT Client, PSMBD_CONNECTION Connection);
/* The connection's NDK objects are closed. */
VOID MiniClientDetach(PMINI_CLIENT Client);

/* mini_client_slot.c */
NTSTATUS MiniSlotInit(PMINI_CLIENT Client, PMINI_SLOT Slot);
VOID MiniSlotDeinit(PMINI_SLOT Slot);
NTSTATUS MiniSlotAttach(PMINI_SLOT Slot);
VOID MiniSlotDetach(PMINI_SLOT Slot);
/* Sends an assigned slot's request. */
NTSTATUS MiniSlotSend(PMINI_SLOT Slot);
/* An answer to a waiting slot: verifies it. STATUS_SUCCESS, or why the connection has to end. */
NTSTATUS MiniSlotAnswer(PMINI_SLOT Slot, PSMBD_INBOUND Inbound, const MINI_HEADER *Header);
/* The connection has ended: the request has no limit any more. */
VOID MiniSlotStop(PMINI_SLOT Slot);
/* Whole messages of the connection, as soon as they are in; its lock is held. */
VOID MiniSlotArrived(PSMBD_CONNECTION Connection, const SMBD_INBOUND *Inbound);
/* Moves a releasing slot on when the server's access has ended. */
VOID MiniSlotRelease(PMINI_SLOT Slot);

#endif
