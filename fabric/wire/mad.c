/* SPDX-License-Identifier: Apache-2.0 */
/* The common MAD header (IBTA 13.4.3). */
#include "wire/mad.h"

#include "wire/bytes.h"

void wire_mad_encode(const struct wire_mad *mad, uint8_t *out) {
    out[0] = mad->base_version;
    out[1] = mad->mgmt_class;
    out[2] = mad->class_version;
    out[3] = mad->method;
    wire_put_u16(out + 4, mad->status);
    wire_put_u16(out + 6, mad->class_specific);
    wire_put_u64(out + 8, mad->transaction_id);
    wire_put_u16(out + 16, mad->attribute_id);
    wire_put_u16(out + 18, 0);
    wire_put_u32(out + 20, mad->attribute_modifier);
}

enum wire_error wire_mad_decode(const uint8_t *data, size_t bytes, struct wire_mad *mad) {
    if (bytes != WIRE_MAD_BYTES) {
        return WIRE_ERROR_TRUNCATED;
    }
    mad->base_version = data[0];
    mad->mgmt_class = data[1];
    mad->class_version = data[2];
    mad->method = data[3];
    mad->status = wire_get_u16(data + 4);
    mad->class_specific = wire_get_u16(data + 6);
    mad->transaction_id = wire_get_u64(data + 8);
    mad->attribute_id = wire_get_u16(data + 16);
    mad->attribute_modifier = wire_get_u32(data + 20);
    return WIRE_OK;
}
