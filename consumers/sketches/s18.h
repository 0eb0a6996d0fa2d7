/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S18: two equal sides, each with one credit and with buffers that come back slowly. Each sends
 * S18_MESSAGES messages; a message carries the credits that its sender grants. One side connects
 * (it has a RemoteAddress), the other one listens. Counters: sent, received.
 *
 *   buffer: with the peer's credit (posted) --message--> kept --10 us--> posted, not granted yet
 */
#ifndef SKETCHES_S18_H
#define SKETCHES_S18_H

#include "sketch.h"

#define S18_MESSAGES 6u
#define S18_BUFFERS 2u

/* Under the lock; DISPATCH_LEVEL. The two drivers differ here. */
BOOLEAN S18MaySend(ULONG Credits, ULONG Grantable);

#endif
