/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S16: the first message comes as soon as the connection is up. Is there a receive for it? The
 * server's part that both drivers share. Counters: received, cancelled, disconnects.
 */
#ifndef SKETCHES_S16_H
#define SKETCHES_S16_H

#include "sketch.h"

#define S16_RECEIVES 2u

/* Listens and waits for one connection; *Connector is what was handed over. */
NTSTATUS S16Open(PSKETCH_END End, NDK_CONNECTOR **Connector);
NTSTATUS S16PostReceives(PSKETCH_END End);
/* Waits until a message came or the connection ended, and closes everything. */
VOID S16Finish(PSKETCH_END End);

#endif
