# SPDX-License-Identifier: Apache-2.0
# An address of somebody else is a wrong argument.
ndksim_add_variant(breaks-r-shep-01 BASE ndksim-rnic
  FILE ndkpi-model/provider/shared_endpoint.c
  OLD [==[
        return STATUS_INVALID_ADDRESS;
    }
    KeAcquire]==]
  NEW [==[
        return STATUS_INVALID_PARAMETER;
    }
    KeAcquire]==])

# The port is told in the order of the other kind of machine.
ndksim_add_variant(breaks-r-shep-02 BASE ndksim-rnic
  FILE ndkpi-model/provider/shared_endpoint.c
  OLD [==[
        Port = Shared->Endpoint->Port;
]==]
  NEW [==[
        Port = (USHORT)(Shared->Endpoint->Port >> 8 | Shared->Endpoint->Port << 8);
]==])

# One connection for an endpoint.
ndksim_add_variant(breaks-r-shep-03 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_active.c
  OLD [==[
    if (EndpointHasPeer(Endpoint, Connector, &Connect->PeerIp, Connect->PeerPort)) {
]==]
  NEW [==[
    if (!IsListEmpty(&Endpoint->Users)) {
]==])

# The connector keeps its reference for good.
ndksim_add_variant(breaks-r-shep-04 BASE ndksim-rnic
  FILE ndkpi-model/provider/endpoint.c
  OLD [==[
        RemoveEntryList(&Connector->EndpointLink);
        EndpointPut(Endpoint);
]==]
  NEW [==[
        RemoveEntryList(&Connector->EndpointLink);
        if (Endpoint->Kind != EndpointShared) {
            EndpointPut(Endpoint);
        }
]==])

# The address is free from the call of the close on.
ndksim_add_variant(breaks-r-shep-05 BASE ndksim-rnic
  FILE ndkpi-model/provider/shared_endpoint.c
  OLD [==[
    EndpointPut(Shared->Endpoint);
]==]
  NEW [==[
    RemoveEntryList(&Shared->Endpoint->PortLink);
    InitializeListHead(&Shared->Endpoint->PortLink);
    EndpointPut(Shared->Endpoint);
]==])

# Peers are not compared.
ndksim_add_variant(breaks-r-shep-06 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_active.c
  OLD [==[
    if (EndpointHasPeer(Endpoint, Connector, &Connect->PeerIp, Connect->PeerPort)) {
]==]
  NEW [==[
    if (EndpointHasPeer(Endpoint, Connector, &Connect->PeerIp, 0)) {
]==])
