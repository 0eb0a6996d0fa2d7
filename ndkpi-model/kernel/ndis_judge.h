/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of NDIS and WSK that the kernel sees broken. It says so through the door of krn/ndk.h;
 * whether that is a finding is the verifier's. A finding that ends the run does not return.
 */
#ifndef KRN_NDIS_JUDGE_H
#define KRN_NDIS_JUDGE_H

#include "kernel.h"

/* By the miniport of `adapter`. */
SIM_PRINTF(3, 4)
void krn_adapter_broken(struct krn_adapter *adapter, const char *rule, const char *format, ...);

/* By `driver`, about `subject` (NULL: about itself). */
SIM_PRINTF(4, 5)
void krn_driver_broken(struct krn_driver *driver, struct sim_object *subject, const char *rule,
                       const char *format, ...);

/* By `driver`, about a WSK registration, which was made at `made`. */
struct sim_kept_site;
SIM_PRINTF(5, 6)
void krn_wsk_broken(struct krn_driver *driver, struct sim_object *subject,
                    const struct sim_kept_site *made, const char *rule, const char *format, ...);

/* The answer to an NDK OID: contents, sizes, refusals. `bytes` were written. */
struct krn_oid;
void krn_oid_judge(struct krn_adapter *adapter, const struct krn_oid *oid, int32_t status,
                   uint64_t bytes);

/* What fills the buffer of a query before the miniport sees it. */
#define KRN_OID_FILL 0xA5

#endif
