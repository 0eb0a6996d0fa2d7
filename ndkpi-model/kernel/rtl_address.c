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

PSTR NTAPI RtlIpv6AddressToStringA(const IN6_ADDR *Addr, PSTR S) {
    int start;
    int run = zeros_of(Addr, &start);

    for (int i = 0; i < 8; i++) {
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

static NTSTATUS answer(const char *text, PWSTR to, PULONG length) {
    ULONG needed = (ULONG)strlen(text) + 1;

    if (*length < needed) {
        *length = needed;
        return STATUS_INVALID_PARAMETER;
    }
    *length = needed;
    (void)widen(text, to);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI RtlIpv4AddressToStringExW(const IN_ADDR *Address, USHORT Port, PWSTR AddressString,
                                         PULONG AddressStringLength) {
    char text[TEXT_BYTES];
    char *end = RtlIpv4AddressToStringA(Address, text);

    if (Port != 0) {
        (void)snprintf(end, 8, ":%u", port_of(Port));
    }
    return answer(text, AddressString, AddressStringLength);
}

NTSTATUS NTAPI RtlIpv6AddressToStringExW(const IN6_ADDR *Address, ULONG ScopeId, USHORT Port,
                                         PWSTR AddressString, PULONG AddressStringLength) {
    char bare[TEXT_BYTES];
    char text[TEXT_BYTES];
    char scope[16] = "";

    (void)RtlIpv6AddressToStringA(Address, bare);
    if (ScopeId != 0) {
        (void)snprintf(scope, sizeof(scope), "%%%u", ScopeId);
    }
    if (Port != 0) {
        (void)snprintf(text, sizeof(text), "[%.46s%s]:%u", bare, scope, port_of(Port));
    } else {
        (void)snprintf(text, sizeof(text), "%.46s%s", bare, scope);
    }
    return answer(text, AddressString, AddressStringLength);
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

    *value = 0;
    while (digit_of(**at, base) >= 0) {
        *value = *value * (ULONG)base + (ULONG)digit_of(**at, base);
        if (*value > limit) {
            return false;
        }
        (*at)++;
    }
    return *at != start;
}

/* Four decimal parts. The older forms with fewer parts are only known to Windows' non-strict mode.
 */
NTSTATUS NTAPI RtlIpv4StringToAddressA(PCSTR S, BOOLEAN Strict, PCSTR *Terminator, IN_ADDR *Addr) {
    UCHAR *bytes = (UCHAR *)Addr;
    ULONG part;

    UNREFERENCED_PARAMETER(Strict);
    for (int i = 0; i < 4; i++) {
        if ((i != 0 && *S++ != '.') || !number_of(&S, 10, 255, &part)) {
            *Terminator = S;
            return STATUS_INVALID_PARAMETER;
        }
        bytes[i] = (UCHAR)part;
    }
    *Terminator = S;
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
        status = number_of(&end, 10, MAXULONG / 11, ScopeId) ? status : STATUS_INVALID_PARAMETER;
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
