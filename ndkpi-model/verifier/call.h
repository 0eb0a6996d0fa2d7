/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every interposed function does around the provider's:
 *
 *   enter   find the shadow, schedule point, judge the use
 *   args    what the consumer gave, for watchers
 *   open    (may pend) a request with its handle in place of the context; record "ndk.call"
 *   before  watchers look
 *   ...     the provider's function
 *   leave   record "ndk.<function>" with the status; judge, watchers look; a request answered
 * inline ends here
 *
 * Completions come back through callback.c with the handle.
 */
#ifndef VRF_CALL_H
#define VRF_CALL_H

#include <krn/race.h>

#include "args.h"
#include "shadow.h"

/* One call of an interposed function; on its stack. */
struct vrf_call {
    struct vrf_world *verifier;
    struct vrf_shadow *shadow;
    struct vrf_shadow *second; /* another object of the call, for records and findings */
    struct vrf_request *request;
    struct vrf_work *work;    /* posts */
    struct vrf_call *next;    /* another one that runs on the shadow; while judging */
    struct sim_object *outer; /* on whose behalf the caller runs; from enter to the record */
    uint64_t entered_ns;
    uint64_t result; /* what the provider returned: a status; polls: how many */
    uintptr_t frame;
    enum vrf_function function;
    struct vrf_args args;
    struct vrf_call *told_next; /* while the provider runs: calls that tell it of room */
};

#define VRF_FRAME ((uintptr_t)__builtin_frame_address(0))

/* The provider's table of the object that a call is about; `type` as in NDK_<type>_DISPATCH. */
#define VRF_PROVIDER(call, type) ((const NDK_##type##_DISPATCH *)(call).shadow->dispatch)

/*
 * False when nothing is known of `object`, or it is of another type: there is no provider's
 * function to call.
 */
bool vrf_enter(struct vrf_call *call, enum vrf_function function, NDK_OBJECT_TYPE type,
               const void *object, uintptr_t frame);
/* Another object that the call names. NULL when it is not known. */
struct vrf_shadow *vrf_also(struct vrf_call *call, NDK_OBJECT_TYPE type, const void *object);
/* Everything is known, the provider is next: watchers look. */
void vrf_before(struct vrf_call *call);
/* The end of a call that cannot pend; `value` as given is recorded second. */
void vrf_leave(struct vrf_call *call, uint64_t status, uint64_t value);
/* The record alone, where watchers have looked already. */
void vrf_recorded(struct vrf_call *call, uint64_t status, uint64_t value);
static inline NTSTATUS vrf_leave_status(struct vrf_call *call, NTSTATUS status) {
    vrf_leave(call, (uint32_t)status, 0);
    return status;
}

/* Calls that may pend. `open` answers the handle to give to the provider. */
void *vrf_request_open(struct vrf_call *call, void (*routine)(void), void *context);
NTSTATUS vrf_request_leave(struct vrf_call *call, NTSTATUS status);
/* Creates: `born` is made by open, and born by leave when the status is success. */
void *vrf_create_open(struct vrf_call *call, NDK_OBJECT_TYPE type, void (*routine)(void),
                      void *context);
NTSTATUS vrf_create_leave(struct vrf_call *call, NTSTATUS status, void **out);
/* All closes: the object's first slot. */
NTSTATUS vrf_close(enum vrf_function function, NDK_OBJECT_TYPE type, NDK_OBJECT_HEADER *object,
                   NDK_FN_CLOSE_COMPLETION routine, void *context, uintptr_t frame);

/* The request's record goes back when neither the call nor the callback needs it any more. */
void vrf_request_settle(struct vrf_world *verifier, struct vrf_request *request);
/* The request failed: the event callback that came with it will never be called. */
void vrf_event_forget(struct vrf_world *verifier, struct vrf_request *request);
/* A connector's state text and counts move on; see connector.c. */
void vrf_connector_called(struct vrf_call *call);
void vrf_connector_answered(struct vrf_world *verifier, struct vrf_request *request);

/* The running task is here: by its frames from `frame` on, at most `count_max`. */
void vrf_site_take(struct vrf_world *verifier, struct sim_kept_site *site, uintptr_t frame,
                   uint8_t count_max);

/* Routines as pointers without a type: NULL stays NULL, so that a provider sees what was asked. */
#define VRF_ROUTINE(routine) ((void (*)(void))(routine))
#define VRF_OURS(routine, ours) ((routine) != NULL ? (ours) : NULL)

static inline struct sim_object *vrf_subject(struct vrf_shadow *shadow) {
    return shadow->phase == VRF_UNBORN ? &shadow->parent->object : &shadow->object;
}
static inline void vrf_point(struct vrf_shadow *shadow, enum sim_access access) {
    sim_point(vrf_subject(shadow), access, SIM_POINT_COST_NS);
    krn_race_acquire(vrf_active()->world, shadow);
    krn_race_release(vrf_active()->world, shadow);
}

#endif
