/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the C run-time library that a kernel driver may use.
 *
 * Byte functions are the host's. Functions on wide strings are inline, because the host's wide
 * characters have another size; formatted output is the kernel's, with Windows' format rules.
 */
#ifndef NDKSIM_WDK_WDM_CRT_H
#define NDKSIM_WDK_WDM_CRT_H

#include "../ntdef.h"

#ifdef _NDKSIM_DRIVER_DIALECT

void *memcpy(void *Destination, const void *Source, size_t Length);
void *memmove(void *Destination, const void *Source, size_t Length);
void *memset(void *Destination, int Fill, size_t Length);
int memcmp(const void *Source1, const void *Source2, size_t Length);
void *memchr(const void *Buffer, int Value, size_t Length);
size_t strlen(const char *String);
int strcmp(const char *String1, const char *String2);
int strncmp(const char *String1, const char *String2, size_t Count);
char *strchr(const char *String, int Value);
char *strrchr(const char *String, int Value);
char *strstr(const char *String, const char *Sub);
char *strcpy(char *Destination, const char *Source);
char *strncpy(char *Destination, const char *Source, size_t Count);
char *strcat(char *Destination, const char *Source);

FORCEINLINE size_t NdksimStrnlen(const char *String, size_t Count) {
    size_t Length = 0;

    while (Length < Count && String[Length] != '\0') {
        Length++;
    }
    return Length;
}
#define strnlen NdksimStrnlen

FORCEINLINE size_t NdksimWcslen(const WCHAR *String) {
    size_t Length = 0;

    while (String[Length] != 0) {
        Length++;
    }
    return Length;
}
#define wcslen NdksimWcslen

FORCEINLINE int NdksimWcsncmp(const WCHAR *String1, const WCHAR *String2, size_t Count) {
    size_t Index = 0;

    while (Index < Count && String1[Index] == String2[Index] && String1[Index] != 0) {
        Index++;
    }
    return Index == Count ? 0 : (int)String1[Index] - (int)String2[Index];
}
#define wcsncmp NdksimWcsncmp
#define wcscmp(String1, String2) NdksimWcsncmp(String1, String2, (size_t)-1)

FORCEINLINE WCHAR *NdksimWcsncpy(WCHAR *Destination, const WCHAR *Source, size_t Count) {
    size_t Index = 0;

    while (Index < Count && Source[Index] != 0) {
        Destination[Index] = Source[Index];
        Index++;
    }
    while (Index < Count) {
        Destination[Index++] = 0;
    }
    return Destination;
}
#define wcsncpy NdksimWcsncpy
#define wcscpy(Destination, Source) NdksimWcsncpy(Destination, Source, NdksimWcslen(Source) + 1)

FORCEINLINE WCHAR *NdksimWcschr(const WCHAR *String, WCHAR Value) {
    while (*String != Value) {
        if (*String++ == 0) {
            return NULL;
        }
    }
    return (WCHAR *)(ULONG_PTR)String;
}
#define wcschr NdksimWcschr

FORCEINLINE int NdksimStrnicmp(const char *String1, const char *String2, size_t Count) {
    size_t Index;

    for (Index = 0; Index < Count; Index++) {
        int C1 = (unsigned char)String1[Index];
        int C2 = (unsigned char)String2[Index];

        C1 = (C1 >= 'A' && C1 <= 'Z') ? C1 + 32 : C1;
        C2 = (C2 >= 'A' && C2 <= 'Z') ? C2 + 32 : C2;
        if (C1 != C2 || C1 == 0) {
            return C1 - C2;
        }
    }
    return 0;
}
#define _strnicmp NdksimStrnicmp
#define _stricmp(String1, String2) NdksimStrnicmp(String1, String2, (size_t)-1)

/* 0, or 34 (ERANGE) when the destination is too small. */
FORCEINLINE int NdksimMemcpyS(void *Destination, size_t DestinationSize, const void *Source,
                              size_t Count) {
    if (Count > DestinationSize) {
        memset(Destination, 0, DestinationSize);
        return 34;
    }
    memcpy(Destination, Source, Count);
    return 0;
}
#define memcpy_s NdksimMemcpyS

#ifndef _countof
#define _countof(Array) (sizeof(Array) / sizeof((Array)[0]))
#endif
#define _TRUNCATE ((size_t)-1)

/* Microsoft's rule: no terminating NUL when the text fills the buffer, and then -1. */
int _snprintf(char *Buffer, size_t Count, const char *Format, ...);
int _vsnprintf(char *Buffer, size_t Count, const char *Format, va_list ArgList);

#else
#include <string.h>
#endif /* _NDKSIM_DRIVER_DIALECT */

#endif
