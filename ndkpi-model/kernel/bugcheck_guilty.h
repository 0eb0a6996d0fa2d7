/* SPDX-License-Identifier: Apache-2.0 */
/* Whose fault a bugcheck is. */
#ifndef KRN_BUGCHECK_GUILTY_H
#define KRN_BUGCHECK_GUILTY_H

#include <krn/bugcheck.h>
#include <krn/driver.h>
#include <krn/memory.h>

/* Names the driver as the guilty one; no-op for NULL. */
void krn_bugcheck_blame(struct sim_finding *finding, struct krn_driver *driver);
/* The first driver whose code is on the captured stack, or NULL. */
struct krn_driver *krn_site_driver(const struct sim_world *world, const struct sim_site *site);
/* Adds a kept site as one of the finding's; no-op for NULL, for one never kept, and without room.
 */
void krn_kept_site_add(const struct sim_world *world, const struct sim_kept_site *kept,
                       const char *what, struct sim_finding *finding);
/* Lets the interposer add what has to do with it; see krn/ndk.h. */
void krn_ndk_explain(struct sim_world *world, struct sim_finding *finding);
/* The interposer is told of a freed block. */
void krn_ndk_freed(struct sim_world *world, void *start);
/* Lets the interposer make one of its rules of a finding about touched memory; see krn/ndk.h. */
void krn_ndk_judge(struct sim_world *world, const void *address, struct krn_driver *by,
                   struct sim_finding *finding);
/*
 * krn_bugcheck, for what a driver's routine did that has returned: `driver` is the guilty one, and
 * the routine's first line (NULL: unknown) the place.
 */
SIM_NORETURN void krn_bugcheck_of(struct krn_driver *driver, const void *routine, uint32_t code,
                                  uint64_t p2, uint64_t p3, const char *format, ...)
    SIM_PRINTF(6, 7);

/* Names the spin lock that the context holds, where that explains the bugcheck. */
void krn_bugcheck_tell_lock(struct sim_world *world, struct sim_finding *finding);

#endif
