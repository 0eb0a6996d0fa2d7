/* SPDX-License-Identifier: Apache-2.0 */
/* The format engine: a parser of one conversion, and one function per kind of conversion. */
#include "rtl_print.h"

#include <stdio.h>
#include <string.h>

#include <ntddk.h>

#include <krn/memory.h>
#include <sim/trace.h>

enum size {
    SIZE_DEFAULT,
    SIZE_CHAR,  /* hh */
    SIZE_SHORT, /* h: narrow for strings */
    SIZE_LONG,  /* l: 32 bits, wide for strings */
    SIZE_WIDE,  /* w */
    SIZE_LONG_LONG,
};

struct conversion {
    bool left;
    bool plus;
    bool space;
    bool alternate;
    bool zero;
    int width;
    int precision; /* -1: none */
    enum size size;
    uint32_t kind;
};

struct printer {
    struct sim_world *world;
    struct krn_text_out *out;
    const char *narrow;
    const WCHAR *wide;
    const char *function; /* that prints, for "%!FUNC!"; may be NULL */
    size_t at;
    va_list arguments;
};

static uint32_t peek(const struct printer *printer) {
    return printer->wide != NULL ? printer->wide[printer->at]
                                 : (unsigned char)printer->narrow[printer->at];
}

static void put(struct printer *printer, uint32_t unit) {
    printer->out->put(printer->out, unit);
    printer->out->count++;
}

static void put_many(struct printer *printer, uint32_t unit, int count) {
    for (int i = 0; i < count; i++) {
        put(printer, unit);
    }
}

/* ---- The parser ---- */

static void parse_flags(struct printer *printer, struct conversion *conversion) {
    for (;; printer->at++) {
        switch (peek(printer)) {
        case '-':
            conversion->left = true;
            break;
        case '+':
            conversion->plus = true;
            break;
        case ' ':
            conversion->space = true;
            break;
        case '#':
            conversion->alternate = true;
            break;
        case '0':
            conversion->zero = true;
            break;
        default:
            return;
        }
    }
}

static int parse_number(struct printer *printer) {
    int number = 0;

    if (peek(printer) == '*') {
        printer->at++;
        return va_arg(printer->arguments, int);
    }
    while (peek(printer) >= '0' && peek(printer) <= '9') {
        number = number < 100000 ? number * 10 + (int)(peek(printer) - '0') : number;
        printer->at++;
    }
    return number;
}

static bool accept(struct printer *printer, const char *text) {
    size_t start = printer->at;

    for (; *text != '\0'; text++, printer->at++) {
        if (peek(printer) != (unsigned char)*text) {
            printer->at = start;
            return false;
        }
    }
    return true;
}

/* Longest first. Pointer-sized ones are 64 bits; `l` is 32, as on Windows. */
static void parse_size(struct printer *printer, struct conversion *conversion) {
    static const struct {
        const char *text;
        enum size size;
    } sizes[] = {
        {"I64", SIZE_LONG_LONG}, {"I32", SIZE_LONG},    {"ll", SIZE_LONG_LONG}, {"hh", SIZE_CHAR},
        {"I", SIZE_LONG_LONG},   {"l", SIZE_LONG},      {"h", SIZE_SHORT},      {"w", SIZE_WIDE},
        {"z", SIZE_LONG_LONG},   {"t", SIZE_LONG_LONG}, {"j", SIZE_LONG_LONG},
    };

    for (size_t i = 0; i < SIM_ARRAY_COUNT(sizes); i++) {
        if (accept(printer, sizes[i].text)) {
            conversion->size = sizes[i].size;
            return;
        }
    }
}

static void parse(struct printer *printer, struct conversion *conversion) {
    memset(conversion, 0, sizeof(*conversion));
    conversion->precision = -1;
    parse_flags(printer, conversion);
    conversion->width = parse_number(printer);
    if (conversion->width < 0) {
        conversion->left = true;
        conversion->width = -conversion->width;
    }
    if (peek(printer) == '.') {
        printer->at++;
        conversion->precision = parse_number(printer);
    }
    parse_size(printer, conversion);
    conversion->kind = peek(printer);
    if (conversion->kind != 0) {
        printer->at++;
    }
}

/* ---- Conversions ---- */

static void print_units(struct printer *printer, const struct conversion *conversion,
                        const char *narrow, const WCHAR *wide, size_t count) {
    int pad;

    if (conversion->precision >= 0 && (size_t)conversion->precision < count) {
        count = (size_t)conversion->precision;
    }
    pad = conversion->width > (int)count ? conversion->width - (int)count : 0;
    if (!conversion->left) {
        put_many(printer, ' ', pad);
    }
    for (size_t i = 0; i < count; i++) {
        put(printer, wide != NULL ? wide[i] : (unsigned char)narrow[i]);
    }
    if (conversion->left) {
        put_many(printer, ' ', pad);
    }
}

static void print_text(struct printer *printer, const struct conversion *conversion,
                       const char *text) {
    print_units(printer, conversion, text, NULL, strlen(text));
}

static bool is_wide(const struct printer *printer, const struct conversion *conversion) {
    bool opposite = conversion->kind == 'S' || conversion->kind == 'C';

    switch (conversion->size) {
    case SIZE_SHORT:
        return false;
    case SIZE_LONG:
    case SIZE_WIDE:
        return true;
    default:
        return (printer->wide != NULL) != opposite;
    }
}

/* Length up to a NUL, looking no further than the precision allows. */
static void print_string(struct printer *printer, const struct conversion *conversion) {
    const void *string = va_arg(printer->arguments, const void *);
    size_t limit = conversion->precision >= 0 ? (size_t)conversion->precision : SIZE_MAX;
    size_t count = 0;

    if (string == NULL) {
        print_text(printer, conversion, "(null)");
    } else if (is_wide(printer, conversion)) {
        const WCHAR *wide = string;

        while (count < limit && wide[count] != 0) {
            count++;
        }
        print_units(printer, conversion, NULL, wide, count);
    } else {
        const char *narrow = string;

        while (count < limit && narrow[count] != '\0') {
            count++;
        }
        print_units(printer, conversion, narrow, NULL, count);
    }
}

static void print_counted(struct printer *printer, const struct conversion *conversion) {
    const void *string = va_arg(printer->arguments, const void *);

    if (string == NULL) {
        print_text(printer, conversion, "(null)");
    } else if (conversion->size == SIZE_WIDE || conversion->size == SIZE_LONG) {
        const UNICODE_STRING *wide = string;

        print_units(printer, conversion, NULL, wide->Buffer, wide->Length / sizeof(WCHAR));
    } else {
        const STRING *narrow = string;

        print_units(printer, conversion, narrow->Buffer, NULL, narrow->Length);
    }
}

static void print_character(struct printer *printer, const struct conversion *conversion) {
    WCHAR unit = (WCHAR)va_arg(printer->arguments, int);

    if (!is_wide(printer, conversion)) {
        unit &= 0xFF;
    }
    print_units(printer, conversion, NULL, &unit, 1);
}

static void print_pointer(struct printer *printer, const struct conversion *conversion) {
    const void *pointer = va_arg(printer->arguments, const void *);
    char text[KRN_POINTER_TEXT_BYTES];

    print_text(printer, conversion, krn_pointer_text(printer->world, pointer, text, sizeof(text)));
}

static uint64_t next_integer(struct printer *printer, const struct conversion *conversion,
                             bool is_signed) {
    uint64_t value;

    if (conversion->size == SIZE_LONG_LONG) {
        return va_arg(printer->arguments, uint64_t);
    }
    value = va_arg(printer->arguments, uint32_t);
    switch (conversion->size) {
    case SIZE_CHAR:
        return is_signed ? (uint64_t)(int64_t)(int8_t)value : (uint8_t)value;
    case SIZE_SHORT:
        return is_signed ? (uint64_t)(int64_t)(int16_t)value : (uint16_t)value;
    default:
        return is_signed ? (uint64_t)(int64_t)(int32_t)value : (uint32_t)value;
    }
}

static size_t digits_of(uint64_t value, uint32_t base, bool upper, char digits[32]) {
    const char *set = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    char reversed[32];
    size_t count = 0;

    while (value != 0) {
        reversed[count++] = set[value % base];
        value /= base;
    }
    for (size_t i = 0; i < count; i++) {
        digits[i] = reversed[count - 1 - i];
    }
    return count;
}

/* Sign or prefix, zeros up to the precision (or the width), digits. */
static void print_number(struct printer *printer, const struct conversion *conversion,
                         uint64_t value, uint32_t base, const char *prefix) {
    char digits[32];
    size_t count = digits_of(value, base, conversion->kind == 'X', digits);
    int wanted = conversion->precision >= 0 ? conversion->precision : 1;
    int zeros = wanted > (int)count ? wanted - (int)count : 0;
    int used = (int)strlen(prefix) + zeros + (int)count;
    int pad = conversion->width > used ? conversion->width - used : 0;

    if (conversion->zero && !conversion->left && conversion->precision < 0) {
        zeros += pad;
        pad = 0;
    }
    if (!conversion->left) {
        put_many(printer, ' ', pad);
    }
    for (; *prefix != '\0'; prefix++) {
        put(printer, (unsigned char)*prefix);
    }
    put_many(printer, '0', zeros);
    for (size_t i = 0; i < count; i++) {
        put(printer, (unsigned char)digits[i]);
    }
    if (conversion->left) {
        put_many(printer, ' ', pad);
    }
}

static void print_signed(struct printer *printer, const struct conversion *conversion) {
    int64_t value = (int64_t)next_integer(printer, conversion, true);
    const char *prefix = conversion->plus ? "+" : conversion->space ? " " : "";

    if (value < 0) {
        print_number(printer, conversion, 0 - (uint64_t)value, 10, "-");
    } else {
        print_number(printer, conversion, (uint64_t)value, 10, prefix);
    }
}

static void print_unsigned(struct printer *printer, const struct conversion *conversion,
                           uint32_t base) {
    uint64_t value = next_integer(printer, conversion, false);
    const char *prefix = "";

    if (conversion->alternate && value != 0 && base == 16) {
        prefix = conversion->kind == 'X' ? "0X" : "0x";
    } else if (conversion->alternate && base == 8) {
        prefix = "0";
    }
    print_number(printer, conversion, value, base, prefix);
}

/* "%!STATUS!" and its like, behind the first mark: what trace preprocessors know. */
static void print_named(struct printer *printer, const struct conversion *conversion) {
    char text[16];

    if (accept(printer, "FUNC!")) {
        print_text(printer, conversion, printer->function != NULL ? printer->function : "?");
    } else if (accept(printer, "STATUS!")) {
        uint32_t status = va_arg(printer->arguments, uint32_t);
        const char *name = sim_trace_status_name(printer->world, status);

        snprintf(text, sizeof(text), "0x%08x", status);
        print_text(printer, conversion, name != NULL ? name : text);
    } else {
        while (peek(printer) != 0 && peek(printer) != '!') {
            printer->at++;
        }
        printer->at += peek(printer) == '!';
        snprintf(text, sizeof(text), "0x%x", va_arg(printer->arguments, uint32_t));
        print_text(printer, conversion, text);
    }
}

/* Such arguments have registers of their own, except where all variable ones are on the stack. */
static void skip_floating(struct printer *printer) {
#ifdef __APPLE__
    (void)va_arg(printer->arguments, uint64_t);
#else
    (void)printer;
#endif
}

static void print_conversion(struct printer *printer, const struct conversion *conversion) {
    switch (conversion->kind) {
    case 'd':
    case 'i':
        print_signed(printer, conversion);
        break;
    case 'u':
        print_unsigned(printer, conversion, 10);
        break;
    case 'x':
    case 'X':
        print_unsigned(printer, conversion, 16);
        break;
    case 'o':
        print_unsigned(printer, conversion, 8);
        break;
    case 'c':
    case 'C':
        print_character(printer, conversion);
        break;
    case 's':
    case 'S':
        print_string(printer, conversion);
        break;
    case 'Z':
        print_counted(printer, conversion);
        break;
    case '!':
        print_named(printer, conversion);
        break;
    case 'p':
    case 'P':
        print_pointer(printer, conversion);
        break;
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
        skip_floating(printer);
        print_text(printer, conversion, "?");
        break;
    case 0:
        break;
    default:
        put(printer, conversion->kind);
        break;
    }
}

void krn_format(struct sim_world *world, struct krn_text_out *out, const void *format,
                bool format_is_wide, va_list arguments) {
    struct printer printer = {.world = world, .out = out, .function = out->function};

    if (format_is_wide) {
        printer.wide = format;
    } else {
        printer.narrow = format;
    }
    out->count = 0;
    va_copy(printer.arguments, arguments);
    while (peek(&printer) != 0) {
        uint32_t unit = peek(&printer);

        printer.at++;
        if (unit == '%') {
            struct conversion conversion;

            parse(&printer, &conversion);
            print_conversion(&printer, &conversion);
        } else {
            put(&printer, unit);
        }
    }
    va_end(printer.arguments);
}

struct buffer_out {
    struct krn_text_out out; /* first */
    char *buffer;
    size_t size;
};

static void buffer_put(struct krn_text_out *out, uint32_t unit) {
    struct buffer_out *to = (struct buffer_out *)out;

    if (out->count + 1 < to->size) {
        /* Wide units of ASCII are themselves; others have no place in narrow text. */
        to->buffer[out->count] = unit < 0x100 ? (char)unit : '?';
    }
}

size_t krn_format_trace(struct sim_world *world, char *buffer, size_t size, const char *function,
                        const char *format, va_list arguments) {
    struct buffer_out to = {{buffer_put, 0, function}, buffer, size};

    krn_format(world, &to.out, format, false, arguments);
    if (size != 0) {
        buffer[to.out.count < size ? to.out.count : size - 1] = '\0';
    }
    return to.out.count;
}

size_t krn_format_text(struct sim_world *world, char *buffer, size_t size, const char *format,
                       va_list arguments) {
    return krn_format_trace(world, buffer, size, NULL, format, arguments);
}
