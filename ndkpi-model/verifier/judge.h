/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages at which rules look. Each is called only while judging is on, after the model's own
 * part of the stage, and may do nothing but look and find: no choice, no record, no time, no
 * schedule point, nothing that the model would see.
 */
#ifndef VRF_JUDGE_H
#define VRF_JUDGE_H

#include "work.h"

/* A pointer that is no object of this type, as first or other argument. */
SIM_COLD void vrf_judge_unknown(struct vrf_call *call, NDK_OBJECT_TYPE type, const void *object);
/* An object is used as an argument. */
void vrf_judge_use(struct vrf_call *call, struct vrf_shadow *shadow);
/* A call that may pend, before the provider sees it. */
void vrf_judge_request(struct vrf_call *call);
/* ... and after the provider's function returned; `ending` is as before. */
void vrf_judge_return(struct vrf_call *call, NTSTATUS status);
/* A completion that is expected, before the consumer's routine runs. */
void vrf_judge_answer(struct vrf_world *verifier, struct vrf_request *request);
/* A completion that is not: `request` is NULL when the context is no request's. */
void vrf_judge_stray_answer(struct vrf_world *verifier, const char *what,
                            struct vrf_request *request, bool is_old);
/* An event callback, before and after its schedule point. */
void vrf_judge_event(struct vrf_world *verifier, struct vrf_subscription *event, const char *what);
void vrf_judge_stray_event(struct vrf_world *verifier, const char *what);
/* A connect event's consumer routine returned. */
void vrf_judge_offered(struct vrf_world *verifier, struct vrf_client *client);
/* An object's close is called for the first time: what it owes still has its buffers. */
void vrf_judge_closing(struct vrf_call *call);
/* An object's close completed. */
void vrf_judge_closed(struct vrf_world *verifier, struct vrf_shadow *shadow);
/* An adapter's close handler returned; a consumer's DriverUnload returned. */
void vrf_judge_adapter_closed(struct vrf_world *verifier, struct vrf_shadow *adapter);
void vrf_judge_unloaded(struct vrf_world *verifier, struct vrf_client *client);
/* A connect, an accept, a listen and the like has succeeded. */
void vrf_judge_established(struct vrf_world *verifier, struct vrf_request *request);
/* Results: the one that a request still owes, and others. */
struct vrf_taken;
void vrf_judge_result(struct vrf_call *call, const struct vrf_taken *taken);
/* `work` is NULL when the RequestContext is no request's. */
void vrf_judge_stray_result(struct vrf_call *call, struct vrf_work *work, bool is_old);
/* Its post returned a failure after a result for it was taken. */
void vrf_judge_result_of_failed(struct vrf_call *call, struct vrf_work *work);
/* A poll found the CQ empty. */
void vrf_judge_drained(struct vrf_call *call);

#endif
