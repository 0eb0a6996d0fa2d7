# SPDX-License-Identifier: Apache-2.0
# Lengths are rounded up.
ndksim_add_variant(breaks-r-res-01 BASE ndksim-rnic FILE ndkpi-model/provider/qp_complete.c
  OLD [==[
        To->Result.BytesTransferred = NT_SUCCESS(Status) ? From.byte_count : 0;
]==]
  NEW [==[
        To->Result.BytesTransferred = NT_SUCCESS(Status) ? (From.byte_count + 3) & ~3u : 0;
]==])

ndksim_add_variant(breaks-r-res-02 BASE ndksim-rnic FILE ndkpi-model/provider/qp_complete.c
  OLD [==[
    [RNIC_CQE_READ] = NdkOperationTypeRead,
]==]
  NEW [==[
    [RNIC_CQE_READ] = NdkOperationTypeWrite,
]==])

ndksim_add_variant(breaks-r-post-27 BASE ndksim-rnic FILE ndkpi-model/provider/qp_complete.c
  OLD [==[
    [RNIC_CQE_SEND] = NdkOperationTypeSend,
]==]
  NEW [==[
    [RNIC_CQE_SEND] = NdkOperationTypeInvalidate,
]==])

ndksim_add_variant(breaks-r-res-04 BASE ndksim-rnic FILE ndkpi-model/provider/qp_complete.c
  OLD [==[
        Status == STATUS_SUCCESS ? 0 : (ULONG)From.status << 8 | From.syndrome;
]==]
  NEW [==[
        (ULONG)From.status << 8 | From.syndrome | 1;
]==])

# The plain poll gives the newest first.
ndksim_add_variant(breaks-r-res-06 BASE ndksim-rnic FILE ndkpi-model/provider/cq_poll.c
  OLD [==[
        const RNIC_RESOLVED *From = (const RNIC_RESOLVED *)CqEntry(Cq, Cq->Consumed + i);
]==]
  NEW [==[
        const RNIC_RESOLVED *From =
            (const RNIC_RESOLVED *)CqEntry(Cq, Cq->Consumed + Count - 1 - i);
]==])
