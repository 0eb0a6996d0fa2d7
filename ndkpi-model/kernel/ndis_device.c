/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scenario's device events, each in a thread of its own; PnP delivers one at a time.
 *
 *   disable, enable, restart (with keywords that were changed), power down and up, reset;
 *   surprise removal, and the device's return: what was removed is enabled again by "insert";
 *   shutdown: the handler quiets the device, then the node is off, with all that was under way
 *
 * A removal overtakes what is under way. The miniport is told at once, so that it ends what its
 * device no longer does, and with that the closes that a disable, a loss of power or a reset waits
 * for; these then find the device gone. The halt of the removal itself has its turn behind them.
 */
#include <string.h>

#include "adapter.h"
#include "driver_state.h"
#include "pool.h"
#include "thread.h"
#include "wsk_state.h"

struct pnp {
    struct krn_adapter *adapter;
    enum krn_pnp action;
    struct krn_step *step;
    struct sim_event off; /* shutdown: the node's end, outside of its tasks */
};

void krn_adapter_pnp_begin(struct krn_adapter *adapter) {
    if (adapter->pnp_is_busy && !adapter->has_pnp_free) {
        krn_gate_init(adapter->node, &adapter->pnp_free, &adapter->object, "pnp_free");
        adapter->has_pnp_free = true;
    }
    while (adapter->pnp_is_busy) {
        krn_gate_shut(&adapter->pnp_free);
        krn_gate_wait(&adapter->pnp_free, "the device event before");
    }
    adapter->pnp_is_busy = true;
}

void krn_adapter_pnp_end(struct krn_adapter *adapter) {
    adapter->pnp_is_busy = false;
    if (adapter->has_pnp_free) {
        krn_gate_open(&adapter->pnp_free);
    }
}

static void device_event(struct krn_adapter *adapter, NDIS_DEVICE_PNP_EVENT event) {
    NET_DEVICE_PNP_EVENT notification = {0};
    struct krn_routine routine;

    if (adapter->miniport->handlers.DevicePnPEventNotifyHandler == NULL) {
        return;
    }
    notification.Header.Type = NDIS_OBJECT_TYPE_DEFAULT;
    notification.Header.Revision = NET_DEVICE_PNP_EVENT_REVISION_1;
    notification.Header.Size = sizeof(notification);
    notification.DevicePnPEvent = event;
    krn_routine_begin(&routine,
                      (const void *)adapter->miniport->handlers.DevicePnPEventNotifyHandler,
                      "MiniportDevicePnPEventNotify");
    adapter->miniport->handlers.DevicePnPEventNotifyHandler(adapter->context, &notification);
    krn_routine_end_ordered(&routine);
}

static void shut_down(struct krn_adapter *adapter) {
    struct krn_routine routine;

    if (adapter->miniport == NULL || adapter->miniport->handlers.ShutdownHandlerEx == NULL) {
        return;
    }
    krn_routine_begin(&routine, (const void *)adapter->miniport->handlers.ShutdownHandlerEx,
                      "MiniportShutdownEx");
    adapter->miniport->handlers.ShutdownHandlerEx(adapter->context, NdisShutdownPowerOff);
    krn_routine_end_ordered(&routine);
}

/* The machine goes down: whatever runs on the node is no more, and owes nothing to anybody. */
static void power_off(struct sim_world *world, struct sim_event *event) {
    struct pnp *pnp = SIM_CONTAINER_OF(event, struct pnp, off);
    struct krn_node *node = pnp->adapter->node;

    (void)world;
    node->is_off = true;
    for (uint32_t i = 0; i < node->cpu_count; i++) {
        sim_cpu_stop(node->cpus[i].cpu);
    }
    krn_step_end(pnp->step, STATUS_SUCCESS, 0);
}

bool krn_node_is_off(const struct krn_node *node) {
    return node->is_off;
}

/* ---- Power ---- */

static NTSTATUS set_power(struct krn_adapter *adapter, NET_DEVICE_POWER_STATE state) {
    struct krn_oid oid = {
        .oid = OID_PNP_SET_POWER, .is_set = true, .buffer = &state, .bytes = sizeof(state)};
    uint64_t bytes;
    NTSTATUS status = krn_adapter_oid_now(adapter, &oid, &bytes);

    sim_trace(adapter->node->world, KRN_TRACE_ADAPTER_POWER, SIM_ACCESS_WRITE, &adapter->object,
              NULL, NULL, (uint64_t)state, (ULONG)status);
    return status;
}

static void bus_power(struct krn_adapter *adapter, bool on) {
    if (adapter->device != NULL) {
        sim_bus_power_set(adapter->device, on);
    }
}

/* Nothing of NDK outlives the loss of power: consumers are off before, and come back after it. */
static NTSTATUS power_down(struct krn_adapter *adapter) {
    NTSTATUS status;

    if (adapter->state != KRN_ADAPTER_RUNNING) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    krn_ndk_refuse_begin(adapter);
    if (adapter->removal != KRN_REMOVAL_NONE) {
        krn_ndk_refuse_end(adapter);
        return STATUS_DEVICE_REMOVED;
    }
    krn_adapter_pause(adapter, NDIS_PAUSE_LOW_POWER);
    status = set_power(adapter, NetDeviceStateD3);
    if (!NT_SUCCESS(status)) {
        (void)krn_adapter_restart(adapter);
        krn_ndk_refuse_end(adapter);
        return status;
    }
    krn_adapter_state_set(adapter, KRN_ADAPTER_LOW_POWER);
    bus_power(adapter, false);
    return status;
}

static NTSTATUS power_up(struct krn_adapter *adapter) {
    NTSTATUS status;

    if (adapter->state != KRN_ADAPTER_LOW_POWER) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    bus_power(adapter, true);
    krn_adapter_state_set(adapter, KRN_ADAPTER_PAUSED);
    status = set_power(adapter, NetDeviceStateD0);
    if (NT_SUCCESS(status)) {
        status = krn_adapter_restart(adapter);
    }
    krn_ndk_refuse_end(adapter);
    if (adapter->ndk_is_enabled) {
        krn_wsk_notify(adapter->node);
    }
    return status;
}

/* ---- The rest ---- */

static NTSTATUS initialize(struct krn_adapter *adapter) {
    struct krn_driver *driver =
        adapter->driver_name != NULL ? krn_driver_find(adapter->node, adapter->driver_name) : NULL;

    if (driver == NULL || driver->miniport == NULL || driver->state != KRN_DRIVER_LOADED ||
        adapter->state != KRN_ADAPTER_ABSENT) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    return krn_adapter_initialize(adapter, driver->miniport);
}

static NTSTATUS restart(struct krn_adapter *adapter) {
    krn_adapter_halt(adapter, NdisHaltDeviceDisabled);
    if (adapter->device != NULL && adapter->device->unplugged) {
        return STATUS_DEVICE_REMOVED;
    }
    return initialize(adapter);
}

/* A miniport that is being initialised or halted is left to itself: its device answers no more. */
static bool may_be_told(const struct krn_adapter *adapter) {
    return adapter->removal == KRN_REMOVAL_NONE &&
           (adapter->state == KRN_ADAPTER_RUNNING || adapter->state == KRN_ADAPTER_PAUSED ||
            adapter->state == KRN_ADAPTER_LOW_POWER);
}

static void tell_of_removal(struct krn_adapter *adapter) {
    if (!may_be_told(adapter)) {
        return;
    }
    adapter->removal = KRN_REMOVAL_TELLING;
    device_event(adapter, NdisDevicePnPEventSurpriseRemoved);
    adapter->removal = KRN_REMOVAL_TOLD;
    if (adapter->has_told) {
        krn_gate_open(&adapter->told);
    }
}

static void removed(struct krn_adapter *adapter) {
    if (adapter->device != NULL) {
        sim_bus_remove(adapter->device);
    }
    sim_trace(adapter->node->world, KRN_TRACE_ADAPTER_REMOVED, SIM_ACCESS_CLOSE, &adapter->object,
              NULL, NULL, 0, 0);
    tell_of_removal(adapter);
}

static void surprise(struct krn_adapter *adapter) {
    tell_of_removal(adapter);
    krn_adapter_halt(adapter, NdisHaltDeviceSurpriseRemoved);
}

static NTSTATUS insert(struct krn_adapter *adapter) {
    if (adapter->device == NULL || !adapter->device->unplugged) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    sim_bus_insert(adapter->device);
    return initialize(adapter);
}

static NTSTATUS pnp_now(struct krn_adapter *adapter, enum krn_pnp action) {
    switch (action) {
    case KRN_PNP_HALT:
        krn_adapter_halt(adapter, NdisHaltDeviceDisabled);
        break;
    case KRN_PNP_INITIALIZE:
        return initialize(adapter);
    case KRN_PNP_SURPRISE_REMOVE:
        surprise(adapter);
        break;
    case KRN_PNP_SHUTDOWN:
        shut_down(adapter);
        break;
    case KRN_PNP_POWER_DOWN:
        return power_down(adapter);
    case KRN_PNP_POWER_UP:
        return power_up(adapter);
    case KRN_PNP_RESET:
        return adapter->state == KRN_ADAPTER_RUNNING ? krn_adapter_reset(adapter)
                                                     : STATUS_INVALID_DEVICE_STATE;
    case KRN_PNP_RESTART:
        return restart(adapter);
    case KRN_PNP_INSERT:
        return insert(adapter);
    }
    return STATUS_SUCCESS;
}

static void pnp_main(void *argument) {
    struct pnp *pnp = argument;
    NTSTATUS status;

    /* The device is gone, whatever its stack is still busy with. */
    if (pnp->action == KRN_PNP_SURPRISE_REMOVE) {
        removed(pnp->adapter);
    }
    krn_adapter_pnp_begin(pnp->adapter);
    status = pnp_now(pnp->adapter, pnp->action);
    krn_adapter_pnp_end(pnp->adapter);
    if (pnp->action == KRN_PNP_SHUTDOWN) {
        sim_event_schedule(pnp->adapter->node->world, &pnp->off, 0);
        return;
    }
    krn_step_end(pnp->step, status, 0);
}

void krn_adapter_pnp(struct krn_adapter *adapter, enum krn_pnp action, struct krn_step *step) {
    struct pnp *pnp = sim_alloc(adapter->node->world, sizeof(*pnp));

    krn_step_begin(step);
    pnp->adapter = adapter;
    pnp->action = action;
    pnp->step = step;
    sim_event_init(&pnp->off, "power off", &adapter->object, power_off);
    (void)krn_thread_create(adapter->node, NULL, &adapter->object, "pnp", pnp_main, pnp);
}
