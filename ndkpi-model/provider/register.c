/* SPDX-License-Identifier: Apache-2.0 */
/* Access to the device's registers and doorbells. */
#include "adapter.h"

ULONG RegisterRead32(PRNIC_ADAPTER Adapter, ULONG Offset) {
    return READ_REGISTER_ULONG((PULONG)((PUCHAR)Adapter->Bar[RNIC_BAR_REGISTERS] + Offset));
}

VOID RegisterWrite32(PRNIC_ADAPTER Adapter, ULONG Offset, ULONG Value) {
    WRITE_REGISTER_ULONG((PULONG)((PUCHAR)Adapter->Bar[RNIC_BAR_REGISTERS] + Offset), Value);
}

VOID RegisterWrite64(PRNIC_ADAPTER Adapter, ULONG Offset, ULONG64 Value) {
    WRITE_REGISTER_ULONG64((PULONG64)((PUCHAR)Adapter->Bar[RNIC_BAR_REGISTERS] + Offset), Value);
}

VOID DoorbellRing(PRNIC_ADAPTER Adapter, ULONG Doorbell, ULONG Number, ULONG Command, ULONG Index) {
    WRITE_REGISTER_ULONG64((PULONG64)((PUCHAR)Adapter->Bar[RNIC_BAR_DOORBELLS] + Doorbell),
                           RNIC_DOORBELL_VALUE(Number, Command, Index));
}
