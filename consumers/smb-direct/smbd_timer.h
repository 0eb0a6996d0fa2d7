/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time limit of a request of the layer above, from before it is sent until its answer has come
 * in: a thread that is slow to look at answers makes no timeout. One that expires ends the
 * connection.
 *
 * A KTIMER is out from when it is set until it is cancelled or its DPC has run, and holds the
 * connection (TimerUse) for so long. Arming one that is still out only moves the deadline; its DPC
 * looks at that and sets it again if it came too early.
 */
#ifndef SMB_DIRECT_SMBD_TIMER_H
#define SMB_DIRECT_SMBD_TIMER_H

#include "smbd.h"

typedef struct _SMBD_TIMER {
    KTIMER Timer;
    KDPC Dpc;
    PSMBD_CONNECTION Connection; /* while it is out */
    ULONGLONG Deadline;          /* interrupt time, 100 ns */
    BOOLEAN IsArmed;
    BOOLEAN IsOut;
} SMBD_TIMER, *PSMBD_TIMER;

VOID SmbdTimerInit(PSMBD_TIMER Timer);
/* Under the connection's lock. */
VOID SmbdTimerArmLocked(PSMBD_TIMER Timer, PSMBD_CONNECTION Connection, ULONG Milliseconds);
/* Under the connection's lock; nothing if it is not armed. */
VOID SmbdTimerStopLocked(PSMBD_TIMER Timer);
/* PASSIVE_LEVEL: waits until no timer of the connection is out. All are stopped. */
VOID SmbdTimersWait(PSMBD_CONNECTION Connection);

#endif
