/* SPDX-License-Identifier: Apache-2.0 */
/* R-CONN: connectors. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-CONN-01", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Connections work over the adapter's IPv4 addresses and over its IPv6 addresses.",
     "Take either kind of SOCKADDR everywhere, and build the packets of its family.", VRF_ITSELF},
    {"R-CONN-02", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A connect ties the connector to the given QP and asks the remote address for a "
     "connection from the given local one.",
     "Reference the QP, move the connector to connecting, send the request with exactly "
     "these addresses.",
     VRF_ITSELF},
    {"R-CONN-03", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Local port 0 gets a free port of 49152 to 65535; when none is left the connect "
     "ends with STATUS_TOO_MANY_ADDRESSES.",
     "Search the range once around from a moving start, under the lock of the port "
     "table.",
     VRF_ITSELF},
    {"R-CONN-04", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A connect from an address and port in use ends with STATUS_SHARING_VIOLATION.",
     "Keep listeners, connectors and shared endpoints of an address in one port table.",
     VRF_ITSELF},
    {"R-CONN-05", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A connect from an address that is not the adapter's ends with "
     "STATUS_INVALID_ADDRESS.",
     "Look the local address up among the interface's addresses before taking a port.", VRF_ITSELF},
    {"R-CONN-06", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A second connection between the same pair of addresses and ports ends with "
     "STATUS_ADDRESS_ALREADY_EXISTS.",
     "Look for the remote address among the connectors of the shared endpoint before "
     "sending.",
     VRF_ITSELF},
    {"R-CONN-07", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "No listener, a full backlog or a reject ends the connect with "
     "STATUS_CONNECTION_REFUSED, and it may be tried again.",
     "Map every refusal of the peer to this status and bring connector and QP back to "
     "where a connect may start.",
     VRF_ITSELF},
    {"R-CONN-08", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Where no route or no host is, the connect ends with STATUS_NETWORK_UNREACHABLE or "
     "STATUS_HOST_UNREACHABLE, and it may be tried again.",
     "Resolve route and neighbour before the request leaves and translate what failed.",
     VRF_ITSELF},
    {"R-CONN-09", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A connect that nobody answers ends with STATUS_IO_TIMEOUT, and it may be tried "
     "again.",
     "Start a timer with the request, send it again a few times, then give up.", VRF_ITSELF},
    {"R-CONN-10", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "After a connect has succeeded, the active consumer completes it or rejects it.",
     "In the connect's completion look at the connection data and call "
     "NdkCompleteConnect, NdkReject or close.",
     VRF_ITSELF},
    {"R-CONN-11", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Complete-connect where no connect waits for it returns STATUS_CONNECTION_INVALID.",
     "Check the connector's state under its lock and refuse in all states but "
     "connected-not-completed.",
     VRF_ITSELF},
    {"R-CONN-12", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Complete-connect ends with STATUS_CONNECTION_ABORTED when the accepting side has "
     "given up.",
     "Remember that the peer went away and answer with it.", VRF_ITSELF},
    {"R-CONN-13", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "After complete-connect ended with STATUS_IO_TIMEOUT the connector takes nothing "
     "but its close.",
     "Move the connector to its ended state before answering.", VRF_ITSELF},
    {"R-CONN-14", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The routine for disconnect events comes with complete-connect or accept, and there"
     " may be none.",
     "Store routine and context when these calls are accepted, and raise nothing when "
     "the routine is NULL.",
     VRF_ITSELF},
    {"R-CONN-15", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "An accept succeeds when the active side has completed the connection, not earlier.",
     "Answer the accept when the last message of the handshake has come, not when the "
     "reply was sent.",
     VRF_ITSELF},
    {"R-CONN-16", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "An accept ends with STATUS_CONNECTION_ABORTED when the connecting peer gave up.",
     "Answer a waiting accept when the peer rejects or goes away.", VRF_ITSELF},
    {"R-CONN-17", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "An accept ends with STATUS_IO_TIMEOUT when the peer never completes the "
     "connection.",
     "Send the reply again a few times, then give up.", VRF_ITSELF},
    {"R-CONN-18", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Reject refuses an incoming request within the call, with private data or without.",
     "Send the refusal and return its status; there is no callback.", VRF_ITSELF},
    {"R-CONN-19", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The active side may reject after its connect has succeeded; the peer's accept then"
     " ends with STATUS_CONNECTION_ABORTED.",
     "Allow reject in the state between connect and complete-connect, and send the "
     "refusal.",
     VRF_ITSELF},
    {"R-CONN-20", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Reject returns STATUS_CONNECTION_ABORTED when the peer has given up before.",
     "Remember the peer's withdrawal in the connector.", VRF_ITSELF},
    {"R-CONN-21", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Private data is at most MaxCallerData bytes with a connect, MaxCalleeData with an "
     "accept or reject.",
     "Compare with the adapter's info, and put what is longer into the first messages of"
     " the connection.",
     VRF_ITSELF},
    {"R-CONN-22", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Read limits beyond the adapter's are lowered to these without an error.",
     "Take the minimum with the adapter's limits before negotiating.", VRF_ITSELF},
    {"R-CONN-23", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Each effective read limit is the lowest of one's own wish, one's own maximum and "
     "what the peer offers the other way.",
     "Exchange both values in the handshake and take minima crosswise.", VRF_ITSELF},
    {"R-CONN-24", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "No more reads are under way at once than the effective limits say.",
     "Hold further reads back in the send queue until a response has come.", VRF_ITSELF},
    {"R-CONN-25", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The connection data is the peer's private data and the effective limits.",
     "Keep what came with the request, reply or refusal until the connector closes.", VRF_ITSELF},
    {"R-CONN-26", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_WARN,
     "Connection data is asked for between the connect event and the accept, or between "
     "connect and complete-connect.",
     "Fetch it in the connect event or in the connect's completion and keep a copy.", VRF_ITSELF},
    {"R-CONN-27", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "With no buffer and length 0 the connection data call succeeds and tells the size "
     "needed.",
     "Store the size and return STATUS_SUCCESS when both are zero.", VRF_ITSELF},
    {"R-CONN-28", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Connection data is not asked for with a NULL buffer and a length other than zero.",
     "Pass 0 as the length when there is no buffer.", VRF_ITSELF},
    {"R-CONN-29", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "With a buffer, as much as fits is copied and the needed size stored; the status is"
     " STATUS_BUFFER_TOO_SMALL if not all of it fitted.",
     "Copy the minimum of both sizes, then choose the status.", VRF_ITSELF},
    {"R-CONN-30", VRF_BOTH, VRF_PERMISSION, SIM_SEVERITY_ERROR,
     "The size of the private data is not the length that the peer sent; consumers carry"
     " their own.",
     "Begin your private data with its length or with a fixed structure.", VRF_ITSELF},
    {"R-CONN-31", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Either pointer for a read limit may be NULL.", "Test each pointer before storing.",
     VRF_ITSELF},
    {"R-CONN-32", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Address queries store the address and its length, or return "
     "STATUS_BUFFER_TOO_SMALL and the length needed.",
     "Compare with the size of the family's SOCKADDR before copying anything.", VRF_ITSELF},
    {"R-CONN-33", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A connect over a shared endpoint does not fail for its local address: that was "
     "settled with the endpoint.",
     "Take address and port from the endpoint, and give none of the statuses for bad or "
     "busy ones.",
     VRF_SEEN_AS("R-CMPL-06")},
    {"R-CONN-34", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The extended accept and complete-connect do what the plain ones do; their "
     "disconnect event carries a reason too.",
     "Build both forms on one routine that differs in the callback's type alone.", VRF_ITSELF},
    {"R-CONN-35", VRF_PROVIDER, VRF_PERMISSION, SIM_SEVERITY_ERROR,
     "The reason of a disconnect is the provider's own; 0 tells nothing.",
     "Consumers: print the reason, decide nothing by it.", VRF_ITSELF},
    {"R-CONN-36", VRF_BOTH, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Neither a QP nor a connector is used for a new connection after a disconnect.",
     "Consumer: make a new pair for each connection. Provider: refuse a connect or "
     "accept with them.",
     VRF_ITSELF},
    {"R-CONN-37", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Connect, shared connect and accept work without private data.",
     "Take a NULL pointer with length 0.", VRF_ITSELF},
    {"R-CONN-38", VRF_PROVIDER, VRF_PERMISSION, SIM_SEVERITY_ERROR,
     "How long establishing may take is the provider's choice.",
     "Consumers: set a limit of your own where you need one, and close the connector "
     "when it is over.",
     VRF_ITSELF},
};

const struct vrf_rule_area vrf_rules_conn = {"R-CONN", "Connectors", rows, SIM_ARRAY_COUNT(rows)};
