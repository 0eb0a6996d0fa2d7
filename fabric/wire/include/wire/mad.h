/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Management datagrams: a 24-byte header and 232 bytes of message, carried by UD SEND only from QP1
 * to QP1 (IBTA 13.4). This is the carrier; cm.h knows the messages.
 */
#ifndef WIRE_MAD_H
#define WIRE_MAD_H

#include <stddef.h>
#include <stdint.h>

#include "wire/error.h"

#define WIRE_MAD_BYTES 256
#define WIRE_MAD_HEADER_BYTES 24
#define WIRE_MAD_DATA_BYTES (WIRE_MAD_BYTES - WIRE_MAD_HEADER_BYTES)
#define WIRE_MAD_QPN 1
#define WIRE_MAD_QKEY 0x80010000u
#define WIRE_MAD_CLASS_CM 0x07
#define WIRE_MAD_METHOD_SEND 0x03

struct wire_mad {
    uint8_t base_version;  /* 1 */
    uint8_t mgmt_class;    /* WIRE_MAD_CLASS_CM */
    uint8_t class_version; /* 2 */
    uint8_t method;        /* WIRE_MAD_METHOD_SEND */
    uint16_t status;
    uint16_t class_specific;
    uint64_t transaction_id;
    uint16_t attribute_id;
    uint32_t attribute_modifier;
};

/* Writes the 24 header bytes. */
void wire_mad_encode(const struct wire_mad *mad, uint8_t *out);

/* `bytes` must be WIRE_MAD_BYTES. Errors: TRUNCATED; no field is judged. */
enum wire_error wire_mad_decode(const uint8_t *data, size_t bytes, struct wire_mad *mad);

#endif
