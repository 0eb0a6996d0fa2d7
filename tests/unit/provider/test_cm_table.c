/* SPDX-License-Identifier: Apache-2.0 */
/* The transition table as a whole: what every state must know, and where the states lead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cm_table.c"

#define ACTIONS(X)                                                                                 \
    X(ActIgnore)                                                                                   \
    X(ActResolve)                                                                                  \
    X(ActUnreachable)                                                                              \
    X(ActResolveClosed)                                                                            \
    X(ActSendReq)                                                                                  \
    X(ActResend)                                                                                   \
    X(ActExtend)                                                                                   \
    X(ActTakeRep)                                                                                  \
    X(ActRefused)                                                                                  \
    X(ActConnectTimedOut)                                                                          \
    X(ActConnectClosed)                                                                            \
    X(ActMraRep)                                                                                   \
    X(ActRejectRep)                                                                                \
    X(ActPeerAbandoned)                                                                            \
    X(ActStartActive)                                                                              \
    X(ActConnected)                                                                                \
    X(ActCompleteFailed)                                                                           \
    X(ActCompleteAborted)                                                                          \
    X(ActCompleteClosed)                                                                           \
    X(ActResendRtu)                                                                                \
    X(ActSendMra)                                                                                  \
    X(ActStartPassive)                                                                             \
    X(ActSendRep)                                                                                  \
    X(ActRejectReq)                                                                                \
    X(ActRefuseReq)                                                                                \
    X(ActAcceptFailed)                                                                             \
    X(ActAcceptAborted)                                                                            \
    X(ActAcceptTimedOut)                                                                           \
    X(ActAcceptClosed)                                                                             \
    X(ActStartSending)                                                                             \
    X(ActAccepted)                                                                                 \
    X(ActAcceptedHeld)                                                                             \
    X(ActAcceptedNotice)                                                                           \
    X(ActAcceptedAborted)                                                                          \
    X(ActAcceptedBroken)                                                                           \
    X(ActAcceptedForgotten)                                                                        \
    X(ActFirstMessage)                                                                             \
    X(ActSendDreq)                                                                                 \
    X(ActResendDreq)                                                                               \
    X(ActStartDraining)                                                                            \
    X(ActDrainMore)                                                                                \
    X(ActNotice)                                                                                   \
    X(ActGraceful)                                                                                 \
    X(ActGracefulAnswer)                                                                           \
    X(ActEndAborted)                                                                               \
    X(ActEndTimedOut)                                                                              \
    X(ActDrainTimedOut)                                                                            \
    X(ActEndBroken)                                                                                \
    X(ActEndForgotten)                                                                             \
    X(ActAbortedByPeer)                                                                            \
    X(ActBroken)                                                                                   \
    X(ActForgotten)                                                                                \
    X(ActFlushedBroken)                                                                            \
    X(ActDisconnectBroken)                                                                         \
    X(ActFlushed)                                                                                  \
    X(ActCloseConnected)                                                                           \
    X(ActCloseBroken)                                                                              \
    X(ActCloseNoticed)

static RNIC_CM_ACTION *last_action;
#define ACTION_BODY(name)                                                                          \
    VOID name(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {                         \
        (void)Connector;                                                                           \
        (void)Message;                                                                             \
        last_action = name;                                                                        \
    }
ACTIONS(ACTION_BODY)

static unsigned cancelled;
static unsigned left;
static unsigned traced;

VOID CmTimerCancel(PRNIC_CM_TIMER Timer) {
    (void)Timer;
    cancelled++;
}

VOID CmLeave(PRNIC_CONNECTOR Connector) {
    (void)Connector;
    left++;
}

VOID NdksimTrace(PCSTR Event, PVOID Object, ULONG64 A, ULONG64 B) {
    (void)Event;
    (void)Object;
    (void)A;
    (void)B;
    traced++;
}

ULONG DbgPrint(PCSTR Format, ...) {
    (void)Format;
    return 0;
}

VOID NTAPI RtlAssert(PVOID Text, PVOID File, ULONG Line, PSTR Message) {
    (void)Message;
    mock_assert(0, Text, File, (int)Line);
}

static const RNIC_CM_EVENT from_wire[] = {EvMra,  EvRep,       EvRtu,  EvRej,
                                          EvDreq, EvDreqAbort, EvDrep, EvDrepAbort};

static bool is_passive_only(RNIC_CM_STATE state) {
    return state == CmReqRcvd || state == CmMraReqSent;
}

static void a_connector_in_conversation_knows_every_message(void **state) {
    (void)state;
    for (unsigned s = 0; s < CmStateCount; s++)
        for (unsigned e = 0; e < sizeof from_wire / sizeof *from_wire; e++)
            if (!IsOver[s] && Transition[s][from_wire[e]].Action == NULL)
                fail_msg("%s in %s", CmEventName(from_wire[e]), CmStateName((RNIC_CM_STATE)s));
}

static void every_state_knows_the_close_and_then_it_is_over(void **state) {
    (void)state;
    for (unsigned s = 0; s < CmStateCount; s++) {
        assert_non_null(Transition[s][EvClose].Action);
        assert_true(Transition[s][EvClose].Next == CmEnded ||
                    Transition[s][EvClose].Next == CmFlushing);
    }
}

static void only_states_with_a_timer_know_its_events(void **state) {
    (void)state;
    for (unsigned s = 0; s < CmStateCount; s++) {
        assert_int_equal(Transition[s][EvTimeout].Action != NULL, IsTimed[s]);
        assert_int_equal(Transition[s][EvTimedOut].Action != NULL, IsTimed[s]);
    }
}

/* A QP is tied to every state but those before an accept. */
static void every_state_with_a_qp_knows_what_the_device_tells(void **state) {
    (void)state;
    for (unsigned s = 0; s < CmStateCount; s++) {
        if (is_passive_only((RNIC_CM_STATE)s))
            continue;
        if (Transition[s][EvQpError].Action == NULL || Transition[s][EvCommEst].Action == NULL)
            fail_msg("%s", CmStateName((RNIC_CM_STATE)s));
    }
}

static void every_state_is_reached(void **state) {
    (void)state;
    bool reached[CmStateCount] = {[CmIdle] = true, [CmReqRcvd] = true};
    for (unsigned round = 0; round < CmStateCount; round++)
        for (unsigned s = 0; s < CmStateCount; s++)
            for (unsigned e = 0; reached[s] && e < EvCount; e++)
                if (Transition[s][e].Action != NULL)
                    reached[Transition[s][e].Next] = true;
    for (unsigned s = 0; s < CmStateCount; s++)
        assert_true(reached[s]);
}

static void nothing_leads_out_of_the_end(void **state) {
    (void)state;
    for (unsigned e = 0; e < EvCount; e++)
        if (Transition[CmEnded][e].Action != NULL)
            assert_int_equal(Transition[CmEnded][e].Next, CmEnded);
}

static void walk(RNIC_CM_STATE from, const RNIC_CM_EVENT *events, size_t count,
                 RNIC_CM_STATE expected) {
    RNIC_CONNECTOR connector = {.State = (UCHAR)from};
    for (size_t i = 0; i < count; i++)
        CmStep(&connector, events[i], NULL);
    assert_string_equal(CmStateName((RNIC_CM_STATE)connector.State), CmStateName(expected));
}
#define WALK(from, to, ...)                                                                        \
    walk(from, (const RNIC_CM_EVENT[]){__VA_ARGS__},                                               \
         sizeof((RNIC_CM_EVENT[]){__VA_ARGS__}) / sizeof(RNIC_CM_EVENT), to)

static void both_sides_come_up_and_go_down(void **state) {
    (void)state;
    WALK(CmIdle, CmEstablished, EvConnect, EvTimeout, EvMra, EvRep, EvCompleteConnect, EvRtrDone,
         EvRtsDone);
    WALK(CmReqRcvd, CmEstablished, EvReqAgain, EvAccept, EvRtrDone, EvTimeout, EvRtu, EvRtsDone);
    WALK(CmReqRcvd, CmEstablished, EvAccept, EvRtrDone, EvCommEst, EvRtu, EvRtsDone);
    WALK(CmEstablished, CmEnded, EvDisconnect, EvTimeout, EvDrep, EvErrDone);
    WALK(CmEstablished, CmEnded, EvDreq, EvDisconnect, EvErrDone);
    WALK(CmEstablished, CmEnded, EvDisconnectBusy, EvTimeout, EvDrained, EvDreq, EvErrDone);
    WALK(CmReqRcvd, CmDreqRcvd, EvAccept, EvRtrDone, EvDreq, EvRtsDone);
}

static void ends_of_commands_come_in_any_order(void **state) {
    (void)state;
    WALK(CmIdle, CmEstablished, EvConnect, EvRep, EvCompleteConnect, EvRtsDone, EvRtrDone);
    WALK(CmEstablished, CmDreqSent, EvDisconnect, EvRtrDone);
    WALK(CmEstablished, CmDreqRcvd, EvDreq, EvRtrDone);
}

static void nobody_is_asked_in_vain(void **state) {
    (void)state;
    WALK(CmIdle, CmResolving, EvConnectNobody, EvTimeout);
    WALK(CmIdle, CmIdle, EvConnectNobody, EvTimeout, EvTimedOut);
    assert_ptr_equal(last_action, ActUnreachable);
    WALK(CmReqRcvd, CmEnded, EvRefuse, EvClose);
}

static void who_may_not_send_first_is_connected_all_the_same(void **state) {
    (void)state;
    WALK(CmReqRcvd, CmEstablished, EvAccept, EvRtrDone, EvRtuHeld);
    assert_ptr_equal(last_action, ActAcceptedHeld);
    WALK(CmEstablished, CmEstablished, EvRtuHeld, EvCommEst, EvRtsDone);
    WALK(CmEstablished, CmDreqSent, EvCommEst, EvDisconnect, EvRtsDone);
    WALK(CmReqRcvd, CmDreqRcvd, EvAccept, EvRtrDone, EvMra, EvRtuHeld, EvDreq);
}

static void an_abort_is_flushed_before_it_is_told(void **state) {
    (void)state;
    WALK(CmEstablished, CmBreaking, EvQpError);
    WALK(CmEstablished, CmBroken, EvDreqAbort, EvErrDone);
    assert_ptr_equal(last_action, ActFlushedBroken);
    WALK(CmBroken, CmEnded, EvDisconnect, EvErrDone);
}

static void leaving_cancels_the_timer_and_the_conversation(void **state) {
    (void)state;
    RNIC_CONNECTOR connector = {.State = CmReqSent};
    cancelled = left = traced = 0;
    CmStep(&connector, EvTimeout, NULL);
    assert_int_equal(cancelled + left + traced, 0);
    CmStep(&connector, EvRej, NULL);
    assert_int_equal(cancelled, 1);
    assert_int_equal(left, 1);
    assert_int_equal(traced, 1);
}

static void an_event_without_an_entry_is_loud(void **state) {
    (void)state;
    RNIC_CONNECTOR connector = {.State = CmIdle};
    expect_assert_failure(CmStep(&connector, EvAccept, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_connector_in_conversation_knows_every_message),
        cmocka_unit_test(every_state_knows_the_close_and_then_it_is_over),
        cmocka_unit_test(only_states_with_a_timer_know_its_events),
        cmocka_unit_test(every_state_with_a_qp_knows_what_the_device_tells),
        cmocka_unit_test(every_state_is_reached),
        cmocka_unit_test(nothing_leads_out_of_the_end),
        cmocka_unit_test(both_sides_come_up_and_go_down),
        cmocka_unit_test(ends_of_commands_come_in_any_order),
        cmocka_unit_test(nobody_is_asked_in_vain),
        cmocka_unit_test(who_may_not_send_first_is_connected_all_the_same),
        cmocka_unit_test(an_abort_is_flushed_before_it_is_told),
        cmocka_unit_test(leaving_cancels_the_timer_and_the_conversation),
        cmocka_unit_test(an_event_without_an_entry_is_loud),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
