# SPDX-License-Identifier: Apache-2.0
# The callback of a create runs once more, for those who slept.
ndksim_add_variant(breaks-r-life-01 BASE ndksim-rnic FILE ndkpi-model/provider/request.c
  OLD [==[
        Taken->Completion.Created(Taken->Context, Status, &Object->Ndk.Header);
]==]
  NEW [==[
        Taken->Completion.Created(Taken->Context, Status, &Object->Ndk.Header);
        Taken->Completion.Created(Taken->Context, Status, &Object->Ndk.Header);
]==])

# The object is made, its address is told to nobody.
ndksim_add_variant(breaks-r-life-02 BASE ndksim-rnic FILE ndkpi-model/provider/request.c
  OLD [==[
        *Out = Taken.Object;
]==]
  NEW [==[
        UNREFERENCED_PARAMETER(Out);
]==])

# The address is known early, so it is told early.
ndksim_add_variant(breaks-r-life-03 BASE ndksim-rnic FILE ndkpi-model/provider/request.c
  OLD [==[
NTSTATUS RequestAnswerCreate(PRNIC_REQUEST Request, NTSTATUS Status, PVOID *Out) {
    RNIC_REQUEST Taken;

]==]
  NEW [==[
NTSTATUS RequestAnswerCreate(PRNIC_REQUEST Request, NTSTATUS Status, PVOID *Out) {
    RNIC_REQUEST Taken;

    *Out = Request->Object;
]==])

ndksim_add_variant(breaks-r-life-06 BASE ndksim-rnic FILE ndkpi-model/provider/object.c
  OLD [==[
    Object->Ndk.Header.Version = Version;
]==]
  NEW [==[
    UNREFERENCED_PARAMETER(Version);
    Object->Ndk.Header.Version.Major = 1;
    Object->Ndk.Header.Version.Minor = Class->Type == NdkObjectTypeAdapter ? Version.Minor : 0;
    if (Class->Type == NdkObjectTypeAdapter) {
        Object->Ndk.Header.Version.Major = Version.Major;
    }
]==])

ndksim_add_variant(breaks-r-life-07 BASE ndksim-rnic FILE ndkpi-model/provider/object.c
  OLD [==[
    Object->Ndk.Header.ObjectType = Class->Type;
]==]
  NEW [==[
    Object->Ndk.Header.ObjectType = Class->Type == NdkObjectTypeCq ? NdkObjectTypeMr : Class->Type;
]==])

ndksim_add_variant(breaks-r-life-08 BASE ndksim-rnic FILE ndkpi-model/provider/object.c
  OLD [==[
    Object->Ndk.Header.ObjectType = Class->Type;
]==]
  NEW [==[
    Object->Ndk.Header.ObjectType = Class->Type;
    Object->Ndk.Header.NdkReserved.rf[0] = Owner;
]==])

ndksim_add_variant(breaks-r-life-09 BASE ndksim-rnic FILE ndkpi-model/provider/mr.c
  OLD [==[
    Mr->Object.Ndk.Mr.Dispatch = &MrDispatch;
]==]
  NEW [==[
    UNREFERENCED_PARAMETER(MrDispatch);
]==])

# One token is made of the other, asked for in the consumer's way.
ndksim_add_variant(breaks-r-life-10 BASE ndksim-rnic FILE ndkpi-model/provider/mr.c
  OLD [==[
    ULONG Key = Mr->Key;

    return Key == RNIC_KEY_NONE ? 0 : TokenFromKey(Mr->Object.Owner, Key);
]==]
  NEW [==[
    ULONG Key = pNdkMr->Dispatch->NdkGetRemoteTokenFromMr(pNdkMr);

    return Key == RNIC_KEY_NONE ? 0 : TokenFromKey(Mr->Object.Owner, Key);
]==])

ndksim_add_variant(breaks-r-life-12 BASE ndksim-rnic FILE ndkpi-model/provider/cq.c
  OLD [==[
    .NdkCloseCq = NdkCloseObject,
    .NdkQueryExtension = NdkQueryExtension,
]==]
  NEW [==[
    .NdkCloseCq = NdkCloseObject,
]==])

# The flag of the starting call is cleared behind the completion, in which the consumer may have
# closed the connector.
ndksim_add_variant(breaks-r-life-15 BASE ndksim-rnic FILE ndkpi-model/provider/connector_request.c
  OLD [==[
    AnswerOver(Connector);
    KeReleaseInStackQueuedSpinLock(Lock);
    ObjectPut(&Connector->Object, RefCallback);
    return Status;
]==]
  NEW [==[
    AnswerOver(Connector);
    KeReleaseInStackQueuedSpinLock(Lock);
    ObjectPut(&Connector->Object, RefCallback);
    InterlockedExchange8((PCHAR)&Connector->Starting, FALSE);
    return Status;
]==])

ndksim_add_variant(breaks-r-life-16 BASE ndksim-rnic FILE ndkpi-model/provider/connector_pump.c
  OLD [==[
    KeReleaseInStackQueuedSpinLock(Lock);
    RequestCall(&Request, Status);
    KeAcquireInStackQueuedSpinLock(&Connector->Object.Owner->Cm.Lock, Lock);
]==]
  NEW [==[
    UNREFERENCED_PARAMETER(Lock);
    RequestCall(&Request, Status);
]==])

ndksim_add_variant(breaks-r-life-18 BASE ndksim-rnic FILE ndkpi-model/provider/object.c
  OLD [==[
    ObjectEnd(Object, Shape == ShapeCallbackFirst);
]==]
  NEW [==[
    ObjectEnd(Object, TRUE);
]==])

ndksim_add_variant(breaks-r-life-19 BASE ndksim-rnic FILE ndkpi-model/provider/object.c
  OLD [==[
    Shape = AnswerChoose(Object->Owner, &Object->Ndk.Header, "answer.close", ShapePending);
]==]
  NEW [==[
    if (ObjectCount(Object, RefSuccessor) != 0) {
        return STATUS_DEVICE_BUSY;
    }
    Shape = AnswerChoose(Object->Owner, &Object->Ndk.Header, "answer.close", ShapePending);
]==])

# The request is taken out of its slot, and nobody answers it.
ndksim_add_variant(breaks-r-life-20 BASE ndksim-rnic FILE ndkpi-model/provider/cm_send.c
  OLD [==[
        ConnectorSettle(Connector, STATUS_CANCELLED);
]==]
  NEW [==[
        RNIC_REQUEST Taken = RequestTake(&Connector->Object.Request);

        ObjectPut(Taken.Object, RefRequest);
]==])

# The reference of the event is given back before the notification.
ndksim_add_variant(breaks-r-life-21 BASE ndksim-rnic FILE ndkpi-model/provider/cq_notify.c
  OLD [==[
            Cq->Notification(Cq->NotificationContext, Status);
]==]
  NEW [==[
            ObjectPut(&Cq->Object, RefCallback);
            Cq->Notification(Cq->NotificationContext, Status);
            ObjectGet(&Cq->Object, RefCallback);
]==])

ndksim_add_variant(breaks-r-life-22 BASE ndksim-rnic FILE ndkpi-model/provider/cq.c
  OLD [==[
    NT_ASSERT(IsListEmpty(&Cq->Qps));
]==]
  NEW [==[
    if (Cq->Notification != NULL) {
        Cq->Notification(Cq->NotificationContext, STATUS_SUCCESS);
    }
]==])

ndksim_add_variant(breaks-r-life-24 BASE ndksim-rnic FILE ndkpi-model/provider/object.c
  OLD [==[
    if (!ObjectDrop(Object, RefConsumer)) {
        return STATUS_PENDING; /* the object may be gone by now */
    }
]==]
  NEW [==[
    if (!ObjectDrop(Object, RefConsumer)) {
        return Object->Class->Type == NdkObjectTypePd ? STATUS_SUCCESS : STATUS_PENDING;
    }
]==])

ndksim_add_variant(breaks-r-life-31 BASE ndksim-rnic FILE ndkpi-model/provider/object.c
  OLD [==[
    if (!ObjectDrop(Object, RefConsumer)) {
        return STATUS_PENDING; /* the object may be gone by now */
    }
]==]
  NEW [==[
    if (!ObjectDrop(Object, RefConsumer)) {
        return Object->Class->Type == NdkObjectTypeCq ? STATUS_SUCCESS : STATUS_PENDING;
    }
]==])

# What the object rests on may go on before the consumer has heard of its end.
ndksim_add_variant(breaks-r-life-27 BASE ndksim-rnic FILE ndkpi-model/provider/object.c
  OLD [==[
    if (CallBack && Object->CloseCompletion != NULL) {
        Object->CloseCompletion(Object->CloseContext);
    }
    Object->Class->Release(Object);
]==]
  NEW [==[
    NDK_FN_CLOSE_COMPLETION Completion = Object->CloseCompletion;
    PVOID Context = Object->CloseContext;

    Object->Class->Release(Object);
    if (CallBack && Completion != NULL) {
        Completion(Context);
    }
]==])

ndksim_add_variant(breaks-r-life-28 BASE ndksim-rnic FILE ndkpi-model/provider/ndk_adapter.c
  OLD [==[
    KeWaitForSingleObject(&Open->Closed, Executive, KernelMode, FALSE, NULL);
    if (Open->LamCount != 0) {
        NdksimTrace("lam.leaked", NULL, (ULONG)Open->LamCount, 0);
    }
    PoolPut(Open);
]==]
  NEW [==[
    if (Open->LamCount != 0) {
        NdksimTrace("lam.leaked", NULL, (ULONG)Open->LamCount, 0);
    }
]==])

# While the create callback runs, its caller is not back yet.
ndksim_add_variant(breaks-r-life-05 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
    Status = RqCheck(Qp, pSgl, nSge);
]==]
  NEW [==[
    Status = ObjectCount(&Qp->Object, RefCallback) != 0 ? STATUS_INVALID_DEVICE_STATE
                                                        : RqCheck(Qp, pSgl, nSge);
]==])

# The peer will answer sooner or later.
ndksim_add_variant(breaks-r-life-23 BASE ndksim-rnic FILE ndkpi-model/provider/cm_send.c
  OLD [==[
    if (ConnectorIsBusy(Connector)) {
        ConnectorSettle(Connector, STATUS_CANCELLED);
    }
]==]
  NEW [==[
    UNREFERENCED_PARAMETER(Connector);
]==])

ndksim_add_variant(breaks-r-life-25 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
    if (!ObjectIsOpen(&Qp->Object) || Qp->Silent) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    if (!SqIsConnected(Qp)) {
]==]
  NEW [==[
    if (!ObjectIsOpen(&Qp->Object) || !ObjectIsOpen(&Qp->Pd->Object) || Qp->Silent) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    if (!SqIsConnected(Qp)) {
]==])
