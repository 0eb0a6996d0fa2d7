/* SPDX-License-Identifier: Apache-2.0 */
/* The interposed table of memory windows. */
#include "callback.h"
#include "interpose.h"
#include "query.h"

VRF_CLOSE(Mw, MW)
VRF_QUERY_EXTENSION(Mw)

static UINT32 get_remote_token(NDK_MW *mw) {
    struct vrf_call call;
    UINT32 token;

    if (!vrf_enter(&call, VRF_FN_GET_REMOTE_TOKEN_FROM_MW, NdkObjectTypeMw, mw, VRF_FRAME)) {
        return 0;
    }
    vrf_before(&call);
    token = VRF_PROVIDER(call, MW)->NdkGetRemoteTokenFromMw(mw);
    call.args.plain.first = token;
    vrf_leave(&call, STATUS_SUCCESS, 0);
    return token;
}

const NDK_MW_DISPATCH vrf_mw_table = {
    .NdkCloseMw = close_object,
    .NdkQueryExtension = query_extension,
    .NdkGetRemoteTokenFromMw = get_remote_token,
};
