/* SPDX-License-Identifier: Apache-2.0 */
/* What the fake provider's files share. */
#ifndef FAKE_NOTE_H
#define FAKE_NOTE_H

#include "fake_provider.h"

#define V(argument) ((uint64_t)(uintptr_t)(argument))
#define NOTE(slot, ...)                                                                            \
    fake_note(slot, (const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / 8)

void fake_note(const char *slot, const uint64_t *arguments, size_t count);
ULONG fake_take(NDK_RESULT *results, ULONG asked);
ULONG fake_take_ex(NDK_RESULT_EX *results, ULONG asked);

extern const NDK_ADAPTER_DISPATCH fake_adapter_table;
extern const NDK_CONNECTOR_DISPATCH fake_connector_table;
extern const NDK_CQ_DISPATCH fake_cq_table;
extern const NDK_LISTENER_DISPATCH fake_listener_table;
extern const NDK_MR_DISPATCH fake_mr_table;
extern const NDK_MW_DISPATCH fake_mw_table;
extern const NDK_PD_DISPATCH fake_pd_table;
extern const NDK_QP_DISPATCH fake_qp_table;
extern const NDK_SHARED_ENDPOINT_DISPATCH fake_shared_endpoint_table;
extern const NDK_SRQ_DISPATCH fake_srq_table;

#endif
