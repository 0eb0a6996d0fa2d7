/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the functions and of the trace types; see functions.h. */
#include "functions.h"

#define INFO(suffix, kind, access, name)                                                           \
    [VRF_FN_##suffix] = {name, VRF_KIND_##kind, SIM_ACCESS_##access},
const struct vrf_function_info vrf_functions[VRF_FN_COUNT] = {VRF_FUNCTIONS_PENDING(INFO)
                                                                  VRF_FUNCTIONS_INLINE(INFO)};

#define RETURN_NAME(suffix, kind, access, name) "ndk." name,
#define DONE_NAME(suffix, kind, access, name) "ndk." name ".done",
static const char *const trace_names[] = {
    VRF_FUNCTIONS_PENDING(RETURN_NAME) /* */
    VRF_FUNCTIONS_INLINE(RETURN_NAME)  /* */
    VRF_FUNCTIONS_PENDING(DONE_NAME)   /* */
    "ndk.call",
    "ndk.result",
    "ndk.event.cq",
    "ndk.event.srq",
    "ndk.event.connect",
    "ndk.event.disconnect",
    "ndk.callback.return",
    "ndk.adapter.open",
    "ndk.adapter.closed",
    "ndk.stray",
};

void vrf_functions_register(struct sim_world *world) {
    _Static_assert(SIM_ARRAY_COUNT(trace_names) == (int)VRF_TRACE_END - (int)SIM_TRACE_NDK,
                   "names");
    _Static_assert((int)VRF_TRACE_END <= (int)SIM_TRACE_SCENARIO, "the range of types is full");
    sim_trace_register(world, SIM_TRACE_NDK, trace_names, SIM_ARRAY_COUNT(trace_names));
    sim_trace_status_types(world, SIM_TRACE_NDK, VRF_TRACE_CALL - SIM_TRACE_NDK);
    sim_trace_status_types(world, VRF_TRACE_RESULT, VRF_TRACE_EVENT_SRQ - VRF_TRACE_RESULT + 1);
}
