/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sockets of Winsock kernel: their types only, so that a driver with a TCP side builds. No socket
 * is ever made: WskSocket and WskSocketConnect complete their IRP with STATUS_NOT_SUPPORTED.
 */
#ifndef NDKSIM_WDK_WSK_SOCKETS_H
#define NDKSIM_WDK_WSK_SOCKETS_H

#include "../wdm.h"
#include "../ws2def.h"

#define WSKAPI NTAPI

#define WSK_FLAG_ABORTIVE 0x00000001
#define WSK_FLAG_NODELAY 0x00000002
#define WSK_FLAG_WAITALL 0x00000002
#define WSK_FLAG_RELEASE_ASAP 0x00000002
#define WSK_FLAG_DRAIN 0x00000004
#define WSK_FLAG_ENTIRE_MESSAGE 0x00000004
#define WSK_FLAG_AT_DISPATCH_LEVEL 0x00000008

#define WSK_SO_BASE 0x4000
#define SO_WSK_SECURITY (WSK_SO_BASE + 1)
#define SO_WSK_EVENT_CALLBACK (WSK_SO_BASE + 2)

#define WSK_EVENT_SEND_BACKLOG 0x00000010
#define WSK_EVENT_RECEIVE 0x00000040
#define WSK_EVENT_DISCONNECT 0x00000080
#define WSK_EVENT_RECEIVE_FROM 0x00000100
#define WSK_EVENT_ACCEPT 0x00000200
#define WSK_EVENT_DISABLE 0x80000000

typedef GUID NPIID, *PNPIID;
typedef const NPIID *PCNPIID;
extern const NPIID NPI_WSK_INTERFACE_ID;

struct _WSK_SOCKET;
typedef struct _WSACMSGHDR CMSGHDR, *PCMSGHDR;

typedef struct _WSK_BUF {
    PMDL Mdl;
    ULONG Offset;
    SIZE_T Length;
} WSK_BUF, *PWSK_BUF;

typedef struct _WSK_BUF_LIST {
    struct _WSK_BUF_LIST *Next;
    WSK_BUF Buffer;
} WSK_BUF_LIST, *PWSK_BUF_LIST;

typedef struct _WSK_DATA_INDICATION {
    struct _WSK_DATA_INDICATION *Next;
    WSK_BUF Buffer;
} WSK_DATA_INDICATION, *PWSK_DATA_INDICATION;

typedef struct _WSK_DATAGRAM_INDICATION {
    struct _WSK_DATAGRAM_INDICATION *Next;
    WSK_BUF Buffer;
    PCMSGHDR ControlInfo;
    ULONG ControlInfoLength;
    PSOCKADDR RemoteAddress;
} WSK_DATAGRAM_INDICATION, *PWSK_DATAGRAM_INDICATION;

typedef struct _WSK_INSPECT_ID {
    ULONG_PTR Key;
    ULONG SerialNumber;
} WSK_INSPECT_ID, *PWSK_INSPECT_ID;

typedef enum {
    WskInspectReject,
    WskInspectAccept,
    WskInspectPend,
    WskInspectMax
} WSK_INSPECT_ACTION,
    *PWSK_INSPECT_ACTION;

typedef enum {
    WskSetOption,
    WskGetOption,
    WskIoctl,
    WskControlMax
} WSK_CONTROL_SOCKET_TYPE,
    *PWSK_CONTROL_SOCKET_TYPE;

typedef struct _WSK_EVENT_CALLBACK_CONTROL {
    PNPIID NpiId;
    ULONG EventMask;
} WSK_EVENT_CALLBACK_CONTROL, *PWSK_EVENT_CALLBACK_CONTROL;

/* What a client is told about its sockets. */

typedef NTSTATUS(WSKAPI *PFN_WSK_RECEIVE_EVENT)(_In_opt_ PVOID SocketContext, _In_ ULONG Flags,
                                                _In_opt_ PWSK_DATA_INDICATION DataIndication,
                                                _In_ SIZE_T BytesIndicated,
                                                _Inout_ SIZE_T *BytesAccepted);
typedef NTSTATUS(WSKAPI *PFN_WSK_DISCONNECT_EVENT)(_In_opt_ PVOID SocketContext, _In_ ULONG Flags);
typedef NTSTATUS(WSKAPI *PFN_WSK_SEND_BACKLOG_EVENT)(_In_opt_ PVOID SocketContext,
                                                     _In_ SIZE_T IdealBacklogSize);
typedef NTSTATUS(WSKAPI *PFN_WSK_RECEIVE_FROM_EVENT)(_In_opt_ PVOID SocketContext, _In_ ULONG Flags,
                                                     _In_opt_ PWSK_DATAGRAM_INDICATION
                                                         DataIndication);

typedef struct _WSK_CLIENT_CONNECTION_DISPATCH {
    PFN_WSK_RECEIVE_EVENT WskReceiveEvent;
    PFN_WSK_DISCONNECT_EVENT WskDisconnectEvent;
    PFN_WSK_SEND_BACKLOG_EVENT WskSendBacklogEvent;
} WSK_CLIENT_CONNECTION_DISPATCH, *PWSK_CLIENT_CONNECTION_DISPATCH;

typedef NTSTATUS(WSKAPI *PFN_WSK_ACCEPT_EVENT)(
    _In_opt_ PVOID SocketContext, _In_ ULONG Flags, _In_ PSOCKADDR LocalAddress,
    _In_ PSOCKADDR RemoteAddress, _In_opt_ struct _WSK_SOCKET *AcceptSocket,
    _Outptr_result_maybenull_ PVOID *AcceptSocketContext,
    _Outptr_result_maybenull_ const WSK_CLIENT_CONNECTION_DISPATCH **AcceptSocketDispatch);
typedef WSK_INSPECT_ACTION(WSKAPI *PFN_WSK_INSPECT_EVENT)(_In_opt_ PVOID SocketContext,
                                                          _In_ PSOCKADDR LocalAddress,
                                                          _In_ PSOCKADDR RemoteAddress,
                                                          _In_opt_ PWSK_INSPECT_ID InspectID);
typedef NTSTATUS(WSKAPI *PFN_WSK_ABORT_EVENT)(_In_opt_ PVOID SocketContext,
                                              _In_ PWSK_INSPECT_ID InspectID);

typedef struct _WSK_CLIENT_LISTEN_DISPATCH {
    PFN_WSK_ACCEPT_EVENT WskAcceptEvent;
    PFN_WSK_INSPECT_EVENT WskInspectEvent;
    PFN_WSK_ABORT_EVENT WskAbortEvent;
} WSK_CLIENT_LISTEN_DISPATCH, *PWSK_CLIENT_LISTEN_DISPATCH;

typedef struct _WSK_CLIENT_DATAGRAM_DISPATCH {
    PFN_WSK_RECEIVE_FROM_EVENT WskReceiveFromEvent;
} WSK_CLIENT_DATAGRAM_DISPATCH, *PWSK_CLIENT_DATAGRAM_DISPATCH;

/* What a client asks of a socket. */

typedef NTSTATUS(WSKAPI *PFN_WSK_CONTROL_SOCKET)(
    _In_ struct _WSK_SOCKET *Socket, _In_ WSK_CONTROL_SOCKET_TYPE RequestType,
    _In_ ULONG ControlCode, _In_ ULONG Level, _In_ SIZE_T InputSize, _In_opt_ PVOID InputBuffer,
    _In_ SIZE_T OutputSize, _Out_opt_ PVOID OutputBuffer, _Out_opt_ SIZE_T *OutputSizeReturned,
    _Inout_opt_ PIRP Irp);
typedef NTSTATUS(WSKAPI *PFN_WSK_CLOSE_SOCKET)(_In_ struct _WSK_SOCKET *Socket, _Inout_ PIRP Irp);
typedef NTSTATUS(WSKAPI *PFN_WSK_BIND)(_In_ struct _WSK_SOCKET *Socket, _In_ PSOCKADDR LocalAddress,
                                       _In_ ULONG Flags, _Inout_ PIRP Irp);
typedef NTSTATUS(WSKAPI *PFN_WSK_CONNECT)(_In_ struct _WSK_SOCKET *Socket,
                                          _In_ PSOCKADDR RemoteAddress, _In_ ULONG Flags,
                                          _Inout_ PIRP Irp);
typedef NTSTATUS(WSKAPI *PFN_WSK_GET_LOCAL_ADDRESS)(_In_ struct _WSK_SOCKET *Socket,
                                                    _Out_ PSOCKADDR LocalAddress, _Inout_ PIRP Irp);
typedef NTSTATUS(WSKAPI *PFN_WSK_GET_REMOTE_ADDRESS)(_In_ struct _WSK_SOCKET *Socket,
                                                     _Out_ PSOCKADDR RemoteAddress,
                                                     _Inout_ PIRP Irp);
typedef NTSTATUS(WSKAPI *PFN_WSK_SEND)(_In_ struct _WSK_SOCKET *Socket, _In_ PWSK_BUF Buffer,
                                       _In_ ULONG Flags, _Inout_ PIRP Irp);
typedef NTSTATUS(WSKAPI *PFN_WSK_RECEIVE)(_In_ struct _WSK_SOCKET *Socket, _In_ PWSK_BUF Buffer,
                                          _In_ ULONG Flags, _Inout_ PIRP Irp);
typedef NTSTATUS(WSKAPI *PFN_WSK_DISCONNECT)(_In_ struct _WSK_SOCKET *Socket,
                                             _In_opt_ PWSK_BUF Buffer, _In_ ULONG Flags,
                                             _Inout_ PIRP Irp);
typedef NTSTATUS(WSKAPI *PFN_WSK_RELEASE_DATA_INDICATION_LIST)(
    _In_ struct _WSK_SOCKET *Socket, _In_ PWSK_DATA_INDICATION DataIndication);
typedef NTSTATUS(WSKAPI *PFN_WSK_CONNECT_EX)(_In_ struct _WSK_SOCKET *Socket,
                                             _In_ PSOCKADDR RemoteAddress, _In_opt_ PWSK_BUF Buffer,
                                             _In_ ULONG Flags, _Inout_ PIRP Irp);
typedef NTSTATUS(WSKAPI *PFN_WSK_ACCEPT)(
    _In_ struct _WSK_SOCKET *ListenSocket, _In_ ULONG Flags, _In_opt_ PVOID AcceptSocketContext,
    _In_opt_ const WSK_CLIENT_CONNECTION_DISPATCH *AcceptSocketDispatch,
    _Out_opt_ PSOCKADDR LocalAddress, _Out_opt_ PSOCKADDR RemoteAddress, _Inout_ PIRP Irp);
typedef NTSTATUS(WSKAPI *PFN_WSK_INSPECT_COMPLETE)(_In_ struct _WSK_SOCKET *ListenSocket,
                                                   _In_ PWSK_INSPECT_ID InspectID,
                                                   _In_ WSK_INSPECT_ACTION Action,
                                                   _Inout_ PIRP Irp);
typedef NTSTATUS(WSKAPI *PFN_WSK_SEND_TO)(_In_ struct _WSK_SOCKET *Socket, _In_ PWSK_BUF Buffer,
                                          _In_ ULONG Flags, _In_opt_ PSOCKADDR RemoteAddress,
                                          _In_ ULONG ControlInfoLength,
                                          _In_opt_ PCMSGHDR ControlInfo, _Inout_ PIRP Irp);
typedef NTSTATUS(WSKAPI *PFN_WSK_RECEIVE_FROM)(_In_ struct _WSK_SOCKET *Socket,
                                               _In_ PWSK_BUF Buffer, _In_ ULONG Flags,
                                               _Out_opt_ PSOCKADDR RemoteAddress,
                                               _Inout_ PULONG ControlInfoLength,
                                               _Out_opt_ PCMSGHDR ControlInfo,
                                               _Out_opt_ PULONG ControlFlags, _Inout_ PIRP Irp);
typedef NTSTATUS(WSKAPI *PFN_WSK_RELEASE_DATAGRAM_INDICATION_LIST)(
    _In_ struct _WSK_SOCKET *Socket, _In_ PWSK_DATAGRAM_INDICATION DatagramIndication);
typedef NTSTATUS(WSKAPI *PFN_WSK_SEND_MESSAGES)(_In_ struct _WSK_SOCKET *Socket,
                                                _In_ PWSK_BUF_LIST BufferList, _In_ ULONG Flags,
                                                _In_opt_ PSOCKADDR RemoteAddress,
                                                _In_ ULONG ControlInfoLength,
                                                _In_opt_ PCMSGHDR ControlInfo, _Inout_ PIRP Irp);
/* With Windows 10 1703; their parameters are not documented. */
typedef NTSTATUS(WSKAPI *PFN_WSK_SEND_EX)(VOID);
typedef NTSTATUS(WSKAPI *PFN_WSK_RECEIVE_EX)(VOID);

#define _NDKSIM_WSK_BASIC                                                                          \
    PFN_WSK_CONTROL_SOCKET WskControlSocket;                                                       \
    PFN_WSK_CLOSE_SOCKET WskCloseSocket;

typedef struct _WSK_PROVIDER_BASIC_DISPATCH {
    _NDKSIM_WSK_BASIC
} WSK_PROVIDER_BASIC_DISPATCH, *PWSK_PROVIDER_BASIC_DISPATCH;

typedef struct _WSK_PROVIDER_LISTEN_DISPATCH {
    _NDKSIM_WSK_BASIC
    PFN_WSK_BIND WskBind;
    PFN_WSK_ACCEPT WskAccept;
    PFN_WSK_INSPECT_COMPLETE WskInspectComplete;
    PFN_WSK_GET_LOCAL_ADDRESS WskGetLocalAddress;
} WSK_PROVIDER_LISTEN_DISPATCH, *PWSK_PROVIDER_LISTEN_DISPATCH;

typedef struct _WSK_PROVIDER_DATAGRAM_DISPATCH {
    _NDKSIM_WSK_BASIC
    PFN_WSK_BIND WskBind;
    PFN_WSK_SEND_TO WskSendTo;
    PFN_WSK_RECEIVE_FROM WskReceiveFrom;
    PFN_WSK_RELEASE_DATAGRAM_INDICATION_LIST WskRelease;
    PFN_WSK_GET_LOCAL_ADDRESS WskGetLocalAddress;
    PFN_WSK_SEND_MESSAGES WskSendMessages;
} WSK_PROVIDER_DATAGRAM_DISPATCH, *PWSK_PROVIDER_DATAGRAM_DISPATCH;

typedef struct _WSK_PROVIDER_CONNECTION_DISPATCH {
    _NDKSIM_WSK_BASIC
    PFN_WSK_BIND WskBind;
    PFN_WSK_CONNECT WskConnect;
    PFN_WSK_GET_LOCAL_ADDRESS WskGetLocalAddress;
    PFN_WSK_GET_REMOTE_ADDRESS WskGetRemoteAddress;
    PFN_WSK_SEND WskSend;
    PFN_WSK_RECEIVE WskReceive;
    PFN_WSK_DISCONNECT WskDisconnect;
    PFN_WSK_RELEASE_DATA_INDICATION_LIST WskRelease;
    PFN_WSK_CONNECT_EX WskConnectEx;
    PFN_WSK_SEND_EX WskSendEx;
    PFN_WSK_RECEIVE_EX WskReceiveEx;
} WSK_PROVIDER_CONNECTION_DISPATCH, *PWSK_PROVIDER_CONNECTION_DISPATCH;

#endif
