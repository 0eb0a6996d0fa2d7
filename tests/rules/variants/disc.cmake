# SPDX-License-Identifier: Apache-2.0

# Every end is an abort.
ndksim_add_variant(breaks-r-disc-01 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm_send.c
  OLD [==[
    CmEncodeDreq(Mad, &Connector->Ids, Connector->PeerQpn, FALSE);
]==]
  NEW [==[
    CmEncodeDreq(Mad, &Connector->Ids, Connector->PeerQpn, TRUE);
]==])

# The notice is answered for the consumer.
ndksim_add_variant(breaks-r-disc-02 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm_end.c
  OLD [==[
VOID ActNotice(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
]==]
  NEW [==[
VOID ActNotice(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    CmSendDrep(Connector, FALSE);
]==])

# Who is silent has nothing against it.
ndksim_add_variant(breaks-r-disc-03 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm_end.c
  OLD [==[
    LingerWait(Connector, TRUE);
    FlushForDisconnect(Connector, STATUS_IO_TIMEOUT);
]==]
  NEW [==[
    LingerWait(Connector, TRUE);
    FlushForDisconnect(Connector, STATUS_SUCCESS);
]==])

# A disconnect that drains is complete for its consumer.
ndksim_add_variant(breaks-r-disc-04 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_end.c
  OLD [==[
    CmStep(Connector, Busy ? EvDisconnectBusy : EvDisconnect, NULL);
]==]
  NEW [==[
    CmStep(Connector, Busy ? EvDisconnectBusy : EvDisconnect, NULL);
    if (Connector->State == CmDraining) {
        /* The rest is ours. */
        ConnectorSettle(Connector, STATUS_SUCCESS);
    }
]==])

# Nothing is left over after an orderly end.
ndksim_add_variant(breaks-r-disc-05 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm_end.c
  OLD [==[
    CmDown(Connector);
    QpSetPhase(Connector->Qp, QpFlushing);
    ConnectorToErr(Connector);
}

VOID ActGraceful(]==]
  NEW [==[
    CmDown(Connector);
    QpSetPhase(Connector->Qp, QpFlushing);
    CmStep(Connector, EvErrDone, NULL);
}

VOID ActGraceful(]==])

# The notice cancels what waits.
ndksim_add_variant(breaks-r-disc-10 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm_end.c
  OLD [==[
VOID ActNotice(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
]==]
  NEW [==[
VOID ActNotice(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    NdkFlush(&Connector->Qp->Object.Ndk.Qp);
]==])

# The peer is not told of a close.
ndksim_add_variant(breaks-r-disc-15 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm_end.c
  OLD [==[
    UNREFERENCED_PARAMETER(Message);
    LingerAsk(Connector, CloseIsAbort(Connector));
]==]
  NEW [==[
    UNREFERENCED_PARAMETER(Message);
]==])

# What was cancelled speaks for itself.
ndksim_add_variant(breaks-r-disc-06 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm_end.c
  OLD [==[
    QpAbortOver(Connector->Qp);
    RaiseEvent(Connector, Connector->Reason);
]==]
  NEW [==[
    QpAbortOver(Connector->Qp);
]==])

# Every turn of the end is told.
ndksim_add_variant(breaks-r-disc-07 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm_end.c
  OLD [==[
    if (!Connector->EventRaised) {
]==]
  NEW [==[
    if (ObjectIsOpen(&Connector->Object)) {
]==])

# A peer that does not answer is gone, and that is an event.
ndksim_add_variant(breaks-r-disc-09 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm_end.c
  OLD [==[
VOID ActResendDreq(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
]==]
  NEW [==[
VOID ActResendDreq(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    ConnectorUpcall(Connector, RNIC_UPCALL_EVENT);
]==])

# A disconnect is complete when the notice is sent; the rest goes on as before.
ndksim_add_variant(breaks-r-disc-12 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_end.c
  OLD [==[
    if (Fault) {
        DisconnectTimesOut(Connector);
    }
]==]
  NEW [==[
    if (Connector->State == CmDreqSent) {
        /* The peer will hear of it. */
        ConnectorSettle(Connector, STATUS_SUCCESS);
    }
]==])

# The context that is at hand.
ndksim_add_variant(breaks-r-disc-14 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_pump.c
  OLD [==[
    PVOID Context = Connector->EventContext;
]==]
  NEW [==[
    PVOID Context = Connector->Object.CloseContext;
]==])
