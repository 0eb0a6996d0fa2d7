/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The secure forms of formatted output: the text always ends in NUL. What does not fit is cut where
 * the caller asked for that (a count below the size, or _TRUNCATE), else the text is empty; -1 both
 * times.
 */
#include <ntddk.h>

#include "rtl_print.h"

#define TRUNCATE ((size_t)-1)

struct bounds {
    size_t room; /* units that may be written, the NUL's included */
    bool cuts;
};

static struct bounds bounds_of(size_t size, size_t count) {
    struct bounds bounds = {.room = size, .cuts = count == TRUNCATE};

    if (count < size) {
        bounds.room = count + 1;
        bounds.cuts = true;
    }
    return bounds;
}

int _vsnprintf_s(char *buffer, size_t size, size_t count, const char *format, va_list arguments) {
    struct bounds bounds = bounds_of(size, count);
    int written;

    if (size == 0) {
        return -1;
    }
    written = _vsnprintf(buffer, bounds.room, format, arguments);
    if (written >= 0 && (size_t)written < bounds.room) {
        return written;
    }
    buffer[bounds.cuts ? bounds.room - 1 : 0] = '\0';
    return -1;
}

int _vsnwprintf_s(WCHAR *buffer, size_t size, size_t count, const WCHAR *format,
                  va_list arguments) {
    struct bounds bounds = bounds_of(size, count);
    int written;

    if (size == 0) {
        return -1;
    }
    written = _vsnwprintf(buffer, bounds.room, format, arguments);
    if (written >= 0 && (size_t)written < bounds.room) {
        return written;
    }
    buffer[bounds.cuts ? bounds.room - 1 : 0] = 0;
    return -1;
}

int vsprintf_s(char *buffer, size_t size, const char *format, va_list arguments) {
    return _vsnprintf_s(buffer, size, size, format, arguments);
}

int vswprintf_s(WCHAR *buffer, size_t size, const WCHAR *format, va_list arguments) {
    return _vsnwprintf_s(buffer, size, size, format, arguments);
}

int _snprintf_s(char *buffer, size_t size, size_t count, const char *format, ...) {
    va_list arguments;
    int written;

    va_start(arguments, format);
    written = _vsnprintf_s(buffer, size, count, format, arguments);
    va_end(arguments);
    return written;
}

int sprintf_s(char *buffer, size_t size, const char *format, ...) {
    va_list arguments;
    int written;

    va_start(arguments, format);
    written = vsprintf_s(buffer, size, format, arguments);
    va_end(arguments);
    return written;
}

int _snwprintf(WCHAR *buffer, size_t count, const WCHAR *format, ...) {
    va_list arguments;
    int written;

    va_start(arguments, format);
    written = _vsnwprintf(buffer, count, format, arguments);
    va_end(arguments);
    return written;
}

int _snwprintf_s(WCHAR *buffer, size_t size, size_t count, const WCHAR *format, ...) {
    va_list arguments;
    int written;

    va_start(arguments, format);
    written = _vsnwprintf_s(buffer, size, count, format, arguments);
    va_end(arguments);
    return written;
}

int swprintf_s(WCHAR *buffer, size_t size, const WCHAR *format, ...) {
    va_list arguments;
    int written;

    va_start(arguments, format);
    written = vswprintf_s(buffer, size, format, arguments);
    va_end(arguments);
    return written;
}
