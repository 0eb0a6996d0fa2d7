/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trace names and fault points of the device. X(suffix, name); comments give objects and values.
 */
#ifndef RNIC_TRACE_H
#define RNIC_TRACE_H

#include <sim/fault.h>
#include <sim/trace.h>

#define RNIC_TRACE_TYPES(X)                                                                        \
    X(DEVICE_READY, "device.ready")     /* device */                                               \
    X(DEVICE_RESET, "device.reset")     /* device */                                               \
    X(DEVICE_FATAL, "device.fatal")     /* device; enum rnic_health */                             \
    X(COMMAND, "command")               /* device; opcode << 8 | status, number */                 \
    X(DOORBELL, "doorbell")             /* device or QP; offset, index */                          \
    X(DOORBELL_LOST, "doorbell.lost")   /* as above */                                             \
    X(QP_STATE, "qp.state")             /* QP; from << 8 | to, enum rnic_syndrome */               \
    X(WQE_START, "wqe.start")           /* QP; WQE index, enum rnic_wqe_opcode */                  \
    X(PACKET_SEND, "packet.send")       /* QP; opcode << 24 | PSN, payload bytes */                \
    X(PACKET_RECEIVE, "packet.receive") /* QP; opcode << 24 | PSN, payload bytes */                \
    X(PACKET_DROP, "packet.drop")       /* device, QP; enum rnic_drop, opcode << 24 | PSN */       \
    X(ACK_TIMEOUT, "ack.timeout")       /* QP; PSN gone back to, retries left */                   \
    X(RETRY, "retry")                   /* QP; PSN gone back to, retries left */                   \
    X(RNR_WAIT, "rnr.wait")             /* QP; PSN, ns */                                          \
    X(RNR_NAK, "rnr.nak")               /* QP; PSN, timer code */                                  \
    X(NAK, "nak")                       /* QP; PSN, syndrome sent */                               \
    X(DUPLICATE, "duplicate")           /* QP; PSN, expected PSN */                                \
    X(CQE, "cqe")                       /* CQ, QP; status << 40 | opcode << 32 | index, bytes */   \
    X(CQ_ARM, "cq.arm")                 /* CQ; enum rnic_arm, index */                             \
    X(CQ_ERROR, "cq.error")             /* CQ; enum rnic_cq_fault */                               \
    X(EQE, "eqe")                       /* EQ; type, number */                                     \
    X(IRQ, "irq")                       /* device; vector, cause */                                \
    X(SRQ_LIMIT, "srq.limit")           /* SRQ; entries left */                                    \
    X(SRQ_ERROR, "srq.error")           /* SRQ */                                                  \
    X(KEY_REGISTER, "key.register")     /* QP; key, length */                                      \
    X(KEY_INVALIDATE, "key.invalidate") /* QP; key, 1 when the peer asked */                       \
    X(KEY_BIND, "key.bind")             /* QP; key, length */

#define RNIC_TRACE_TYPE(suffix, name) RNIC_TRACE_##suffix,
enum rnic_trace_type {
    RNIC_TRACE_BEFORE = SIM_TRACE_RNIC - 1,
    RNIC_TRACE_TYPES(RNIC_TRACE_TYPE) RNIC_TRACE_END,
};
#undef RNIC_TRACE_TYPE
extern const char *const rnic_trace_names[RNIC_TRACE_END - SIM_TRACE_RNIC];

/* Why a frame that arrived was not worked on. */
enum rnic_drop {
    RNIC_DROP_DISABLED,
    RNIC_DROP_BAD_FRAME, /* not RoCEv2, or broken */
    RNIC_DROP_ICRC,
    RNIC_DROP_NO_QP,
    RNIC_DROP_STATE,      /* the QP does not receive */
    RNIC_DROP_ADDRESS,    /* not from the QP's peer, or not to its address */
    RNIC_DROP_KEY,        /* P_Key or Q_Key */
    RNIC_DROP_NO_RECEIVE, /* UD */
    RNIC_DROP_STALE,      /* response to nothing outstanding */
    RNIC_DROP_SEQUENCE,
    RNIC_DROP_DUPLICATE, /* a duplicate READ that no remembered one covers */
};

enum rnic_fault {
    RNIC_FAULT_DOORBELL_LOST,
    RNIC_FAULT_CQ_OVERRUN,
    RNIC_FAULT_CQ_FAIL,
    RNIC_FAULT_SRQ_FAIL,
    RNIC_FAULT_QP_ERROR,
    RNIC_FAULT_COMMAND_FAIL,
    RNIC_FAULT_FIRMWARE_HANG,
    RNIC_FAULT_RESET,
    RNIC_FAULT_COMPLETION_DELAY,
    RNIC_FAULT_TABLE_FULL,
    RNIC_FAULT_COUNT,
};
extern struct sim_fault_point rnic_faults[RNIC_FAULT_COUNT];

#endif
