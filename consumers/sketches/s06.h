/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S06: a driver that does all of its work in DriverEntry. It listens and accepts, and the other end
 * never answers, so that the accept stays pending; then it wants to leave.
 */
#ifndef SKETCHES_S06_H
#define SKETCHES_S06_H

#include "sketch.h"

extern RDMA_ADAPTER S06Rdma;
extern SKETCH_END S06End;
extern NDK_LISTENER *S06Listener;

/* The end of DriverEntry: each driver's own. */
VOID S06Leave(VOID);

#endif
