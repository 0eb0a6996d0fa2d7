/* SPDX-License-Identifier: Apache-2.0 */
/* IPv4 and IPv6 addresses as text and back. Narrow forms do the work; wide ones go through them. */
#include <ntddk.h>

#include <ip2string.h>

#include <stdbool.h>
#include <stdio.h>

#define TEXT_BYTES 80u

/* ---- To text ---- */

PSTR NTAPI RtlIpv4AddressToStringA(const IN_ADDR *Addr, PSTR S) {
    const UCHAR *bytes = (const UCHAR *)Addr;

    return S + snprintf(S, 16, "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]);
}

static USHORT word_of(const IN6_ADDR *address, int index) {
    const UCHAR *bytes = (const UCHAR *)address;

    return (USHORT)(bytes[2 * index] << 8 | bytes[2 * index + 1]);
}

/* The longest run of two zero words or more, the first one of equals; *start is -1 without. */
static int zeros_of(const IN6_ADDR *address, int *start) {
    int best = 1;

    *start = -1;
    for (int i = 0; i < 8; i++) {
        int run = 0;

        while (i + run < 8 && word_of(address, i + run) == 0) {
            run++;
        }
        if (run > best) {
            best = run;
            *start = i;
        }
    }
    return best;
}

/* IPv4 addresses in IPv6 ones, ::ffff:a.b.c.d and ::a.b.c.d, keep their form. */
static bool is_v4_inside(const IN6_ADDR *address, int start, int run) {
    return start == 0 &&
           ((run == 5 && word_of(address, 5) == 0xFFFF) || (run == 6 && word_of(address, 6) != 0));
}

PSTR NTAPI RtlIpv6AddressToStringA(const IN6_ADDR *Addr, PSTR S) {
    int start;
    int run = zeros_of(Addr, &start);
    int words = is_v4_inside(Addr, start, run) ? 6 : 8;

    for (int i = 0; i < words; i++) {
        if (i == start) {
            *S++ = ':';
            *S++ = ':';
            i += run - 1;
            continue;
        }
        if (i != 0 && i != start + run) {
            *S++ = ':';
        } else if (i != 0 && start < 0) {
            *S++ = ':';
        }
        S += snprintf(S, 5, "%x", word_of(Addr, i));
    }
    if (words == 6) {
        *S = ':';
        S += run == 5;
        return RtlIpv4AddressToStringA((const IN_ADDR *)((const UCHAR *)Addr + 12), S);
    }
    *S = '\0';
    return S;
}

static PWSTR widen(const char *from, PWSTR to) {
    while (*from != '\0') {
        *to++ = (UCHAR)*from++;
    }
    *to = 0;
    return to;
}

PWSTR NTAPI RtlIpv4AddressToStringW(const IN_ADDR *Addr, PWSTR S) {
    char text[TEXT_BYTES];

    (void)RtlIpv4AddressToStringA(Addr, text);
    return widen(text, S);
}

PWSTR NTAPI RtlIpv6AddressToStringW(const IN6_ADDR *Addr, PWSTR S) {
    char text[TEXT_BYTES];

    (void)RtlIpv6AddressToStringA(Addr, text);
    return widen(text, S);
}

static ULONG port_of(USHORT network_order) {
    return (ULONG)(USHORT)(network_order >> 8 | network_order << 8);
}

static bool has_room(const char *text, PULONG length) {
    ULONG needed = (ULONG)strlen(text) + 1;
    bool fits = *length >= needed;

    *length = needed;
    return fits;
}

static NTSTATUS answer_wide(const char *text, PWSTR to, PULONG length) {
    if (!has_room(text, length)) {
        return STATUS_INVALID_PARAMETER;
    }
    (void)widen(text, to);
    return STATUS_SUCCESS;
}

static NTSTATUS answer_narrow(const char *text, PSTR to, PULONG length) {
    if (!has_room(text, length)) {
        return STATUS_INVALID_PARAMETER;
    }
    memcpy(to, text, *length);
    return STATUS_SUCCESS;
}

static const char *with_port4(const IN_ADDR *address, USHORT port, char text[TEXT_BYTES]) {
    char *end = RtlIpv4AddressToStringA(address, text);

    if (port != 0) {
        (void)snprintf(end, 8, ":%u", port_of(port));
    }
    return text;
}

static const char *with_port6(const IN6_ADDR *address, ULONG scope_id, USHORT port,
                              char text[TEXT_BYTES]) {
    char bare[TEXT_BYTES];
    char scope[16] = "";

    (void)RtlIpv6AddressToStringA(address, bare);
    if (scope_id != 0) {
        (void)snprintf(scope, sizeof(scope), "%%%u", scope_id);
    }
    if (port != 0) {
        (void)snprintf(text, TEXT_BYTES, "[%.46s%s]:%u", bare, scope, port_of(port));
    } else {
        (void)snprintf(text, TEXT_BYTES, "%.46s%s", bare, scope);
    }
    return text;
}

NTSTATUS NTAPI RtlIpv4AddressToStringExW(const IN_ADDR *Address, USHORT Port, PWSTR AddressString,
                                         PULONG AddressStringLength) {
    char text[TEXT_BYTES];

    return answer_wide(with_port4(Address, Port, text), AddressString, AddressStringLength);
}

NTSTATUS NTAPI RtlIpv4AddressToStringExA(const IN_ADDR *Address, USHORT Port, PSTR AddressString,
                                         PULONG AddressStringLength) {
    char text[TEXT_BYTES];

    return answer_narrow(with_port4(Address, Port, text), AddressString, AddressStringLength);
}

NTSTATUS NTAPI RtlIpv6AddressToStringExW(const IN6_ADDR *Address, ULONG ScopeId, USHORT Port,
                                         PWSTR AddressString, PULONG AddressStringLength) {
    char text[TEXT_BYTES];

    return answer_wide(with_port6(Address, ScopeId, Port, text), AddressString,
                       AddressStringLength);
}

NTSTATUS NTAPI RtlIpv6AddressToStringExA(const IN6_ADDR *Address, ULONG ScopeId, USHORT Port,
                                         PSTR AddressString, PULONG AddressStringLength) {
    char text[TEXT_BYTES];

    return answer_narrow(with_port6(Address, ScopeId, Port, text), AddressString,
                         AddressStringLength);
}

/* ---- From text ---- */

static int digit_of(char c, int base) {
    int value = -1;

    if (c >= '0' && c <= '9') {
        value = c - '0';
    } else if (c >= 'a' && c <= 'f') {
        value = c - 'a' + 10;
    } else if (c >= 'A' && c <= 'F') {
        value = c - 'A' + 10;
    }
    return value < base ? value : -1;
}

/* Digits of `base` up to a limit; false without a digit or beyond it. */
static bool number_of(PCSTR *at, int base, ULONG limit, ULONG *value) {
    PCSTR start = *at;
    ULONG64 sum = 0;

    while (digit_of(**at, base) >= 0) {
        sum = sum * (ULONG)base + (ULONG)digit_of(**at, base);
        if (sum > limit) {
            return false;
        }
        (*at)++;
    }
    *value = (ULONG)sum;
    return *at != start;
}

/* A part of an IPv4 address: decimal, and when it need not be strict octal (0) or hexadecimal (0x).
 */
static bool part_of(PCSTR *at, BOOLEAN strict, ULONG *value) {
    int base = 10;

    if ((*at)[0] == '0' && ((*at)[1] == 'x' || (*at)[1] == 'X')) {
        base = 16;
        *at += strict ? 0 : 2;
    } else if ((*at)[0] == '0' && digit_of((*at)[1], 10) >= 0) {
        base = 8;
    }
    return (base == 10 || !strict) && number_of(at, base, MAXULONG, value);
}

/* One to four parts, four of them when strict; the last one fills what is left. */
NTSTATUS NTAPI RtlIpv4StringToAddressA(PCSTR S, BOOLEAN Strict, PCSTR *Terminator, IN_ADDR *Addr) {
    UCHAR *bytes = (UCHAR *)Addr;
    ULONG parts[4] = {0};
    ULONG address = 0;
    int count = 0;
    bool good;

    do {
        S += count != 0;
        good =
            part_of(&S, Strict, &parts[count]) && (count == 3 || *S != '.' || parts[count] <= 255);
        count++;
    } while (good && count < 4 && *S == '.');
    *Terminator = S;
    if (!good || (Strict && count != 4) ||
        (count != 1 && parts[count - 1] >= (ULONG)1 << (8 * (5 - count)))) {
        return STATUS_INVALID_PARAMETER;
    }
    for (int i = 0; i < count; i++) {
        address |= i == count - 1 ? parts[i] : parts[i] << (8 * (3 - i));
    }
    for (int i = 0; i < 4; i++) {
        bytes[i] = (UCHAR)(address >> (8 * (3 - i)));
    }
    return STATUS_SUCCESS;
}

struct words {
    USHORT word[8];
    int count;
    int gap; /* index of "::", -1 without */
};

/* One word, or the IPv4 tail as two; false when the text is neither. */
static bool word_take(PCSTR *at, struct words *words) {
    IN_ADDR tail;
    PCSTR end;
    ULONG value;
    PCSTR start = *at;

    if (!number_of(at, 16, 0xFFFF, &value)) {
        return false;
    }
    if (**at != '.') {
        words->word[words->count++] = (USHORT)value;
        return true;
    }
    if (words->count > 6 || RtlIpv4StringToAddressA(start, TRUE, &end, &tail) != STATUS_SUCCESS) {
        return false;
    }
    words->word[words->count++] =
        (USHORT)(((const UCHAR *)&tail)[0] << 8 | ((const UCHAR *)&tail)[1]);
    words->word[words->count++] =
        (USHORT)(((const UCHAR *)&tail)[2] << 8 | ((const UCHAR *)&tail)[3]);
    *at = end;
    return true;
}

static bool words_take(PCSTR *at, struct words *words) {
    if ((*at)[0] == ':' && (*at)[1] != ':') {
        return false;
    }
    while (words->count < 8) {
        if ((*at)[0] == ':' && (*at)[1] == ':') {
            if (words->gap >= 0) {
                return false;
            }
            words->gap = words->count;
            *at += 2;
            if (digit_of(**at, 16) < 0) {
                return true;
            }
        } else if (words->count != 0 && words->gap != words->count) {
            if (**at != ':' || digit_of((*at)[1], 16) < 0) {
                return true;
            }
            (*at)++;
        }
        if (!word_take(at, words)) {
            return false;
        }
    }
    return true;
}

NTSTATUS NTAPI RtlIpv6StringToAddressA(PCSTR S, PCSTR *Terminator, IN6_ADDR *Addr) {
    struct words words = {.gap = -1};
    UCHAR *bytes = (UCHAR *)Addr;
    bool good = words_take(&S, &words);
    int skipped = 8 - words.count;

    *Terminator = S;
    if (!good || (words.gap < 0 && words.count != 8) || (words.gap >= 0 && words.count == 8)) {
        return STATUS_INVALID_PARAMETER;
    }
    memset(bytes, 0, 16);
    for (int i = 0; i < words.count; i++) {
        int to = words.gap >= 0 && i >= words.gap ? i + skipped : i;

        bytes[2 * to] = (UCHAR)(words.word[i] >> 8);
        bytes[2 * to + 1] = (UCHAR)words.word[i];
    }
    return STATUS_SUCCESS;
}

/* ":port" at the end, or nothing. */
static bool port_take(PCSTR at, PUSHORT port) {
    ULONG value;

    *port = 0;
    if (*at == '\0') {
        return true;
    }
    if (*at++ != ':' || !number_of(&at, 10, 65535, &value) || *at != '\0') {
        return false;
    }
    *port = (USHORT)port_of((USHORT)value);
    return true;
}

NTSTATUS NTAPI RtlIpv4StringToAddressExA(PCSTR AddressString, BOOLEAN Strict, IN_ADDR *Address,
                                         PUSHORT Port) {
    PCSTR end;
    NTSTATUS status = RtlIpv4StringToAddressA(AddressString, Strict, &end, Address);

    if (NT_SUCCESS(status) && !port_take(end, Port)) {
        status = STATUS_INVALID_PARAMETER;
    }
    return status;
}

NTSTATUS NTAPI RtlIpv6StringToAddressExA(PCSTR AddressString, IN6_ADDR *Address, PULONG ScopeId,
                                         PUSHORT Port) {
    bool bracket = AddressString[0] == '[';
    PCSTR end;
    NTSTATUS status = RtlIpv6StringToAddressA(AddressString + bracket, &end, Address);

    *ScopeId = 0;
    *Port = 0;
    if (NT_SUCCESS(status) && *end == '%') {
        end++;
        status = number_of(&end, 10, MAXULONG, ScopeId) ? status : STATUS_INVALID_PARAMETER;
    }
    if (NT_SUCCESS(status) && bracket) {
        status = *end == ']' && port_take(end + 1, Port) ? status : STATUS_INVALID_PARAMETER;
    } else if (NT_SUCCESS(status) && *end != '\0') {
        status = STATUS_INVALID_PARAMETER;
    }
    return status;
}

/* Wide text is cut at its first unit that no address has; positions stay the same. */
static void narrow(PCWSTR from, char to[TEXT_BYTES]) {
    size_t i = 0;

    for (; i + 1 < TEXT_BYTES && from[i] != 0 && from[i] < 0x80; i++) {
        to[i] = (char)from[i];
    }
    to[i] = '\0';
}

NTSTATUS NTAPI RtlIpv4StringToAddressW(PCWSTR S, BOOLEAN Strict, PCWSTR *Terminator,
                                       IN_ADDR *Addr) {
    char text[TEXT_BYTES];
    PCSTR end;
    NTSTATUS status;

    narrow(S, text);
    status = RtlIpv4StringToAddressA(text, Strict, &end, Addr);
    *Terminator = S + (end - text);
    return status;
}

NTSTATUS NTAPI RtlIpv6StringToAddressW(PCWSTR S, PCWSTR *Terminator, IN6_ADDR *Addr) {
    char text[TEXT_BYTES];
    PCSTR end;
    NTSTATUS status;

    narrow(S, text);
    status = RtlIpv6StringToAddressA(text, &end, Addr);
    *Terminator = S + (end - text);
    return status;
}

NTSTATUS NTAPI RtlIpv4StringToAddressExW(PCWSTR AddressString, BOOLEAN Strict, IN_ADDR *Address,
                                         PUSHORT Port) {
    char text[TEXT_BYTES];

    narrow(AddressString, text);
    return RtlIpv4StringToAddressExA(text, Strict, Address, Port);
}

NTSTATUS NTAPI RtlIpv6StringToAddressExW(PCWSTR AddressString, IN6_ADDR *Address, PULONG ScopeId,
                                         PUSHORT Port) {
    char text[TEXT_BYTES];

    narrow(AddressString, text);
    return RtlIpv6StringToAddressExA(text, Address, ScopeId, Port);
}
