/* SPDX-License-Identifier: Apache-2.0 */
/* The moments at which watchers are called, for those who make them; see watch.h. */
#ifndef VRF_WATCH_CALL_H
#define VRF_WATCH_CALL_H

#include "watch.h"

/* Once per process. */
void vrf_watch_start(void);

void vrf_watch_before(struct vrf_call *call);
void vrf_watch_after(struct vrf_call *call);
void vrf_watch_born(struct vrf_world *verifier, struct vrf_shadow *shadow, const void *object);
void vrf_watch_closed(struct vrf_world *verifier, struct vrf_shadow *shadow);
void vrf_watch_answer(struct vrf_world *verifier, struct vrf_request *request, const void *object);
void vrf_watch_answered(struct vrf_world *verifier, struct vrf_request *request);
void vrf_watch_event(struct vrf_world *verifier, const struct vrf_event *event);
void vrf_watch_event_returned(struct vrf_world *verifier, const struct vrf_event *event);
void vrf_watch_result(struct vrf_call *call, const struct vrf_taken *taken);
void vrf_watch_adapter_closing(struct vrf_world *verifier, struct vrf_shadow *adapter);
void vrf_watch_adapter_closed(struct vrf_world *verifier, struct vrf_shadow *adapter);
void vrf_watch_unloaded(struct vrf_world *verifier, struct vrf_client *client);
bool vrf_watch_standstill(struct vrf_world *verifier);
void vrf_watch_end(struct vrf_world *verifier);

#endif
