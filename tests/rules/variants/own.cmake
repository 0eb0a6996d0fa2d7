# SPDX-License-Identifier: Apache-2.0
# The QP is gone, so its results are nobody's.
ndksim_add_variant(breaks-r-own-16 BASE ndksim-rnic FILE ndkpi-model/provider/cq_poll.c
  OLD [==[
    if (Qp->Srq == NULL || Qp->Object.Owner->Settings.StrictSlots == 0) {
        return;
    }
]==]
  NEW [==[
    if (Qp->Srq == NULL) {
        CqResolve(Cq);
        Cq->Visible = Cq->Resolved;
        Cq->Consumed = Cq->Resolved;
        return;
    }
]==])

ndksim_add_variant(breaks-r-own-17 BASE ndksim-rnic FILE ndkpi-model/provider/cm_establish.c
  OLD [==[
                                 : STATUS_CONNECTION_REFUSED);
]==]
  NEW [==[
                                 : STATUS_SUCCESS);
]==])
