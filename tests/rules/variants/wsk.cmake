# SPDX-License-Identifier: Apache-2.0
# Does not wait for what is being closed, and leaves the adapter lying about for it.
ndksim_add_variant(breaks-r-wsk-06 BASE ndksim-rnic FILE ndkpi-model/provider/ndk_adapter.c
  OLD [==[
    KeWaitForSingleObject(&Open->Closed, Executive, KernelMode, FALSE, NULL);
]==]
  NEW [==[
    if (KeReadStateEvent(&Open->Closed) == 0) {
        InterlockedDecrement(&Adapter->OpenCount);
        return;
    }
]==])
