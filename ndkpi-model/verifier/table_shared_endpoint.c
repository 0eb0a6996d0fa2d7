/* SPDX-License-Identifier: Apache-2.0 */
/* The interposed table of shared endpoints. */
#include "callback.h"
#include "interpose.h"
#include "query.h"

VRF_CLOSE(SharedEndpoint, SHARED_ENDPOINT)
VRF_QUERY_EXTENSION(SharedEndpoint)

static NTSTATUS get_local_address(NDK_SHARED_ENDPOINT *endpoint, PSOCKADDR address, ULONG *length) {
    struct vrf_call call;

    if (!vrf_enter(&call, VRF_FN_GET_ENDPOINT_ADDRESS, NdkObjectTypeSharedEndpoint, endpoint,
                   VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    call.args.address = (struct vrf_address_args){.address = address, .size = length};
    vrf_before(&call);
    return vrf_leave_status(
        &call, VRF_PROVIDER(call, SHARED_ENDPOINT)->NdkGetLocalAddress(endpoint, address, length));
}

const NDK_SHARED_ENDPOINT_DISPATCH vrf_shared_endpoint_table = {
    .NdkCloseSharedEndpoint = close_object,
    .NdkQueryExtension = query_extension,
    .NdkGetLocalAddress = get_local_address,
};
