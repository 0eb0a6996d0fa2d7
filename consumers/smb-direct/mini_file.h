/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server's files: pool buffers that outlive connections. At most one connection has a file
 * open; opening it again ends the older connection first, so that no late request of it can touch
 * the content any more. PASSIVE_LEVEL.
 */
#ifndef SMB_DIRECT_MINI_FILE_H
#define SMB_DIRECT_MINI_FILE_H

#include "smbd.h"

#define MINI_FILE_BYTES_MAX (64u << 20)

typedef struct _MINI_FILE {
    LIST_ENTRY Link;
    ULONG Id;
    ULONG Bytes;
    PUCHAR Buffer;
    PSMBD_CONNECTION Owner; /* NULL: nobody has it open */
    KEVENT Released;        /* notification: set while there is no owner */
} MINI_FILE, *PMINI_FILE;

typedef struct _MINI_STORE {
    KSPIN_LOCK Lock; /* taken before a connection's lock */
    LIST_ENTRY Files;
} MINI_STORE, *PMINI_STORE;

VOID StoreInit(PMINI_STORE Store);
VOID StoreDeinit(PMINI_STORE Store);

/*
 * Opens a file, makes it when it is new (its content is then generation 0 of the pattern). Waits
 * until an older connection has let go of it; STATUS_CANCELLED when `Connection` ends meanwhile.
 */
NTSTATUS StoreOpen(PMINI_STORE Store, PSMBD_CONNECTION Connection, ULONG Id, ULONG Bytes,
                   ULONG64 Seed, PMINI_FILE *File);
/* No request of the connection uses it any more. */
VOID StoreRelease(PMINI_STORE Store, PMINI_FILE File);

#endif
