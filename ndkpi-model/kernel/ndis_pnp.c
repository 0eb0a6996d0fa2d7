/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of an adapter: initialise, restart, pause, halt; device events; NDK enable and disable.
 * Transitions are those of adapter.h's head; a call at another state is an error of ours.
 */
#include <string.h>

#include <krn/bugcheck.h>
#include <krn/ndk.h>

#include "adapter.h"
#include "bar.h"
#include "call_error.h"
#include "driver_state.h"
#include "pool.h"
#include "thread.h"
#include "wsk_state.h"

static const char *const state_names[KRN_ADAPTER_STATE_COUNT] = {
    [KRN_ADAPTER_ABSENT] = "absent",   [KRN_ADAPTER_INITIALIZING] = "initializing",
    [KRN_ADAPTER_PAUSED] = "paused",   [KRN_ADAPTER_RUNNING] = "running",
    [KRN_ADAPTER_HALTING] = "halting",
};

static void state_set(struct krn_adapter *adapter, enum krn_adapter_state state) {
    adapter->state = state;
    adapter->object.state = state_names[state];
}

static void header_set(NDIS_OBJECT_HEADER *header, UCHAR type, UCHAR revision, size_t bytes) {
    header->Type = type;
    header->Revision = revision;
    header->Size = (USHORT)bytes;
}

/* ---- Resources ---- */

static uint32_t bar_count(const struct krn_adapter *adapter) {
    uint32_t count = 0;

    for (uint32_t i = 0; adapter->device != NULL && i < SIM_BUS_BAR_COUNT; i++) {
        count += adapter->device->bar_bytes[i] != 0;
    }
    return count;
}

static uint32_t vector_count(const struct krn_adapter *adapter) {
    return adapter->device != NULL ? adapter->device->vector_count : 0;
}

static uint64_t resources_bytes(const struct krn_adapter *adapter) {
    return sizeof(NDIS_RESOURCE_LIST) +
           (bar_count(adapter) + vector_count(adapter)) * sizeof(CM_PARTIAL_RESOURCE_DESCRIPTOR);
}

static PNDIS_RESOURCE_LIST resources_make(const struct krn_adapter *adapter) {
    PNDIS_RESOURCE_LIST list = sim_alloc(adapter->node->world, resources_bytes(adapter));
    PCM_PARTIAL_RESOURCE_DESCRIPTOR at = list->PartialDescriptors;

    list->Version = 1;
    list->Revision = 1;
    for (uint32_t i = 0; adapter->device != NULL && i < SIM_BUS_BAR_COUNT; i++) {
        if (adapter->device->bar_bytes[i] != 0) {
            at->Type = CmResourceTypeMemory;
            at->ShareDisposition = CmResourceShareDeviceExclusive;
            at->Flags = CM_RESOURCE_MEMORY_READ_WRITE | CM_RESOURCE_MEMORY_BAR;
            at->u.Memory.Start.QuadPart = (LONGLONG)krn_bar_physical(adapter, i);
            at->u.Memory.Length = (ULONG)adapter->device->bar_bytes[i];
            at++;
        }
    }
    for (uint32_t i = 0; i < vector_count(adapter); i++, at++) {
        at->Type = CmResourceTypeInterrupt;
        at->ShareDisposition = CmResourceShareDeviceExclusive;
        at->Flags = CM_RESOURCE_INTERRUPT_LATCHED | CM_RESOURCE_INTERRUPT_MESSAGE;
        at->u.MessageInterrupt.Translated.Level = SIM_LEVEL_DEVICE;
        at->u.MessageInterrupt.Translated.Vector = i;
        at->u.MessageInterrupt.Translated.Affinity = (KAFFINITY)1 << (i % adapter->node->cpu_count);
    }
    list->Count = bar_count(adapter) + vector_count(adapter);
    return list;
}

/* ---- Initialise and restart ---- */

static NDIS_STATUS call_initialize(struct krn_adapter *adapter, struct krn_miniport *miniport) {
    NDIS_MINIPORT_INIT_PARAMETERS parameters = {0};
    struct krn_routine routine;
    NDIS_STATUS status;

    header_set(&parameters.Header, NDIS_OBJECT_TYPE_MINIPORT_INIT_PARAMETERS,
               NDIS_MINIPORT_INIT_PARAMETERS_REVISION_1,
               NDIS_SIZEOF_MINIPORT_INIT_PARAMETERS_REVISION_1);
    parameters.AllocatedResources = resources_make(adapter);
    parameters.IfIndex = adapter->interface_index;
    parameters.NetLuid.Value = krn_adapter_luid(adapter);
    krn_routine_begin(&routine, (const void *)miniport->handlers.InitializeHandlerEx,
                      "MiniportInitializeEx");
    status = miniport->handlers.InitializeHandlerEx(adapter, miniport->driver_context, &parameters);
    krn_routine_end(&routine);
    sim_free(adapter->node->world, parameters.AllocatedResources, resources_bytes(adapter));
    return status;
}

static void left_error(struct krn_adapter *adapter, const char *what) {
    char name[SIM_NAME_BYTES];

    krn_bugcheck(0x7C, 0, 0, 0, 0, "%s was halted, or failed to initialise, and left %s",
                 sim_object_name(&adapter->object, name, sizeof(name)), what);
}

/* What a halted adapter must have given back. */
static void halted_check(struct krn_adapter *adapter) {
    if (adapter->interrupt != NULL) {
        left_error(adapter, "its interrupt registered");
    }
    if (adapter->shared_blocks != 0) {
        left_error(adapter, "shared memory allocated");
    }
    for (const struct krn_bar_mapping *mapping = adapter->mapping_first; mapping != NULL;
         mapping = mapping->next) {
        if (mapping->is_live) {
            left_error(adapter, "a register mapping");
        }
    }
}

static void absent(struct krn_adapter *adapter) {
    halted_check(adapter);
    adapter->miniport = NULL;
    adapter->context = NULL;
    adapter->has_registration = false;
    adapter->has_general = false;
    adapter->has_dma = false;
    adapter->has_ndk = false;
    adapter->ndk_is_enabled = false;
    state_set(adapter, KRN_ADAPTER_ABSENT);
}

static NDIS_STATUS answer_wait(struct krn_adapter *adapter, NDIS_STATUS status, const char *why) {
    if (status != NDIS_STATUS_PENDING) {
        return status;
    }
    krn_gate_wait(&adapter->answer, why);
    return adapter->answer_status;
}

static NDIS_STATUS restart(struct krn_adapter *adapter) {
    NDIS_MINIPORT_RESTART_PARAMETERS parameters = {0};
    struct krn_routine routine;
    NDIS_STATUS status;

    header_set(&parameters.Header, NDIS_OBJECT_TYPE_DEFAULT,
               NDIS_MINIPORT_RESTART_PARAMETERS_REVISION_1, sizeof(parameters));
    krn_gate_shut(&adapter->answer);
    krn_routine_begin(&routine, (const void *)adapter->miniport->handlers.RestartHandler,
                      "MiniportRestart");
    status = adapter->miniport->handlers.RestartHandler(adapter->context, &parameters);
    krn_routine_end(&routine);
    status = answer_wait(adapter, status, "MiniportRestart");
    if (status == NDIS_STATUS_SUCCESS) {
        state_set(adapter, KRN_ADAPTER_RUNNING);
    }
    return status;
}

static void pause(struct krn_adapter *adapter, ULONG reason) {
    NDIS_MINIPORT_PAUSE_PARAMETERS parameters = {0};
    struct krn_routine routine;
    NDIS_STATUS status;

    header_set(&parameters.Header, NDIS_OBJECT_TYPE_DEFAULT,
               NDIS_MINIPORT_PAUSE_PARAMETERS_REVISION_1, sizeof(parameters));
    parameters.PauseReason = reason;
    krn_gate_shut(&adapter->answer);
    krn_routine_begin(&routine, (const void *)adapter->miniport->handlers.PauseHandler,
                      "MiniportPause");
    status = adapter->miniport->handlers.PauseHandler(adapter->context, &parameters);
    krn_routine_end(&routine);
    (void)answer_wait(adapter, status, "MiniportPause");
    state_set(adapter, KRN_ADAPTER_PAUSED);
}

static void call_halt(struct krn_adapter *adapter, NDIS_HALT_ACTION action) {
    struct krn_routine routine;

    krn_routine_begin(&routine, (const void *)adapter->miniport->handlers.HaltHandlerEx,
                      "MiniportHaltEx");
    adapter->miniport->handlers.HaltHandlerEx(adapter->context, action);
    krn_routine_end(&routine);
}

NDIS_STATUS krn_adapter_initialize(struct krn_adapter *adapter, struct krn_miniport *miniport) {
    struct sim_world *world = adapter->node->world;
    NDIS_STATUS status;

    SIM_ASSERT(adapter->state == KRN_ADAPTER_ABSENT);
    adapter->miniport = miniport;
    state_set(adapter, KRN_ADAPTER_INITIALIZING);
    status = call_initialize(adapter, miniport);
    sim_trace(world, KRN_TRACE_ADAPTER_INITIALIZE, SIM_ACCESS_CREATE, &adapter->object,
              &miniport->driver->object, NULL, (ULONG)status, 0);
    if (status != NDIS_STATUS_SUCCESS) {
        absent(adapter);
        return status;
    }
    if (!adapter->has_registration || !adapter->has_general) {
        krn_bugcheck(0x7C, 0, 0, 0, 0,
                     "MiniportInitializeEx succeeded without registration and general attributes");
    }
    state_set(adapter, KRN_ADAPTER_PAUSED);
    status = restart(adapter);
    if (status != NDIS_STATUS_SUCCESS) {
        state_set(adapter, KRN_ADAPTER_HALTING);
        call_halt(adapter, NdisHaltDeviceInitializationFailed);
        absent(adapter);
    }
    return status;
}

void krn_adapter_halt(struct krn_adapter *adapter, NDIS_HALT_ACTION action) {
    struct sim_world *world = adapter->node->world;

    if (adapter->state == KRN_ADAPTER_ABSENT) {
        return;
    }
    /* Consumers must be off before the miniport goes; R-NDIS-14. */
    krn_ndk_wait_closed(adapter);
    if (adapter->state == KRN_ADAPTER_RUNNING) {
        pause(adapter, NDIS_PAUSE_NDIS_INTERNAL);
    }
    state_set(adapter, KRN_ADAPTER_HALTING);
    call_halt(adapter, action);
    sim_trace(world, KRN_TRACE_ADAPTER_HALT, SIM_ACCESS_CLOSE, &adapter->object, NULL, NULL,
              (uint64_t)action, 0);
    absent(adapter);
    adapter->ndk_is_disabling = false;
}

NTSTATUS krn_adapters_initialize(struct krn_driver *driver) {
    NTSTATUS first = STATUS_SUCCESS;

    for (struct krn_adapter *adapter = driver->node->adapter_first; adapter != NULL;
         adapter = adapter->next) {
        if (adapter->driver_name != NULL && adapter->state == KRN_ADAPTER_ABSENT &&
            strcmp(adapter->driver_name, driver->name) == 0) {
            NDIS_STATUS status = krn_adapter_initialize(adapter, driver->miniport);

            first = first == STATUS_SUCCESS ? (NTSTATUS)status : first;
        }
    }
    return first;
}

static void pnp_begin(struct krn_adapter *adapter) {
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

static void pnp_end(struct krn_adapter *adapter) {
    adapter->pnp_is_busy = false;
    if (adapter->has_pnp_free) {
        krn_gate_open(&adapter->pnp_free);
    }
}

void krn_adapters_halt(struct krn_driver *driver) {
    for (struct krn_adapter *adapter = driver->node->adapter_first; adapter != NULL;
         adapter = adapter->next) {
        if (adapter->miniport == driver->miniport) {
            pnp_begin(adapter);
            krn_adapter_halt(adapter, NdisHaltDeviceInstanceDeInitialized);
            pnp_end(adapter);
        }
    }
}

static void answered(const struct krn_call *call, NDIS_HANDLE handle, NDIS_STATUS status) {
    struct krn_adapter *adapter = krn_adapter_of_handle(call, handle);

    krn_call_point(call, &adapter->object, SIM_ACCESS_WRITE);
    adapter->answer_status = status;
    krn_gate_open(&adapter->answer);
}

VOID NdisMPauseComplete(NDIS_HANDLE MiniportAdapterHandle) {
    KRN_CALL(DISPATCH_LEVEL);
    answered(&call, MiniportAdapterHandle, NDIS_STATUS_SUCCESS);
}

VOID NdisMRestartComplete(NDIS_HANDLE MiniportAdapterHandle, NDIS_STATUS Status) {
    KRN_CALL(DISPATCH_LEVEL);
    answered(&call, MiniportAdapterHandle, Status);
}

VOID NdisMResetComplete(NDIS_HANDLE MiniportAdapterHandle, NDIS_STATUS Status,
                        BOOLEAN AddressingReset) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(AddressingReset);
    answered(&call, MiniportAdapterHandle, Status);
}

/* ---- NDK enable and disable ---- */

NDIS_STATUS NdisMNetPnPEvent(NDIS_HANDLE MiniportAdapterHandle,
                             PNET_PNP_EVENT_NOTIFICATION NetPnPEventNotification) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_adapter *adapter = krn_adapter_of_handle(&call, MiniportAdapterHandle);

    krn_check_memory(&call, NetPnPEventNotification,
                     NDIS_SIZEOF_NET_PNP_EVENT_NOTIFICATION_REVISION_1, "event notification");
    if (adapter->in_oid_task == sim_task_object(call.task)->id) {
        krn_call_error(&call, 0x7C, 0, 0,
                       "a PnP event may not be raised from within the OID handler");
    }
    krn_call_point(&call, &adapter->object, SIM_ACCESS_WRITE);
    sim_trace(call.world, KRN_TRACE_ADAPTER_EVENT, SIM_ACCESS_WRITE, &adapter->object, NULL, NULL,
              (uint64_t)NetPnPEventNotification->NetPnPEvent.NetEvent, 0);
    switch (NetPnPEventNotification->NetPnPEvent.NetEvent) {
    case NetEventNDKEnable:
        adapter->ndk_is_enabled = true;
        return NDIS_STATUS_SUCCESS;
    case NetEventNDKDisable:
        adapter->ndk_is_enabled = false;
        krn_ndk_wait_closed(adapter);
        adapter->ndk_is_disabling = false;
        return NDIS_STATUS_SUCCESS;
    case NetEventPortActivation:
    case NetEventPortDeactivation:
        return NDIS_STATUS_SUCCESS;
    default:
        return NDIS_STATUS_NOT_SUPPORTED;
    }
}

void krn_ndk_wait_closed(struct krn_adapter *adapter) {
    adapter->ndk_is_disabling = true;
    if (adapter->ndk_open_count != 0) {
        krn_wsk_notify(adapter->node);
    }
    while (adapter->ndk_open_count != 0) {
        krn_gate_shut(&adapter->ndk_closed);
        krn_gate_wait(&adapter->ndk_closed, "NDK adapters to be closed");
    }
}

bool krn_ndk_is_enabled(const struct krn_adapter *adapter) {
    return adapter->ndk_is_enabled;
}

const void *krn_ndk_capabilities(const struct krn_adapter *adapter) {
    return adapter->has_ndk ? &adapter->ndk_capabilities : NULL;
}

struct krn_driver *krn_ndk_provider(const struct krn_adapter *adapter) {
    return adapter->miniport != NULL && adapter->miniport->has_ndk ? adapter->miniport->driver
                                                                   : NULL;
}

/* ---- A scenario's device events ---- */

struct pnp {
    struct krn_adapter *adapter;
    enum krn_pnp action;
    struct krn_step *step;
};

static void device_event(struct krn_adapter *adapter, NDIS_DEVICE_PNP_EVENT event) {
    NET_DEVICE_PNP_EVENT notification = {0};
    struct krn_routine routine;

    if (adapter->miniport->handlers.DevicePnPEventNotifyHandler == NULL) {
        return;
    }
    header_set(&notification.Header, NDIS_OBJECT_TYPE_DEFAULT, NET_DEVICE_PNP_EVENT_REVISION_1,
               sizeof(notification));
    notification.DevicePnPEvent = event;
    krn_routine_begin(&routine,
                      (const void *)adapter->miniport->handlers.DevicePnPEventNotifyHandler,
                      "MiniportDevicePnPEventNotify");
    adapter->miniport->handlers.DevicePnPEventNotifyHandler(adapter->context, &notification);
    krn_routine_end(&routine);
}

static void surprise(struct krn_adapter *adapter) {
    if (adapter->miniport != NULL) {
        device_event(adapter, NdisDevicePnPEventSurpriseRemoved);
    }
    krn_adapter_halt(adapter, NdisHaltDeviceSurpriseRemoved);
}

static void shut_down(struct krn_adapter *adapter) {
    struct krn_routine routine;

    if (adapter->miniport == NULL || adapter->miniport->handlers.ShutdownHandlerEx == NULL) {
        return;
    }
    krn_routine_begin(&routine, (const void *)adapter->miniport->handlers.ShutdownHandlerEx,
                      "MiniportShutdownEx");
    adapter->miniport->handlers.ShutdownHandlerEx(adapter->context, NdisShutdownPowerOff);
    krn_routine_end(&routine);
}

static NTSTATUS set_power(struct krn_adapter *adapter, NET_DEVICE_POWER_STATE state) {
    struct krn_oid oid = {
        .oid = OID_PNP_SET_POWER, .is_set = true, .buffer = &state, .bytes = sizeof(state)};
    uint64_t bytes;

    return krn_adapter_oid_now(adapter, &oid, &bytes);
}

static NTSTATUS pnp_now(struct krn_adapter *adapter, enum krn_pnp action) {
    struct krn_driver *driver =
        adapter->driver_name != NULL ? krn_driver_find(adapter->node, adapter->driver_name) : NULL;
    NTSTATUS status = STATUS_SUCCESS;

    switch (action) {
    case KRN_PNP_HALT:
        krn_adapter_halt(adapter, NdisHaltDeviceDisabled);
        break;
    case KRN_PNP_INITIALIZE:
        if (driver == NULL || driver->miniport == NULL || driver->state != KRN_DRIVER_LOADED ||
            adapter->state != KRN_ADAPTER_ABSENT) {
            return STATUS_INVALID_DEVICE_STATE;
        }
        return krn_adapter_initialize(adapter, driver->miniport);
    case KRN_PNP_SURPRISE_REMOVE:
        surprise(adapter);
        break;
    case KRN_PNP_SHUTDOWN:
        shut_down(adapter);
        break;
    case KRN_PNP_POWER_DOWN:
        if (adapter->state != KRN_ADAPTER_RUNNING) {
            return STATUS_INVALID_DEVICE_STATE;
        }
        pause(adapter, NDIS_PAUSE_LOW_POWER);
        status = set_power(adapter, NetDeviceStateD3);
        break;
    case KRN_PNP_POWER_UP:
        if (adapter->state != KRN_ADAPTER_PAUSED) {
            return STATUS_INVALID_DEVICE_STATE;
        }
        status = set_power(adapter, NetDeviceStateD0);
        if (NT_SUCCESS(status)) {
            status = restart(adapter);
        }
        break;
    }
    return status;
}

static void pnp_main(void *argument) {
    struct pnp *pnp = argument;
    NTSTATUS status;

    /* The device is gone, whatever its stack is still busy with. */
    if (pnp->action == KRN_PNP_SURPRISE_REMOVE && pnp->adapter->device != NULL) {
        sim_bus_remove(pnp->adapter->device);
    }
    pnp_begin(pnp->adapter);
    status = pnp_now(pnp->adapter, pnp->action);
    pnp_end(pnp->adapter);
    krn_step_end(pnp->step, status, 0);
}

void krn_adapter_pnp(struct krn_adapter *adapter, enum krn_pnp action, struct krn_step *step) {
    struct pnp *pnp = sim_alloc(adapter->node->world, sizeof(*pnp));

    krn_step_begin(step);
    pnp->adapter = adapter;
    pnp->action = action;
    pnp->step = step;
    (void)krn_thread_create(adapter->node, NULL, &adapter->object, "pnp", pnp_main, pnp);
}
