/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cancel-safe queues. The list and its lock are the driver's; here it is settled who has an IRP:
 * whoever takes its cancel routine away (under the driver's lock) takes it out, and a cancellation
 * that came first takes it out itself. DriverContext[3] of a queued IRP names the queue, or the
 * context that it was inserted with.
 */
#include <ntddk.h>

#include <krn/bugcheck.h>

#include "call_error.h"
#include "irp.h"
#include "pool.h"

#define QUEUED_BY(irp) ((irp)->Tail.Overlay.DriverContext[3])

static void check(const struct krn_call *call, PIO_CSQ csq) {
    krn_check_memory(call, csq, sizeof(*csq), "cancel-safe queue");
    if (csq->Type != IO_TYPE_CSQ && csq->Type != IO_TYPE_CSQ_EX) {
        krn_call_error(call, 0xC4, 0xE3, csq->Type, "the queue was not initialised");
    }
}

static KIRQL lock(const struct krn_call *call, PIO_CSQ csq) {
    KIRQL level = PASSIVE_LEVEL;

    krn_routine_check(call->world, (const void *)csq->CsqAcquireLock, "CsqAcquireLock");
    csq->CsqAcquireLock(csq, &level);
    return level;
}

static void unlock(const struct krn_call *call, PIO_CSQ csq, KIRQL level) {
    krn_routine_check(call->world, (const void *)csq->CsqReleaseLock, "CsqReleaseLock");
    csq->CsqReleaseLock(csq, level);
}

static void take_out(const struct krn_call *call, PIO_CSQ csq, PIRP irp) {
    krn_routine_check(call->world, (const void *)csq->CsqRemoveIrp, "CsqRemoveIrp");
    csq->CsqRemoveIrp(csq, irp);
}

static void complete(const struct krn_call *call, PIO_CSQ csq, PIRP irp) {
    krn_routine_check(call->world, (const void *)csq->CsqCompleteCanceledIrp,
                      "CsqCompleteCanceledIrp");
    csq->CsqCompleteCanceledIrp(csq, irp);
}

/* The IRP is in no queue any more. */
static void forget(PIRP irp) {
    PIO_CSQ_IRP_CONTEXT context = QUEUED_BY(irp);

    if (context->Type == IO_TYPE_CSQ_IRP_CONTEXT) {
        context->Irp = NULL;
    }
    QUEUED_BY(irp) = NULL;
}

static VOID cancel_queued(PDEVICE_OBJECT device, PIRP irp) {
    struct krn_call call;
    PIO_CSQ_IRP_CONTEXT context;
    PIO_CSQ csq;
    KIRQL level;

    UNREFERENCED_PARAMETER(device);
    IoReleaseCancelSpinLock(irp->CancelIrql);
    krn_call_begin(&call, "the cancel routine of a cancel-safe queue", DISPATCH_LEVEL, NULL);
    context = QUEUED_BY(irp);
    csq = context->Type == IO_TYPE_CSQ_IRP_CONTEXT ? context->Csq : QUEUED_BY(irp);
    level = lock(&call, csq);
    take_out(&call, csq, irp);
    forget(irp);
    unlock(&call, csq, level);
    complete(&call, csq, irp);
}

static NTSTATUS initialize(const struct krn_call *call, PIO_CSQ csq, const IO_CSQ *as) {
    krn_check_memory(call, csq, sizeof(*csq), "cancel-safe queue");
    if (as->CsqInsertIrp == NULL || as->CsqRemoveIrp == NULL || as->CsqPeekNextIrp == NULL ||
        as->CsqAcquireLock == NULL || as->CsqReleaseLock == NULL ||
        as->CsqCompleteCanceledIrp == NULL) {
        krn_call_error(call, 0xC4, 0xE3, 0, "a routine of the queue is NULL");
    }
    *csq = *as;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI IoCsqInitialize(PIO_CSQ Csq, PIO_CSQ_INSERT_IRP CsqInsertIrp,
                               PIO_CSQ_REMOVE_IRP CsqRemoveIrp,
                               PIO_CSQ_PEEK_NEXT_IRP CsqPeekNextIrp,
                               PIO_CSQ_ACQUIRE_LOCK CsqAcquireLock,
                               PIO_CSQ_RELEASE_LOCK CsqReleaseLock,
                               PIO_CSQ_COMPLETE_CANCELED_IRP CsqCompleteCanceledIrp) {
    KRN_CALL(DISPATCH_LEVEL);
    const IO_CSQ as = {.Type = IO_TYPE_CSQ,
                       .CsqInsertIrp = CsqInsertIrp,
                       .CsqRemoveIrp = CsqRemoveIrp,
                       .CsqPeekNextIrp = CsqPeekNextIrp,
                       .CsqAcquireLock = CsqAcquireLock,
                       .CsqReleaseLock = CsqReleaseLock,
                       .CsqCompleteCanceledIrp = CsqCompleteCanceledIrp};

    return initialize(&call, Csq, &as);
}

NTSTATUS NTAPI IoCsqInitializeEx(PIO_CSQ Csq, PIO_CSQ_INSERT_IRP_EX CsqInsertIrp,
                                 PIO_CSQ_REMOVE_IRP CsqRemoveIrp,
                                 PIO_CSQ_PEEK_NEXT_IRP CsqPeekNextIrp,
                                 PIO_CSQ_ACQUIRE_LOCK CsqAcquireLock,
                                 PIO_CSQ_RELEASE_LOCK CsqReleaseLock,
                                 PIO_CSQ_COMPLETE_CANCELED_IRP CsqCompleteCanceledIrp) {
    KRN_CALL(DISPATCH_LEVEL);
    const IO_CSQ as = {.Type = IO_TYPE_CSQ_EX,
                       .CsqInsertIrp = (PIO_CSQ_INSERT_IRP)(ULONG_PTR)CsqInsertIrp,
                       .CsqRemoveIrp = CsqRemoveIrp,
                       .CsqPeekNextIrp = CsqPeekNextIrp,
                       .CsqAcquireLock = CsqAcquireLock,
                       .CsqReleaseLock = CsqReleaseLock,
                       .CsqCompleteCanceledIrp = CsqCompleteCanceledIrp};

    return initialize(&call, Csq, &as);
}

/* The driver's insert routine, of either kind. */
static NTSTATUS put_in(const struct krn_call *call, PIO_CSQ csq, PIRP irp, PVOID insert_context) {
    krn_routine_check(call->world, (const void *)csq->CsqInsertIrp, "CsqInsertIrp");
    if (csq->Type == IO_TYPE_CSQ_EX) {
        return ((PIO_CSQ_INSERT_IRP_EX)(ULONG_PTR)csq->CsqInsertIrp)(csq, irp, insert_context);
    }
    csq->CsqInsertIrp(csq, irp);
    return STATUS_SUCCESS;
}

static NTSTATUS insert(const struct krn_call *call, PIO_CSQ csq, PIRP irp,
                       PIO_CSQ_IRP_CONTEXT context, PVOID insert_context) {
    NTSTATUS status;
    KIRQL level;

    check(call, csq);
    (void)krn_irp_use(call, irp);
    if (context != NULL) {
        krn_check_memory(call, context, sizeof(*context), "IRP context");
        context->Type = IO_TYPE_CSQ_IRP_CONTEXT;
        context->Irp = irp;
        context->Csq = csq;
    }
    level = lock(call, csq);
    QUEUED_BY(irp) = context != NULL ? (PVOID)context : (PVOID)csq;
    status = put_in(call, csq, irp, insert_context);
    if (!NT_SUCCESS(status)) {
        forget(irp);
        unlock(call, csq, level);
        return status;
    }
    IoMarkIrpPending(irp);
    (void)IoSetCancelRoutine(irp, cancel_queued);
    /* Cancelled before the routine was there: nobody called it, so the IRP is ours. */
    if (irp->Cancel && IoSetCancelRoutine(irp, NULL) != NULL) {
        take_out(call, csq, irp);
        forget(irp);
        unlock(call, csq, level);
        complete(call, csq, irp);
        return status;
    }
    unlock(call, csq, level);
    return status;
}

VOID NTAPI IoCsqInsertIrp(PIO_CSQ Csq, PIRP Irp, PIO_CSQ_IRP_CONTEXT Context) {
    KRN_CALL(DISPATCH_LEVEL);
    (void)insert(&call, Csq, Irp, Context, NULL);
}

NTSTATUS NTAPI IoCsqInsertIrpEx(PIO_CSQ Csq, PIRP Irp, PIO_CSQ_IRP_CONTEXT Context,
                                PVOID InsertContext) {
    KRN_CALL(DISPATCH_LEVEL);
    return insert(&call, Csq, Irp, Context, InsertContext);
}

static PIRP peek(const struct krn_call *call, PIO_CSQ csq, PIRP after, PVOID context) {
    krn_routine_check(call->world, (const void *)csq->CsqPeekNextIrp, "CsqPeekNextIrp");
    return csq->CsqPeekNextIrp(csq, after, context);
}

PIRP NTAPI IoCsqRemoveNextIrp(PIO_CSQ Csq, PVOID PeekContext) {
    KRN_CALL(DISPATCH_LEVEL);
    KIRQL level;
    PIRP irp;

    check(&call, Csq);
    level = lock(&call, Csq);
    irp = peek(&call, Csq, NULL, PeekContext);
    /* Whose cancel routine is gone is being cancelled: it waits for the lock. */
    while (irp != NULL && IoSetCancelRoutine(irp, NULL) == NULL) {
        irp = peek(&call, Csq, irp, PeekContext);
    }
    if (irp != NULL) {
        take_out(&call, Csq, irp);
        forget(irp);
    }
    unlock(&call, Csq, level);
    return irp;
}

PIRP NTAPI IoCsqRemoveIrp(PIO_CSQ Csq, PIO_CSQ_IRP_CONTEXT Context) {
    KRN_CALL(DISPATCH_LEVEL);
    PIRP irp;
    KIRQL level;

    check(&call, Csq);
    krn_check_memory(&call, Context, sizeof(*Context), "IRP context");
    if (Context->Type != IO_TYPE_CSQ_IRP_CONTEXT || Context->Csq != Csq) {
        krn_call_error(&call, 0xC4, 0xE3, 0, "the IRP context is not of this queue");
    }
    level = lock(&call, Csq);
    irp = Context->Irp;
    if (irp != NULL && IoSetCancelRoutine(irp, NULL) == NULL) {
        irp = NULL;
    }
    if (irp != NULL) {
        take_out(&call, Csq, irp);
        forget(irp);
    }
    unlock(&call, Csq, level);
    return irp;
}
