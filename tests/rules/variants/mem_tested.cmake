# SPDX-License-Identifier: Apache-2.0
# Variants for the tested rules of R-MEM.
ndksim_add_variant(breaks-r-mem-01 BASE ndksim-rnic FILE ndkpi-model/provider/mr_register.c
  OLD [==[
    if (Mr->FastRegister || !MrStep(Mr, MrIdle, MrChanging)) {
]==]
  NEW [==[
    if (!MrStep(Mr, MrIdle, MrChanging)) {
]==])

ndksim_add_variant(breaks-r-mem-02 BASE ndksim-rnic FILE ndkpi-model/provider/mdl.c
  OLD [==[
        if (Mdl == NULL || (ULONG_PTR)MmGetMdlVirtualAddress(Mdl) != Next) {
]==]
  NEW [==[
        if (Mdl == NULL) {
]==])

# Touches the first byte, so that its page is there.
ndksim_add_variant(breaks-r-mem-03 BASE ndksim-rnic FILE ndkpi-model/provider/mr_register.c
  OLD [==[
    Mr->Base = (ULONG_PTR)MmGetMdlVirtualAddress(Mdl);
]==]
  NEW [==[
    Mr->Base = (ULONG_PTR)MmGetMdlVirtualAddress(Mdl);
    (VOID)*(volatile UCHAR *)MmGetMdlVirtualAddress(Mdl);
]==])

# Whoever may write may look at what he wrote.
ndksim_add_variant(breaks-r-mem-06 BASE ndksim-rnic FILE ndkpi-model/provider/mr_register.c
  OLD [==[
        *Rights |= RNIC_RIGHT_REMOTE_WRITE;
]==]
  NEW [==[
        *Rights |= RNIC_RIGHT_REMOTE_WRITE | RNIC_RIGHT_REMOTE_READ;
]==])

ndksim_add_variant(breaks-r-mem-07 BASE ndksim-rnic FILE ndkpi-model/provider/mr.c
  OLD [==[
    return Key == RNIC_KEY_NONE ? 0 : TokenFromKey(Mr->Object.Owner, Key);
]==]
  NEW [==[
    return Key == RNIC_KEY_NONE || ObjectCount(&Mr->Object, RefCallback) != 0
               ? 0
               : TokenFromKey(Mr->Object.Owner, Key);
]==])

ndksim_add_variant(breaks-r-mem-08 BASE ndksim-rnic FILE ndkpi-model/provider/mr.c
  OLD [==[
    return MrOf(pNdkMr)->Key;
]==]
  NEW [==[
    return ObjectCount(&MrOf(pNdkMr)->Object, RefCallback) != 0 ? 0 : MrOf(pNdkMr)->Key;
]==])

ndksim_add_variant(breaks-r-mem-09 BASE ndksim-rnic FILE ndkpi-model/provider/mr_register.c
  OLD [==[
    Mr->Base = (ULONG_PTR)MmGetMdlVirtualAddress(Mdl);
]==]
  NEW [==[
    Mr->Base = 0;
]==])

ndksim_add_variant(breaks-r-mem-11 BASE ndksim-rnic FILE ndkpi-model/provider/mr_register.c
  OLD [==[
    return (Flags & ~(NDK_MR_FLAG_ALLOW_REMOTE_WRITE | NDK_MR_FLAG_ALLOW_REMOTE_READ |
                      NDK_MR_FLAG_RDMA_READ_SINK)) == 0;
]==]
  NEW [==[
    return (Flags & ~(NDK_MR_FLAG_ALLOW_REMOTE_WRITE | NDK_MR_FLAG_ALLOW_REMOTE_READ)) == 0;
]==])

ndksim_add_variant(breaks-r-mem-13 BASE ndksim-rnic FILE ndkpi-model/provider/mr_register.c
  OLD [==[
        return STATUS_IMPLEMENTATION_LIMIT;
]==]
  NEW [==[
        return STATUS_INSUFFICIENT_RESOURCES;
]==])

ndksim_add_variant(breaks-r-mem-14 BASE ndksim-rnic FILE ndkpi-model/provider/mr_register.c
  OLD [==[
    if (AdapterPageCount == 0) {
]==]
  NEW [==[
    if (Mr->Key != RNIC_KEY_NONE) {
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    if (AdapterPageCount == 0) {
]==])

ndksim_add_variant(breaks-r-mem-15 BASE ndksim-rnic FILE ndkpi-model/provider/qp_memory.c
  OLD [==[
        return STATUS_ACCESS_VIOLATION;
]==]
  NEW [==[
        return STATUS_INVALID_PARAMETER;
]==])

# The first page says where all of them are.
ndksim_add_variant(breaks-r-mem-18 BASE ndksim-rnic FILE ndkpi-model/provider/qp_memory.c
  OLD [==[
        ((ULONG64 *)List->Va)[i] = (ULONG64)Range->Pages[i].QuadPart;
]==]
  NEW [==[
        ((ULONG64 *)List->Va)[i] = (ULONG64)Range->Pages[0].QuadPart + ((ULONG64)i << PAGE_SHIFT);
]==])

# The token of the next registration is told after this one was posted.
ndksim_add_variant(breaks-r-mem-19 BASE ndksim-rnic FILE ndkpi-model/provider/qp_memory.c
  OLD [==[
    Wqe->control.key = Mr->Key;
    Wqe->base = Range->Base;
]==]
  NEW [==[
    Wqe->control.key = Mr->Key;
    Mr->Key = (Mr->Key & ~0xFFu) | (UCHAR)(Mr->Key + 1);
    Wqe->base = Range->Base;
]==])

ndksim_add_variant(breaks-r-mem-20 BASE ndksim-rnic FILE ndkpi-model/provider/qp_memory.c
  OLD [==[
    Wqe->rights = Rights;
]==]
  NEW [==[
    Wqe->rights = Rights & ~RNIC_RIGHT_REMOTE_READ;
]==])

# Says that it is done, and lets the key live.
ndksim_add_variant(invalidates-by-nop BASE ndksim-rnic FILE ndkpi-model/provider/qp_complete.c
  OLD [==[
    [RNIC_CQE_LOCAL_INV] = NdkOperationTypeInvalidate,
]==]
  NEW [==[
    [RNIC_CQE_LOCAL_INV] = NdkOperationTypeInvalidate,
    [RNIC_CQE_NOP] = NdkOperationTypeInvalidate,
]==])
ndksim_add_variant(breaks-r-mem-22 BASE invalidates-by-nop FILE ndkpi-model/provider/qp_bind.c
  OLD [==[
static const RNIC_POST_KIND InvalidateKind = {RNIC_WQE_LOCAL_INV, RNIC_POST_FLAGS_COMMON,
]==]
  NEW [==[
static const RNIC_POST_KIND InvalidateKind = {RNIC_WQE_NOP, RNIC_POST_FLAGS_COMMON,
]==])

ndksim_add_variant(breaks-r-mem-23 BASE ndksim-rnic FILE ndkpi-model/provider/qp_bind.c
  OLD [==[
    return Mr->State != MrRegistered || RegionCovers(Mr, Bind) ? STATUS_SUCCESS
                                                               : STATUS_ACCESS_VIOLATION;
]==]
  NEW [==[
    return Mr->State != MrRegistered || RegionCovers(Mr, Bind) ? STATUS_SUCCESS
                                                               : STATUS_INVALID_PARAMETER;
]==])

ndksim_add_variant(breaks-r-mem-24 BASE ndksim-rnic FILE ndkpi-model/provider/qp_bind.c
  OLD [==[
    Mw->HasToken = TRUE;
]==]
  NEW [==[
    UNREFERENCED_PARAMETER(Mw->HasToken);
]==])

ndksim_add_variant(breaks-r-mem-25 BASE ndksim-rnic FILE ndkpi-model/provider/qp_bind.c
  OLD [==[
    Wqe->base = Bind->Base;
]==]
  NEW [==[
    Wqe->base = Bind->Base;
    (VOID)*(volatile UCHAR *)Bind->Base;
]==])

# A token that opens nothing.
ndksim_add_variant(breaks-r-mem-27 BASE ndksim-rnic FILE ndkpi-model/provider/pd.c
  OLD [==[
    *pToken = TokenFromKey(Pd->Object.Owner, Pd->PrivilegedKey);
]==]
  NEW [==[
    *pToken = TokenFromKey(Pd->Object.Owner, Pd->PrivilegedKey) ^ 1;
]==])

# The other half: the token is that of a region over the mapping, with all rights.
ndksim_add_variant(widens-privileged-token BASE ndksim-rnic FILE ndkpi-model/provider/pd.c
  OLD [==[
static NTSTATUS PdCreateEnd(PRNIC_PD Pd) {
]==]
  NEW [==[
ULONG WidePdn;
ULONG WideKey;

static NTSTATUS PdCreateEnd(PRNIC_PD Pd) {
]==]
  OLD2 [==[
        Pd->Created = TRUE;
]==]
  NEW2 [==[
        Pd->Created = TRUE;
        WidePdn = Pd->Pdn;
]==]
  OLD3 [==[
    *pToken = TokenFromKey(Pd->Object.Owner, Pd->PrivilegedKey);
]==]
  NEW3 [==[
    *pToken = TokenFromKey(Pd->Object.Owner, WideKey != 0 ? WideKey : Pd->PrivilegedKey);
]==])
ndksim_add_variant(breaks-r-mem-27-remote BASE widens-privileged-token
  FILE ndkpi-model/provider/lam.c
  OLD [==[
static VOID LamFill(PRNIC_OPEN Open, MDL *Mdl, SIZE_T Length, NDK_LOGICAL_ADDRESS_MAPPING *Lam) {
]==]
  NEW [==[
extern ULONG WidePdn;
extern ULONG WideKey;

static VOID Widen(PRNIC_OPEN Open, NDK_LOGICAL_ADDRESS_MAPPING *Lam) {
    PRNIC_ADAPTER Adapter = Open->Object.Owner;
    RNIC_DMA Lists;
    RNIC_BOXED Make;
    struct rnic_mkey_create *Create = &Make.In.Mkey;

    BoxedInit(&Make, RNIC_CMD_CREATE_MKEY, 0, sizeof(*Create), 0);
    Create->base = ((ULONG64 *)Lam->AdapterPageArray)[0];
    Create->length = Lam->AdapterPageCount * PAGE_SIZE;
    Create->pdn = WidePdn;
    Create->rights = RNIC_RIGHT_LOCAL_WRITE | RNIC_RIGHT_REMOTE_READ | RNIC_RIGHT_REMOTE_WRITE;
    Create->kind = RNIC_MKEY_REGION;
    if (NT_SUCCESS(DmaDescribe(Adapter, (ULONG64 *)Lam->AdapterPageArray, Lam->AdapterPageCount,
                               &Create->pages, &Lists))) {
        CommandPolled(Adapter, &Make.Command, NULL, 0);
        DmaPut(Adapter, &Lists);
        WideKey = (ULONG)Make.Command.Argument;
    }
}

static VOID LamFill(PRNIC_OPEN Open, MDL *Mdl, SIZE_T Length, NDK_LOGICAL_ADDRESS_MAPPING *Lam) {
]==]
  OLD2 [==[
    InterlockedIncrement(&Open->LamCount);
]==]
  NEW2 [==[
    InterlockedIncrement(&Open->LamCount);
    Widen(Open, Lam);
]==]
  OLD3 [==[
    UNREFERENCED_PARAMETER(pNdkLAM);
]==]
  NEW3 [==[
    RNIC_COMMAND Command;

    UNREFERENCED_PARAMETER(pNdkLAM);
    CommandInit(&Command, RNIC_CMD_DESTROY_MKEY, RNIC_KEY_INDEX(WideKey));
    CommandPolled(Open->Object.Owner, &Command, NULL, 0);
]==])

ndksim_add_variant(breaks-r-mem-30 BASE ndksim-rnic FILE ndkpi-model/provider/lam.c
  OLD [==[
    Lam->AdapterContext = Open;
]==]
  NEW [==[
    if (MdlPageCount(Mdl, Length) > 1) {
        NDK_LOGICAL_ADDRESS First = Lam->AdapterPageArray[0];

        Lam->AdapterPageArray[0] = Lam->AdapterPageArray[1];
        Lam->AdapterPageArray[1] = First;
    }
    Lam->AdapterContext = Open;
]==])

ndksim_add_variant(breaks-r-mem-31 BASE ndksim-rnic FILE ndkpi-model/provider/lam.c
  OLD [==[
        *pLAMSize = Needed;
        return STATUS_BUFFER_TOO_SMALL;
]==]
  NEW [==[
        *pLAMSize = Needed - (ULONG)sizeof(NDK_LOGICAL_ADDRESS);
        return STATUS_BUFFER_TOO_SMALL;
]==])

ndksim_add_variant(breaks-r-mem-32 BASE ndksim-rnic FILE ndkpi-model/provider/lam.c
  OLD [==[
    if (!LamFits(pNdkLAM, *pLAMSize, Needed)) {
]==]
  NEW [==[
    if (!LamFits(pNdkLAM, *pLAMSize, Needed) && PoolGet(Needed) != NULL) {
]==])

ndksim_add_variant(breaks-r-mem-35 BASE ndksim-rnic FILE ndkpi-model/provider/lam.c
  OLD [==[
    Lam->AdapterContext = Open;
]==]
  NEW [==[
    Mdl->ByteCount -= 1; /* so much of it is taken */
    Lam->AdapterContext = Open;
]==])

# Promises what most devices keep.
ndksim_add_variant(breaks-r-mem-38 BASE ndksim-rnic FILE ndkpi-model/provider/adapter_info.c
  OLD [==[
    if ((Caps->flags & RNIC_CAP_IN_ORDER_DMA) != 0) {
]==]
  NEW [==[
    if (Caps != NULL) {
]==])

ndksim_add_variant(breaks-r-mem-39 BASE ndksim-rnic FILE ndkpi-model/provider/adapter_info.c
  OLD [==[
    if ((Caps->flags & RNIC_CAP_READ_SINK_REQUIRED) == 0) {
]==]
  NEW [==[
    if (Caps != NULL) {
]==])

ndksim_add_variant(breaks-r-mem-40 BASE ndksim-rnic FILE ndkpi-model/provider/mr_register.c
  OLD [==[
    Create->length = Mr->Length;
]==]
  NEW [==[
    Create->length = (Mr->Length + PAGE_SIZE) & ~(SIZE_T)(PAGE_SIZE - 1);
]==])
