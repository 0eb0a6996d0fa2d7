/* SPDX-License-Identifier: Apache-2.0 */
#include <ntddk.h>

VOID Work(ULONG Count);
VOID Work(ULONG Count) {
    while (Count != 0) {
        __try {
            VendorNow(Count);
            break;
        } __except (EXCEPTION_EXECUTE_HANDLER) {
            Count = 0;
        }
    }
    FltStartFiltering(Count);
}
