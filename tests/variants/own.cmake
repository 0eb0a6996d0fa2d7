# SPDX-License-Identifier: Apache-2.0
# Bugs of our own making, in the provider and in smb-direct. Included by CMakeLists.txt, which then
# has the names in own_variants.
set(own_variants
  field-045 field-049 field-056 field-076 overlapping-notifications due-lost arm-forgotten
  event-unheld mr-told-early turn-lost srq-tag-reused error-twice flush-twice
  timer-cancelled-late hide-after-free join-missing timer-in-flight
  count-lost-2 count-lost-3)

# ---- Of the field, in the provider ----

# 045: data on a connection whose last message was lost is no sign that it stands.
ndksim_add_variant(field-045 BASE ndksim-rnic FILE ndkpi-model/provider/cm.c
  OLD [==[
    CmQpEvent(Qp, EvCommEst, 0);
]==]
  NEW [==[
    UNREFERENCED_PARAMETER(Qp);
]==])

# 049: what is posted behind a flush is not told to the device, which has been told to cancel.
ndksim_add_variant(field-049 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
    if (!SqHolds(Post)) {
        QpRingSq(Qp);
    }
]==]
  NEW [==[
    if (!SqHolds(Post) && Qp->Phase < QpFlushing) {
        QpRingSq(Qp);
    }
]==])

# 056: the connector is the consumer's in the connect event, and is looked at behind it.
ndksim_add_variant(field-056 BASE ndksim-rnic FILE ndkpi-model/provider/listener.c
  OLD [==[
        Listener->ConnectEvent(Listener->ConnectEventContext, &Connector->Object.Ndk.Connector);
        KeAcquireInStackQueuedSpinLock(&Listener->Object.Owner->Cm.Lock, Lock);
]==]
  NEW [==[
        Listener->ConnectEvent(Listener->ConnectEventContext, &Connector->Object.Ndk.Connector);
        KeAcquireInStackQueuedSpinLock(&Listener->Object.Owner->Cm.Lock, Lock);
        InterlockedExchange8((PCHAR)&Connector->Unheard, FALSE);
]==])

# 076: a QP with a shared receive queue is gone while results of it stand in the queue as the device
# wrote them.
ndksim_add_variant(field-076 BASE ndksim-rnic FILE ndkpi-model/provider/qp.c
  OLD [==[
    CqResolve(Cq);
    CqForget(Cq, Link->Qp);
]==]
  NEW [==[
    if (Link->Qp->Srq == NULL) {
        CqResolve(Cq);
    }
    CqForget(Cq, Link->Qp);
]==])

# ---- Order ----

# A second notification begins while the first one runs.
ndksim_add_variant(overlapping-notifications BASE ndksim-rnic
  FILE ndkpi-model/provider/cq_notify.c
  OLD [==[
    if (Cq->Due && !Cq->Notifying) {
]==]
  NEW [==[
    if (Cq->Due) {
]==])

# The consumer is told of a registration before the region has its key.
ndksim_add_variant(mr-told-early BASE ndksim-rnic FILE ndkpi-model/provider/mr_register.c
  OLD [==[
    PRNIC_MR Mr = Command->Context;
    NTSTATUS Status = MrRegisterEnd(Mr);

    RequestComplete(&Mr->Object.Request, Status);
]==]
  NEW [==[
    PRNIC_MR Mr = Command->Context;

    RequestComplete(&Mr->Object.Request, CommandNtStatus(Command->Status));
    MrRegisterEnd(Mr);
]==])

# ---- Windows ----

# An arm that is met while the callback runs is taken for the one that the callback is for.
ndksim_add_variant(due-lost BASE ndksim-rnic FILE ndkpi-model/provider/cq_notify.c
  OLD [==[
        Cq->Due = FALSE;
        CqResolve(Cq);
        Cq->Notified = Cq->Visible;
]==]
  NEW [==[
        CqResolve(Cq);
        Cq->Notified = Cq->Visible;
]==]
  OLD2 [==[
        KeAcquireInStackQueuedSpinLock(&Cq->Lock, Lock);
    }
    Cq->Notifying = FALSE;
]==]
  NEW2 [==[
        KeAcquireInStackQueuedSpinLock(&Cq->Lock, Lock);
        Cq->Due = FALSE;
    }
    Cq->Notifying = FALSE;
]==])

# An event of the device that is older than the arm uses up the arm that is asked for because of it.
ndksim_add_variant(arm-forgotten BASE ndksim-rnic FILE ndkpi-model/provider/cq_notify.c
  OLD [==[
    if (FromDevice) {
        Cq->DeviceArm = RNIC_ARM_NONE;
    }
    CqJudge(Cq);
]==]
  NEW [==[
    CqJudge(Cq);
    if (FromDevice) {
        Cq->DeviceArm = RNIC_ARM_NONE;
    }
]==])

# Whether somebody waits for his turn is looked at before the lock is taken.
ndksim_add_variant(turn-lost BASE ndksim-rnic FILE ndkpi-model/provider/turn.c
  OLD [==[
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(Turns->Lock, &Lock);
    if (IsListEmpty(&Turns->Waiting)) {
]==]
  NEW [==[
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Nobody = IsListEmpty(&Turns->Waiting);

    KeAcquireInStackQueuedSpinLock(Turns->Lock, &Lock);
    if (Nobody) {
]==])

# The device's event finds the queue, and lets it go before it is dealt with.
ndksim_add_variant(event-unheld BASE ndksim-rnic FILE ndkpi-model/provider/dpc.c
  OLD [==[
        CqDeviceEvent(Cq);
    }
    ObjectPut(&Cq->Object, RefCallback);
]==]
  NEW [==[
        ObjectPut(&Cq->Object, RefCallback);
        CqDeviceEvent(Cq);
        return;
    }
    ObjectPut(&Cq->Object, RefCallback);
]==])

# Whether a flush is under way is asked, then said: two flushes use one command.
ndksim_add_variant(flush-twice BASE ndksim-rnic FILE ndkpi-model/provider/qp_state.c
  OLD [==[
    if (InterlockedExchange(&Qp->FlushUnderWay, 1) != 0) {
        return;
    }
]==]
  NEW [==[
    if (InterlockedOr(&Qp->FlushUnderWay, 0) != 0) {
        return;
    }
    InterlockedExchange(&Qp->FlushUnderWay, 1);
]==])

# A timer that has expired is acted on when somebody may have cancelled it already.
ndksim_add_variant(timer-cancelled-late BASE ndksim-rnic FILE ndkpi-model/provider/cm_timer.c
  OLD [==[
        CmTimerCancel(Head);
        Head->Expired(Head);
]==]
  NEW [==[
        CmTimerCancel(Head);
        KeReleaseInStackQueuedSpinLock(&Lock);
        KeAcquireInStackQueuedSpinLock(&Cm->Lock, &Lock);
        Head->Expired(Head);
]==])

# ---- Free and reuse ----

# The slot of a receive is free before its context has been read.
ndksim_add_variant(srq-tag-kept BASE ndksim-rnic FILE ndkpi-model/provider/srq_post.c
  OLD [==[
    Srq->Slots[Tag - 1].Context = NULL;
    Srq->Slots[Tag - 1].Next = Srq->FreeTag;
]==]
  NEW [==[
    Srq->Slots[Tag - 1].Next = Srq->FreeTag;
]==])
ndksim_add_variant(srq-tag-reused BASE srq-tag-kept FILE ndkpi-model/provider/qp_complete.c
  OLD [==[
    To->Result.RequestContext = QpContextOf(Qp, &From);
]==]
  NEW [==[
    if (Receive && Qp->Srq != NULL && Qp->Object.Owner->Settings.StrictSlots == 0) {
        SrqSlotFree(Qp->Srq, (ULONG)From.tag);
    }
    To->Result.RequestContext = QpContextOf(Qp, &From);
]==]
  OLD2 [==[
    if (Receive && Qp->Object.Owner->Settings.StrictSlots == 0) {
]==]
  NEW2 [==[
    if (Receive && Qp->Srq == NULL && Qp->Object.Owner->Settings.StrictSlots == 0) {
]==])

# The command that takes a QP to its error state is given again while the device has it.
ndksim_add_variant(error-twice BASE ndksim-rnic FILE ndkpi-model/provider/connector_qp.c
  OLD [==[
    if (Connector->ErrUnderWay) {
        return;
    }
    Connector->ErrUnderWay = TRUE;
]==]
  NEW [==[
    Connector->ErrUnderWay = TRUE;
]==])

# ---- Deep: one window after the other ----

# A reference is counted by comparing and exchanging, for so many tries; then nobody can be in the
# way any more. Who is makes a count that is lost: so many others must come, each in a window of his
# own.
foreach(tries 2 3)
  ndksim_add_variant(count-lost-${tries} BASE ndksim-rnic FILE ndkpi-model/provider/object.c
    OLD [==[
    LONG64 After = InterlockedAdd64(&Object->References, RefUnit(Kind));

    NT_ASSERT(After != RefUnit(Kind) || Object->State == ObjectRetiring);
]==]
    NEW "
    LONG64 Before = ReadNoFence64(&Object->References);
    LONG64 After = Before + RefUnit(Kind);
    ULONG Try;

    for (Try = 0;; Try++) {
        LONG64 Found;

        if (Try == ${tries}) {
            InterlockedExchange64(&Object->References, After);
            break;
        }
        Found = InterlockedCompareExchange64(&Object->References, After, Before);
        if (Found == Before) {
            break;
        }
        Before = Found;
        After = Before + RefUnit(Kind);
    }
    NT_ASSERT(After != RefUnit(Kind) || Object->State == ObjectRetiring);
")
endforeach()

# ---- In smb-direct ----

# A connection can be found until it is gone, and a little longer.
ndksim_add_variant(hide-after-free BASE smb-direct-server
  FILE consumers/smb-direct/server_connection.c
  OLD [==[
    ConnectionHide(Entry);
    MiniServerDeinit(&Entry->Mini);
    SmbdFree(Connection);
]==]
  NEW [==[
    MiniServerDeinit(&Entry->Mini);
    SmbdFree(Connection);
    ConnectionHide(Entry);
]==])

# The driver goes when its workers have said that they are done, not when they are gone.
ndksim_add_variant(join-missing BASE smb-direct-client FILE consumers/smb-direct/client.c
  OLD [==[
        ThreadJoin(Driver->Workers[Index].Thread);
]==]
  NEW [==[
        if (Driver->Workers[Index].Thread != NULL) {
            ObDereferenceObject(Driver->Workers[Index].Thread);
        }
]==])

# The next attempt begins while the limit of the last one is on its way.
ndksim_add_variant(timer-in-flight BASE smb-direct-client FILE consumers/smb-direct/smbd_path.c
  OLD [==[
    if (Path->State == PathClearing && Path->Connector == NULL && !Path->IsCreating &&
        !Path->IsTimerOut) {
]==]
  NEW [==[
    if (Path->State == PathClearing && Path->Connector == NULL && !Path->IsCreating) {
]==])
