/* SPDX-License-Identifier: Apache-2.0 */
/* Memory comparison and bit maps. */
#include <ntddk.h>

SIZE_T NTAPI RtlCompareMemory(const VOID *Source1, const VOID *Source2, SIZE_T Length) {
    const UCHAR *one = Source1;
    const UCHAR *other = Source2;
    SIZE_T count = 0;

    while (count < Length && one[count] == other[count]) {
        count++;
    }
    return count;
}

PVOID NTAPI RtlSecureZeroMemory(PVOID Pointer, SIZE_T Size) {
    return memset(Pointer, 0, Size);
}

VOID NTAPI RtlInitializeBitMap(PRTL_BITMAP BitMapHeader, PULONG BitMapBuffer, ULONG SizeOfBitMap) {
    BitMapHeader->SizeOfBitMap = SizeOfBitMap;
    BitMapHeader->Buffer = BitMapBuffer;
}

static ULONG words(const RTL_BITMAP *map) {
    return (map->SizeOfBitMap + 31) / 32;
}

VOID NTAPI RtlClearAllBits(PRTL_BITMAP BitMapHeader) {
    memset(BitMapHeader->Buffer, 0, words(BitMapHeader) * sizeof(ULONG));
}

VOID NTAPI RtlSetAllBits(PRTL_BITMAP BitMapHeader) {
    memset(BitMapHeader->Buffer, 0xFF, words(BitMapHeader) * sizeof(ULONG));
}

VOID NTAPI RtlSetBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber) {
    BitMapHeader->Buffer[BitNumber / 32] |= 1u << (BitNumber % 32);
}

VOID NTAPI RtlClearBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber) {
    BitMapHeader->Buffer[BitNumber / 32] &= ~(1u << (BitNumber % 32));
}

BOOLEAN NTAPI RtlTestBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber) {
    return (BOOLEAN)(BitMapHeader->Buffer[BitNumber / 32] >> (BitNumber % 32) & 1);
}

VOID NTAPI RtlSetBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToSet) {
    for (ULONG i = 0; i < NumberToSet; i++) {
        RtlSetBit(BitMapHeader, StartingIndex + i);
    }
}

VOID NTAPI RtlClearBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToClear) {
    for (ULONG i = 0; i < NumberToClear; i++) {
        RtlClearBit(BitMapHeader, StartingIndex + i);
    }
}

/* A run of `wanted` equal bits in [from, to), or MAXULONG. */
static ULONG run_find(PRTL_BITMAP map, ULONG wanted, ULONG from, ULONG to, BOOLEAN value) {
    ULONG run = 0;

    for (ULONG i = from; i < to; i++) {
        run = RtlTestBit(map, i) == value ? run + 1 : 0;
        if (run == wanted) {
            return i + 1 - wanted;
        }
    }
    return MAXULONG;
}

static ULONG find(PRTL_BITMAP map, ULONG wanted, ULONG hint, BOOLEAN value) {
    ULONG found;
    ULONG end;

    hint = hint < map->SizeOfBitMap ? hint : 0;
    if (wanted == 0) {
        return hint & ~7u;
    }
    found = run_find(map, wanted, hint, map->SizeOfBitMap, value);
    if (found != MAXULONG || hint == 0) {
        return found;
    }
    end = hint + wanted - 1;
    return run_find(map, wanted, 0, end < map->SizeOfBitMap ? end : map->SizeOfBitMap, value);
}

ULONG NTAPI RtlFindClearBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex) {
    return find(BitMapHeader, NumberToFind, HintIndex, FALSE);
}

ULONG NTAPI RtlFindClearBitsAndSet(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex) {
    ULONG found = find(BitMapHeader, NumberToFind, HintIndex, FALSE);

    if (found != MAXULONG) {
        RtlSetBits(BitMapHeader, found, NumberToFind);
    }
    return found;
}

ULONG NTAPI RtlFindSetBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex) {
    return find(BitMapHeader, NumberToFind, HintIndex, TRUE);
}

ULONG NTAPI RtlNumberOfSetBits(PRTL_BITMAP BitMapHeader) {
    ULONG count = 0;

    for (ULONG i = 0; i < BitMapHeader->SizeOfBitMap; i++) {
        count += RtlTestBit(BitMapHeader, i);
    }
    return count;
}

BOOLEAN NTAPI RtlAreBitsClear(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length) {
    return Length != 0 && StartingIndex + Length <= BitMapHeader->SizeOfBitMap &&
           run_find(BitMapHeader, Length, StartingIndex, StartingIndex + Length, FALSE) != MAXULONG;
}
