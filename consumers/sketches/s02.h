/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S02: a CQ is closed while its notification runs, so that the close has to pend. Shared: a CQ
 * whose notification takes 40 us, entered because of a flushed receive.
 */
#ifndef SKETCHES_S02_H
#define SKETCHES_S02_H

#include "sketch.h"

/* Makes the CQ and has its notification running; the QP is closed again. */
NTSTATUS S02Enter(NDK_CQ **Cq);
/* After the CQ's close. */
VOID S02Leave(VOID);

#endif
