/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What completer.c and completer_retry.c share.
 */
#ifndef RNIC_COMPLETER_H
#define RNIC_COMPLETER_H

#include "qp.h"

void rnic_completer_timer_init(struct rnic_qp *qp);
/* Runs anew from now while requests are unacknowledged, else stops. */
void rnic_completer_timer_restart(struct rnic_qp *qp);

/* An answer shows that READ responses before it were lost. */
void rnic_completer_response_lost(struct rnic_qp *qp);
/* NAKs for the PSN `expected`; everything before is finished. Reserved syndromes are errors. */
void rnic_completer_on_rnr(struct rnic_qp *qp, uint8_t timer_code);
void rnic_completer_on_nak(struct rnic_qp *qp, uint8_t syndrome);

/* The oldest WQE fails and takes the QP with it. */
void rnic_completer_fail_head(struct rnic_qp *qp, enum rnic_cqe_status status,
                              enum rnic_syndrome syndrome);

#endif
