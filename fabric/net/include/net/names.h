/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vocabulary of the fabric: frame classes (what fault plans filter on and triggers speak of),
 * causes of drops, trace types. Texts are stable: scenarios and reports use them.
 */
#ifndef NET_NAMES_H
#define NET_NAMES_H

#include <sim/base.h>
#include <sim/trace.h>

/* What a frame is, judged once when it is first sent. Text: net_class_name. */
enum net_frame_class {
    NET_CLASS_OTHER,         /* "other": not RoCEv2, or an opcode that is not carried here */
    NET_CLASS_CM_REQ,        /* "cm.req" */
    NET_CLASS_CM_MRA,        /* "cm.mra" */
    NET_CLASS_CM_REJ,        /* "cm.rej" */
    NET_CLASS_CM_REP,        /* "cm.rep" */
    NET_CLASS_CM_RTU,        /* "cm.rtu" */
    NET_CLASS_CM_DREQ,       /* "cm.dreq" */
    NET_CLASS_CM_DREP,       /* "cm.drep" */
    NET_CLASS_CM_OTHER,      /* "cm.other": another datagram to QP1 */
    NET_CLASS_SEND,          /* "send": with and without immediate or invalidate */
    NET_CLASS_WRITE,         /* "write": with and without immediate */
    NET_CLASS_READ,          /* "read": the request */
    NET_CLASS_READ_RESPONSE, /* "read.response" */
    NET_CLASS_ACK,           /* "ack" */
    NET_CLASS_NAK,           /* "nak" */
    NET_CLASS_RNR,           /* "rnr": receiver-not-ready NAK */
    NET_CLASS_CNP,           /* "cnp" */
    NET_CLASS_PFC,           /* "pfc": 802.1Qbb pause */
    NET_CLASS_COUNT,
};
const char *net_class_name(enum net_frame_class class_id);
/* NET_CLASS_COUNT for an unknown name. */
enum net_frame_class net_class_find(const char *name);

/* Why a frame did not arrive. Text: net_drop_name. */
enum net_drop {
    NET_DROP_FAULT,       /* "fault": link.drop or frame.drop */
    NET_DROP_QUEUE,       /* "queue": the transmit queue was full */
    NET_DROP_DOWN,        /* "down": the link was down, or went down on the way */
    NET_DROP_NO_LINK,     /* "no-link": nothing is plugged in */
    NET_DROP_MTU,         /* "mtu": longer than the link carries */
    NET_DROP_UNKNOWN,     /* "unknown": no port has the destination MAC */
    NET_DROP_PARTITION,   /* "partition" */
    NET_DROP_SWITCH_DOWN, /* "switch-down" */
    NET_DROP_COUNT,
};
const char *net_drop_name(enum net_drop cause);

/*
 * Trace types. NET_TRACE_SENT + class is one record per frame at the port that made it
 * ("tx.cm.rep", "tx.ack"): objects sending port, peer port; values frame id, and net_trace_packet.
 * "frame.drop" and the other alterations: objects port, link or switch; values frame id, and the
 * cause (drop) or the fault's parameter. Link and switch records: object, values as said.
 */
enum net_trace_type {
    NET_TRACE_SENT = SIM_TRACE_NET,                          /* "tx." and the class */
    NET_TRACE_FRAME_DROP = NET_TRACE_SENT + NET_CLASS_COUNT, /* value 1: enum net_drop */
    NET_TRACE_FRAME_DUPLICATE,                               /* value 1: delay_ns */
    NET_TRACE_FRAME_REORDER,                                 /* value 1: frames let past */
    NET_TRACE_FRAME_CORRUPT,                                 /* value 1: bit, from 0 */
    NET_TRACE_FRAME_DELAY,                                   /* value 1: delay_ns */
    NET_TRACE_FRAME_TRUNCATE,                                /* value 1: bytes left */
    NET_TRACE_LINK_UP,
    NET_TRACE_LINK_DOWN,        /* value 0: reasons, bits of enum net_down */
    NET_TRACE_LINK_RATE,        /* value 0: rate_bps */
    NET_TRACE_SWITCH_UP,        /* a switch came back */
    NET_TRACE_SWITCH_DOWN,      /* a switch went down */
    NET_TRACE_SWITCH_PARTITION, /* value 0: mask of ports cut off; 0: healed */
    NET_TRACE_SWITCH_PAUSE,     /* value 0: 1 the storm begins, 0 it ends */
    NET_TRACE_PORT_PAUSED,      /* value 0: until, in ns */
    NET_TRACE_PORT_RESUMED,
    NET_TRACE_END,
};

/* Second value of a "tx." record. */
static inline uint64_t net_trace_packet(uint32_t length, uint32_t dst_qpn, uint32_t psn) {
    return (uint64_t)(length & 0xFFFFu) << 48 | (uint64_t)(dst_qpn & 0xFFFFFFu) << 24 |
           (psn & 0xFFFFFFu);
}
static inline uint32_t net_trace_packet_length(uint64_t value) {
    return (uint32_t)(value >> 48);
}
static inline uint32_t net_trace_packet_qpn(uint64_t value) {
    return (uint32_t)(value >> 24) & 0xFFFFFFu;
}
static inline uint32_t net_trace_packet_psn(uint64_t value) {
    return (uint32_t)value & 0xFFFFFFu;
}

#endif
