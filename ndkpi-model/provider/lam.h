/* SPDX-License-Identifier: Apache-2.0 */
/* Logical address mappings: page addresses as the device sees them. */
#ifndef PROVIDER_LAM_H
#define PROVIDER_LAM_H

#include "common.h"

NTSTATUS NdkBuildLam(NDK_ADAPTER *pNdkAdapter, MDL *Mdl, SIZE_T Length,
                     NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext,
                     NDK_LOGICAL_ADDRESS_MAPPING *pNdkLAM, ULONG *pLAMSize, ULONG *pFBO);
VOID NdkReleaseLam(NDK_ADAPTER *pNdkAdapter, NDK_LOGICAL_ADDRESS_MAPPING *pNdkLAM);

#endif
