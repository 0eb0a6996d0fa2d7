/* SPDX-License-Identifier: Apache-2.0 */
/* What a version of the interface gives and what it does not; extension interfaces. */
#include "client.h"

#include <ndksim_holders.h>

#define CONTEXT SIDE_FIRST_CONTEXT

static VOID CheckHeader(PSIDE Side, const NDK_OBJECT_HEADER *Header, NDK_OBJECT_TYPE Type) {
    Check(Header->Version.Major == Side->Rdma.Info.Version.Major &&
              Header->Version.Minor == Side->Rdma.Info.Version.Minor,
          "the version in the header");
    Check(Header->ObjectType == Type, "the type in the header");
}

static NTSTATUS PostWrite(PSIDE Side, ULONG Flags) {
    NDK_SGE Sge = {{Side->Bulk.Buffer}, 16, Side->Bulk.LocalToken};

    return Side->Qp->Dispatch->NdkWrite(Side->Qp, (PVOID)(ULONG_PTR)CONTEXT, &Sge, 1,
                                        Side->PeerAddress, Side->PeerToken, Flags);
}

/* Both from 1.2 on: before, the flags mean nothing and the slot does nothing. */
VOID Versions(PSIDE Side) {
    BOOLEAN Has = SideHasVersion(Side, 1, 2);
    NDK_SGE Sge = {{Side->Bulk.Buffer}, 16, Side->Bulk.LocalToken};
    NDK_MW *Mw = NewMw(Side->Pd);

    AskWhere(Side);
    CheckHeader(Side, &Side->Rdma.Adapter->Header, NdkObjectTypeAdapter);
    CheckHeader(Side, &Side->Pd->Header, NdkObjectTypePd);
    CheckHeader(Side, &Side->Cq->Header, NdkObjectTypeCq);
    CheckHeader(Side, &Side->Qp->Header, NdkObjectTypeQp);
    CheckHeader(Side, &Side->Bulk.Mr->Header, NdkObjectTypeMr);
    CheckHeader(Side, &Mw->Header, NdkObjectTypeMw);
    CheckHeader(Side, &Side->Connector->Header, NdkObjectTypeConnector);
    CheckStatus(PostWrite(Side, NDK_OP_FLAG_DEFER), Has ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER,
                "DEFER");
    CheckStatus(PostWrite(Side, 0), STATUS_SUCCESS, "a plain write");
    Expect(Side, CONTEXT, NdkOperationTypeWrite, STATUS_SUCCESS);
    if (Has) {
        Expect(Side, CONTEXT, NdkOperationTypeWrite, STATUS_SUCCESS);
    }
    CheckStatus(Side->Qp->Dispatch->NdkRead(Side->Qp, (PVOID)(ULONG_PTR)CONTEXT, NULL, 0,
                                            Side->PeerAddress, Side->PeerToken,
                                            NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE),
                Has ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER, "a read that invalidates");
    if (Has) {
        Expect(Side, CONTEXT, NdkOperationTypeRead, STATUS_SUCCESS);
    } else {
        CheckStatus(
            Side->Qp->Dispatch->NdkSendAndInvalidate(Side->Qp, NULL, &Sge, 1, 0, Side->PeerToken),
            STATUS_NOT_SUPPORTED, "send-and-invalidate");
        Check((Side->Rdma.Info.AdapterFlags &
               NDK_ADAPTER_FLAG_RDMA_READ_LOCAL_INVALIDATE_SUPPORTED) == 0,
              "a flag of 1.2");
    }
    /* Failures carry a code of the provider from 2.1 on. */
    Sge.MemoryRegionToken ^= 0x100;
    Write(Side, CONTEXT, &Sge, 1, 0);
    Expect(Side, CONTEXT, NdkOperationTypeWrite, STATUS_ACCESS_VIOLATION);
    ClientReconnect(Side);
    CloseMw(Mw);
}

static NTSTATUS Query(NDK_OBJECT_HEADER *Object, NDK_FN_QUERY_EXTENSION_INTERFACE Function,
                      const GUID *Id, USHORT Major, USHORT Minor,
                      const NDKSIM_HOLDERS_DISPATCH **Dispatch) {
    static const UCHAR Untouched = 0;
    NDK_VERSION Version = {Major, Minor};
    NDK_EXTENSION_INTERFACE Interface = {&Untouched};
    GUID Copy = *Id;
    NTSTATUS Status = Function(Object, &Copy, Version, &Interface);

    Check(Status == STATUS_SUCCESS || Interface.Dispatch == &Untouched, "untouched by a failure");
    *Dispatch = Interface.Dispatch;
    return Status;
}

static VOID QueryOne(NDK_OBJECT_HEADER *Object, NDK_FN_QUERY_EXTENSION_INTERFACE Function) {
    static const GUID Unknown = {0x12345678, 1, 2, {3, 4, 5, 6, 7, 8, 9, 10}};
    static const GUID Id = NDKSIM_HOLDERS_EXTENSION;
    const NTSTATUS Offered =
        NdksimRegistryUlong(L"HoldersExtension", 0) != 0 ? STATUS_SUCCESS : STATUS_NOT_SUPPORTED;
    const NDKSIM_HOLDERS_DISPATCH *Dispatch;
    NDKSIM_HOLDERS Holders;

    CheckStatus(Query(Object, Function, &Unknown, 1, 0, &Dispatch), STATUS_NOT_SUPPORTED,
                "an unknown extension");
    CheckStatus(Query(Object, Function, &Id, 2, 0, &Dispatch), STATUS_NOT_SUPPORTED,
                "another major version");
    CheckStatus(
        Query(Object, Function, &Id, NDKSIM_HOLDERS_MAJOR, NDKSIM_HOLDERS_MINOR + 1, &Dispatch),
        STATUS_NOT_SUPPORTED, "a later minor version");
    CheckStatus(Query(Object, Function, &Id, NDKSIM_HOLDERS_MAJOR, 0, &Dispatch), Offered,
                "an earlier minor version");
    CheckStatus(Query(Object, Function, &Id, NDKSIM_HOLDERS_MAJOR, NDKSIM_HOLDERS_MINOR, &Dispatch),
                Offered, "the very version");
    if (Offered == STATUS_SUCCESS) {
        Dispatch->NdksimGetHolders(Object, &Holders);
        Check(Holders.Consumer == 1, "the consumer holds what it has not closed");
    }
}

static NDK_SRQ *NewSrq(PSIDE Side) {
    SYNC_WAIT Wait;
    NDK_SRQ *Srq = NULL;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status = Side->Pd->Dispatch->NdkCreateSrq(Side->Pd, 8, 1, 0, NULL, NULL, NULL, SyncCreated,
                                              &Wait, &Srq);
    CheckStatus(SyncFinish(&Wait, Status), STATUS_SUCCESS, "create an SRQ");
    return Status == STATUS_PENDING ? CONTAINING_RECORD(Wait.Object, NDK_SRQ, Header) : Srq;
}

static NDK_SHARED_ENDPOINT *NewEndpoint(PSIDE Side) {
    NDK_ADAPTER *Adapter = Side->Rdma.Adapter;
    NDK_SHARED_ENDPOINT *Endpoint = NULL;
    SYNC_WAIT Wait;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status = Adapter->Dispatch->NdkCreateSharedEndpoint(
        Adapter, &Side->Local.Plain, Side->Local.Bytes, SyncCreated, &Wait, &Endpoint);
    CheckStatus(SyncFinish(&Wait, Status), STATUS_SUCCESS, "create a shared endpoint");
    return Status == STATUS_PENDING ? CONTAINING_RECORD(Wait.Object, NDK_SHARED_ENDPOINT, Header)
                                    : Endpoint;
}

static VOID NoConnector(PVOID Context, NDK_CONNECTOR *Connector) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(Connector);
    Check(FALSE, "nobody listens here");
}

/* All ten types of objects. */
VOID Extensions(PSIDE Side) {
    NDK_ADAPTER *Adapter = Side->Rdma.Adapter;
    NDK_MW *Mw = NewMw(Side->Pd);
    NDK_SRQ *Srq = NewSrq(Side);
    NDK_SHARED_ENDPOINT *Endpoint = NewEndpoint(Side);
    NDK_LISTENER *Listener;

    CheckStatus(SyncCreateListener(Adapter, NoConnector, Side, &Listener), STATUS_SUCCESS,
                "create a listener");
    QueryOne(&Adapter->Header, Adapter->Dispatch->NdkQueryExtension);
    QueryOne(&Side->Pd->Header, Side->Pd->Dispatch->NdkQueryExtension);
    QueryOne(&Side->Cq->Header, Side->Cq->Dispatch->NdkQueryExtension);
    QueryOne(&Side->Qp->Header, Side->Qp->Dispatch->NdkQueryExtension);
    QueryOne(&Side->Bulk.Mr->Header, Side->Bulk.Mr->Dispatch->NdkQueryExtension);
    QueryOne(&Mw->Header, Mw->Dispatch->NdkQueryExtension);
    QueryOne(&Srq->Header, Srq->Dispatch->NdkQueryExtension);
    QueryOne(&Endpoint->Header, Endpoint->Dispatch->NdkQueryExtension);
    QueryOne(&Listener->Header, Listener->Dispatch->NdkQueryExtension);
    QueryOne(&Side->Connector->Header, Side->Connector->Dispatch->NdkQueryExtension);
    SyncClose(&Listener->Header, Listener->Dispatch->NdkCloseListener);
    SyncClose(&Endpoint->Header, Endpoint->Dispatch->NdkCloseSharedEndpoint);
    SyncClose(&Srq->Header, Srq->Dispatch->NdkCloseSrq);
    CloseMw(Mw);
}
