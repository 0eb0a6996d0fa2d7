/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule table. A row is told to a driver's developer: what must hold, and what a correct driver
 * does. Severities that somebody asked for are settings of the process, like its chooser: they
 * outlive the world's resets and are no part of the world.
 */
#include "rules.h"

#include <stdio.h>
#include <string.h>

#define REASON_BYTES 128u

static const struct vrf_rule rules[VRF_RULE_COUNT] = {
    [VRF_RULE_OWN_01] =
        {"R-OWN-01", VRF_CONSUMER, SIM_SEVERITY_ERROR,
         "What a pending request was given must outlive it: no stack frame that returns first.",
         "Keep the context in pool or static memory until the completion has run, or wait for the "
         "completion without a limit before the function returns."},
    [VRF_RULE_OWN_02] = {"R-OWN-02", VRF_CONSUMER, SIM_SEVERITY_ERROR,
                         "What a pending request or an event was given must outlive it: no pool "
                         "that is freed first.",
                         "Free the context after the completion has run, or, for an event, after "
                         "the object's close "
                         "has completed."},
    [VRF_RULE_OWN_03] =
        {"R-OWN-03", VRF_CONSUMER, SIM_SEVERITY_ERROR,
         "A call that may pend needs a completion routine.",
         "Pass a routine of the right type, also where the call is expected to finish at once: any "
         "provider may answer STATUS_PENDING."},
    [VRF_RULE_OWN_04] =
        {"R-OWN-04", VRF_CONSUMER, SIM_SEVERITY_ERROR,
         "A context that a pending request owns is not given to another request.",
         "Leave the context alone until its completion has run; to give up waiting, close the "
         "object and wait for both completions, or use a context of its own for each request."},
    [VRF_RULE_OWN_05] =
        {"R-OWN-05", VRF_PROVIDER, SIM_SEVERITY_ERROR, "A request is completed once.",
         "Let one place own the right to complete a request, taken with an interlocked operation "
         "or under the object's lock, and check it on every path that may complete."},
    [VRF_RULE_OWN_06] =
        {"R-OWN-06", VRF_PROVIDER, SIM_SEVERITY_ERROR,
         "A completion or event comes only for what was asked for and answered STATUS_PENDING.",
         "Call the completion routine exactly when the function returns STATUS_PENDING, with the "
         "context of that call."},
    [VRF_RULE_OWN_07] =
        {"R-OWN-07", VRF_PROVIDER, SIM_SEVERITY_ERROR,
         "The close completion is an object's last callback: none runs or begins after it.",
         "Complete a close when every other callback of the object has returned and can no longer "
         "start: count callbacks, and let the last one complete the close."},
    [VRF_RULE_OWN_08] =
        {"R-OWN-08", VRF_CONSUMER, SIM_SEVERITY_ERROR,
         "A driver closes every NDK object that it opened or was handed.",
         "Close all objects, also after a failed connect and a rejected connection; wait for the "
         "close completions, then close the adapter, then unload."},
    [VRF_RULE_OWN_09] =
        {"R-OWN-09", VRF_PROVIDER, SIM_SEVERITY_ERROR,
         "Every accepted request is answered, at the latest before its object's close completes.",
         "Complete pending requests with STATUS_CANCELLED when the object closes, and give every "
         "request that depends on a peer a time limit."},
    [VRF_RULE_OWN_10] =
        {"R-OWN-10", VRF_CONSUMER, SIM_SEVERITY_ERROR,
         "A call names open objects only: nothing whose close was asked for, nothing unknown.",
         "Stop all users of an object before closing it, and forget its pointer then."},
    [VRF_RULE_OWN_11] =
        {"R-OWN-11", VRF_CONSUMER, SIM_SEVERITY_ERROR,
         "A driver stays loaded until nothing can call it any more.",
         "Wait for every completion and for the adapter's close to return before DriverUnload "
         "returns: only that proves that all callbacks have left the driver."},
    [VRF_RULE_OWN_12] =
        {"R-OWN-12", VRF_CONSUMER, SIM_SEVERITY_ERROR,
         "The buffers of a work request stay allocated until its result was taken from the CQ.",
         "Free a buffer after the request's result, or after the close of its QP completed."},
    [VRF_RULE_OWN_14] =
        {"R-OWN-14", VRF_PROVIDER, SIM_SEVERITY_ERROR, "A work request gives one result.",
         "Place an entry for a request once: by its completion or by the flush, never by both."},
    [VRF_RULE_OWN_15] =
        {"R-OWN-15", VRF_PROVIDER, SIM_SEVERITY_ERROR,
         "A result belongs to an accepted request, and is found in the CQ of that request's queue.",
         "Leave no entry behind for a post that failed, and return the contexts unchanged."},
    [VRF_RULE_OWN_16] =
        {"R-OWN-16", VRF_PROVIDER, SIM_SEVERITY_ERROR,
         "A QP's close completes after the results of all its requests are in their CQs.",
         "Flush both queues with STATUS_CANCELLED before completing the close."},
    [VRF_RULE_OWN_17] =
        {"R-OWN-17", VRF_PROVIDER, SIM_SEVERITY_ERROR,
         "A connect succeeds by the accept of its own request: by one that came after it was asked "
         "for.",
         "Let an answer in only when it names this attempt: ids that are not used again while a "
         "message of their last use may still be on its way, and the peer's id once it is known."},
    [VRF_RULE_LIFE_15] =
        {"R-LIFE-15", VRF_PROVIDER, SIM_SEVERITY_ERROR,
         "Once a completion has been started the object may be gone: the provider does not touch "
         "it.",
         "Take a reference of your own before starting the completion and drop it at the very end, "
         "or touch nothing of the object afterwards."},
    [VRF_RULE_CQ_07] =
        {"R-CQ-07", VRF_PROVIDER, SIM_SEVERITY_ERROR,
         "An arm of type ANY is met by the next completion, or at once by one that came since the "
         "last notification began.",
         "Arm from the index that the consumer had seen when its last notification began, not from "
         "where the queue ends now; look again after arming."},
    [VRF_RULE_EP_05] =
        {"R-EP-05", VRF_PROVIDER, SIM_SEVERITY_ERROR,
         "An address and port stay taken while connectors that were accepted over them are open, "
         "also when their listener is closing.",
         "Count references of an endpoint, one for the listener and one for each connector that "
         "was accepted over it, and let the address go with the last of them."},
};

static struct {
    bool is_set;
    enum sim_severity severity;
    char reason[REASON_BYTES];
} asked[VRF_RULE_COUNT];

const struct vrf_rule *vrf_rule_at(size_t index) {
    return index < VRF_RULE_COUNT ? &rules[index] : NULL;
}

const struct vrf_rule *vrf_rule_find(const char *id) {
    for (size_t i = 0; i < VRF_RULE_COUNT; i++) {
        if (strcmp(rules[i].id, id) == 0) {
            return &rules[i];
        }
    }
    return NULL;
}

bool vrf_rule_set(struct sim_world *world, const char *id, enum sim_severity severity,
                  const char *reason) {
    const struct vrf_rule *rule = vrf_rule_find(id);

    (void)world;
    if (rule == NULL) {
        return false;
    }
    asked[rule - rules].is_set = true;
    asked[rule - rules].severity = severity;
    snprintf(asked[rule - rules].reason, REASON_BYTES, "%s", reason != NULL ? reason : "");
    return true;
}

enum sim_severity vrf_rule_severity(enum vrf_rule_number rule, const char **reason) {
    *reason = asked[rule].is_set ? asked[rule].reason : NULL;
    return asked[rule].is_set ? asked[rule].severity : rules[rule].severity;
}

void vrf_rules_reset(void) {
    memset(asked, 0, sizeof(asked));
}
