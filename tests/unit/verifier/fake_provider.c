/* SPDX-License-Identifier: Apache-2.0 */
/* The fake provider: notes, results, objects; see fake_provider.h. */
#include "fake_note.h"

#include <string.h>

struct fake_provider fake;

void fake_note(const char *slot, const uint64_t *arguments, size_t count) {
    fake.slot = slot;
    fake.argument_count = (uint32_t)count;
    fake.call_count++;
    SIM_ASSERT(count <= FAKE_ARGUMENTS);
    memcpy(fake.argument, arguments, count * sizeof(*arguments));
    if (fake.inside != NULL) {
        fake.inside();
    }
}

static void drop_results(ULONG count) {
    fake.result_count -= count;
    memmove(fake.results, fake.results + count, fake.result_count * sizeof(fake.results[0]));
}

ULONG fake_take(NDK_RESULT *results, ULONG asked) {
    ULONG count = fake.result_count < asked ? fake.result_count : asked;

    for (ULONG i = 0; i < count; i++) {
        memcpy(&results[i], &fake.results[i], sizeof(results[i]));
    }
    drop_results(count);
    return count;
}

/* As for a consumer of version 1.2: the provider's error code is never written. */
ULONG fake_take_ex(NDK_RESULT_EX *results, ULONG asked) {
    ULONG count = fake.result_count < asked ? fake.result_count : asked;

    for (ULONG i = 0; i < count; i++) {
        ULONG kept = results[i].ProviderErrorCode;

        results[i] = fake.results[i];
        results[i].ProviderErrorCode = kept;
    }
    drop_results(count);
    return count;
}

void fake_result(NTSTATUS status, void *qp_context, void *request_context) {
    NDK_RESULT_EX *result = &fake.results[fake.result_count++];

    SIM_ASSERT(fake.result_count <= FAKE_RESULTS);
    memset(result, 0, sizeof(*result));
    result->Status = status;
    result->QPContext = qp_context;
    result->RequestContext = request_context;
    result->Type = NdkOperationTypeSend;
}

static const void *const tables[NdkObjectTypeMax] = {
    [NdkObjectTypeAdapter] = &fake_adapter_table,
    [NdkObjectTypeQp] = &fake_qp_table,
    [NdkObjectTypeCq] = &fake_cq_table,
    [NdkObjectTypeMr] = &fake_mr_table,
    [NdkObjectTypeMw] = &fake_mw_table,
    [NdkObjectTypePd] = &fake_pd_table,
    [NdkObjectTypeSharedEndpoint] = &fake_shared_endpoint_table,
    [NdkObjectTypeConnector] = &fake_connector_table,
    [NdkObjectTypeListener] = &fake_listener_table,
    [NdkObjectTypeSrq] = &fake_srq_table,
};

void fake_object(void *object, NDK_OBJECT_TYPE type) {
    NDK_CQ *made = object;

    memset(made, 0, sizeof(*made));
    made->Header.Version.Major = 2;
    made->Header.Version.Minor = 1;
    made->Header.ObjectType = type;
    made->Dispatch = tables[type];
}

void fake_reset(void) {
    memset(&fake, 0, sizeof(fake));
    fake_object(&fake.adapter, NdkObjectTypeAdapter);
    fake_object(&fake.connector, NdkObjectTypeConnector);
    fake_object(&fake.cq, NdkObjectTypeCq);
    fake_object(&fake.listener, NdkObjectTypeListener);
    fake_object(&fake.mr, NdkObjectTypeMr);
    fake_object(&fake.mw, NdkObjectTypeMw);
    fake_object(&fake.pd, NdkObjectTypePd);
    fake_object(&fake.qp, NdkObjectTypeQp);
    fake_object(&fake.endpoint, NdkObjectTypeSharedEndpoint);
    fake_object(&fake.srq, NdkObjectTypeSrq);
}
