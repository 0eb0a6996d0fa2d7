/* SPDX-License-Identifier: Apache-2.0 */
/* What the provider's files share. */
#ifndef PROVIDER_H
#define PROVIDER_H

#include <ndis.h>
#include <ndisndk.h>

#include "hal.h"

#define PROVIDER_TAG 'vorP'

typedef struct _PROVIDER {
    NDIS_HANDLE Handle;
    BOOLEAN NdkEnabled;
    ULONG FrameBytes; /* of the payload, for the QPs to come */
    HAL Hal;
    NDK_ADAPTER_INFO Info;
} PROVIDER, *PPROVIDER;

/* An opened NDK adapter. Count: it and each object made through it; the last sets Closed. */
typedef struct _OPENED {
    NDK_ADAPTER Ndk;
    PPROVIDER Provider;
    LONG Count;
    KEVENT Closed;
} OPENED, *POPENED;

/* miniport.c */
extern PDRIVER_OBJECT DriverObjectOfProvider;

/* keywords.c: fills NdkEnabled and FrameBytes */
NDIS_STATUS KeywordsRead(PPROVIDER Provider);

/* adapter.c */
NDIS_STATUS AdapterOpen(NDIS_HANDLE Context, NDIS_OPEN_NDK_ADAPTER_PARAMETERS *Parameters,
                        NDK_ADAPTER **ppNdkAdapter);
VOID AdapterClose(NDIS_HANDLE Context, NDK_ADAPTER *pNdkAdapter);
VOID AdapterFillInfo(PPROVIDER Provider);
VOID OpenedPut(POPENED Opened);
NTSTATUS NoExtension(NDK_OBJECT_HEADER *pNdkObject, GUID *Id, NDK_VERSION Version,
                     NDK_EXTENSION_INTERFACE *pInterface);

/* cq.c */
NTSTATUS CqCreate(NDK_ADAPTER *pNdkAdapter, ULONG CqDepth,
                  NDK_FN_CQ_NOTIFICATION_CALLBACK CqNotification, PVOID CqNotificationContext,
                  GROUP_AFFINITY *Affinity, NDK_FN_CREATE_COMPLETION CreateCompletion,
                  PVOID RequestContext, NDK_CQ **ppNdkCq);

#endif
