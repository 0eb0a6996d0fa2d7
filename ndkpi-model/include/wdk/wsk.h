/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Winsock kernel, as far as a driver needs it to reach NDK: registration, the provider's network
 * programming interface, client control. There are no sockets: WskSocket and its like complete
 * their IRP with STATUS_NOT_SUPPORTED.
 */
#ifndef NDKSIM_WDK_WSK_H
#define NDKSIM_WDK_WSK_H

#include "wdm.h"
#include "ws2def.h"
#include "ws2ipdef.h"
#include "wsk/sockets.h"

#define MAKE_WSK_VERSION(Mj, Mn) ((USHORT)((Mj) << 8) | (USHORT)((Mn)&0xff))
#define WSK_MAJOR_VERSION(V) ((UCHAR)((V) >> 8))
#define WSK_MINOR_VERSION(V) ((UCHAR)(V))

#define WSK_NO_WAIT 0
#define WSK_INFINITE_WAIT 0xffffffff

#define WSK_FLAG_BASIC_SOCKET 0x00000000
#define WSK_FLAG_LISTEN_SOCKET 0x00000001
#define WSK_FLAG_CONNECTION_SOCKET 0x00000002
#define WSK_FLAG_DATAGRAM_SOCKET 0x00000004
#define WSK_FLAG_STREAM_SOCKET 0x00000008

#define WSK_TRANSPORT_LIST_QUERY 2
#define WSK_TRANSPORT_LIST_CHANGE 3
#define WSK_CACHE_SD 4
#define WSK_RELEASE_SD 5
#define WSK_TDI_DEVICENAME_MAPPING 6
#define WSK_SET_STATIC_EVENT_CALLBACKS 7
#define WSK_TDI_BEHAVIOR 8

typedef VOID WSK_CLIENT, *PWSK_CLIENT;
typedef struct _ADDRINFOEXW ADDRINFOEXW, *PADDRINFOEXW;

typedef struct _WSK_SOCKET {
    const VOID *Dispatch;
} WSK_SOCKET, *PWSK_SOCKET;

typedef NTSTATUS(NTAPI *PFN_WSK_CLIENT_EVENT)(_In_opt_ PVOID ClientContext, _In_ ULONG EventType,
                                              _In_opt_ PVOID Information,
                                              _In_ SIZE_T InformationLength);

typedef struct _WSK_CLIENT_DISPATCH {
    USHORT Version;
    USHORT Reserved;
    PFN_WSK_CLIENT_EVENT WskClientEvent;
} WSK_CLIENT_DISPATCH, *PWSK_CLIENT_DISPATCH;

typedef struct _WSK_CLIENT_NPI {
    PVOID ClientContext;
    const WSK_CLIENT_DISPATCH *Dispatch;
} WSK_CLIENT_NPI, *PWSK_CLIENT_NPI;

typedef NTSTATUS(NTAPI *PFN_WSK_SOCKET)(
    _In_ PWSK_CLIENT Client, _In_ ADDRESS_FAMILY AddressFamily, _In_ USHORT SocketType,
    _In_ ULONG Protocol, _In_ ULONG Flags, _In_opt_ PVOID SocketContext,
    _In_opt_ const VOID *Dispatch, _In_opt_ PEPROCESS OwningProcess, _In_opt_ PETHREAD OwningThread,
    _In_opt_ PSECURITY_DESCRIPTOR SecurityDescriptor, _Inout_ PIRP Irp);
typedef NTSTATUS(NTAPI *PFN_WSK_SOCKET_CONNECT)(
    _In_ PWSK_CLIENT Client, _In_ USHORT SocketType, _In_ ULONG Protocol,
    _In_ PSOCKADDR LocalAddress, _In_ PSOCKADDR RemoteAddress, _In_ ULONG Flags,
    _In_opt_ PVOID SocketContext, _In_opt_ const WSK_CLIENT_CONNECTION_DISPATCH *Dispatch,
    _In_opt_ PEPROCESS OwningProcess, _In_opt_ PETHREAD OwningThread,
    _In_opt_ PSECURITY_DESCRIPTOR SecurityDescriptor, _Inout_ PIRP Irp);
_IRQL_requires_max_(DISPATCH_LEVEL) typedef NTSTATUS(NTAPI *PFN_WSK_CONTROL_CLIENT)(
    _In_ PWSK_CLIENT Client, _In_ ULONG ControlCode, _In_ SIZE_T InputSize,
    _In_opt_ PVOID InputBuffer, _In_ SIZE_T OutputSize, _Out_opt_ PVOID OutputBuffer,
    _Out_opt_ SIZE_T *OutputSizeReturned, _Inout_opt_ PIRP Irp);
typedef NTSTATUS(NTAPI *PFN_WSK_GET_ADDRESS_INFO)(
    _In_ PWSK_CLIENT Client, _In_opt_ PUNICODE_STRING NodeName,
    _In_opt_ PUNICODE_STRING ServiceName, _In_opt_ ULONG NameSpace, _In_opt_ GUID *Provider,
    _In_opt_ PADDRINFOEXW Hints, _Outptr_ PADDRINFOEXW *Result, _In_opt_ PEPROCESS OwningProcess,
    _In_opt_ PETHREAD OwningThread, _Inout_ PIRP Irp);
typedef VOID(NTAPI *PFN_WSK_FREE_ADDRESS_INFO)(_In_ PWSK_CLIENT Client, _In_ PADDRINFOEXW AddrInfo);
typedef NTSTATUS(NTAPI *PFN_WSK_GET_NAME_INFO)(_In_ PWSK_CLIENT Client, _In_ PSOCKADDR SockAddr,
                                               _In_ ULONG SockAddrLength,
                                               _Out_opt_ PUNICODE_STRING NodeName,
                                               _Out_opt_ PUNICODE_STRING ServiceName,
                                               _In_ ULONG Flags, _In_opt_ PEPROCESS OwningProcess,
                                               _In_opt_ PETHREAD OwningThread, _Inout_ PIRP Irp);

typedef struct _WSK_PROVIDER_DISPATCH {
    USHORT Version;
    USHORT Reserved;
    PFN_WSK_SOCKET WskSocket;
    PFN_WSK_SOCKET_CONNECT WskSocketConnect;
    PFN_WSK_CONTROL_CLIENT WskControlClient;
    PFN_WSK_GET_ADDRESS_INFO WskGetAddressInfo;
    PFN_WSK_FREE_ADDRESS_INFO WskFreeAddressInfo;
    PFN_WSK_GET_NAME_INFO WskGetNameInfo;
} WSK_PROVIDER_DISPATCH, *PWSK_PROVIDER_DISPATCH;

typedef struct _WSK_PROVIDER_NPI {
    PWSK_CLIENT Client;
    const WSK_PROVIDER_DISPATCH *Dispatch;
} WSK_PROVIDER_NPI, *PWSK_PROVIDER_NPI;

/* Storage of the client; its content belongs to the kernel between register and deregister. */
typedef struct _WSK_REGISTRATION {
    ULONGLONG ReservedRegistrationState;
    PVOID ReservedRegistrationContext;
    KSPIN_LOCK ReservedRegistrationLock;
} WSK_REGISTRATION, *PWSK_REGISTRATION;

typedef struct _WSK_PROVIDER_CHARACTERISTICS {
    USHORT HighestVersion;
    USHORT LowestVersion;
} WSK_PROVIDER_CHARACTERISTICS, *PWSK_PROVIDER_CHARACTERISTICS;

_IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI
    WskRegister(_In_ PWSK_CLIENT_NPI WskClientNpi, _Out_ PWSK_REGISTRATION WskRegistration);
/* Waits WaitTimeout ms, or not at all (then IRQL <= DISPATCH_LEVEL), or for ever. */
NTSTATUS NTAPI WskCaptureProviderNPI(_In_ PWSK_REGISTRATION WskRegistration, _In_ ULONG WaitTimeout,
                                     _Out_ PWSK_PROVIDER_NPI WskProviderNpi);
_IRQL_requires_max_(DISPATCH_LEVEL) VOID NTAPI
    WskReleaseProviderNPI(_In_ PWSK_REGISTRATION WskRegistration);
NTSTATUS NTAPI
WskQueryProviderCharacteristics(_In_ PWSK_REGISTRATION WskRegistration,
                                _Out_ PWSK_PROVIDER_CHARACTERISTICS WskProviderCharacteristics);
/* Blocks until every capture is released. */
_IRQL_requires_(PASSIVE_LEVEL) VOID NTAPI WskDeregister(_In_ PWSK_REGISTRATION WskRegistration);

#endif
