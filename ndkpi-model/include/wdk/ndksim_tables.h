/* SPDX-License-Identifier: Apache-2.0 */
/* How large the dispatch table of each type of NDK object is, for who goes through its slots. */
#ifndef NDKSIM_WDK_NDKSIM_TABLES_H
#define NDKSIM_WDK_NDKSIM_TABLES_H

#include "ndkpi.h"

/* For an array: static const ULONG Bytes[NdkObjectTypeMax] = NDKSIM_TABLE_BYTES; 0: no table. */
#define NDKSIM_TABLE_BYTES                                                                         \
    {                                                                                              \
        [NdkObjectTypeAdapter] = sizeof(NDK_ADAPTER_DISPATCH),                                     \
        [NdkObjectTypeQp] = sizeof(NDK_QP_DISPATCH), [NdkObjectTypeCq] = sizeof(NDK_CQ_DISPATCH),  \
        [NdkObjectTypeMr] = sizeof(NDK_MR_DISPATCH), [NdkObjectTypeMw] = sizeof(NDK_MW_DISPATCH),  \
        [NdkObjectTypePd] = sizeof(NDK_PD_DISPATCH),                                               \
        [NdkObjectTypeSharedEndpoint] = sizeof(NDK_SHARED_ENDPOINT_DISPATCH),                      \
        [NdkObjectTypeConnector] = sizeof(NDK_CONNECTOR_DISPATCH),                                 \
        [NdkObjectTypeListener] = sizeof(NDK_LISTENER_DISPATCH),                                   \
        [NdkObjectTypeSrq] = sizeof(NDK_SRQ_DISPATCH),                                             \
    }

#endif
