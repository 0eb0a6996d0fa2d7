/* SPDX-License-Identifier: Apache-2.0 */
#include <ntddk.h>

VOID VendorSleep(ULONG Milliseconds);
ULONG VendorClockMs(VOID);
BOOLEAN VendorMeet(VOID);
ULONG VendorPick(VOID);
PVOID VendorBlock(ULONG Bytes);
VOID VendorRelease(PVOID Block);
