/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences of enum wire_error. */
#include "wire/error.h"

static const char *const texts[WIRE_ERROR_COUNT] = {
    [WIRE_OK] = "no error",
    [WIRE_ERROR_TRUNCATED] = "frame is shorter than its headers say",
    [WIRE_ERROR_ETHERTYPE] = "EtherType is not one this decoder reads",
    [WIRE_ERROR_IP_VERSION] = "IP version contradicts the EtherType",
    [WIRE_ERROR_IP_HEADER] = "IP header has options or an impossible length",
    [WIRE_ERROR_IP_FRAGMENT] = "IP packet is a fragment",
    [WIRE_ERROR_IP_CHECKSUM] = "IPv4 header checksum is wrong",
    [WIRE_ERROR_PROTOCOL] = "next protocol is not UDP",
    [WIRE_ERROR_UDP_PORT] = "UDP destination port is not 4791",
    [WIRE_ERROR_UDP_LENGTH] = "UDP length contradicts the IP length",
    [WIRE_ERROR_UDP_CHECKSUM] = "UDP checksum is wrong",
    [WIRE_ERROR_BTH_VERSION] = "BTH transport version is not 0",
    [WIRE_ERROR_OPCODE] = "opcode is not carried",
    [WIRE_ERROR_PAYLOAD] = "payload on an opcode that has none",
    [WIRE_ERROR_PAD] = "PadCnt does not fit the payload",
    [WIRE_ERROR_ICRC] = "ICRC is wrong",
    [WIRE_ERROR_MAD_VERSION] = "MAD version is not that of CM",
    [WIRE_ERROR_MAD_CLASS] = "MAD is not a CM message",
    [WIRE_ERROR_CM_ATTRIBUTE] = "CM message is not carried",
    [WIRE_ERROR_CM_IP_HEADER] = "IP CM header has another version",
    [WIRE_ERROR_VALUE] = "a field is out of its range",
};

const char *wire_error_text(enum wire_error error) {
    unsigned index = (unsigned)error;
    return index < WIRE_ERROR_COUNT ? texts[index] : "unknown error";
}
