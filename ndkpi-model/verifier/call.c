/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: entering and leaving the provider's functions; see call.h. */
#include "call.h"

#include <string.h>

#include <krn/memory.h>

#include "callback.h"
#include "judge.h"
#include "pointers.h"
#include "watch_call.h"
#include "work.h"

void vrf_site_take(struct vrf_world *verifier, struct sim_kept_site *site, uintptr_t frame,
                   uint8_t count_max) {
    uintptr_t frames[VRF_SITE_FRAMES];

    SIM_ASSERT(count_max <= VRF_SITE_FRAMES);
    sim_site_keep(verifier->world, site, frames, sim_site_walk(frame, frames, count_max));
}

bool vrf_enter(struct vrf_call *call, enum vrf_function function, NDK_OBJECT_TYPE type,
               const void *object, uintptr_t frame) {
    struct vrf_world *verifier = vrf_active();
    struct vrf_shadow *shadow = vrf_shadow_find(verifier, object);
    bool was_open;

    call->verifier = verifier;
    call->shadow = shadow;
    call->second = NULL;
    call->request = NULL;
    call->work = NULL;
    call->frame = frame;
    call->function = function;
    if (SIM_UNLIKELY(shadow == NULL || shadow->type != (uint8_t)type)) {
        sim_trace(verifier->world, VRF_TRACE_STRAY, SIM_ACCESS_NONE,
                  shadow != NULL ? &shadow->object : NULL, NULL, NULL, vrf_trace_of(function), 0);
        if (verifier->is_judging) {
            vrf_judge_unknown(call, type, object);
        }
        return false;
    }
    was_open = shadow->phase == VRF_OPEN;
    if (verifier->is_judging) {
        vrf_judge_use(call, shadow);
        if (vrf_shadow_is_buried(verifier, shadow)) {
            return false;
        }
        shadow->call_count++; /* from here on it is running: others may go on at the point */
        call->next = shadow->calls;
        shadow->calls = call;
        call->entered_ns = sim_now_ns(verifier->world);
    }
    call->outer = sim_task_subject_set(vrf_subject(shadow));
    vrf_point(shadow, vrf_functions[function].access);
    if (SIM_UNLIKELY(was_open && shadow->phase == VRF_CLOSED) && verifier->is_judging) {
        vrf_judge_use(call, shadow); /* closed on another CPU while the call was on its way */
    }
    call->entered_ns = sim_now_ns(verifier->world);
    return true;
}

struct vrf_shadow *vrf_also(struct vrf_call *call, NDK_OBJECT_TYPE type, const void *object) {
    struct vrf_world *verifier = call->verifier;
    struct vrf_shadow *shadow = vrf_shadow_find(verifier, object);

    if (shadow != NULL && shadow->type == (uint8_t)type) {
        if (call->second == NULL) {
            call->second = shadow;
        }
        if (verifier->is_judging) {
            vrf_judge_use(call, shadow);
        }
        return shadow;
    }
    if (verifier->is_judging) {
        vrf_judge_unknown(call, type, object);
    }
    return NULL;
}

void vrf_recorded(struct vrf_call *call, uint64_t status, uint64_t value) {
    vrf_pointers_returned(call);
    sim_trace(call->verifier->world, vrf_trace_of(call->function),
              vrf_functions[call->function].access, &call->shadow->object,
              call->second != NULL ? &call->second->object : NULL, NULL, status, value);
    (void)sim_task_subject_set(call->outer);
}

/* What a create's out pointer holds, as far as it can be read. */
static void note_out(struct vrf_call *call) {
    enum krn_place_kind kind = call->args.out != NULL
                                   ? krn_place_kind_of(call->verifier->world, call->args.out)
                                   : KRN_PLACE_NULL;

    if (kind == KRN_PLACE_POOL || kind == KRN_PLACE_STACK) {
        call->request->out_before = *call->args.out;
    }
}

void vrf_before(struct vrf_call *call) {
    if (vrf_functions[call->function].kind == VRF_KIND_CREATE) {
        note_out(call);
    }
    if (call->verifier->is_judging && vrf_pointers_hold(call)) {
        vrf_watch_before(call);
    }
}

static void look_after(struct vrf_call *call, uint64_t result) {
    call->result = result;
    if (call->verifier->is_judging) {
        vrf_watch_after(call);
    }
}

void vrf_leave(struct vrf_call *call, uint64_t status, uint64_t value) {
    look_after(call, vrf_functions[call->function].kind == VRF_KIND_POLL ? value : status);
    vrf_recorded(call, status, value);
}

/* ---- Requests ---- */

static void request_append(struct vrf_world *verifier, struct vrf_request *request) {
    request->previous = verifier->request_last;
    if (verifier->request_last != NULL) {
        verifier->request_last->next = request;
    } else {
        verifier->request_first = request;
    }
    verifier->request_last = request;
}

static void request_remove(struct vrf_world *verifier, struct vrf_request *request) {
    if (request->previous != NULL) {
        request->previous->next = request->next;
    } else {
        verifier->request_first = request->next;
    }
    if (request->next != NULL) {
        request->next->previous = request->previous;
    } else {
        verifier->request_last = request->previous;
    }
}

void vrf_event_forget(struct vrf_world *verifier, struct vrf_request *request) {
    if (request->event != NULL) {
        vrf_slab_give(&verifier->subscriptions, request->event);
        request->event = NULL;
    }
}

void vrf_request_settle(struct vrf_world *verifier, struct vrf_request *request) {
    if (request->ending != VRF_OWED && !request->is_in_call && !request->is_in_callback) {
        request_remove(verifier, request);
        vrf_slab_give(&verifier->requests, request);
    }
}

void *vrf_request_open(struct vrf_call *call, void (*routine)(void), void *context) {
    struct vrf_world *verifier = call->verifier;
    struct vrf_request *request = vrf_slab_take(&verifier->requests);

    request->shadow = call->shadow;
    request->routine = routine;
    request->context = context;
    request->function = (uint16_t)call->function;
    request->serial = ++verifier->serial;
    request->is_in_call = true;
    if (vrf_functions[call->function].kind != VRF_KIND_CLOSE) {
        request->is_counted = true;
        call->shadow->request_count++;
    }
    request_append(verifier, request);
    call->request = request;
    sim_trace(verifier->world, VRF_TRACE_CALL, vrf_functions[call->function].access,
              &call->shadow->object, call->second != NULL ? &call->second->object : NULL, NULL,
              vrf_trace_of(call->function), request->serial);
    if (verifier->is_judging) {
        vrf_site_take(verifier, &request->site, call->frame, VRF_SITE_FRAMES);
        vrf_place_take(verifier->world, context, call->frame, &request->place);
        vrf_judge_request(call);
    }
    return vrf_handle(&verifier->requests, request);
}

/* The provider's function returned; the request lives on only if its answer is still to come. */
static void request_return(struct vrf_call *call, NTSTATUS status) {
    struct vrf_world *verifier = call->verifier;
    struct vrf_request *request = call->request;

    if (verifier->is_judging) {
        vrf_judge_return(call, status);
    }
    request->is_in_call = false;
    if (status == STATUS_PENDING) {
        if (request->ending == VRF_OWED && request->routine == NULL) {
            /* Nobody can hear its answer. */
            request->ending = VRF_ANSWERED;
        }
    } else if (request->ending == VRF_OWED) {
        request->ending = status == STATUS_SUCCESS ? VRF_DONE_INLINE : VRF_FAILED_INLINE;
        request->status = status;
    }
    if (request->ending != VRF_OWED && request->is_counted) {
        request->is_counted = false;
        request->shadow->request_count--;
    }
}

NTSTATUS vrf_request_leave(struct vrf_call *call, NTSTATUS status) {
    struct vrf_request *request = call->request;
    uint32_t serial = request->serial;

    request_return(call, status);
    vrf_recorded(call, (uint32_t)status, serial);
    if (request->ending == VRF_DONE_INLINE || request->ending == VRF_FAILED_INLINE) {
        vrf_connector_answered(call->verifier, request);
    }
    look_after(call, (uint32_t)status);
    if (request->ending == VRF_FAILED_INLINE) {
        vrf_event_forget(call->verifier, request);
    }
    vrf_request_settle(call->verifier, request);
    return status;
}

void *vrf_create_open(struct vrf_call *call, NDK_OBJECT_TYPE type, void (*routine)(void),
                      void *context) {
    struct vrf_shadow *born = vrf_shadow_expect(call->verifier, call->shadow, type);
    void *handle = vrf_request_open(call, routine, context);

    call->request->born = born;
    return handle;
}

/* What stood in the slot before and is no object that anybody knows is not the new one. */
static bool is_handed_over(const struct vrf_world *verifier, const struct vrf_request *request,
                           const void *object) {
    return object != NULL &&
           (object != request->out_before || vrf_shadow_find(verifier, object) != NULL);
}

NTSTATUS vrf_create_leave(struct vrf_call *call, NTSTATUS status, void **out) {
    struct vrf_world *verifier = call->verifier;
    struct vrf_request *request = call->request;
    struct vrf_shadow *born = request->born;
    uint32_t serial = request->serial;

    request_return(call, status);
    if (request->ending == VRF_DONE_INLINE && is_handed_over(verifier, request, *out)) {
        vrf_shadow_bear(verifier, born, *out);
        if (verifier->is_judging) {
            vrf_site_take(verifier, &born->made, call->frame, VRF_SITE_FRAMES);
        }
        call->second = born;
        look_after(call, (uint32_t)status);
    } else if (request->ending == VRF_DONE_INLINE || request->ending == VRF_FAILED_INLINE) {
        look_after(call, (uint32_t)status);
        vrf_event_forget(verifier, request);
        vrf_shadow_forget(verifier, born);
    } else {
        look_after(call, (uint32_t)status);
    }
    vrf_recorded(call, (uint32_t)status, serial);
    vrf_request_settle(verifier, request);
    return status;
}

/* ---- Close ---- */

static NTSTATUS close_leave(struct vrf_call *call, NTSTATUS status) {
    struct vrf_world *verifier = call->verifier;
    struct vrf_shadow *shadow = call->shadow;
    struct vrf_request *request = call->request;
    uint32_t serial = request->serial;
    bool is_first = shadow->closing == request;

    request_return(call, status);
    vrf_recorded(call, (uint32_t)status, serial);
    if (request->ending == VRF_DONE_INLINE && is_first) {
        vrf_works_closed(verifier, shadow);
        vrf_shadow_end(verifier, shadow);
        if (verifier->is_judging) {
            vrf_judge_closed(verifier, shadow);
            vrf_watch_closed(verifier, shadow);
        }
    } else if (request->ending == VRF_FAILED_INLINE && is_first) {
        shadow->phase = VRF_OPEN;
        shadow->object.state = "open";
        shadow->closing = NULL;
    }
    look_after(call, (uint32_t)status);
    vrf_request_settle(verifier, request);
    return status;
}

NTSTATUS vrf_close(enum vrf_function function, NDK_OBJECT_TYPE type, NDK_OBJECT_HEADER *object,
                   NDK_FN_CLOSE_COMPLETION routine, void *context, uintptr_t frame) {
    struct vrf_call call;
    const NDK_FN_CLOSE_OBJECT *provider;
    void *handle;

    if (!vrf_enter(&call, function, type, object, frame)) {
        return STATUS_SUCCESS;
    }
    handle = vrf_request_open(&call, VRF_ROUTINE(routine), context);
    if (call.shadow->phase == VRF_OPEN) {
        call.shadow->phase = VRF_CLOSING;
        call.shadow->object.state = "closing";
        call.shadow->closing = call.request;
        vrf_connector_called(&call);
        if (call.verifier->is_judging) {
            call.shadow->closed = call.request->site;
            vrf_judge_closing(&call);
        }
    }
    _Static_assert(offsetof(NDK_QP_DISPATCH, NdkCloseQp) == 0, "close is the first slot");
    vrf_before(&call);
    provider = call.shadow->dispatch;
    return close_leave(&call, (*provider)(object, VRF_OURS(routine, vrf_on_close), handle));
}
