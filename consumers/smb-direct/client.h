/* SPDX-License-Identifier: Apache-2.0 */
/* smb-direct-client: what its files share. See client.c. */
#ifndef SMB_DIRECT_CLIENT_H
#define SMB_DIRECT_CLIENT_H

#include "driver.h"
#include "mini_client.h"
#include "smbd_path.h"

typedef struct _WORKER {
    struct _SMB_CLIENT *Driver;
    ULONG Number;
    ULONG64 WriteBytes;
    ULONG64 ReadBytes;
    ULONG Smalls;
    ULONG TeardownsLeft;
    MINI_CLIENT Mini;
    PSMBD_CONNECTION Connection; /* under the driver's lock */
    PVOID Thread;
} WORKER, *PWORKER;

typedef struct _SMB_CLIENT {
    SMBD_TRANSPORT Transport;
    MINI_SETTINGS Mini;
    RDMA_ADDRESS Local[ADDRESS_MAX];
    RDMA_ADDRESS Remote[ADDRESS_MAX];
    ULONG AddressCount;
    ULONG WorkerCount;
    ULONG ReconnectCount;
    ULONG ReconnectDelayMs;
    ULONG RetryCount;
    ULONG RetryDelayMs;
    ULONG TeardownAfterBytes;
    ULONG SessionId; /* of the first worker; 0: none */
    KEVENT Stop;
    KSPIN_LOCK Lock; /* taken before a connection's */
    PWORKER Workers;
    LONG ConnectionSerial;
    BOOLEAN IsAdapterGone;     /* under the lock: no connection is made now */
    EX_RUNDOWN_REF AdapterUse; /* a worker has a connection */
    KEVENT AdapterUp;          /* notification: may be used, or never comes back */
    BOOLEAN IsAdapterLost;     /* it does not come back */
    LONG LiveWorkers;
    KEVENT WorkersDone; /* notification */
    PVOID Thread;
} SMB_CLIENT, *PSMB_CLIENT;

/* client_session.c. PASSIVE_LEVEL, the worker's thread: connects, works, takes it down. */
VOID ClientSession(PWORKER Worker);

#endif
