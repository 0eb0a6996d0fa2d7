/* SPDX-License-Identifier: Apache-2.0 */
/* The places where a scenario may make this provider fail as the interface's pages allow. */
#include "adapter.h"

const NDKSIM_FAULT_POINT NdksimFaultPoints[] = {
    {"provider.open.resources", "OpenNDKAdapterHandler answers NDIS_STATUS_RESOURCES."},
    {"provider.create_pd.insufficient_resources", "NdkCreatePd fails."},
    {"provider.create_cq.insufficient_resources", "NdkCreateCq fails."},
    {"provider.create_qp.insufficient_resources", "NdkCreateQp fails."},
    {"provider.create_qp_with_srq.insufficient_resources", "NdkCreateQpWithSrq fails."},
    {"provider.create_srq.insufficient_resources", "NdkCreateSrq fails."},
    {"provider.create_mr.insufficient_resources", "NdkCreateMr fails."},
    {"provider.create_mw.insufficient_resources", "NdkCreateMw fails."},
    {"provider.create_connector.insufficient_resources", "NdkCreateConnector fails."},
    {"provider.create_listener.insufficient_resources", "NdkCreateListener fails."},
    {"provider.register_mr.insufficient_resources", "NdkRegisterMr fails."},
    {"provider.initialize_fast_register_mr.insufficient_resources",
     "NdkInitializeFastRegisterMr fails."},
    {"provider.build_lam.insufficient_resources", "NdkBuildLam fails."},
    {"provider.listen.insufficient_resources", "NdkListen fails."},
    {"provider.connect.insufficient_resources", "NdkConnect fails."},
    {"provider.resize_cq.insufficient_resources", "NdkResizeCq fails."},
    {"provider.control_cq_interrupt_moderation.insufficient_resources",
     "NdkControlCqInterruptModeration fails."},
    {"provider.modify_srq.insufficient_resources", "NdkModifySrq fails."},
    {"provider.receive.insufficient_resources", "NdkReceive fails."},
    {"provider.srq_receive.insufficient_resources", "NdkSrqReceive fails."},
    {"provider.post.insufficient_resources", "A post to the initiator queue fails."},
    {NULL, NULL},
};
