/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device's start and stop, as often as it takes: at MiniportInitializeEx and MiniportHaltEx,
 * around a loss of power, and to recover a device that failed or is to be reset.
 *
 *   stopped --DeviceStart--> [enabled, command ring, initialised, event queues, addresses, QP1]
 *                                      up --DeviceStop--> stopped
 *
 * DeviceStop gives everything back from whatever stage was reached. No NDK adapter is open, so that
 * the device has no objects but this driver's own.
 */
#include "adapter.h"

#define RNIC_READY_POLL_US 5u
#define RNIC_READY_POLLS 20000u

static NTSTATUS EnableDevice(PRNIC_ADAPTER Adapter) {
    ULONG i;

    if (RegisterRead32(Adapter, RNIC_REG_MAGIC) != RNIC_MAGIC) {
        return STATUS_DEVICE_NOT_READY;
    }
    RegisterWrite32(Adapter, RNIC_REG_CONTROL, RNIC_CONTROL_RESET);
    RegisterWrite32(Adapter, RNIC_REG_CONTROL, RNIC_CONTROL_ENABLE);
    for (i = 0; i < RNIC_READY_POLLS; i++) {
        if ((RegisterRead32(Adapter, RNIC_REG_STATUS) & RNIC_STATUS_READY) != 0) {
            return STATUS_SUCCESS;
        }
        NdisMSleep(RNIC_READY_POLL_US);
    }
    return STATUS_DEVICE_NOT_READY;
}

static NTSTATUS InitDevice(PRNIC_ADAPTER Adapter) {
    RNIC_COMMAND Command;
    ULONG Mac0 = RegisterRead32(Adapter, RNIC_REG_MAC_0);
    ULONG Mac1 = RegisterRead32(Adapter, RNIC_REG_MAC_1);

    RtlCopyMemory(Adapter->Mac, &Mac0, 4);
    RtlCopyMemory(Adapter->Mac + 4, &Mac1, 2);
    Adapter->LinkSpeedBps = RegisterRead32(Adapter, RNIC_REG_LINK_RATE_MBPS) * 1000000ull;
    Adapter->MtuBytes = RegisterRead32(Adapter, RNIC_REG_LINK_MTU);
    CommandInit(&Command, RNIC_CMD_INIT, 0);
    if (CommandPolled(Adapter, &Command, NULL, 0) != RNIC_STATUS_OK) {
        return CommandNtStatus(Command.Status);
    }
    Adapter->DeviceReady = TRUE;
    CommandInit(&Command, RNIC_CMD_QUERY_CAPS, 0);
    CommandPolled(Adapter, &Command, &Adapter->Caps, sizeof(Adapter->Caps));
    return CommandNtStatus(Command.Status);
}

/* Stops where a step fails. */
NTSTATUS DeviceStart(PRNIC_ADAPTER Adapter) {
    static NTSTATUS (*const Step[])(PRNIC_ADAPTER Adapter) = {
        EnableDevice,    CommandStart, InitDevice,   EqStart,
        AdapterFillInfo, CmStart,      AddressStart, GsiStart,
    };
    NTSTATUS Status = STATUS_SUCCESS;
    ULONG i;

    Adapter->Stopping = FALSE;
    Adapter->FatalSeen = FALSE;
    for (i = 0; i < RTL_NUMBER_OF(Step) && NT_SUCCESS(Status); i++) {
        Status = Step[i](Adapter);
    }
    return Status;
}

static VOID StopDevice(PRNIC_ADAPTER Adapter) {
    RNIC_COMMAND Command;
    RNIC_TRAFFIC Traffic;

    if (Adapter->DeviceReady) {
        OidReadTraffic(Adapter, &Traffic);
        CommandInit(&Command, RNIC_CMD_TEARDOWN, 0);
        CommandPolled(Adapter, &Command, NULL, 0);
        Adapter->DeviceReady = FALSE;
    }
    if (Adapter->Bar[RNIC_BAR_REGISTERS] != NULL) {
        RegisterWrite32(Adapter, RNIC_REG_CONTROL, RNIC_CONTROL_RESET);
    }
}

static BOOLEAN Nothing(NDIS_HANDLE SynchronizeContext) {
    UNREFERENCED_PARAMETER(SynchronizeContext);
    return TRUE;
}

/* No service routine does anything and no DPC of an event queue runs from here on. */
static VOID StopEvents(PRNIC_ADAPTER Adapter) {
    ULONG i;

    Adapter->Stopping = TRUE;
    if (Adapter->InterruptHandle != NULL) {
        for (i = 0; i < Adapter->VectorCount; i++) {
            NdisMSynchronizeWithInterruptEx(Adapter->InterruptHandle, i, Nothing, NULL);
        }
    }
    for (i = 0; i < RNIC_EQ_COUNT_MAX; i++) {
        if (Adapter->Eqs[i].First.Created) {
            KeRemoveQueueDpc(&Adapter->Eqs[i].Dpc);
        }
    }
    KeFlushQueuedDpcs();
}

VOID DeviceStop(PRNIC_ADAPTER Adapter) {
    CmStop(Adapter);
    WindowsStop(Adapter);
    StopEvents(Adapter);
    GsiStop(Adapter);
    EqStop(Adapter);
    StopDevice(Adapter);
    CommandStop(Adapter);
    KeFlushQueuedDpcs();
}
