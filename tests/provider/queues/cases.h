/* SPDX-License-Identifier: Apache-2.0 */
/* The cases, in one list for the driver that runs them and for the program that loads it. */
#ifndef TESTS_PROVIDER_QUEUES_CASES_H
#define TESTS_PROVIDER_QUEUES_CASES_H

#define QUEUES_CASES(CASE)                                                                         \
    CASE(SrqFeedsTwoQps)                                                                           \
    CASE(SrqHoldsWhenEmpty)                                                                        \
    CASE(SrqThreshold)                                                                             \
    CASE(SrqThresholdArmedLow)                                                                     \
    CASE(SrqRefusals)                                                                              \
    CASE(SrqChangesDepth)                                                                          \
    CASE(SrqClosedFirst)                                                                           \
    CASE(SrqClosedInCallback)                                                                      \
    CASE(SrqAfterFlush)                                                                            \
    CASE(SrqFails)                                                                                 \
    CASE(SrqFailsUnarmed)                                                                          \
    CASE(SrqNotOffered)                                                                            \
    CASE(SrqShortage)                                                                              \
    CASE(ArmTypes)                                                                                 \
    CASE(ArmCombines)                                                                              \
    CASE(ArmOnOldResults)                                                                          \
    CASE(ArmInCallback)                                                                            \
    CASE(CqClosedInCallback)                                                                       \
    CASE(CqResized)                                                                                \
    CASE(CqPolledWhileResized)                                                                     \
    CASE(CqResizeRefusals)                                                                         \
    CASE(CqResizesInARow)                                                                          \
    CASE(CqOptionsNotOffered)                                                                      \
    CASE(CqOverrun)                                                                                \
    CASE(CqOverrunUnarmed)                                                                         \
    CASE(CqFails)                                                                                  \
    CASE(CqShortage)                                                                               \
    CASE(Moderation)                                                                               \
    CASE(ModerationSettings)                                                                       \
    CASE(Affinity)                                                                                 \
    CASE(PingPong)                                                                                 \
    CASE(Records)                                                                                  \
    CASE(AtDispatchLevel)

#define QUEUES_CASE_NUMBER(name) Case##name,
enum { QUEUES_CASES(QUEUES_CASE_NUMBER) CaseCount };

#endif
