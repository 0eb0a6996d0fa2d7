/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vocabulary of the script consumer: verbs, members and outputs, as numbers and as the words
 * that scenarios write. The compiler (scenarios/model/) and the driver share this and program.h.
 * SCRIPT_..._LIST(X) expands X(NUMBER NAME, "word").
 */
#ifndef SCRIPT_PROGRAM_WORDS_H
#define SCRIPT_PROGRAM_WORDS_H

#define SCRIPT_VERB_LIST(X)                                                                        \
    /* the WSK way and adapters */                                                                 \
    X(WSK_REGISTER, "wsk_register")                                                                \
    X(WSK_CAPTURE, "wsk_capture")                                                                  \
    X(WSK_QUERY, "wsk_query")                                                                      \
    X(WSK_CONTROL, "wsk_control")                                                                  \
    X(WSK_RELEASE, "wsk_release")                                                                  \
    X(WSK_DEREGISTER, "wsk_deregister")                                                            \
    X(OPEN_ADAPTER, "open_adapter")                                                                \
    X(CLOSE_ADAPTER, "close_adapter")                                                              \
    X(QUERY_ADAPTER_INFO, "query_adapter_info")                                                    \
    X(QUERY_EXTENSION, "query_extension")                                                          \
    /* creates and closes */                                                                       \
    X(CREATE_CQ, "create_cq")                                                                      \
    X(CREATE_PD, "create_pd")                                                                      \
    X(CREATE_SHARED_ENDPOINT, "create_shared_endpoint")                                            \
    X(CREATE_CONNECTOR, "create_connector")                                                        \
    X(CREATE_LISTENER, "create_listener")                                                          \
    X(CREATE_MR, "create_mr")                                                                      \
    X(CREATE_MW, "create_mw")                                                                      \
    X(CREATE_SRQ, "create_srq")                                                                    \
    X(CREATE_QP, "create_qp")                                                                      \
    X(CREATE_QP_WITH_SRQ, "create_qp_with_srq")                                                    \
    X(CLOSE, "close")                                                                              \
    /* memory of the adapter */                                                                    \
    X(BUILD_LAM, "build_lam")                                                                      \
    X(RELEASE_LAM, "release_lam")                                                                  \
    X(REGISTER_MR, "register_mr")                                                                  \
    X(DEREGISTER_MR, "deregister_mr")                                                              \
    X(INITIALIZE_FAST_REGISTER_MR, "initialize_fast_register_mr")                                  \
    X(GET_LOCAL_TOKEN, "get_local_token")                                                          \
    X(GET_REMOTE_TOKEN, "get_remote_token")                                                        \
    X(GET_PRIVILEGED_TOKEN, "get_privileged_token")                                                \
    /* completion queues and shared receive queues */                                              \
    X(ARM_CQ, "arm_cq")                                                                            \
    X(GET_CQ_RESULTS, "get_cq_results")                                                            \
    X(GET_CQ_RESULTS_EX, "get_cq_results_ex")                                                      \
    X(RESIZE_CQ, "resize_cq")                                                                      \
    X(CONTROL_CQ_INTERRUPT_MODERATION, "control_cq_interrupt_moderation")                          \
    X(MODIFY_SRQ, "modify_srq")                                                                    \
    X(SRQ_RECEIVE, "srq_receive")                                                                  \
    /* posts */                                                                                    \
    X(FLUSH, "flush")                                                                              \
    X(SEND, "send")                                                                                \
    X(SEND_AND_INVALIDATE, "send_and_invalidate")                                                  \
    X(RECEIVE, "receive")                                                                          \
    X(READ, "read")                                                                                \
    X(WRITE, "write")                                                                              \
    X(BIND, "bind")                                                                                \
    X(FAST_REGISTER, "fast_register")                                                              \
    X(INVALIDATE, "invalidate")                                                                    \
    /* connections */                                                                              \
    X(LISTEN, "listen")                                                                            \
    X(CONTROL_CONNECT_EVENTS, "control_connect_events")                                            \
    X(CONNECT, "connect")                                                                          \
    X(CONNECT_WITH_SHARED_ENDPOINT, "connect_with_shared_endpoint")                                \
    X(COMPLETE_CONNECT, "complete_connect")                                                        \
    X(COMPLETE_CONNECT_EX, "complete_connect_ex")                                                  \
    X(ACCEPT, "accept")                                                                            \
    X(ACCEPT_EX, "accept_ex")                                                                      \
    X(REJECT, "reject")                                                                            \
    X(DISCONNECT, "disconnect")                                                                    \
    X(GET_CONNECTION_DATA, "get_connection_data")                                                  \
    X(GET_LOCAL_ADDRESS, "get_local_address")                                                      \
    X(GET_PEER_ADDRESS, "get_peer_address")                                                        \
    /* what must come */                                                                           \
    X(WAIT, "wait")                                                                                \
    X(EXPECT_RESULT, "expect_result")                                                              \
    X(EXPECT_NONE, "expect_none")                                                                  \
    X(REQUIRE, "require")                                                                          \
    X(FAIL, "fail")                                                                                \
    X(CHECK, "check")                                                                              \
    /* buffers */                                                                                  \
    X(ALLOCATE, "allocate")                                                                        \
    X(FILL, "fill")                                                                                \
    X(COMPARE, "compare")                                                                          \
    X(PEEK, "peek")                                                                                \
    X(READ_OFFER, "read_offer")                                                                    \
    X(FREE, "free")                                                                                \
    /* flow */                                                                                     \
    X(SLEEP, "sleep")                                                                              \
    X(STALL, "stall")                                                                              \
    X(SPIN, "spin")                                                                                \
    X(LOOP, "loop")                                                                                \
    X(WHILE, "while")                                                                              \
    X(IF, "if")                                                                                    \
    X(CHOOSE, "choose")                                                                            \
    X(STOP, "stop")                                                                                \
    X(SIGNAL, "signal")                                                                            \
    X(IRQL, "irql")                                                                                \
    X(CPU, "cpu")                                                                                  \
    X(LOCK, "lock")                                                                                \
    X(DPC, "dpc")                                                                                  \
    X(WORK_ITEM, "work_item")                                                                      \
    X(SET, "set")                                                                                  \
    X(COUNTER, "counter")                                                                          \
    X(LOG, "log")                                                                                  \
    X(TRACE, "trace")                                                                              \
    X(CLEANUP, "cleanup")                                                                          \
    /* the header */                                                                               \
    X(SWAP_DISPATCH, "swap_dispatch")                                                              \
    X(WRITE_RESERVED, "write_reserved")

/* What a step may say beside its verb. Members of one name mean the same everywhere. */
#define SCRIPT_MEMBER_LIST(X)                                                                      \
    X(OBJECT, "")                                                                                  \
    X(AT, "at")                                                                                    \
    X(AFTER, "after")                                                                              \
    X(STATUS, "status")                                                                            \
    X(ROUTE, "route")                                                                              \
    X(ASYNC, "async")                                                                              \
    X(LABEL, "label")                                                                              \
    X(THEN, "then")                                                                                \
    X(WITHIN, "within")                                                                            \
    X(GIVE_UP, "give_up")                                                                          \
    X(COMPLETION, "completion")                                                                    \
    X(CONTEXT, "context")                                                                          \
    X(VIA, "via")                                                                                  \
    X(MISUSE, "misuse")                                                                            \
    X(EXPECT, "expect")                                                                            \
    X(INTO, "into")                                                                                \
    X(WSK, "wsk")                                                                                  \
    X(ADAPTER, "adapter")                                                                          \
    X(PD, "pd")                                                                                    \
    X(CQ, "cq")                                                                                    \
    X(RECEIVE_CQ, "receive_cq")                                                                    \
    X(INITIATOR_CQ, "initiator_cq")                                                                \
    X(QP, "qp")                                                                                    \
    X(SRQ, "srq")                                                                                  \
    X(MR, "mr")                                                                                    \
    X(LAM, "lam")                                                                                  \
    X(ENDPOINT, "endpoint")                                                                        \
    X(CONNECTOR, "connector")                                                                      \
    X(INTERFACE, "interface")                                                                      \
    X(VERSION, "version")                                                                          \
    X(TIMEOUT, "timeout")                                                                          \
    X(CODE, "code")                                                                                \
    X(INPUT_BYTES, "input_bytes")                                                                  \
    X(OUTPUT_BYTES, "output_bytes")                                                                \
    X(IRP, "irp")                                                                                  \
    X(GUID, "guid")                                                                                \
    X(DEPTH, "depth")                                                                              \
    X(RECEIVE_DEPTH, "receive_depth")                                                              \
    X(INITIATOR_DEPTH, "initiator_depth")                                                          \
    X(SGE, "sge")                                                                                  \
    X(RECEIVE_SGE, "receive_sge")                                                                  \
    X(INITIATOR_SGE, "initiator_sge")                                                              \
    X(INLINE_BYTES, "inline_bytes")                                                                \
    X(THRESHOLD, "threshold")                                                                      \
    X(AFFINITY, "affinity")                                                                        \
    X(GROUP, "group")                                                                              \
    X(CALLBACK, "callback")                                                                        \
    X(FAST, "fast")                                                                                \
    X(MEMORY, "memory")                                                                            \
    X(OFFSET, "offset")                                                                            \
    X(BYTES, "bytes")                                                                              \
    X(BUFFER, "buffer")                                                                            \
    X(TOKEN, "token")                                                                              \
    X(SGL, "sgl")                                                                                  \
    X(FLAGS, "flags")                                                                              \
    X(PAGES, "pages")                                                                              \
    X(FBO, "fbo")                                                                                  \
    X(BASE, "base")                                                                                \
    X(REMOTE_ACCESS, "remote_access")                                                              \
    X(REMOTE, "remote")                                                                            \
    X(REMOTE_OFFSET, "remote_offset")                                                              \
    X(REMOTE_ADDRESS, "remote_address")                                                            \
    X(REMOTE_TOKEN, "remote_token")                                                                \
    X(TYPE, "type")                                                                                \
    X(COUNT, "count")                                                                              \
    X(INTERVAL, "interval")                                                                        \
    X(REQUEST, "request")                                                                          \
    X(FROM, "from")                                                                                \
    X(TO, "to")                                                                                    \
    X(ADDRESS, "address")                                                                          \
    X(ADDRESS_BYTES, "address_bytes")                                                              \
    X(INBOUND_READS, "inbound_reads")                                                              \
    X(OUTBOUND_READS, "outbound_reads")                                                            \
    X(PRIVATE_DATA, "private_data")                                                                \
    X(DISCONNECT_EVENT, "disconnect_event")                                                        \
    X(LIMITS, "limits")                                                                            \
    X(TAKE, "take")                                                                                \
    X(PAUSE, "pause")                                                                              \
    X(FOR, "for")                                                                                  \
    X(WITH, "with")                                                                                \
    X(CHAIN, "chain")                                                                              \
    X(WHAT, "what")                                                                                \
    X(STEPS, "steps")                                                                              \
    X(ELSE, "else")                                                                                \
    X(OF, "of")                                                                                    \
    X(VALUE, "value")                                                                              \
    X(PLUS, "plus")                                                                                \
    X(MINUS, "minus")                                                                              \
    X(INDEX, "index")                                                                              \
    X(SAYS, "says")                                                                                \
    X(REPEAT, "repeat")                                                                            \
    X(ARM, "arm")                                                                                  \
    X(NEXT, "next")                                                                                \
    X(EXTENDED, "extended")                                                                        \
    X(GAP, "gap")                                                                                  \
    X(TABLE, "table")                                                                              \
    X(RETRY, "retry")                                                                              \
    X(TRIES, "tries")

/* What a step may find out: named in "expect" and "into". */
#define SCRIPT_OUTPUT_LIST(X)                                                                      \
    X(STATUS, "status")                                                                            \
    X(COUNT, "count")                                                                              \
    X(BYTES, "bytes")                                                                              \
    X(TYPE, "type")                                                                                \
    X(ERROR, "error")                                                                              \
    X(OUTPUT, "output")                                                                            \
    X(TOKEN, "token")                                                                              \
    X(ADDRESS, "address")                                                                          \
    X(VALUE, "value")                                                                              \
    X(PAGES, "pages")                                                                              \
    X(FBO, "fbo")                                                                                  \
    X(INBOUND_READS, "inbound_reads")                                                              \
    X(OUTBOUND_READS, "outbound_reads")                                                            \
    X(PORT, "port")                                                                                \
    X(FAMILY, "family")                                                                            \
    X(REASON, "reason")                                                                            \
    X(LOW, "low")                                                                                  \
    X(HIGH, "high")                                                                                \
    X(WAITED, "waited")                                                                            \
    X(IRQL, "irql")                                                                                \
    X(VERSION_MAJOR, "VersionMajor")                                                               \
    X(VERSION_MINOR, "VersionMinor")                                                               \
    X(VENDOR_ID, "VendorId")                                                                       \
    X(DEVICE_ID, "DeviceId")                                                                       \
    X(MAX_REGISTRATION_SIZE, "MaxRegistrationSize")                                                \
    X(MAX_WINDOW_SIZE, "MaxWindowSize")                                                            \
    X(FRMR_PAGE_COUNT, "FRMRPageCount")                                                            \
    X(MAX_INITIATOR_REQUEST_SGE, "MaxInitiatorRequestSge")                                         \
    X(MAX_RECEIVE_REQUEST_SGE, "MaxReceiveRequestSge")                                             \
    X(MAX_READ_REQUEST_SGE, "MaxReadRequestSge")                                                   \
    X(MAX_TRANSFER_LENGTH, "MaxTransferLength")                                                    \
    X(MAX_INLINE_DATA_SIZE, "MaxInlineDataSize")                                                   \
    X(MAX_INBOUND_READ_LIMIT, "MaxInboundReadLimit")                                               \
    X(MAX_OUTBOUND_READ_LIMIT, "MaxOutboundReadLimit")                                             \
    X(MAX_RECEIVE_QUEUE_DEPTH, "MaxReceiveQueueDepth")                                             \
    X(MAX_INITIATOR_QUEUE_DEPTH, "MaxInitiatorQueueDepth")                                         \
    X(MAX_SRQ_DEPTH, "MaxSrqDepth")                                                                \
    X(MAX_CQ_DEPTH, "MaxCqDepth")                                                                  \
    X(LARGE_REQUEST_THRESHOLD, "LargeRequestThreshold")                                            \
    X(MAX_CALLER_DATA, "MaxCallerData")                                                            \
    X(MAX_CALLEE_DATA, "MaxCalleeData")                                                            \
    X(ADAPTER_FLAGS, "AdapterFlags")                                                               \
    X(RDMA_TECHNOLOGY, "RdmaTechnology")

#define SCRIPT_VERB_NUMBER(name, word) SCRIPT_VERB_##name,
#define SCRIPT_MEMBER_NUMBER(name, word) SCRIPT_MEMBER_##name,
#define SCRIPT_OUTPUT_NUMBER(name, word) SCRIPT_OUTPUT_##name,

enum script_verb { SCRIPT_VERB_LIST(SCRIPT_VERB_NUMBER) SCRIPT_VERBS };
enum script_member { SCRIPT_MEMBER_LIST(SCRIPT_MEMBER_NUMBER) SCRIPT_MEMBERS };
enum script_output { SCRIPT_OUTPUT_LIST(SCRIPT_OUTPUT_NUMBER) SCRIPT_OUTPUTS };

#endif
