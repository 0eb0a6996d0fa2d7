/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of frame classes and causes of drops. */
#include "net/names.h"

#include <string.h>

static const char *const class_names[NET_CLASS_COUNT] = {
    [NET_CLASS_OTHER] = "other",
    [NET_CLASS_CM_REQ] = "cm.req",
    [NET_CLASS_CM_MRA] = "cm.mra",
    [NET_CLASS_CM_REJ] = "cm.rej",
    [NET_CLASS_CM_REP] = "cm.rep",
    [NET_CLASS_CM_RTU] = "cm.rtu",
    [NET_CLASS_CM_DREQ] = "cm.dreq",
    [NET_CLASS_CM_DREP] = "cm.drep",
    [NET_CLASS_CM_OTHER] = "cm.other",
    [NET_CLASS_SEND] = "send",
    [NET_CLASS_WRITE] = "write",
    [NET_CLASS_READ] = "read",
    [NET_CLASS_READ_RESPONSE] = "read.response",
    [NET_CLASS_ACK] = "ack",
    [NET_CLASS_NAK] = "nak",
    [NET_CLASS_RNR] = "rnr",
    [NET_CLASS_CNP] = "cnp",
    [NET_CLASS_PFC] = "pfc",
};

static const char *const drop_names[NET_DROP_COUNT] = {
    [NET_DROP_FAULT] = "fault",
    [NET_DROP_QUEUE] = "queue",
    [NET_DROP_DOWN] = "down",
    [NET_DROP_NO_LINK] = "no-link",
    [NET_DROP_MTU] = "mtu",
    [NET_DROP_UNKNOWN] = "unknown",
    [NET_DROP_PARTITION] = "partition",
    [NET_DROP_SWITCH_DOWN] = "switch-down",
};

const char *net_class_name(enum net_frame_class class_id) {
    return (unsigned)class_id < NET_CLASS_COUNT ? class_names[class_id] : "?";
}

enum net_frame_class net_class_find(const char *name) {
    unsigned id = 0;
    while (id < NET_CLASS_COUNT && strcmp(name, class_names[id]) != 0)
        id++;
    return (enum net_frame_class)id;
}

const char *net_drop_name(enum net_drop cause) {
    return (unsigned)cause < NET_DROP_COUNT ? drop_names[cause] : "?";
}
