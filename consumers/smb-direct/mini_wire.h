/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request layer that plays SMB2: open, write, read, close, echo. Little-endian:
 *
 *   0 magic 32 | 4 opcode 16 | 6 flags 16 | 8 status 32 | 12 message id 32 | 16 file id 32
 *   20 length 32 | 24 offset 64 | 32 checksum 64 | 40 descriptor count 32 | 44 reserved 32
 *   48 descriptors (16 bytes each), then inline data
 *
 * With descriptors the data is in the client's memory; without, it follows the header: of a write
 * in the request, of a read in the response, of an echo in both. Pure functions, any IRQL.
 */
#ifndef SMB_DIRECT_MINI_WIRE_H
#define SMB_DIRECT_MINI_WIRE_H

#include "smbd_wire.h"

#define MINI_MAGIC 0x494E494DUL /* "MINI" */
#define MINI_HEADER_BYTES 48u

typedef enum _MINI_OPCODE {
    MiniOpen = 1, /* length: the file's size; offset: seed of the pattern of a new file */
    MiniWrite,
    MiniRead,
    MiniClose,
    MiniEcho
} MINI_OPCODE;

#define MINI_FLAG_RESPONSE 0x0001
#define MINI_FLAG_INVALIDATE 0x0002 /* the response is to invalidate the descriptors' token */

typedef struct _MINI_HEADER {
    USHORT Opcode;
    USHORT Flags;
    NTSTATUS Status;
    ULONG MessageId;
    ULONG FileId;
    ULONG Length;
    ULONG64 Offset;
    ULONG64 Checksum; /* of the data */
    ULONG DescriptorCount;
} MINI_HEADER, *PMINI_HEADER;

VOID MiniPutHeader(PUCHAR To, const MINI_HEADER *Header);
/* FALSE: not a message of ours, or it is shorter than its header says. */
BOOLEAN MiniGetHeader(const UCHAR *From, ULONG Bytes, PMINI_HEADER Header);

/* The content of a file: 64-bit word `Index` of the file in its `Generation`-th state. */
ULONG64 MiniPatternBase(ULONG64 Seed, ULONG FileId, ULONG Generation);
/* Bytes at `Offset`; both multiples of 8. */
VOID MiniPatternFill(PVOID To, ULONG64 Base, ULONG64 Offset, ULONG Bytes);
BOOLEAN MiniPatternEquals(const VOID *Data, ULONG64 Base, ULONG64 Offset, ULONG Bytes);
/* Of any number of bytes; order counts. */
ULONG64 MiniChecksum(const VOID *Data, ULONG Bytes);

#endif
