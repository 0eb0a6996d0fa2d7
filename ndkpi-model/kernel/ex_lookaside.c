/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lookaside lists. Nothing is cached: an entry that is freed goes back to pool at once, so that its
 * use after the free is seen. A list must be deleted before its memory or its driver goes.
 */
#include <ntddk.h>

#include "call_error.h"
#include "pool.h"
#include "record.h"

static void initialize(const struct krn_call *call, const void *list, size_t bytes) {
    struct krn_record *record = krn_record_make(call, list, bytes, KRN_KIND_LOOKASIDE);

    krn_call_point(call, &record->object, SIM_ACCESS_CREATE);
}

static void list_end(const struct krn_call *call, const void *list) {
    struct krn_record *record = krn_record_use(call, list, KRN_KIND_LOOKASIDE);

    krn_call_point(call, &record->object, SIM_ACCESS_CLOSE);
    krn_record_end(krn_record_use(call, list, KRN_KIND_LOOKASIDE));
}

static void fill(PGENERAL_LOOKASIDE list, PALLOCATE_FUNCTION allocate, PFREE_FUNCTION release,
                 POOL_TYPE type, SIZE_T size, ULONG tag) {
    RtlZeroMemory(list, sizeof(*list));
    list->Allocate = allocate;
    list->Free = release;
    list->Type = type;
    list->Size = (ULONG)size;
    list->Tag = tag;
}

static PVOID take(const struct krn_call *call, PGENERAL_LOOKASIDE list) {
    struct krn_record *record = krn_record_use(call, list, KRN_KIND_LOOKASIDE);

    krn_call_point(call, &record->object, SIM_ACCESS_WRITE);
    list->TotalAllocates++;
    if (list->Allocate != NULL) {
        return list->Allocate(list->Type, list->Size, list->Tag);
    }
    return krn_pool_allocate(call, (uint32_t)list->Type, list->Size, list->Tag);
}

static void give(const struct krn_call *call, PGENERAL_LOOKASIDE list, PVOID entry) {
    struct krn_record *record = krn_record_use(call, list, KRN_KIND_LOOKASIDE);

    krn_call_point(call, &record->object, SIM_ACCESS_WRITE);
    list->TotalFrees++;
    if (list->Free != NULL) {
        list->Free(entry);
    } else {
        krn_pool_free(call, entry, list->Tag);
    }
}

VOID NTAPI ExInitializeNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside,
                                           PALLOCATE_FUNCTION Allocate, PFREE_FUNCTION Free,
                                           ULONG Flags, SIZE_T Size, ULONG Tag, USHORT Depth) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(Flags);
    UNREFERENCED_PARAMETER(Depth);
    initialize(&call, Lookaside, sizeof(*Lookaside));
    fill(&Lookaside->L, Allocate, Free, NonPagedPoolNx, Size, Tag);
}

VOID NTAPI ExDeleteNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside) {
    KRN_CALL(DISPATCH_LEVEL);
    list_end(&call, Lookaside);
}

PVOID NTAPI ExAllocateFromNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside) {
    KRN_CALL(DISPATCH_LEVEL);
    return take(&call, &Lookaside->L);
}

VOID NTAPI ExFreeToNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside, PVOID Entry) {
    KRN_CALL(DISPATCH_LEVEL);
    give(&call, &Lookaside->L, Entry);
}

VOID NTAPI ExInitializePagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside,
                                          PALLOCATE_FUNCTION Allocate, PFREE_FUNCTION Free,
                                          ULONG Flags, SIZE_T Size, ULONG Tag, USHORT Depth) {
    KRN_CALL(APC_LEVEL);
    UNREFERENCED_PARAMETER(Flags);
    UNREFERENCED_PARAMETER(Depth);
    initialize(&call, Lookaside, sizeof(*Lookaside));
    fill(&Lookaside->L, Allocate, Free, PagedPool, Size, Tag);
}

VOID NTAPI ExDeletePagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside) {
    KRN_CALL(APC_LEVEL);
    list_end(&call, Lookaside);
}

PVOID NTAPI ExAllocateFromPagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside) {
    KRN_CALL(APC_LEVEL);
    return take(&call, &Lookaside->L);
}

VOID NTAPI ExFreeToPagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside, PVOID Entry) {
    KRN_CALL(APC_LEVEL);
    give(&call, &Lookaside->L, Entry);
}

NTSTATUS NTAPI ExInitializeLookasideListEx(PLOOKASIDE_LIST_EX Lookaside,
                                           PALLOCATE_FUNCTION_EX Allocate, PFREE_FUNCTION_EX Free,
                                           POOL_TYPE PoolType, ULONG Flags, SIZE_T Size, ULONG Tag,
                                           USHORT Depth) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(Depth);
    if ((Flags & EX_LOOKASIDE_LIST_EX_FLAGS_RAISE_ON_FAIL) != 0 &&
        (Flags & EX_LOOKASIDE_LIST_EX_FLAGS_FAIL_NO_RAISE) != 0) {
        return STATUS_INVALID_PARAMETER_5;
    }
    initialize(&call, Lookaside, sizeof(*Lookaside));
    RtlZeroMemory(Lookaside, sizeof(*Lookaside));
    Lookaside->L.AllocateEx = Allocate;
    Lookaside->L.FreeEx = Free;
    Lookaside->L.Type = PoolType;
    Lookaside->L.Size = (ULONG)Size;
    Lookaside->L.Tag = Tag;
    return STATUS_SUCCESS;
}

VOID NTAPI ExDeleteLookasideListEx(PLOOKASIDE_LIST_EX Lookaside) {
    KRN_CALL(DISPATCH_LEVEL);
    list_end(&call, Lookaside);
}

VOID NTAPI ExFlushLookasideListEx(PLOOKASIDE_LIST_EX Lookaside) {
    KRN_CALL(DISPATCH_LEVEL);
    krn_call_point(&call, &krn_record_use(&call, Lookaside, KRN_KIND_LOOKASIDE)->object,
                   SIM_ACCESS_WRITE);
}

PVOID NTAPI ExAllocateFromLookasideListEx(PLOOKASIDE_LIST_EX Lookaside) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_record *record = krn_record_use(&call, Lookaside, KRN_KIND_LOOKASIDE);

    krn_call_point(&call, &record->object, SIM_ACCESS_WRITE);
    Lookaside->L.TotalAllocates++;
    if (Lookaside->L.AllocateEx != NULL) {
        return Lookaside->L.AllocateEx(Lookaside->L.Type, Lookaside->L.Size, Lookaside->L.Tag,
                                       Lookaside);
    }
    return krn_pool_allocate(&call, (uint32_t)Lookaside->L.Type, Lookaside->L.Size,
                             Lookaside->L.Tag);
}

VOID NTAPI ExFreeToLookasideListEx(PLOOKASIDE_LIST_EX Lookaside, PVOID Entry) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_record *record = krn_record_use(&call, Lookaside, KRN_KIND_LOOKASIDE);

    krn_call_point(&call, &record->object, SIM_ACCESS_WRITE);
    Lookaside->L.TotalFrees++;
    if (Lookaside->L.FreeEx != NULL) {
        Lookaside->L.FreeEx(Entry, Lookaside);
    } else {
        krn_pool_free(&call, Entry, Lookaside->L.Tag);
    }
}
