/* SPDX-License-Identifier: Apache-2.0 */
/* NDIS's covers of kernel services: events, sleep, log, status indications. */
#include <stdarg.h>
#include <stdio.h>

#include "adapter.h"
#include "call_error.h"
#include "pool.h"
#include "thread.h"

VOID NdisInitializeEvent(PNDIS_EVENT Event) {
    KeInitializeEvent(&Event->Event, NotificationEvent, FALSE);
}

VOID NdisSetEvent(PNDIS_EVENT Event) {
    (void)KeSetEvent(&Event->Event, IO_NO_INCREMENT, FALSE);
}

VOID NdisResetEvent(PNDIS_EVENT Event) {
    (void)KeResetEvent(&Event->Event);
}

BOOLEAN NdisWaitEvent(PNDIS_EVENT Event, UINT MsToWait) {
    LARGE_INTEGER timeout = {.QuadPart = -10000 * (LONGLONG)MsToWait};

    return KeWaitForSingleObject(&Event->Event, Executive, KernelMode, FALSE,
                                 MsToWait != 0 ? &timeout : NULL) == STATUS_SUCCESS;
}

VOID NdisMSleep(ULONG MicrosecondsToSleep) {
    KRN_CALL(PASSIVE_LEVEL);
    krn_wait_check(&call);
    krn_call_point(&call, NULL, SIM_ACCESS_NONE);
    (void)sim_task_wait(NULL, call.name,
                        sim_now_ns(call.world) + MicrosecondsToSleep * UINT64_C(1000));
}

VOID NdisWriteErrorLogEntry(NDIS_HANDLE NdisAdapterHandle, NDIS_ERROR_CODE ErrorCode,
                            ULONG NumberOfErrorValues, ...) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_adapter *adapter = krn_adapter_of_handle(&call, NdisAdapterHandle);
    char text[256];
    ULONG first = 0;
    size_t used;
    va_list values;

    used = (size_t)snprintf(text, sizeof(text), "event log: 0x%08X", ErrorCode);
    va_start(values, NumberOfErrorValues);
    for (ULONG i = 0; i < NumberOfErrorValues && used < sizeof(text); i++) {
        ULONG value = va_arg(values, ULONG);

        first = i == 0 ? value : first;
        used += (size_t)snprintf(text + used, sizeof(text) - used, " 0x%X", value);
    }
    va_end(values);
    krn_call_point(&call, &adapter->object, SIM_ACCESS_WRITE);
    sim_trace(call.world, KRN_TRACE_ADAPTER_LOG, SIM_ACCESS_WRITE, &adapter->object, NULL, NULL,
              ErrorCode, first);
    sim_text(call.world, &adapter->object, text);
}

VOID NdisMIndicateStatusEx(NDIS_HANDLE MiniportAdapterHandle,
                           PNDIS_STATUS_INDICATION StatusIndication) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_adapter *adapter = krn_adapter_of_handle(&call, MiniportAdapterHandle);

    krn_check_memory(&call, StatusIndication, NDIS_SIZEOF_STATUS_INDICATION_REVISION_1,
                     "status indication");
    krn_call_point(&call, &adapter->object, SIM_ACCESS_WRITE);
    sim_trace(call.world, KRN_TRACE_ADAPTER_STATUS, SIM_ACCESS_WRITE, &adapter->object, NULL, NULL,
              (ULONG)StatusIndication->StatusCode, 0);
    if (StatusIndication->StatusCode == NDIS_STATUS_LINK_STATE &&
        StatusIndication->StatusBufferSize >= sizeof(NDIS_LINK_STATE)) {
        const NDIS_LINK_STATE *link = StatusIndication->StatusBuffer;

        krn_check_memory(&call, link, sizeof(*link), "link state");
        adapter->link_is_up = link->MediaConnectState == MediaConnectStateConnected;
    }
}
