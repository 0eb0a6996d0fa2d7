/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles, registry, files. PASSIVE_LEVEL only. The registry is the scenario's; files are kept in
 * the world and shown in the run's report.
 */
#ifndef NDKSIM_WDK_WDM_ZW_H
#define NDKSIM_WDK_WDM_ZW_H

#include "../ntdef.h"
#include "io_types.h"
#include "ps.h"

#define KEY_QUERY_VALUE (0x0001)
#define KEY_SET_VALUE (0x0002)
#define KEY_CREATE_SUB_KEY (0x0004)
#define KEY_ENUMERATE_SUB_KEYS (0x0008)
#define KEY_NOTIFY (0x0010)
#define KEY_CREATE_LINK (0x0020)
#define KEY_READ                                                                                   \
    ((STANDARD_RIGHTS_READ | KEY_QUERY_VALUE | KEY_ENUMERATE_SUB_KEYS | KEY_NOTIFY) &              \
     (~SYNCHRONIZE))
#define KEY_WRITE ((STANDARD_RIGHTS_WRITE | KEY_SET_VALUE | KEY_CREATE_SUB_KEY) & (~SYNCHRONIZE))
#define KEY_ALL_ACCESS                                                                             \
    ((STANDARD_RIGHTS_ALL | KEY_QUERY_VALUE | KEY_SET_VALUE | KEY_CREATE_SUB_KEY |                 \
      KEY_ENUMERATE_SUB_KEYS | KEY_NOTIFY | KEY_CREATE_LINK) &                                     \
     (~SYNCHRONIZE))

#define REG_OPTION_NON_VOLATILE (0x00000000L)
#define REG_OPTION_VOLATILE (0x00000001L)
#define REG_CREATED_NEW_KEY (0x00000001L)
#define REG_OPENED_EXISTING_KEY (0x00000002L)

#define REG_NONE (0ul)
#define REG_SZ (1ul)
#define REG_EXPAND_SZ (2ul)
#define REG_BINARY (3ul)
#define REG_DWORD (4ul)
#define REG_DWORD_LITTLE_ENDIAN (4ul)
#define REG_DWORD_BIG_ENDIAN (5ul)
#define REG_LINK (6ul)
#define REG_MULTI_SZ (7ul)
#define REG_RESOURCE_LIST (8ul)
#define REG_QWORD (11ul)
#define REG_QWORD_LITTLE_ENDIAN (11ul)

typedef enum _KEY_VALUE_INFORMATION_CLASS {
    KeyValueBasicInformation,
    KeyValueFullInformation,
    KeyValuePartialInformation,
    KeyValueFullInformationAlign64,
    KeyValuePartialInformationAlign64,
    KeyValueLayerInformation,
    MaxKeyValueInfoClass
} KEY_VALUE_INFORMATION_CLASS;

typedef struct _KEY_VALUE_BASIC_INFORMATION {
    ULONG TitleIndex;
    ULONG Type;
    ULONG NameLength;
    WCHAR Name[1];
} KEY_VALUE_BASIC_INFORMATION, *PKEY_VALUE_BASIC_INFORMATION;

typedef struct _KEY_VALUE_FULL_INFORMATION {
    ULONG TitleIndex;
    ULONG Type;
    ULONG DataOffset;
    ULONG DataLength;
    ULONG NameLength;
    WCHAR Name[1];
} KEY_VALUE_FULL_INFORMATION, *PKEY_VALUE_FULL_INFORMATION;

typedef struct _KEY_VALUE_PARTIAL_INFORMATION {
    ULONG TitleIndex;
    ULONG Type;
    ULONG DataLength;
    UCHAR Data[1];
} KEY_VALUE_PARTIAL_INFORMATION, *PKEY_VALUE_PARTIAL_INFORMATION;

typedef enum _KEY_INFORMATION_CLASS {
    KeyBasicInformation,
    KeyNodeInformation,
    KeyFullInformation,
    KeyNameInformation,
    KeyCachedInformation,
    KeyFlagsInformation,
    KeyVirtualizationInformation,
    KeyHandleTagsInformation,
    KeyTrustInformation,
    KeyLayerInformation,
    MaxKeyInfoClass
} KEY_INFORMATION_CLASS;

typedef struct _KEY_BASIC_INFORMATION {
    LARGE_INTEGER LastWriteTime;
    ULONG TitleIndex;
    ULONG NameLength;
    WCHAR Name[1];
} KEY_BASIC_INFORMATION, *PKEY_BASIC_INFORMATION;

typedef struct _KEY_NODE_INFORMATION {
    LARGE_INTEGER LastWriteTime;
    ULONG TitleIndex;
    ULONG ClassOffset;
    ULONG ClassLength;
    ULONG NameLength;
    WCHAR Name[1];
} KEY_NODE_INFORMATION, *PKEY_NODE_INFORMATION;

typedef struct _KEY_FULL_INFORMATION {
    LARGE_INTEGER LastWriteTime;
    ULONG TitleIndex;
    ULONG ClassOffset;
    ULONG ClassLength;
    ULONG SubKeys;
    ULONG MaxNameLen;
    ULONG MaxClassLen;
    ULONG Values;
    ULONG MaxValueNameLen;
    ULONG MaxValueDataLen;
    WCHAR Class[1];
} KEY_FULL_INFORMATION, *PKEY_FULL_INFORMATION;

typedef struct _KEY_NAME_INFORMATION {
    ULONG NameLength;
    WCHAR Name[1];
} KEY_NAME_INFORMATION, *PKEY_NAME_INFORMATION;

NTSTATUS NTAPI ZwClose(_In_ HANDLE Handle);
NTSTATUS NTAPI ZwOpenKey(_Out_ PHANDLE KeyHandle, _In_ ACCESS_MASK DesiredAccess,
                         _In_ POBJECT_ATTRIBUTES ObjectAttributes);
NTSTATUS NTAPI ZwCreateKey(_Out_ PHANDLE KeyHandle, _In_ ACCESS_MASK DesiredAccess,
                           _In_ POBJECT_ATTRIBUTES ObjectAttributes, _In_ ULONG TitleIndex,
                           _In_opt_ PUNICODE_STRING Class, _In_ ULONG CreateOptions,
                           _Out_opt_ PULONG Disposition);
NTSTATUS NTAPI ZwQueryValueKey(_In_ HANDLE KeyHandle, _In_ PUNICODE_STRING ValueName,
                               _In_ KEY_VALUE_INFORMATION_CLASS KeyValueInformationClass,
                               _Out_opt_ PVOID KeyValueInformation, _In_ ULONG Length,
                               _Out_ PULONG ResultLength);
NTSTATUS NTAPI ZwSetValueKey(_In_ HANDLE KeyHandle, _In_ PUNICODE_STRING ValueName,
                             _In_opt_ ULONG TitleIndex, _In_ ULONG Type, _In_opt_ PVOID Data,
                             _In_ ULONG DataSize);
/* Keys and values in the order of their creation; STATUS_NO_MORE_ENTRIES behind the last one. */
NTSTATUS NTAPI ZwEnumerateKey(_In_ HANDLE KeyHandle, _In_ ULONG Index,
                              _In_ KEY_INFORMATION_CLASS KeyInformationClass,
                              _Out_opt_ PVOID KeyInformation, _In_ ULONG Length,
                              _Out_ PULONG ResultLength);
NTSTATUS NTAPI ZwEnumerateValueKey(_In_ HANDLE KeyHandle, _In_ ULONG Index,
                                   _In_ KEY_VALUE_INFORMATION_CLASS KeyValueInformationClass,
                                   _Out_opt_ PVOID KeyValueInformation, _In_ ULONG Length,
                                   _Out_ PULONG ResultLength);
NTSTATUS NTAPI ZwQueryKey(_In_ HANDLE KeyHandle, _In_ KEY_INFORMATION_CLASS KeyInformationClass,
                          _Out_opt_ PVOID KeyInformation, _In_ ULONG Length,
                          _Out_ PULONG ResultLength);
NTSTATUS NTAPI ZwDeleteValueKey(_In_ HANDLE KeyHandle, _In_ PUNICODE_STRING ValueName);
NTSTATUS NTAPI ZwDeleteKey(_In_ HANDLE KeyHandle);
NTSTATUS NTAPI ZwFlushKey(_In_ HANDLE KeyHandle);

#define IO_REG_OPEN 1
#define PLUGPLAY_REGKEY_DEVICE 1
#define PLUGPLAY_REGKEY_DRIVER 2
NTSTATUS NTAPI IoOpenDriverRegistryKey(_In_ PDRIVER_OBJECT DriverObject, _In_ ULONG RegKeyType,
                                       _In_ ACCESS_MASK DesiredAccess, _In_ ULONG Flags,
                                       _Out_ PHANDLE DriverRegKey);
NTSTATUS NTAPI IoOpenDeviceRegistryKey(_In_ PDEVICE_OBJECT DeviceObject, _In_ ULONG DevInstKeyType,
                                       _In_ ACCESS_MASK DesiredAccess, _Out_ PHANDLE DeviceRegKey);
#define DriverRegKeyParameters 0

/* Rtl registry helpers. */

#define RTL_REGISTRY_ABSOLUTE 0
#define RTL_REGISTRY_SERVICES 1
#define RTL_REGISTRY_CONTROL 2
#define RTL_REGISTRY_WINDOWS_NT 3
#define RTL_REGISTRY_DEVICEMAP 4
#define RTL_REGISTRY_USER 5
#define RTL_REGISTRY_HANDLE 0x40000000
#define RTL_REGISTRY_OPTIONAL 0x80000000

#define RTL_QUERY_REGISTRY_SUBKEY 0x00000001
#define RTL_QUERY_REGISTRY_TOPKEY 0x00000002
#define RTL_QUERY_REGISTRY_REQUIRED 0x00000004
#define RTL_QUERY_REGISTRY_NOVALUE 0x00000008
#define RTL_QUERY_REGISTRY_NOEXPAND 0x00000010
#define RTL_QUERY_REGISTRY_DIRECT 0x00000020
#define RTL_QUERY_REGISTRY_DELETE 0x00000040
#define RTL_QUERY_REGISTRY_NOSTRING 0x00000080
#define RTL_QUERY_REGISTRY_TYPECHECK 0x00000100
#define RTL_QUERY_REGISTRY_TYPECHECK_SHIFT 24

typedef NTSTATUS NTAPI RTL_QUERY_REGISTRY_ROUTINE(_In_z_ PWSTR ValueName, _In_ ULONG ValueType,
                                                  _In_opt_ PVOID ValueData, _In_ ULONG ValueLength,
                                                  _In_opt_ PVOID Context,
                                                  _In_opt_ PVOID EntryContext);
typedef RTL_QUERY_REGISTRY_ROUTINE *PRTL_QUERY_REGISTRY_ROUTINE;

typedef struct _RTL_QUERY_REGISTRY_TABLE {
    PRTL_QUERY_REGISTRY_ROUTINE QueryRoutine;
    ULONG Flags;
    PWSTR Name;
    PVOID EntryContext;
    ULONG DefaultType;
    PVOID DefaultData;
    ULONG DefaultLength;
} RTL_QUERY_REGISTRY_TABLE, *PRTL_QUERY_REGISTRY_TABLE;

NTSTATUS NTAPI RtlQueryRegistryValues(_In_ ULONG RelativeTo, _In_ PCWSTR Path,
                                      _Inout_ PRTL_QUERY_REGISTRY_TABLE QueryTable,
                                      _In_opt_ PVOID Context, _In_opt_ PVOID Environment);
NTSTATUS NTAPI RtlWriteRegistryValue(_In_ ULONG RelativeTo, _In_ PCWSTR Path,
                                     _In_z_ PCWSTR ValueName, _In_ ULONG ValueType,
                                     _In_opt_ PVOID ValueData, _In_ ULONG ValueLength);
NTSTATUS NTAPI RtlDeleteRegistryValue(_In_ ULONG RelativeTo, _In_ PCWSTR Path,
                                      _In_z_ PCWSTR ValueName);
NTSTATUS NTAPI RtlCheckRegistryKey(_In_ ULONG RelativeTo, _In_ PWSTR Path);
NTSTATUS NTAPI RtlCreateRegistryKey(_In_ ULONG RelativeTo, _In_ PWSTR Path);

/* Files. */

#define FILE_READ_DATA (0x0001)
#define FILE_WRITE_DATA (0x0002)
#define FILE_APPEND_DATA (0x0004)
#define FILE_READ_ATTRIBUTES (0x0080)
#define FILE_WRITE_ATTRIBUTES (0x0100)
#define FILE_GENERIC_READ                                                                          \
    (STANDARD_RIGHTS_READ | FILE_READ_DATA | FILE_READ_ATTRIBUTES | 0x0008 | SYNCHRONIZE)
#define FILE_GENERIC_WRITE                                                                         \
    (STANDARD_RIGHTS_WRITE | FILE_WRITE_DATA | FILE_WRITE_ATTRIBUTES | 0x0010 | FILE_APPEND_DATA | \
     SYNCHRONIZE)
#define FILE_SHARE_READ 0x00000001
#define FILE_SHARE_WRITE 0x00000002
#define FILE_SHARE_DELETE 0x00000004
#define FILE_ATTRIBUTE_READONLY 0x00000001
#define FILE_ATTRIBUTE_DIRECTORY 0x00000010
#define FILE_ATTRIBUTE_NORMAL 0x00000080
#define FILE_SUPERSEDE 0x00000000
#define FILE_OPEN 0x00000001
#define FILE_CREATE 0x00000002
#define FILE_OPEN_IF 0x00000003
#define FILE_OVERWRITE 0x00000004
#define FILE_OVERWRITE_IF 0x00000005
#define FILE_SUPERSEDED 0x00000000
#define FILE_OPENED 0x00000001
#define FILE_CREATED 0x00000002
#define FILE_OVERWRITTEN 0x00000003
#define FILE_DIRECTORY_FILE 0x00000001
#define FILE_WRITE_THROUGH 0x00000002
#define FILE_SEQUENTIAL_ONLY 0x00000004
#define FILE_RANDOM_ACCESS 0x00000800
#define FILE_SYNCHRONOUS_IO_ALERT 0x00000010
#define FILE_SYNCHRONOUS_IO_NONALERT 0x00000020
#define FILE_NON_DIRECTORY_FILE 0x00000040
#define FILE_WRITE_TO_END_OF_FILE 0xffffffff
#define FILE_USE_FILE_POINTER_POSITION 0xfffffffe

typedef enum _FILE_INFORMATION_CLASS {
    FileDirectoryInformation = 1,
    FileBasicInformation = 4,
    FileStandardInformation = 5,
    FileNameInformation = 9,
    FileDispositionInformation = 13,
    FilePositionInformation = 14,
    FileAllInformation = 18,
    FileAllocationInformation = 19,
    FileEndOfFileInformation = 20
} FILE_INFORMATION_CLASS,
    *PFILE_INFORMATION_CLASS;

typedef struct _FILE_BASIC_INFORMATION {
    LARGE_INTEGER CreationTime;
    LARGE_INTEGER LastAccessTime;
    LARGE_INTEGER LastWriteTime;
    LARGE_INTEGER ChangeTime;
    ULONG FileAttributes;
} FILE_BASIC_INFORMATION, *PFILE_BASIC_INFORMATION;

typedef struct _FILE_STANDARD_INFORMATION {
    LARGE_INTEGER AllocationSize;
    LARGE_INTEGER EndOfFile;
    ULONG NumberOfLinks;
    BOOLEAN DeletePending;
    BOOLEAN Directory;
} FILE_STANDARD_INFORMATION, *PFILE_STANDARD_INFORMATION;

typedef struct _FILE_POSITION_INFORMATION {
    LARGE_INTEGER CurrentByteOffset;
} FILE_POSITION_INFORMATION, *PFILE_POSITION_INFORMATION;

typedef struct _FILE_END_OF_FILE_INFORMATION {
    LARGE_INTEGER EndOfFile;
} FILE_END_OF_FILE_INFORMATION, *PFILE_END_OF_FILE_INFORMATION;

typedef struct _FILE_NAME_INFORMATION {
    ULONG FileNameLength;
    WCHAR FileName[1];
} FILE_NAME_INFORMATION, *PFILE_NAME_INFORMATION;

NTSTATUS NTAPI ZwOpenFile(_Out_ PHANDLE FileHandle, _In_ ACCESS_MASK DesiredAccess,
                          _In_ POBJECT_ATTRIBUTES ObjectAttributes,
                          _Out_ PIO_STATUS_BLOCK IoStatusBlock, _In_ ULONG ShareAccess,
                          _In_ ULONG OpenOptions);
NTSTATUS NTAPI ZwQueryInformationFile(_In_ HANDLE FileHandle, _Out_ PIO_STATUS_BLOCK IoStatusBlock,
                                      _Out_ PVOID FileInformation, _In_ ULONG Length,
                                      _In_ FILE_INFORMATION_CLASS FileInformationClass);
NTSTATUS NTAPI ZwSetInformationFile(_In_ HANDLE FileHandle, _Out_ PIO_STATUS_BLOCK IoStatusBlock,
                                    _In_ PVOID FileInformation, _In_ ULONG Length,
                                    _In_ FILE_INFORMATION_CLASS FileInformationClass);
NTSTATUS NTAPI ZwFlushBuffersFile(_In_ HANDLE FileHandle, _Out_ PIO_STATUS_BLOCK IoStatusBlock);
NTSTATUS NTAPI ZwCreateFile(_Out_ PHANDLE FileHandle, _In_ ACCESS_MASK DesiredAccess,
                            _In_ POBJECT_ATTRIBUTES ObjectAttributes,
                            _Out_ PIO_STATUS_BLOCK IoStatusBlock,
                            _In_opt_ PLARGE_INTEGER AllocationSize, _In_ ULONG FileAttributes,
                            _In_ ULONG ShareAccess, _In_ ULONG CreateDisposition,
                            _In_ ULONG CreateOptions, _In_opt_ PVOID EaBuffer, _In_ ULONG EaLength);
NTSTATUS NTAPI ZwWriteFile(_In_ HANDLE FileHandle, _In_opt_ HANDLE Event,
                           _In_opt_ PIO_APC_ROUTINE ApcRoutine, _In_opt_ PVOID ApcContext,
                           _Out_ PIO_STATUS_BLOCK IoStatusBlock, _In_ PVOID Buffer,
                           _In_ ULONG Length, _In_opt_ PLARGE_INTEGER ByteOffset,
                           _In_opt_ PULONG Key);
NTSTATUS NTAPI ZwReadFile(_In_ HANDLE FileHandle, _In_opt_ HANDLE Event,
                          _In_opt_ PIO_APC_ROUTINE ApcRoutine, _In_opt_ PVOID ApcContext,
                          _Out_ PIO_STATUS_BLOCK IoStatusBlock, _Out_ PVOID Buffer,
                          _In_ ULONG Length, _In_opt_ PLARGE_INTEGER ByteOffset,
                          _In_opt_ PULONG Key);

#endif
