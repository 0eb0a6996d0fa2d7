/* SPDX-License-Identifier: Apache-2.0 */
/* S04: the private data of a connect, whose length a driver has to ask for. */
#ifndef SKETCHES_S04_H
#define SKETCHES_S04_H

#include "sketch.h"

/* Called in the connect event; *Bytes gets how many there were. */
NTSTATUS S04Fetch(NDK_CONNECTOR *Connector, PULONG Bytes);

#endif
