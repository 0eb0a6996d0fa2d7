# SPDX-License-Identifier: Apache-2.0
# An arm is not taken back when it is met.
ndksim_add_variant(breaks-r-cq-02 BASE ndksim-rnic FILE ndkpi-model/provider/cq_notify.c
  OLD [==[
        Cq->Armed = RNIC_CQ_UNARMED;
        Cq->Due = TRUE;
]==]
  NEW [==[
        CqArmDevice(Cq);
        Cq->Due = TRUE;
]==])

# Arms look from where the queue ends now.
ndksim_add_variant(breaks-r-cq-03 BASE ndksim-rnic FILE ndkpi-model/provider/cq_notify.c
  OLD [==[
    return Cq->Object.Owner->Settings.ArmFiresOnOld != 0 ? Cq->Consumed : Cq->Notified;
]==]
  NEW [==[
    return Cq->Resolved;
]==])

# Whoever finds an arm met calls, also while a notification runs.
ndksim_add_variant(breaks-r-cq-05 BASE ndksim-rnic FILE ndkpi-model/provider/cq_notify.c
  OLD [==[
    if (Cq->Due && !Cq->Notifying) {
]==]
  NEW [==[
    if (Cq->Due) {
]==])

# The last arm replaces the one before it.
ndksim_add_variant(breaks-r-cq-06 BASE ndksim-rnic FILE ndkpi-model/provider/cq_notify.c
  OLD [==[
    [NDK_CQ_NOTIFY_ANY] = {NDK_CQ_NOTIFY_ANY, NDK_CQ_NOTIFY_ANY, NDK_CQ_NOTIFY_ANY},
]==]
  NEW [==[
    [NDK_CQ_NOTIFY_ANY] = {NDK_CQ_NOTIFY_ERRORS, NDK_CQ_NOTIFY_ANY, NDK_CQ_NOTIFY_SOLICITED},
]==])

# The device is armed for solicited completions instead of any.
ndksim_add_variant(breaks-r-cq-07 BASE ndksim-rnic FILE ndkpi-model/provider/cq_notify.c
  OLD [==[
        Arm = RNIC_ARM_ANY;
]==]
  NEW [==[
        Arm = RNIC_ARM_SOLICITED;
]==])

# A failure of the CQ meets the other arms only.
ndksim_add_variant(breaks-r-cq-08 BASE ndksim-rnic FILE ndkpi-model/provider/cq_notify.c
  OLD [==[
    if (CqFaultOwed(Cq)) {
        return TRUE;
    }
]==]
  NEW [==[
    if (CqFaultOwed(Cq) && Cq->Armed != NDK_CQ_NOTIFY_ERRORS) {
        return TRUE;
    }
]==])

# The sender's flag is not looked at.
ndksim_add_variant(breaks-r-cq-09 BASE ndksim-rnic FILE ndkpi-model/provider/qp_complete.c
  OLD [==[
    To->Solicits = (From.flags & RNIC_CQE_FLAG_SOLICITED) != 0 || From.status != RNIC_CQE_OK;
]==]
  NEW [==[
    To->Solicits = From.status != RNIC_CQE_OK;
]==])

# What fails does not count as solicited.
ndksim_add_variant(breaks-r-cq-10 BASE ndksim-rnic FILE ndkpi-model/provider/qp_complete.c
  OLD [==[
    To->Solicits = (From.flags & RNIC_CQE_FLAG_SOLICITED) != 0 || From.status != RNIC_CQE_OK;
]==]
  NEW [==[
    To->Solicits = (From.flags & RNIC_CQE_FLAG_SOLICITED) != 0;
]==])

# Who arms ERRORS gets what SOLICITED would.
ndksim_add_variant(breaks-r-cq-11 BASE ndksim-rnic FILE ndkpi-model/provider/cq_notify.c
  OLD [==[
    Cq->Armed = ArmCombined[Cq->Armed][Type];
]==]
  NEW [==[
    Cq->Armed = ArmCombined[Cq->Armed][Type == NDK_CQ_NOTIFY_ERRORS ? NDK_CQ_NOTIFY_SOLICITED
                                                                    : Type];
]==])

# A failure is passed on with a status of its own.
ndksim_add_variant(breaks-r-cq-12 BASE ndksim-rnic FILE ndkpi-model/provider/dpc.c
  OLD [==[
        CqFault(Cq, Event->status == RNIC_CQ_FAULT_OVERRUN ? STATUS_BUFFER_OVERFLOW
                                                           : STATUS_INTERNAL_ERROR);
]==]
  NEW [==[
        CqFault(Cq, STATUS_DEVICE_DATA_ERROR);
]==])

# The connections of a failed CQ stay up.
ndksim_add_variant(breaks-r-cq-13 BASE ndksim-rnic FILE ndkpi-model/provider/qp_state.c
  OLD [==[
    QpSetPhase(Qp, QpFlushing);
    CmQpError(Qp, Syndrome);
]==]
  NEW [==[
    QpSetPhase(Qp, QpFlushing);
    if (Syndrome != RNIC_SYNDROME_CQ) {
        CmQpError(Qp, Syndrome);
    }
]==])

# The limit is not kept.
ndksim_add_variant(breaks-r-cq-15 BASE ndksim-rnic FILE ndkpi-model/provider/cq.c
  OLD [==[
    if (CqDepth == 0 || CqDepth > Adapter->Info.MaxCqDepth) {
]==]
  NEW [==[
    if (CqDepth == 0 || CqDepth > 2u * Adapter->Info.MaxCqDepth) {
]==])

# The last record asked for is written, though there is no result for it.
ndksim_add_variant(breaks-r-cq-17 BASE ndksim-rnic FILE ndkpi-model/provider/cq_poll.c
  OLD [==[
    Count = CqReady(Cq, nResults);
    for (i = 0; i < Count; i++) {
        const RNIC_RESOLVED *From = (const RNIC_RESOLVED *)CqEntry(Cq, Cq->Consumed + i);
]==]
  NEW [==[
    Count = CqReady(Cq, nResults);
    Results[nResults - 1].Status = (NTSTATUS)0x5A5A5A5A;
    for (i = 0; i < Count; i++) {
        const RNIC_RESOLVED *From = (const RNIC_RESOLVED *)CqEntry(Cq, Cq->Consumed + i);
]==])

# The extended poll gives one result at a time.
ndksim_add_variant(breaks-r-cq-18 BASE ndksim-rnic FILE ndkpi-model/provider/cq_poll.c
  OLD [==[
    Count = CqReady(Cq, nResults);
    for (i = 0; i < Count; i++) {
        ResultStore(&Results[i], CqEntry(Cq, Cq->Consumed + i), HasErrorCode);
]==]
  NEW [==[
    Count = CqReady(Cq, min(nResults, 1u));
    for (i = 0; i < Count; i++) {
        ResultStore(&Results[i], CqEntry(Cq, Cq->Consumed + i), HasErrorCode);
]==])

# The limit is not kept.
ndksim_add_variant(breaks-r-cq-19 BASE ndksim-rnic FILE ndkpi-model/provider/cq_resize.c
  OLD [==[
    if (CqDepth == 0 || CqDepth > Adapter->Info.MaxCqDepth) {
]==]
  NEW [==[
    if (CqDepth == 0) {
]==])

# Nothing holds the CQ while its notification runs.
ndksim_add_variant(breaks-r-cq-21 BASE ndksim-rnic FILE ndkpi-model/provider/dpc.c
  OLD [==[
        CqDeviceEvent(Cq);
    }
    ObjectPut(&Cq->Object, RefCallback);
}
]==]
  NEW [==[
        ObjectPut(&Cq->Object, RefCallback);
        CqDeviceEvent(Cq);
        return;
    }
    ObjectPut(&Cq->Object, RefCallback);
}
]==])

# New CQs are armed.
ndksim_add_variant(breaks-r-cq-22 BASE ndksim-rnic FILE ndkpi-model/provider/cq.c
  OLD [==[
        Cq->Created = TRUE;
        CqTableAdd(Cq);
]==]
  NEW [==[
        Cq->Created = TRUE;
        CqTableAdd(Cq);
        NdkArmCq(&Cq->Object.Ndk.Cq, NDK_CQ_NOTIFY_ANY);
]==])

# Inside of a notification there are no results.
ndksim_add_variant(breaks-r-cq-23 BASE ndksim-rnic FILE ndkpi-model/provider/cq_poll.c
  OLD [==[
    if (Cq->Visible - Cq->Consumed < Wanted) {
        CqResolve(Cq);
    }
]==]
  NEW [==[
    if (Cq->Notifying) {
        return 0;
    }
    if (Cq->Visible - Cq->Consumed < Wanted) {
        CqResolve(Cq);
    }
]==])

# The notification carries the provider's own CQ.
ndksim_add_variant(breaks-r-cq-25 BASE ndksim-rnic FILE ndkpi-model/provider/cq_notify.c
  OLD [==[
            Cq->Notification(Cq->NotificationContext, Status);
]==]
  NEW [==[
            Cq->Notification(Cq, Status);
]==])

# Results carry the context of the first QP on the CQ.
ndksim_add_variant(breaks-r-cq-26 BASE ndksim-rnic FILE ndkpi-model/provider/qp_complete.c
  OLD [==[
    To->Result.QPContext = Qp->Context;
]==]
  NEW [==[
    To->Result.QPContext =
        CONTAINING_RECORD(Qp->ReceiveCq->Qps.Flink, RNIC_QP_LINK, Link)->Qp->Context;
]==])
