/* SPDX-License-Identifier: Apache-2.0 */
/* Wider name of <wdm.h>; adds nothing that an NDK driver uses. */
#ifndef NDKSIM_WDK_NTDDK_H
#define NDKSIM_WDK_NTDDK_H

#include "wdm.h"

#endif
