# SPDX-License-Identifier: Apache-2.0
# What one queue's post leaves behind in the other one's.
ndksim_add_variant(breaks-r-post-03 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
        Rq->Contexts[Rq->Producer & Rq->Mask] = RequestContext;
]==]
  NEW [==[
        Rq->Contexts[Rq->Producer & Rq->Mask] = RequestContext;
        Qp->Sq.Contexts[Rq->Producer & Qp->Sq.Mask] = RequestContext;
]==])

# A receive that comes while the QP is being flushed is never told to the device.
ndksim_add_variant(breaks-r-post-05 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
        DoorbellRing(Adapter, RNIC_DOORBELL_RQ, Qp->Qpn, 0, Rq->Producer);
]==]
  NEW [==[
        if (Qp->FlushUnderWay == 0) {
            DoorbellRing(Adapter, RNIC_DOORBELL_RQ, Qp->Qpn, 0, Rq->Producer);
        }
]==])

# A post that comes after the connector's close began is accepted, and nobody completes it.
ndksim_add_variant(breaks-r-post-06 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
    if (!SqIsConnected(Qp)) {
        return STATUS_CONNECTION_INVALID;
    }
]==]
  NEW [==[
    if (Qp->Phase == QpUnconnected) {
        return STATUS_CONNECTION_INVALID;
    }
    if (Qp->Phase == QpEnded) {
        Qp->Sq.Rung = Qp->Sq.Producer + 1;
        return STATUS_SUCCESS;
    }
]==])

ndksim_add_variant(breaks-r-post-07 BASE ndksim-rnic FILE ndkpi-model/provider/cq_poll.c
  OLD [==[
    Cq->Consumed += Count;
]==]
  NEW [==[
    Cq->Consumed += Count - 1;
]==])

# What is refused is sent all the same.
ndksim_add_variant(breaks-r-post-08 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
    NTSTATUS Status = SqBegin(&Post, Qp, Flags, &SendKind);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
]==]
  NEW [==[
    NTSTATUS Status = SqBegin(&Post, Qp, Flags, &SendKind);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    if ((Flags & NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT) != 0) {
        (VOID)PayloadAndEnd(&Post, RequestContext, pSgl, nSge, Qp->Sq.SgeMax);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
]==])

ndksim_add_variant(breaks-r-post-09 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
    return Qp->Phase != QpUnconnected && Qp->Phase != Fails;
]==]
  NEW [==[
    return Qp->Phase != Fails;
]==])

ndksim_add_variant(breaks-r-post-10 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
    if (Qp->Srq != NULL) {
        return STATUS_INVALID_DEVICE_REQUEST;
    }
]==]
  NEW [==[
    if (Qp->Srq != NULL) {
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    if (Qp->Phase == QpUnconnected) {
        return STATUS_CONNECTION_INVALID;
    }
]==])

ndksim_add_variant(breaks-r-post-11 BASE ndksim-rnic FILE ndkpi-model/provider/qp_complete.c
  OLD [==[
    To->Result.RequestContext = QpContextOf(Qp, &From);
]==]
  NEW [==[
    To->Result.RequestContext = (PVOID)((ULONG_PTR)QpContextOf(Qp, &From) ^ 1);
]==])

ndksim_add_variant(breaks-r-post-12 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
    if ((Flags & NDK_OP_FLAG_SILENT_SUCCESS) == 0) {
        Post->Wqe->flags |= RNIC_WQE_SIGNALLED;
    }
]==]
  NEW [==[
    Post->Wqe->flags |= RNIC_WQE_SIGNALLED;
]==])

ndksim_add_variant(breaks-r-post-13 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
    if ((Flags & NDK_OP_FLAG_READ_FENCE) != 0) {
        Post->Wqe->flags |= RNIC_WQE_FENCE;
    }
]==]
  NEW [==[
]==])

# The device fetches inline data later, by the SGEs.
ndksim_add_variant(breaks-r-post-14 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
    if ((Post->Flags & NDK_OP_FLAG_INLINE) != 0) {
        return PayloadInline(Post, pSgl, nSge, Length);
    }
    if (nSge > SgeMax) {
]==]
  NEW [==[
    if ((Post->Flags & NDK_OP_FLAG_INLINE) != 0 && nSge > SgeMax) {
        return PayloadInline(Post, pSgl, nSge, Length);
    }
    if (nSge > SgeMax) {
]==])

ndksim_add_variant(breaks-r-post-16 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
    if ((Post->Flags & NDK_OP_FLAG_INLINE) != 0) {
        return PayloadInline(Post, pSgl, nSge, Length);
    }
    if (nSge > SgeMax) {
        return STATUS_DATA_OVERRUN;
    }
]==]
  NEW [==[
    if (nSge > SgeMax) {
        return STATUS_DATA_OVERRUN;
    }
    if ((Post->Flags & NDK_OP_FLAG_INLINE) != 0) {
        return PayloadInline(Post, pSgl, nSge, Length);
    }
]==])

# Offsets within a line of 64 bytes are lost.
ndksim_add_variant(breaks-r-post-20 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
    Transfer->remote_address = RemoteAddress;
]==]
  NEW [==[
    Transfer->remote_address = RemoteAddress & ~63ull;
]==])

ndksim_add_variant(breaks-r-post-21 BASE ndksim-rnic FILE ndkpi-model/provider/qp_complete.c
  OLD [==[
        return STATUS_REMOTE_RESOURCES;
]==]
  NEW [==[
        return STATUS_ACCESS_VIOLATION;
]==])

ndksim_add_variant(breaks-r-post-22 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
        Post.Wqe->flags |= RNIC_WQE_LOCAL_INVALIDATE;
]==]
  NEW [==[
        Post.Flags = 0;
]==])

ndksim_add_variant(breaks-r-post-24 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
    (RNIC_POST_FLAGS_COMMON | NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT | NDK_OP_FLAG_INLINE)
]==]
  NEW [==[
    (RNIC_POST_FLAGS_COMMON | NDK_OP_FLAG_INLINE)
]==])

# The two CQs have changed places.
ndksim_add_variant(breaks-r-post-25 BASE ndksim-rnic FILE ndkpi-model/provider/qp_create.c
  OLD [==[
    const RNIC_QP_BASE Base = {PdOf(pNdkPd), CqOf(pReceiveCq), CqOf(pInitiatorCq), NULL, QPContext};
]==]
  NEW [==[
    const RNIC_QP_BASE Base = {PdOf(pNdkPd), CqOf(pInitiatorCq), CqOf(pReceiveCq), NULL, QPContext};
]==])

ndksim_add_variant(breaks-r-post-26 BASE ndksim-rnic FILE ndkpi-model/provider/qp_create.c
  OLD [==[
           Sizes->InitiatorSge <= Info->MaxInitiatorRequestSge &&
]==]
  NEW [==[
           Sizes->InitiatorSge <= Info->MaxInitiatorRequestSge + 1 &&
]==])

ndksim_add_variant(breaks-r-post-29 BASE ndksim-rnic FILE ndkpi-model/provider/qp_complete.c
  OLD [==[
        From.opcode == RNIC_CQE_RECV_INV ? From.key : RNIC_UNDEFINED;
]==]
  NEW [==[
        From.opcode == RNIC_CQE_RECV_INV ? From.key + 1 : RNIC_UNDEFINED;
]==])

# Nobody is told that the device found the connection broken.
ndksim_add_variant(breaks-r-post-30 BASE ndksim-rnic FILE ndkpi-model/provider/qp_state.c
  OLD [==[
    CmQpError(Qp, Syndrome);
]==]
  NEW [==[
    UNREFERENCED_PARAMETER(Syndrome);
]==])

# The token that it names goes nowhere.
ndksim_add_variant(breaks-r-post-31 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
static const RNIC_POST_KIND SendAndInvalidateKind = {RNIC_WQE_SEND_INV, RNIC_SEND_FLAGS,
]==]
  NEW [==[
static const RNIC_POST_KIND SendAndInvalidateKind = {RNIC_WQE_SEND, RNIC_SEND_FLAGS,
]==])

ndksim_add_variant(breaks-r-post-33 BASE ndksim-rnic FILE ndkpi-model/provider/qp_state.c
  OLD [==[
    if (InterlockedExchange(&Qp->FlushUnderWay, 1) != 0) {
]==]
  NEW [==[
    if (InterlockedExchange(&Qp->FlushUnderWay, 1) == 0) {
]==])

ndksim_add_variant(breaks-r-post-35 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
    if (Sq->Producer - Sq->Freed < Sq->Depth) {
        return TRUE;
    }
]==]
  NEW [==[
    if (Qp->Rq.Producer - Qp->Rq.Freed >= Qp->Rq.Depth) {
        return FALSE;
    }
    if (Sq->Producer - Sq->Freed < Sq->Depth) {
        return TRUE;
    }
]==])
