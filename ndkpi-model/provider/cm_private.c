/* SPDX-License-Identifier: Apache-2.0 */
/* Private data of consumers, while a connector keeps it; see cm.h. */
#include "adapter.h"

VOID CmPrivateDrop(PRNIC_CM_PRIVATE Private) {
    PoolPut(Private->Bytes);
    RtlZeroMemory(Private, sizeof(*Private));
}

BOOLEAN CmPrivateSet(PRNIC_CM_PRIVATE Private, const UCHAR *Bytes, ULONG Count) {
    ULONG Kept = Count;

    CmPrivateDrop(Private);
    while (Kept != 0 && Bytes[Kept - 1] == 0) {
        Kept--;
    }
    if (Kept != 0) {
        Private->Bytes = PoolGet(Kept);
        if (Private->Bytes == NULL) {
            return FALSE;
        }
        RtlCopyMemory(Private->Bytes, Bytes, Kept);
    }
    Private->Kept = Kept;
    Private->Count = Count;
    return TRUE;
}

VOID CmPrivateCopy(const RNIC_CM_PRIVATE *Private, PUCHAR To, ULONG Space) {
    ULONG Kept = min(Private->Kept, Space);

    if (Kept != 0) {
        RtlCopyMemory(To, Private->Bytes, Kept);
    }
    RtlZeroMemory(To + Kept, min(Private->Count, Space) - Kept);
}
