/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A provider of plain C tables: every function notes its arguments and answers what the test set.
 * A test plays the rest of the provider itself: it calls the noted completion with the noted
 * context, when and as often as it likes.
 */
#ifndef FAKE_PROVIDER_H
#define FAKE_PROVIDER_H

#include <ndkpi.h>
#include <ntstatus.h>

#include <sim/base.h>

#define FAKE_ARGUMENTS 14u
#define FAKE_RESULTS 8u

struct fake_provider {
    /* What the last call was. */
    const char *slot;
    uint64_t argument[FAKE_ARGUMENTS];
    uint32_t argument_count;
    uint32_t call_count;
    /* What the functions answer. */
    NTSTATUS status;
    ULONG value;
    void *object;         /* a create's; NULL: the standing one of its type */
    void (*inside)(void); /* runs inside the call, after the note was taken */
    NDK_RESULT_EX results[FAKE_RESULTS];
    ULONG result_count;
    /* One standing object of each type. */
    NDK_ADAPTER adapter;
    NDK_CONNECTOR connector;
    NDK_CQ cq;
    NDK_LISTENER listener;
    NDK_MR mr;
    NDK_MW mw;
    NDK_PD pd;
    NDK_QP qp;
    NDK_SHARED_ENDPOINT endpoint;
    NDK_SRQ srq;
};

extern struct fake_provider fake;

/* Everything to the beginning; objects with the provider's own tables. */
void fake_reset(void);
/* Makes an object of a type in the memory at `object`, which must hold an NDK_CQ. */
void fake_object(void *object, NDK_OBJECT_TYPE type);
/* Queues a result for the next polls; contexts as the provider got them. */
void fake_result(NTSTATUS status, void *qp_context, void *request_context);

#define FAKE_POINTER(index) ((void *)(uintptr_t)fake.argument[index])

#endif
