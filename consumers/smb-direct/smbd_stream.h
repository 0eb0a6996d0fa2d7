/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fragments become messages again. Empty messages (credits, keepalive) may come between fragments
 * and are no part of the sequence. Under the connection's lock; IRQL <= DISPATCH_LEVEL.
 *
 *   Current NULL  --first fragment--> Current owes Length - Filled bytes --last--> whole
 */
#ifndef SMB_DIRECT_SMBD_STREAM_H
#define SMB_DIRECT_SMBD_STREAM_H

#include "smbd_wire.h"

/* A received message. Blocks are used again: a connection needs as many as it has under way. */
typedef struct _SMBD_INBOUND {
    LIST_ENTRY Link;
    ULONG Capacity;
    ULONG Length; /* of the whole message */
    ULONG Filled;
    UINT32 InvalidatedToken; /* of ours, invalidated by the sender; 0: none */
    UCHAR Data[ANYSIZE_ARRAY];
} SMBD_INBOUND, *PSMBD_INBOUND;

typedef struct _SMBD_STREAM {
    LIST_ENTRY Free;
    PSMBD_INBOUND Current;
    BOOLEAN IsStrict; /* RemainingDataLength must be exact in every fragment */
} SMBD_STREAM, *PSMBD_STREAM;

VOID StreamInit(PSMBD_STREAM Stream, BOOLEAN IsStrict);
VOID StreamDeinit(PSMBD_STREAM Stream);

/*
 * Takes the payload of one message that passed CheckData. *Whole is the message that it completed,
 * or NULL. The answer is NULL, or the reason for which the connection ends.
 */
PCSTR StreamFragment(PSMBD_STREAM Stream, const SMBD_HEADER *Header, const UCHAR *Payload,
                     UINT32 InvalidatedToken, PSMBD_INBOUND *Whole);
/* Gives a message back. */
VOID StreamReturn(PSMBD_STREAM Stream, PSMBD_INBOUND Inbound);

#endif
