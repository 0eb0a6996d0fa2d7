# SPDX-License-Identifier: Apache-2.0
# NdkReject asks for patience, but there is no callback that could end it.
ndksim_add_variant(breaks-r-cmpl-09 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_passive.c
  OLD [==[
        Connector->RejectPrivateBytes = 0;
        Status = Fault;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
]==]
  NEW [==[
        Connector->RejectPrivateBytes = 0;
        Status = STATUS_PENDING;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
]==])

# What was half made is shown to the consumer.
ndksim_add_variant(breaks-r-cmpl-12 BASE ndksim-rnic FILE ndkpi-model/provider/request.c
  OLD [==[
        Taken->Completion.Created(Taken->Context, Status, NULL);
]==]
  NEW [==[
        Taken->Completion.Created(Taken->Context, Status, &Object->Ndk.Header);
]==])

ndksim_add_variant(breaks-r-cmpl-01 BASE ndksim-rnic FILE ndkpi-model/provider/request.c
  OLD [==[
        Taken->Completion.Done(Taken->Context, Status);
]==]
  NEW [==[
        Taken->Completion.Done(Taken->Context, Status);
        Taken->Completion.Done(Taken->Context, Status);
]==])

# The answer is given twice over: by the routine and by the call.
ndksim_add_variant(breaks-r-cmpl-02 BASE ndksim-rnic FILE ndkpi-model/provider/request.c
  OLD [==[
    Taken = RequestTake(Request);
    ObjectPut(Taken.Object, RefRequest);
    return Status;
]==]
  NEW [==[
    Taken = RequestTake(Request);
    Taken.Completion.Done(Taken.Context, Status);
    ObjectPut(Taken.Object, RefRequest);
    return Status;
]==])

ndksim_add_variant(breaks-r-cmpl-04 BASE ndksim-rnic FILE ndkpi-model/provider/request.c
  OLD [==[
        Taken->Completion.Done(Taken->Context, Status);
]==]
  NEW [==[
        Taken->Completion.Done(Object, Status);
]==])

ndksim_add_variant(breaks-r-cmpl-05 BASE ndksim-rnic FILE ndkpi-model/provider/request.c
  OLD [==[
        Taken->Completion.Done(Taken->Context, Status);
]==]
  NEW [==[
        KIRQL Irql;

        KeRaiseIrql(HIGH_LEVEL, &Irql);
        Taken->Completion.Done(Taken->Context, Status);
        KeLowerIrql(Irql);
]==])

ndksim_add_variant(breaks-r-cmpl-06 BASE ndksim-rnic FILE ndkpi-model/provider/request.c
  OLD [==[
        Taken->Completion.Done(Taken->Context, Status);
]==]
  NEW [==[
        Taken->Completion.Done(Taken->Context, NT_SUCCESS(Status) ? Status : STATUS_UNSUCCESSFUL);
]==])
