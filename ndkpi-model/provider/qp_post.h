/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame of every initiator post: SqBegin takes the queue's lock and the next entry, then either
 * SqEnd gives it to the device or SqFail gives it up. Both let the lock go.
 */
#ifndef PROVIDER_QP_POST_H
#define PROVIDER_QP_POST_H

#include "qp.h"

/* What sets one of the seven requests apart. */
typedef struct _RNIC_POST_KIND {
    UCHAR Opcode;
    ULONG Flags; /* NDK_OP_FLAG_* that it may carry */
    PCSTR Short; /* fault points: of the call, and of the completion */
    PCSTR Broken;
    PCSTR Other; /* a completion with OtherStatus; NULL: none */
    NTSTATUS OtherStatus;
} RNIC_POST_KIND;

#define RNIC_POST_SHORT(function) "provider." function ".insufficient_resources"
#define RNIC_POST_BROKEN(function) "provider." function ".completion.internal_error"
#define RNIC_POST_OVERRUN(function)                                                                \
    "provider." function ".completion.data_overrun", STATUS_DATA_OVERRUN
#define RNIC_POST_REFUSED(function)                                                                \
    "provider." function ".completion.access_violation", STATUS_ACCESS_VIOLATION
#define RNIC_POST_NO_OTHER NULL, STATUS_SUCCESS
#define RNIC_POST_KIND_OF(function) RNIC_POST_SHORT(function), RNIC_POST_BROKEN(function)

typedef struct _RNIC_POST {
    PRNIC_QP Qp;
    ULONG Flags;      /* NDK_OP_FLAG_* */
    NTSTATUS Planned; /* how a fault has it complete; STATUS_SUCCESS: as it will */
    struct rnic_wqe_control *Wqe;
    KLOCK_QUEUE_HANDLE Lock;
} RNIC_POST, *PRNIC_POST;

#define RNIC_POST_FLAGS_COMMON                                                                     \
    (NDK_OP_FLAG_SILENT_SUCCESS | NDK_OP_FLAG_READ_FENCE | NDK_OP_FLAG_DEFER)

/*
 * On success the entry is cleared, its opcode and common flags set. On failure nothing is held, and
 * requests held back before have been given to the device (R-DEFER-04).
 */
NTSTATUS SqBegin(PRNIC_POST Post, PRNIC_QP Qp, ULONG Flags, const RNIC_POST_KIND *Kind);
NTSTATUS SqEnd(PRNIC_POST Post, PVOID Context);
NTSTATUS SqFail(PRNIC_POST Post, NTSTATUS Status);

/* STATUS_BUFFER_OVERFLOW when it is more than one request may move. */
NTSTATUS SglLength(PRNIC_ADAPTER Adapter, CONST NDK_SGE *pSgl, ULONG nSge, PULONG Length);
/* The array is the consumer's again once the post returns (B-11). */
VOID SglCopy(PRNIC_ADAPTER Adapter, struct rnic_sge *To, CONST NDK_SGE *pSgl, ULONG nSge);

#endif
