/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of an adapter: initialise, restart, pause, reset, halt. Transitions are those of
 * adapter.h's head; a call at another state is an error of ours.
 */
#include <string.h>

#include <krn/bugcheck.h>
#include <krn/ndk.h>

#include "adapter.h"
#include "bar.h"
#include "driver_state.h"
#include "ndis_judge.h"
#include "pool.h"
#include "wsk_state.h"

static const char *const state_names[KRN_ADAPTER_STATE_COUNT] = {
    [KRN_ADAPTER_ABSENT] = "absent",       [KRN_ADAPTER_INITIALIZING] = "initializing",
    [KRN_ADAPTER_PAUSED] = "paused",       [KRN_ADAPTER_RUNNING] = "running",
    [KRN_ADAPTER_LOW_POWER] = "low power", [KRN_ADAPTER_HALTING] = "halting",
};

void krn_adapter_state_set(struct krn_adapter *adapter, enum krn_adapter_state state) {
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
    krn_routine_end_ordered(&routine);
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
    adapter->removal = KRN_REMOVAL_NONE;
    krn_adapter_state_set(adapter, KRN_ADAPTER_ABSENT);
}

static NDIS_STATUS answer_wait(struct krn_adapter *adapter, NDIS_STATUS status, const char *why) {
    if (status != NDIS_STATUS_PENDING) {
        return status;
    }
    krn_gate_wait(&adapter->answer, why);
    return adapter->answer_status;
}

NDIS_STATUS krn_adapter_restart(struct krn_adapter *adapter) {
    NDIS_MINIPORT_RESTART_PARAMETERS parameters = {0};
    struct krn_routine routine;
    NDIS_STATUS status;

    header_set(&parameters.Header, NDIS_OBJECT_TYPE_DEFAULT,
               NDIS_MINIPORT_RESTART_PARAMETERS_REVISION_1, sizeof(parameters));
    krn_gate_shut(&adapter->answer);
    krn_routine_begin(&routine, (const void *)adapter->miniport->handlers.RestartHandler,
                      "MiniportRestart");
    status = adapter->miniport->handlers.RestartHandler(adapter->context, &parameters);
    krn_routine_end_ordered(&routine);
    status = answer_wait(adapter, status, "MiniportRestart");
    if (status == NDIS_STATUS_SUCCESS) {
        krn_adapter_state_set(adapter, KRN_ADAPTER_RUNNING);
    }
    sim_trace(adapter->node->world, KRN_TRACE_ADAPTER_RESTART, SIM_ACCESS_WRITE, &adapter->object,
              NULL, NULL, (ULONG)status, 0);
    return status;
}

void krn_adapter_pause(struct krn_adapter *adapter, ULONG reason) {
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
    krn_routine_end_ordered(&routine);
    (void)answer_wait(adapter, status, "MiniportPause");
    krn_adapter_state_set(adapter, KRN_ADAPTER_PAUSED);
    sim_trace(adapter->node->world, KRN_TRACE_ADAPTER_PAUSE, SIM_ACCESS_WRITE, &adapter->object,
              NULL, NULL, reason, 0);
}

NDIS_STATUS krn_adapter_reset(struct krn_adapter *adapter) {
    struct sim_world *world = adapter->node->world;
    struct krn_routine routine;
    BOOLEAN addressing_reset = FALSE;
    NDIS_STATUS status;

    if (adapter->miniport->handlers.ResetHandlerEx == NULL) {
        return NDIS_STATUS_NOT_RESETTABLE;
    }
    krn_oid_serialise(adapter);
    sim_trace(world, KRN_TRACE_ADAPTER_RESET, SIM_ACCESS_WRITE, &adapter->object, NULL, NULL, 0, 0);
    krn_gate_shut(&adapter->answer);
    krn_routine_begin(&routine, (const void *)adapter->miniport->handlers.ResetHandlerEx,
                      "MiniportResetEx");
    status = adapter->miniport->handlers.ResetHandlerEx(adapter->context, &addressing_reset);
    krn_routine_end_ordered(&routine);
    status = answer_wait(adapter, status, "MiniportResetEx");
    sim_trace(world, KRN_TRACE_ADAPTER_RESET_DONE, SIM_ACCESS_WRITE, &adapter->object, NULL, NULL,
              (ULONG)status, 0);
    krn_oid_serialise_end(adapter);
    return status;
}

/* The miniport is not halted while it is told of its device's removal. */
static void removal_wait(struct krn_adapter *adapter) {
    while (adapter->removal == KRN_REMOVAL_TELLING) {
        if (!adapter->has_told) {
            krn_gate_init(adapter->node, &adapter->told, &adapter->object, "told");
            adapter->has_told = true;
        }
        krn_gate_shut(&adapter->told);
        krn_gate_wait(&adapter->told, "MiniportDevicePnPEventNotify");
    }
}

static void call_halt(struct krn_adapter *adapter, NDIS_HALT_ACTION action) {
    struct krn_routine routine;

    if (adapter->removal != KRN_REMOVAL_NONE) {
        action = NdisHaltDeviceSurpriseRemoved;
    }
    krn_routine_begin(&routine, (const void *)adapter->miniport->handlers.HaltHandlerEx,
                      "MiniportHaltEx");
    adapter->miniport->handlers.HaltHandlerEx(adapter->context, action);
    krn_routine_end_ordered(&routine);
}

/* What a miniport that offers NDK owes by the end of MiniportInitializeEx. */
static void ndk_check(struct krn_adapter *adapter) {
    bool has_keyword = krn_adapter_keyword(adapter, "*NetworkDirect") != NULL;

    if (adapter->miniport->has_ndk && !adapter->has_ndk && has_keyword) {
        krn_adapter_broken(adapter, "R-NDIS-05",
                           "MiniportInitializeEx succeeded without NDK attributes");
    }
}

NDIS_STATUS krn_adapter_initialize(struct krn_adapter *adapter, struct krn_miniport *miniport) {
    struct sim_world *world = adapter->node->world;
    NDIS_STATUS status;

    SIM_ASSERT(adapter->state == KRN_ADAPTER_ABSENT);
    adapter->miniport = miniport;
    krn_ndk_keyword_read(adapter);
    krn_adapter_state_set(adapter, KRN_ADAPTER_INITIALIZING);
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
    ndk_check(adapter);
    krn_adapter_state_set(adapter, KRN_ADAPTER_PAUSED);
    status = krn_adapter_restart(adapter);
    if (status != NDIS_STATUS_SUCCESS) {
        krn_adapter_state_set(adapter, KRN_ADAPTER_HALTING);
        call_halt(adapter, NdisHaltDeviceInitializationFailed);
        absent(adapter);
        return status;
    }
    if (adapter->ndk_is_enabled) {
        krn_wsk_notify(adapter->node);
    }
    return status;
}

void krn_adapter_halt(struct krn_adapter *adapter, NDIS_HALT_ACTION action) {
    struct sim_world *world = adapter->node->world;

    if (adapter->state == KRN_ADAPTER_ABSENT) {
        return;
    }
    /* Consumers must be off before the miniport goes; R-NDIS-14. */
    krn_ndk_refuse_begin(adapter);
    if (adapter->state == KRN_ADAPTER_LOW_POWER) {
        if (adapter->device != NULL) {
            sim_bus_power_set(adapter->device, true);
        }
        /* What power_up would have taken back. */
        krn_ndk_refuse_end(adapter);
    }
    if (adapter->state == KRN_ADAPTER_RUNNING) {
        krn_adapter_pause(adapter, NDIS_PAUSE_NDIS_INTERNAL);
    }
    krn_oid_serialise(adapter);
    removal_wait(adapter);
    krn_adapter_state_set(adapter, KRN_ADAPTER_HALTING);
    krn_oid_wait_none(adapter);
    call_halt(adapter, action);
    sim_trace(world, KRN_TRACE_ADAPTER_HALT, SIM_ACCESS_CLOSE, &adapter->object, NULL, NULL,
              (uint64_t)action, 0);
    absent(adapter);
    krn_oid_serialise_end(adapter);
    krn_ndk_refuse_end(adapter);
}

NTSTATUS krn_adapters_initialize(struct krn_driver *driver) {
    NTSTATUS first = STATUS_SUCCESS;

    for (struct krn_adapter *adapter = driver->node->adapter_first; adapter != NULL;
         adapter = adapter->next) {
        if (adapter->driver_name != NULL && adapter->state == KRN_ADAPTER_ABSENT &&
            strcmp(adapter->driver_name, driver->name) == 0) {
            NDIS_STATUS status;

            krn_adapter_pnp_begin(adapter);
            status = krn_adapter_initialize(adapter, driver->miniport);
            krn_adapter_pnp_end(adapter);
            first = first == STATUS_SUCCESS ? (NTSTATUS)status : first;
        }
    }
    return first;
}

void krn_adapters_halt(struct krn_driver *driver) {
    for (struct krn_adapter *adapter = driver->node->adapter_first; adapter != NULL;
         adapter = adapter->next) {
        if (adapter->miniport == driver->miniport) {
            krn_adapter_pnp_begin(adapter);
            krn_adapter_halt(adapter, NdisHaltDeviceInstanceDeInitialized);
            krn_adapter_pnp_end(adapter);
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
