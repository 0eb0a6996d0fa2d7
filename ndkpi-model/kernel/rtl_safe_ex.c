/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounded copies that say more: of at most so many units, with where the text ended, and with what
 * is done about the rest. One routine for both widths; a Cb form's room is its bytes.
 */
#include <ntddk.h>

#include <ntstrsafe.h>

#include <stdbool.h>

#define ALL ((SIZE_T)-1)
#define FLAGS_KNOWN 0x1FFFu
#define NO_REST ((struct rest){NULL, NULL, 0, 0})

struct text {
    PUCHAR at;
    SIZE_T room; /* units, the NUL's included */
    bool is_wide;
};

/* What an Ex form also answers. `end` points to a pointer to units of the text's width. */
struct rest {
    PVOID end;
    SIZE_T *remaining;
    ULONG flags;
    SIZE_T bytes; /* of a Cb form: all that there is */
};

static struct text text_of(PVOID at, SIZE_T room, bool is_wide) {
    const struct text text = {at, room, is_wide};

    return text;
}

static SIZE_T unit_bytes(const struct text *text) {
    return text->is_wide ? sizeof(WCHAR) : sizeof(CHAR);
}

static USHORT unit(bool is_wide, const void *text, SIZE_T index) {
    return is_wide ? ((const WCHAR *)text)[index] : ((const UCHAR *)text)[index];
}

static void unit_put(const struct text *text, SIZE_T index, USHORT value) {
    if (text->is_wide) {
        ((WCHAR *)(PVOID)text->at)[index] = value;
    } else {
        text->at[index] = (UCHAR)value;
    }
}

static SIZE_T length_of(const struct text *text) {
    SIZE_T length = 0;

    while (length < text->room && unit(text->is_wide, text->at, length) != 0) {
        length++;
    }
    return length;
}

static bool is_nothing(const struct text *text, const struct rest *rest) {
    return text->at == NULL && text->room == 0 && (rest->flags & STRSAFE_IGNORE_NULLS) != 0;
}

static bool is_good(const struct text *text, const struct rest *rest) {
    return (rest->flags & ~FLAGS_KNOWN) == 0 && text->at != NULL && text->room != 0 &&
           text->room <= NTSTRSAFE_MAX_CCH;
}

static void fill(const struct text *text, SIZE_T from, UCHAR byte) {
    SIZE_T bytes = unit_bytes(text);

    memset(text->at + from * bytes, byte, (text->room - from) * bytes);
}

static void rest_put(const struct text *text, const struct rest *rest, SIZE_T length) {
    SIZE_T bytes = unit_bytes(text);

    if (rest->end != NULL) {
        *(PUCHAR *)rest->end = text->at != NULL ? text->at + length * bytes : NULL;
    }
    if (rest->remaining != NULL) {
        *rest->remaining = rest->bytes != 0 ? rest->bytes - length * bytes : text->room - length;
    }
}

/* The flags' part, when `length` units and a NUL are in the text. */
static NTSTATUS finish(const struct text *text, const struct rest *rest, SIZE_T length,
                       NTSTATUS status) {
    if (NT_SUCCESS(status) && (rest->flags & STRSAFE_FILL_BEHIND_NULL) != 0) {
        fill(text, length + 1, (UCHAR)rest->flags);
    }
    if (!NT_SUCCESS(status) && (rest->flags & STRSAFE_FILL_ON_FAILURE) != 0) {
        fill(text, 0, (UCHAR)rest->flags);
        length = (UCHAR)rest->flags != 0 ? text->room - 1 : 0;
        unit_put(text, length, 0);
    }
    if (!NT_SUCCESS(status) && (rest->flags & STRSAFE_NULL_ON_FAILURE) != 0) {
        length = 0;
        unit_put(text, 0, 0);
    }
    rest_put(text, rest, length);
    return status;
}

/* Behind `used` units; at most `count` of `from`. */
static NTSTATUS put(const struct text *text, const struct rest *rest, SIZE_T used, const void *from,
                    SIZE_T count) {
    SIZE_T i = 0;

    if (from == NULL && (rest->flags & STRSAFE_IGNORE_NULLS) != 0) {
        count = 0;
    }
    for (; i < count && unit(text->is_wide, from, i) != 0; i++) {
        if (used + i + 1 >= text->room) {
            SIZE_T kept = (rest->flags & STRSAFE_NO_TRUNCATION) != 0 ? used : used + i;

            unit_put(text, kept, 0);
            return finish(text, rest, kept, STATUS_BUFFER_OVERFLOW);
        }
        unit_put(text, used + i, unit(text->is_wide, from, i));
    }
    unit_put(text, used + i, 0);
    return finish(text, rest, used + i, STATUS_SUCCESS);
}

static NTSTATUS put_nowhere(const struct text *text, const struct rest *rest, const void *from,
                            SIZE_T count) {
    rest_put(text, rest, 0);
    return from == NULL || count == 0 || unit(text->is_wide, from, 0) == 0 ? STATUS_SUCCESS
                                                                           : STATUS_BUFFER_OVERFLOW;
}

static NTSTATUS string_copy(struct text text, const void *from, SIZE_T count, struct rest rest) {
    if (is_nothing(&text, &rest)) {
        return put_nowhere(&text, &rest, from, count);
    }
    return is_good(&text, &rest) ? put(&text, &rest, 0, from, count) : STATUS_INVALID_PARAMETER;
}

static NTSTATUS string_cat(struct text text, const void *from, SIZE_T count, struct rest rest) {
    SIZE_T used;

    if (is_nothing(&text, &rest)) {
        return put_nowhere(&text, &rest, from, count);
    }
    if (!is_good(&text, &rest)) {
        return STATUS_INVALID_PARAMETER;
    }
    used = length_of(&text);
    return used < text.room ? put(&text, &rest, used, from, count) : STATUS_INVALID_PARAMETER;
}

static NTSTATUS string_print(struct text text, const void *format, va_list arguments,
                             struct rest rest) {
    NTSTATUS status;

    if (is_nothing(&text, &rest)) {
        return put_nowhere(&text, &rest, format, ALL);
    }
    if (!is_good(&text, &rest)) {
        return STATUS_INVALID_PARAMETER;
    }
    status = text.is_wide
                 ? RtlStringCchVPrintfW((PWSTR)(PVOID)text.at, text.room, format, arguments)
                 : RtlStringCchVPrintfA((PSTR)text.at, text.room, format, arguments);
    if (!NT_SUCCESS(status) && (rest.flags & STRSAFE_NO_TRUNCATION) != 0) {
        unit_put(&text, 0, 0);
    }
    return finish(&text, &rest, length_of(&text), status);
}

NTSTATUS RtlStringCbCopyNA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszSrc,
                           SIZE_T cbToCopy) {
    return string_copy(text_of(pszDest, cbDest, false), pszSrc, cbToCopy, NO_REST);
}

NTSTATUS RtlStringCchCopyNA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszSrc,
                            SIZE_T cchToCopy) {
    return string_copy(text_of(pszDest, cchDest, false), pszSrc, cchToCopy, NO_REST);
}

NTSTATUS RtlStringCbCopyNW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszSrc,
                           SIZE_T cbToCopy) {
    return string_copy(text_of(pszDest, cbDest / sizeof(WCHAR), true), pszSrc,
                       cbToCopy / sizeof(WCHAR), NO_REST);
}

NTSTATUS RtlStringCchCopyNW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszSrc,
                            SIZE_T cchToCopy) {
    return string_copy(text_of(pszDest, cchDest, true), pszSrc, cchToCopy, NO_REST);
}

NTSTATUS RtlStringCbCatNA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszSrc,
                          SIZE_T cbToAppend) {
    return string_cat(text_of(pszDest, cbDest, false), pszSrc, cbToAppend, NO_REST);
}

NTSTATUS RtlStringCchCatNA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszSrc,
                           SIZE_T cchToAppend) {
    return string_cat(text_of(pszDest, cchDest, false), pszSrc, cchToAppend, NO_REST);
}

NTSTATUS RtlStringCbCatNW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszSrc,
                          SIZE_T cbToAppend) {
    return string_cat(text_of(pszDest, cbDest / sizeof(WCHAR), true), pszSrc,
                      cbToAppend / sizeof(WCHAR), NO_REST);
}

NTSTATUS RtlStringCchCatNW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszSrc,
                           SIZE_T cchToAppend) {
    return string_cat(text_of(pszDest, cchDest, true), pszSrc, cchToAppend, NO_REST);
}

NTSTATUS RtlStringCbCopyExA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszSrc,
                            NTSTRSAFE_PSTR *ppszDestEnd, SIZE_T *pcbRemaining, ULONG dwFlags) {
    return string_copy(text_of(pszDest, cbDest, false), pszSrc, ALL,
                       (struct rest){ppszDestEnd, pcbRemaining, dwFlags, cbDest});
}

NTSTATUS RtlStringCchCopyExA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszSrc,
                             NTSTRSAFE_PSTR *ppszDestEnd, SIZE_T *pcchRemaining, ULONG dwFlags) {
    return string_copy(text_of(pszDest, cchDest, false), pszSrc, ALL,
                       (struct rest){ppszDestEnd, pcchRemaining, dwFlags, 0});
}

NTSTATUS RtlStringCbCopyExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszSrc,
                            NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcbRemaining, ULONG dwFlags) {
    return string_copy(text_of(pszDest, cbDest / sizeof(WCHAR), true), pszSrc, ALL,
                       (struct rest){ppszDestEnd, pcbRemaining, dwFlags, cbDest});
}

NTSTATUS RtlStringCchCopyExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszSrc,
                             NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcchRemaining, ULONG dwFlags) {
    return string_copy(text_of(pszDest, cchDest, true), pszSrc, ALL,
                       (struct rest){ppszDestEnd, pcchRemaining, dwFlags, 0});
}

NTSTATUS RtlStringCbCatExA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszSrc,
                           NTSTRSAFE_PSTR *ppszDestEnd, SIZE_T *pcbRemaining, ULONG dwFlags) {
    return string_cat(text_of(pszDest, cbDest, false), pszSrc, ALL,
                      (struct rest){ppszDestEnd, pcbRemaining, dwFlags, cbDest});
}

NTSTATUS RtlStringCchCatExA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszSrc,
                            NTSTRSAFE_PSTR *ppszDestEnd, SIZE_T *pcchRemaining, ULONG dwFlags) {
    return string_cat(text_of(pszDest, cchDest, false), pszSrc, ALL,
                      (struct rest){ppszDestEnd, pcchRemaining, dwFlags, 0});
}

NTSTATUS RtlStringCbCatExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszSrc,
                           NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcbRemaining, ULONG dwFlags) {
    return string_cat(text_of(pszDest, cbDest / sizeof(WCHAR), true), pszSrc, ALL,
                      (struct rest){ppszDestEnd, pcbRemaining, dwFlags, cbDest});
}

NTSTATUS RtlStringCchCatExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszSrc,
                            NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcchRemaining, ULONG dwFlags) {
    return string_cat(text_of(pszDest, cchDest, true), pszSrc, ALL,
                      (struct rest){ppszDestEnd, pcchRemaining, dwFlags, 0});
}

NTSTATUS RtlStringCbCopyNExA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszSrc,
                             SIZE_T cbToCopy, NTSTRSAFE_PSTR *ppszDestEnd, SIZE_T *pcbRemaining,
                             ULONG dwFlags) {
    return string_copy(text_of(pszDest, cbDest, false), pszSrc, cbToCopy,
                       (struct rest){ppszDestEnd, pcbRemaining, dwFlags, cbDest});
}

NTSTATUS RtlStringCchCopyNExA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszSrc,
                              SIZE_T cchToCopy, NTSTRSAFE_PSTR *ppszDestEnd, SIZE_T *pcchRemaining,
                              ULONG dwFlags) {
    return string_copy(text_of(pszDest, cchDest, false), pszSrc, cchToCopy,
                       (struct rest){ppszDestEnd, pcchRemaining, dwFlags, 0});
}

NTSTATUS RtlStringCbCopyNExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszSrc,
                             SIZE_T cbToCopy, NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcbRemaining,
                             ULONG dwFlags) {
    return string_copy(text_of(pszDest, cbDest / sizeof(WCHAR), true), pszSrc,
                       cbToCopy / sizeof(WCHAR),
                       (struct rest){ppszDestEnd, pcbRemaining, dwFlags, cbDest});
}

NTSTATUS RtlStringCchCopyNExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszSrc,
                              SIZE_T cchToCopy, NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcchRemaining,
                              ULONG dwFlags) {
    return string_copy(text_of(pszDest, cchDest, true), pszSrc, cchToCopy,
                       (struct rest){ppszDestEnd, pcchRemaining, dwFlags, 0});
}

NTSTATUS RtlStringCbCatNExA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszSrc,
                            SIZE_T cbToAppend, NTSTRSAFE_PSTR *ppszDestEnd, SIZE_T *pcbRemaining,
                            ULONG dwFlags) {
    return string_cat(text_of(pszDest, cbDest, false), pszSrc, cbToAppend,
                      (struct rest){ppszDestEnd, pcbRemaining, dwFlags, cbDest});
}

NTSTATUS RtlStringCchCatNExA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszSrc,
                             SIZE_T cchToAppend, NTSTRSAFE_PSTR *ppszDestEnd, SIZE_T *pcchRemaining,
                             ULONG dwFlags) {
    return string_cat(text_of(pszDest, cchDest, false), pszSrc, cchToAppend,
                      (struct rest){ppszDestEnd, pcchRemaining, dwFlags, 0});
}

NTSTATUS RtlStringCbCatNExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszSrc,
                            SIZE_T cbToAppend, NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcbRemaining,
                            ULONG dwFlags) {
    return string_cat(text_of(pszDest, cbDest / sizeof(WCHAR), true), pszSrc,
                      cbToAppend / sizeof(WCHAR),
                      (struct rest){ppszDestEnd, pcbRemaining, dwFlags, cbDest});
}

NTSTATUS RtlStringCchCatNExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszSrc,
                             SIZE_T cchToAppend, NTSTRSAFE_PWSTR *ppszDestEnd,
                             SIZE_T *pcchRemaining, ULONG dwFlags) {
    return string_cat(text_of(pszDest, cchDest, true), pszSrc, cchToAppend,
                      (struct rest){ppszDestEnd, pcchRemaining, dwFlags, 0});
}

NTSTATUS RtlStringCbVPrintfExA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PSTR *ppszDestEnd,
                               SIZE_T *pcbRemaining, ULONG dwFlags, NTSTRSAFE_PCSTR pszFormat,
                               va_list argList) {
    return string_print(text_of(pszDest, cbDest, false), pszFormat, argList,
                        (struct rest){ppszDestEnd, pcbRemaining, dwFlags, cbDest});
}

NTSTATUS RtlStringCbPrintfExA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PSTR *ppszDestEnd,
                              SIZE_T *pcbRemaining, ULONG dwFlags, NTSTRSAFE_PCSTR pszFormat, ...) {
    va_list arguments;
    NTSTATUS status;

    va_start(arguments, pszFormat);
    status = string_print(text_of(pszDest, cbDest, false), pszFormat, arguments,
                          (struct rest){ppszDestEnd, pcbRemaining, dwFlags, cbDest});
    va_end(arguments);
    return status;
}

NTSTATUS RtlStringCchVPrintfExA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PSTR *ppszDestEnd,
                                SIZE_T *pcchRemaining, ULONG dwFlags, NTSTRSAFE_PCSTR pszFormat,
                                va_list argList) {
    return string_print(text_of(pszDest, cchDest, false), pszFormat, argList,
                        (struct rest){ppszDestEnd, pcchRemaining, dwFlags, 0});
}

NTSTATUS RtlStringCchPrintfExA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PSTR *ppszDestEnd,
                               SIZE_T *pcchRemaining, ULONG dwFlags, NTSTRSAFE_PCSTR pszFormat,
                               ...) {
    va_list arguments;
    NTSTATUS status;

    va_start(arguments, pszFormat);
    status = string_print(text_of(pszDest, cchDest, false), pszFormat, arguments,
                          (struct rest){ppszDestEnd, pcchRemaining, dwFlags, 0});
    va_end(arguments);
    return status;
}

NTSTATUS RtlStringCbVPrintfExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PWSTR *ppszDestEnd,
                               SIZE_T *pcbRemaining, ULONG dwFlags, NTSTRSAFE_PCWSTR pszFormat,
                               va_list argList) {
    return string_print(text_of(pszDest, cbDest / sizeof(WCHAR), true), pszFormat, argList,
                        (struct rest){ppszDestEnd, pcbRemaining, dwFlags, cbDest});
}

NTSTATUS RtlStringCbPrintfExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PWSTR *ppszDestEnd,
                              SIZE_T *pcbRemaining, ULONG dwFlags, NTSTRSAFE_PCWSTR pszFormat,
                              ...) {
    va_list arguments;
    NTSTATUS status;

    va_start(arguments, pszFormat);
    status = string_print(text_of(pszDest, cbDest / sizeof(WCHAR), true), pszFormat, arguments,
                          (struct rest){ppszDestEnd, pcbRemaining, dwFlags, cbDest});
    va_end(arguments);
    return status;
}

NTSTATUS RtlStringCchVPrintfExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest,
                                NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcchRemaining, ULONG dwFlags,
                                NTSTRSAFE_PCWSTR pszFormat, va_list argList) {
    return string_print(text_of(pszDest, cchDest, true), pszFormat, argList,
                        (struct rest){ppszDestEnd, pcchRemaining, dwFlags, 0});
}

NTSTATUS RtlStringCchPrintfExW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest,
                               NTSTRSAFE_PWSTR *ppszDestEnd, SIZE_T *pcchRemaining, ULONG dwFlags,
                               NTSTRSAFE_PCWSTR pszFormat, ...) {
    va_list arguments;
    NTSTATUS status;

    va_start(arguments, pszFormat);
    status = string_print(text_of(pszDest, cchDest, true), pszFormat, arguments,
                          (struct rest){ppszDestEnd, pcchRemaining, dwFlags, 0});
    va_end(arguments);
    return status;
}
