/* SPDX-License-Identifier: Apache-2.0 */
/* The interposed table of memory regions. */
#include "callback.h"
#include "interpose.h"
#include "query.h"

VRF_CLOSE(Mr, MR)
VRF_QUERY_EXTENSION(Mr)

static NTSTATUS register_mr(NDK_MR *mr, MDL *mdl, SIZE_T length, ULONG flags,
                            NDK_FN_REQUEST_COMPLETION completion, PVOID context) {
    struct vrf_call call;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_REGISTER_MR, NdkObjectTypeMr, mr, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_request_open(&call, VRF_ROUTINE(completion), context);
    call.args.memory = (struct vrf_memory_args){.mdl = mdl, .length = length, .flags = flags};
    vrf_before(&call);
    return vrf_request_leave(
        &call, VRF_PROVIDER(call, MR)->NdkRegisterMr(mr, mdl, length, flags,
                                                     VRF_OURS(completion, vrf_on_request), handle));
}

static NTSTATUS deregister_mr(NDK_MR *mr, NDK_FN_REQUEST_COMPLETION completion, PVOID context) {
    struct vrf_call call;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_DEREGISTER_MR, NdkObjectTypeMr, mr, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_request_open(&call, VRF_ROUTINE(completion), context);
    vrf_before(&call);
    return vrf_request_leave(&call, VRF_PROVIDER(call, MR)->NdkDeregisterMr(
                                        mr, VRF_OURS(completion, vrf_on_request), handle));
}

static NTSTATUS initialize_fast_register_mr(NDK_MR *mr, ULONG page_count, BOOLEAN remote_access,
                                            NDK_FN_REQUEST_COMPLETION completion, PVOID context) {
    struct vrf_call call;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_INITIALIZE_FAST_REGISTER_MR, NdkObjectTypeMr, mr, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_request_open(&call, VRF_ROUTINE(completion), context);
    call.args.plain = (struct vrf_plain_args){page_count, remote_access};
    vrf_before(&call);
    return vrf_request_leave(
        &call, VRF_PROVIDER(call, MR)->NdkInitializeFastRegisterMr(
                   mr, page_count, remote_access, VRF_OURS(completion, vrf_on_request), handle));
}

/* Tokens are the provider's numbers and may differ from build to build: they are not recorded. */
static UINT32 get_remote_token(NDK_MR *mr) {
    struct vrf_call call;
    UINT32 token;

    if (!vrf_enter(&call, VRF_FN_GET_REMOTE_TOKEN_FROM_MR, NdkObjectTypeMr, mr, VRF_FRAME)) {
        return 0;
    }
    vrf_before(&call);
    token = VRF_PROVIDER(call, MR)->NdkGetRemoteTokenFromMr(mr);
    call.args.plain.first = token;
    vrf_leave(&call, STATUS_SUCCESS, 0);
    return token;
}

static UINT32 get_local_token(NDK_MR *mr) {
    struct vrf_call call;
    UINT32 token;

    if (!vrf_enter(&call, VRF_FN_GET_LOCAL_TOKEN_FROM_MR, NdkObjectTypeMr, mr, VRF_FRAME)) {
        return 0;
    }
    vrf_before(&call);
    token = VRF_PROVIDER(call, MR)->NdkGetLocalTokenFromMr(mr);
    call.args.plain.first = token;
    vrf_leave(&call, STATUS_SUCCESS, 0);
    return token;
}

const NDK_MR_DISPATCH vrf_mr_table = {
    .NdkCloseMr = close_object,
    .NdkQueryExtension = query_extension,
    .NdkRegisterMr = register_mr,
    .NdkDeregisterMr = deregister_mr,
    .NdkInitializeFastRegisterMr = initialize_fast_register_mr,
    .NdkGetRemoteTokenFromMr = get_remote_token,
    .NdkGetLocalTokenFromMr = get_local_token,
};
