/* SPDX-License-Identifier: Apache-2.0 */
/* Counted strings. Case is folded for ASCII letters; no scenario's names have others. */
#include <ntddk.h>

#include "call_error.h"
#include "pool.h"

#define STRING_TAG 0x72745352u /* RStr */

static PVOID string_take(const struct krn_call *call, ULONG bytes) {
    struct krn_pool_request request = {
        .node = call->node,
        .driver = krn_call_driver(call),
        .bytes = bytes,
        .tag = STRING_TAG,
        .kind = KRN_POOL_PAGED,
    };

    return krn_pool_take(&request);
}

static WCHAR upper(WCHAR c) {
    return c >= 'a' && c <= 'z' ? (WCHAR)(c - 'a' + 'A') : c;
}

WCHAR NTAPI RtlUpcaseUnicodeChar(WCHAR SourceCharacter) {
    return upper(SourceCharacter);
}

static size_t wide_length(PCWSTR text) {
    size_t count = 0;

    while (text != NULL && text[count] != 0) {
        count++;
    }
    return count;
}

VOID NTAPI RtlInitUnicodeString(PUNICODE_STRING DestinationString, PCWSTR SourceString) {
    size_t bytes = wide_length(SourceString) * sizeof(WCHAR);

    bytes = bytes < UNICODE_STRING_MAX_BYTES ? bytes : UNICODE_STRING_MAX_BYTES - sizeof(WCHAR);
    DestinationString->Buffer = (PWCH)(ULONG_PTR)SourceString;
    DestinationString->Length = (USHORT)bytes;
    DestinationString->MaximumLength = SourceString != NULL ? (USHORT)(bytes + sizeof(WCHAR)) : 0;
}

VOID NTAPI RtlInitAnsiString(PANSI_STRING DestinationString, PCSZ SourceString) {
    size_t count = SourceString != NULL ? strlen(SourceString) : 0;

    count = count < 0xFFFE ? count : 0xFFFE;
    DestinationString->Buffer = (PCHAR)(ULONG_PTR)SourceString;
    DestinationString->Length = (USHORT)count;
    DestinationString->MaximumLength = SourceString != NULL ? (USHORT)(count + 1) : 0;
}

VOID NTAPI RtlInitString(PSTRING DestinationString, PCSZ SourceString) {
    RtlInitAnsiString(DestinationString, SourceString);
}

VOID NTAPI RtlInitEmptyUnicodeString(PUNICODE_STRING UnicodeString, PWCHAR Buffer,
                                     USHORT BufferSize) {
    UnicodeString->Buffer = Buffer;
    UnicodeString->Length = 0;
    UnicodeString->MaximumLength = BufferSize;
}

VOID NTAPI RtlCopyUnicodeString(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString) {
    USHORT bytes = SourceString != NULL ? SourceString->Length : 0;

    if (bytes > DestinationString->MaximumLength) {
        bytes = DestinationString->MaximumLength;
    }
    if (bytes != 0) {
        memmove(DestinationString->Buffer, SourceString->Buffer, bytes);
    }
    DestinationString->Length = bytes;
    if (bytes + sizeof(WCHAR) <= DestinationString->MaximumLength) {
        DestinationString->Buffer[bytes / sizeof(WCHAR)] = 0;
    }
}

VOID NTAPI RtlCopyString(PSTRING DestinationString, const STRING *SourceString) {
    USHORT bytes = SourceString != NULL ? SourceString->Length : 0;

    if (bytes > DestinationString->MaximumLength) {
        bytes = DestinationString->MaximumLength;
    }
    if (bytes != 0) {
        memmove(DestinationString->Buffer, SourceString->Buffer, bytes);
    }
    DestinationString->Length = bytes;
}

LONG NTAPI RtlCompareUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                                   BOOLEAN CaseInSensitive) {
    USHORT shorter = String1->Length < String2->Length ? String1->Length : String2->Length;

    for (size_t i = 0; i < shorter / sizeof(WCHAR); i++) {
        WCHAR one = CaseInSensitive ? upper(String1->Buffer[i]) : String1->Buffer[i];
        WCHAR other = CaseInSensitive ? upper(String2->Buffer[i]) : String2->Buffer[i];

        if (one != other) {
            return (LONG)one - (LONG)other;
        }
    }
    return (LONG)String1->Length - (LONG)String2->Length;
}

BOOLEAN NTAPI RtlEqualUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                                    BOOLEAN CaseInSensitive) {
    return RtlCompareUnicodeString(String1, String2, CaseInSensitive) == 0;
}

BOOLEAN NTAPI RtlPrefixUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                                     BOOLEAN CaseInSensitive) {
    UNICODE_STRING head = *String2;

    if (String1->Length > String2->Length) {
        return FALSE;
    }
    head.Length = String1->Length;
    return RtlCompareUnicodeString(String1, &head, CaseInSensitive) == 0;
}

static CHAR upper_narrow(CHAR c) {
    return c >= 'a' && c <= 'z' ? (CHAR)(c - 'a' + 'A') : c;
}

LONG NTAPI RtlCompareString(const STRING *String1, const STRING *String2, BOOLEAN CaseInSensitive) {
    USHORT shorter = String1->Length < String2->Length ? String1->Length : String2->Length;

    for (USHORT i = 0; i < shorter; i++) {
        CHAR one = CaseInSensitive ? upper_narrow(String1->Buffer[i]) : String1->Buffer[i];
        CHAR other = CaseInSensitive ? upper_narrow(String2->Buffer[i]) : String2->Buffer[i];

        if (one != other) {
            return (LONG)(UCHAR)one - (LONG)(UCHAR)other;
        }
    }
    return (LONG)String1->Length - (LONG)String2->Length;
}

BOOLEAN NTAPI RtlEqualString(const STRING *String1, const STRING *String2,
                             BOOLEAN CaseInSensitive) {
    return RtlCompareString(String1, String2, CaseInSensitive) == 0;
}

static NTSTATUS append(PUNICODE_STRING to, const WCHAR *from, size_t bytes) {
    if (bytes > (size_t)(to->MaximumLength - to->Length)) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    if (bytes != 0) {
        memmove((PUCHAR)to->Buffer + to->Length, from, bytes);
    }
    to->Length = (USHORT)(to->Length + bytes);
    if (to->Length + sizeof(WCHAR) <= to->MaximumLength) {
        to->Buffer[to->Length / sizeof(WCHAR)] = 0;
    }
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI RtlAppendUnicodeToString(PUNICODE_STRING Destination, PCWSTR Source) {
    return append(Destination, Source, wide_length(Source) * sizeof(WCHAR));
}

NTSTATUS NTAPI RtlAppendUnicodeStringToString(PUNICODE_STRING Destination,
                                              PCUNICODE_STRING Source) {
    return append(Destination, Source->Buffer, Source->Length);
}

NTSTATUS NTAPI RtlUpcaseUnicodeString(PUNICODE_STRING DestinationString,
                                      PCUNICODE_STRING SourceString,
                                      BOOLEAN AllocateDestinationString) {
    KRN_CALL(APC_LEVEL);
    if (AllocateDestinationString) {
        DestinationString->Buffer = string_take(&call, (ULONG)SourceString->Length | 1u);
        if (DestinationString->Buffer == NULL) {
            return STATUS_NO_MEMORY;
        }
        DestinationString->MaximumLength = SourceString->Length;
    } else if (SourceString->Length > DestinationString->MaximumLength) {
        return STATUS_BUFFER_OVERFLOW;
    }
    for (size_t i = 0; i < SourceString->Length / sizeof(WCHAR); i++) {
        DestinationString->Buffer[i] = upper(SourceString->Buffer[i]);
    }
    DestinationString->Length = SourceString->Length;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI RtlAnsiStringToUnicodeString(PUNICODE_STRING DestinationString,
                                            PCANSI_STRING SourceString,
                                            BOOLEAN AllocateDestinationString) {
    KRN_CALL(APC_LEVEL);
    ULONG bytes = ((ULONG)SourceString->Length + 1) * sizeof(WCHAR);

    if (bytes > 0xFFFF) {
        return STATUS_INVALID_PARAMETER_2;
    }
    if (AllocateDestinationString) {
        DestinationString->Buffer = string_take(&call, bytes);
        if (DestinationString->Buffer == NULL) {
            return STATUS_NO_MEMORY;
        }
        DestinationString->MaximumLength = (USHORT)bytes;
    } else if (bytes - sizeof(WCHAR) > DestinationString->MaximumLength) {
        return STATUS_BUFFER_OVERFLOW;
    }
    for (USHORT i = 0; i < SourceString->Length; i++) {
        DestinationString->Buffer[i] = (UCHAR)SourceString->Buffer[i];
    }
    DestinationString->Length = (USHORT)(bytes - sizeof(WCHAR));
    if (bytes <= DestinationString->MaximumLength) {
        DestinationString->Buffer[SourceString->Length] = 0;
    }
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI RtlUnicodeStringToAnsiString(PANSI_STRING DestinationString,
                                            PCUNICODE_STRING SourceString,
                                            BOOLEAN AllocateDestinationString) {
    KRN_CALL(APC_LEVEL);
    USHORT count = SourceString->Length / sizeof(WCHAR);

    if (AllocateDestinationString) {
        DestinationString->Buffer = string_take(&call, (ULONG)count + 1);
        if (DestinationString->Buffer == NULL) {
            return STATUS_NO_MEMORY;
        }
        DestinationString->MaximumLength = (USHORT)(count + 1);
    } else if (count > DestinationString->MaximumLength) {
        return STATUS_BUFFER_OVERFLOW;
    }
    for (USHORT i = 0; i < count; i++) {
        WCHAR c = SourceString->Buffer[i];

        DestinationString->Buffer[i] = c < 0x100 ? (CHAR)c : '?';
    }
    DestinationString->Length = count;
    if (count < DestinationString->MaximumLength) {
        DestinationString->Buffer[count] = '\0';
    }
    return STATUS_SUCCESS;
}

VOID NTAPI RtlFreeUnicodeString(PUNICODE_STRING UnicodeString) {
    KRN_CALL(APC_LEVEL);
    if (UnicodeString->Buffer != NULL) {
        krn_pool_free(&call, UnicodeString->Buffer, 0);
        RtlZeroMemory(UnicodeString, sizeof(*UnicodeString));
    }
}

VOID NTAPI RtlFreeAnsiString(PANSI_STRING AnsiString) {
    KRN_CALL(APC_LEVEL);
    if (AnsiString->Buffer != NULL) {
        krn_pool_free(&call, AnsiString->Buffer, 0);
        RtlZeroMemory(AnsiString, sizeof(*AnsiString));
    }
}
