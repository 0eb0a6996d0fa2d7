/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run-time library: memory, lists, strings, byte order, assertions, debug output.
 *
 * Lists are inline and carry no lock. Everything declared as a function is exported by the program.
 */
#ifndef NDKSIM_WDK_WDM_RTL_H
#define NDKSIM_WDK_WDM_RTL_H

#include "../ntdef.h"
#include "crt.h"

#define RtlCopyMemory(Destination, Source, Length) memcpy((Destination), (Source), (Length))
#define RtlMoveMemory(Destination, Source, Length) memmove((Destination), (Source), (Length))
#define RtlFillMemory(Destination, Length, Fill) memset((Destination), (Fill), (Length))
#define RtlZeroMemory(Destination, Length) memset((Destination), 0, (Length))
#define RtlEqualMemory(Source1, Source2, Length) (!memcmp((Source1), (Source2), (Length)))
#define RtlCopyBytes RtlCopyMemory
#define RtlZeroBytes RtlZeroMemory
#define RtlFillBytes RtlFillMemory
#define RtlCopyVolatileMemory(Destination, Source, Length)                                         \
    memcpy((void *)(ULONG_PTR)(Destination), (const void *)(ULONG_PTR)(Source), (Length))

/* Number of leading bytes that are equal. */
SIZE_T NTAPI RtlCompareMemory(_In_ const VOID *Source1, _In_ const VOID *Source2,
                              _In_ SIZE_T Length);
PVOID NTAPI RtlSecureZeroMemory(_Out_ PVOID Pointer, _In_ SIZE_T Size);
#define RtlSecureZeroMemory2(Pointer, Size) RtlSecureZeroMemory(Pointer, Size)

/* Lists. */

#define InitializeListHead32(ListHead) InitializeListHead(ListHead)

FORCEINLINE VOID InitializeListHead(_Out_ PLIST_ENTRY ListHead) {
    ListHead->Flink = ListHead->Blink = ListHead;
}

FORCEINLINE BOOLEAN IsListEmpty(_In_ const LIST_ENTRY *ListHead) {
    return (BOOLEAN)(ListHead->Flink == ListHead);
}

FORCEINLINE BOOLEAN RemoveEntryList(_In_ PLIST_ENTRY Entry) {
    PLIST_ENTRY Flink = Entry->Flink;
    PLIST_ENTRY Blink = Entry->Blink;

    Blink->Flink = Flink;
    Flink->Blink = Blink;
    return (BOOLEAN)(Flink == Blink);
}

FORCEINLINE PLIST_ENTRY RemoveHeadList(_Inout_ PLIST_ENTRY ListHead) {
    PLIST_ENTRY Entry = ListHead->Flink;

    ListHead->Flink = Entry->Flink;
    Entry->Flink->Blink = ListHead;
    return Entry;
}

FORCEINLINE PLIST_ENTRY RemoveTailList(_Inout_ PLIST_ENTRY ListHead) {
    PLIST_ENTRY Entry = ListHead->Blink;

    ListHead->Blink = Entry->Blink;
    Entry->Blink->Flink = ListHead;
    return Entry;
}

FORCEINLINE VOID InsertTailList(_Inout_ PLIST_ENTRY ListHead, _Out_ PLIST_ENTRY Entry) {
    PLIST_ENTRY Blink = ListHead->Blink;

    Entry->Flink = ListHead;
    Entry->Blink = Blink;
    Blink->Flink = Entry;
    ListHead->Blink = Entry;
}

FORCEINLINE VOID InsertHeadList(_Inout_ PLIST_ENTRY ListHead, _Out_ PLIST_ENTRY Entry) {
    PLIST_ENTRY Flink = ListHead->Flink;

    Entry->Flink = Flink;
    Entry->Blink = ListHead;
    Flink->Blink = Entry;
    ListHead->Flink = Entry;
}

FORCEINLINE VOID AppendTailList(_Inout_ PLIST_ENTRY ListHead, _Inout_ PLIST_ENTRY ListToAppend) {
    PLIST_ENTRY ListEnd = ListHead->Blink;

    ListHead->Blink->Flink = ListToAppend;
    ListHead->Blink = ListToAppend->Blink;
    ListToAppend->Blink->Flink = ListHead;
    ListToAppend->Blink = ListEnd;
}

FORCEINLINE PSINGLE_LIST_ENTRY PopEntryList(_Inout_ PSINGLE_LIST_ENTRY ListHead) {
    PSINGLE_LIST_ENTRY First = ListHead->Next;

    if (First != NULL) {
        ListHead->Next = First->Next;
    }
    return First;
}

FORCEINLINE VOID PushEntryList(_Inout_ PSINGLE_LIST_ENTRY ListHead,
                               _Inout_ PSINGLE_LIST_ENTRY Entry) {
    Entry->Next = ListHead->Next;
    ListHead->Next = Entry;
}

/* Byte order and bits. */

FORCEINLINE USHORT RtlUshortByteSwap(_In_ USHORT Source) {
    return __builtin_bswap16(Source);
}

FORCEINLINE ULONG RtlUlongByteSwap(_In_ ULONG Source) {
    return __builtin_bswap32(Source);
}

FORCEINLINE ULONGLONG RtlUlonglongByteSwap(_In_ ULONGLONG Source) {
    return __builtin_bswap64(Source);
}

#define RtlCheckBit(BMHP, BP) ((((BMHP)->Buffer[(BP) / 32]) >> ((BP) % 32)) & 0x1)
#define _byteswap_ushort(x) RtlUshortByteSwap(x)
#define _byteswap_ulong(x) RtlUlongByteSwap(x)
#define _byteswap_uint64(x) RtlUlonglongByteSwap(x)

typedef struct _RTL_BITMAP {
    ULONG SizeOfBitMap;
    PULONG Buffer;
} RTL_BITMAP, *PRTL_BITMAP;

VOID NTAPI RtlInitializeBitMap(_Out_ PRTL_BITMAP BitMapHeader, _In_ PULONG BitMapBuffer,
                               _In_ ULONG SizeOfBitMap);
VOID NTAPI RtlClearAllBits(_In_ PRTL_BITMAP BitMapHeader);
VOID NTAPI RtlSetAllBits(_In_ PRTL_BITMAP BitMapHeader);
VOID NTAPI RtlSetBit(_In_ PRTL_BITMAP BitMapHeader, _In_ ULONG BitNumber);
VOID NTAPI RtlClearBit(_In_ PRTL_BITMAP BitMapHeader, _In_ ULONG BitNumber);
BOOLEAN NTAPI RtlTestBit(_In_ PRTL_BITMAP BitMapHeader, _In_ ULONG BitNumber);
VOID NTAPI RtlSetBits(_In_ PRTL_BITMAP BitMapHeader, _In_ ULONG StartingIndex,
                      _In_ ULONG NumberToSet);
VOID NTAPI RtlClearBits(_In_ PRTL_BITMAP BitMapHeader, _In_ ULONG StartingIndex,
                        _In_ ULONG NumberToClear);
ULONG NTAPI RtlFindClearBits(_In_ PRTL_BITMAP BitMapHeader, _In_ ULONG NumberToFind,
                             _In_ ULONG HintIndex);
ULONG NTAPI RtlFindClearBitsAndSet(_In_ PRTL_BITMAP BitMapHeader, _In_ ULONG NumberToFind,
                                   _In_ ULONG HintIndex);
ULONG NTAPI RtlFindSetBits(_In_ PRTL_BITMAP BitMapHeader, _In_ ULONG NumberToFind,
                           _In_ ULONG HintIndex);
ULONG NTAPI RtlNumberOfSetBits(_In_ PRTL_BITMAP BitMapHeader);
BOOLEAN NTAPI RtlAreBitsClear(_In_ PRTL_BITMAP BitMapHeader, _In_ ULONG StartingIndex,
                              _In_ ULONG Length);

/* Strings. The Init functions borrow the source; Free releases what an Allocate=TRUE call made. */

VOID NTAPI RtlInitUnicodeString(_Out_ PUNICODE_STRING DestinationString,
                                _In_opt_ PCWSTR SourceString);
VOID NTAPI RtlInitAnsiString(_Out_ PANSI_STRING DestinationString, _In_opt_ PCSZ SourceString);
VOID NTAPI RtlInitString(_Out_ PSTRING DestinationString, _In_opt_ PCSZ SourceString);
VOID NTAPI RtlInitEmptyUnicodeString(_Out_ PUNICODE_STRING UnicodeString, _In_ PWCHAR Buffer,
                                     _In_ USHORT BufferSize);
VOID NTAPI RtlCopyUnicodeString(_Inout_ PUNICODE_STRING DestinationString,
                                _In_opt_ PCUNICODE_STRING SourceString);
VOID NTAPI RtlCopyString(_Inout_ PSTRING DestinationString, _In_opt_ const STRING *SourceString);
LONG NTAPI RtlCompareUnicodeString(_In_ PCUNICODE_STRING String1, _In_ PCUNICODE_STRING String2,
                                   _In_ BOOLEAN CaseInSensitive);
BOOLEAN NTAPI RtlEqualUnicodeString(_In_ PCUNICODE_STRING String1, _In_ PCUNICODE_STRING String2,
                                    _In_ BOOLEAN CaseInSensitive);
BOOLEAN NTAPI RtlPrefixUnicodeString(_In_ PCUNICODE_STRING String1, _In_ PCUNICODE_STRING String2,
                                     _In_ BOOLEAN CaseInSensitive);
BOOLEAN NTAPI RtlEqualString(_In_ const STRING *String1, _In_ const STRING *String2,
                             _In_ BOOLEAN CaseInSensitive);
LONG NTAPI RtlCompareString(_In_ const STRING *String1, _In_ const STRING *String2,
                            _In_ BOOLEAN CaseInSensitive);
NTSTATUS NTAPI RtlAppendUnicodeToString(_Inout_ PUNICODE_STRING Destination,
                                        _In_opt_ PCWSTR Source);
NTSTATUS NTAPI RtlAppendUnicodeStringToString(_Inout_ PUNICODE_STRING Destination,
                                              _In_ PCUNICODE_STRING Source);
WCHAR NTAPI RtlUpcaseUnicodeChar(_In_ WCHAR SourceCharacter);
NTSTATUS NTAPI RtlUpcaseUnicodeString(_Inout_ PUNICODE_STRING DestinationString,
                                      _In_ PCUNICODE_STRING SourceString,
                                      _In_ BOOLEAN AllocateDestinationString);
NTSTATUS NTAPI RtlAnsiStringToUnicodeString(_Inout_ PUNICODE_STRING DestinationString,
                                            _In_ PCANSI_STRING SourceString,
                                            _In_ BOOLEAN AllocateDestinationString);
NTSTATUS NTAPI RtlUnicodeStringToAnsiString(_Inout_ PANSI_STRING DestinationString,
                                            _In_ PCUNICODE_STRING SourceString,
                                            _In_ BOOLEAN AllocateDestinationString);
VOID NTAPI RtlFreeUnicodeString(_Inout_ PUNICODE_STRING UnicodeString);
VOID NTAPI RtlFreeAnsiString(_Inout_ PANSI_STRING AnsiString);
NTSTATUS NTAPI RtlUnicodeStringToInteger(_In_ PCUNICODE_STRING String, _In_opt_ ULONG Base,
                                         _Out_ PULONG Value);
NTSTATUS NTAPI RtlIntegerToUnicodeString(_In_ ULONG Value, _In_opt_ ULONG Base,
                                         _Inout_ PUNICODE_STRING String);
NTSTATUS NTAPI RtlInt64ToUnicodeString(_In_ ULONGLONG Value, _In_opt_ ULONG Base,
                                       _Inout_ PUNICODE_STRING String);
NTSTATUS NTAPI RtlStringFromGUID(_In_ REFGUID Guid, _Out_ PUNICODE_STRING GuidString);
NTSTATUS NTAPI RtlGUIDFromString(_In_ PCUNICODE_STRING GuidString, _Out_ GUID *Guid);

/* Numbers. */

ULONG NTAPI RtlRandomEx(_Inout_ PULONG Seed);
ULONG NTAPI RtlNtStatusToDosErrorNoTeb(_In_ NTSTATUS Status);

/* Version. */

typedef struct _OSVERSIONINFOW {
    ULONG dwOSVersionInfoSize;
    ULONG dwMajorVersion;
    ULONG dwMinorVersion;
    ULONG dwBuildNumber;
    ULONG dwPlatformId;
    WCHAR szCSDVersion[128];
} OSVERSIONINFOW, *POSVERSIONINFOW, *LPOSVERSIONINFOW, RTL_OSVERSIONINFOW, *PRTL_OSVERSIONINFOW;

NTSTATUS NTAPI RtlGetVersion(_Out_ PRTL_OSVERSIONINFOW VersionInformation);

/* Debug output (Windows format rules) and assertions. */

#define DPFLTR_ERROR_LEVEL 0
#define DPFLTR_WARNING_LEVEL 1
#define DPFLTR_TRACE_LEVEL 2
#define DPFLTR_INFO_LEVEL 3
#define DPFLTR_MASK 0x80000000
typedef enum _DPFLTR_TYPE {
    DPFLTR_SYSTEM_ID = 0,
    DPFLTR_NDIS_ID = 30,
    DPFLTR_IHVVIDEO_ID = 76,
    DPFLTR_IHVDRIVER_ID = 77,
    DPFLTR_IHVAUDIO_ID = 78,
    DPFLTR_IHVNETWORK_ID = 79,
    DPFLTR_DEFAULT_ID = 101
} DPFLTR_TYPE;

ULONG DbgPrint(_In_z_ PCSTR Format, ...);
ULONG DbgPrintEx(_In_ ULONG ComponentId, _In_ ULONG Level, _In_z_ PCSTR Format, ...);
ULONG NTAPI vDbgPrintEx(_In_ ULONG ComponentId, _In_ ULONG Level, _In_z_ PCSTR Format,
                        _In_ va_list Arguments);
ULONG NTAPI vDbgPrintExWithPrefix(_In_z_ PCSTR Prefix, _In_ ULONG ComponentId, _In_ ULONG Level,
                                  _In_z_ PCSTR Format, _In_ va_list Arguments);
VOID NTAPI DbgBreakPoint(VOID);
VOID NTAPI DbgBreakPointWithStatus(_In_ ULONG Status);

#ifndef DBG
#define DBG 0
#endif
#if DBG
#define KdPrint(_x_) DbgPrint _x_
#define KdPrintEx(_x_) DbgPrintEx _x_
#define KdBreakPoint() DbgBreakPoint()
#else
#define KdPrint(_x_) ((void)0)
#define KdPrintEx(_x_) ((void)0)
#define KdBreakPoint() ((void)0)
#endif

/* A failed assertion is a bugcheck. Assertions are on in every build, whatever DBG says. */
VOID NTAPI RtlAssert(_In_ PVOID FailedAssertion, _In_ PVOID FileName, _In_ ULONG LineNumber,
                     _In_opt_ PSTR Message);

#ifdef __FILE_NAME__
#define _NDKSIM_FILE __FILE_NAME__
#else
#define _NDKSIM_FILE __FILE__
#endif
#define _NDKSIM_ASSERT(_exp, _text, _msg)                                                          \
    ((_exp) ? (void)0                                                                              \
            : RtlAssert((PVOID)(ULONG_PTR)(_text), (PVOID)(ULONG_PTR)_NDKSIM_FILE, __LINE__,       \
                        (PSTR)(ULONG_PTR)(_msg)))
#define NT_ASSERT(_exp) _NDKSIM_ASSERT(_exp, #_exp, NULL)
#define NT_ASSERTMSG(_msg, _exp) _NDKSIM_ASSERT(_exp, #_exp, _msg)
#define NT_ASSERT_ASSUME(_exp) NT_ASSERT(_exp)
#define NT_VERIFY(_exp)                                                                            \
    ((_exp)                                                                                        \
         ? TRUE                                                                                    \
         : (RtlAssert((PVOID)(ULONG_PTR)(#_exp), (PVOID)(ULONG_PTR)_NDKSIM_FILE, __LINE__, NULL),  \
            FALSE))
#define NT_FRE_ASSERT(_exp) NT_ASSERT(_exp)
#ifndef ASSERT
#define ASSERT(exp) NT_ASSERT(exp)
#endif
#define ASSERTMSG(msg, exp) NT_ASSERTMSG(msg, exp)
#define RTL_VERIFY(exp) NT_VERIFY(exp)
#define NT_ANALYSIS_ASSUME(_exp) ((void)0)

#endif
