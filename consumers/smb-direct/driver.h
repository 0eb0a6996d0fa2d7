/* SPDX-License-Identifier: Apache-2.0 */
/* What client and server drivers share: their transport's registry values. PASSIVE_LEVEL. */
#ifndef SMB_DIRECT_DRIVER_H
#define SMB_DIRECT_DRIVER_H

#include "smbd.h"

#define SMB_PORT 445u
#define ADDRESS_MAX 2u

/* Limits, sizes, timers, teardown mode; `RequestCount` is the default of QueueDepth. */
VOID TransportRead(PSMBD_TRANSPORT Transport, PCSTR Name, ULONG RequestCount);
/* Opens the adapter, again and again for a while: it may not be enabled yet. */
NTSTATUS TransportOpen(PSMBD_TRANSPORT Transport, PKEVENT Stop);
/* The adapter goes away: everything of it is closed. Closes it, and opens it when it is back. */
NTSTATUS TransportRenew(PSMBD_TRANSPORT Transport, PKEVENT Stop);

#endif
