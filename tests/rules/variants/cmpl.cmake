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
        Taken->Created(Taken->Context, Status, NULL);
]==]
  NEW [==[
        Taken->Created(Taken->Context, Status, &Object->Ndk.Header);
]==])
