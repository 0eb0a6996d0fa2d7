/* SPDX-License-Identifier: Apache-2.0 */
/* Completions and events on their way to the consumer; see callback.h. */
#include "callback.h"

#include "call.h"
#include "judge.h"
#include "watch_call.h"
#include "work.h"

/* ---- Completions ---- */

/*
 * The request that a completion is for, or NULL when there is none to deliver to. An answered one
 * that is still known is delivered again: that is what would happen without us.
 */
static struct vrf_request *take_answer(struct vrf_world *verifier, const char *what,
                                       const void *context, int32_t status, bool *is_first) {
    bool is_old;
    struct vrf_request *request = vrf_slab_find(&verifier->requests, context, &is_old);

    *is_first = request != NULL && request->ending == VRF_OWED;
    if (SIM_LIKELY(*is_first)) {
        request->ending = VRF_ANSWERED;
        request->is_in_callback = true;
        request->status = status;
        if (request->is_counted) {
            request->is_counted = false;
            request->shadow->request_count--;
        }
        return request;
    }
    sim_trace(verifier->world, VRF_TRACE_STRAY, SIM_ACCESS_NONE,
              request != NULL ? vrf_subject(request->shadow) : NULL, NULL, NULL,
              request != NULL ? request->serial : 0, (uint32_t)status);
    if (verifier->is_judging) {
        vrf_judge_stray_answer(verifier, what, request, is_old);
    }
    return request;
}

static void trace_done(struct vrf_world *verifier, const struct vrf_request *request,
                       struct sim_object *second, int32_t status) {
    sim_trace(verifier->world, (uint16_t)(VRF_TRACE_DONE + request->function), SIM_ACCESS_WRITE,
              vrf_subject(request->shadow), second, NULL, (uint32_t)status, request->serial);
}

/* After the consumer's routine. The request may be a stray one, given back long ago. */
static void end_answer(struct vrf_world *verifier, struct vrf_request *request,
                       struct vrf_shadow *shadow, struct sim_object *outer, bool is_first) {
    vrf_point(shadow, SIM_ACCESS_WRITE);
    (void)sim_task_subject_set(outer);
    sim_trace(verifier->world, VRF_TRACE_CALLBACK_RETURN, SIM_ACCESS_NONE, vrf_subject(shadow),
              NULL, NULL, VRF_TRACE_DONE + request->function, request->serial);
    if (is_first) {
        if (verifier->is_judging) {
            vrf_watch_answered(verifier, request);
        }
        request->is_in_callback = false;
        vrf_request_settle(verifier, request);
    }
}

void vrf_on_create(PVOID context, NTSTATUS status, NDK_OBJECT_HEADER *object) {
    struct vrf_world *verifier = vrf_active();
    bool is_first;
    struct vrf_request *request =
        take_answer(verifier, "create completion", context, status, &is_first);
    struct vrf_shadow *shadow;
    struct vrf_shadow *born;
    NDK_FN_CREATE_COMPLETION routine;
    struct sim_object *outer;

    if (request == NULL || request->routine == NULL) {
        return;
    }
    shadow = request->shadow;
    born = request->born;
    if (born != NULL && is_first) {
        if (status == STATUS_SUCCESS && object != NULL) {
            vrf_shadow_bear(verifier, born, object);
            born->made = request->site;
        } else {
            vrf_event_forget(verifier, request);
            vrf_shadow_forget(verifier, born);
            request->born = NULL;
        }
    }
    trace_done(verifier, request, request->born != NULL ? &request->born->object : NULL, status);
    if (verifier->is_judging && is_first) {
        vrf_judge_answer(verifier, request);
        vrf_watch_answer(verifier, request, object);
    }
    routine = (NDK_FN_CREATE_COMPLETION)request->routine;
    shadow->callback_count++;
    outer = sim_task_subject_set(vrf_subject(shadow));
    vrf_point(shadow, SIM_ACCESS_WRITE);
    routine(request->context, status, object);
    shadow->callback_count--;
    end_answer(verifier, request, shadow, outer, is_first);
}

void vrf_on_request(PVOID context, NTSTATUS status) {
    struct vrf_world *verifier = vrf_active();
    bool is_first;
    struct vrf_request *request =
        take_answer(verifier, "request completion", context, status, &is_first);
    struct vrf_shadow *shadow;
    struct sim_object *outer;

    if (request == NULL || request->routine == NULL) {
        return;
    }
    shadow = request->shadow;
    if (is_first) {
        vrf_connector_answered(verifier, request);
        if (request->function == VRF_FN_RESIZE_CQ && status == STATUS_SUCCESS) {
            shadow->part.cq.depth = shadow->part.cq.resized_depth;
        }
        if (status != STATUS_SUCCESS) {
            vrf_event_forget(verifier, request);
        }
    }
    trace_done(verifier, request, request->tied != NULL ? &request->tied->object : NULL, status);
    if (verifier->is_judging && is_first) {
        vrf_judge_answer(verifier, request);
        vrf_watch_answer(verifier, request, NULL);
    }
    shadow->callback_count++;
    outer = sim_task_subject_set(vrf_subject(shadow));
    vrf_point(shadow, SIM_ACCESS_WRITE);
    ((NDK_FN_REQUEST_COMPLETION)request->routine)(request->context, status);
    shadow->callback_count--;
    end_answer(verifier, request, shadow, outer, is_first);
}

void vrf_on_close(PVOID context) {
    struct vrf_world *verifier = vrf_active();
    bool is_first;
    struct vrf_request *request = take_answer(verifier, "close completion", context, 0, &is_first);
    struct vrf_shadow *shadow;
    struct sim_object *outer;

    if (request == NULL || request->routine == NULL) {
        return;
    }
    shadow = request->shadow;
    trace_done(verifier, request, NULL, 0);
    if (shadow->closing == request) {
        vrf_works_closed(verifier, shadow);
        vrf_shadow_end(verifier, shadow);
        if (verifier->is_judging) {
            vrf_judge_closed(verifier, shadow);
            vrf_watch_closed(verifier, shadow);
        }
    }
    if (verifier->is_judging && is_first) {
        vrf_judge_answer(verifier, request);
        vrf_watch_answer(verifier, request, NULL);
    }
    outer = sim_task_subject_set(vrf_subject(shadow));
    vrf_point(shadow, SIM_ACCESS_CLOSE);
    ((NDK_FN_CLOSE_COMPLETION)request->routine)(request->context);
    end_answer(verifier, request, shadow, outer, is_first);
}

/* ---- Events ---- */

static void look_event(struct vrf_world *verifier, const struct vrf_event *event,
                       const char *what) {
    if (verifier->is_judging) {
        vrf_judge_event(verifier, event->subscription, what);
    }
}

/*
 * `event` has its type, its value and for a connect event the new connector. False when it belongs
 * to nobody.
 */
static bool begin_event(struct vrf_world *verifier, struct vrf_event *event, const void *context,
                        const char *what) {
    struct vrf_subscription *found = vrf_slab_find(&verifier->subscriptions, context, NULL);
    bool was_closed;

    if (SIM_UNLIKELY(found == NULL || !found->slot.is_live || found->routine == NULL)) {
        sim_trace(verifier->world, VRF_TRACE_STRAY, SIM_ACCESS_NONE, NULL, NULL, NULL, event->type,
                  event->value);
        if (verifier->is_judging) {
            vrf_judge_stray_event(verifier, what);
        }
        return false;
    }
    event->subscription = found;
    event->shadow = found->shadow;
    sim_trace(verifier->world, event->type, SIM_ACCESS_WRITE, vrf_subject(event->shadow),
              event->born != NULL ? &event->born->object : NULL, NULL, event->value, 0);
    was_closed = event->shadow->phase == VRF_CLOSED;
    look_event(verifier, event, what);
    if (verifier->is_judging) {
        vrf_watch_event(verifier, event);
    }
    event->shadow->callback_count++;
    event->outer = sim_task_subject_set(vrf_subject(event->shadow));
    vrf_point(event->shadow, SIM_ACCESS_WRITE);
    if (SIM_UNLIKELY(!was_closed && event->shadow->phase == VRF_CLOSED)) {
        look_event(verifier, event, what);
    }
    return true;
}

static void end_event(struct vrf_world *verifier, const struct vrf_event *event) {
    struct vrf_shadow *shadow = event->shadow;

    shadow->callback_count--;
    if (verifier->is_judging) {
        vrf_watch_event_returned(verifier, event);
    }
    vrf_point(shadow, SIM_ACCESS_WRITE);
    (void)sim_task_subject_set(event->outer);
    sim_trace(verifier->world, VRF_TRACE_CALLBACK_RETURN, SIM_ACCESS_NONE, vrf_subject(shadow),
              NULL, NULL, event->type, 0);
}

void vrf_on_cq_event(PVOID context, NTSTATUS status) {
    struct vrf_world *verifier = vrf_active();
    struct vrf_event event = {.type = VRF_TRACE_EVENT_CQ, .value = (uint32_t)status};
    struct vrf_cq_part *cq;

    if (!begin_event(verifier, &event, context, "CQ notification")) {
        return;
    }
    cq = &event.shadow->part.cq;
    cq->is_armed = false;
    cq->is_drained = false;
    cq->notified_ns = sim_now_ns(verifier->world);
    if (status != STATUS_SUCCESS) {
        cq->may_overrun = true;
    }
    ((NDK_FN_CQ_NOTIFICATION_CALLBACK)event.subscription->routine)(event.subscription->context,
                                                                   status);
    end_event(verifier, &event);
}

void vrf_on_srq_event(PVOID context, NTSTATUS status) {
    struct vrf_world *verifier = vrf_active();
    struct vrf_event event = {.type = VRF_TRACE_EVENT_SRQ, .value = (uint32_t)status};

    if (!begin_event(verifier, &event, context, "SRQ notification")) {
        return;
    }
    if (status != STATUS_SUCCESS) {
        event.subscription->shadow->part.srq.has_failed = true;
    }
    ((NDK_FN_SRQ_NOTIFICATION_CALLBACK)event.subscription->routine)(event.subscription->context,
                                                                    status);
    end_event(verifier, &event);
}

/* The connector is born here: it has its name and our table before the consumer sees it. */
static struct vrf_shadow *bear_connector(struct vrf_world *verifier, struct vrf_shadow *listener,
                                         NDK_CONNECTOR *connector) {
    struct vrf_shadow *born =
        vrf_shadow_expect(verifier, listener->adapter, NdkObjectTypeConnector);

    vrf_shadow_bear(verifier, born, connector);
    vrf_shadow_rely(born, listener);
    born->object.state = "offered";
    born->part.connector.is_offered = true;
    born->part.connector.is_unanswered = true;
    born->client->unanswered_count++;
    return born;
}

void vrf_on_connect_event(PVOID context, NDK_CONNECTOR *connector) {
    struct vrf_world *verifier = vrf_active();
    struct vrf_subscription *listens = vrf_slab_find(&verifier->subscriptions, context, NULL);
    struct vrf_event event = {.type = VRF_TRACE_EVENT_CONNECT};

    if (listens != NULL && listens->slot.is_live && connector != NULL &&
        listens->shadow->type == NdkObjectTypeListener) {
        event.born = bear_connector(verifier, listens->shadow, connector);
    }
    if (!begin_event(verifier, &event, context, "connect event")) {
        return;
    }
    ((NDK_FN_CONNECT_EVENT_CALLBACK)event.subscription->routine)(event.subscription->context,
                                                                 connector);
    end_event(verifier, &event);
    if (verifier->is_judging) {
        vrf_judge_offered(verifier, event.shadow->client);
    }
}

static void note_disconnect(struct vrf_shadow *connector) {
    if (connector->phase == VRF_OPEN) {
        connector->object.state = "peer disconnected";
    }
}

void vrf_on_disconnect_event(PVOID context) {
    struct vrf_world *verifier = vrf_active();
    struct vrf_event event = {.type = VRF_TRACE_EVENT_DISCONNECT};

    if (!begin_event(verifier, &event, context, "disconnect event")) {
        return;
    }
    note_disconnect(event.shadow);
    ((NDK_FN_DISCONNECT_EVENT_CALLBACK)event.subscription->routine)(event.subscription->context);
    end_event(verifier, &event);
}

void vrf_on_disconnect_event_ex(PVOID context, ULONG reason) {
    struct vrf_world *verifier = vrf_active();
    struct vrf_event event = {.type = VRF_TRACE_EVENT_DISCONNECT, .value = reason};

    if (!begin_event(verifier, &event, context, "disconnect event")) {
        return;
    }
    note_disconnect(event.shadow);
    ((NDK_FN_DISCONNECT_EVENT_CALLBACK_EX)event.subscription->routine)(event.subscription->context,
                                                                       reason);
    end_event(verifier, &event);
}
