/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver gets for <memory.h>: never the host's. */
#ifndef NDKSIM_WDK_CRT_MEMORY_H
#define NDKSIM_WDK_CRT_MEMORY_H

#include "../wdm/crt.h"

#endif
