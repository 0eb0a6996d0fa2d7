/* SPDX-License-Identifier: Apache-2.0 */
/* The cases, in one list for the driver that runs them and for the program that loads it. */
#ifndef TESTS_PROVIDER_MEMORY_CASES_H
#define TESTS_PROVIDER_MEMORY_CASES_H

#define MEMORY_CASES(CASE)                                                                         \
    CASE(RegionRights)                                                                             \
    CASE(RegionBounds)                                                                             \
    CASE(RegionRefusals)                                                                           \
    CASE(RegionTokens)                                                                             \
    CASE(RegionAddressIsAnIndex)                                                                   \
    CASE(RegionEndsWithDeregister)                                                                 \
    CASE(RegionOfAnotherPd)                                                                        \
    CASE(FastLimits)                                                                               \
    CASE(FastArguments)                                                                            \
    CASE(FastShufflesPages)                                                                        \
    CASE(FastTokens)                                                                               \
    CASE(FastRights)                                                                               \
    CASE(FastTwice)                                                                                \
    CASE(FastInitialisedOften)                                                                     \
    CASE(MappingSizes)                                                                             \
    CASE(MappingArguments)                                                                         \
    CASE(MappingAnswers)                                                                           \
    CASE(PrivilegedToken)                                                                          \
    CASE(PostsWithoutConnection)                                                                   \
    CASE(PostFlags)                                                                                \
    CASE(PostSilently)                                                                             \
    CASE(PostInline)                                                                               \
    CASE(PostSgeLimits)                                                                            \
    CASE(PostQueueFull)                                                                            \
    CASE(PostReadAndInvalidate)                                                                    \
    CASE(PostResults)                                                                              \
    CASE(PostFence)                                                                                \
    CASE(PostFailures)                                                                             \
    CASE(DeferReleases)                                                                            \
    CASE(Versions)                                                                                 \
    CASE(Extensions)                                                                               \
    CASE(EveryCallOnce)                                                                            \
    CASE(WindowGivesItsRange)                                                                      \
    CASE(WindowTokenChangesWithEachBind)                                                           \
    CASE(WindowRefusals)                                                                           \
    CASE(WindowOfAnotherQp)                                                                        \
    CASE(WindowBoundTwice)                                                                         \
    CASE(WindowInvalidatedByPeer)                                                                  \
    CASE(WindowHoldsItsRegion)                                                                     \
    CASE(WindowClosedWhileBusy)

#define MEMORY_CASE_NUMBER(name) Case##name,
enum { MEMORY_CASES(MEMORY_CASE_NUMBER) CaseCount };

#endif
