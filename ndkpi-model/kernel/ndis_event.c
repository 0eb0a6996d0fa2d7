/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NDK comes and goes on an adapter: the two events that its miniport raises, and the reasons of the
 * system's own for which no NDK adapter may be opened (halt, low power). Each reason tells WSK's
 * clients and waits until every NDK adapter is closed.
 */
#include <string.h>

#include <krn/ndk.h>

#include "adapter.h"
#include "call_error.h"
#include "driver_state.h"
#include "ndis_judge.h"
#include "pool.h"
#include "wsk_state.h"

void krn_ndk_refuse_begin(struct krn_adapter *adapter) {
    if (adapter->ndk_refusals++ == 0) {
        adapter->ndk_refused_ns = sim_now_ns(adapter->node->world);
    }
    if (adapter->ndk_open_count != 0) {
        krn_wsk_notify(adapter->node);
    }
    while (adapter->ndk_open_count != 0) {
        krn_gate_shut(&adapter->ndk_closed);
        krn_gate_wait(&adapter->ndk_closed, "NDK adapters to be closed");
    }
}

void krn_ndk_refuse_end(struct krn_adapter *adapter) {
    SIM_ASSERT(adapter->ndk_refusals != 0);
    adapter->ndk_refusals--;
}

/* A change counts from the restart on that it causes. */
void krn_ndk_keyword_read(struct krn_adapter *adapter) {
    const char *keyword = krn_adapter_keyword(adapter, "*NetworkDirect");

    adapter->ndk_keyword_is_off = keyword != NULL && strcmp(keyword, "0") == 0;
}

static NDIS_STATUS enable(struct krn_adapter *adapter) {
    struct sim_world *world = adapter->node->world;

    if (adapter->ndk_keyword_is_off) {
        krn_adapter_broken(adapter, "R-NDIS-16",
                           "NDK was announced as enabled while *NetworkDirect is 0");
    }
    adapter->ndk_is_enabled = true;
    krn_ndk_opened_on(adapter);
    sim_trace(world, KRN_TRACE_ADAPTER_NDK_ENABLED, SIM_ACCESS_WRITE, &adapter->object, NULL, NULL,
              0, 0);
    krn_wsk_notify(adapter->node);
    return NDIS_STATUS_SUCCESS;
}

static NDIS_STATUS disable(struct krn_adapter *adapter) {
    struct sim_world *world = adapter->node->world;

    adapter->ndk_is_enabled = false;
    sim_trace(world, KRN_TRACE_ADAPTER_NDK_DISABLING, SIM_ACCESS_WRITE, &adapter->object, NULL,
              NULL, adapter->ndk_open_count, 0);
    krn_ndk_refuse_begin(adapter);
    krn_ndk_refuse_end(adapter);
    sim_trace(world, KRN_TRACE_ADAPTER_NDK_DISABLED, SIM_ACCESS_WRITE, &adapter->object, NULL, NULL,
              0, 0);
    return NDIS_STATUS_SUCCESS;
}

/* What a notification of NDK must look like. */
static void notification_check(struct krn_adapter *adapter,
                               const NET_PNP_EVENT_NOTIFICATION *notification) {
    if (!adapter->has_ndk) {
        krn_adapter_broken(adapter, "R-NDIS-13",
                           "an NDK event came from an adapter without NDK attributes");
    }
    if (notification->Header.Type != NDIS_OBJECT_TYPE_DEFAULT ||
        notification->Header.Revision < NET_PNP_EVENT_NOTIFICATION_REVISION_1 ||
        notification->Header.Size < NDIS_SIZEOF_NET_PNP_EVENT_NOTIFICATION_REVISION_1) {
        krn_adapter_broken(
            adapter, "R-NDIS-13", "the header of an NDK event has type 0x%X, revision %u, size %u",
            notification->Header.Type, notification->Header.Revision, notification->Header.Size);
    }
    if (notification->NetPnPEvent.Buffer != NULL || notification->NetPnPEvent.BufferLength != 0) {
        krn_adapter_broken(adapter, "R-NDIS-13", "an NDK event came with a buffer");
    }
}

NDIS_STATUS NdisMNetPnPEvent(NDIS_HANDLE MiniportAdapterHandle,
                             PNET_PNP_EVENT_NOTIFICATION NetPnPEventNotification) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_adapter *adapter = krn_adapter_of_handle(&call, MiniportAdapterHandle);

    krn_check_memory(&call, NetPnPEventNotification,
                     NDIS_SIZEOF_NET_PNP_EVENT_NOTIFICATION_REVISION_1, "event notification");
    if (krn_oid_is_in_handler(adapter, call.task)) {
        krn_adapter_broken(adapter, "R-NDIS-12",
                           "NdisMNetPnPEvent was called from within the OID handler");
        krn_call_error(&call, 0x7C, 0, 0,
                       "a PnP event may not be raised from within the OID handler");
    }
    krn_call_point(&call, &adapter->object, SIM_ACCESS_WRITE);
    sim_trace(call.world, KRN_TRACE_ADAPTER_EVENT, SIM_ACCESS_WRITE, &adapter->object, NULL, NULL,
              (uint64_t)NetPnPEventNotification->NetPnPEvent.NetEvent, 0);
    switch (NetPnPEventNotification->NetPnPEvent.NetEvent) {
    case NetEventNDKEnable:
        notification_check(adapter, NetPnPEventNotification);
        return enable(adapter);
    case NetEventNDKDisable:
        notification_check(adapter, NetPnPEventNotification);
        return disable(adapter);
    case NetEventPortActivation:
    case NetEventPortDeactivation:
        return NDIS_STATUS_SUCCESS;
    default:
        return NDIS_STATUS_NOT_SUPPORTED;
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
