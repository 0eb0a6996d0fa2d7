/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for reports. */
#include <rnic/device.h>

const char *const rnic_counter_names[RNIC_COUNTER_SENT_BY_OPCODE] = {
    [RNIC_COUNTER_FRAMES_SENT] = "frames_sent",
    [RNIC_COUNTER_BYTES_SENT] = "bytes_sent",
    [RNIC_COUNTER_FRAMES_RECEIVED] = "frames_received",
    [RNIC_COUNTER_BYTES_RECEIVED] = "bytes_received",
    [RNIC_COUNTER_FRAMES_BAD] = "frames_bad",
    [RNIC_COUNTER_FRAMES_NO_QP] = "frames_no_qp",
    [RNIC_COUNTER_PACKETS_RETRIED] = "packets_retried",
    [RNIC_COUNTER_TIMEOUTS] = "timeouts",
    [RNIC_COUNTER_NAKS_SENT] = "naks_sent",
    [RNIC_COUNTER_NAKS_RECEIVED] = "naks_received",
    [RNIC_COUNTER_RNR_NAKS_SENT] = "rnr_naks_sent",
    [RNIC_COUNTER_RNR_NAKS_RECEIVED] = "rnr_naks_received",
    [RNIC_COUNTER_ERROR_NAKS_SENT] = "error_naks_sent",
    [RNIC_COUNTER_ERROR_NAKS_RECEIVED] = "error_naks_received",
    [RNIC_COUNTER_DUPLICATES] = "duplicates",
    [RNIC_COUNTER_OUT_OF_SEQUENCE] = "out_of_sequence",
    [RNIC_COUNTER_ACKS_SENT] = "acks_sent",
    [RNIC_COUNTER_CQES] = "cqes",
    [RNIC_COUNTER_EQES] = "eqes",
    [RNIC_COUNTER_INTERRUPTS] = "interrupts",
    [RNIC_COUNTER_DATAGRAMS_DROPPED] = "datagrams_dropped",
    [RNIC_COUNTER_MESSAGES_SENT] = "messages_sent",
    [RNIC_COUNTER_MESSAGES_RECEIVED] = "messages_received",
    [RNIC_COUNTER_DOORBELLS] = "doorbells",
};

const char *rnic_counter_name(uint32_t counter) {
    return counter < SIM_ARRAY_COUNT(rnic_counter_names) ? rnic_counter_names[counter] : NULL;
}

const char *rnic_cqe_status_name(uint32_t status) {
    static const char *const names[RNIC_CQE_STATUS_COUNT] = {
        [RNIC_CQE_OK] = "success",
        [RNIC_CQE_LOCAL_LENGTH] = "local length",
        [RNIC_CQE_LOCAL_OPERATION] = "local operation",
        [RNIC_CQE_LOCAL_PROTECTION] = "local protection",
        [RNIC_CQE_MEMORY_OPERATION] = "memory operation",
        [RNIC_CQE_BAD_RESPONSE] = "bad response",
        [RNIC_CQE_REMOTE_INVALID] = "remote invalid request",
        [RNIC_CQE_REMOTE_ACCESS] = "remote access",
        [RNIC_CQE_REMOTE_OPERATION] = "remote operation",
        [RNIC_CQE_RETRY_EXCEEDED] = "retry exceeded",
        [RNIC_CQE_RNR_EXCEEDED] = "RNR retry exceeded",
        [RNIC_CQE_FLUSHED] = "flushed",
        [RNIC_CQE_LOCAL_FATAL] = "local fatal",
    };
    return status < SIM_ARRAY_COUNT(names) ? names[status] : "?";
}

const char *rnic_syndrome_name(uint32_t syndrome) {
    static const char *const names[RNIC_SYNDROME_COUNT] = {
        [RNIC_SYNDROME_NONE] = "none",
        [RNIC_SYNDROME_KEY_INVALID] = "key invalid",
        [RNIC_SYNDROME_KEY_BOUNDS] = "key bounds",
        [RNIC_SYNDROME_KEY_RIGHTS] = "key rights",
        [RNIC_SYNDROME_KEY_PD] = "key of another protection domain",
        [RNIC_SYNDROME_KEY_BUSY] = "key in use or of another kind",
        [RNIC_SYNDROME_DMA] = "DMA error",
        [RNIC_SYNDROME_WQE] = "malformed work request",
        [RNIC_SYNDROME_RECEIVE_TOO_SMALL] = "receive too small",
        [RNIC_SYNDROME_OPCODE_SEQUENCE] = "opcode sequence",
        [RNIC_SYNDROME_PACKET_LENGTH] = "packet length",
        [RNIC_SYNDROME_QP_RIGHTS] = "access not allowed on the QP",
        [RNIC_SYNDROME_READ_LIMIT] = "read limit",
        [RNIC_SYNDROME_NAK_INVALID] = "NAK invalid request",
        [RNIC_SYNDROME_NAK_ACCESS] = "NAK remote access",
        [RNIC_SYNDROME_NAK_OPERATION] = "NAK remote operation",
        [RNIC_SYNDROME_RETRY] = "retries exceeded",
        [RNIC_SYNDROME_RNR_RETRY] = "RNR retries exceeded",
        [RNIC_SYNDROME_RESPONSE] = "unexpected response",
        [RNIC_SYNDROME_CQ] = "completion queue failed",
        [RNIC_SYNDROME_INJECTED] = "injected",
        [RNIC_SYNDROME_INVALIDATE] = "key cannot be invalidated",
        [RNIC_SYNDROME_SRQ] = "shared receive queue failed",
        [RNIC_SYNDROME_NO_ROUTE] = "no route",
    };
    return syndrome < SIM_ARRAY_COUNT(names) ? names[syndrome] : "?";
}
