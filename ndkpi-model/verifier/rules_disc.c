/* SPDX-License-Identifier: Apache-2.0 */
/* R-DISC: disconnect. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-DISC-01", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A disconnect tells the peer so in an orderly way.",
     "Send the protocol's disconnect request behind all earlier data.", VRF_ITSELF},
    {"R-DISC-02", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A disconnect succeeds only after the peer's own notice has come.",
     "Keep the request pending until the peer's notice or answer is in.", VRF_ITSELF},
    {"R-DISC-03", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A disconnect that is cut short ends with a failure: STATUS_IO_TIMEOUT if the peer "
     "was silent.",
     "Time the handshake and answer the pending request from the timer.", VRF_ITSELF},
    {"R-DISC-04", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A disconnect completes, well or badly, after the last DMA of the QP, that of "
     "silent requests included.",
     "Drain the device's queue pair, with a command or a fence, before answering.", VRF_ITSELF},
    {"R-DISC-05", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "After an orderly disconnect the QP is flushed.",
     "Move the QP to its flushing state when the handshake is over and let the entries "
     "out before the completion.",
     VRF_ITSELF},
    {"R-DISC-06", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A consumer that has not disconnected hears of the end of its connection through "
     "its disconnect event.",
     "Raise the event on the peer's notice and on a dead connection alike, once the "
     "connection is up.",
     VRF_ITSELF},
    {"R-DISC-07", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The disconnect event of a connection comes at most once.",
     "Take the routine out of the connector when you raise it.", VRF_ITSELF},
    {"R-DISC-08", VRF_CONSUMER, VRF_PERMISSION, SIM_SEVERITY_ERROR,
     "The disconnect event may come although the consumer has begun to disconnect.",
     "Let the event find the connection in any state, and do nothing when it is ending "
     "already.",
     VRF_ITSELF},
    {"R-DISC-09", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A consumer's own disconnect or close does not raise its disconnect event.",
     "Clear the routine when the local side begins to end the connection.", VRF_ITSELF},
    {"R-DISC-10", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Raising the event for a peer's disconnect does not flush the requests that are "
     "outstanding.",
     "Leave the queues alone until the local side disconnects, flushes or closes.", VRF_ITSELF},
    {"R-DISC-11", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The disconnect event says nothing about outstanding requests: their buffers stay "
     "until their results.",
     "In the event begin the disconnect or flush; free buffers as results come.",
     VRF_SEEN_AS("R-OWN-12")},
    {"R-DISC-12", VRF_BOTH, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Once a disconnect has completed, the connection is closed in both directions.",
     "Consumer: post nothing more. Provider: refuse initiator posts and let no packet of"
     " the connection out.",
     VRF_ITSELF},
    {"R-DISC-13", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_WARN,
     "A consumer disconnects when the results of its initiator requests are in.",
     "Wait until your count of outstanding initiator requests is zero, or accept that "
     "the end may be abrupt.",
     VRF_ITSELF},
    {"R-DISC-14", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A disconnect event carries the context that came with the accept or "
     "complete-connect.",
     "Store the context with the routine, at the same moment.", VRF_SEEN_AS("R-OWN-06")},
    {"R-DISC-15", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Closing a connected connector is allowed: it ends the connection, and the peer "
     "hears of it.",
     "Let close send the disconnect or an abort, and complete after the QP is quiet.", VRF_ITSELF},
    {"R-DISC-16", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Both sides end a connection: who hears the peer's notice disconnects or closes, "
     "too.",
     "Call NdkDisconnect or close the connector from the event or from work that it "
     "queues.",
     VRF_ITSELF},
};

const struct vrf_rule_area vrf_rules_disc = {"R-DISC", "Disconnect", rows, SIM_ARRAY_COUNT(rows)};
