/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver gets for <string.h>: never the host's. */
#ifndef NDKSIM_WDK_CRT_STRING_H
#define NDKSIM_WDK_CRT_STRING_H

#include "../wdm/crt.h"

#endif
