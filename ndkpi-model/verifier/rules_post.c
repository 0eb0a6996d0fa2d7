/* SPDX-License-Identifier: Apache-2.0 */
/* R-POST: work requests. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-POST-01", VRF_BOTH, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Bind, fast-register, invalidate, read, write and the sends use the initiator "
     "queue; receives use the receive queue or the SRQ.",
     "Count and complete each request in the queue that its function posts to.",
     VRF_SEEN_AS("R-OWN-15")},
    {"R-POST-02", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Posts to one queue come one at a time.",
     "Hold one lock around all posts to an initiator queue, another one for the receive "
     "queue.",
     VRF_ITSELF},
    {"R-POST-03", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A post to the initiator queue and one to the receive queue of the same QP may run "
     "at once.",
     "Keep no state that both queues' posts write, or give it a lock of its own.", VRF_ITSELF},
    {"R-POST-04", VRF_PROVIDER, VRF_PERMISSION, SIM_SEVERITY_ERROR,
     "A provider needs no lock of its own around posts to one queue: its consumer "
     "serialises them.",
     "Take no lock in the post path except against what else may run: flush, close, "
     "device errors.",
     VRF_ITSELF},
    {"R-POST-05", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Flush may run at once with a post on the same QP, and every request still ends "
     "once.",
     "Move the QP to its flushing state and look at the queue under the same lock that "
     "makes a posted request visible.",
     VRF_ITSELF},
    {"R-POST-06", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A connector may be closed while a post runs on its QP, and every request still "
     "ends once.",
     "Let the post see the QP's state under the lock with which the close changes it; "
     "count what was accepted.",
     VRF_ITSELF},
    {"R-POST-07", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A post that returned STATUS_SUCCESS gives one result, or none if it was silent and"
     " succeeded.",
     "Create the entry where the request leaves the queue, and let it leave once.",
     VRF_SEEN_AS("R-OWN-14")},
    {"R-POST-08", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A post that returned a failure leaves no result behind.",
     "Check everything before the request enters the ring, so that a failure has nothing"
     " to take back.",
     VRF_SEEN_AS("R-OWN-15")},
    {"R-POST-09", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Initiator posts on a QP without a connection return STATUS_CONNECTION_INVALID.",
     "Look at the QP's state first in each initiator post, under the lock that guards "
     "it.",
     VRF_ITSELF},
    {"R-POST-10", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Receives are accepted before there is a connection.",
     "Let receive posts depend on the queue alone; a peer may send the moment it is "
     "connected.",
     VRF_ITSELF},
    {"R-POST-11", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A result carries the RequestContext of its request and the QPContext of its QP "
     "unchanged.",
     "Keep both beside the ring entry and copy them into the result; do not derive them "
     "from the object's address.",
     VRF_SEEN_AS("R-OWN-15")},
    {"R-POST-12", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "SILENT_SUCCESS hides the result of a request that succeeded; a failed or cancelled"
     " one still gives its result.",
     "Clear the flag's effect on every error path, the flush among them.", VRF_ITSELF},
    {"R-POST-13", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A request with READ_FENCE does not start before all earlier reads of its QP have "
     "completed.",
     "Stop taking requests from the queue at a fenced one until the count of reads under"
     " way is zero.",
     VRF_ITSELF},
    {"R-POST-14", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "With INLINE the bytes are taken during the call, and the tokens of the SGEs are "
     "not looked at.",
     "Copy the bytes into the ring entry before returning, from the virtual addresses "
     "given.",
     VRF_ITSELF},
    {"R-POST-15", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Inline data is given by a virtual address that can be read at DISPATCH_LEVEL, and "
     "fits the QP's inline size.",
     "Use nonpaged memory, compare the sum of lengths with the InlineDataSize the QP was"
     " made with, and post without INLINE if it is too long.",
     VRF_ITSELF},
    {"R-POST-16", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Inline requests may have more SGEs than the QP's limit for initiator requests.",
     "Check an inline request's sum of bytes against InlineDataSize and leave its SGE "
     "count alone.",
     VRF_ITSELF},
    {"R-POST-17", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "No more requests are outstanding than the queue is deep.",
     "Count posts and results per queue and keep further work in a list of your own "
     "until a result has come.",
     VRF_ITSELF},
    {"R-POST-18", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A request has no more SGEs than its QP allows; for reads the limit is that of "
     "reads.",
     "Remember the SGE limits that the QP was made with, and split what needs more.", VRF_ITSELF},
    {"R-POST-19", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The lengths of one request's SGEs add up to at most the adapter's "
     "MaxTransferLength.",
     "Cut large transfers into pieces of MaxTransferLength when they are planned, not "
     "when they are posted.",
     VRF_ITSELF},
    {"R-POST-20", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "RemoteAddress is a number in host byte order with the consumer's offset in it, and"
     " RemoteToken goes to the wire as given.",
     "Convert the address when the packet is built, and neither check nor change token "
     "or offset.",
     VRF_ITSELF},
    {"R-POST-21", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A read beyond the end of the remote memory ends with STATUS_REMOTE_RESOURCES.",
     "Translate the peer's access error to this status in the read's result, whatever "
     "part was out of range.",
     VRF_ITSELF},
    {"R-POST-22", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "RDMA_READ_LOCAL_INVALIDATE takes effect only where advertised: then the first "
     "SGE's token is dead after success.",
     "Ignore the flag without the capability; with it invalidate the token before the "
     "result can be seen.",
     VRF_ITSELF},
    {"R-POST-23", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "After a read with local invalidate has failed, neither its buffer nor its token is"
     " used.",
     "Treat the token as invalid and the contents as unknown: register again before the "
     "next use.",
     VRF_ITSELF},
    {"R-POST-24", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A post accepts each flag that its function lists; DEFER and local invalidate from "
     "version 1.2 on.",
     "Keep one mask of allowed flags per function and version.", VRF_ITSELF},
    {"R-POST-25", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Results of receives go to the receive CQ of the QP, all others to its initiator "
     "CQ.",
     "Store both CQs with the QP when it is made, and choose by the queue.",
     VRF_SEEN_AS("R-OWN-15")},
    {"R-POST-26", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A QP whose depth, SGE count or inline size is above the adapter's limit is refused"
     " with STATUS_INVALID_PARAMETER.",
     "Compare each of the arguments with the values of the adapter's info before "
     "allocating anything.",
     VRF_ITSELF},
    {"R-POST-27", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The sender's result of a send-and-invalidate is of the type of a send.",
     "Report NdkOperationTypeSend for both forms of send.", VRF_SEEN_AS("R-RES-02")},
    {"R-POST-28", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_WARN,
     "Send-and-invalidate is used only towards a peer that is known to take it.",
     "Agree on remote invalidation in your own protocol's negotiation, and use plain "
     "sends until then.",
     VRF_ITSELF},
    {"R-POST-29", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A receive that took a send-and-invalidate is reported after the token died, as "
     "receive-and-invalidate and with the token.",
     "Invalidate in the device or driver first, then place the entry with the token as "
     "its type-specific output.",
     VRF_ITSELF},
    {"R-POST-30", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A send-and-invalidate of a token that is not valid makes the receiver's provider "
     "end the connection.",
     "Check the token as a remote access is checked, and move the QP to error if it "
     "fails.",
     VRF_ITSELF},
    {"R-POST-31", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The plain result call also takes receive-and-invalidate entries; the token is dead"
     " all the same.",
     "Invalidate when the entry is made, never when it is polled.", VRF_ITSELF},
    {"R-POST-32", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "An invalidate of a token that the peer has invalidated already fails.",
     "Keep the token's state in one place that both kinds of invalidation look at.", VRF_ITSELF},
    {"R-POST-33", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Flush ends all pending requests of both queues, with STATUS_CANCELLED for what had"
     " not finished.",
     "Move the QP to its flushing state once and complete everything in its rings, "
     "oldest first.",
     VRF_ITSELF},
    {"R-POST-34", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "After a flush, buffers are taken back when the results of all requests posted "
     "before it were seen.",
     "Poll until your count of outstanding requests is zero; only then reuse or free "
     "their memory.",
     VRF_SEEN_AS("R-OWN-12")},
    {"R-POST-35", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The two queues of a QP do not take room from each other.",
     "Give each queue its own ring and its own count.", VRF_ITSELF},
};

const struct vrf_rule_area vrf_rules_post = {"R-POST", "Work requests", rows,
                                             SIM_ARRAY_COUNT(rows)};
