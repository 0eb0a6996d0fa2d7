/* SPDX-License-Identifier: Apache-2.0 */
/* Memory regions: made for registration by command, or for fast registration by work requests. */
#include "mbx.h"

static const MBX_CLASS MrClass = {.Type = NdkObjectTypeMr,
                                  .CreateFault = "provider.create_mr.insufficient_resources",
                                  .DestroyOpcode = MBX_DEREGISTER};

/*
 * Remote writing has local writing in it: its own bit alone is what tells it, and is nothing
 * without the other.
 */
static const MBX_RIGHT MrRights[] = {
    {NDK_MR_FLAG_ALLOW_REMOTE_WRITE & ~NDK_MR_FLAG_ALLOW_LOCAL_WRITE, MBX_REMOTE_WRITE},
    {NDK_MR_FLAG_RDMA_READ_SINK, MBX_READ_SINK},
    {NDK_MR_FLAG_ALLOW_REMOTE_READ, MBX_REMOTE_READ},
    {NDK_MR_FLAG_ALLOW_LOCAL_WRITE, MBX_LOCAL_WRITE},
    {0, 0},
};

BOOLEAN RightsTake(const MBX_RIGHT *Known, ULONG Flags, PULONG Taken, PULONG Unknown) {
    *Taken = 0;
    for (; Known->Flag != 0; Known++) {
        *Taken |= (Flags & Known->Flag) != 0 ? Known->Right : 0;
        Flags &= ~Known->Flag;
    }
    *Unknown = Flags;
    return (*Taken & (MBX_REMOTE_WRITE | MBX_LOCAL_WRITE)) != MBX_REMOTE_WRITE;
}

/* FALSE: flags that there are not, or remote writing without local writing. */
static BOOLEAN RightsOf(ULONG Flags, PULONG Taken) {
    ULONG Unknown;

    return RightsTake(MrRights, Flags, Taken, &Unknown) && Unknown == 0;
}

/* ---- Registration ---- */

static NTSTATUS RegisterAnswered(PMBX_REQUEST Request) {
    PMBX_MR Mr = CONTAINING_RECORD(Request->Object, MBX_MR, Object);
    BOOLEAN Good = Request->Command.Status == MBX_OK;

    if (Good) {
        Mr->Object.Number = Request->Command.Value;
    }
    InterlockedExchange(&Mr->State, Good ? MrRegistered : MrIdle);
    return CommandNtStatus(Request->Command.Status);
}

/* The page list is the request's, and with it until the device has read it. */
static NTSTATUS RegisterFill(PMBX_REQUEST Request, MDL *Mdl, SIZE_T Length, ULONG Rights) {
    struct mbx_region_body *Body = &Request->Command.Data.body.region;
    ULONG Pages = MdlPageCount(Mdl, Length);
    NTSTATUS Status = SharedAllocate(&Request->Shared, Pages * sizeof(ULONG64));

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Body->base = (ULONG64)(ULONG_PTR)MmGetMdlVirtualAddress(Mdl);
    Body->length = Length;
    Body->pages = Request->Shared.Address;
    Body->page_count = Pages;
    Body->pd = Request->Object->Parents[0]->Number;
    Body->rights = Rights;
    return MdlPages(Mdl, Length, Request->Shared.Va);
}

static NTSTATUS MbxRegisterMr(NDK_MR *MrHandle, MDL *Mdl, SIZE_T Length, ULONG Flags,
                              NDK_FN_REQUEST_COMPLETION OnDone, PVOID Caller) {
    PMBX_MR Mr = MrOf(MrHandle);
    PMBX_REQUEST Request;
    NTSTATUS Status;
    ULONG Rights;

    if (Length == 0 || Length > Mr->Object.Adapter->Info.MaxRegistrationSize ||
        !RightsOf(Flags, &Rights) || !NT_SUCCESS(MdlPages(Mdl, Length, NULL))) {
        return STATUS_INVALID_PARAMETER;
    }
    if (Mr->FastRegister || InterlockedCompareExchange(&Mr->State, MrChanging, MrIdle) != MrIdle) {
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    Request = RequestNew(&Mr->Object, MBX_REGISTER, RegisterAnswered, OnDone, Caller);
    Status = Request != NULL ? RegisterFill(Request, Mdl, Length, Rights)
                             : STATUS_INSUFFICIENT_RESOURCES;
    if (NT_SUCCESS(Status)) {
        return RequestPost(Request);
    }
    InterlockedExchange(&Mr->State, MrIdle);
    if (Request != NULL) {
        RequestFree(Request);
    }
    return Status;
}

static NTSTATUS DeregisterAnswered(PMBX_REQUEST Request) {
    PMBX_MR Mr = CONTAINING_RECORD(Request->Object, MBX_MR, Object);

    Mr->Object.Number = 0;
    InterlockedExchange(&Mr->State, MrIdle);
    return STATUS_SUCCESS;
}

static NTSTATUS MbxDeregisterMr(NDK_MR *MrHandle, NDK_FN_REQUEST_COMPLETION OnDone, PVOID Caller) {
    PMBX_MR Mr = MrOf(MrHandle);
    PMBX_REQUEST Request;

    if (Mr->FastRegister ||
        InterlockedCompareExchange(&Mr->State, MrChanging, MrRegistered) != MrRegistered) {
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    Request = RequestNew(&Mr->Object, MBX_DEREGISTER, DeregisterAnswered, OnDone, Caller);
    if (Request == NULL) {
        InterlockedExchange(&Mr->State, MrRegistered);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    return RequestPost(Request);
}

/* ---- Fast registration ---- */

/* Of several under way the last one rules; the tokens of the others are given back. */
static NTSTATUS InitializeAnswered(PMBX_REQUEST Request) {
    PMBX_MR Mr = CONTAINING_RECORD(Request->Object, MBX_MR, Object);
    ULONG Old = Mr->Object.Number;

    if (Request->Command.Status != MBX_OK) {
        return CommandNtStatus(Request->Command.Status);
    }
    Mr->PageCount = Request->Command.Data.body.region.page_count;
    Mr->RemoteAccess = (Request->Command.Data.body.region.rights & MBX_REMOTE_READ) != 0;
    Mr->Object.Number = Request->Command.Value;
    if (Old != 0) {
        CommandPostAlone(Mr->Object.Adapter, MBX_DEREGISTER, Old);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS MbxInitializeFastRegisterMr(NDK_MR *MrHandle, ULONG AdapterPageCount,
                                            BOOLEAN RemoteAccess, NDK_FN_REQUEST_COMPLETION OnDone,
                                            PVOID Caller) {
    PMBX_MR Mr = MrOf(MrHandle);
    struct mbx_region_body *Body;
    PMBX_REQUEST Request;

    if (!Mr->FastRegister || AdapterPageCount == 0) {
        return Mr->FastRegister ? STATUS_INVALID_PARAMETER : STATUS_INVALID_DEVICE_REQUEST;
    }
    if (AdapterPageCount > MBX_FAST_PAGE_COUNT_MAX) {
        return STATUS_IMPLEMENTATION_LIMIT;
    }
    Request = RequestNew(&Mr->Object, MBX_CREATE_FAST, InitializeAnswered, OnDone, Caller);
    if (Request == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Body = &Request->Command.Data.body.region;
    Body->pd = Mr->Object.Parents[0]->Number;
    Body->page_count = AdapterPageCount;
    Body->rights = MBX_LOCAL_WRITE | MBX_READ_SINK;
    if (RemoteAccess) {
        Body->rights |= MBX_REMOTE_READ | MBX_REMOTE_WRITE;
    }
    return RequestPost(Request);
}

/* ---- The object ---- */

static UINT32 MbxGetTokenFromMr(NDK_MR *MrHandle) {
    return MrOf(MrHandle)->Object.Number;
}

static const NDK_MR_DISPATCH MrDispatch = {
    .NdkCloseMr = MbxCloseObject,
    .NdkQueryExtension = MbxQueryExtension,
    .NdkRegisterMr = MbxRegisterMr,
    .NdkDeregisterMr = MbxDeregisterMr,
    .NdkInitializeFastRegisterMr = MbxInitializeFastRegisterMr,
    .NdkGetRemoteTokenFromMr = MbxGetTokenFromMr,
    .NdkGetLocalTokenFromMr = MbxGetTokenFromMr,
};

/* The device hears of it when it is registered or initialised. */
NTSTATUS MbxCreateMr(NDK_PD *PdHandle, BOOLEAN FastRegister, NDK_FN_CREATE_COMPLETION OnMade,
                     PVOID Caller, NDK_MR **Made) {
    PMBX_OBJECT Pd = &PdOf(PdHandle)->Object;
    PMBX_MR Mr = (PMBX_MR)ObjectNew(Pd->Adapter, &MrClass, sizeof(*Mr), Pd);

    UNREFERENCED_PARAMETER(Made);
    if (Mr == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Mr->Object.Ndk.Mr.Dispatch = &MrDispatch;
    Mr->FastRegister = FastRegister != FALSE;
    return ObjectCreate(&Mr->Object, &Pd->Adapter->Others, OnMade, Caller);
}
