/* SPDX-License-Identifier: Apache-2.0 */
/* System threads that somebody waits for before the driver goes. PASSIVE_LEVEL. */
#ifndef CONSUMERS_BASE_THREAD_H
#define CONSUMERS_BASE_THREAD_H

#include <ntddk.h>

/* *Thread holds a reference until ThreadJoin. */
NTSTATUS ThreadStart(PKSTART_ROUTINE Routine, PVOID Context, PVOID *Thread);
/* Waits until the thread is gone for good, its last instruction included. NULL: nothing. */
VOID ThreadJoin(PVOID Thread);
/* Sleeps, or wakes early when `Stop` is set; TRUE then. */
BOOLEAN ThreadSleep(PKEVENT Stop, ULONG Milliseconds);

#endif
