/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each of the 70 slots is called once with distinct values: the provider sees them all unchanged,
 * but for contexts and callbacks, and the consumer gets its own contexts and the provider's answer.
 */
#include "fixture.h"

#define V(argument) ((uint64_t)(uintptr_t)(argument))
#define P(index) ((void *)memory[index])

/* What an argument must be, when it is not simply the same. */
#define ROUTINE UINT64_C(0xF000000000000001)     /* ours; CONTEXT stands behind it */
#define CONTEXT UINT64_C(0xF000000000000002)     /* ours */
#define SUBSTITUTED UINT64_C(0xF000000000000003) /* a routine or context of ours */

#define ANSWER ((NTSTATUS)0xC0001234)

static uint64_t memory[16][64];
static const NDK_VERSION version = {1, 2};
static uint32_t slots_seen;
static uint32_t contexts[2]; /* where the last checked call had its routine */
static struct {
    NDK_CONNECTOR *connector;
    NDK_CQ *cq;
    NDK_LISTENER *listener;
    NDK_MR *mr;
    NDK_MW *mw;
    NDK_PD *pd;
    NDK_QP *qp;
    NDK_SHARED_ENDPOINT *endpoint;
    NDK_SRQ *srq;
} out;

static void hear_connect(PVOID context, NDK_CONNECTOR *connector) {
    hear_create(context, STATUS_SUCCESS, &connector->Header);
}

static void hear_disconnect_ex(PVOID context, ULONG reason) {
    hear_request(context, (NTSTATUS)reason);
}

static bool is_ours(uint64_t argument) {
    return argument != 0 && argument != V(hear_cq) && argument != V(hear_connect) &&
           argument != V(hear_close) && argument != V(hear_disconnect_ex) &&
           !(argument >= V(memory) && argument < V(memory) + sizeof(memory));
}

/* The provider's note of the call against what was given. */
static void check_call(const char *slot, const uint64_t *expected, size_t count) {
    CHECK(strcmp(fake.slot, slot) == 0);
    CHECK(fake.argument_count == count && fake.call_count == 1);
    fake.call_count = 0;
    slots_seen++;
    for (uint32_t i = 0; i < count; i++) {
        if (expected[i] == ROUTINE) {
            CHECK(fake.argument[i] != V(hear_create) && fake.argument[i] != V(hear_request));
            contexts[0] = i;
        }
        if (expected[i] == ROUTINE || expected[i] == CONTEXT || expected[i] == SUBSTITUTED) {
            CHECK(is_ours(fake.argument[i]));
        } else {
            CHECK(fake.argument[i] == expected[i]);
        }
    }
}

/* The provider completes the call that was just checked; the consumer's context stood behind. */
static void check_heard(NTSTATUS status, uint32_t count) {
    CHECK(heard.count == count + 1);
    CHECK(heard.context == P(contexts[0] + 1));
    CHECK(heard.status == status);
}

#define EXPECTED(...)                                                                              \
    (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)

#define STATUS(slot, call, ...)                                                                    \
    do {                                                                                           \
        fake.status = ANSWER;                                                                      \
        CHECK((call) == ANSWER);                                                                   \
        check_call(slot, EXPECTED(__VA_ARGS__));                                                   \
    } while (0)

#define VALUE(slot, call, ...)                                                                     \
    do {                                                                                           \
        fake.value = 4711;                                                                         \
        CHECK((call) == 4711);                                                                     \
        check_call(slot, EXPECTED(__VA_ARGS__));                                                   \
    } while (0)

#define VOID_CALL(slot, call, ...)                                                                 \
    do {                                                                                           \
        call;                                                                                      \
        check_call(slot, EXPECTED(__VA_ARGS__));                                                   \
    } while (0)

#define POLL(slot, call, ...)                                                                      \
    do {                                                                                           \
        CHECK((call) == 0);                                                                        \
        check_call(slot, EXPECTED(__VA_ARGS__));                                                   \
    } while (0)

/* Calls that may pend: answered pending, then completed through what the provider was given. */
#define PENDING_CALL(slot, call, complete, answer, ...)                                            \
    do {                                                                                           \
        uint32_t count = heard.count;                                                              \
                                                                                                   \
        fake.status = STATUS_PENDING;                                                              \
        CHECK((call) == STATUS_PENDING);                                                           \
        check_call(slot, EXPECTED(__VA_ARGS__));                                                   \
        complete(FAKE_POINTER(contexts[0]), FAKE_POINTER(contexts[0] + 1));                        \
        check_heard(answer, count);                                                                \
    } while (0)
#define CREATE(slot, call, ...) PENDING_CALL(slot, call, complete_create, ANSWER, __VA_ARGS__)
#define REQUEST(slot, call, ...) PENDING_CALL(slot, call, complete_request, ANSWER, __VA_ARGS__)
#define CLOSE(slot, call, ...) PENDING_CALL(slot, call, complete_close, STATUS_SUCCESS, __VA_ARGS__)

static void complete_create(void *routine, void *context) {
    ((NDK_FN_CREATE_COMPLETION)routine)(context, ANSWER, NULL);
    CHECK(heard.object == NULL);
}

static void complete_request(void *routine, void *context) {
    ((NDK_FN_REQUEST_COMPLETION)routine)(context, ANSWER);
}

static void complete_close(void *routine, void *context) {
    ((NDK_FN_CLOSE_COMPLETION)routine)(context);
}

static void call_adapter(void) {
    STATUS("adapter.NdkQueryExtension",
           fake.adapter.Dispatch->NdkQueryExtension(&fake.adapter.Header, P(1), version, P(3)),
           V(&fake.adapter), V(P(1)), 0x10002, V(P(3)));
    STATUS("adapter.NdkQueryAdapterInfo",
           fake.adapter.Dispatch->NdkQueryAdapterInfo(&fake.adapter, P(1), P(2)), V(&fake.adapter),
           V(P(1)), V(P(2)));
    CREATE("adapter.NdkCreateCq",
           fake.adapter.Dispatch->NdkCreateCq(&fake.adapter, 11, hear_cq, P(3), P(4), hear_create,
                                              P(6), &out.cq),
           V(&fake.adapter), 11, SUBSTITUTED, SUBSTITUTED, V(P(4)), ROUTINE, CONTEXT, V(&out.cq));
    CREATE("adapter.NdkCreatePd",
           fake.adapter.Dispatch->NdkCreatePd(&fake.adapter, hear_create, P(2), &out.pd),
           V(&fake.adapter), ROUTINE, CONTEXT, V(&out.pd));
    CREATE("adapter.NdkCreateSharedEndpoint",
           fake.adapter.Dispatch->NdkCreateSharedEndpoint(&fake.adapter, P(1), 12, hear_create,
                                                          P(4), &out.endpoint),
           V(&fake.adapter), V(P(1)), 12, ROUTINE, CONTEXT, V(&out.endpoint));
    CREATE(
        "adapter.NdkCreateConnector",
        fake.adapter.Dispatch->NdkCreateConnector(&fake.adapter, hear_create, P(2), &out.connector),
        V(&fake.adapter), ROUTINE, CONTEXT, V(&out.connector));
    CREATE("adapter.NdkCreateListener",
           fake.adapter.Dispatch->NdkCreateListener(&fake.adapter, hear_connect, P(2), hear_create,
                                                    P(4), &out.listener),
           V(&fake.adapter), SUBSTITUTED, SUBSTITUTED, ROUTINE, CONTEXT, V(&out.listener));
    REQUEST("adapter.NdkBuildLAM",
            fake.adapter.Dispatch->NdkBuildLAM(&fake.adapter, P(1), 12, hear_request, P(4), P(5),
                                               P(6), P(7)),
            V(&fake.adapter), V(P(1)), 12, ROUTINE, CONTEXT, V(P(5)), V(P(6)), V(P(7)));
    VOID_CALL("adapter.NdkReleaseLAM", fake.adapter.Dispatch->NdkReleaseLAM(&fake.adapter, P(1)),
              V(&fake.adapter), V(P(1)));
}

static void call_pd(void) {
    STATUS("pd.NdkQueryExtension",
           fake.pd.Dispatch->NdkQueryExtension(&fake.pd.Header, P(1), version, P(3)), V(&fake.pd),
           V(P(1)), 0x10002, V(P(3)));
    CREATE("pd.NdkCreateMr",
           fake.pd.Dispatch->NdkCreateMr(&fake.pd, TRUE, hear_create, P(3), &out.mr), V(&fake.pd),
           TRUE, ROUTINE, CONTEXT, V(&out.mr));
    CREATE("pd.NdkCreateMw", fake.pd.Dispatch->NdkCreateMw(&fake.pd, hear_create, P(2), &out.mw),
           V(&fake.pd), ROUTINE, CONTEXT, V(&out.mw));
    CREATE("pd.NdkCreateSrq",
           fake.pd.Dispatch->NdkCreateSrq(&fake.pd, 11, 12, 13, hear_cq, P(5), P(6), hear_create,
                                          P(8), &out.srq),
           V(&fake.pd), 11, 12, 13, SUBSTITUTED, SUBSTITUTED, V(P(6)), ROUTINE, CONTEXT,
           V(&out.srq));
    CREATE("pd.NdkCreateQp",
           fake.pd.Dispatch->NdkCreateQp(&fake.pd, &fake.cq, &fake.cq, P(3), 14, 15, 16, 17, 18,
                                         hear_create, P(10), &out.qp),
           V(&fake.pd), V(&fake.cq), V(&fake.cq), SUBSTITUTED, 14, 15, 16, 17, 18, ROUTINE, CONTEXT,
           V(&out.qp));
    CREATE("pd.NdkCreateQpWithSrq",
           fake.pd.Dispatch->NdkCreateQpWithSrq(&fake.pd, &fake.cq, &fake.cq, &fake.srq, P(4), 15,
                                                16, 17, hear_create, P(9), &out.qp),
           V(&fake.pd), V(&fake.cq), V(&fake.cq), V(&fake.srq), SUBSTITUTED, 15, 16, 17, ROUTINE,
           CONTEXT, V(&out.qp));
    VOID_CALL("pd.NdkGetPrivilegedMemoryRegionToken",
              fake.pd.Dispatch->NdkGetPrivilegedMemoryRegionToken(&fake.pd, P(1)), V(&fake.pd),
              V(P(1)));
}

static void call_cq(void) {
    STATUS("cq.NdkQueryExtension",
           fake.cq.Dispatch->NdkQueryExtension(&fake.cq.Header, P(1), version, P(3)), V(&fake.cq),
           V(P(1)), 0x10002, V(P(3)));
    REQUEST("cq.NdkResizeCq", fake.cq.Dispatch->NdkResizeCq(&fake.cq, 11, hear_request, P(3)),
            V(&fake.cq), 11, ROUTINE, CONTEXT);
    VOID_CALL("cq.NdkArmCq", fake.cq.Dispatch->NdkArmCq(&fake.cq, 11), V(&fake.cq), 11);
    POLL("cq.NdkGetCqResults", fake.cq.Dispatch->NdkGetCqResults(&fake.cq, P(1), 12), V(&fake.cq),
         V(P(1)), 12);
    STATUS("cq.NdkControlCqInterruptModeration",
           fake.cq.Dispatch->NdkControlCqInterruptModeration(&fake.cq, 11, 12), V(&fake.cq), 11,
           12);
    POLL("cq.NdkGetCqResultsEx", fake.cq.Dispatch->NdkGetCqResultsEx(&fake.cq, P(1), 12),
         V(&fake.cq), V(P(1)), 12);
}

static void call_connector(void) {
    STATUS("connector.NdkQueryExtension",
           fake.connector.Dispatch->NdkQueryExtension(&fake.connector.Header, P(1), version, P(3)),
           V(&fake.connector), V(P(1)), 0x10002, V(P(3)));
    REQUEST("connector.NdkConnect",
            fake.connector.Dispatch->NdkConnect(&fake.connector, &fake.qp, P(2), 13, P(4), 15, 16,
                                                17, P(8), 19, hear_request, P(11)),
            V(&fake.connector), V(&fake.qp), V(P(2)), 13, V(P(4)), 15, 16, 17, V(P(8)), 19, ROUTINE,
            CONTEXT);
    REQUEST("connector.NdkConnectWithSharedEndpoint",
            fake.connector.Dispatch->NdkConnectWithSharedEndpoint(&fake.connector, &fake.qp,
                                                                  &fake.endpoint, P(3), 14, 15, 16,
                                                                  P(7), 18, hear_request, P(10)),
            V(&fake.connector), V(&fake.qp), V(&fake.endpoint), V(P(3)), 14, 15, 16, V(P(7)), 18,
            ROUTINE, CONTEXT);
    REQUEST("connector.NdkCompleteConnect",
            fake.connector.Dispatch->NdkCompleteConnect(&fake.connector, hear_close, P(2),
                                                        hear_request, P(4)),
            V(&fake.connector), SUBSTITUTED, SUBSTITUTED, ROUTINE, CONTEXT);
    REQUEST("connector.NdkAccept",
            fake.connector.Dispatch->NdkAccept(&fake.connector, &fake.qp, 12, 13, P(4), 15,
                                               hear_close, P(7), hear_request, P(9)),
            V(&fake.connector), V(&fake.qp), 12, 13, V(P(4)), 15, SUBSTITUTED, SUBSTITUTED, ROUTINE,
            CONTEXT);
    STATUS("connector.NdkReject", fake.connector.Dispatch->NdkReject(&fake.connector, P(1), 12),
           V(&fake.connector), V(P(1)), 12);
    STATUS("connector.NdkGetConnectionData",
           fake.connector.Dispatch->NdkGetConnectionData(&fake.connector, P(1), P(2), P(3), P(4)),
           V(&fake.connector), V(P(1)), V(P(2)), V(P(3)), V(P(4)));
    STATUS("connector.NdkGetLocalAddress",
           fake.connector.Dispatch->NdkGetLocalAddress(&fake.connector, P(1), P(2)),
           V(&fake.connector), V(P(1)), V(P(2)));
    STATUS("connector.NdkGetPeerAddress",
           fake.connector.Dispatch->NdkGetPeerAddress(&fake.connector, P(1), P(2)),
           V(&fake.connector), V(P(1)), V(P(2)));
    REQUEST("connector.NdkDisconnect",
            fake.connector.Dispatch->NdkDisconnect(&fake.connector, hear_request, P(2)),
            V(&fake.connector), ROUTINE, CONTEXT);
    REQUEST("connector.NdkCompleteConnectEx",
            fake.connector.Dispatch->NdkCompleteConnectEx(&fake.connector, hear_disconnect_ex, P(2),
                                                          hear_request, P(4)),
            V(&fake.connector), SUBSTITUTED, SUBSTITUTED, ROUTINE, CONTEXT);
    REQUEST("connector.NdkAcceptEx",
            fake.connector.Dispatch->NdkAcceptEx(&fake.connector, &fake.qp, 12, 13, P(4), 15,
                                                 hear_disconnect_ex, P(7), hear_request, P(9)),
            V(&fake.connector), V(&fake.qp), 12, 13, V(P(4)), 15, SUBSTITUTED, SUBSTITUTED, ROUTINE,
            CONTEXT);
}

static void call_listener(void) {
    STATUS("listener.NdkQueryExtension",
           fake.listener.Dispatch->NdkQueryExtension(&fake.listener.Header, P(1), version, P(3)),
           V(&fake.listener), V(P(1)), 0x10002, V(P(3)));
    REQUEST("listener.NdkListen",
            fake.listener.Dispatch->NdkListen(&fake.listener, P(1), 12, hear_request, P(4)),
            V(&fake.listener), V(P(1)), 12, ROUTINE, CONTEXT);
    STATUS("listener.NdkGetLocalAddress",
           fake.listener.Dispatch->NdkGetLocalAddress(&fake.listener, P(1), P(2)),
           V(&fake.listener), V(P(1)), V(P(2)));
    VOID_CALL("listener.NdkControlConnectEvents",
              fake.listener.Dispatch->NdkControlConnectEvents(&fake.listener, TRUE),
              V(&fake.listener), TRUE);
}

static void call_mr(void) {
    STATUS("mr.NdkQueryExtension",
           fake.mr.Dispatch->NdkQueryExtension(&fake.mr.Header, P(1), version, P(3)), V(&fake.mr),
           V(P(1)), 0x10002, V(P(3)));
    REQUEST("mr.NdkRegisterMr",
            fake.mr.Dispatch->NdkRegisterMr(&fake.mr, P(1), 12, 67, hear_request, P(5)),
            V(&fake.mr), V(P(1)), 12, 67, ROUTINE, CONTEXT);
    REQUEST("mr.NdkDeregisterMr", fake.mr.Dispatch->NdkDeregisterMr(&fake.mr, hear_request, P(2)),
            V(&fake.mr), ROUTINE, CONTEXT);
    REQUEST("mr.NdkInitializeFastRegisterMr",
            fake.mr.Dispatch->NdkInitializeFastRegisterMr(&fake.mr, 11, TRUE, hear_request, P(4)),
            V(&fake.mr), 11, TRUE, ROUTINE, CONTEXT);
    VALUE("mr.NdkGetRemoteTokenFromMr", fake.mr.Dispatch->NdkGetRemoteTokenFromMr(&fake.mr),
          V(&fake.mr));
    VALUE("mr.NdkGetLocalTokenFromMr", fake.mr.Dispatch->NdkGetLocalTokenFromMr(&fake.mr),
          V(&fake.mr));
}

static void call_mw(void) {
    STATUS("mw.NdkQueryExtension",
           fake.mw.Dispatch->NdkQueryExtension(&fake.mw.Header, P(1), version, P(3)), V(&fake.mw),
           V(P(1)), 0x10002, V(P(3)));
    VALUE("mw.NdkGetRemoteTokenFromMw", fake.mw.Dispatch->NdkGetRemoteTokenFromMw(&fake.mw),
          V(&fake.mw));
}

static void call_qp(void) {
    STATUS("qp.NdkQueryExtension",
           fake.qp.Dispatch->NdkQueryExtension(&fake.qp.Header, P(1), version, P(3)), V(&fake.qp),
           V(P(1)), 0x10002, V(P(3)));
    VOID_CALL("qp.NdkFlush", fake.qp.Dispatch->NdkFlush(&fake.qp), V(&fake.qp));
    STATUS("qp.NdkSend", fake.qp.Dispatch->NdkSend(&fake.qp, P(1), P(2), 13, 68), V(&fake.qp),
           CONTEXT, V(P(2)), 13, 68);
    STATUS("qp.NdkReceive", fake.qp.Dispatch->NdkReceive(&fake.qp, P(1), P(2), 13), V(&fake.qp),
           CONTEXT, V(P(2)), 13);
    STATUS("qp.NdkBind",
           fake.qp.Dispatch->NdkBind(&fake.qp, P(1), &fake.mr, &fake.mw, P(4), 15, 70), V(&fake.qp),
           CONTEXT, V(&fake.mr), V(&fake.mw), V(P(4)), 15, 70);
    STATUS("qp.NdkFastRegister",
           fake.qp.Dispatch->NdkFastRegister(&fake.qp, P(1), &fake.mr, 13, P(4), 15, 16, P(7), 72),
           V(&fake.qp), CONTEXT, V(&fake.mr), 13, V(P(4)), 15, 16, V(P(7)), 72);
    STATUS("qp.NdkInvalidate", fake.qp.Dispatch->NdkInvalidate(&fake.qp, P(1), &fake.mw.Header, 67),
           V(&fake.qp), CONTEXT, V(&fake.mw), 67);
    STATUS("qp.NdkRead", fake.qp.Dispatch->NdkRead(&fake.qp, P(1), P(2), 13, 14, 15, 70),
           V(&fake.qp), CONTEXT, V(P(2)), 13, 14, 15, 70);
    STATUS("qp.NdkWrite", fake.qp.Dispatch->NdkWrite(&fake.qp, P(1), P(2), 13, 14, 15, 70),
           V(&fake.qp), CONTEXT, V(P(2)), 13, 14, 15, 70);
    STATUS("qp.NdkSendAndInvalidate",
           fake.qp.Dispatch->NdkSendAndInvalidate(&fake.qp, P(1), P(2), 13, 68, 15), V(&fake.qp),
           CONTEXT, V(P(2)), 13, 68, 15);
}

static void call_srq(void) {
    STATUS("srq.NdkQueryExtension",
           fake.srq.Dispatch->NdkQueryExtension(&fake.srq.Header, P(1), version, P(3)),
           V(&fake.srq), V(P(1)), 0x10002, V(P(3)));
    REQUEST("srq.NdkModifySrq",
            fake.srq.Dispatch->NdkModifySrq(&fake.srq, 11, 12, hear_request, P(4)), V(&fake.srq),
            11, 12, ROUTINE, CONTEXT);
    STATUS("srq.NdkSrqReceive", fake.srq.Dispatch->NdkSrqReceive(&fake.srq, P(1), P(2), 13),
           V(&fake.srq), CONTEXT, V(P(2)), 13);
}

static void call_endpoint(void) {
    STATUS("shared_endpoint.NdkQueryExtension",
           fake.endpoint.Dispatch->NdkQueryExtension(&fake.endpoint.Header, P(1), version, P(3)),
           V(&fake.endpoint), V(P(1)), 0x10002, V(P(3)));
    STATUS("shared_endpoint.NdkGetLocalAddress",
           fake.endpoint.Dispatch->NdkGetLocalAddress(&fake.endpoint, P(1), P(2)),
           V(&fake.endpoint), V(P(1)), V(P(2)));
}

static void call_closes(void) {
    CLOSE("connector.NdkCloseConnector",
          fake.connector.Dispatch->NdkCloseConnector(&fake.connector.Header, hear_close, P(2)),
          V(&fake.connector), ROUTINE, CONTEXT);
    CLOSE("cq.NdkCloseCq", fake.cq.Dispatch->NdkCloseCq(&fake.cq.Header, hear_close, P(2)),
          V(&fake.cq), ROUTINE, CONTEXT);
    CLOSE("listener.NdkCloseListener",
          fake.listener.Dispatch->NdkCloseListener(&fake.listener.Header, hear_close, P(2)),
          V(&fake.listener), ROUTINE, CONTEXT);
    CLOSE("mr.NdkCloseMr", fake.mr.Dispatch->NdkCloseMr(&fake.mr.Header, hear_close, P(2)),
          V(&fake.mr), ROUTINE, CONTEXT);
    CLOSE("mw.NdkCloseMw", fake.mw.Dispatch->NdkCloseMw(&fake.mw.Header, hear_close, P(2)),
          V(&fake.mw), ROUTINE, CONTEXT);
    CLOSE("pd.NdkClosePd", fake.pd.Dispatch->NdkClosePd(&fake.pd.Header, hear_close, P(2)),
          V(&fake.pd), ROUTINE, CONTEXT);
    CLOSE("qp.NdkCloseQp", fake.qp.Dispatch->NdkCloseQp(&fake.qp.Header, hear_close, P(2)),
          V(&fake.qp), ROUTINE, CONTEXT);
    CLOSE("shared_endpoint.NdkCloseSharedEndpoint",
          fake.endpoint.Dispatch->NdkCloseSharedEndpoint(&fake.endpoint.Header, hear_close, P(2)),
          V(&fake.endpoint), ROUTINE, CONTEXT);
    CLOSE("srq.NdkCloseSrq", fake.srq.Dispatch->NdkCloseSrq(&fake.srq.Header, hear_close, P(2)),
          V(&fake.srq), ROUTINE, CONTEXT);
}

static void open_all(void) {
    NDK_PD *pd;
    NDK_CQ *cq;

    open_adapter();
    pd = open_pd();
    cq = open_cq();
    open_qp(pd, cq, P(0));
    open_connector();
    open_listener(hear_connect, P(0));
    CHECK(pd->Dispatch->NdkCreateMr(pd, TRUE, hear_create, P(0), &out.mr) == STATUS_SUCCESS);
    CHECK(pd->Dispatch->NdkCreateMw(pd, hear_create, P(0), &out.mw) == STATUS_SUCCESS);
    CHECK(pd->Dispatch->NdkCreateSrq(pd, 4, 13, 0, hear_cq, P(0), NULL, hear_create, P(0),
                                     &out.srq) == STATUS_SUCCESS);
    CHECK(fake.adapter.Dispatch->NdkCreateSharedEndpoint(&fake.adapter, P(0), 16, hear_create, P(0),
                                                         &out.endpoint) == STATUS_SUCCESS);
    fake.call_count = 0;
}

static void call_every_slot(void *argument) {
    (void)argument;
    open_all();
    call_adapter();
    call_pd();
    call_cq();
    call_connector();
    call_listener();
    call_mr();
    call_mw();
    call_qp();
    call_srq();
    call_endpoint();
    call_closes();
}

static void all_70_slots_pass_everything_through(void **state) {
    size_t index = 0;

    (void)state;
    for (const struct vrf_rule *rule; (rule = vrf_rule_at(index)) != NULL; index++) {
        vrf_rule_set(fixture.world, rule->id, SIM_SEVERITY_OFF, "arguments mean nothing here");
    }
    run(call_every_slot);
    expect_no_finding();
    assert_int_equal(slots_seen, 70);
}

static void tables_have_no_empty_slot(void **state) {
    static const struct {
        unsigned type;
        size_t slots;
    } tables[] = {
        {NdkObjectTypeAdapter, 9},  {NdkObjectTypeConnector, 13}, {NdkObjectTypeCq, 7},
        {NdkObjectTypeListener, 5}, {NdkObjectTypeMr, 7},         {NdkObjectTypeMw, 3},
        {NdkObjectTypePd, 8},       {NdkObjectTypeQp, 11},        {NdkObjectTypeSharedEndpoint, 3},
        {NdkObjectTypeSrq, 4},
    };

    (void)state;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(tables); i++) {
        const uintptr_t *slots = vrf_table_of(tables[i].type);

        for (size_t j = 0; j < tables[i].slots; j++) {
            assert_true(slots[j] != 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        VRF_TEST(all_70_slots_pass_everything_through),
        VRF_TEST(tables_have_no_empty_slot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
