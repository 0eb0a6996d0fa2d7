/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The opcode table: one line per opcode, everything else derives from it (IBTA 9.2, table 38, and
 * 17.9.3 for the invalidating sends).
 */
#include "wire/roce.h"

#define RC (WIRE_OP_KNOWN | WIRE_OP_RC)
#define UD (WIRE_OP_KNOWN | WIRE_OP_UD | WIRE_OP_SEND | WIRE_OP_REQUEST | WIRE_OP_DETH)
#define SEND (RC | WIRE_OP_REQUEST | WIRE_OP_SEND | WIRE_OP_PAYLOAD)
#define WRITE (RC | WIRE_OP_REQUEST | WIRE_OP_WRITE | WIRE_OP_PAYLOAD)
#define READ_RESPONSE (RC | WIRE_OP_RESPONSE | WIRE_OP_READ | WIRE_OP_PAYLOAD)
#define IMM (WIRE_OP_IMMDT | WIRE_OP_CONSUMES)
#define INV (WIRE_OP_IETH | WIRE_OP_CONSUMES)

/* opcode, name, flags, bytes of extended headers */
#define OPCODES(X)                                                                                 \
    X(WIRE_RC_SEND_FIRST, "SEND_FIRST", SEND | WIRE_OP_FIRST, 0)                                   \
    X(WIRE_RC_SEND_MIDDLE, "SEND_MIDDLE", SEND | WIRE_OP_MIDDLE, 0)                                \
    X(WIRE_RC_SEND_LAST, "SEND_LAST", SEND | WIRE_OP_LAST | WIRE_OP_CONSUMES, 0)                   \
    X(WIRE_RC_SEND_LAST_IMM, "SEND_LAST_IMM", SEND | WIRE_OP_LAST | IMM, 4)                        \
    X(WIRE_RC_SEND_ONLY, "SEND_ONLY", SEND | WIRE_OP_ONLY | WIRE_OP_CONSUMES, 0)                   \
    X(WIRE_RC_SEND_ONLY_IMM, "SEND_ONLY_IMM", SEND | WIRE_OP_ONLY | IMM, 4)                        \
    X(WIRE_RC_WRITE_FIRST, "WRITE_FIRST", WRITE | WIRE_OP_FIRST | WIRE_OP_RETH, 16)                \
    X(WIRE_RC_WRITE_MIDDLE, "WRITE_MIDDLE", WRITE | WIRE_OP_MIDDLE, 0)                             \
    X(WIRE_RC_WRITE_LAST, "WRITE_LAST", WRITE | WIRE_OP_LAST, 0)                                   \
    X(WIRE_RC_WRITE_LAST_IMM, "WRITE_LAST_IMM", WRITE | WIRE_OP_LAST | IMM, 4)                     \
    X(WIRE_RC_WRITE_ONLY, "WRITE_ONLY", WRITE | WIRE_OP_ONLY | WIRE_OP_RETH, 16)                   \
    X(WIRE_RC_WRITE_ONLY_IMM, "WRITE_ONLY_IMM", WRITE | WIRE_OP_ONLY | WIRE_OP_RETH | IMM, 20)     \
    X(WIRE_RC_READ_REQUEST, "READ_REQUEST",                                                        \
      RC | WIRE_OP_REQUEST | WIRE_OP_READ | WIRE_OP_ONLY | WIRE_OP_RETH, 16)                       \
    X(WIRE_RC_READ_RESPONSE_FIRST, "READ_RESPONSE_FIRST",                                          \
      READ_RESPONSE | WIRE_OP_FIRST | WIRE_OP_AETH, 4)                                             \
    X(WIRE_RC_READ_RESPONSE_MIDDLE, "READ_RESPONSE_MIDDLE", READ_RESPONSE | WIRE_OP_MIDDLE, 0)     \
    X(WIRE_RC_READ_RESPONSE_LAST, "READ_RESPONSE_LAST",                                            \
      READ_RESPONSE | WIRE_OP_LAST | WIRE_OP_AETH, 4)                                              \
    X(WIRE_RC_READ_RESPONSE_ONLY, "READ_RESPONSE_ONLY",                                            \
      READ_RESPONSE | WIRE_OP_ONLY | WIRE_OP_AETH, 4)                                              \
    X(WIRE_RC_ACK, "ACK", RC | WIRE_OP_RESPONSE | WIRE_OP_ONLY | WIRE_OP_AETH, 4)                  \
    X(WIRE_RC_SEND_LAST_INV, "SEND_LAST_INV", SEND | WIRE_OP_LAST | INV, 4)                        \
    X(WIRE_RC_SEND_ONLY_INV, "SEND_ONLY_INV", SEND | WIRE_OP_ONLY | INV, 4)                        \
    X(WIRE_UD_SEND_ONLY, "UD_SEND_ONLY", UD | WIRE_OP_ONLY | WIRE_OP_PAYLOAD | WIRE_OP_CONSUMES,   \
      8)                                                                                           \
    X(WIRE_UD_SEND_ONLY_IMM, "UD_SEND_ONLY_IMM", UD | WIRE_OP_ONLY | WIRE_OP_PAYLOAD | IMM, 12)    \
    X(WIRE_CNP, "CNP", WIRE_OP_KNOWN | WIRE_OP_CNP | WIRE_OP_ONLY | WIRE_OP_PAYLOAD, 0)

#define FLAGS_LINE(opcode, name, flags, header_bytes) [opcode] = (flags),
#define BYTES_LINE(opcode, name, flags, header_bytes) [opcode] = (header_bytes),
#define NAME_LINE(opcode, name, flags, header_bytes) [opcode] = (name),

const uint32_t wire_roce_opcode_flags[256] = {OPCODES(FLAGS_LINE)};

const uint8_t wire_roce_opcode_header_bytes[256] = {OPCODES(BYTES_LINE)};

static const char *const names[256] = {OPCODES(NAME_LINE)};

const char *wire_roce_opcode_name(uint8_t opcode) {
    return names[opcode] ? names[opcode] : "OPCODE?";
}

bool wire_roce_payload_fits(uint8_t opcode, size_t payload_bytes, size_t mtu_bytes) {
    uint32_t flags = wire_roce_opcode_flags[opcode];
    if ((flags & WIRE_OP_KNOWN) == 0 || payload_bytes > mtu_bytes) {
        return false;
    }
    if ((flags & WIRE_OP_PAYLOAD) == 0) {
        return payload_bytes == 0;
    }
    if ((flags & WIRE_OP_CNP) != 0) {
        return payload_bytes == WIRE_CNP_PAYLOAD_BYTES;
    }
    if ((flags & (WIRE_OP_FIRST | WIRE_OP_MIDDLE)) != 0) {
        return payload_bytes == mtu_bytes;
    }
    return (flags & WIRE_OP_ONLY) != 0 || payload_bytes > 0;
}
