/* SPDX-License-Identifier: Apache-2.0 */
/* The fake provider: CQs, MRs, MWs, PDs, QPs and SRQs. */
#include "fake_note.h"

static NTSTATUS cq_close_cq(NDK_OBJECT_HEADER *a0, NDK_FN_CLOSE_COMPLETION a1, PVOID a2) {
    NOTE("cq.NdkCloseCq", V(a0), V(a1), V(a2));
    return fake.status;
}

static NTSTATUS cq_query_extension(NDK_OBJECT_HEADER *a0, GUID *a1, NDK_VERSION a2,
                                   NDK_EXTENSION_INTERFACE *a3) {
    NOTE("cq.NdkQueryExtension", V(a0), V(a1), a2.Major << 16 | a2.Minor, V(a3));
    return fake.status;
}

static NTSTATUS cq_resize_cq(NDK_CQ *a0, ULONG a1, NDK_FN_REQUEST_COMPLETION a2, PVOID a3) {
    NOTE("cq.NdkResizeCq", V(a0), V(a1), V(a2), V(a3));
    return fake.status;
}

static VOID cq_arm_cq(NDK_CQ *a0, ULONG a1) {
    NOTE("cq.NdkArmCq", V(a0), V(a1));
}

static ULONG cq_get_cq_results(NDK_CQ *a0, NDK_RESULT *a1, ULONG a2) {
    NOTE("cq.NdkGetCqResults", V(a0), V(a1), V(a2));
    return fake_take(a1, a2);
}

static NTSTATUS cq_control_cq_interrupt_moderation(NDK_CQ *a0, ULONG a1, ULONG a2) {
    NOTE("cq.NdkControlCqInterruptModeration", V(a0), V(a1), V(a2));
    return fake.status;
}

static ULONG cq_get_cq_results_ex(NDK_CQ *a0, NDK_RESULT_EX *a1, ULONG a2) {
    NOTE("cq.NdkGetCqResultsEx", V(a0), V(a1), V(a2));
    return fake_take_ex(a1, a2);
}

static NTSTATUS mr_close_mr(NDK_OBJECT_HEADER *a0, NDK_FN_CLOSE_COMPLETION a1, PVOID a2) {
    NOTE("mr.NdkCloseMr", V(a0), V(a1), V(a2));
    return fake.status;
}

static NTSTATUS mr_query_extension(NDK_OBJECT_HEADER *a0, GUID *a1, NDK_VERSION a2,
                                   NDK_EXTENSION_INTERFACE *a3) {
    NOTE("mr.NdkQueryExtension", V(a0), V(a1), a2.Major << 16 | a2.Minor, V(a3));
    return fake.status;
}

static NTSTATUS mr_register_mr(NDK_MR *a0, MDL *a1, SIZE_T a2, ULONG a3,
                               NDK_FN_REQUEST_COMPLETION a4, PVOID a5) {
    NOTE("mr.NdkRegisterMr", V(a0), V(a1), V(a2), V(a3), V(a4), V(a5));
    return fake.status;
}

static NTSTATUS mr_deregister_mr(NDK_MR *a0, NDK_FN_REQUEST_COMPLETION a1, PVOID a2) {
    NOTE("mr.NdkDeregisterMr", V(a0), V(a1), V(a2));
    return fake.status;
}

static NTSTATUS mr_initialize_fast_register_mr(NDK_MR *a0, ULONG a1, BOOLEAN a2,
                                               NDK_FN_REQUEST_COMPLETION a3, PVOID a4) {
    NOTE("mr.NdkInitializeFastRegisterMr", V(a0), V(a1), V(a2), V(a3), V(a4));
    return fake.status;
}

static UINT32 mr_get_remote_token_from_mr(NDK_MR *a0) {
    NOTE("mr.NdkGetRemoteTokenFromMr", V(a0));
    return fake.value;
}

static UINT32 mr_get_local_token_from_mr(NDK_MR *a0) {
    NOTE("mr.NdkGetLocalTokenFromMr", V(a0));
    return fake.value;
}

static NTSTATUS mw_close_mw(NDK_OBJECT_HEADER *a0, NDK_FN_CLOSE_COMPLETION a1, PVOID a2) {
    NOTE("mw.NdkCloseMw", V(a0), V(a1), V(a2));
    return fake.status;
}

static NTSTATUS mw_query_extension(NDK_OBJECT_HEADER *a0, GUID *a1, NDK_VERSION a2,
                                   NDK_EXTENSION_INTERFACE *a3) {
    NOTE("mw.NdkQueryExtension", V(a0), V(a1), a2.Major << 16 | a2.Minor, V(a3));
    return fake.status;
}

static UINT32 mw_get_remote_token_from_mw(NDK_MW *a0) {
    NOTE("mw.NdkGetRemoteTokenFromMw", V(a0));
    return fake.value;
}

static NTSTATUS pd_close_pd(NDK_OBJECT_HEADER *a0, NDK_FN_CLOSE_COMPLETION a1, PVOID a2) {
    NOTE("pd.NdkClosePd", V(a0), V(a1), V(a2));
    return fake.status;
}

static NTSTATUS pd_query_extension(NDK_OBJECT_HEADER *a0, GUID *a1, NDK_VERSION a2,
                                   NDK_EXTENSION_INTERFACE *a3) {
    NOTE("pd.NdkQueryExtension", V(a0), V(a1), a2.Major << 16 | a2.Minor, V(a3));
    return fake.status;
}

static NTSTATUS pd_create_mr(NDK_PD *a0, BOOLEAN a1, NDK_FN_CREATE_COMPLETION a2, PVOID a3,
                             NDK_MR **a4) {
    NOTE("pd.NdkCreateMr", V(a0), V(a1), V(a2), V(a3), V(a4));
    if (fake.status == STATUS_SUCCESS) {
        *a4 = fake.object != NULL ? fake.object : (void *)&fake.mr;
    }
    return fake.status;
}

static NTSTATUS pd_create_mw(NDK_PD *a0, NDK_FN_CREATE_COMPLETION a1, PVOID a2, NDK_MW **a3) {
    NOTE("pd.NdkCreateMw", V(a0), V(a1), V(a2), V(a3));
    if (fake.status == STATUS_SUCCESS) {
        *a3 = fake.object != NULL ? fake.object : (void *)&fake.mw;
    }
    return fake.status;
}

static NTSTATUS pd_create_srq(NDK_PD *a0, ULONG a1, ULONG a2, ULONG a3,
                              NDK_FN_SRQ_NOTIFICATION_CALLBACK a4, PVOID a5, GROUP_AFFINITY *a6,
                              NDK_FN_CREATE_COMPLETION a7, PVOID a8, NDK_SRQ **a9) {
    NOTE("pd.NdkCreateSrq", V(a0), V(a1), V(a2), V(a3), V(a4), V(a5), V(a6), V(a7), V(a8), V(a9));
    if (fake.status == STATUS_SUCCESS) {
        *a9 = fake.object != NULL ? fake.object : (void *)&fake.srq;
    }
    return fake.status;
}

static NTSTATUS pd_create_qp(NDK_PD *a0, NDK_CQ *a1, NDK_CQ *a2, PVOID a3, ULONG a4, ULONG a5,
                             ULONG a6, ULONG a7, ULONG a8, NDK_FN_CREATE_COMPLETION a9, PVOID a10,
                             NDK_QP **a11) {
    NOTE("pd.NdkCreateQp", V(a0), V(a1), V(a2), V(a3), V(a4), V(a5), V(a6), V(a7), V(a8), V(a9),
         V(a10), V(a11));
    if (fake.status == STATUS_SUCCESS) {
        *a11 = fake.object != NULL ? fake.object : (void *)&fake.qp;
    }
    return fake.status;
}

static NTSTATUS pd_create_qp_with_srq(NDK_PD *a0, NDK_CQ *a1, NDK_CQ *a2, NDK_SRQ *a3, PVOID a4,
                                      ULONG a5, ULONG a6, ULONG a7, NDK_FN_CREATE_COMPLETION a8,
                                      PVOID a9, NDK_QP **a10) {
    NOTE("pd.NdkCreateQpWithSrq", V(a0), V(a1), V(a2), V(a3), V(a4), V(a5), V(a6), V(a7), V(a8),
         V(a9), V(a10));
    if (fake.status == STATUS_SUCCESS) {
        *a10 = fake.object != NULL ? fake.object : (void *)&fake.qp;
    }
    return fake.status;
}

static VOID pd_get_privileged_memory_region_token(NDK_PD *a0, UINT32 *a1) {
    NOTE("pd.NdkGetPrivilegedMemoryRegionToken", V(a0), V(a1));
    *a1 = fake.value;
}

static NTSTATUS qp_close_qp(NDK_OBJECT_HEADER *a0, NDK_FN_CLOSE_COMPLETION a1, PVOID a2) {
    NOTE("qp.NdkCloseQp", V(a0), V(a1), V(a2));
    return fake.status;
}

static NTSTATUS qp_query_extension(NDK_OBJECT_HEADER *a0, GUID *a1, NDK_VERSION a2,
                                   NDK_EXTENSION_INTERFACE *a3) {
    NOTE("qp.NdkQueryExtension", V(a0), V(a1), a2.Major << 16 | a2.Minor, V(a3));
    return fake.status;
}

static VOID qp_flush(NDK_QP *a0) {
    NOTE("qp.NdkFlush", V(a0));
}

static NTSTATUS qp_send(NDK_QP *a0, PVOID a1, CONST NDK_SGE *a2, ULONG a3, ULONG a4) {
    NOTE("qp.NdkSend", V(a0), V(a1), V(a2), V(a3), V(a4));
    return fake.status;
}

static NTSTATUS qp_receive(NDK_QP *a0, PVOID a1, CONST NDK_SGE *a2, ULONG a3) {
    NOTE("qp.NdkReceive", V(a0), V(a1), V(a2), V(a3));
    return fake.status;
}

static NTSTATUS qp_bind(NDK_QP *a0, PVOID a1, NDK_MR *a2, NDK_MW *a3, PVOID a4, SIZE_T a5,
                        ULONG a6) {
    NOTE("qp.NdkBind", V(a0), V(a1), V(a2), V(a3), V(a4), V(a5), V(a6));
    return fake.status;
}

static NTSTATUS qp_fast_register(NDK_QP *a0, PVOID a1, NDK_MR *a2, ULONG a3,
                                 CONST NDK_LOGICAL_ADDRESS *a4, ULONG a5, SIZE_T a6, PVOID a7,
                                 ULONG a8) {
    NOTE("qp.NdkFastRegister", V(a0), V(a1), V(a2), V(a3), V(a4), V(a5), V(a6), V(a7), V(a8));
    return fake.status;
}

static NTSTATUS qp_invalidate(NDK_QP *a0, PVOID a1, NDK_OBJECT_HEADER *a2, ULONG a3) {
    NOTE("qp.NdkInvalidate", V(a0), V(a1), V(a2), V(a3));
    return fake.status;
}

static NTSTATUS qp_read(NDK_QP *a0, PVOID a1, CONST NDK_SGE *a2, ULONG a3, UINT64 a4, UINT32 a5,
                        ULONG a6) {
    NOTE("qp.NdkRead", V(a0), V(a1), V(a2), V(a3), V(a4), V(a5), V(a6));
    return fake.status;
}

static NTSTATUS qp_write(NDK_QP *a0, PVOID a1, CONST NDK_SGE *a2, ULONG a3, UINT64 a4, UINT32 a5,
                         ULONG a6) {
    NOTE("qp.NdkWrite", V(a0), V(a1), V(a2), V(a3), V(a4), V(a5), V(a6));
    return fake.status;
}

static NTSTATUS qp_send_and_invalidate(NDK_QP *a0, PVOID a1, CONST NDK_SGE *a2, ULONG a3, ULONG a4,
                                       UINT32 a5) {
    NOTE("qp.NdkSendAndInvalidate", V(a0), V(a1), V(a2), V(a3), V(a4), V(a5));
    return fake.status;
}

static NTSTATUS srq_close_srq(NDK_OBJECT_HEADER *a0, NDK_FN_CLOSE_COMPLETION a1, PVOID a2) {
    NOTE("srq.NdkCloseSrq", V(a0), V(a1), V(a2));
    return fake.status;
}

static NTSTATUS srq_query_extension(NDK_OBJECT_HEADER *a0, GUID *a1, NDK_VERSION a2,
                                    NDK_EXTENSION_INTERFACE *a3) {
    NOTE("srq.NdkQueryExtension", V(a0), V(a1), a2.Major << 16 | a2.Minor, V(a3));
    return fake.status;
}

static NTSTATUS srq_modify_srq(NDK_SRQ *a0, ULONG a1, ULONG a2, NDK_FN_REQUEST_COMPLETION a3,
                               PVOID a4) {
    NOTE("srq.NdkModifySrq", V(a0), V(a1), V(a2), V(a3), V(a4));
    return fake.status;
}

static NTSTATUS srq_srq_receive(NDK_SRQ *a0, PVOID a1, CONST NDK_SGE *a2, ULONG a3) {
    NOTE("srq.NdkSrqReceive", V(a0), V(a1), V(a2), V(a3));
    return fake.status;
}

const NDK_CQ_DISPATCH fake_cq_table = {
    .NdkCloseCq = cq_close_cq,
    .NdkQueryExtension = cq_query_extension,
    .NdkResizeCq = cq_resize_cq,
    .NdkArmCq = cq_arm_cq,
    .NdkGetCqResults = cq_get_cq_results,
    .NdkControlCqInterruptModeration = cq_control_cq_interrupt_moderation,
    .NdkGetCqResultsEx = cq_get_cq_results_ex,
};

const NDK_MR_DISPATCH fake_mr_table = {
    .NdkCloseMr = mr_close_mr,
    .NdkQueryExtension = mr_query_extension,
    .NdkRegisterMr = mr_register_mr,
    .NdkDeregisterMr = mr_deregister_mr,
    .NdkInitializeFastRegisterMr = mr_initialize_fast_register_mr,
    .NdkGetRemoteTokenFromMr = mr_get_remote_token_from_mr,
    .NdkGetLocalTokenFromMr = mr_get_local_token_from_mr,
};

const NDK_MW_DISPATCH fake_mw_table = {
    .NdkCloseMw = mw_close_mw,
    .NdkQueryExtension = mw_query_extension,
    .NdkGetRemoteTokenFromMw = mw_get_remote_token_from_mw,
};

const NDK_PD_DISPATCH fake_pd_table = {
    .NdkClosePd = pd_close_pd,
    .NdkQueryExtension = pd_query_extension,
    .NdkCreateMr = pd_create_mr,
    .NdkCreateMw = pd_create_mw,
    .NdkCreateSrq = pd_create_srq,
    .NdkCreateQp = pd_create_qp,
    .NdkCreateQpWithSrq = pd_create_qp_with_srq,
    .NdkGetPrivilegedMemoryRegionToken = pd_get_privileged_memory_region_token,
};

const NDK_QP_DISPATCH fake_qp_table = {
    .NdkCloseQp = qp_close_qp,
    .NdkQueryExtension = qp_query_extension,
    .NdkFlush = qp_flush,
    .NdkSend = qp_send,
    .NdkReceive = qp_receive,
    .NdkBind = qp_bind,
    .NdkFastRegister = qp_fast_register,
    .NdkInvalidate = qp_invalidate,
    .NdkRead = qp_read,
    .NdkWrite = qp_write,
    .NdkSendAndInvalidate = qp_send_and_invalidate,
};

const NDK_SRQ_DISPATCH fake_srq_table = {
    .NdkCloseSrq = srq_close_srq,
    .NdkQueryExtension = srq_query_extension,
    .NdkModifySrq = srq_modify_srq,
    .NdkSrqReceive = srq_srq_receive,
};
