/* SPDX-License-Identifier: Apache-2.0 */
/* Wider name of <wdm.h>; adds nothing that an NDK driver uses. */
#ifndef NDKSIM_WDK_NTIFS_H
#define NDKSIM_WDK_NTIFS_H

#include "ntddk.h"

#endif
