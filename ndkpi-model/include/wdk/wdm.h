/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel services of a driver, whole. The parts are in wdm/. */
#ifndef NDKSIM_WDK_WDM_H
#define NDKSIM_WDK_WDM_H

#include "ntdef.h"
#include "ntstatus.h"
#include "bugcodes.h"
#include "devioctl.h"
#include "wdm/rtl.h"
#include "wdm/interlocked.h"
#include "wdm/ke.h"
#include "wdm/ex.h"
#include "wdm/mm.h"
#include "wdm/hal.h"
#include "wdm/ps.h"
#include "wdm/io.h"
#include "wdm/io_queue.h"
#include "wdm/zw.h"
#include "wdm/exception.h"

#define NTDDI_WIN8 0x06020000
#define NTDDI_WINBLUE 0x06030000
#define NTDDI_WIN10 0x0A000000
#define NTDDI_WIN10_RS1 0x0A000002
#define NTDDI_WIN10_VB 0x0A000008
#define NTDDI_WIN10_FE 0x0A00000A
#define NTDDI_WIN10_CO 0x0A00000B
#ifndef NTDDI_VERSION
#define NTDDI_VERSION NTDDI_WIN10_CO
#endif
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00
#endif

#endif
