/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver gets for <wchar.h>: never the host's. */
#ifndef NDKSIM_WDK_CRT_WCHAR_H
#define NDKSIM_WDK_CRT_WCHAR_H

#include "../wdm/crt.h"

#endif
