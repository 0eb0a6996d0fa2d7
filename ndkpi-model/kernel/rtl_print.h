/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formatted text by Windows' rules, which are not the host's:
 *
 *   %s %S %hs %ls %ws  narrow or wide by the format's own kind; %hs always narrow, %ls %ws wide
 *   %c %C %hc %lc %wc  the same for characters
 *   %Z %wZ             a STRING or UNICODE_STRING by pointer
 *   %d %i %u %x %X %o  with h, hh, l (32 bits), ll, I64, I32, I, z, t, j, w
 *   %p                 the name of the place (pool#214+0x18), never an address
 *   %!STATUS!          the name of an NTSTATUS; %!FUNC! the function; %!other! an unsigned number
 *   %e %f %g           refused: floating point has no place in a kernel; shown as "?"
 */
#ifndef KRN_RTL_PRINT_H
#define KRN_RTL_PRINT_H

#include <stdarg.h>

#include "kernel.h"

/* Where the text goes, unit by unit. */
struct krn_text_out {
    void (*put)(struct krn_text_out *out, uint32_t unit);
    size_t count;         /* units put so far; kept by krn_format */
    const char *function; /* of the source that prints, for %!FUNC!; may be NULL */
};

/*
 * `format` is narrow, or wide (16-bit units) when `is_wide`; strings of %s are then wide too.
 * `arguments` is not used up for the caller (va_copy inside).
 */
void krn_format(struct sim_world *world, struct krn_text_out *out, const void *format, bool is_wide,
                va_list arguments);

/* Narrow text, always ended with NUL, cut to size. Returns the units that the whole text needs. */
size_t krn_format_text(struct sim_world *world, char *buffer, size_t size, const char *format,
                       va_list arguments);

/* The same for a line of `function`. */
size_t krn_format_trace(struct sim_world *world, char *buffer, size_t size, const char *function,
                        const char *format, va_list arguments);

/* What a driver gets for the C run-time's functions of these names; see wdm/crt.h. */
int _snprintf(char *buffer, size_t count, const char *format, ...);
int _vsnprintf(char *buffer, size_t count, const char *format, va_list arguments);
int _vsnwprintf(unsigned short *buffer, size_t count, const unsigned short *format,
                va_list arguments);
int _snwprintf(unsigned short *buffer, size_t count, const unsigned short *format, ...);
int _vsnprintf_s(char *buffer, size_t size, size_t count, const char *format, va_list arguments);
int _snprintf_s(char *buffer, size_t size, size_t count, const char *format, ...);
int _vsnwprintf_s(unsigned short *buffer, size_t size, size_t count, const unsigned short *format,
                  va_list arguments);
int _snwprintf_s(unsigned short *buffer, size_t size, size_t count, const unsigned short *format,
                 ...);
int vsprintf_s(char *buffer, size_t size, const char *format, va_list arguments);
int sprintf_s(char *buffer, size_t size, const char *format, ...);
int vswprintf_s(unsigned short *buffer, size_t size, const unsigned short *format,
                va_list arguments);
int swprintf_s(unsigned short *buffer, size_t size, const unsigned short *format, ...);

#endif
