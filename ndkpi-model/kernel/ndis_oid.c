/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OID requests to a miniport. Ordinary ones are serialised per adapter; direct ones are not. A
 * request lives in pool, because the miniport keeps it while it is pending.
 */
#include <string.h>

#include <krn/bugcheck.h>

#include "adapter.h"
#include "call_error.h"
#include "driver_state.h"
#include "ndis_judge.h"
#include "pool.h"
#include "thread.h"

#define OID_TAG 0x644F444Eu /* NDOd */

struct krn_oid_request {
    struct krn_oid_request *next;
    struct krn_adapter *adapter;
    NDIS_OID_REQUEST *request;
    struct krn_gate done;
    NDIS_STATUS status;
    const struct sim_task *in_handler; /* the task inside the miniport's handler, or NULL */
    bool is_direct;
    bool is_done;
};

struct oid_step {
    struct krn_adapter *adapter;
    struct krn_oid *oid;
    struct krn_step *step;
};

static void fill(NDIS_OID_REQUEST *request, const struct krn_oid *oid) {
    request->Header.Type = NDIS_OBJECT_TYPE_OID_REQUEST;
    request->Header.Revision = NDIS_OID_REQUEST_REVISION_1;
    request->Header.Size = NDIS_SIZEOF_OID_REQUEST_REVISION_1;
    request->Timeout = NDIS_OID_REQUEST_TIMEOUT_INFINITE;
    request->RequestId = request;
    if (oid->is_set) {
        request->RequestType = NdisRequestSetInformation;
        request->DATA.SET_INFORMATION.Oid = oid->oid;
        request->DATA.SET_INFORMATION.InformationBuffer = oid->buffer;
        request->DATA.SET_INFORMATION.InformationBufferLength = oid->bytes;
    } else {
        request->RequestType = NdisRequestQueryInformation;
        request->DATA.QUERY_INFORMATION.Oid = oid->oid;
        request->DATA.QUERY_INFORMATION.InformationBuffer = oid->buffer;
        request->DATA.QUERY_INFORMATION.InformationBufferLength = oid->bytes;
    }
}

static uint64_t take_answer(const NDIS_OID_REQUEST *request, struct krn_oid *oid) {
    if (oid->is_set) {
        oid->bytes_needed = request->DATA.SET_INFORMATION.BytesNeeded;
        return request->DATA.SET_INFORMATION.BytesRead;
    }
    oid->bytes_needed = request->DATA.QUERY_INFORMATION.BytesNeeded;
    return request->DATA.QUERY_INFORMATION.BytesWritten;
}

static void pending_add(struct krn_adapter *adapter, struct krn_oid_request *oid) {
    oid->next = adapter->oid_first;
    adapter->oid_first = oid;
}

static void pending_remove(struct krn_adapter *adapter, struct krn_oid_request *oid) {
    struct krn_oid_request **at = &adapter->oid_first;

    while (*at != oid) {
        at = &(*at)->next;
    }
    *at = oid->next;
}

bool krn_oid_is_in_handler(const struct krn_adapter *adapter, const struct sim_task *task) {
    const struct krn_oid_request *oid = adapter->oid_first;

    while (oid != NULL && oid->in_handler != task) {
        oid = oid->next;
    }
    return oid != NULL;
}

static NDIS_STATUS call_handler(struct krn_adapter *adapter, struct krn_oid_request *oid) {
    MINIPORT_OID_REQUEST_HANDLER code = oid->is_direct
                                            ? adapter->miniport->handlers.DirectOidRequestHandler
                                            : adapter->miniport->handlers.OidRequestHandler;
    struct krn_routine routine;
    NDIS_STATUS status;

    if (code == NULL) {
        return NDIS_STATUS_NOT_SUPPORTED;
    }
    oid->in_handler = sim_task_current();
    krn_routine_begin(&routine, (const void *)code, "OID handler");
    status = code(adapter->context, oid->request);
    krn_routine_end_ordered(&routine);
    oid->in_handler = NULL;
    return status;
}

void krn_oid_serialise(struct krn_adapter *adapter) {
    while (adapter->oid_is_running) {
        krn_gate_shut(&adapter->oid_free);
        krn_gate_wait(&adapter->oid_free, "the OID request before");
    }
    adapter->oid_is_running = true;
}

void krn_oid_serialise_end(struct krn_adapter *adapter) {
    adapter->oid_is_running = false;
    krn_gate_open(&adapter->oid_free);
}

static bool is_set_state(const NDIS_OID_REQUEST *request) {
    return request->RequestType == NdisRequestSetInformation &&
           request->DATA.SET_INFORMATION.Oid == OID_NDK_SET_STATE;
}

/* The miniport may follow while its handler still runs. */
static NDIS_STATUS call_set_state(struct krn_adapter *adapter, struct krn_oid_request *oid) {
    const NDIS_OID_REQUEST *request = oid->request;
    bool was_wanted = adapter->ndk_is_wanted;
    bool is_wanted = request->DATA.SET_INFORMATION.InformationBufferLength != 0 &&
                     *(const BOOLEAN *)request->DATA.SET_INFORMATION.InformationBuffer != 0;
    NDIS_STATUS status;

    adapter->ndk_is_wanted = was_wanted || is_wanted;
    status = call_handler(adapter, oid);
    adapter->ndk_is_wanted = status == NDIS_STATUS_SUCCESS ? is_wanted : was_wanted;
    return status;
}

static NDIS_STATUS run(struct krn_adapter *adapter, struct krn_oid_request *oid) {
    bool sets_state = is_set_state(oid->request);
    NDIS_STATUS status;

    pending_add(adapter, oid);
    status = sets_state ? call_set_state(adapter, oid) : call_handler(adapter, oid);
    if (status == NDIS_STATUS_PENDING && sets_state) {
        krn_adapter_broken(adapter, "R-NDIS-11",
                           "the OID handler answered OID_NDK_SET_STATE with NDIS_STATUS_PENDING");
    }
    if (status == NDIS_STATUS_PENDING) {
        while (!oid->is_done) {
            krn_gate_wait(&oid->done, "OID request");
        }
        status = oid->status;
    } else if (oid->is_done) {
        krn_bugcheck(0x7C, 0, 0, 0, 0, "an OID handler completed a request and answered 0x%08X",
                     (ULONG)status);
    }
    pending_remove(adapter, oid);
    krn_gate_open(&adapter->oid_free);
    return status;
}

static struct krn_oid_request *entry_make(struct krn_adapter *adapter, struct krn_oid *oid) {
    struct krn_pool_request take = {.node = adapter->node,
                                    .bytes = sizeof(NDIS_OID_REQUEST),
                                    .tag = OID_TAG,
                                    .kind = KRN_POOL_KERNEL,
                                    .zero = true};
    struct krn_oid_request *entry = sim_alloc(adapter->node->world, sizeof(*entry));

    entry->adapter = adapter;
    entry->is_direct = oid->is_direct;
    entry->request = krn_pool_take(&take);
    if (entry->request == NULL) {
        return NULL;
    }
    krn_gate_init(adapter->node, &entry->done, &adapter->object, "oid");
    fill(entry->request, oid);
    if (!oid->is_set && oid->buffer != NULL) {
        memset(oid->buffer, KRN_OID_FILL, oid->bytes);
    }
    return entry;
}

/* Success: the adapter's state lets a request through. */
static NDIS_STATUS passes(const struct krn_adapter *adapter) {
    switch (adapter->state) {
    case KRN_ADAPTER_PAUSED:
    case KRN_ADAPTER_RUNNING:
        return NDIS_STATUS_SUCCESS;
    case KRN_ADAPTER_LOW_POWER:
        return NDIS_STATUS_LOW_POWER_STATE;
    default:
        return NDIS_STATUS_ADAPTER_NOT_READY;
    }
}

static NDIS_STATUS ask(struct krn_adapter *adapter, struct krn_oid *oid, uint64_t *bytes) {
    struct sim_world *world = adapter->node->world;
    NDIS_STATUS status = passes(adapter);
    struct krn_oid_request *entry;
    struct krn_call call;

    if (status != NDIS_STATUS_SUCCESS) {
        return status;
    }
    entry = entry_make(adapter, oid);
    if (entry == NULL) {
        return NDIS_STATUS_RESOURCES;
    }
    sim_trace(world, KRN_TRACE_ADAPTER_OID, SIM_ACCESS_WRITE, &adapter->object, NULL, NULL,
              oid->oid, oid->is_set);
    status = run(adapter, entry);
    *bytes = take_answer(entry->request, oid);
    sim_trace(world, KRN_TRACE_ADAPTER_OID_DONE, SIM_ACCESS_WRITE, &adapter->object, NULL, NULL,
              oid->oid, (ULONG)status);
    krn_oid_judge(adapter, oid, status, *bytes);
    krn_call_begin(&call, "OID", SIM_LEVEL_DISPATCH, NULL);
    krn_pool_give(&call, entry->request);
    return status;
}

NDIS_STATUS krn_adapter_oid_now(struct krn_adapter *adapter, struct krn_oid *oid, uint64_t *bytes) {
    NDIS_STATUS status;

    *bytes = 0;
    if (oid->is_direct) {
        return ask(adapter, oid, bytes);
    }
    krn_oid_serialise(adapter);
    status = ask(adapter, oid, bytes);
    krn_oid_serialise_end(adapter);
    return status;
}

void krn_oid_wait_none(struct krn_adapter *adapter) {
    while (adapter->oid_first != NULL) {
        krn_gate_shut(&adapter->oid_free);
        krn_gate_wait(&adapter->oid_free, "OID requests to end");
    }
}

static void oid_main(void *argument) {
    struct oid_step *step = argument;
    uint64_t bytes = 0;
    NDIS_STATUS status = krn_adapter_oid_now(step->adapter, step->oid, &bytes);

    krn_step_end(step->step, status, bytes);
}

void krn_adapter_oid(struct krn_adapter *adapter, struct krn_oid *oid, struct krn_step *step) {
    struct oid_step *own = sim_alloc(adapter->node->world, sizeof(*own));

    krn_step_begin(step);
    own->adapter = adapter;
    own->oid = oid;
    own->step = step;
    (void)krn_thread_create(adapter->node, NULL, &adapter->object, "oid", oid_main, own);
}

static void complete(const struct krn_call *call, NDIS_HANDLE handle,
                     const NDIS_OID_REQUEST *request, NDIS_STATUS status, bool is_direct) {
    struct krn_adapter *adapter = krn_adapter_of_handle(call, handle);
    struct krn_oid_request *oid = adapter->oid_first;

    while (oid != NULL && (oid->request != request || oid->is_direct != is_direct)) {
        oid = oid->next;
    }
    if (oid == NULL || oid->is_done) {
        krn_call_error(call, 0x7C, 0, 0, "the miniport has no such OID request");
    }
    krn_call_point(call, &adapter->object, SIM_ACCESS_WRITE);
    oid->status = status;
    oid->is_done = true;
    krn_gate_open(&oid->done);
}

VOID NdisMOidRequestComplete(NDIS_HANDLE MiniportAdapterHandle, PNDIS_OID_REQUEST OidRequest,
                             NDIS_STATUS Status) {
    KRN_CALL(DISPATCH_LEVEL);
    complete(&call, MiniportAdapterHandle, OidRequest, Status, false);
}

VOID NdisMDirectOidRequestComplete(NDIS_HANDLE MiniportAdapterHandle, PNDIS_OID_REQUEST OidRequest,
                                   NDIS_STATUS Status) {
    KRN_CALL(DISPATCH_LEVEL);
    complete(&call, MiniportAdapterHandle, OidRequest, Status, true);
}
