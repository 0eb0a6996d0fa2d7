# SPDX-License-Identifier: Apache-2.0
# An accepted connector keeps its reference for good.
ndksim_add_variant(breaks-r-ep-02 BASE ndksim-rnic
  FILE ndkpi-model/provider/endpoint.c
  OLD [==[
        RemoveEntryList(&Connector->EndpointLink);
        EndpointPut(Endpoint);
]==]
  NEW [==[
        RemoveEntryList(&Connector->EndpointLink);
        if (Endpoint->Kind != EndpointOfListener) {
            EndpointPut(Endpoint);
        }
]==])

# The wildcard is taken over.
ndksim_add_variant(breaks-r-ep-03 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_query.c
  OLD [==[
    Ip = Peer ? Connector->PeerIp : Connector->LocalIp;
]==]
  NEW [==[
    Ip = Peer                          ? Connector->PeerIp
         : Connector->Endpoint != NULL ? Connector->Endpoint->Ip
                                       : Connector->LocalIp;
]==])

# The port is given back when the peer has answered.
ndksim_add_variant(breaks-r-ep-04 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm_establish.c
  OLD [==[
    Connector->OutboundLimit = min(Connector->OutboundLimit, Message->ResponderResources);
    ConnectorSettle(Connector, STATUS_SUCCESS);
]==]
  NEW [==[
    Connector->OutboundLimit = min(Connector->OutboundLimit, Message->ResponderResources);
    EndpointLeave(Connector);
    ConnectorSettle(Connector, STATUS_SUCCESS);
]==])

# The accepted connector takes no reference.
ndksim_add_variant(breaks-r-ep-05 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_passive.c
  OLD [==[
    EndpointJoin(Connector->Listener->Endpoint, Connector);
]==]
  NEW [==[
]==])

# The disconnect gives the address back.
ndksim_add_variant(breaks-r-ep-06 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_end.c
  OLD [==[
    Connector->Disconnecting = TRUE;
]==]
  NEW [==[
    Connector->Disconnecting = TRUE;
    EndpointLeave(Connector);
]==])
