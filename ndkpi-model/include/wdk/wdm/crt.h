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
char *strncat(char *Destination, const char *Source, size_t Count);

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

FORCEINLINE WCHAR *NdksimWcsrchr(const WCHAR *String, WCHAR Value) {
    const WCHAR *Last = NULL;

    do {
        Last = *String == Value ? String : Last;
    } while (*String++ != 0);
    return (WCHAR *)(ULONG_PTR)Last;
}
#define wcsrchr NdksimWcsrchr

FORCEINLINE WCHAR *NdksimWcsstr(const WCHAR *String, const WCHAR *Sub) {
    size_t Length = NdksimWcslen(Sub);

    while (NdksimWcsncmp(String, Sub, Length) != 0) {
        if (*String++ == 0) {
            return NULL;
        }
    }
    return (WCHAR *)(ULONG_PTR)String;
}
#define wcsstr NdksimWcsstr

FORCEINLINE size_t NdksimWcsnlen(const WCHAR *String, size_t Count) {
    size_t Length = 0;

    while (Length < Count && String[Length] != 0) {
        Length++;
    }
    return Length;
}
#define wcsnlen NdksimWcsnlen

FORCEINLINE WCHAR *NdksimWcsncat(WCHAR *Destination, const WCHAR *Source, size_t Count) {
    size_t Length = NdksimWcslen(Destination);
    size_t More = NdksimWcsnlen(Source, Count);

    memcpy(Destination + Length, Source, More * sizeof(WCHAR));
    Destination[Length + More] = 0;
    return Destination;
}
#define wcsncat NdksimWcsncat
#define wcscat(Destination, Source) NdksimWcsncat(Destination, Source, (size_t)-1)

FORCEINLINE int NdksimWcsnicmp(const WCHAR *String1, const WCHAR *String2, size_t Count) {
    size_t Index;

    for (Index = 0; Index < Count; Index++) {
        int C1 = String1[Index];
        int C2 = String2[Index];

        C1 = (C1 >= 'A' && C1 <= 'Z') ? C1 + 32 : C1;
        C2 = (C2 >= 'A' && C2 <= 'Z') ? C2 + 32 : C2;
        if (C1 != C2 || C1 == 0) {
            return C1 - C2;
        }
    }
    return 0;
}
#define _wcsnicmp NdksimWcsnicmp
#define _wcsicmp(String1, String2) NdksimWcsnicmp(String1, String2, (size_t)-1)

/* In the C locale: units above 255 cannot be told. -1 then; no NUL when Count is too small. */
FORCEINLINE size_t NdksimWcstombs(char *Destination, const WCHAR *Source, size_t Count) {
    size_t Index = 0;

    for (; Destination == NULL || Index < Count; Index++) {
        if (Source[Index] > 0xFF) {
            return (size_t)-1;
        }
        if (Destination != NULL) {
            Destination[Index] = (char)Source[Index];
        }
        if (Source[Index] == 0) {
            break;
        }
    }
    return Index;
}
#define wcstombs NdksimWcstombs

FORCEINLINE size_t NdksimMbstowcs(WCHAR *Destination, const char *Source, size_t Count) {
    size_t Index = 0;

    for (; Destination == NULL || Index < Count; Index++) {
        if (Destination != NULL) {
            Destination[Index] = (unsigned char)Source[Index];
        }
        if (Source[Index] == '\0') {
            break;
        }
    }
    return Index;
}
#define mbstowcs NdksimMbstowcs

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

/* 0, 22 (EINVAL) without room at all, or 34: then the destination is empty. */
FORCEINLINE int NdksimStrcpyS(char *Destination, size_t Size, const char *Source) {
    size_t Length = NdksimStrnlen(Source, Size);

    if (Size == 0) {
        return 22;
    }
    if (Length == Size) {
        Destination[0] = '\0';
        return 34;
    }
    memcpy(Destination, Source, Length + 1);
    return 0;
}
#define strcpy_s NdksimStrcpyS

FORCEINLINE int NdksimStrcatS(char *Destination, size_t Size, const char *Source) {
    size_t Used = NdksimStrnlen(Destination, Size);
    int Error = NdksimStrcpyS(Destination + Used, Size - Used, Source);

    if (Error == 34) {
        Destination[0] = '\0';
    }
    return Error;
}
#define strcat_s NdksimStrcatS

FORCEINLINE int NdksimWcscpyS(WCHAR *Destination, size_t Size, const WCHAR *Source) {
    size_t Length = NdksimWcsnlen(Source, Size);

    if (Size == 0) {
        return 22;
    }
    if (Length == Size) {
        Destination[0] = 0;
        return 34;
    }
    memcpy(Destination, Source, (Length + 1) * sizeof(WCHAR));
    return 0;
}
#define wcscpy_s NdksimWcscpyS

#ifndef _countof
#define _countof(Array) (sizeof(Array) / sizeof((Array)[0]))
#endif
#define _TRUNCATE ((size_t)-1)

/* Microsoft's rule: no terminating NUL when the text fills the buffer, and then -1. */
int _snprintf(char *Buffer, size_t Count, const char *Format, ...);
int _vsnprintf(char *Buffer, size_t Count, const char *Format, va_list ArgList);

int _snwprintf(WCHAR *Buffer, size_t Count, const WCHAR *Format, ...);
int _vsnwprintf(WCHAR *Buffer, size_t Count, const WCHAR *Format, va_list ArgList);

/* Always ended; what does not fit is cut with a smaller Count or _TRUNCATE, else nothing. */
int sprintf_s(char *Buffer, size_t Size, const char *Format, ...);
int vsprintf_s(char *Buffer, size_t Size, const char *Format, va_list ArgList);
int swprintf_s(WCHAR *Buffer, size_t Size, const WCHAR *Format, ...);
int vswprintf_s(WCHAR *Buffer, size_t Size, const WCHAR *Format, va_list ArgList);
int _snprintf_s(char *Buffer, size_t Size, size_t Count, const char *Format, ...);
int _vsnprintf_s(char *Buffer, size_t Size, size_t Count, const char *Format, va_list ArgList);
int _snwprintf_s(WCHAR *Buffer, size_t Size, size_t Count, const WCHAR *Format, ...);
int _vsnwprintf_s(WCHAR *Buffer, size_t Size, size_t Count, const WCHAR *Format, va_list ArgList);

#else
#include <string.h>
#endif /* _NDKSIM_DRIVER_DIALECT */

#endif
