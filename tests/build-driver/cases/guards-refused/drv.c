/* SPDX-License-Identifier: Apache-2.0 */
#include <ntddk.h>

NTSTATUS Work(ULONG Count);
NTSTATUS Work(ULONG Count) {
    for (ULONG i = 0; i < Count; i++) {
        __try {
            if (i == 1)
                continue;
            do {
                break;
            } while (Count != 0);
        } __except (EXCEPTION_EXECUTE_HANDLER) {
            break;
        }
    }
    __try {
        if (Count == 3)
            return STATUS_SUCCESS;
        if (Count == 4)
            goto inside;
        if (Count == 5)
            goto outside;
    inside:
        Count++;
    } __finally {
        DbgPrint("done\n");
    }
outside:
    return STATUS_UNSUCCESSFUL;
}
