/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter: one routine for each verb, one after the other. */
#include "script.h"

STEP_ROUTINE *CONST Verbs[SCRIPT_VERBS] = {
    [SCRIPT_VERB_WSK_REGISTER] = StepWskRegister,
    [SCRIPT_VERB_WSK_CAPTURE] = StepWskCapture,
    [SCRIPT_VERB_WSK_QUERY] = StepWskQuery,
    [SCRIPT_VERB_WSK_CONTROL] = StepWskControl,
    [SCRIPT_VERB_WSK_RELEASE] = StepWskRelease,
    [SCRIPT_VERB_WSK_DEREGISTER] = StepWskDeregister,
    [SCRIPT_VERB_OPEN_ADAPTER] = StepOpenAdapter,
    [SCRIPT_VERB_CLOSE_ADAPTER] = StepCloseAdapter,
    [SCRIPT_VERB_QUERY_ADAPTER_INFO] = StepQueryAdapterInfo,
    [SCRIPT_VERB_QUERY_EXTENSION] = StepQueryExtension,
    [SCRIPT_VERB_CREATE_CQ] = StepCreateCq,
    [SCRIPT_VERB_CREATE_PD] = StepCreatePd,
    [SCRIPT_VERB_CREATE_SHARED_ENDPOINT] = StepCreateSharedEndpoint,
    [SCRIPT_VERB_CREATE_CONNECTOR] = StepCreateConnector,
    [SCRIPT_VERB_CREATE_LISTENER] = StepCreateListener,
    [SCRIPT_VERB_CREATE_MR] = StepCreateMr,
    [SCRIPT_VERB_CREATE_MW] = StepCreateMw,
    [SCRIPT_VERB_CREATE_SRQ] = StepCreateSrq,
    [SCRIPT_VERB_CREATE_QP] = StepCreateQp,
    [SCRIPT_VERB_CREATE_QP_WITH_SRQ] = StepCreateQpWithSrq,
    [SCRIPT_VERB_CLOSE] = StepClose,
    [SCRIPT_VERB_BUILD_LAM] = StepBuildLam,
    [SCRIPT_VERB_RELEASE_LAM] = StepReleaseLam,
    [SCRIPT_VERB_REGISTER_MR] = StepRegisterMr,
    [SCRIPT_VERB_DEREGISTER_MR] = StepDeregisterMr,
    [SCRIPT_VERB_INITIALIZE_FAST_REGISTER_MR] = StepInitializeFastRegisterMr,
    [SCRIPT_VERB_GET_LOCAL_TOKEN] = StepGetLocalToken,
    [SCRIPT_VERB_GET_REMOTE_TOKEN] = StepGetRemoteToken,
    [SCRIPT_VERB_GET_PRIVILEGED_TOKEN] = StepGetPrivilegedToken,
    [SCRIPT_VERB_ARM_CQ] = StepArmCq,
    [SCRIPT_VERB_GET_CQ_RESULTS] = StepGetCqResults,
    [SCRIPT_VERB_GET_CQ_RESULTS_EX] = StepGetCqResultsEx,
    [SCRIPT_VERB_RESIZE_CQ] = StepResizeCq,
    [SCRIPT_VERB_CONTROL_CQ_INTERRUPT_MODERATION] = StepControlCqInterruptModeration,
    [SCRIPT_VERB_MODIFY_SRQ] = StepModifySrq,
    [SCRIPT_VERB_SRQ_RECEIVE] = StepSrqReceive,
    [SCRIPT_VERB_FLUSH] = StepFlush,
    [SCRIPT_VERB_SEND] = StepSend,
    [SCRIPT_VERB_SEND_AND_INVALIDATE] = StepSendAndInvalidate,
    [SCRIPT_VERB_RECEIVE] = StepReceive,
    [SCRIPT_VERB_READ] = StepRead,
    [SCRIPT_VERB_WRITE] = StepWrite,
    [SCRIPT_VERB_BIND] = StepBind,
    [SCRIPT_VERB_FAST_REGISTER] = StepFastRegister,
    [SCRIPT_VERB_INVALIDATE] = StepInvalidate,
    [SCRIPT_VERB_LISTEN] = StepListen,
    [SCRIPT_VERB_CONTROL_CONNECT_EVENTS] = StepControlConnectEvents,
    [SCRIPT_VERB_CONNECT] = StepConnect,
    [SCRIPT_VERB_CONNECT_WITH_SHARED_ENDPOINT] = StepConnectWithSharedEndpoint,
    [SCRIPT_VERB_COMPLETE_CONNECT] = StepCompleteConnect,
    [SCRIPT_VERB_COMPLETE_CONNECT_EX] = StepCompleteConnectEx,
    [SCRIPT_VERB_ACCEPT] = StepAccept,
    [SCRIPT_VERB_ACCEPT_EX] = StepAcceptEx,
    [SCRIPT_VERB_REJECT] = StepReject,
    [SCRIPT_VERB_DISCONNECT] = StepDisconnect,
    [SCRIPT_VERB_GET_CONNECTION_DATA] = StepGetConnectionData,
    [SCRIPT_VERB_GET_LOCAL_ADDRESS] = StepGetLocalAddress,
    [SCRIPT_VERB_GET_PEER_ADDRESS] = StepGetPeerAddress,
    [SCRIPT_VERB_WAIT] = StepWait,
    [SCRIPT_VERB_EXPECT_RESULT] = StepExpectResult,
    [SCRIPT_VERB_EXPECT_NONE] = StepExpectNone,
    [SCRIPT_VERB_REQUIRE] = StepRequire,
    [SCRIPT_VERB_FAIL] = StepFail,
    [SCRIPT_VERB_CHECK] = StepCheck,
    [SCRIPT_VERB_ALLOCATE] = StepAllocate,
    [SCRIPT_VERB_FILL] = StepFill,
    [SCRIPT_VERB_COMPARE] = StepCompare,
    [SCRIPT_VERB_PEEK] = StepPeek,
    [SCRIPT_VERB_READ_OFFER] = StepReadOffer,
    [SCRIPT_VERB_FREE] = StepFree,
    [SCRIPT_VERB_SLEEP] = StepSleep,
    [SCRIPT_VERB_STALL] = StepStall,
    [SCRIPT_VERB_SPIN] = StepSpin,
    [SCRIPT_VERB_LOOP] = StepLoop,
    [SCRIPT_VERB_WHILE] = StepWhile,
    [SCRIPT_VERB_IF] = StepIf,
    [SCRIPT_VERB_CHOOSE] = StepChoose,
    [SCRIPT_VERB_STOP] = StepStop,
    [SCRIPT_VERB_SIGNAL] = StepSignal,
    [SCRIPT_VERB_IRQL] = StepIrql,
    [SCRIPT_VERB_CPU] = StepCpu,
    [SCRIPT_VERB_LOCK] = StepLock,
    [SCRIPT_VERB_DPC] = StepDpc,
    [SCRIPT_VERB_WORK_ITEM] = StepWorkItem,
    [SCRIPT_VERB_SET] = StepSet,
    [SCRIPT_VERB_COUNTER] = StepCounter,
    [SCRIPT_VERB_LOG] = StepLog,
    [SCRIPT_VERB_TRACE] = StepTrace,
    [SCRIPT_VERB_CLEANUP] = StepCleanup,
    [SCRIPT_VERB_SWAP_DISPATCH] = StepSwapDispatch,
    [SCRIPT_VERB_WRITE_RESERVED] = StepWriteReserved,
};

static VOID WhenRun(CONST STEP *Step) {
    CONST ARG *At = ArgFind(Step, SCRIPT_MEMBER_AT);
    CONST ARG *After = ArgFind(Step, SCRIPT_MEMBER_AFTER);

    if (After != NULL) {
        SleepNs(ArgValue(After));
    }
    if (At != NULL) {
        ULONG64 Now = NowNs();

        SleepNs(ArgValue(At) > Now ? ArgValue(At) - Now : 0);
    }
}

BOOLEAN BlockRun(PRUN Run, ULONG Block) {
    CONST struct script_block *Steps = &Script.Blocks[Block];
    BOOLEAN Holds = TRUE;
    ULONG Index;

    NT_ASSERT(Run->Depth < SCRIPT_DEPTH_MAX);
    Run->Depth++;
    for (Index = 0; Index < Steps->step_count && Holds; Index++) {
        CONST STEP *Step = &Script.Steps[Steps->step_first + Index];

        WhenRun(Step);
        Holds = Verbs[Step->verb](Run, Step);
    }
    Run->Depth--;
    return Holds;
}
