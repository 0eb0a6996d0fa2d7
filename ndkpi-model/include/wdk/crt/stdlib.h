/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver gets for <stdlib.h>: never the host's. */
#ifndef NDKSIM_WDK_CRT_STDLIB_H
#define NDKSIM_WDK_CRT_STDLIB_H

#include "../wdm/crt.h"

#endif
