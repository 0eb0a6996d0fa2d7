/* SPDX-License-Identifier: Apache-2.0 */
/* What the versions of the CRC share. Private to wire. */
#ifndef WIRE_CRC_TABLES_H
#define WIRE_CRC_TABLES_H

#include <stdbool.h>
#include <stdint.h>

extern const uint32_t wire_crc32_tables[8][256];

/* Does this arm64 CPU have the CRC32 instructions? Optional in ARMv8.0 only. */
bool wire_cpu_has_crc32(void);

#endif
