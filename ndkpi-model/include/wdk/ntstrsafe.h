/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounded string functions. Cb counts bytes, Cch characters, the terminating NUL included.
 * STATUS_BUFFER_OVERFLOW means truncated, and still terminated. Formats follow Windows' rules.
 */
#ifndef NDKSIM_WDK_NTSTRSAFE_H
#define NDKSIM_WDK_NTSTRSAFE_H

#include "ntdef.h"
#include "ntstatus.h"

typedef CHAR *NTSTRSAFE_PSTR;
typedef const CHAR *NTSTRSAFE_PCSTR;
typedef WCHAR *NTSTRSAFE_PWSTR;
typedef const WCHAR *NTSTRSAFE_PCWSTR;

#define NTSTRSAFE_MAX_CCH 2147483647
#define NTSTRSAFE_UNICODE_STRING_MAX_CCH (0xffff / sizeof(WCHAR))

NTSTATUS RtlStringCbPrintfA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszFormat, ...);
NTSTATUS RtlStringCchPrintfA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszFormat,
                             ...);
NTSTATUS RtlStringCbPrintfW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszFormat,
                            ...);
NTSTATUS RtlStringCchPrintfW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszFormat,
                             ...);
NTSTATUS RtlStringCbVPrintfA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszFormat,
                             va_list argList);
NTSTATUS RtlStringCchVPrintfA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszFormat,
                              va_list argList);
NTSTATUS RtlStringCbVPrintfW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszFormat,
                             va_list argList);
NTSTATUS RtlStringCchVPrintfW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszFormat,
                              va_list argList);
NTSTATUS RtlStringCbCopyA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszSrc);
NTSTATUS RtlStringCchCopyA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszSrc);
NTSTATUS RtlStringCbCopyW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszSrc);
NTSTATUS RtlStringCchCopyW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszSrc);
NTSTATUS RtlStringCbCatA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszSrc);
NTSTATUS RtlStringCchCatA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszSrc);
NTSTATUS RtlStringCbCatW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszSrc);
NTSTATUS RtlStringCchCatW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszSrc);
NTSTATUS RtlStringCbLengthA(NTSTRSAFE_PCSTR psz, SIZE_T cbMax, SIZE_T *pcbLength);
NTSTATUS RtlStringCchLengthA(NTSTRSAFE_PCSTR psz, SIZE_T cchMax, SIZE_T *pcchLength);
NTSTATUS RtlStringCbLengthW(NTSTRSAFE_PCWSTR psz, SIZE_T cbMax, SIZE_T *pcbLength);
NTSTATUS RtlStringCchLengthW(NTSTRSAFE_PCWSTR psz, SIZE_T cchMax, SIZE_T *pcchLength);
NTSTATUS RtlStringCbCopyUnicodeString(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest,
                                      PCUNICODE_STRING SourceString);
NTSTATUS RtlStringCchCopyUnicodeString(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest,
                                       PCUNICODE_STRING SourceString);

/*
 * At most so many of the source; and the forms that say where the text ended, how much room is left
 * (the NUL's included), and what becomes of the rest. Cat needs a text in the destination.
 */
#define STRSAFE_FILL_BEHIND_NULL 0x00000200
#define STRSAFE_IGNORE_NULLS 0x00000100
#define STRSAFE_FILL_ON_FAILURE 0x00000400
#define STRSAFE_NULL_ON_FAILURE 0x00000800
#define STRSAFE_NO_TRUNCATION 0x00001000
#define STRSAFE_FILL_BYTE(x) ((ULONG)(((x)&0x000000FF) | STRSAFE_FILL_BEHIND_NULL))
#define STRSAFE_FAILURE_BYTE(x) ((ULONG)(((x)&0x000000FF) | STRSAFE_FILL_ON_FAILURE))

NTSTATUS RtlStringCbCopyNA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszSrc,
                           SIZE_T cbToCopy);
NTSTATUS RtlStringCchCopyNA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszSrc,
                            SIZE_T cchToCopy);
NTSTATUS RtlStringCbCopyNW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszSrc,
                           SIZE_T cbToCopy);
NTSTATUS RtlStringCchCopyNW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszSrc,
                            SIZE_T cchToCopy);
NTSTATUS RtlStringCbCatNA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszSrc,
                          SIZE_T cbToAppend);
NTSTATUS RtlStringCchCatNA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszSrc,
                           SIZE_T cchToAppend);
NTSTATUS RtlStringCbCatNW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszSrc,
                          SIZE_T cbToAppend);
NTSTATUS RtlStringCchCatNW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszSrc,
                           SIZE_T cchToAppend);
NTSTATUS RtlStringCbCopyExA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszSrc,
                            NTSTRSAFE_PSTR *ppszDestEnd, SIZE_T *pcbRemaining, ULONG dwFlags);
NTSTATUS RtlStringCchCopyExA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszSrc,
                             NTSTRSAFE_PSTR *ppszDestEnd, SIZE_T *pcchRemaining, ULONG dwFlags);
NTSTATUS RtlStringCbCopyExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszSrc,
                            NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcbRemaining, ULONG dwFlags);
NTSTATUS RtlStringCchCopyExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszSrc,
                             NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcchRemaining, ULONG dwFlags);
NTSTATUS RtlStringCbCatExA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszSrc,
                           NTSTRSAFE_PSTR *ppszDestEnd, SIZE_T *pcbRemaining, ULONG dwFlags);
NTSTATUS RtlStringCchCatExA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszSrc,
                            NTSTRSAFE_PSTR *ppszDestEnd, SIZE_T *pcchRemaining, ULONG dwFlags);
NTSTATUS RtlStringCbCatExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszSrc,
                           NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcbRemaining, ULONG dwFlags);
NTSTATUS RtlStringCchCatExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszSrc,
                            NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcchRemaining, ULONG dwFlags);
NTSTATUS RtlStringCbCopyNExA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszSrc,
                             SIZE_T cbToCopy, NTSTRSAFE_PSTR *ppszDestEnd, SIZE_T *pcbRemaining,
                             ULONG dwFlags);
NTSTATUS RtlStringCchCopyNExA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszSrc,
                              SIZE_T cchToCopy, NTSTRSAFE_PSTR *ppszDestEnd, SIZE_T *pcchRemaining,
                              ULONG dwFlags);
NTSTATUS RtlStringCbCopyNExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszSrc,
                             SIZE_T cbToCopy, NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcbRemaining,
                             ULONG dwFlags);
NTSTATUS RtlStringCchCopyNExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszSrc,
                              SIZE_T cchToCopy, NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcchRemaining,
                              ULONG dwFlags);
NTSTATUS RtlStringCbCatNExA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszSrc,
                            SIZE_T cbToAppend, NTSTRSAFE_PSTR *ppszDestEnd, SIZE_T *pcbRemaining,
                            ULONG dwFlags);
NTSTATUS RtlStringCchCatNExA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszSrc,
                             SIZE_T cchToAppend, NTSTRSAFE_PSTR *ppszDestEnd, SIZE_T *pcchRemaining,
                             ULONG dwFlags);
NTSTATUS RtlStringCbCatNExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszSrc,
                            SIZE_T cbToAppend, NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcbRemaining,
                            ULONG dwFlags);
NTSTATUS RtlStringCchCatNExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszSrc,
                             SIZE_T cchToAppend, NTSTRSAFE_PWSTR *ppszDestEnd,
                             SIZE_T *pcchRemaining, ULONG dwFlags);
NTSTATUS RtlStringCbVPrintfExA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PSTR *ppszDestEnd,
                               SIZE_T *pcbRemaining, ULONG dwFlags, NTSTRSAFE_PCSTR pszFormat,
                               va_list argList);
NTSTATUS RtlStringCbPrintfExA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PSTR *ppszDestEnd,
                              SIZE_T *pcbRemaining, ULONG dwFlags, NTSTRSAFE_PCSTR pszFormat, ...);
NTSTATUS RtlStringCchVPrintfExA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PSTR *ppszDestEnd,
                                SIZE_T *pcchRemaining, ULONG dwFlags, NTSTRSAFE_PCSTR pszFormat,
                                va_list argList);
NTSTATUS RtlStringCchPrintfExA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PSTR *ppszDestEnd,
                               SIZE_T *pcchRemaining, ULONG dwFlags, NTSTRSAFE_PCSTR pszFormat,
                               ...);
NTSTATUS RtlStringCbVPrintfExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PWSTR *ppszDestEnd,
                               SIZE_T *pcbRemaining, ULONG dwFlags, NTSTRSAFE_PCWSTR pszFormat,
                               va_list argList);
NTSTATUS RtlStringCbPrintfExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PWSTR *ppszDestEnd,
                              SIZE_T *pcbRemaining, ULONG dwFlags, NTSTRSAFE_PCWSTR pszFormat, ...);
NTSTATUS RtlStringCchVPrintfExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest,
                                NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcchRemaining, ULONG dwFlags,
                                NTSTRSAFE_PCWSTR pszFormat, va_list argList);
NTSTATUS RtlStringCchPrintfExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest,
                               NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcchRemaining, ULONG dwFlags,
                               NTSTRSAFE_PCWSTR pszFormat, ...);

NTSTATUS RtlUnicodeStringInit(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszSrc);
NTSTATUS RtlUnicodeStringCat(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString);
NTSTATUS RtlUnicodeStringCatString(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszSrc);
NTSTATUS RtlUnicodeStringVPrintf(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszFormat,
                                 va_list argList);
NTSTATUS RtlUnicodeStringPrintf(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszFormat, ...);
NTSTATUS RtlUnicodeStringCopy(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString);
NTSTATUS RtlUnicodeStringCopyString(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszSrc);

#endif
