/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as bytes, file content, checksums; see mini_wire.h. */
#include "mini_wire.h"

#define PATTERN_STEP 0x9E3779B97F4A7C15ULL

VOID MiniPutHeader(PUCHAR To, const MINI_HEADER *Header) {
    WirePut32(To, MINI_MAGIC);
    WirePut16(To + 4, Header->Opcode);
    WirePut16(To + 6, Header->Flags);
    WirePut32(To + 8, (ULONG)Header->Status);
    WirePut32(To + 12, Header->MessageId);
    WirePut32(To + 16, Header->FileId);
    WirePut32(To + 20, Header->Length);
    WirePut64(To + 24, Header->Offset);
    WirePut64(To + 32, Header->Checksum);
    WirePut32(To + 40, Header->DescriptorCount);
    WirePut32(To + 44, 0);
}

BOOLEAN MiniGetHeader(const UCHAR *From, ULONG Bytes, PMINI_HEADER Header) {
    if (Bytes < MINI_HEADER_BYTES || WireGet32(From) != MINI_MAGIC) {
        return FALSE;
    }
    Header->Opcode = WireGet16(From + 4);
    Header->Flags = WireGet16(From + 6);
    Header->Status = (NTSTATUS)WireGet32(From + 8);
    Header->MessageId = WireGet32(From + 12);
    Header->FileId = WireGet32(From + 16);
    Header->Length = WireGet32(From + 20);
    Header->Offset = WireGet64(From + 24);
    Header->Checksum = WireGet64(From + 32);
    Header->DescriptorCount = WireGet32(From + 40);
    return Header->DescriptorCount <= (Bytes - MINI_HEADER_BYTES) / SMBD_DESCRIPTOR_BYTES;
}

ULONG64 MiniPatternBase(ULONG64 Seed, ULONG FileId, ULONG Generation) {
    ULONG64 Base = Seed ^ ((ULONG64)FileId << 32 | Generation);

    Base = (Base ^ (Base >> 30)) * 0xBF58476D1CE4E5B9ULL;
    Base = (Base ^ (Base >> 27)) * 0x94D049BB133111EBULL;
    return Base ^ (Base >> 31);
}

/* Each word is the one before plus an odd step: a piece that lands elsewhere never fits. */
VOID MiniPatternFill(PVOID To, ULONG64 Base, ULONG64 Offset, ULONG Bytes) {
    ULONG64 Word = Base + Offset / 8 * PATTERN_STEP;
    ULONG64 *Words = To;
    ULONG Index;

    for (Index = 0; Index < Bytes / 8; Index++) {
        Words[Index] = Word;
        Word += PATTERN_STEP;
    }
}

BOOLEAN MiniPatternEquals(const VOID *Data, ULONG64 Base, ULONG64 Offset, ULONG Bytes) {
    ULONG64 Word = Base + Offset / 8 * PATTERN_STEP;
    const ULONG64 *Words = Data;
    ULONG64 Difference = 0;
    ULONG Index;

    for (Index = 0; Index < Bytes / 8; Index++) {
        Difference |= Words[Index] ^ Word;
        Word += PATTERN_STEP;
    }
    return Difference == 0;
}

/* Fletcher's sums over 64-bit words; the rest goes in as one word. */
ULONG64 MiniChecksum(const VOID *Data, ULONG Bytes) {
    const UCHAR *From = Data;
    ULONG64 First = Bytes;
    ULONG64 Second = 1;
    ULONG Words = Bytes / 8;
    ULONG64 Word;
    ULONG Index;

    for (Index = 0; Index < Words; Index++) {
        RtlCopyMemory(&Word, From + (SIZE_T)Index * 8, 8);
        First += Word;
        Second += First;
    }
    if (Bytes % 8 != 0) {
        Word = 0;
        RtlCopyMemory(&Word, From + (SIZE_T)Words * 8, Bytes % 8);
        First += Word;
        Second += First;
    }
    return First ^ (Second << 32 | Second >> 32);
}
