/* SPDX-License-Identifier: Apache-2.0 */
/* Protection domains. */
#ifndef PROVIDER_PD_H
#define PROVIDER_PD_H

#include "command.h"
#include "object.h"

struct _RNIC_PD {
    RNIC_OBJECT Object;
    PRNIC_OPEN Open;
    ULONG Pdn;
    ULONG PrivilegedKey;
    BOOLEAN Created;
    BOOLEAN Counted;
    RNIC_COMMAND Command;
};

extern const NDK_PD_DISPATCH PdDispatch;
NTSTATUS NdkCreatePd(NDK_ADAPTER *pNdkAdapter, NDK_FN_CREATE_COMPLETION CreateCompletion,
                     PVOID RequestContext, NDK_PD **ppNdkPd);

static inline PRNIC_PD PdOf(NDK_PD *pNdkPd) {
    return CONTAINING_RECORD(pNdkPd, RNIC_PD, Object.Ndk.Pd);
}

#endif
