/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded copies: always ended with NUL; STATUS_BUFFER_OVERFLOW when cut. */
#include <ntddk.h>

#include <ntstrsafe.h>

#include <stdbool.h>

static bool room_is_good(SIZE_T room) {
    return room != 0 && room <= NTSTRSAFE_MAX_CCH;
}

static NTSTATUS copy_narrow(CHAR *to, SIZE_T room, const CHAR *from) {
    SIZE_T i = 0;

    if (!room_is_good(room)) {
        return STATUS_INVALID_PARAMETER;
    }
    for (; i + 1 < room && from[i] != '\0'; i++) {
        to[i] = from[i];
    }
    to[i] = '\0';
    return from[i] == '\0' ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;
}

static NTSTATUS copy_wide(WCHAR *to, SIZE_T room, const WCHAR *from, SIZE_T count_max) {
    SIZE_T i = 0;

    if (!room_is_good(room)) {
        return STATUS_INVALID_PARAMETER;
    }
    for (; i + 1 < room && i < count_max && from[i] != 0; i++) {
        to[i] = from[i];
    }
    to[i] = 0;
    return i == count_max || from[i] == 0 ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;
}

static NTSTATUS length_narrow(const CHAR *text, SIZE_T room, SIZE_T *length) {
    SIZE_T i = 0;

    while (i < room && text != NULL && text[i] != '\0') {
        i++;
    }
    if (text == NULL || room > NTSTRSAFE_MAX_CCH || i == room) {
        return STATUS_INVALID_PARAMETER;
    }
    if (length != NULL) {
        *length = i;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS length_wide(const WCHAR *text, SIZE_T room, SIZE_T *length) {
    SIZE_T i = 0;

    while (i < room && text != NULL && text[i] != 0) {
        i++;
    }
    if (text == NULL || room > NTSTRSAFE_MAX_CCH || i == room) {
        return STATUS_INVALID_PARAMETER;
    }
    if (length != NULL) {
        *length = i;
    }
    return STATUS_SUCCESS;
}

NTSTATUS RtlStringCchCopyA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszSrc) {
    return copy_narrow(pszDest, cchDest, pszSrc);
}

NTSTATUS RtlStringCbCopyA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszSrc) {
    return copy_narrow(pszDest, cbDest, pszSrc);
}

NTSTATUS RtlStringCchCopyW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszSrc) {
    return copy_wide(pszDest, cchDest, pszSrc, (SIZE_T)-1);
}

NTSTATUS RtlStringCbCopyW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszSrc) {
    return copy_wide(pszDest, cbDest / sizeof(WCHAR), pszSrc, (SIZE_T)-1);
}

NTSTATUS RtlStringCchCatA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszSrc) {
    SIZE_T used;
    NTSTATUS status = length_narrow(pszDest, cchDest, &used);

    return NT_SUCCESS(status) ? copy_narrow(pszDest + used, cchDest - used, pszSrc) : status;
}

NTSTATUS RtlStringCbCatA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszSrc) {
    return RtlStringCchCatA(pszDest, cbDest, pszSrc);
}

NTSTATUS RtlStringCchCatW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszSrc) {
    SIZE_T used;
    NTSTATUS status = length_wide(pszDest, cchDest, &used);

    return NT_SUCCESS(status) ? copy_wide(pszDest + used, cchDest - used, pszSrc, (SIZE_T)-1)
                              : status;
}

NTSTATUS RtlStringCbCatW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszSrc) {
    return RtlStringCchCatW(pszDest, cbDest / sizeof(WCHAR), pszSrc);
}

NTSTATUS RtlStringCchLengthA(NTSTRSAFE_PCSTR psz, SIZE_T cchMax, SIZE_T *pcchLength) {
    return length_narrow(psz, cchMax, pcchLength);
}

NTSTATUS RtlStringCbLengthA(NTSTRSAFE_PCSTR psz, SIZE_T cbMax, SIZE_T *pcbLength) {
    return length_narrow(psz, cbMax, pcbLength);
}

NTSTATUS RtlStringCchLengthW(NTSTRSAFE_PCWSTR psz, SIZE_T cchMax, SIZE_T *pcchLength) {
    return length_wide(psz, cchMax, pcchLength);
}

NTSTATUS RtlStringCbLengthW(NTSTRSAFE_PCWSTR psz, SIZE_T cbMax, SIZE_T *pcbLength) {
    NTSTATUS status = length_wide(psz, cbMax / sizeof(WCHAR), pcbLength);

    if (NT_SUCCESS(status) && pcbLength != NULL) {
        *pcbLength *= sizeof(WCHAR);
    }
    return status;
}

NTSTATUS RtlStringCchCopyUnicodeString(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest,
                                       PCUNICODE_STRING SourceString) {
    return copy_wide(pszDest, cchDest, SourceString->Buffer, SourceString->Length / sizeof(WCHAR));
}

NTSTATUS RtlStringCbCopyUnicodeString(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest,
                                      PCUNICODE_STRING SourceString) {
    return RtlStringCchCopyUnicodeString(pszDest, cbDest / sizeof(WCHAR), SourceString);
}

static NTSTATUS copy_counted(PUNICODE_STRING to, const WCHAR *from, SIZE_T bytes) {
    SIZE_T room = to->MaximumLength & ~(SIZE_T)1;
    SIZE_T fits = bytes < room ? bytes : room;

    memmove(to->Buffer, from, fits);
    to->Length = (USHORT)fits;
    return fits == bytes ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;
}

NTSTATUS RtlUnicodeStringCopy(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString) {
    return copy_counted(DestinationString, SourceString->Buffer, SourceString->Length);
}

static SIZE_T count_of(NTSTRSAFE_PCWSTR text) {
    SIZE_T count = 0;

    while (text != NULL && text[count] != 0) {
        count++;
    }
    return count;
}

NTSTATUS RtlUnicodeStringInit(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszSrc) {
    SIZE_T count = count_of(pszSrc);

    if (count >= NTSTRSAFE_UNICODE_STRING_MAX_CCH) {
        return STATUS_INVALID_PARAMETER;
    }
    DestinationString->Buffer = (PWCH)(ULONG_PTR)pszSrc;
    DestinationString->Length = (USHORT)(count * sizeof(WCHAR));
    DestinationString->MaximumLength = (USHORT)(pszSrc != NULL ? (count + 1) * sizeof(WCHAR) : 0);
    return STATUS_SUCCESS;
}

static NTSTATUS cat_counted(PUNICODE_STRING to, const WCHAR *from, SIZE_T bytes) {
    UNICODE_STRING rest = {0, (USHORT)(to->MaximumLength - to->Length),
                           to->Buffer + to->Length / sizeof(WCHAR)};
    NTSTATUS status = copy_counted(&rest, from, bytes);

    to->Length = (USHORT)(to->Length + rest.Length);
    return status;
}

NTSTATUS RtlUnicodeStringCat(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString) {
    return cat_counted(DestinationString, SourceString->Buffer, SourceString->Length);
}

NTSTATUS RtlUnicodeStringCatString(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszSrc) {
    return cat_counted(DestinationString, pszSrc, count_of(pszSrc) * sizeof(WCHAR));
}

NTSTATUS RtlUnicodeStringCopyString(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszSrc) {
    return copy_counted(DestinationString, pszSrc, count_of(pszSrc) * sizeof(WCHAR));
}
