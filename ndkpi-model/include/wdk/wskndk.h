/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a WSK client reaches an RDMA adapter: WskControlClient with the control code below, no input,
 * no IRP, and a WSK_PROVIDER_NDK_DISPATCH as output buffer.
 */
#ifndef NDKSIM_WDK_WSKNDK_H
#define NDKSIM_WDK_WSKNDK_H

#include "ifdef.h"
#include "ndkpi.h"
#include "wsk.h"

/* 'NDKD' */
#define WSKNDK_GET_WSK_PROVIDER_NDK_DISPATCH 0x4E444B44

_IRQL_requires_(PASSIVE_LEVEL) typedef NTSTATUS(NTAPI *PFN_WSK_NDK_OPEN_ADAPTER)(
    _In_ PWSK_CLIENT Client, _In_ NDK_VERSION NdkVersion, _In_ NET_IFINDEX IfIndex,
    _Outptr_ NDK_ADAPTER **ppNdkAdapter);
/* Blocks until every object of the adapter is closed. */
_IRQL_requires_(PASSIVE_LEVEL) typedef VOID(NTAPI *PFN_WSK_NDK_CLOSE_ADAPTER)(
    _In_ PWSK_CLIENT Client, _In_ NDK_ADAPTER *pNdkAdapter);

typedef struct _WSK_PROVIDER_NDK_DISPATCH {
    PFN_WSK_NDK_OPEN_ADAPTER WskOpenNdkAdapter;
    PFN_WSK_NDK_CLOSE_ADAPTER WskCloseNdkAdapter;
} WSK_PROVIDER_NDK_DISPATCH, *PWSK_PROVIDER_NDK_DISPATCH;

#endif
