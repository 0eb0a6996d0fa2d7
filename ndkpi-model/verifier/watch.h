/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watchers: what looks on for the numbered rules, an area each. watch_<name>.c defines
 * `const struct vrf_watcher vrf_watch_<name>`; it is found by its file's name.
 *
 * Hooks are called while judging is on only, after the model's own part of the moment. They look
 * and find: no choice, no record, no time, no schedule point, nothing that the model would see.
 * A finding that ends the run does not return from vrf_find_here.
 */
#ifndef VRF_WATCH_H
#define VRF_WATCH_H

#include "find.h"

#define VRF_FN_ANY VRF_FN_COUNT

/*
 * One function's calls. `before`: all is known, call->args is filled, the provider has not been
 * called. `after`: call->result is what it returned (a status; for polls the number of results).
 * call->request and call->work may have been answered by then; their records are there still.
 */
struct vrf_call_watch {
    enum vrf_function function; /* VRF_FN_ANY: all of them */
    void (*before)(struct vrf_call *call);
    void (*after)(struct vrf_call *call);
};

/* An event callback on its way to the consumer. */
struct vrf_event {
    struct vrf_subscription *subscription;
    struct vrf_shadow *shadow; /* CQ, SRQ, listener, connector */
    struct vrf_shadow *born;   /* connect event: the new connector */
    struct sim_object *outer;  /* on whose behalf the provider runs */
    uint16_t type;             /* VRF_TRACE_EVENT_... */
    uint64_t value;            /* status (CQ, SRQ), reason (extended disconnect) */
};

/* A result as the provider wrote it. */
struct vrf_taken {
    struct vrf_work *work; /* NULL: of no known request; not retired yet */
    struct vrf_shadow *qp;
    NTSTATUS status;
    ULONG bytes;
    const NDK_RESULT_EX *extended; /* NULL for the plain poll; ProviderErrorCode: from 2.1 only */
};

/* Any member may be NULL. */
struct vrf_watcher {
    const struct vrf_call_watch *calls;
    size_t call_count;

    /* An object is handed over, by any of the three ways; its header is as the provider left it. */
    void (*born)(struct vrf_world *verifier, struct vrf_shadow *shadow, const void *object);
    /* Its close completed: the callback's beginning, or the inline answer. */
    void (*closed)(struct vrf_world *verifier, struct vrf_shadow *shadow);

    /* A completion before and after the consumer's routine; `object`: a create's argument. */
    void (*answer)(struct vrf_world *verifier, struct vrf_request *request, const void *object);
    void (*answered)(struct vrf_world *verifier, struct vrf_request *request);
    /* An event before and after the consumer's routine. Arms are not taken back yet in `event`. */
    void (*event)(struct vrf_world *verifier, const struct vrf_event *event);
    void (*event_returned)(struct vrf_world *verifier, const struct vrf_event *event);
    /* Each result of a poll. */
    void (*result)(struct vrf_call *call, const struct vrf_taken *taken);

    /* The close handler of an adapter is called, has returned; a consumer's DriverUnload has. */
    void (*adapter_closing)(struct vrf_world *verifier, struct vrf_shadow *adapter);
    void (*adapter_closed)(struct vrf_world *verifier, struct vrf_shadow *adapter);
    void (*unloaded)(struct vrf_world *verifier, struct vrf_client *client);

    /* Nothing can happen any more, in the scheduler: true if something was found. */
    bool (*standstill)(struct vrf_world *verifier);
    /* The run is over, after unload. */
    void (*end)(struct vrf_world *verifier);
};

/*
 * A watcher's own memory of an object (`list` is &shadow->notes) or of the world
 * (&verifier->notes): zeroed when asked for first. `key` tells whose it is: the watcher's struct.
 */
void *vrf_note(struct vrf_world *verifier, struct vrf_note **list, const void *key, size_t size);

/* What the miniport says of the adapter that an object belongs to: limits and flags, or NULL. */
const NDK_ADAPTER_INFO *vrf_adapter_info(const struct vrf_shadow *shadow);

#endif
