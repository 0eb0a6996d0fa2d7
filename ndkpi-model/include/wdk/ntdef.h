/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base types and helpers of the Windows kernel dialect.
 *
 * WCHAR has 16 bits; in a driver (compiled with -fshort-wchar) it is wchar_t, so L"..." literals
 * have it as their element type.
 */
#ifndef NDKSIM_WDK_NTDEF_H
#define NDKSIM_WDK_NTDEF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "basetsd.h"
#include "driverspecs.h"
#include "guiddef.h"
#include "sal.h"
#include "wdm/dialect.h"

#define VOID void
#define CONST const
#ifndef TRUE
#define FALSE 0
#define TRUE 1
#endif

typedef void *PVOID, *LPVOID;
typedef const void *PCVOID, *LPCVOID;
typedef void *PVOID64;
typedef char CHAR, *PCHAR, *LPSTR, *PSTR, *NPSTR, CCHAR, *PCCHAR, *PNZCH;
typedef const char *PCSTR, *LPCSTR, *PCSZ, *PCNZCH;
typedef PSTR *PZPSTR;
typedef short SHORT, *PSHORT, CSHORT, *PCSHORT;
typedef int32_t LONG, *PLONG;
typedef int INT, *PINT;
typedef int64_t LONGLONG, *PLONGLONG;
typedef unsigned char UCHAR, *PUCHAR, BYTE, *PBYTE, *LPBYTE;
typedef unsigned short USHORT, *PUSHORT, WORD, *PWORD;
typedef uint32_t ULONG, *PULONG, DWORD, *PDWORD, *LPDWORD, CLONG, *PCLONG;
typedef unsigned int UINT, *PUINT;
typedef uint64_t ULONGLONG, *PULONGLONG, DWORDLONG, *PDWORDLONG;
typedef const UCHAR *PCUCHAR;
typedef const USHORT *PCUSHORT;
typedef const ULONG *PCULONG;
typedef int BOOL, *PBOOL;
typedef UCHAR BOOLEAN, *PBOOLEAN;
typedef ULONG LOGICAL, *PLOGICAL;
typedef UCHAR KIRQL, *PKIRQL;
typedef CCHAR KPROCESSOR_MODE;
typedef ULONG LCID, *PLCID;
typedef ULONGLONG REGHANDLE, *PREGHANDLE;

typedef unsigned short WCHAR, *PWCHAR, *LPWCH, *PWCH, *PWSTR, *LPWSTR, *NWPSTR;
typedef const WCHAR *PCWSTR, *LPCWSTR, *PCWCH, *LCPWCH;
typedef PWSTR *PZPWSTR;
typedef PCWSTR *PZPCWSTR;
#define UNICODE_NULL ((WCHAR)0)
#define ANSI_NULL ((CHAR)0)
#define UNICODE_STRING_MAX_BYTES ((USHORT)65534)
#define UNICODE_STRING_MAX_CHARS (32767)

typedef void *HANDLE, **PHANDLE;
typedef LONG NTSTATUS, *PNTSTATUS;
typedef LONG HRESULT;
typedef ULONG ACCESS_MASK, *PACCESS_MASK;
#define DECLARE_HANDLE(name)                                                                       \
    struct name##__;                                                                               \
    typedef struct name##__ *name

#define NT_SUCCESS(Status) (((NTSTATUS)(Status)) >= 0)
#define NT_INFORMATION(Status) ((((ULONG)(Status)) >> 30) == 1)
#define NT_WARNING(Status) ((((ULONG)(Status)) >> 30) == 2)
#define NT_ERROR(Status) ((((ULONG)(Status)) >> 30) == 3)

typedef union _LARGE_INTEGER {
    struct {
        ULONG LowPart;
        LONG HighPart;
    };
    struct {
        ULONG LowPart;
        LONG HighPart;
    } u;
    LONGLONG QuadPart;
} LARGE_INTEGER, *PLARGE_INTEGER;

typedef union _ULARGE_INTEGER {
    struct {
        ULONG LowPart;
        ULONG HighPart;
    };
    struct {
        ULONG LowPart;
        ULONG HighPart;
    } u;
    ULONGLONG QuadPart;
} ULARGE_INTEGER, *PULARGE_INTEGER;

typedef LARGE_INTEGER PHYSICAL_ADDRESS, *PPHYSICAL_ADDRESS;

typedef struct _LUID {
    ULONG LowPart;
    LONG HighPart;
} LUID, *PLUID;

typedef struct _LIST_ENTRY {
    struct _LIST_ENTRY *Flink;
    struct _LIST_ENTRY *Blink;
} LIST_ENTRY, *PLIST_ENTRY;

typedef struct _SINGLE_LIST_ENTRY {
    struct _SINGLE_LIST_ENTRY *Next;
} SINGLE_LIST_ENTRY, *PSINGLE_LIST_ENTRY;

/* Length and MaximumLength count bytes; Buffer need not end in a NUL. */
typedef struct _UNICODE_STRING {
    USHORT Length;
    USHORT MaximumLength;
    PWCH Buffer;
} UNICODE_STRING, *PUNICODE_STRING;
typedef const UNICODE_STRING *PCUNICODE_STRING;

typedef struct _STRING {
    USHORT Length;
    USHORT MaximumLength;
    PCHAR Buffer;
} STRING, *PSTRING, ANSI_STRING, *PANSI_STRING, OEM_STRING, *POEM_STRING;
typedef const STRING *PCSTRING, *PCANSI_STRING;

#define DECLARE_CONST_UNICODE_STRING(_var, _string)                                                \
    const WCHAR _var##_buffer[] = _string;                                                         \
    const UNICODE_STRING _var = {sizeof(_string) - sizeof(WCHAR), sizeof(_string),                 \
                                 (PWCH)(ULONG_PTR)_var##_buffer}
#define DECLARE_UNICODE_STRING_SIZE(_var, _size)                                                   \
    WCHAR _var##_buffer[_size];                                                                    \
    UNICODE_STRING _var = {0, (_size) * sizeof(WCHAR), _var##_buffer}
#define RTL_CONSTANT_STRING(s)                                                                     \
    { sizeof(s) - sizeof((s)[0]), sizeof(s), s }

typedef struct _OBJECT_ATTRIBUTES {
    ULONG Length;
    HANDLE RootDirectory;
    PUNICODE_STRING ObjectName;
    ULONG Attributes;
    PVOID SecurityDescriptor;
    PVOID SecurityQualityOfService;
} OBJECT_ATTRIBUTES, *POBJECT_ATTRIBUTES;

#define OBJ_INHERIT 0x00000002
#define OBJ_PERMANENT 0x00000010
#define OBJ_EXCLUSIVE 0x00000020
#define OBJ_CASE_INSENSITIVE 0x00000040
#define OBJ_OPENIF 0x00000080
#define OBJ_OPENLINK 0x00000100
#define OBJ_KERNEL_HANDLE 0x00000200
#define OBJ_FORCE_ACCESS_CHECK 0x00000400

#define InitializeObjectAttributes(p, n, a, r, s)                                                  \
    do {                                                                                           \
        (p)->Length = sizeof(OBJECT_ATTRIBUTES);                                                   \
        (p)->RootDirectory = (r);                                                                  \
        (p)->Attributes = (a);                                                                     \
        (p)->ObjectName = (n);                                                                     \
        (p)->SecurityDescriptor = (s);                                                             \
        (p)->SecurityQualityOfService = NULL;                                                      \
    } while (0)
#define RTL_CONSTANT_OBJECT_ATTRIBUTES(n, a)                                                       \
    { sizeof(OBJECT_ATTRIBUTES), NULL, (PUNICODE_STRING)(n), (a), NULL, NULL }

typedef struct _PROCESSOR_NUMBER {
    USHORT Group;
    UCHAR Number;
    UCHAR Reserved;
} PROCESSOR_NUMBER, *PPROCESSOR_NUMBER;

typedef struct _GROUP_AFFINITY {
    KAFFINITY Mask;
    USHORT Group;
    USHORT Reserved[3];
} GROUP_AFFINITY, *PGROUP_AFFINITY;

typedef enum _EVENT_TYPE { NotificationEvent, SynchronizationEvent } EVENT_TYPE;
typedef enum _TIMER_TYPE { NotificationTimer, SynchronizationTimer } TIMER_TYPE;
typedef enum _WAIT_TYPE { WaitAll, WaitAny, WaitNotification, WaitDequeue, WaitDpc } WAIT_TYPE;

#define FIELD_OFFSET(type, field) ((LONG)offsetof(type, field))
#define UFIELD_OFFSET(type, field) ((ULONG)offsetof(type, field))
#define RTL_FIELD_SIZE(type, field) (sizeof(((type *)0)->field))
#define RTL_SIZEOF_THROUGH_FIELD(type, field) (offsetof(type, field) + RTL_FIELD_SIZE(type, field))
#define RTL_CONTAINS_FIELD(Struct, Size, Field)                                                    \
    ((((PCHAR)(&(Struct)->Field)) + sizeof((Struct)->Field)) <= (((PCHAR)(Struct)) + (Size)))
#define RTL_NUMBER_OF(A) (sizeof(A) / sizeof((A)[0]))
#define RTL_NUMBER_OF_V1(A) RTL_NUMBER_OF(A)
#define RTL_NUMBER_OF_V2(A) RTL_NUMBER_OF(A)
#define ARRAYSIZE(A) RTL_NUMBER_OF(A)
#define _ARRAYSIZE(A) RTL_NUMBER_OF(A)
#define RTL_BITS_OF(sizeOfArg) (sizeof(sizeOfArg) * 8)
#define CONTAINING_RECORD(address, type, field)                                                    \
    ((type *)((PCHAR)(address) - (ULONG_PTR)offsetof(type, field)))

#define MINCHAR 0x80
#define MAXCHAR 0x7f
#define MINSHORT 0x8000
#define MAXSHORT 0x7fff
#define MINLONG 0x80000000
#define MAXLONG 0x7fffffff
#define MAXUCHAR 0xff
#define MAXUSHORT 0xffff
#define MAXULONG 0xffffffff
#define MAXDWORD 0xffffffff
#define MAXLONGLONG ((LONGLONG)0x7fffffffffffffff)
#define MAXULONGLONG ((ULONGLONG)0xffffffffffffffff)
#define ANYSIZE_ARRAY 1

#define ALIGN_DOWN_BY(length, alignment) ((ULONG_PTR)(length) & ~((ULONG_PTR)(alignment)-1))
#define ALIGN_UP_BY(length, alignment)                                                             \
    (ALIGN_DOWN_BY(((ULONG_PTR)(length) + (alignment)-1), alignment))
#define ALIGN_DOWN_POINTER_BY(address, alignment) ((PVOID)ALIGN_DOWN_BY(address, alignment))
#define ALIGN_UP_POINTER_BY(address, alignment) ((PVOID)ALIGN_UP_BY(address, alignment))
#define ALIGN_DOWN(length, type) ALIGN_DOWN_BY(length, sizeof(type))
#define ALIGN_UP(length, type) ALIGN_UP_BY(length, sizeof(type))
#define ALIGN_DOWN_POINTER(address, type) ALIGN_DOWN_POINTER_BY(address, sizeof(type))
#define ALIGN_UP_POINTER(address, type) ALIGN_UP_POINTER_BY(address, sizeof(type))

#define Int32x32To64(a, b) (((LONGLONG)((LONG)(a))) * ((LONGLONG)((LONG)(b))))
#define UInt32x32To64(a, b) (((ULONGLONG)((ULONG)(a))) * ((ULONGLONG)((ULONG)(b))))
#define Int64ShllMod32(a, b) ((ULONGLONG)(a) << (b))
#define Int64ShrlMod32(a, b) ((ULONGLONG)(a) >> (b))

#define UNREFERENCED_PARAMETER(P) ((void)(P))
#define DBG_UNREFERENCED_PARAMETER(P) ((void)(P))
#define DBG_UNREFERENCED_LOCAL_VARIABLE(V) ((void)(V))
#define ARGUMENT_PRESENT(ArgumentPointer) ((CHAR *)((ULONG_PTR)(ArgumentPointer)) != (CHAR *)NULL)
#define FlagOn(_F, _SF) ((_F) & (_SF))
#define BooleanFlagOn(F, SF) ((BOOLEAN)(((F) & (SF)) != 0))
#define SetFlag(_F, _SF) ((_F) |= (_SF))
#define ClearFlag(_F, _SF) ((_F) &= ~(_SF))
#define C_ASSERT(e) _Static_assert(e, #e)

#endif
