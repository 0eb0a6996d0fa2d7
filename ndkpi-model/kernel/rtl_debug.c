/* SPDX-License-Identifier: Apache-2.0 */
/* DbgPrint and its kin, and formatted text for drivers. */
#include <ntddk.h>

#include <ndksim.h>
#include <ntstrsafe.h>

#include <stdio.h>
#include <string.h>

#include "call_error.h"
#include "pool.h"
#include "rtl_print.h"

#define LINE_BYTES 1024u

/* Each line of the text on its own; text without a line end waits for nothing. */
static void debug_lines(struct sim_world *world, struct sim_object *who, char *text) {
    while (*text != '\0') {
        char *end = text + strcspn(text, "\r\n");
        bool was_last = *end == '\0';

        *end = '\0';
        if (end != text) {
            sim_text(world, who, text);
        }
        text = was_last ? end : end + 1;
    }
}

static ULONG debug_print(const struct krn_call *call, PCSTR prefix, PCSTR format,
                         va_list arguments) {
    char line[LINE_BYTES];
    size_t used = 0;

    for (; prefix[used] != '\0' && used + 1 < sizeof(line); used++) {
        line[used] = prefix[used];
    }
    (void)krn_format_text(call->world, line + used, sizeof(line) - used, format, arguments);
    debug_lines(call->world, krn_call_owner(call), line);
    return STATUS_SUCCESS;
}

ULONG DbgPrint(PCSTR Format, ...) {
    KRN_CALL(HIGH_LEVEL);
    va_list arguments;

    va_start(arguments, Format);
    (void)debug_print(&call, "", Format, arguments);
    va_end(arguments);
    return STATUS_SUCCESS;
}

ULONG DbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format, ...) {
    KRN_CALL(HIGH_LEVEL);
    va_list arguments;

    UNREFERENCED_PARAMETER(ComponentId);
    UNREFERENCED_PARAMETER(Level);
    va_start(arguments, Format);
    (void)debug_print(&call, "", Format, arguments);
    va_end(arguments);
    return STATUS_SUCCESS;
}

ULONG NTAPI vDbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format, va_list Arguments) {
    KRN_CALL(HIGH_LEVEL);
    UNREFERENCED_PARAMETER(ComponentId);
    UNREFERENCED_PARAMETER(Level);
    return debug_print(&call, "", Format, Arguments);
}

ULONG NTAPI vDbgPrintExWithPrefix(PCSTR Prefix, ULONG ComponentId, ULONG Level, PCSTR Format,
                                  va_list Arguments) {
    KRN_CALL(HIGH_LEVEL);
    UNREFERENCED_PARAMETER(ComponentId);
    UNREFERENCED_PARAMETER(Level);
    return debug_print(&call, Prefix, Format, Arguments);
}

/* The log's line begins with who printed; file and line stand in front of what was printed. */
VOID NdksimPrint(PCSTR File, ULONG Line, PCSTR Function, PCSTR Format, ...) {
    KRN_CALL(HIGH_LEVEL);
    PCSTR Base = strrchr(File, '/');
    va_list arguments;
    char line[LINE_BYTES];
    int used = snprintf(line, sizeof(line) / 2, "%s:%u: ", Base != NULL ? Base + 1 : File, Line);

    va_start(arguments, Format);
    (void)krn_format_trace(call.world, line + used, sizeof(line) - (size_t)used, Function, Format,
                           arguments);
    va_end(arguments);
    debug_lines(call.world, krn_call_owner(&call), line);
}

/* ---- Into buffers ---- */

struct narrow_out {
    struct krn_text_out out; /* first */
    char *buffer;
    size_t size;
};

static void narrow_put(struct krn_text_out *out, uint32_t unit) {
    struct narrow_out *to = (struct narrow_out *)out;

    if (out->count < to->size) {
        to->buffer[out->count] = unit < 0x100 ? (char)unit : '?';
    }
}

struct wide_out {
    struct krn_text_out out; /* first */
    WCHAR *buffer;
    size_t size;
};

static void wide_put(struct krn_text_out *out, uint32_t unit) {
    struct wide_out *to = (struct wide_out *)out;

    if (out->count < to->size) {
        to->buffer[out->count] = (WCHAR)unit;
    }
}

static struct sim_world *world_now(void) {
    return sim_task_world(sim_task_current());
}

int _vsnprintf(char *Buffer, size_t Count, const char *Format, va_list ArgList) {
    struct narrow_out to = {{narrow_put, 0, NULL}, Buffer, Count};

    krn_format(world_now(), &to.out, Format, false, ArgList);
    if (to.out.count < Count) {
        Buffer[to.out.count] = '\0';
    }
    return to.out.count > Count ? -1 : (int)to.out.count;
}

int _vsnwprintf(WCHAR *Buffer, size_t Count, const WCHAR *Format, va_list ArgList) {
    struct wide_out to = {{wide_put, 0, NULL}, Buffer, Count};

    krn_format(world_now(), &to.out, Format, true, ArgList);
    if (to.out.count < Count) {
        Buffer[to.out.count] = 0;
    }
    return to.out.count > Count ? -1 : (int)to.out.count;
}

int _snprintf(char *Buffer, size_t Count, const char *Format, ...) {
    va_list arguments;
    int count;

    va_start(arguments, Format);
    count = _vsnprintf(Buffer, Count, Format, arguments);
    va_end(arguments);
    return count;
}

NTSTATUS RtlStringCchVPrintfA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszFormat,
                              va_list argList) {
    struct narrow_out to = {{narrow_put, 0, NULL}, pszDest, cchDest};

    if (cchDest == 0 || cchDest > NTSTRSAFE_MAX_CCH) {
        return STATUS_INVALID_PARAMETER;
    }
    krn_format(world_now(), &to.out, pszFormat, false, argList);
    pszDest[to.out.count < cchDest ? to.out.count : cchDest - 1] = '\0';
    return to.out.count < cchDest ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;
}

NTSTATUS RtlStringCchVPrintfW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszFormat,
                              va_list argList) {
    struct wide_out to = {{wide_put, 0, NULL}, pszDest, cchDest};

    if (cchDest == 0 || cchDest > NTSTRSAFE_MAX_CCH) {
        return STATUS_INVALID_PARAMETER;
    }
    krn_format(world_now(), &to.out, pszFormat, true, argList);
    pszDest[to.out.count < cchDest ? to.out.count : cchDest - 1] = 0;
    return to.out.count < cchDest ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;
}

NTSTATUS RtlStringCbVPrintfA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszFormat,
                             va_list argList) {
    return RtlStringCchVPrintfA(pszDest, cbDest, pszFormat, argList);
}

NTSTATUS RtlStringCbVPrintfW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszFormat,
                             va_list argList) {
    return RtlStringCchVPrintfW(pszDest, cbDest / sizeof(WCHAR), pszFormat, argList);
}

NTSTATUS RtlStringCbPrintfA(NTSTRSAFE_PSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCSTR pszFormat, ...) {
    va_list arguments;
    NTSTATUS status;

    va_start(arguments, pszFormat);
    status = RtlStringCchVPrintfA(pszDest, cbDest, pszFormat, arguments);
    va_end(arguments);
    return status;
}

NTSTATUS RtlStringCchPrintfA(NTSTRSAFE_PSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCSTR pszFormat,
                             ...) {
    va_list arguments;
    NTSTATUS status;

    va_start(arguments, pszFormat);
    status = RtlStringCchVPrintfA(pszDest, cchDest, pszFormat, arguments);
    va_end(arguments);
    return status;
}

NTSTATUS RtlStringCbPrintfW(NTSTRSAFE_PWSTR pszDest, SIZE_T cbDest, NTSTRSAFE_PCWSTR pszFormat,
                            ...) {
    va_list arguments;
    NTSTATUS status;

    va_start(arguments, pszFormat);
    status = RtlStringCbVPrintfW(pszDest, cbDest, pszFormat, arguments);
    va_end(arguments);
    return status;
}

NTSTATUS RtlStringCchPrintfW(NTSTRSAFE_PWSTR pszDest, SIZE_T cchDest, NTSTRSAFE_PCWSTR pszFormat,
                             ...) {
    va_list arguments;
    NTSTATUS status;

    va_start(arguments, pszFormat);
    status = RtlStringCchVPrintfW(pszDest, cchDest, pszFormat, arguments);
    va_end(arguments);
    return status;
}

NTSTATUS RtlUnicodeStringVPrintf(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszFormat,
                                 va_list argList) {
    struct wide_out to = {{wide_put, 0, NULL},
                          DestinationString->Buffer,
                          DestinationString->MaximumLength / sizeof(WCHAR)};
    size_t count;

    krn_format(world_now(), &to.out, pszFormat, true, argList);
    count = to.out.count < to.size ? to.out.count : to.size;
    DestinationString->Length = (USHORT)(count * sizeof(WCHAR));
    return to.out.count <= to.size ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;
}

NTSTATUS RtlUnicodeStringPrintf(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszFormat,
                                ...) {
    va_list arguments;
    NTSTATUS status;

    va_start(arguments, pszFormat);
    status = RtlUnicodeStringVPrintf(DestinationString, pszFormat, arguments);
    va_end(arguments);
    return status;
}
