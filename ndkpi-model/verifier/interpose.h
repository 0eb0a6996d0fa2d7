/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interposed tables, one constant table per object type. Every function finds its object's
 * shadow, and through it the provider's function, by its first argument.
 */
#ifndef VRF_INTERPOSE_H
#define VRF_INTERPOSE_H

#include <ndkpi.h>

struct krn_ndk_interposer;

extern const NDK_ADAPTER_DISPATCH vrf_adapter_table;
extern const NDK_CONNECTOR_DISPATCH vrf_connector_table;
extern const NDK_CQ_DISPATCH vrf_cq_table;
extern const NDK_LISTENER_DISPATCH vrf_listener_table;
extern const NDK_MR_DISPATCH vrf_mr_table;
extern const NDK_MW_DISPATCH vrf_mw_table;
extern const NDK_PD_DISPATCH vrf_pd_table;
extern const NDK_QP_DISPATCH vrf_qp_table;
extern const NDK_SHARED_ENDPOINT_DISPATCH vrf_shared_endpoint_table;
extern const NDK_SRQ_DISPATCH vrf_srq_table;

const void *vrf_table_of(unsigned type);

/* The verifier's ends of the kernel's door for adapters. */
extern const struct krn_ndk_interposer vrf_interposer;

#endif
