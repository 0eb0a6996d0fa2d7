/* SPDX-License-Identifier: Apache-2.0 */
#include "vendor.h"

#include <ndksim_shim.h>

static NDKSIM_SHIM_WAITER Waiter;

VOID VendorSleep(ULONG Milliseconds) {
    NdksimShimInit(&Waiter);
    (void)NdksimShimWait(&Waiter, Milliseconds * 1000000ULL);
}

ULONG VendorClockMs(VOID) {
    return (ULONG)(NdksimShimTimeNs() / 1000000);
}

static VOID VendorThread(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    NdksimShimWake(&Waiter);
}

BOOLEAN VendorMeet(VOID) {
    static BOOLEAN IsStarted;
    HANDLE Thread;

    if (!IsStarted) {
        IsStarted = TRUE;
        NdksimShimInit(&Waiter);
        if (NT_SUCCESS(PsCreateSystemThread(&Thread, 0, NULL, NULL, NULL, VendorThread, NULL))) {
            ZwClose(Thread);
            return NdksimShimWait(&Waiter, NDKSIM_SHIM_FOR_EVER);
        }
    }
    return NdksimShimWait(&Waiter, 0);
}

ULONG VendorPick(VOID) {
    static PCSTR const Labels[] = {"this", "that"};

    return NdksimChoose("vendor.pick", NULL, Labels, 2);
}

PVOID VendorBlock(ULONG Bytes) {
    return NdksimShimAlloc(Bytes);
}

VOID VendorRelease(PVOID Block) {
    NdksimShimFree(Block);
}
