/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 to UTF-16 and back. */
#include "wide.h"

#include <string.h>

#include "pool.h"

/* The next code point of a UTF-8 text; a bad byte stands for itself. */
static uint32_t next_point(const char **text) {
    const unsigned char *at = (const unsigned char *)*text;
    uint32_t point = *at++;
    uint32_t more = point >= 0xF0 ? 3 : point >= 0xE0 ? 2 : point >= 0xC0 ? 1 : 0;

    if (more != 0) {
        uint32_t wide = point & (0x3Fu >> more);

        for (uint32_t i = 0; i < more; i++) {
            if ((at[i] & 0xC0) != 0x80) {
                *text += 1;
                return point;
            }
            wide = wide << 6 | (at[i] & 0x3Fu);
        }
        point = wide;
        at += more;
    }
    *text = (const char *)at;
    return point;
}

size_t krn_wide_from_text(const char *text, WCHAR *wide, size_t capacity) {
    size_t count = 0;

    while (*text != '\0') {
        uint32_t point = next_point(&text);
        WCHAR units[2] = {(WCHAR)point, 0};
        size_t needed = 1;

        if (point > 0xFFFF) {
            units[0] = (WCHAR)(0xD800 + ((point - 0x10000) >> 10));
            units[1] = (WCHAR)(0xDC00 + ((point - 0x10000) & 0x3FF));
            needed = 2;
        }
        for (size_t i = 0; i < needed; i++, count++) {
            if (count < capacity) {
                wide[count] = units[i];
            }
        }
    }
    return count;
}

void krn_wide_keep(struct sim_world *world, const char *text, UNICODE_STRING *string) {
    size_t count = krn_wide_from_text(text, NULL, 0);
    WCHAR *wide = sim_alloc(world, (count + 1) * sizeof(wide[0]));

    (void)krn_wide_from_text(text, wide, count);
    string->Buffer = wide;
    string->Length = (USHORT)(count * sizeof(wide[0]));
    string->MaximumLength = (USHORT)((count + 1) * sizeof(wide[0]));
}

static size_t put_point(char *to, uint32_t point) {
    if (point < 0x80) {
        to[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        to[0] = (char)(0xC0 | point >> 6);
        to[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        to[0] = (char)(0xE0 | point >> 12);
        to[1] = (char)(0x80 | (point >> 6 & 0x3F));
        to[2] = (char)(0x80 | (point & 0x3F));
        return 3;
    }
    to[0] = (char)(0xF0 | point >> 18);
    to[1] = (char)(0x80 | (point >> 12 & 0x3F));
    to[2] = (char)(0x80 | (point >> 6 & 0x3F));
    to[3] = (char)(0x80 | (point & 0x3F));
    return 4;
}

const char *krn_wide_buffer_text(const WCHAR *wide, size_t count, char *buffer, size_t size) {
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t point = wide[i];
        char bytes[4];
        size_t length;

        if (point >= 0xD800 && point < 0xDC00 && i + 1 < count && wide[i + 1] >= 0xDC00 &&
            wide[i + 1] < 0xE000) {
            point = 0x10000 + ((point - 0xD800) << 10) + (wide[++i] - 0xDC00u);
        }
        length = put_point(bytes, point);
        if (used + length + 1 > size) {
            break;
        }
        memcpy(buffer + used, bytes, length);
        used += length;
    }
    buffer[used] = '\0';
    return buffer;
}

const char *krn_wide_text(const UNICODE_STRING *string, char *buffer, size_t size) {
    return krn_wide_buffer_text(string->Buffer, string->Length / sizeof(WCHAR), buffer, size);
}

void krn_wide_check(const struct krn_call *call, const UNICODE_STRING *string, const char *what) {
    krn_check_memory(call, string, sizeof(*string), what);
    if (string->Length != 0) {
        krn_check_memory(call, string->Buffer, string->Length, what);
    }
}

static char fold(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool krn_text_equal_fold(const char *one, const char *other) {
    while (*one != '\0' && fold(*one) == fold(*other)) {
        one++;
        other++;
    }
    return fold(*one) == fold(*other);
}
