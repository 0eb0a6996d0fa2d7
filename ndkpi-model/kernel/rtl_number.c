/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and GUIDs as strings and back; pseudo-random numbers; versions. */
#include <ntddk.h>

#include "call_error.h"
#include "pool.h"

#define GUID_TAG 0x64697547u /* Guid */
#define GUID_CHARS 38u

static ULONG digit(WCHAR c) {
    if (c >= '0' && c <= '9') {
        return (ULONG)(c - '0');
    }
    if (c >= 'a' && c <= 'f') {
        return (ULONG)(c - 'a') + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return (ULONG)(c - 'A') + 10;
    }
    return MAXULONG;
}

/* Base 0: by prefix 0x, 0o, 0b, else ten; then only without a given base. */
NTSTATUS NTAPI RtlUnicodeStringToInteger(PCUNICODE_STRING String, ULONG Base, PULONG Value) {
    const WCHAR *at = String->Buffer;
    const WCHAR *end = at + String->Length / sizeof(WCHAR);
    ULONG value = 0;
    bool negative;

    if (Base != 0 && Base != 2 && Base != 8 && Base != 10 && Base != 16) {
        return STATUS_INVALID_PARAMETER;
    }
    while (at < end && *at <= ' ') {
        at++;
    }
    negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) {
        at++;
    }
    if (Base == 0) {
        Base = 10;
        if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'o' || at[1] == 'b')) {
            Base = at[1] == 'x' ? 16 : at[1] == 'o' ? 8 : 2;
            at += 2;
        }
    }
    while (at < end && digit(*at) < Base) {
        value = value * Base + digit(*at++);
    }
    *Value = negative ? 0 - value : value;
    return STATUS_SUCCESS;
}

static NTSTATUS to_string(ULONGLONG value, ULONG base, PUNICODE_STRING string) {
    WCHAR reversed[64];
    USHORT count = 0;

    base = base != 0 ? base : 10;
    if (base != 2 && base != 8 && base != 10 && base != 16) {
        return STATUS_INVALID_PARAMETER;
    }
    do {
        reversed[count++] = (WCHAR)("0123456789ABCDEF"[value % base]);
        value /= base;
    } while (value != 0);
    if (count * sizeof(WCHAR) > string->MaximumLength) {
        return STATUS_BUFFER_OVERFLOW;
    }
    for (USHORT i = 0; i < count; i++) {
        string->Buffer[i] = reversed[count - 1 - i];
    }
    string->Length = (USHORT)(count * sizeof(WCHAR));
    if (string->Length + sizeof(WCHAR) <= string->MaximumLength) {
        string->Buffer[count] = 0;
    }
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI RtlIntegerToUnicodeString(ULONG Value, ULONG Base, PUNICODE_STRING String) {
    return to_string(Value, Base, String);
}

NTSTATUS NTAPI RtlInt64ToUnicodeString(ULONGLONG Value, ULONG Base, PUNICODE_STRING String) {
    return to_string(Value, Base, String);
}

static WCHAR *put_hex(WCHAR *to, ULONG value, int digits) {
    for (int i = digits - 1; i >= 0; i--) {
        *to++ = (WCHAR)("0123456789ABCDEF"[value >> (4 * i) & 15]);
    }
    return to;
}

NTSTATUS NTAPI RtlStringFromGUID(REFGUID Guid, PUNICODE_STRING GuidString) {
    KRN_CALL(APC_LEVEL);
    struct krn_pool_request request = {
        .node = call.node,
        .driver = krn_call_driver(&call),
        .bytes = (GUID_CHARS + 1) * sizeof(WCHAR),
        .tag = GUID_TAG,
        .kind = KRN_POOL_PAGED,
    };
    WCHAR *at = krn_pool_take(&request);

    if (at == NULL) {
        return STATUS_NO_MEMORY;
    }
    GuidString->Buffer = at;
    GuidString->Length = GUID_CHARS * sizeof(WCHAR);
    GuidString->MaximumLength = (GUID_CHARS + 1) * sizeof(WCHAR);
    *at++ = '{';
    at = put_hex(at, Guid->Data1, 8);
    *at++ = '-';
    at = put_hex(at, Guid->Data2, 4);
    *at++ = '-';
    at = put_hex(at, Guid->Data3, 4);
    *at++ = '-';
    for (int i = 0; i < 8; i++) {
        at = put_hex(at, Guid->Data4[i], 2);
        if (i == 1) {
            *at++ = '-';
        }
    }
    *at++ = '}';
    *at = 0;
    return STATUS_SUCCESS;
}

static bool get_hex(const WCHAR **at, int digits, ULONG *value) {
    *value = 0;
    for (int i = 0; i < digits; i++) {
        ULONG next = digit(*(*at)++);

        if (next > 15) {
            return false;
        }
        *value = *value << 4 | next;
    }
    return true;
}

NTSTATUS NTAPI RtlGUIDFromString(PCUNICODE_STRING GuidString, GUID *Guid) {
    const WCHAR *at = GuidString->Buffer;
    ULONG value;

    if (GuidString->Length != GUID_CHARS * sizeof(WCHAR) || at[0] != '{' || at[9] != '-' ||
        at[14] != '-' || at[19] != '-' || at[24] != '-' || at[37] != '}') {
        return STATUS_INVALID_PARAMETER;
    }
    at++;
    if (!get_hex(&at, 8, &value)) {
        return STATUS_INVALID_PARAMETER;
    }
    Guid->Data1 = value;
    at++;
    if (!get_hex(&at, 4, &value)) {
        return STATUS_INVALID_PARAMETER;
    }
    Guid->Data2 = (USHORT)value;
    at++;
    if (!get_hex(&at, 4, &value)) {
        return STATUS_INVALID_PARAMETER;
    }
    Guid->Data3 = (USHORT)value;
    at++;
    for (int i = 0; i < 8; i++) {
        if (!get_hex(&at, 2, &value)) {
            return STATUS_INVALID_PARAMETER;
        }
        Guid->Data4[i] = (UCHAR)value;
        at += i == 1;
    }
    return STATUS_SUCCESS;
}

/* The documented generator: the driver's seed alone decides. */
ULONG NTAPI RtlRandomEx(PULONG Seed) {
    *Seed = (ULONG)(((ULONG64)*Seed * 0x7FFFFFED + 0x7FFFFFC3) % 0x7FFFFFFF);
    return *Seed;
}

NTSTATUS NTAPI ExUuidCreate(GUID *Uuid) {
    KRN_CALL(APC_LEVEL);
    uint64_t low = sim_hash_mix(sim_seed(call.world), call.node->object.name_hash);
    uint64_t high;

    low = sim_hash_mix(low, ++call.node->uuid_count);
    high = sim_hash_mix(low, 1);
    krn_check_memory(&call, Uuid, sizeof(*Uuid), "UUID");
    memcpy(Uuid, &low, 8);
    memcpy(Uuid->Data4, &high, 8);
    Uuid->Data3 = (USHORT)((Uuid->Data3 & 0x0FFF) | 0x4000);
    Uuid->Data4[0] = (UCHAR)((Uuid->Data4[0] & 0x3F) | 0x80);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI RtlGetVersion(PRTL_OSVERSIONINFOW VersionInformation) {
    VersionInformation->dwMajorVersion = 10;
    VersionInformation->dwMinorVersion = 0;
    VersionInformation->dwBuildNumber = 20348;
    VersionInformation->dwPlatformId = 2;
    VersionInformation->szCSDVersion[0] = 0;
    return STATUS_SUCCESS;
}

ULONG NTAPI RtlNtStatusToDosErrorNoTeb(NTSTATUS Status) {
    static const struct {
        NTSTATUS status;
        ULONG error;
    } table[] = {
        {STATUS_SUCCESS, 0},
        {STATUS_PENDING, 997},
        {STATUS_TIMEOUT, 258},
        {STATUS_BUFFER_OVERFLOW, 234},
        {STATUS_DEVICE_BUSY, 170},
        {STATUS_NO_MORE_ENTRIES, 259},
        {STATUS_UNSUCCESSFUL, 31},
        {STATUS_NOT_SUPPORTED, 50},
        {STATUS_INVALID_PARAMETER, 87},
        {STATUS_INVALID_HANDLE, 6},
        {STATUS_NO_MEMORY, 8},
        {STATUS_INSUFFICIENT_RESOURCES, 1450},
        {STATUS_BUFFER_TOO_SMALL, 122},
        {STATUS_ACCESS_DENIED, 5},
        {STATUS_INVALID_DEVICE_REQUEST, 1},
        {STATUS_DEVICE_NOT_READY, 21},
        {STATUS_CANCELLED, 995},
        {STATUS_IO_TIMEOUT, 121},
        {STATUS_CONNECTION_REFUSED, 1225},
        {STATUS_CONNECTION_ABORTED, 1236},
        {STATUS_CONNECTION_RESET, 64},
        {STATUS_NETWORK_UNREACHABLE, 1231},
        {STATUS_HOST_UNREACHABLE, 1232},
        {STATUS_NOT_FOUND, 1168},
        {STATUS_ACCESS_VIOLATION, 998},
    };

    for (size_t i = 0; i < RTL_NUMBER_OF(table); i++) {
        if (table[i].status == Status) {
            return table[i].error;
        }
    }
    return 317; /* ERROR_MR_MID_NOT_FOUND */
}
