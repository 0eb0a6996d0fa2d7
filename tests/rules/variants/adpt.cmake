# SPDX-License-Identifier: Apache-2.0
# What is too new is taken for the newest.
ndksim_add_variant(breaks-r-adpt-01 BASE ndksim-rnic FILE ndkpi-model/provider/ndk_adapter.c
  OLD [==[
    if (Wanted.Major < Settings->NdkMajorMin || Wanted.Major > Settings->NdkMajorMax) {
]==]
  NEW [==[
    Wanted.Major = min(Wanted.Major, 2);
    if (Wanted.Major < Settings->NdkMajorMin || Wanted.Major > Settings->NdkMajorMax) {
]==])

# The minor is the wanted one.
ndksim_add_variant(breaks-r-adpt-02 BASE ndksim-rnic FILE ndkpi-model/provider/ndk_adapter.c
  OLD [==[
    return Wanted.Minor <= Chosen->Minor;
]==]
  NEW [==[
    if (Wanted.Minor > Chosen->Minor) {
        return FALSE;
    }
    Chosen->Minor = Wanted.Minor;
    return TRUE;
]==])

ndksim_add_variant(breaks-r-adpt-03 BASE ndksim-rnic FILE ndkpi-model/provider/ndk_adapter.c
  OLD [==[
    return Wanted.Minor <= Chosen->Minor;
]==]
  NEW [==[
    return TRUE;
]==])

# 1.1 works, 1.2 does not.
ndksim_add_variant(breaks-r-adpt-04 BASE ndksim-rnic FILE ndkpi-model/provider/ndk_adapter.c
  OLD [==[
    return Wanted.Minor <= Chosen->Minor;
]==]
  NEW [==[
    return Wanted.Minor < Chosen->Minor;
]==])

ndksim_add_variant(breaks-r-adpt-05 BASE ndksim-rnic FILE ndkpi-model/provider/ndk_adapter.c
  OLD [==[
        return NDIS_STATUS_ADAPTER_NOT_READY;
]==]
  NEW [==[
        return NDIS_STATUS_FAILURE;
]==])

# One at a time.
ndksim_add_variant(breaks-r-adpt-06 BASE ndksim-rnic FILE ndkpi-model/provider/ndk_adapter.c
  OLD [==[
    InterlockedIncrement(&Adapter->OpenCount);
]==]
  NEW [==[
    if (InterlockedIncrement(&Adapter->OpenCount) > 1) {
        InterlockedDecrement(&Adapter->OpenCount);
        return NDIS_STATUS_RESOURCES;
    }
]==])

# The first close turns the adapter off for all.
ndksim_add_variant(breaks-r-adpt-07 BASE ndksim-rnic FILE ndkpi-model/provider/ndk_adapter.c
  OLD [==[
    PoolPut(Open);
    InterlockedDecrement(&Adapter->OpenCount);
]==]
  NEW [==[
    PoolPut(Open);
    Adapter->Enabled = 0;
    InterlockedDecrement(&Adapter->OpenCount);
]==])

ndksim_add_variant(breaks-r-adpt-08 BASE ndksim-rnic FILE ndkpi-model/provider/ndk_adapter.c
  OLD [==[
        return STATUS_BUFFER_TOO_SMALL;
]==]
  NEW [==[
        return STATUS_INVALID_PARAMETER;
]==])

ndksim_add_variant(breaks-r-adpt-10 BASE ndksim-rnic FILE ndkpi-model/provider/cq.c
  OLD [==[
    if (CqDepth == 0 || CqDepth > Adapter->Info.MaxCqDepth) {
]==]
  NEW [==[
    if (CqDepth == 0 || CqDepth >= Adapter->Info.MaxCqDepth) {
]==])

# A deeper CQ than NDIS was told of.
ndksim_add_variant(breaks-r-adpt-12 BASE ndksim-rnic FILE ndkpi-model/provider/ndk_adapter.c
  OLD [==[
    pInfo->Version = Open->Object.Ndk.Header.Version;
]==]
  NEW [==[
    pInfo->Version = Open->Object.Ndk.Header.Version;
    pInfo->MaxCqDepth *= 2;
]==])

ndksim_add_variant(breaks-r-adpt-09 BASE ndksim-rnic FILE ndkpi-model/provider/extension.c
  OLD [==[
        return STATUS_NOT_SUPPORTED;
]==]
  NEW [==[
        return STATUS_INVALID_PARAMETER;
]==])

# Advertises loopback and refuses it.
ndksim_add_variant(breaks-r-adpt-11 BASE ndksim-rnic FILE ndkpi-model/provider/connector_active.c
  OLD [==[
    if (AddressIsOfThisNode(Adapter, &Connect->PeerIp) && Adapter->Settings.Loopback == 0) {
]==]
  NEW [==[
    if (AddressIsOfThisNode(Adapter, &Connect->PeerIp)) {
]==])

# Says yes, and gives nothing.
ndksim_add_variant(breaks-r-adpt-15 BASE ndksim-rnic FILE ndkpi-model/provider/extension.c
  OLD [==[
    pExtensionInterface->Dispatch = &HoldersDispatch;
]==]
  NEW [==[
    if (pExtensionInterface == NULL) {
        pExtensionInterface->Dispatch = &HoldersDispatch;
    }
]==])
