/* SPDX-License-Identifier: Apache-2.0 */
/* Where a scenario may have this driver fail: as if the device had no room left, or no answer came.
 */
#include "mbx.h"
#include <ndksim.h>

const NDKSIM_FAULT_POINT NdksimFaultPoints[] = {
    {"provider.create_pd.insufficient_resources", "The device has no room for another PD."},
    {"provider.create_cq.insufficient_resources", "The device has no room for another CQ."},
    {"provider.create_qp.insufficient_resources", "The device has no room for another QP."},
    {"provider.create_mr.insufficient_resources", "The device has no room for another MR."},
    {"provider.create_listener.insufficient_resources",
     "The device has no room for another listener."},
    {"provider.create_connector.insufficient_resources",
     "The device has no room for another connection."},
    {"provider.complete_connect.io_timeout",
     "NdkCompleteConnect and its Ex form time out, for good."},
    {NULL, NULL},
};

BOOLEAN FaultFires(PCSTR Point, PMBX_OBJECT Object) {
    return Point != NULL && NdksimFault(Point, Object != NULL ? &Object->Ndk.Header : NULL);
}
