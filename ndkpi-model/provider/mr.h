/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory regions. Register MR and fast-register MR are different kinds from birth.
 *
 *   normal:         Idle --register--> Changing --> Registered --deregister--> Changing --> Idle
 *
 * While messages move through the region, a deregistration asks the device again and again, less
 * and less often: none begins any more, and those that are under way end (F-14).
 *
 *   fast-register:  Idle --initialise--> Ready (again: the last completed call rules)
 */
#ifndef PROVIDER_MR_H
#define PROVIDER_MR_H

#include "command.h"
#include "dma.h"
#include "object.h"

typedef enum _RNIC_MR_STATE {
    MrIdle,
    MrChanging,
    MrRegistered,
    MrReady,
    MrStateCount
} RNIC_MR_STATE;

struct _RNIC_MR {
    RNIC_OBJECT Object;
    PRNIC_PD Pd;
    BOOLEAN FastRegister;
    BOOLEAN Counted;
    volatile LONG State; /* RNIC_MR_STATE */
    volatile ULONG Key;  /* RNIC_KEY_NONE: no token to give */
    ULONG PageCountMax;  /* of a fast-register MR */
    BOOLEAN RemoteAccess;
    ULONG_PTR Base; /* of a registered MR */
    SIZE_T Length;
    ULONG Rights;   /* RNIC_RIGHT_* */
    RNIC_DMA Lists; /* these two while a registration is under way */
    struct rnic_pages Pages;
    RNIC_COMMAND Command;
    struct _RNIC_MR_DRAIN *Drain; /* made when a deregistration first has to wait */
    ULONG DrainUs;
};

#define RNIC_MR_REMOTE_WRITE_BIT 0x4u /* of NDK_MR_FLAG_ALLOW_REMOTE_WRITE */

/* mr.c */
NTSTATUS NdkCreateMr(NDK_PD *pNdkPd, BOOLEAN FastRegister,
                     NDK_FN_CREATE_COMPLETION CreateCompletion, PVOID RequestContext,
                     NDK_MR **ppNdkMr);

static inline PRNIC_MR MrOf(NDK_MR *pNdkMr) {
    return CONTAINING_RECORD(pNdkMr, RNIC_MR, Object.Ndk.Mr);
}

/* mr_register.c */
NTSTATUS NdkRegisterMr(NDK_MR *pNdkMr, MDL *Mdl, SIZE_T Length, ULONG Flags,
                       NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext);
NTSTATUS NdkDeregisterMr(NDK_MR *pNdkMr, NDK_FN_REQUEST_COMPLETION RequestCompletion,
                         PVOID RequestContext);
NTSTATUS NdkInitializeFastRegisterMr(NDK_MR *pNdkMr, ULONG AdapterPageCount, BOOLEAN RemoteAccess,
                                     NDK_FN_REQUEST_COMPLETION RequestCompletion,
                                     PVOID RequestContext);

/* mdl.c: the pages of the first Length bytes of a chain, which must be one virtual range. */
ULONG MdlPageCount(MDL *Mdl, SIZE_T Length);
/*
 * STATUS_INVALID_PARAMETER: not contiguous, or shorter than Length. Fills MdlPageCount entries;
 * with `Addresses` NULL it only looks.
 */
NTSTATUS MdlPages(MDL *Mdl, SIZE_T Length, ULONG64 *Addresses);

#endif
