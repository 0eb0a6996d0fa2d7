/* SPDX-License-Identifier: Apache-2.0 */
/* Formatted text for drivers. There are no streams; output goes through DbgPrint. */
#ifndef NDKSIM_WDK_CRT_STDIO_H
#define NDKSIM_WDK_CRT_STDIO_H

#include "../wdm/crt.h"

#define sprintf(Buffer, ...) _snprintf(Buffer, (size_t)0x7fffffff, __VA_ARGS__)
#define vsprintf(Buffer, Format, ArgList) _vsnprintf(Buffer, (size_t)0x7fffffff, Format, ArgList)
#define swprintf(Buffer, ...) _snwprintf(Buffer, (size_t)0x7fffffff, __VA_ARGS__)

#endif
