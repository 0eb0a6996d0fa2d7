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
NTSTATUS RtlUnicodeStringPrintf(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszFormat, ...);
NTSTATUS RtlUnicodeStringCopy(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString);
NTSTATUS RtlUnicodeStringCopyString(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszSrc);

#endif
