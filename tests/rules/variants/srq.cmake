# SPDX-License-Identifier: Apache-2.0
# The limit is not kept.
ndksim_add_variant(breaks-r-srq-01 BASE ndksim-rnic FILE ndkpi-model/provider/srq.c
  OLD [==[
    if (SrqDepth == 0 || SrqDepth > Adapter->Info.MaxSrqDepth ||
]==]
  NEW [==[
    if (SrqDepth == 0 || SrqDepth > 2u * Adapter->Info.MaxSrqDepth ||
]==])

# Results of an SRQ carry no QP's context.
ndksim_add_variant(breaks-r-srq-02 BASE ndksim-rnic FILE ndkpi-model/provider/qp_complete.c
  OLD [==[
    To->Result.QPContext = Qp->Context;
]==]
  NEW [==[
    To->Result.QPContext = Receive && Qp->Srq != NULL ? NULL : Qp->Context;
]==])

# The notification comes one receive too early.
ndksim_add_variant(breaks-r-srq-03 BASE ndksim-rnic FILE ndkpi-model/provider/srq.c
  OLD [==[
    Create->limit = Srq->Armed ? Srq->Threshold : 0;
]==]
  NEW [==[
    Create->limit = Srq->Armed ? Srq->Threshold + 1 : 0;
]==])

# A notification that was made is owed still.
ndksim_add_variant(breaks-r-srq-04 BASE ndksim-rnic FILE ndkpi-model/provider/srq_notify.c
  OLD [==[
        Srq->Due = FALSE;
        if (Srq->Failed) {
]==]
  NEW [==[
        if (Srq->Failed) {
]==])

# A modify does not arm.
ndksim_add_variant(breaks-r-srq-05 BASE ndksim-rnic FILE ndkpi-model/provider/srq_modify.c
  OLD [==[
        Modify->Arms = Threshold != 0 && Srq->Notification != NULL;
]==]
  NEW [==[
        Modify->Arms = FALSE;
]==])

# A threshold of 0 disarms.
ndksim_add_variant(breaks-r-srq-06 BASE ndksim-rnic FILE ndkpi-model/provider/srq_modify.c
  OLD [==[
    if (Modify->Arms) {
        To->flags |= RNIC_SRQ_MODIFY_LIMIT;
]==]
  NEW [==[
    if (TRUE) {
        To->flags |= RNIC_SRQ_MODIFY_LIMIT;
]==])

# The limit is not kept.
ndksim_add_variant(breaks-r-srq-07 BASE ndksim-rnic FILE ndkpi-model/provider/srq_modify.c
  OLD [==[
    if (SrqDepth > Adapter->Info.MaxSrqDepth) {
]==]
  NEW [==[
    if (SrqDepth > 2u * Adapter->Info.MaxSrqDepth) {
]==])

# A failed SRQ tells a status of its own.
ndksim_add_variant(breaks-r-srq-09 BASE ndksim-rnic FILE ndkpi-model/provider/srq_notify.c
  OLD [==[
            Status = STATUS_INTERNAL_ERROR;
]==]
  NEW [==[
            Status = STATUS_UNSUCCESSFUL;
]==])

# A QP does not hold its SRQ.
ndksim_add_variant(breaks-r-srq-11 BASE ndksim-rnic FILE ndkpi-model/provider/qp_create.c
  OLD [==[
        ObjectGet(&Qp->Srq->Object, RefSuccessor);
]==]
  NEW [==[
        (VOID)Qp;
]==])
