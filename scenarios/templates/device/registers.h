/* SPDX-License-Identifier: Apache-2.0 */
/* What device and driver agree on: the registers of BAR 0. All are little-endian. */
#ifndef REGISTERS_H
#define REGISTERS_H

#define COPY_BAR_BYTES 4096u

#define COPY_ID 0x00     /* 32, read: COPY_ID_VALUE */
#define COPY_STATUS 0x04 /* 32: COPY_DONE, COPY_FAILED; written ones clear */
#define COPY_SOURCE 0x08 /* 64: DMA address */
#define COPY_TARGET 0x10 /* 64: DMA address */
#define COPY_LENGTH 0x18 /* 32: bytes, at most COPY_BYTES_MAX */
#define COPY_GO 0x1C     /* 32, write: copies; then sets COPY_STATUS and raises vector 0 */

#define COPY_ID_VALUE 0x59504F43u
#define COPY_DONE 1u
#define COPY_FAILED 2u
#define COPY_BYTES_MAX 4096u
#define COPY_VECTOR_COUNT 1u

#endif
