# SPDX-License-Identifier: Apache-2.0
# Where moderation is not offered it is asked for with success.
ndksim_add_variant(breaks-r-mod-02 BASE ndksim-rnic FILE ndkpi-model/provider/cq_moderate.c
  OLD [==[
        return STATUS_NOT_SUPPORTED;
]==]
  NEW [==[
        return STATUS_SUCCESS;
]==])

# What is offered is refused as an unsupported pair.
ndksim_add_variant(breaks-r-mod-03 BASE ndksim-rnic FILE ndkpi-model/provider/cq_moderate.c
  OLD [==[
               ? STATUS_SUCCESS
]==]
  NEW [==[
               ? STATUS_INVALID_PARAMETER_MIX
]==])

# Moderation asks for patience, but there is no completion.
ndksim_add_variant(breaks-r-mod-04 BASE ndksim-rnic FILE ndkpi-model/provider/cq_moderate.c
  OLD [==[
               ? STATUS_SUCCESS
]==]
  NEW [==[
               ? STATUS_PENDING
]==])

# New CQs are moderated.
ndksim_add_variant(breaks-r-mod-05 BASE ndksim-rnic FILE ndkpi-model/provider/cq.c
  OLD [==[
        Cq->Created = TRUE;
        CqTableAdd(Cq);
]==]
  NEW [==[
        Cq->Created = TRUE;
        CqTableAdd(Cq);
        NdkControlCqInterruptModeration(&Cq->Object.Ndk.Cq, 1000, 16);
]==])

# An interval of 0 means some default.
ndksim_add_variant(breaks-r-mod-06 BASE ndksim-rnic FILE ndkpi-model/provider/cq_moderate.c
  OLD [==[
    ULONG64 Ns = (ULONG64)IntervalUs * 1000;
]==]
  NEW [==[
    ULONG64 Ns = (IntervalUs == 0 ? 1000 : (ULONG64)IntervalUs) * 1000;
]==])

# MAXULONG is an interval as any other.
ndksim_add_variant(breaks-r-mod-07 BASE ndksim-rnic FILE ndkpi-model/provider/cq_moderate.c
  OLD [==[
        return RNIC_MODERATION_UNBOUNDED;
]==]
  NEW [==[
        return 1000000;
]==])

# The interval is taken for ten times as long.
ndksim_add_variant(breaks-r-mod-09 BASE ndksim-rnic FILE ndkpi-model/provider/cq_moderate.c
  OLD [==[
    ULONG64 Ns = (ULONG64)IntervalUs * 1000;
]==]
  NEW [==[
    ULONG64 Ns = (ULONG64)IntervalUs * 10000;
]==])

# The first setting holds.
ndksim_add_variant(breaks-r-mod-10 BASE ndksim-rnic FILE ndkpi-model/provider/cq_moderate.c
  OLD [==[
    CommandInit(&Command, RNIC_CMD_MODERATE_CQ, Cq->Cqn);
]==]
  NEW [==[
    static LONG Calls;

    if (Calls++ != 0) {
        return STATUS_SUCCESS;
    }
    CommandInit(&Command, RNIC_CMD_MODERATE_CQ, Cq->Cqn);
]==])
