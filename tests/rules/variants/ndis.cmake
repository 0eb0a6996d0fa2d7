# SPDX-License-Identifier: Apache-2.0
# Registered from DriverEntry, when the time for it is over.
ndksim_add_variant(breaks-r-ndis-01 BASE ndksim-rnic FILE ndkpi-model/provider/driver.c
  OLD [==[
    return NdisMRegisterMiniportDriver(DriverObject, RegistryPath, NULL, &Characteristics,
                                       &MiniportDriverHandle);
]==]
  NEW [==[
    Characteristics.SetOptionsHandler = NULL;
    if (NdisMRegisterMiniportDriver(DriverObject, RegistryPath, NULL, &Characteristics,
                                    &MiniportDriverHandle) != NDIS_STATUS_SUCCESS) {
        return STATUS_UNSUCCESSFUL;
    }
    return MiniportSetOptions(MiniportDriverHandle, NULL);
]==])

ndksim_add_variant(breaks-r-ndis-02 BASE ndksim-rnic FILE ndkpi-model/provider/driver.c
  OLD [==[
    Characteristics.OpenNDKAdapterHandler = OpenNdkAdapter;
]==]
  NEW [==[
    Characteristics.Flags = 1;
    Characteristics.OpenNDKAdapterHandler = OpenNdkAdapter;
]==])

# Nobody walks the table of ports.
ndksim_add_variant(breaks-r-ndis-03 BASE ndksim-rnic FILE ndkpi-model/provider/oid.c
  OLD [==[
        return OidQueryEndpoints(Adapter, Request);
]==]
  NEW [==[
        return NDIS_STATUS_NOT_SUPPORTED;
]==])

ndksim_add_variant(breaks-r-ndis-04 BASE ndksim-rnic FILE ndkpi-model/provider/adapter_init.c
  OLD [==[
    Attributes.NDKAttributes.Header.Revision = NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES_REVISION_1;
]==]
  NEW [==[
    Attributes.NDKAttributes.Header.Revision = 0;
]==])

# What is disabled has no capabilities.
ndksim_add_variant(breaks-r-ndis-05 BASE ndksim-rnic FILE ndkpi-model/provider/adapter_init.c
  OLD [==[
    Attributes.NDKAttributes.NdkCapabilities = &Adapter->Capabilities;
]==]
  NEW [==[
    Attributes.NDKAttributes.NdkCapabilities = Adapter->Enabled ? &Adapter->Capabilities : NULL;
]==])

ndksim_add_variant(breaks-r-ndis-06 BASE ndksim-rnic FILE ndkpi-model/provider/adapter_info.c
  OLD [==[
    Capabilities->Header.Revision = NDIS_NDK_CAPABILITIES_REVISION_1;
]==]
  NEW [==[
    Capabilities->Header.Revision = 0;
]==])

# A limit of 0 is taken as it stands: there may be no reads at all.
ndksim_add_variant(breaks-r-ndis-07 BASE ndksim-rnic FILE ndkpi-model/provider/connector_active.c
  OLD [==[
    Connector->OutboundLimit = (UCHAR)min(Connect->Outbound, Info->MaxOutboundReadLimit);
]==]
  NEW [==[
    Connector->OutboundLimit = (UCHAR)min(
        Connect->Outbound, Connector->Object.Owner->Capabilities.MaxOutboundReadLimit);
]==])

# Once on, always on.
ndksim_add_variant(breaks-r-ndis-09 BASE ndksim-rnic FILE ndkpi-model/provider/oid.c
  OLD [==[
    AdapterChangeState(Adapter, Enable);
]==]
  NEW [==[
    AdapterChangeState(Adapter, TRUE);
]==])

ndksim_add_variant(breaks-r-ndis-10 BASE ndksim-rnic FILE ndkpi-model/provider/oid.c
  OLD [==[
    if (Request->DATA.SET_INFORMATION.InformationBufferLength != sizeof(BOOLEAN)) {
]==]
  NEW [==[
    if (Request->DATA.SET_INFORMATION.InformationBufferLength < sizeof(BOOLEAN)) {
]==])

# The change is made first, and the request answered behind it.
ndksim_add_variant(breaks-r-ndis-11 BASE ndksim-rnic FILE ndkpi-model/provider/oid.c
  OLD [==[
    Request->DATA.SET_INFORMATION.BytesRead = sizeof(BOOLEAN);
    return NDIS_STATUS_SUCCESS;
]==]
  NEW [==[
    Request->DATA.SET_INFORMATION.BytesRead = sizeof(BOOLEAN);
    NdisMOidRequestComplete(Adapter->MiniportHandle, Request, NDIS_STATUS_SUCCESS);
    return NDIS_STATUS_PENDING;
]==])

# No work item: the event comes from within the handler.
ndksim_add_variant(breaks-r-ndis-12 BASE ndksim-rnic FILE ndkpi-model/provider/adapter_state.c
  OLD [==[
        ExQueueWorkItem(&Adapter->State.Work, DelayedWorkQueue);
]==]
  NEW [==[
        StateWork(Adapter);
]==])

ndksim_add_variant(breaks-r-ndis-13 BASE ndksim-rnic FILE ndkpi-model/provider/adapter_state.c
  OLD [==[
    NdisMNetPnPEvent(Adapter->MiniportHandle, &Event);
]==]
  NEW [==[
    Event.NetPnPEvent.Buffer = &Enable;
    Event.NetPnPEvent.BufferLength = sizeof(Enable);
    NdisMNetPnPEvent(Adapter->MiniportHandle, &Event);
]==])

# A device that fails is mended behind everybody's back.
ndksim_add_variant(breaks-r-ndis-15 BASE ndksim-rnic FILE ndkpi-model/provider/adapter_state.c
  OLD [==[
    return Adapter->State.Wanted && !Adapter->State.Removed && Adapter->Lost == 0 &&
           !Adapter->State.ResetWanted;
]==]
  NEW [==[
    return Adapter->State.Wanted;
]==])

# The keyword is not asked for.
ndksim_add_variant(breaks-r-ndis-16 BASE ndksim-rnic FILE ndkpi-model/provider/settings.c
  OLD [==[
    X("*NetworkDirect", NetworkDirect, 1, 0, 1, "0: NDK cannot be enabled.") \
]==]
  NEW [==[
    X("NetworkDirectNot", NetworkDirect, 1, 0, 1, "0: NDK cannot be enabled.") \
]==])

# Both ends of a connection are the own one.
ndksim_add_variant(breaks-r-ndis-17 BASE ndksim-rnic FILE ndkpi-model/provider/oid_ndk.c
  OLD [==[
        IpToInet(&Connector->PeerIp, Connector->PeerPort, &To->Remote);
]==]
  NEW [==[
        IpToInet(&Connector->LocalIp, Connector->LocalPort, &To->Remote);
]==])

ndksim_add_variant(breaks-r-ndis-18 BASE ndksim-rnic FILE ndkpi-model/provider/oid_ndk.c
  OLD [==[
    To->Listener = Endpoint->Kind == EndpointOfListener;
]==]
  NEW [==[
    To->Listener = FALSE;
]==])

# The TCP entry says more than addresses.
ndksim_add_variant(breaks-r-ndis-19 BASE ndksim-rnic FILE ndkpi-model/provider/oid_ndk.c
  OLD [==[
            To[1].Remote = To->Remote;
]==]
  NEW [==[
            To[1].Remote = To->Remote;
            To[1].UserModeOwner = FALSE;
]==])

# A size beyond 65535 loses its upper half.
ndksim_add_variant(breaks-r-ndis-20 BASE ndksim-rnic FILE ndkpi-model/provider/oid_ndk.c
  OLD [==[
    Header->Size = (USHORT)min(Bytes, MAXUSHORT);
]==]
  NEW [==[
    Header->Size = (USHORT)Bytes;
]==])

ndksim_add_variant(breaks-r-ndis-21 BASE ndksim-rnic FILE ndkpi-model/provider/oid_ndk.c
  OLD [==[
    Info->CounterSet = Adapter->Counters;
]==]
  NEW [==[
    Info->CounterSet = Adapter->Counters;
    Info->CounterSet.Reserved07 = 1;
]==])

ndksim_add_variant(breaks-r-ndis-22 BASE ndksim-rnic FILE ndkpi-model/provider/oid.c
  OLD [==[
    return OidRequest->DATA.QUERY_INFORMATION.Oid == OID_NDK_STATISTICS
]==]
  NEW [==[
    return OidRequest->DATA.QUERY_INFORMATION.Oid == OID_GEN_STATISTICS
]==])

# Who connects counts nothing.
ndksim_add_variant(breaks-r-ndis-23 BASE ndksim-rnic FILE ndkpi-model/provider/cm_establish.c
  OLD [==[
    AdapterCount(&CmAdapter(Connector)->Counters.Connect);
]==]
  NEW [==[
]==])

# Counted up, never down.
ndksim_add_variant(breaks-r-ndis-24 BASE ndksim-rnic FILE ndkpi-model/provider/cm_send.c
  OLD [==[
        CmAdapter(Connector)->Counters.ActiveConnection--;
]==]
  NEW [==[
]==])

ndksim_add_variant(breaks-r-ndis-25 BASE ndksim-rnic FILE ndkpi-model/provider/cq_notify.c
  OLD [==[
        AdapterCount(&Cq->Object.Owner->Counters.CQError);
]==]
  NEW [==[
]==])

# Without layer 2.
ndksim_add_variant(breaks-r-ndis-26 BASE ndksim-rnic FILE ndkpi-model/provider/oid_ndk.c
  OLD [==[
    Info->CounterSet.RDMAOutOctets = Traffic.OutBytes;
]==]
  NEW [==[
    Info->CounterSet.RDMAOutOctets = Traffic.OutBytes - 14 * Traffic.OutFrames;
]==])

ndksim_add_variant(breaks-r-ndis-27 BASE ndksim-rnic FILE ndkpi-model/provider/oid.c
  OLD [==[
    Info.ifHCInOctets = Info.ifHCInUcastOctets = Traffic.InBytes;
]==]
  NEW [==[
]==])

# The transport is whatever the keyword says, or says not.
ndksim_add_variant(breaks-r-ndis-28 BASE ndksim-rnic FILE ndkpi-model/provider/settings.c
  OLD [==[
    X("*NetworkDirectTechnology", Technology, NdkRoCEv2, NdkiWarp, NdkRoCEv2, \
      "Transport as NDK_RDMA_TECHNOLOGY: 4 RoCEv2, 1 iWARP over the same frames.") \
]==]
  NEW [==[
    X("NetworkDirectTechnologyNot", Technology, NdkRoCEv2, NdkiWarp, NdkRoCEv2, \
      "Transport as NDK_RDMA_TECHNOLOGY: 4 RoCEv2, 1 iWARP over the same frames.") \
]==])

# The size that does not fit is cut in silence.
ndksim_add_variant(breaks-r-ndis-29 BASE ndksim-rnic FILE ndkpi-model/provider/adapter_info.c
  OLD [==[
    if (128u << Adapter->PathMtu != Wanted) {
]==]
  NEW [==[
    if (Wanted == 0) {
]==])

ndksim_add_variant(breaks-r-ndis-34 BASE ndksim-rnic FILE ndkpi-model/provider/oid_ndk.c
  OLD [==[
        IpToInet(&Connector->LocalIp, Connector->LocalPort, &To->Local);
]==]
  NEW [==[
        IpToInet(&Connector->LocalIp, Connector->LocalPort, &To->Local);
        To->UserModeOwner = TRUE;
]==])

# Refuses, and does not say what it needs.
ndksim_add_variant(breaks-r-ndis-35 BASE ndksim-rnic FILE ndkpi-model/provider/oid_ndk.c
  OLD [==[
    if (!QueryFits(Request, NDIS_SIZEOF_NDK_STATISTICS_INFO_REVISION_1)) {
]==]
  NEW [==[
    if (!QueryFits(Request, NDIS_SIZEOF_NDK_STATISTICS_INFO_REVISION_1)) {
        Request->DATA.QUERY_INFORMATION.BytesNeeded = 0;
]==])

# The source port counts at both ends.
ndksim_add_variant(breaks-r-ndis-32 BASE ndksim-rnic FILE ndkpi-model/provider/connector_qp.c
  OLD [==[
    USHORT Port = Connector->IsPassive ? Connector->LocalPort : Connector->PeerPort;
]==]
  NEW [==[
    USHORT Port = Connector->LocalPort;
]==])
