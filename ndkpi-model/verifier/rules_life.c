/* SPDX-License-Identifier: Apache-2.0 */
/* R-LIFE: objects: lifetime, headers, create and close. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-LIFE-01", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A create is answered once: by its return value, or by STATUS_PENDING and one run "
     "of the create callback.",
     "Decide before returning whether the answer goes inline or through the callback, "
     "and let one place give it, also on failure.",
     VRF_SEEN_AS("R-OWN-05")},
    {"R-LIFE-02", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "When a create returns STATUS_SUCCESS, the caller's out pointer holds the new "
     "object.",
     "Store the object's header through the out pointer before returning STATUS_SUCCESS "
     "from the create call.",
     VRF_ITSELF},
    {"R-LIFE-03", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "After a create has returned STATUS_PENDING its out pointer is not written: the "
     "object comes with the callback alone.",
     "Forget the out pointer when you return STATUS_PENDING; it may be in a stack frame "
     "that is gone. Hand the object over as the callback's argument.",
     VRF_ITSELF},
    {"R-LIFE-04", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A create callback that reports success brings an object of the type that the "
     "create asked for.",
     "Pass the header of the object that this very request made, with its ObjectType set"
     " before the callback.",
     VRF_SEEN_AS("R-LIFE-07")},
    {"R-LIFE-05", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A new object works as soon as its create callback has begun, also for calls made "
     "within that callback.",
     "Finish everything that the object needs (hardware context, tables, references) "
     "before calling the create callback.",
     VRF_ITSELF},
    {"R-LIFE-06", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The header of every object, connectors of a listener among them, carries the "
     "interface version of its adapter.",
     "Copy the adapter's negotiated major and minor into Header.Version of each object "
     "before anybody sees it.",
     VRF_ITSELF},
    {"R-LIFE-07", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The header of every object names the object's own type, and never type zero.",
     "Set Header.ObjectType in the one routine that all creates and connect events "
     "share.",
     VRF_ITSELF},
    {"R-LIFE-08", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The reserved block of a header is zero when the object is handed over, and the "
     "provider leaves it alone from then on.",
     "Zero the header when the object is made and keep the provider's own data "
     "elsewhere: the block belongs to the consumer until the close.",
     VRF_ITSELF},
    {"R-LIFE-09", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "An object's Dispatch points to the table of its type before the consumer can see "
     "the object.",
     "Set Dispatch before storing the out pointer, calling the create callback or "
     "raising the connect event.",
     VRF_ITSELF},
    {"R-LIFE-10", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A provider does not go through an object's Dispatch pointer, which its consumer "
     "may have replaced.",
     "Call your own functions by name, never as Object->Dispatch->...; write Dispatch "
     "once and do not read it again.",
     VRF_ITSELF},
    {"R-LIFE-11", VRF_CONSUMER, VRF_PERMISSION, SIM_SEVERITY_ERROR,
     "A consumer may put a dispatch table of its own into an object.",
     "Keep the provider's table and call on through it; restore nothing before the close"
     " unless you want to.",
     VRF_ITSELF},
    {"R-LIFE-12", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "No slot of a dispatch table is NULL, whatever the adapter supports.",
     "Fill each slot; where a feature is missing let its function return "
     "STATUS_NOT_SUPPORTED.",
     VRF_ITSELF},
    {"R-LIFE-13", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "An object is not closed while another call on it is still running, unless the "
     "close comes from that call's completion.",
     "Keep users of the object counted (rundown protection will do) and close when the "
     "last has left.",
     VRF_ITSELF},
    {"R-LIFE-14", VRF_CONSUMER, VRF_PERMISSION, SIM_SEVERITY_ERROR,
     "A consumer may close an object from a completion callback while the call that "
     "began the request is still on the stack.",
     "In the code that made the call, touch nothing of the object once its completion "
     "may have run.",
     VRF_ITSELF},
    {"R-LIFE-15", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Once a completion has been started the object may be gone: the provider does not "
     "touch it.",
     "Take a reference of your own before starting the completion and drop it at the "
     "very end, or touch nothing of the object afterwards.",
     VRF_ITSELF},
    {"R-LIFE-16", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A provider holds none of its locks while it calls a consumer: the callback may "
     "call right back.",
     "Take what the callback needs out of the object under the lock, release the lock, "
     "then call.",
     VRF_ITSELF},
    {"R-LIFE-17", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "From the call of its close on, an object is not used any more.",
     "Stop every user first (cancel timers, let work items end), then close and forget "
     "the pointer.",
     VRF_SEEN_AS("R-OWN-10")},
    {"R-LIFE-18", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A close returns STATUS_SUCCESS and calls nothing, or returns STATUS_PENDING and "
     "calls the close callback once.",
     "Return STATUS_SUCCESS only when nothing will call back; in all other cases return "
     "STATUS_PENDING and call once.",
     VRF_SEEN_AS("R-OWN-06")},
    {"R-LIFE-19", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A close does not fail: it returns STATUS_SUCCESS or STATUS_PENDING.",
     "Reserve what a close needs when the object is made, so that nothing can be missing"
     " later.",
     VRF_ITSELF},
    {"R-LIFE-20", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A close completes after every pending request of the object was answered and its "
     "callback has returned.",
     "Count requests from their call to the return of their completion, and let the last"
     " one complete the close.",
     VRF_SEEN_AS("R-OWN-09")},
    {"R-LIFE-21", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A close completes after every event callback that was running on the object has "
     "returned.",
     "Count event callbacks on entry and exit under the object's lock, and complete the "
     "close when the count is zero.",
     VRF_SEEN_AS("R-OWN-07")},
    {"R-LIFE-22", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Nothing of an object is called any more once its close has completed: the close "
     "callback is the last.",
     "Shut the sources of events (interrupts, DPCs, timers, work) for the object before "
     "completing its close.",
     VRF_SEEN_AS("R-OWN-07")},
    {"R-LIFE-23", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A close brings pending requests to an end by itself: it cancels or flushes what "
     "nobody else would answer.",
     "In close, take every pending request and answer it with STATUS_CANCELLED, flush "
     "the queues, tell the device; then wait for the count.",
     VRF_ITSELF},
    {"R-LIFE-24", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The close of an object on which open objects rest stays pending until the last of "
     "these is closed.",
     "Hold a reference on each antecedent for as long as a successor lives; when the "
     "object is closing, the last reference completes it.",
     VRF_ITSELF},
    {"R-LIFE-25", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Closing what others rest on changes nothing for them: traffic and completions go "
     "on until they are closed.",
     "Let close drop the consumer's reference and nothing else; free hardware contexts "
     "with the last reference.",
     VRF_ITSELF},
    {"R-LIFE-26", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "An object on which others rest is not used directly any more once its close was "
     "asked for.",
     "Close it after its last direct use, for instance the PD after the last object was "
     "made from it.",
     VRF_SEEN_AS("R-OWN-10")},
    {"R-LIFE-27", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The close of an object on which others rest does not complete while the close "
     "callback of one of these is running.",
     "Give the reference on the antecedent back after the successor's close callback has"
     " returned, not before it is called.",
     VRF_ITSELF},
    {"R-LIFE-28", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "When the close of an adapter returns, no callback on any object below it is "
     "running or will run.",
     "Let the close handler wait for a count of objects and callbacks; count a callback "
     "down as the provider's last act.",
     VRF_ITSELF},
    {"R-LIFE-29", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "An adapter is not closed from within a callback: its close would wait for that "
     "callback.",
     "Close adapters from a thread or work item at PASSIVE_LEVEL, after the last close "
     "callback has signalled it.",
     VRF_ITSELF},
    {"R-LIFE-30", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The close of a parent waits for its children: of an adapter for CQs, connectors, "
     "listeners, PDs and shared endpoints, of a PD for MRs, MWs, QPs and SRQs.",
     "Reference the parent from each child when it is made.", VRF_SEEN_AS("R-LIFE-24")},
    {"R-LIFE-31", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Relations that begin later hold too: CQ and SRQ for their QPs, an MR for a bound "
     "MW, a QP, shared endpoint or listener for its connectors.",
     "Take the reference in bind, connect, accept or the connect event, and give it back"
     " when the successor is closed or lets go.",
     VRF_SEEN_AS("R-LIFE-24")},
    {"R-LIFE-32", VRF_CONSUMER, VRF_CONSTRUCTION, SIM_SEVERITY_ERROR,
     "What an object rests on exists before the object does, or before the call that "
     "ties the two.",
     "Create in the order adapter, PD and CQ, QP, connector; the calls ask for the "
     "pointers.",
     VRF_ITSELF},
    {"R-LIFE-33", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Every logical address mapping is released before its adapter is closed.",
     "Keep count of mappings next to the requests that use them, and release each after "
     "its last request.",
     VRF_ITSELF},
    {"R-LIFE-34", VRF_PROVIDER, VRF_PERMISSION, SIM_SEVERITY_ERROR,
     "Where a create may fail for want of resources or for its address, it may say so "
     "inline or in its callback.",
     "Be ready for both in a consumer: one routine that handles the status, wherever it "
     "comes from.",
     VRF_ITSELF},
    {"R-LIFE-35", VRF_BOTH, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The first argument of a call is the object whose function it is.",
     "Pass the object next to the function that was taken from its table, and take the "
     "table from that object.",
     VRF_SEEN_AS("R-OWN-10")},
};

const struct vrf_rule_area vrf_rules_life = {
    "R-LIFE", "Objects: lifetime, headers, create and close", rows, SIM_ARRAY_COUNT(rows)};
