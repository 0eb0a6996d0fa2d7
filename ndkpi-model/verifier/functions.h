/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of the ten dispatch tables, and the trace types that belong to them.
 *
 *   SIM_TRACE_NDK + function         "ndk.connect": the call returned; status, request's serial
 *   VRF_TRACE_DONE + function        "ndk.connect.done": its completion callback begins; status,
 *                                    serial. Functions that may pend only; they come first
 *   VRF_TRACE_CALL and others        see vrf_trace_type
 *
 * NdkQueryExtension stands in every table and is one function here, so the 70 slots are 61.
 */
#ifndef VRF_FUNCTIONS_H
#define VRF_FUNCTIONS_H

#include <sim/trace.h>

enum vrf_kind {
    VRF_KIND_CREATE,  /* may pend; create completion */
    VRF_KIND_REQUEST, /* may pend; request completion */
    VRF_KIND_CLOSE,   /* may pend; close completion */
    VRF_KIND_POST,    /* its result comes through a CQ */
    VRF_KIND_POLL,
    VRF_KIND_PLAIN, /* answers at once */
};

/* X(suffix, kind, access, name) */
#define VRF_FUNCTIONS_PENDING(X)                                                                   \
    X(CREATE_CQ, CREATE, CREATE, "create_cq")                                                      \
    X(CREATE_PD, CREATE, CREATE, "create_pd")                                                      \
    X(CREATE_SHARED_ENDPOINT, CREATE, CREATE, "create_shared_endpoint")                            \
    X(CREATE_CONNECTOR, CREATE, CREATE, "create_connector")                                        \
    X(CREATE_LISTENER, CREATE, CREATE, "create_listener")                                          \
    X(CREATE_MR, CREATE, CREATE, "create_mr")                                                      \
    X(CREATE_MW, CREATE, CREATE, "create_mw")                                                      \
    X(CREATE_SRQ, CREATE, CREATE, "create_srq")                                                    \
    X(CREATE_QP, CREATE, CREATE, "create_qp")                                                      \
    X(CREATE_QP_WITH_SRQ, CREATE, CREATE, "create_qp_with_srq")                                    \
    X(BUILD_LAM, REQUEST, READ, "build_lam")                                                       \
    X(RESIZE_CQ, REQUEST, WRITE, "resize_cq")                                                      \
    X(LISTEN, REQUEST, WRITE, "listen")                                                            \
    X(CONNECT, REQUEST, WRITE, "connect")                                                          \
    X(CONNECT_WITH_SHARED_ENDPOINT, REQUEST, WRITE, "connect_with_shared_endpoint")                \
    X(COMPLETE_CONNECT, REQUEST, WRITE, "complete_connect")                                        \
    X(COMPLETE_CONNECT_EX, REQUEST, WRITE, "complete_connect_ex")                                  \
    X(ACCEPT, REQUEST, WRITE, "accept")                                                            \
    X(ACCEPT_EX, REQUEST, WRITE, "accept_ex")                                                      \
    X(DISCONNECT, REQUEST, WRITE, "disconnect")                                                    \
    X(REGISTER_MR, REQUEST, WRITE, "register_mr")                                                  \
    X(DEREGISTER_MR, REQUEST, WRITE, "deregister_mr")                                              \
    X(INITIALIZE_FAST_REGISTER_MR, REQUEST, WRITE, "initialize_fast_register_mr")                  \
    X(MODIFY_SRQ, REQUEST, WRITE, "modify_srq")                                                    \
    X(CLOSE_CONNECTOR, CLOSE, CLOSE, "close_connector")                                            \
    X(CLOSE_CQ, CLOSE, CLOSE, "close_cq")                                                          \
    X(CLOSE_LISTENER, CLOSE, CLOSE, "close_listener")                                              \
    X(CLOSE_MR, CLOSE, CLOSE, "close_mr")                                                          \
    X(CLOSE_MW, CLOSE, CLOSE, "close_mw")                                                          \
    X(CLOSE_PD, CLOSE, CLOSE, "close_pd")                                                          \
    X(CLOSE_QP, CLOSE, CLOSE, "close_qp")                                                          \
    X(CLOSE_SHARED_ENDPOINT, CLOSE, CLOSE, "close_shared_endpoint")                                \
    X(CLOSE_SRQ, CLOSE, CLOSE, "close_srq")

#define VRF_FUNCTIONS_INLINE(X)                                                                    \
    X(SEND, POST, WRITE, "send")                                                                   \
    X(SEND_AND_INVALIDATE, POST, WRITE, "send_and_invalidate")                                     \
    X(RECEIVE, POST, WRITE, "receive")                                                             \
    X(BIND, POST, WRITE, "bind")                                                                   \
    X(FAST_REGISTER, POST, WRITE, "fast_register")                                                 \
    X(INVALIDATE, POST, WRITE, "invalidate")                                                       \
    X(READ, POST, WRITE, "read")                                                                   \
    X(WRITE, POST, WRITE, "write")                                                                 \
    X(SRQ_RECEIVE, POST, WRITE, "srq_receive")                                                     \
    X(GET_CQ_RESULTS, POLL, WRITE, "get_cq_results")                                               \
    X(GET_CQ_RESULTS_EX, POLL, WRITE, "get_cq_results_ex")                                         \
    X(QUERY_EXTENSION, PLAIN, READ, "query_extension")                                             \
    X(QUERY_ADAPTER_INFO, PLAIN, READ, "query_adapter_info")                                       \
    X(RELEASE_LAM, PLAIN, WRITE, "release_lam")                                                    \
    X(REJECT, PLAIN, WRITE, "reject")                                                              \
    X(GET_CONNECTION_DATA, PLAIN, READ, "get_connection_data")                                     \
    X(GET_LOCAL_ADDRESS, PLAIN, READ, "get_local_address")                                         \
    X(GET_PEER_ADDRESS, PLAIN, READ, "get_peer_address")                                           \
    X(GET_LISTENER_ADDRESS, PLAIN, READ, "get_listener_address")                                   \
    X(GET_ENDPOINT_ADDRESS, PLAIN, READ, "get_endpoint_address")                                   \
    X(CONTROL_CONNECT_EVENTS, PLAIN, WRITE, "control_connect_events")                              \
    X(ARM_CQ, PLAIN, WRITE, "arm_cq")                                                              \
    X(CONTROL_CQ_INTERRUPT_MODERATION, PLAIN, WRITE, "control_cq_interrupt_moderation")            \
    X(GET_REMOTE_TOKEN_FROM_MR, PLAIN, READ, "get_remote_token_from_mr")                           \
    X(GET_LOCAL_TOKEN_FROM_MR, PLAIN, READ, "get_local_token_from_mr")                             \
    X(GET_REMOTE_TOKEN_FROM_MW, PLAIN, READ, "get_remote_token_from_mw")                           \
    X(GET_PRIVILEGED_TOKEN, PLAIN, READ, "get_privileged_token")                                   \
    X(FLUSH, PLAIN, WRITE, "flush")

#define VRF_FUNCTION(suffix, kind, access, name) VRF_FN_##suffix,
enum vrf_function {
    VRF_FUNCTIONS_PENDING(VRF_FUNCTION) VRF_FN_PENDING_COUNT,
    VRF_FN_BEFORE_INLINE = VRF_FN_PENDING_COUNT - 1,
    VRF_FUNCTIONS_INLINE(VRF_FUNCTION) VRF_FN_COUNT,
};
#undef VRF_FUNCTION

enum vrf_trace_type {
    VRF_TRACE_DONE = (int)SIM_TRACE_NDK + (int)VRF_FN_COUNT,
    /* A function that may pend was called: its trace type, the request's serial. */
    VRF_TRACE_CALL = VRF_TRACE_DONE + (int)VRF_FN_PENDING_COUNT,
    VRF_TRACE_RESULT,           /* a result was taken from a CQ: status, the request's serial */
    VRF_TRACE_EVENT_CQ,         /* a CQ notification begins: status */
    VRF_TRACE_EVENT_SRQ,        /* an SRQ notification begins: status */
    VRF_TRACE_EVENT_CONNECT,    /* a connect event begins: listener, connector */
    VRF_TRACE_EVENT_DISCONNECT, /* a disconnect event begins: reason */
    VRF_TRACE_CALLBACK_RETURN,  /* any callback returned: the trace type it began with */
    VRF_TRACE_OPEN,             /* an adapter was handed to a consumer: adapter */
    VRF_TRACE_CLOSED,           /* an adapter's close handler returned */
    VRF_TRACE_STRAY,            /* a callback or result that belongs to nothing known */
    VRF_TRACE_END,
};

struct vrf_function_info {
    const char *name; /* "connect" */
    enum vrf_kind kind;
    enum sim_access access;
};
extern const struct vrf_function_info vrf_functions[VRF_FN_COUNT];

static inline uint16_t vrf_trace_of(enum vrf_function function) {
    return (uint16_t)(SIM_TRACE_NDK + (unsigned)function);
}

void vrf_functions_register(struct sim_world *world);

#endif
