/* SPDX-License-Identifier: Apache-2.0 */
/* Formatted text for drivers. There are no streams; output goes through DbgPrint. */
#ifndef NDKSIM_WDK_CRT_STDIO_H
#define NDKSIM_WDK_CRT_STDIO_H

#include "../wdm/crt.h"

#define sprintf(Buffer, ...) _snprintf(Buffer, (size_t)0x7fffffff, __VA_ARGS__)
#define vsprintf(Buffer, Format, ArgList) _vsnprintf(Buffer, (size_t)0x7fffffff, Format, ArgList)
#define sprintf_s(Buffer, Size, ...) _snprintf(Buffer, Size, __VA_ARGS__)
#define _snprintf_s(Buffer, Size, Count, ...) _snprintf(Buffer, Size, __VA_ARGS__)
#define _vsnprintf_s(Buffer, Size, Count, Format, ArgList) _vsnprintf(Buffer, Size, Format, ArgList)

#endif
