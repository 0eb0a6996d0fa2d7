# SPDX-License-Identifier: Apache-2.0
# A failure leaves what is held where it is.
ndksim_add_variant(breaks-r-defer-04 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
NTSTATUS SqFail(PRNIC_POST Post, NTSTATUS Status) {
    QpRingSq(Post->Qp);
]==]
  NEW [==[
NTSTATUS SqFail(PRNIC_POST Post, NTSTATUS Status) {
]==])

# A plain request behind held ones is held, too.
ndksim_add_variant(breaks-r-defer-06 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
    if (!SqHolds(Post)) {
]==]
  NEW [==[
    if ((Post->Flags & NDK_OP_FLAG_DEFER) == 0 && Sq->Rung == Sq->Producer - 1) {
]==])

# Flags are looked at when the request stands in the ring already.
ndksim_add_variant(breaks-r-defer-08 BASE ndksim-rnic FILE ndkpi-model/provider/qp_post.c
  OLD [==[
    NTSTATUS Status = SqBegin(&Post, Qp, Flags, &WriteKind);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    RemotePlace(&Post, RemoteAddress, RemoteToken);
]==]
  NEW [==[
    NTSTATUS Status = SqBegin(&Post, Qp, Flags & 0xFFF, &WriteKind);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    RemotePlace(&Post, RemoteAddress, RemoteToken);
    if ((Flags & ~0xFFFul) != 0) {
        Post.Wqe->flags &= (UCHAR)~RNIC_WQE_SIGNALLED;
        (VOID)PayloadAndEnd(&Post, RequestContext, pSgl, nSge, Qp->Sq.SgeMax);
        return STATUS_INVALID_PARAMETER;
    }
]==])
