/* SPDX-License-Identifier: Apache-2.0 */
/* R-OWN: the ledger of requests, results and memory. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-OWN-01", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "What a pending request was given must outlive it: no stack frame that returns "
     "first.",
     "Keep the context in pool or static memory until the completion has run, or wait "
     "for the completion without a limit before the function returns.",
     VRF_ITSELF},
    {"R-OWN-02", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "What a pending request or an event was given must outlive it: no pool that is "
     "freed first.",
     "Free the context after the completion has run, or, for an event, after the "
     "object's close has completed.",
     VRF_ITSELF},
    {"R-OWN-03", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A call that may pend needs a completion routine.",
     "Pass a routine of the right type, also where the call is expected to finish at "
     "once: any provider may answer STATUS_PENDING.",
     VRF_ITSELF},
    {"R-OWN-04", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A context that a pending request owns is not given to another request.",
     "Leave the context alone until its completion has run; to give up waiting, close "
     "the object and wait for both completions, or use a context of its own for each "
     "request.",
     VRF_ITSELF},
    {"R-OWN-05", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR, "A request is completed once.",
     "Let one place own the right to complete a request, taken with an interlocked "
     "operation or under the object's lock, and check it on every path that may "
     "complete.",
     VRF_ITSELF},
    {"R-OWN-06", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A completion or event comes only for what was asked for and answered "
     "STATUS_PENDING.",
     "Call the completion routine exactly when the function returns STATUS_PENDING, with"
     " the context of that call.",
     VRF_ITSELF},
    {"R-OWN-07", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The close completion is an object's last callback: none runs or begins after it.",
     "Complete a close when every other callback of the object has returned and can no "
     "longer start: count callbacks, and let the last one complete the close.",
     VRF_ITSELF},
    {"R-OWN-08", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A driver closes every NDK object that it opened or was handed, each after those that "
     "use it.",
     "Close all objects, what uses another one first (QP, CQ, PD), also after a failed connect "
     "and a rejected connection; wait for the close completions, then close the adapter, then "
     "unload.",
     VRF_ITSELF},
    {"R-OWN-09", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Every accepted request is answered, at the latest before its object's close "
     "completes.",
     "Complete pending requests with STATUS_CANCELLED when the object closes, and give "
     "every request that depends on a peer a time limit.",
     VRF_ITSELF},
    {"R-OWN-10", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A call names open objects only: nothing whose close was asked for, nothing "
     "unknown.",
     "Stop all users of an object before closing it, and forget its pointer then.", VRF_ITSELF},
    {"R-OWN-11", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A driver stays loaded until nothing can call it any more.",
     "Wait for every completion and for the adapter's close to return before "
     "DriverUnload returns: only that proves that all callbacks have left the driver.",
     VRF_ITSELF},
    {"R-OWN-12", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The buffers of a work request stay allocated until its result was taken from the "
     "CQ.",
     "Free a buffer after the request's result, or after the close of its QP completed.",
     VRF_ITSELF},
    {"R-OWN-13", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "What the buffers of a work request hold is left alone until its result was taken.",
     "Prepare a buffer before the post and touch it again after the request's result: what is "
     "changed in between may be sent, sent again, or overwritten by what arrives.",
     VRF_ITSELF},
    {"R-OWN-14", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR, "A work request gives one result.",
     "Place an entry for a request once: by its completion or by the flush, never by "
     "both.",
     VRF_ITSELF},
    {"R-OWN-15", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A result belongs to an accepted request, and is found in the CQ of that request's "
     "queue.",
     "Leave no entry behind for a post that failed, and return the contexts unchanged.",
     VRF_ITSELF},
    {"R-OWN-16", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A QP's close completes after the results of all its requests are in their CQs.",
     "Flush both queues with STATUS_CANCELLED before completing the close.", VRF_ITSELF},
    {"R-OWN-17", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A connect succeeds by the accept of its own request: by one that came after it was"
     " asked for.",
     "Let an answer in only when it names this attempt: ids that are not used again "
     "while a message of their last use may still be on its way, and the peer's id once "
     "it is known.",
     VRF_ITSELF},
    {"R-OWN-20", VRF_BOTH, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Two contexts do not touch the same memory at the same time when one of them writes it.",
     "Hold one lock at every access, use interlocked operations throughout, or hand the memory "
     "over by an event, a DPC or a work item. Seen in instrumented modules only.",
     VRF_ITSELF},
    {"R-OWN-21", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A pointer that a call is given leads to memory, or code, that is there for what the call does"
     " with it.",
     "Pass the address of live memory of the right size, of a routine for a routine, and NULL only "
     "where nothing is asked for.",
     VRF_ITSELF},
    {"R-OWN-22", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_WARN,
     "A region is closed after its registration has ended.",
     "Deregister, or invalidate, and wait for that before the close: what the peer still sends to "
     "the region's token fails the connection.",
     VRF_ITSELF},
    {"R-OWN-23", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_WARN,
     "Over iWARP the side that accepted sends nothing before it has received a message.",
     "Let the side that connected send first: until then the adapter holds back what the other "
     "posts, and a protocol in which it waits for that stands still.",
     VRF_ITSELF},
};

const struct vrf_rule_area vrf_rules_own = {"R-OWN", "The ledger of requests, results and memory",
                                            rows, SIM_ARRAY_COUNT(rows)};
