/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a frame or a message was refused by a decoder. A decoder stops at the first fault, outermost
 * layer first, and never reads past the length it was given.
 */
#ifndef WIRE_ERROR_H
#define WIRE_ERROR_H

enum wire_error {
    WIRE_OK = 0,
    WIRE_ERROR_TRUNCATED,    /* shorter than the headers, or than the lengths they state */
    WIRE_ERROR_ETHERTYPE,    /* not of the kind this decoder reads (for RoCE: not IPv4 or IPv6) */
    WIRE_ERROR_IP_VERSION,   /* version nibble contradicts the type field */
    WIRE_ERROR_IP_HEADER,    /* IPv4 options, or a length below the header's own */
    WIRE_ERROR_IP_FRAGMENT,  /* RoCE is never fragmented */
    WIRE_ERROR_IP_CHECKSUM,  /* IPv4 header checksum wrong */
    WIRE_ERROR_PROTOCOL,     /* next protocol is not UDP */
    WIRE_ERROR_UDP_PORT,     /* destination port is not 4791 */
    WIRE_ERROR_UDP_LENGTH,   /* UDP length contradicts the IP length */
    WIRE_ERROR_UDP_CHECKSUM, /* non-zero and wrong */
    WIRE_ERROR_BTH_VERSION,  /* TVer is not 0 */
    WIRE_ERROR_OPCODE,       /* an opcode this simulation does not carry */
    WIRE_ERROR_PAYLOAD,      /* payload where the opcode allows none */
    WIRE_ERROR_PAD,          /* PadCnt exceeds the payload, or does not fill it to 4 bytes */
    WIRE_ERROR_ICRC,         /* invariant CRC wrong */
    WIRE_ERROR_MAD_VERSION,  /* MAD base or class version */
    WIRE_ERROR_MAD_CLASS,    /* management class is not CM, or method is not Send */
    WIRE_ERROR_CM_ATTRIBUTE, /* a CM message this simulation does not carry */
    WIRE_ERROR_CM_IP_HEADER, /* IP CM private data header has another version, or is absent */
    WIRE_ERROR_VALUE,        /* a field holds a value outside its range */
    WIRE_ERROR_COUNT
};

/* A short sentence without a full stop, for traces and reports; constant storage. */
const char *wire_error_text(enum wire_error error);

#endif
