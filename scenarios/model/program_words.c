/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of steps: which verb takes which members, and what those may hold. */
#include "model/program.h"

#include <string.h>

#define M(name) SCRIPT_MEMBER_##name

#define CALL                                                                                       \
    M(STATUS), M(ROUTE), M(ASYNC), M(LABEL), M(THEN), M(WITHIN), M(GIVE_UP), M(COMPLETION),        \
        M(CONTEXT), M(VIA)
#define CREATE CALL, M(WHAT), M(VERSION)
#define POST M(STATUS), M(LABEL), M(CONTEXT), M(VIA), M(EXPECT), M(INTO)
#define OUTPUT M(STATUS), M(EXPECT), M(INTO), M(VIA)
#define PIECE M(MEMORY), M(LAM), M(OFFSET), M(BYTES), M(TOKEN), M(SGL), M(SGE), M(REPEAT), M(BASE)
#define REMOTE M(REMOTE), M(REMOTE_OFFSET), M(REMOTE_ADDRESS), M(REMOTE_TOKEN)
#define CONNECTS M(QP), M(TO), M(ADDRESS_BYTES), M(RETRY), M(TRIES)
#define READS M(INBOUND_READS), M(OUTBOUND_READS), M(PRIVATE_DATA)

#define NEW(kind) SCN_P_NEW, SCN_KIND(SCRIPT_##kind)
#define OF(kind) SCN_P_OBJECT, SCN_KIND(SCRIPT_##kind)
#define NDK_KINDS (SCN_KIND(SCRIPT_NDK_KIND_COUNT) - 1)
#define CALLS SCN_VERB_CALL
#define POSTS SCN_VERB_POST
#define WAITS SCN_VERB_WAITS

#define V(name) [SCRIPT_VERB_##name]

static const struct scn_verb verbs[SCRIPT_VERBS] = {
    V(WSK_REGISTER) = {"wsk_register", NEW(WSK), WAITS, {M(STATUS), M(VERSION)}},
    V(WSK_CAPTURE) = {"wsk_capture", OF(WSK), WAITS, {M(STATUS), M(TIMEOUT)}},
    V(WSK_QUERY) = {"wsk_query", OF(WSK), 0, {OUTPUT}},
    V(WSK_CONTROL) = {"wsk_control",
                      OF(WSK),
                      0,
                      {OUTPUT, M(CODE), M(INPUT_BYTES), M(OUTPUT_BYTES), M(BUFFER), M(IRP)}},
    V(WSK_RELEASE) = {"wsk_release", OF(WSK), 0, {0}},
    V(WSK_DEREGISTER) = {"wsk_deregister", OF(WSK), WAITS, {0}},
    V(OPEN_ADAPTER) = {"open_adapter",
                       NEW(ADAPTER),
                       WAITS,
                       {M(STATUS), M(WSK), M(INTERFACE), M(VERSION), M(EXPECT), M(INTO)}},
    V(CLOSE_ADAPTER) = {"close_adapter", OF(ADAPTER), WAITS, {0}},
    V(QUERY_ADAPTER_INFO) = {"query_adapter_info",
                             OF(ADAPTER),
                             WAITS,
                             {OUTPUT, M(BYTES), M(BUFFER)}},
    V(QUERY_EXTENSION) =
        {"query_extension", SCN_P_OBJECT, NDK_KINDS, 0, {M(STATUS), M(VIA), M(GUID), M(VERSION)}},

    V(CREATE_CQ) = {"create_cq",
                    NEW(CQ),
                    CALLS,
                    {CREATE, M(ADAPTER), M(DEPTH), M(CALLBACK), M(AFFINITY), M(GROUP)}},
    V(CREATE_PD) = {"create_pd", NEW(PD), CALLS, {CREATE, M(ADAPTER)}},
    V(CREATE_SHARED_ENDPOINT) = {"create_shared_endpoint",
                                 NEW(SHARED_ENDPOINT),
                                 CALLS,
                                 {CREATE, M(ADAPTER), M(ADDRESS), M(ADDRESS_BYTES)}},
    V(CREATE_CONNECTOR) = {"create_connector", NEW(CONNECTOR), CALLS, {CREATE, M(ADAPTER)}},
    V(CREATE_LISTENER) = {"create_listener",
                          NEW(LISTENER),
                          CALLS,
                          {CREATE, M(ADAPTER), M(CALLBACK), M(CONNECTOR)}},
    V(CREATE_MR) = {"create_mr", NEW(MR), CALLS, {CREATE, M(ADAPTER), M(PD), M(FAST)}},
    V(CREATE_MW) = {"create_mw", NEW(MW), CALLS, {CREATE, M(ADAPTER), M(PD)}},
    V(CREATE_SRQ) = {"create_srq",
                     NEW(SRQ),
                     CALLS,
                     {CREATE, M(ADAPTER), M(PD), M(DEPTH), M(SGE), M(THRESHOLD), M(CALLBACK),
                      M(AFFINITY), M(GROUP)}},
    V(CREATE_QP) = {"create_qp",
                    NEW(QP),
                    CALLS,
                    {CREATE, M(ADAPTER), M(PD), M(CQ), M(RECEIVE_CQ), M(INITIATOR_CQ),
                     M(RECEIVE_DEPTH), M(INITIATOR_DEPTH), M(RECEIVE_SGE), M(INITIATOR_SGE),
                     M(INLINE_BYTES)}},
    V(CREATE_QP_WITH_SRQ) = {"create_qp_with_srq",
                             NEW(QP),
                             CALLS,
                             {CREATE, M(ADAPTER), M(PD), M(CQ), M(RECEIVE_CQ), M(INITIATOR_CQ),
                              M(SRQ), M(INITIATOR_DEPTH), M(INITIATOR_SGE), M(INLINE_BYTES)}},
    V(CLOSE) = {"close", SCN_P_OBJECT, NDK_KINDS & ~SCN_KIND(SCRIPT_ADAPTER), CALLS, {CALL}},

    V(BUILD_LAM) = {"build_lam",
                    NEW(LAM),
                    CALLS,
                    {CALL, M(ADAPTER), M(MEMORY), M(BYTES), M(OUTPUT_BYTES), M(BUFFER), M(EXPECT),
                     M(INTO)}},
    V(RELEASE_LAM) = {"release_lam", OF(LAM), 0, {M(VIA)}},
    V(REGISTER_MR) = {"register_mr",
                      OF(MR),
                      CALLS | SCN_VERB_MR_FLAGS,
                      {CALL, M(MEMORY), M(BYTES), M(FLAGS)}},
    V(DEREGISTER_MR) = {"deregister_mr", OF(MR), CALLS, {CALL}},
    V(INITIALIZE_FAST_REGISTER_MR) = {"initialize_fast_register_mr",
                                      OF(MR),
                                      CALLS,
                                      {CALL, M(PAGES), M(REMOTE_ACCESS)}},
    V(GET_LOCAL_TOKEN) = {"get_local_token", OF(MR), 0, {M(EXPECT), M(INTO), M(VIA)}},
    V(GET_REMOTE_TOKEN) = {"get_remote_token",
                           SCN_P_OBJECT,
                           SCN_KIND(SCRIPT_MR) | SCN_KIND(SCRIPT_MW),
                           0,
                           {M(EXPECT), M(INTO), M(VIA)}},
    V(GET_PRIVILEGED_TOKEN) = {"get_privileged_token", OF(PD), 0, {M(EXPECT), M(INTO), M(VIA)}},

    V(ARM_CQ) = {"arm_cq", OF(CQ), 0, {M(TYPE), M(VIA)}},
    V(GET_CQ_RESULTS) = {"get_cq_results", OF(CQ), 0, {M(COUNT), M(EXPECT), M(INTO), M(VIA)}},
    V(GET_CQ_RESULTS_EX) = {"get_cq_results_ex", OF(CQ), 0, {M(COUNT), M(EXPECT), M(INTO), M(VIA)}},
    V(RESIZE_CQ) = {"resize_cq", OF(CQ), CALLS, {CALL, M(DEPTH)}},
    V(CONTROL_CQ_INTERRUPT_MODERATION) = {"control_cq_interrupt_moderation",
                                          OF(CQ),
                                          0,
                                          {M(STATUS), M(VIA), M(INTERVAL), M(COUNT)}},
    V(MODIFY_SRQ) = {"modify_srq", OF(SRQ), CALLS, {CALL, M(DEPTH), M(THRESHOLD)}},
    V(SRQ_RECEIVE) = {"srq_receive", OF(SRQ), POSTS, {POST, PIECE}},

    V(FLUSH) = {"flush", OF(QP), 0, {M(VIA)}},
    V(SEND) = {"send", OF(QP), POSTS | SCN_VERB_INITIATOR, {POST, PIECE, M(FLAGS)}},
    V(SEND_AND_INVALIDATE) = {"send_and_invalidate",
                              OF(QP),
                              POSTS | SCN_VERB_INITIATOR,
                              {POST, PIECE, M(FLAGS), REMOTE}},
    V(RECEIVE) = {"receive", OF(QP), POSTS, {POST, PIECE}},
    V(READ) = {"read", OF(QP), POSTS, {POST, PIECE, M(FLAGS), REMOTE}},
    V(WRITE) = {"write", OF(QP), POSTS | SCN_VERB_INITIATOR, {POST, PIECE, M(FLAGS), REMOTE}},
    V(BIND) = {"bind", OF(MW), POSTS, {POST, M(QP), M(MR), M(OFFSET), M(BYTES), M(BASE), M(FLAGS)}},
    V(FAST_REGISTER) = {"fast_register",
                        OF(MR),
                        POSTS,
                        {POST, M(QP), M(LAM), M(PAGES), M(FBO), M(BYTES), M(BASE), M(OFFSET),
                         M(FLAGS)}},
    V(INVALIDATE) = {"invalidate",
                     SCN_P_OBJECT,
                     SCN_KIND(SCRIPT_MR) | SCN_KIND(SCRIPT_MW),
                     POSTS,
                     {POST, M(QP), M(FLAGS)}},

    V(LISTEN) = {"listen", OF(LISTENER), CALLS, {CALL, M(ADDRESS), M(ADDRESS_BYTES)}},
    V(CONTROL_CONNECT_EVENTS) = {"control_connect_events", OF(LISTENER), 0, {M(PAUSE), M(VIA)}},
    V(CONNECT) = {"connect", OF(CONNECTOR), CALLS, {CALL, CONNECTS, M(FROM), READS}},
    V(CONNECT_WITH_SHARED_ENDPOINT) = {"connect_with_shared_endpoint",
                                       OF(CONNECTOR),
                                       CALLS,
                                       {CALL, CONNECTS, M(ENDPOINT), READS}},
    V(COMPLETE_CONNECT) = {"complete_connect", OF(CONNECTOR), CALLS, {CALL, M(DISCONNECT_EVENT)}},
    V(COMPLETE_CONNECT_EX) = {"complete_connect_ex",
                              OF(CONNECTOR),
                              CALLS,
                              {CALL, M(DISCONNECT_EVENT)}},
    V(ACCEPT) = {"accept", OF(CONNECTOR), CALLS, {CALL, M(QP), READS, M(DISCONNECT_EVENT)}},
    V(ACCEPT_EX) = {"accept_ex", OF(CONNECTOR), CALLS, {CALL, M(QP), READS, M(DISCONNECT_EVENT)}},
    V(REJECT) = {"reject", OF(CONNECTOR), 0, {M(STATUS), M(VIA), M(PRIVATE_DATA)}},
    V(DISCONNECT) = {"disconnect", OF(CONNECTOR), CALLS, {CALL}},
    V(GET_CONNECTION_DATA) = {"get_connection_data",
                              OF(CONNECTOR),
                              0,
                              {OUTPUT, M(BYTES), M(BUFFER), M(LIMITS), M(WITH), M(TAKE)}},
    V(GET_LOCAL_ADDRESS) = {"get_local_address",
                            SCN_P_OBJECT,
                            SCN_KIND(SCRIPT_CONNECTOR) | SCN_KIND(SCRIPT_LISTENER) |
                                SCN_KIND(SCRIPT_SHARED_ENDPOINT),
                            0,
                            {OUTPUT, M(BYTES), M(BUFFER), M(ADDRESS)}},
    V(GET_PEER_ADDRESS) = {"get_peer_address",
                           OF(CONNECTOR),
                           0,
                           {OUTPUT, M(BYTES), M(BUFFER), M(ADDRESS)}},

    V(WAIT) = {"wait",
               SCN_P_SOURCES,
               0,
               WAITS,
               {M(STATUS), M(COUNT), M(WITHIN), M(GIVE_UP), M(EXPECT), M(INTO)}},
    V(EXPECT_RESULT) = {"expect_result",
                        OF(CQ),
                        0,
                        {M(STATUS), M(BYTES), M(TYPE), M(REQUEST), M(COUNT), M(QP), M(WITHIN),
                         M(ARM), M(NEXT), M(EXTENDED), M(EXPECT), M(INTO), M(VIA)}},
    V(EXPECT_NONE) = {"expect_none", SCN_P_SOURCES, 0, 0, {M(FOR)}},
    V(REQUIRE) = {"require", SCN_P_CONDITION, 0, 0, {M(SAYS)}},
    V(FAIL) = {"fail", SCN_P_TEXT, 0, 0, {0}},
    V(CHECK) = {"check", SCN_P_OBJECT, NDK_KINDS, 0, {M(WHAT), M(VERSION)}},

    V(ALLOCATE) = {"allocate", NEW(MEMORY), 0, {M(BYTES), M(WITH), M(CHAIN), M(GAP), M(BASE)}},
    V(FILL) = {"fill", OF(MEMORY), 0, {M(OFFSET), M(BYTES), M(WITH)}},
    V(COMPARE) = {"compare", OF(MEMORY), 0, {M(OFFSET), M(BYTES), M(WITH)}},
    V(PEEK) = {"peek", OF(MEMORY), 0, {M(OFFSET), M(BYTES), M(EXPECT), M(INTO)}},
    V(READ_OFFER) = {"read_offer", NEW(REMOTE), 0, {M(MEMORY), M(OFFSET), M(BYTES)}},
    V(FREE) = {"free", OF(MEMORY), 0, {0}},

    V(SLEEP) = {"sleep", SCN_P_TIME, 0, WAITS, {0}},
    V(STALL) = {"stall", SCN_P_TIME, 0, 0, {0}},
    V(SPIN) = {"spin", SCN_P_SOURCES, 0, 0, {M(WITHIN), M(GIVE_UP)}},
    V(LOOP) = {"loop", SCN_P_NUMBER, 0, 0, {M(STEPS), M(INDEX)}},
    V(WHILE) = {"while", SCN_P_CONDITION, 0, 0, {M(STEPS)}},
    V(IF) = {"if", SCN_P_CONDITION, 0, 0, {M(STEPS), M(ELSE)}},
    V(CHOOSE) = {"choose", SCN_P_TOPIC, 0, 0, {M(OF)}},
    V(STOP) = {"stop", SCN_P_TRUE, 0, 0, {0}},
    V(SIGNAL) = {"signal", SCN_P_SIGNAL, 0, 0, {0}},
    V(IRQL) = {"irql", SCN_P_IRQL, 0, 0, {M(STEPS)}},
    V(CPU) = {"cpu", SCN_P_CPU, 0, 0, {M(STEPS)}},
    V(LOCK) = {"lock", SCN_P_LOCK, 0, 0, {M(STEPS)}},
    V(DPC) = {"dpc", SCN_P_STEPS, 0, SCN_VERB_LABEL, {M(LABEL), M(AFFINITY)}},
    V(WORK_ITEM) = {"work_item", SCN_P_STEPS, 0, SCN_VERB_LABEL, {M(LABEL)}},
    V(SET) = {"set", SCN_P_VARIABLE, 0, 0, {M(VALUE), M(PLUS), M(MINUS)}},
    V(COUNTER) = {"counter", SCN_P_VARIABLE, 0, 0, {M(VALUE), M(PLUS), M(MINUS)}},
    V(LOG) = {"log", SCN_P_TEXT, 0, 0, {0}},
    V(TRACE) = {"trace", SCN_P_TOPIC, 0, 0, {M(VALUE)}},
    V(CLEANUP) = {"cleanup", SCN_P_TRUE, 0, WAITS, {0}},
    V(SWAP_DISPATCH) = {"swap_dispatch", SCN_P_OBJECT, NDK_KINDS, 0, {M(TABLE)}},
    V(WRITE_RESERVED) = {"write_reserved", SCN_P_OBJECT, NDK_KINDS | SCN_KIND(SCRIPT_LAM), 0, {0}},
};

const struct scn_verb *scn_verb_at(uint32_t verb) {
    return &verbs[verb];
}
