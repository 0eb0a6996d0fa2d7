/* SPDX-License-Identifier: Apache-2.0 */
/* NdkQueryExtension, which every table has; one function per type, since the type is known. */
#ifndef VRF_QUERY_H
#define VRF_QUERY_H

#include <krn/memory.h>

#include "call.h"

static inline NTSTATUS vrf_query_extension(NDK_OBJECT_TYPE type, NDK_OBJECT_HEADER *object,
                                           GUID *id, NDK_VERSION version,
                                           NDK_EXTENSION_INTERFACE *extension, uintptr_t frame) {
    struct vrf_call call;
    const NDK_FN_QUERY_EXTENSION_INTERFACE *slots;

    if (!vrf_enter(&call, VRF_FN_QUERY_EXTENSION, type, object, frame)) {
        return STATUS_INVALID_PARAMETER;
    }
    call.args.query = (struct vrf_query_args){
        .id = id,
        .version = version,
        .extension = extension,
        .dispatch_before = krn_place_serves(call.verifier->world, extension, KRN_USE_READ)
                               ? extension->Dispatch
                               : NULL,
    };
    vrf_before(&call);
    /* The first slot of an adapter's table, the second of all others. */
    slots = call.shadow->dispatch;
    return vrf_leave_status(
        &call, slots[type == NdkObjectTypeAdapter ? 0 : 1](object, id, version, extension));
}

#define VRF_QUERY_EXTENSION(type)                                                                  \
    static NTSTATUS query_extension(NDK_OBJECT_HEADER *object, GUID *id, NDK_VERSION version,      \
                                    NDK_EXTENSION_INTERFACE *extension) {                          \
        return vrf_query_extension(NdkObjectType##type, object, id, version, extension,            \
                                   VRF_FRAME);                                                     \
    }

#define VRF_CLOSE(type, suffix)                                                                    \
    static NTSTATUS close_object(NDK_OBJECT_HEADER *object, NDK_FN_CLOSE_COMPLETION completion,    \
                                 PVOID context) {                                                  \
        return vrf_close(VRF_FN_CLOSE_##suffix, NdkObjectType##type, object, completion, context,  \
                         VRF_FRAME);                                                               \
    }

#endif
