/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of all object types. */
#include "interpose.h"

#include <sim/base.h>

const void *vrf_table_of(unsigned type) {
    static const void *const tables[NdkObjectTypeMax] = {
        [NdkObjectTypeAdapter] = &vrf_adapter_table,
        [NdkObjectTypeQp] = &vrf_qp_table,
        [NdkObjectTypeCq] = &vrf_cq_table,
        [NdkObjectTypeMr] = &vrf_mr_table,
        [NdkObjectTypeMw] = &vrf_mw_table,
        [NdkObjectTypePd] = &vrf_pd_table,
        [NdkObjectTypeSharedEndpoint] = &vrf_shared_endpoint_table,
        [NdkObjectTypeConnector] = &vrf_connector_table,
        [NdkObjectTypeListener] = &vrf_listener_table,
        [NdkObjectTypeSrq] = &vrf_srq_table,
    };

    SIM_ASSERT(type < NdkObjectTypeMax && tables[type] != NULL);
    return tables[type];
}
