/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System threads and object references.
 */
#ifndef NDKSIM_WDK_WDM_PS_H
#define NDKSIM_WDK_WDM_PS_H

#include "../ntdef.h"
#include "ke.h"

typedef struct _OBJECT_TYPE *POBJECT_TYPE;
typedef struct _CLIENT_ID {
    HANDLE UniqueProcess;
    HANDLE UniqueThread;
} CLIENT_ID, *PCLIENT_ID;
typedef struct _OBJECT_HANDLE_INFORMATION {
    ULONG HandleAttributes;
    ACCESS_MASK GrantedAccess;
} OBJECT_HANDLE_INFORMATION, *POBJECT_HANDLE_INFORMATION;

typedef VOID KSTART_ROUTINE(_In_ PVOID StartContext);
typedef KSTART_ROUTINE *PKSTART_ROUTINE;

#define DELETE (0x00010000L)
#define READ_CONTROL (0x00020000L)
#define SYNCHRONIZE (0x00100000L)
#define STANDARD_RIGHTS_REQUIRED (0x000F0000L)
#define STANDARD_RIGHTS_READ (READ_CONTROL)
#define STANDARD_RIGHTS_WRITE (READ_CONTROL)
#define STANDARD_RIGHTS_EXECUTE (READ_CONTROL)
#define STANDARD_RIGHTS_ALL (0x001F0000L)
#define GENERIC_READ (0x80000000L)
#define GENERIC_WRITE (0x40000000L)
#define GENERIC_EXECUTE (0x20000000L)
#define GENERIC_ALL (0x10000000L)
#define THREAD_ALL_ACCESS (STANDARD_RIGHTS_REQUIRED | SYNCHRONIZE | 0xFFFF)
#define EVENT_ALL_ACCESS (STANDARD_RIGHTS_REQUIRED | SYNCHRONIZE | 0x3)

/* Object types for ObReferenceObjectByHandle. */
extern POBJECT_TYPE *PsThreadType;
extern POBJECT_TYPE *ExEventObjectType;
extern POBJECT_TYPE *IoFileObjectType;

NTSTATUS NTAPI PsCreateSystemThread(_Out_ PHANDLE ThreadHandle, _In_ ULONG DesiredAccess,
                                    _In_opt_ POBJECT_ATTRIBUTES ObjectAttributes,
                                    _In_opt_ HANDLE ProcessHandle, _Out_opt_ PCLIENT_ID ClientId,
                                    _In_ PKSTART_ROUTINE StartRoutine, _In_opt_ PVOID StartContext);
/* Ends the calling system thread; like the return of its start routine. */
NTSTATUS NTAPI PsTerminateSystemThread(_In_ NTSTATUS ExitStatus);
NTSTATUS NTAPI IoCreateSystemThread(_Inout_ PVOID IoObject, _Out_ PHANDLE ThreadHandle,
                                    _In_ ULONG DesiredAccess,
                                    _In_opt_ POBJECT_ATTRIBUTES ObjectAttributes,
                                    _In_opt_ HANDLE ProcessHandle, _Out_opt_ PCLIENT_ID ClientId,
                                    _In_ PKSTART_ROUTINE StartRoutine, _In_opt_ PVOID StartContext);
PETHREAD NTAPI PsGetCurrentThread(VOID);
HANDLE NTAPI PsGetCurrentThreadId(VOID);
HANDLE NTAPI PsGetCurrentProcessId(VOID);
PEPROCESS NTAPI PsGetCurrentProcess(VOID);
BOOLEAN NTAPI PsIsSystemThread(_In_ PETHREAD Thread);
#define IoGetCurrentProcess() PsGetCurrentProcess()

NTSTATUS NTAPI ObReferenceObjectByHandle(_In_ HANDLE Handle, _In_ ACCESS_MASK DesiredAccess,
                                         _In_opt_ POBJECT_TYPE ObjectType,
                                         _In_ KPROCESSOR_MODE AccessMode, _Out_ PVOID *Object,
                                         _Out_opt_ POBJECT_HANDLE_INFORMATION HandleInformation);
LONG_PTR NTAPI ObfReferenceObject(_In_ PVOID Object);
LONG_PTR NTAPI ObfDereferenceObject(_In_ PVOID Object);
NTSTATUS NTAPI ObReferenceObjectByPointer(_In_ PVOID Object, _In_ ACCESS_MASK DesiredAccess,
                                          _In_opt_ POBJECT_TYPE ObjectType,
                                          _In_ KPROCESSOR_MODE AccessMode);

/*
 * Events by handle. A name is one of the node: who makes it again gets the same event.
 * PASSIVE_LEVEL; ZwSetEvent up to DISPATCH_LEVEL.
 */
PKEVENT NTAPI IoCreateNotificationEvent(_In_ PUNICODE_STRING EventName, _Out_ PHANDLE EventHandle);
PKEVENT NTAPI IoCreateSynchronizationEvent(_In_ PUNICODE_STRING EventName,
                                           _Out_ PHANDLE EventHandle);
NTSTATUS NTAPI ZwCreateEvent(_Out_ PHANDLE EventHandle, _In_ ACCESS_MASK DesiredAccess,
                             _In_opt_ POBJECT_ATTRIBUTES ObjectAttributes,
                             _In_ EVENT_TYPE EventType, _In_ BOOLEAN InitialState);
NTSTATUS NTAPI ZwOpenEvent(_Out_ PHANDLE EventHandle, _In_ ACCESS_MASK DesiredAccess,
                           _In_ POBJECT_ATTRIBUTES ObjectAttributes);
NTSTATUS NTAPI ZwSetEvent(_In_ HANDLE EventHandle, _Out_opt_ PLONG PreviousState);
NTSTATUS NTAPI ZwResetEvent(_In_ HANDLE EventHandle, _Out_opt_ PLONG PreviousState);
NTSTATUS NTAPI ZwClearEvent(_In_ HANDLE EventHandle);
/* A thread, or an event. */
NTSTATUS NTAPI ZwWaitForSingleObject(_In_ HANDLE Handle, _In_ BOOLEAN Alertable,
                                     _In_opt_ PLARGE_INTEGER Timeout);
#define ObReferenceObject(Object) ObfReferenceObject(Object)
#define ObDereferenceObject(Object) ObfDereferenceObject(Object)
#define NtCurrentProcess() ((HANDLE)(LONG_PTR)-1)
#define ZwCurrentProcess() NtCurrentProcess()
#define NtCurrentThread() ((HANDLE)(LONG_PTR)-2)
#define ZwCurrentThread() NtCurrentThread()

#endif
