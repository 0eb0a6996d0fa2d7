/* SPDX-License-Identifier: Apache-2.0 */
/* The way from a WSK client to a miniport's NDK handlers, and back. */
#include <krn/ndk.h>
#include <krn/state.h>

#include "adapter.h"
#include "bugcheck_guilty.h"
#include "call_error.h"
#include "driver_state.h"
#include "fault_points.h"

#include "ndis_judge.h"
#include "pool.h"
#include "wsk_state.h"

/* H-18: undocumented; every other status goes through as it is. */
static const struct {
    NDIS_STATUS from;
    NTSTATUS to;
} status_map[] = {
    {NDIS_STATUS_SUCCESS, STATUS_SUCCESS},
    {NDIS_STATUS_BAD_VERSION, STATUS_NOT_SUPPORTED},
    {NDIS_STATUS_ADAPTER_NOT_READY, STATUS_DEVICE_NOT_READY},
    {NDIS_STATUS_RESOURCES, STATUS_INSUFFICIENT_RESOURCES},
    {NDIS_STATUS_ADAPTER_NOT_FOUND, STATUS_NOT_FOUND},
};

static NTSTATUS map(NDIS_STATUS status) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(status_map); i++) {
        if (status_map[i].from == status) {
            return status_map[i].to;
        }
    }
    return (NTSTATUS)status;
}

static const struct krn_ndk_interposer *interposer_of(const struct krn_call *call) {
    static const struct krn_ndk_interposer none;

    return call->krn->interposer != NULL ? call->krn->interposer : &none;
}

static void count_up(struct krn_adapter *adapter, struct krn_wsk_client *client) {
    adapter->ndk_open_count++;
    client->ndk_adapters++;
}

static void count_down(struct krn_adapter *adapter, struct krn_wsk_client *client) {
    if (--adapter->ndk_open_count == 0) {
        krn_gate_open(&adapter->ndk_closed);
    }
    if (--client->ndk_adapters == 0) {
        krn_gate_open(&client->adapters_closed);
        if (client->is_deregistering) {
            krn_gate_open(&client->released);
        }
    }
}

static void opening_append(struct krn_world *krn, struct krn_ndk_opening *opening) {
    if (krn->opening_last != NULL) {
        krn->opening_last->next = opening;
    } else {
        krn->opening_first = opening;
    }
    krn->opening_last = opening;
}

static void opening_remove(struct krn_world *krn, struct krn_ndk_opening *opening) {
    struct krn_ndk_opening *previous = NULL;
    struct krn_ndk_opening *at = krn->opening_first;

    while (at != opening) {
        previous = at;
        at = at->next;
    }
    if (previous != NULL) {
        previous->next = opening->next;
    } else {
        krn->opening_first = opening->next;
    }
    if (krn->opening_last == opening) {
        krn->opening_last = previous;
    }
    sim_free(krn->world, opening, sizeof(*opening));
}

static NDIS_STATUS call_open(struct krn_adapter *adapter, NDK_VERSION version, NDK_ADAPTER **ndk) {
    NDIS_OPEN_NDK_ADAPTER_PARAMETERS parameters = {.Version = version, .SwitchId = 0, .VPortId = 0};
    struct krn_routine routine;
    NDIS_STATUS status;

    krn_routine_begin(&routine, (const void *)adapter->miniport->ndk.OpenNDKAdapterHandler,
                      "OpenNDKAdapterHandler");
    status = adapter->miniport->ndk.OpenNDKAdapterHandler(adapter->context, &parameters, ndk);
    krn_routine_end_ordered(&routine);
    return status;
}

static struct krn_ndk_opening *opening_make(const struct krn_call *call,
                                            struct krn_adapter *adapter,
                                            struct krn_wsk_client *client, NDK_ADAPTER *ndk) {
    struct krn_ndk_opening *opening = sim_alloc(call->world, sizeof(*opening));

    opening->adapter = adapter;
    opening->client = client;
    opening->ndk_adapter = ndk;
    opening->version_major = ndk->Header.Version.Major;
    opening->version_minor = ndk->Header.Version.Minor;
    opening->serial = ++call->krn->opening_serial;
    opening->opened_ns = sim_now_ns(call->world);
    opening_append(call->krn, opening);
    return opening;
}

/* Success: the miniport may be asked. */
static NTSTATUS may_open(const struct krn_call *call, struct krn_adapter *adapter) {
    if (adapter == NULL || adapter->miniport == NULL || !krn_adapter_is_bound_above(adapter)) {
        return STATUS_NOT_FOUND;
    }
    if (adapter->state != KRN_ADAPTER_RUNNING || adapter->ndk_refusals != 0) {
        return adapter->miniport->has_ndk ? STATUS_DEVICE_NOT_READY : STATUS_NOT_SUPPORTED;
    }
    if (!adapter->miniport->has_ndk || !adapter->has_ndk) {
        return STATUS_NOT_SUPPORTED;
    }
    return sim_fault_hit(call->world, &krn_fault_ndk_open, &adapter->object, NULL)
               ? STATUS_DEVICE_NOT_READY
               : STATUS_SUCCESS;
}

static bool is_open_already(const struct krn_world *krn, const NDK_ADAPTER *ndk) {
    const struct krn_ndk_opening *opening = krn->opening_first;

    while (opening != NULL && opening->ndk_adapter != ndk) {
        opening = opening->next;
    }
    return opening != NULL;
}

/* The miniport's answer to an open. */
static void open_judge(struct krn_adapter *adapter, NDK_VERSION wanted, NDIS_STATUS status,
                       const NDK_ADAPTER *ndk) {
    if (status == NDIS_STATUS_SUCCESS && ndk == NULL) {
        krn_adapter_broken(adapter, "R-ADPT-02",
                           "OpenNDKAdapterHandler succeeded without an adapter");
    } else if (status == NDIS_STATUS_SUCCESS && adapter->ndk_keyword_is_off) {
        krn_adapter_broken(adapter, "R-ADPT-05",
                           "OpenNDKAdapterHandler succeeded while *NetworkDirect is 0");
    } else if (status == NDIS_STATUS_SUCCESS && ndk->Header.Version.Major != wanted.Major) {
        krn_adapter_broken(adapter, "R-ADPT-01", "version %u.%u was asked for and %u.%u opened",
                           wanted.Major, wanted.Minor, ndk->Header.Version.Major,
                           ndk->Header.Version.Minor);
    } else if (status == NDIS_STATUS_SUCCESS && ndk->Header.Version.Minor < wanted.Minor) {
        krn_adapter_broken(adapter, "R-ADPT-03", "version %u.%u was asked for and %u.%u opened",
                           wanted.Major, wanted.Minor, ndk->Header.Version.Major,
                           ndk->Header.Version.Minor);
    } else if (status == NDIS_STATUS_SUCCESS && is_open_already(adapter->node->krn, ndk)) {
        krn_adapter_broken(adapter, "R-ADPT-06",
                           "OpenNDKAdapterHandler gave an adapter object that is open already");
    } else if (status != NDIS_STATUS_SUCCESS && status != NDIS_STATUS_BAD_VERSION &&
               status != NDIS_STATUS_ADAPTER_NOT_READY && status != NDIS_STATUS_RESOURCES) {
        krn_adapter_broken(adapter, "R-ADPT-05", "OpenNDKAdapterHandler answered 0x%08X",
                           (ULONG)status);
    }
}

static void answer_remember(struct krn_adapter *adapter, NDK_VERSION wanted, NDIS_STATUS status) {
    if (status == NDIS_STATUS_SUCCESS) {
        adapter->ndk_was_opened = true;
    } else if (status == NDIS_STATUS_BAD_VERSION) {
        adapter->ndk_refused_major = wanted.Major;
        adapter->ndk_refused_minor = wanted.Minor;
    }
}

bool krn_ndk_offers_others_only(const struct krn_adapter *adapter, uint16_t *major,
                                uint16_t *minor) {
    *major = adapter->ndk_refused_major;
    *minor = adapter->ndk_refused_minor;
    return !adapter->ndk_was_opened && (*major != 0 || *minor != 0);
}

void krn_ndk_opened_on(struct krn_adapter *adapter) {
    for (struct krn_ndk_opening *opening = adapter->node->krn->opening_first; opening != NULL;
         opening = opening->next) {
        opening->was_off = opening->was_off && opening->adapter != adapter;
    }
}

/* Before the level is a bugcheck, the rule. */
static void level_judge(const char *name, const void *caller) {
    struct krn_call call;

    krn_call_begin(&call, name, HIGH_LEVEL, caller);
    if (call.level > PASSIVE_LEVEL) {
        krn_driver_broken(krn_call_driver(&call), NULL, "R-WSK-05", "%s was called at %s", name,
                          krn_irql_name(call.level));
    }
}

static NTSTATUS NTAPI wsk_open_ndk_adapter(PWSK_CLIENT Client, NDK_VERSION NdkVersion,
                                           NET_IFINDEX IfIndex, NDK_ADAPTER **ppNdkAdapter) {
    level_judge("WskOpenNdkAdapter", __builtin_return_address(0));
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_wsk_client *client = krn_wsk_client_use(&call, Client);
    struct krn_adapter *adapter = krn_adapter_by_index(call.node, IfIndex);
    struct krn_ndk_opening *opening;
    NDK_ADAPTER *ndk = NULL;
    NDIS_STATUS status;
    bool was_on;

    krn_check_memory(&call, ppNdkAdapter, sizeof(*ppNdkAdapter), "adapter pointer");
    krn_call_point(&call, adapter != NULL ? &adapter->object : &client->object, SIM_ACCESS_CREATE);
    status = may_open(&call, adapter);
    if (status != STATUS_SUCCESS) {
        return status;
    }
    was_on = adapter->ndk_is_enabled;
    count_up(adapter, client);
    sim_trace(call.world, KRN_TRACE_NDK_OPEN, SIM_ACCESS_CREATE, &adapter->object, &client->object,
              NULL, NdkVersion.Major, NdkVersion.Minor);
    status = call_open(adapter, NdkVersion, &ndk);
    sim_trace(call.world, KRN_TRACE_NDK_OPENED, SIM_ACCESS_CREATE, &adapter->object,
              &client->object, NULL, (ULONG)status, 0);
    open_judge(adapter, NdkVersion, status, ndk);
    answer_remember(adapter, NdkVersion, status);
    if (status != NDIS_STATUS_SUCCESS) {
        count_down(adapter, client);
        return map(status);
    }
    if (ndk == NULL) {
        krn_call_error(&call, 0x7C, 0, 0, "OpenNDKAdapterHandler succeeded without an adapter");
    }
    opening = opening_make(&call, adapter, client, ndk);
    /* Between what enables it and the event that says so it may be open already. */
    opening->was_off = !was_on && !adapter->ndk_is_enabled && !adapter->ndk_is_wanted;
    if (interposer_of(&call)->opened != NULL) {
        interposer_of(&call)->opened(adapter, client->driver, ndk);
    }
    *ppNdkAdapter = ndk;
    return STATUS_SUCCESS;
}

static void call_close(struct krn_adapter *adapter, NDK_ADAPTER *ndk) {
    struct krn_routine routine;

    krn_routine_begin(&routine, (const void *)adapter->miniport->ndk.CloseNDKAdapterHandler,
                      "CloseNDKAdapterHandler");
    adapter->miniport->ndk.CloseNDKAdapterHandler(adapter->context, ndk);
    krn_routine_end_ordered(&routine);
}

static SIM_NORETURN void close_refuse(const struct krn_call *call, struct krn_wsk_client *client,
                                      const NDK_ADAPTER *ndk) {
    struct sim_object *known = krn_ndk_name(call->world, ndk);
    char name[SIM_NAME_BYTES] = "an NDK adapter";

    if (known != NULL) {
        sim_object_name(known, name, sizeof(name));
    }
    krn_driver_broken(krn_call_driver(call), known != NULL ? known : &client->object, "R-WSK-05",
                      "%s names %s, which this client has not open", call->name, name);
    krn_call_error(call, 0xC4, 0xE3, 0, "the client has no such NDK adapter open");
}

static VOID NTAPI wsk_close_ndk_adapter(PWSK_CLIENT Client, NDK_ADAPTER *pNdkAdapter) {
    level_judge("WskCloseNdkAdapter", __builtin_return_address(0));
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_wsk_client *client = krn_wsk_client_use(&call, Client);
    struct krn_ndk_opening *opening = call.krn->opening_first;
    const struct krn_ndk_interposer *interposer = interposer_of(&call);
    struct krn_adapter *adapter;

    while (opening != NULL && (opening->client != client || opening->ndk_adapter != pNdkAdapter)) {
        opening = opening->next;
    }
    if (opening == NULL || opening->is_closing) {
        close_refuse(&call, client, pNdkAdapter);
    }
    adapter = opening->adapter;
    if (opening->was_off) {
        krn_adapter_broken(adapter, "R-ADPT-05",
                           "an NDK adapter was opened and closed while NDK was not enabled");
    }
    opening->is_closing = true;
    krn_call_point(&call, &adapter->object, SIM_ACCESS_CLOSE);
    sim_trace(call.world, KRN_TRACE_NDK_CLOSE, SIM_ACCESS_CLOSE, &adapter->object, &client->object,
              NULL, 0, 0);
    if (interposer->closing != NULL) {
        interposer->closing(adapter, client->driver, pNdkAdapter);
    }
    call_close(adapter, pNdkAdapter);
    if (interposer->closed != NULL) {
        interposer->closed(adapter, client->driver, pNdkAdapter);
    }
    sim_trace(call.world, KRN_TRACE_NDK_CLOSED, SIM_ACCESS_CLOSE, &adapter->object, &client->object,
              NULL, 0, 0);
    opening_remove(call.krn, opening);
    count_down(adapter, client);
}

const WSK_PROVIDER_NDK_DISPATCH krn_wsk_ndk_dispatch = {
    .WskOpenNdkAdapter = wsk_open_ndk_adapter,
    .WskCloseNdkAdapter = wsk_close_ndk_adapter,
};

void krn_ndk_judge(struct sim_world *world, const void *address, struct krn_driver *by,
                   struct sim_finding *finding) {
    const struct krn_ndk_interposer *interposer = krn_world_of(world)->interposer;

    if (interposer != NULL && interposer->judge != NULL) {
        interposer->judge(world, address, by, finding);
    }
}

void krn_ndk_freed(struct sim_world *world, void *start) {
    const struct krn_ndk_interposer *interposer = krn_world_of(world)->interposer;

    if (interposer != NULL && interposer->freed != NULL) {
        interposer->freed(world, start);
    }
}

void krn_ndk_explain(struct sim_world *world, struct sim_finding *finding) {
    const struct krn_ndk_interposer *interposer = krn_world_of(world)->interposer;

    if (interposer != NULL && interposer->explain != NULL) {
        interposer->explain(world, finding);
    }
}

void krn_ndk_interposer_set(struct sim_world *world, const struct krn_ndk_interposer *interposer) {
    krn_start(world);
    krn_world_of(world)->interposer = interposer;
}

struct sim_object *krn_ndk_name(struct sim_world *world, const void *ndk_object) {
    const struct krn_ndk_interposer *interposer = krn_world_of(world)->interposer;

    return interposer != NULL && interposer->name != NULL && ndk_object != NULL
               ? interposer->name(world, ndk_object)
               : NULL;
}

void krn_ndk_open_visit(struct sim_world *world,
                        void (*visit)(void *context, const struct krn_ndk_open *open),
                        void *context) {
    for (const struct krn_ndk_opening *opening = krn_world_of(world)->opening_first;
         opening != NULL; opening = opening->next) {
        struct krn_ndk_open open = {
            .adapter = opening->adapter,
            .client = opening->client->driver,
            .ndk_adapter = opening->ndk_adapter,
            .version_major = opening->version_major,
            .version_minor = opening->version_minor,
            .serial = opening->serial,
            .opened_ns = opening->opened_ns,
            .is_closing = opening->is_closing,
            .is_awaited = opening->adapter->ndk_refusals != 0,
            .awaited_ns = opening->adapter->ndk_refused_ns,
        };

        visit(context, &open);
    }
}

uint32_t krn_ndk_open_count(const struct krn_driver *driver) {
    uint32_t count = 0;

    for (const struct krn_ndk_opening *opening = driver->node->krn->opening_first; opening != NULL;
         opening = opening->next) {
        count += opening->client->driver == driver;
    }
    return count;
}
