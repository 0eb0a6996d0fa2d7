/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S19: one thread of the server sends a message in three fragments, another one a keepalive. A
 * fragment says how many bytes of its message are still to come; a keepalive is a fragment of no
 * bytes after which nothing comes. The client puts the bytes together. Counters: sent (server),
 * bytes, mismatches (client).
 */
#ifndef SKETCHES_S19_H
#define SKETCHES_S19_H

#include "sketch.h"

#define S19_FRAGMENTS 3u
#define S19_FRAGMENT_BYTES 16u
#define S19_MESSAGE_BYTES (S19_FRAGMENTS * S19_FRAGMENT_BYTES)

/* How a fragment begins. */
typedef struct _S19_HEAD {
    ULONG Bytes;     /* of the message, in this fragment */
    ULONG Remaining; /* after it */
} S19_HEAD, *PS19_HEAD;

#define S19_SLOT_BYTES 32u /* place of a fragment in the region */
C_ASSERT(sizeof(S19_HEAD) + S19_FRAGMENT_BYTES <= S19_SLOT_BYTES);

/* Around what is one message on the wire. PASSIVE_LEVEL. The two servers differ here. */
VOID S19BatchBegin(PFAST_MUTEX Batch);
VOID S19BatchEnd(PFAST_MUTEX Batch);

#endif
