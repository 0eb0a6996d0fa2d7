/* SPDX-License-Identifier: Apache-2.0 */
/* Compiler intrinsics of Microsoft's compiler, as kernel functions. */
#ifndef NDKSIM_WDK_CRT_INTRIN_H
#define NDKSIM_WDK_CRT_INTRIN_H

#include "../wdm/interlocked.h"

#endif
