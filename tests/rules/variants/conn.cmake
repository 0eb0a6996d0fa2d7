# SPDX-License-Identifier: Apache-2.0

# IPv6 is left for later.
ndksim_add_variant(breaks-r-conn-01 BASE ndksim-rnic
  FILE ndkpi-model/provider/address.c
  OLD [==[
    if (Address->sa_family == AF_INET6 && Length >= sizeof(SOCKADDR_IN6)) {
]==]
  NEW [==[
    if (Address->sa_family == AF_INET6 && Length > sizeof(SOCKADDR_INET)) {
]==])

# The request names the wrong port as its own.
ndksim_add_variant(breaks-r-conn-02 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm_mad.c
  OLD [==[
    Put16(To + 2, Connector->LocalPort);
]==]
  NEW [==[
    Put16(To + 2, Connector->PeerPort);
]==])

# Ephemeral ports begin where they begin elsewhere.
ndksim_add_variant(breaks-r-conn-03 BASE ndksim-rnic
  FILE ndkpi-model/provider/endpoint.c
  OLD [==[
    ULONG First = Adapter->Settings.PortFirst;
]==]
  NEW [==[
    ULONG First = 1024;
]==])

# A connect takes any address that it is told to take.
ndksim_add_variant(breaks-r-conn-04 BASE ndksim-rnic
  FILE ndkpi-model/provider/endpoint.c
  OLD [==[
    } else if (EndpointIsTaken(Adapter, Ip, Port)) {
]==]
  NEW [==[
    } else if (Kind != EndpointOfConnector && EndpointIsTaken(Adapter, Ip, Port)) {
]==])

# Whose address it is does not matter.
ndksim_add_variant(breaks-r-conn-05 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_active.c
  OLD [==[
        return STATUS_INVALID_ADDRESS;
    }
    if (AddressIsOfThisNode]==]
  NEW [==[
        Connect->AddressIndex = 0;
    }
    if (AddressIsOfThisNode]==])

# Only idle connectors are in the way of another one.
ndksim_add_variant(breaks-r-conn-06 BASE ndksim-rnic
  FILE ndkpi-model/provider/endpoint.c
  OLD [==[
        if (User != Connector && User->State != CmIdle && User->PeerPort == PeerPort &&
]==]
  NEW [==[
        if (User != Connector && User->State == CmIdle && User->PeerPort == PeerPort &&
]==])

# A refusal is told as silence.
ndksim_add_variant(breaks-r-conn-07 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm_establish.c
  OLD [==[
                                 : STATUS_CONNECTION_REFUSED);
]==]
  NEW [==[
                                 : STATUS_IO_TIMEOUT);
]==])

# Where there is no way, nobody can want us.
ndksim_add_variant(breaks-r-conn-08 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_active.c
  OLD [==[
        return STATUS_NETWORK_UNREACHABLE;
    }
    Connect->Event = EvConnectNobody;
]==]
  NEW [==[
        return STATUS_CONNECTION_REFUSED;
    }
    Connect->Event = EvConnectNobody;
]==])

# Who does not answer is taken for unreachable.
ndksim_add_variant(breaks-r-conn-09 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm_establish.c
  OLD [==[
    ConnectFailed(Connector, STATUS_IO_TIMEOUT);
]==]
  NEW [==[
    ConnectFailed(Connector, STATUS_HOST_UNREACHABLE);
]==])

# Whoever ended the establishment, it counts as the peer.
ndksim_add_variant(breaks-r-conn-11 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_complete.c
  OLD [==[
    return Connector->State == CmEnded && Connector->PeerAbandoned ? STATUS_CONNECTION_ABORTED
                                                                   : STATUS_CONNECTION_INVALID;
]==]
  NEW [==[
    return Connector->State == CmEnded ? STATUS_CONNECTION_ABORTED : STATUS_CONNECTION_INVALID;
]==])

# That the peer gave up is told like any other mistake.
ndksim_add_variant(breaks-r-conn-12 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_complete.c
  OLD [==[
    return Connector->State == CmEnded && Connector->PeerAbandoned ? STATUS_CONNECTION_ABORTED
                                                                   : STATUS_CONNECTION_INVALID;
]==]
  NEW [==[
    return STATUS_CONNECTION_INVALID;
]==])

# After the time-out one may try again.
ndksim_add_variant(breaks-r-conn-13 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_complete.c
  OLD [==[
    if (!NT_SUCCESS(Fault)) {
        CmStep(Connector, EvReject, NULL);
]==]
  NEW [==[
    if (!NT_SUCCESS(Fault)) {
]==])

# There is always somebody to be told.
ndksim_add_variant(breaks-r-conn-14 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_pump.c
  OLD [==[
    } else if (Event != NULL) {
        Event(Context);
]==]
  NEW [==[
    } else {
        Event(Context);
]==])

# A peer that gave up is told as one that is silent.
ndksim_add_variant(breaks-r-conn-16 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm_accept.c
  OLD [==[
    ConnectorSettle(Connector, STATUS_CONNECTION_ABORTED);
]==]
  NEW [==[
    ConnectorSettle(Connector, STATUS_IO_TIMEOUT);
]==])

# A silent peer is told as one that gave up.
ndksim_add_variant(breaks-r-conn-17 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm_accept.c
  OLD [==[
    ConnectorSettle(Connector, STATUS_IO_TIMEOUT);
]==]
  NEW [==[
    ConnectorSettle(Connector, STATUS_CONNECTION_ABORTED);
]==])

# The peer is not told of the reject.
ndksim_add_variant(breaks-r-conn-18 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_passive.c
  OLD [==[
        AnswerGiven(Connector);
        CmStep(Connector, EvReject, NULL);
        Connector->RejectPrivate = NULL;
]==]
  NEW [==[
        AnswerGiven(Connector);
        Connector->RejectPrivate = NULL;
]==])

# Rejecting is for who was asked.
ndksim_add_variant(breaks-r-conn-19 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_passive.c
  OLD [==[
        return STATUS_SUCCESS; /* R-CONN-19 */
]==]
  NEW [==[
        return STATUS_CONNECTION_INVALID;
]==])

# An answer that comes too late is a mistake.
ndksim_add_variant(breaks-r-conn-20 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_passive.c
  OLD [==[
    return Connector->State == CmEnded && Connector->PeerAbandoned ? STATUS_CONNECTION_ABORTED
                                                                   : STATUS_CONNECTION_INVALID;
]==]
  NEW [==[
    return STATUS_CONNECTION_INVALID;
]==])

# The wish is passed on as it is.
ndksim_add_variant(breaks-r-conn-22 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_active.c
  OLD [==[
    Connector->InboundLimit = (UCHAR)min(Connect->Inbound, Info->MaxInboundReadLimit);
]==]
  NEW [==[
    Connector->InboundLimit = (UCHAR)min(Connect->Inbound, 255);
]==])

# The accepting consumer is not asked how many reads it takes.
ndksim_add_variant(breaks-r-conn-23 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_passive.c
  OLD [==[
    Connector->InboundLimit = (UCHAR)min(Connector->InboundLimit, Accept->Inbound);
]==]
  NEW [==[
]==])

# The device is given its own maximum.
ndksim_add_variant(breaks-r-conn-24 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_qp.c
  OLD [==[
    Attributes->reads_out = Connector->OutboundLimit;
]==]
  NEW [==[
    Attributes->reads_out = (UCHAR)Connector->Object.Owner->Info.MaxOutboundReadLimit;
]==])

# Half of a request must do.
ndksim_add_variant(breaks-r-conn-25 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm_private.c
  OLD [==[
    Private->Count = Count;
]==]
  NEW [==[
    Private->Count = min(Count, RNIC_CM_REQ_PRIVATE_BYTES / 2);
    Private->Kept = min(Kept, Private->Count);
]==])

# No buffer is a small one.
ndksim_add_variant(breaks-r-conn-27 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_query.c
  OLD [==[
    if (Data == NULL) {
        return STATUS_SUCCESS;
    }
]==]
  NEW [==[
    if (Data == NULL) {
        return STATUS_BUFFER_TOO_SMALL;
    }
]==])

# A buffer that is just right is too small.
ndksim_add_variant(breaks-r-conn-29 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_query.c
  OLD [==[
    return Space >= Required ? STATUS_SUCCESS : STATUS_BUFFER_TOO_SMALL;
]==]
  NEW [==[
    return Space > Required ? STATUS_SUCCESS : STATUS_BUFFER_TOO_SMALL;
]==])

# Who wants one limit gets both.
ndksim_add_variant(breaks-r-conn-31 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_query.c
  OLD [==[
        if (pOutboundReadLimit != NULL) {
]==]
  NEW [==[
        if (pInboundReadLimit != NULL || pOutboundReadLimit != NULL) {
]==])

# The length is that of the largest address.
ndksim_add_variant(breaks-r-conn-32 BASE ndksim-rnic
  FILE ndkpi-model/provider/address.c
  OLD [==[
    BOOLEAN Fits = Address != NULL && *Length >= Needed;

    *Length = Needed;
]==]
  NEW [==[
    BOOLEAN Fits = Address != NULL && *Length >= Needed;

    *Length = sizeof(Inet);
]==])

# The new callback is forgotten.
ndksim_add_variant(breaks-r-conn-34 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_complete.c
  OLD [==[
    const RNIC_COMPLETE Complete = {NULL, DisconnectEvent, DisconnectEventContext,
                                    RequestCompletion, RequestContext};
]==]
  NEW [==[
    const RNIC_COMPLETE Complete = {NULL, NULL, DisconnectEventContext,
                                    RequestCompletion, RequestContext};
]==])

# Private data must be there.
ndksim_add_variant(breaks-r-conn-37 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_active.c
  OLD [==[
    return Connect->PrivateBytes != 0 && Connect->Private == NULL ? STATUS_INVALID_PARAMETER
                                                                  : STATUS_SUCCESS;
]==]
  NEW [==[
    return Connect->Private == NULL ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
]==])

# The accept is complete when its answer is sent.
ndksim_add_variant(breaks-r-conn-15 BASE ndksim-rnic
  FILE ndkpi-model/provider/cm_accept.c
  OLD [==[
    CmSendRep(Connector);
    CmWaitForAnswer(Connector);
]==]
  NEW [==[
    CmSendRep(Connector);
    CmWaitForAnswer(Connector);
    ConnectorSettle(Connector, STATUS_SUCCESS);
]==])

# The endpoint is shared too often.
ndksim_add_variant(breaks-r-conn-33 BASE ndksim-rnic
  FILE ndkpi-model/provider/connector_active.c
  OLD [==[
        return STATUS_ADDRESS_ALREADY_EXISTS;
]==]
  NEW [==[
        return STATUS_SHARING_VIOLATION;
]==])
