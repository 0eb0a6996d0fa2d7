/* SPDX-License-Identifier: Apache-2.0 */
/* The bugcheck codes that this kernel raises, by Windows' names, and what avoids them. */
#include <krn/bugcheck.h>

#include <stdlib.h>

static const struct krn_bugcheck_code codes[] = {
    {0x01, "APC_INDEX_MISMATCH",
     "a critical or guarded region was left more or less often than it was entered",
     "Leave a critical or guarded region exactly as often as it was entered, in the same thread."},
    {0x0A, "IRQL_NOT_LESS_OR_EQUAL",
     "kernel code touched bad memory at DISPATCH or above, or was called above its highest IRQL",
     "Call kernel functions at the IRQL that their pages state, and hand them memory that is there "
     "and non-paged."},
    {0x0C, "MAXIMUM_WAIT_OBJECTS_EXCEEDED", "a wait names more objects than it has wait blocks",
     "Wait for at most THREAD_WAIT_OBJECTS objects, or give as many wait blocks as there are "
     "objects."},
    {0x0F, "SPIN_LOCK_ALREADY_OWNED", "a CPU acquired a spin lock that it holds already",
     "Release a spin lock before it is acquired again; a function that needs it held says so "
     "instead of taking it."},
    {0x10, "SPIN_LOCK_NOT_OWNED", "a spin lock was released by a context that does not hold it",
     "Release a spin lock once, where it was acquired, and with the same kind of call."},
    {0x11, "THREAD_NOT_MUTEX_OWNER", "a mutex was released by a thread that does not own it",
     "Let the thread that acquired a mutex release it."},
    {0x18, "REFERENCE_BY_POINTER", "a reference was given back that nobody holds",
     "Give back each reference once, and only what was taken."},
    {0x19, "BAD_POOL_HEADER", "the bytes before or after a pool block were overwritten",
     "Write no further than the block that was allocated; the size is the one that was asked for."},
    {0x1E, "KMODE_EXCEPTION_NOT_HANDLED", "a driver raised an exception that nobody handled",
     "Check what may be wrong before it is used: nothing handles exceptions here, and a failed "
     "assertion is one."},
    {0x20, "KERNEL_APC_PENDING_DURING_EXIT",
     "a thread ended inside a critical region or while it holds a mutex",
     "Leave critical regions and release mutexes before the thread ends."},
    {0x35, "NO_MORE_IRP_STACK_LOCATIONS", "an IRP was sent on without a stack location left",
     "Allocate the IRP with a stack location for every driver that it passes."},
    {0x36, "DEVICE_REFERENCE_COUNT_NOT_ZERO", "a device was deleted while it was in use",
     "Delete a device when nothing uses it any more: no handle is open and no request is under "
     "way."},
    {0x40, "TARGET_MDL_TOO_SMALL", "a partial MDL does not fit the MDL that was given for it",
     "Allocate the target MDL for the whole range that the partial MDL is to describe."},
    {0x44, "MULTIPLE_IRP_COMPLETE_REQUESTS", "an IRP was completed twice",
     "Complete each IRP once, on exactly one of the ways that may end it."},
    {0x48, "CANCEL_STATE_IN_COMPLETED_IRP", "an IRP was completed with its cancel routine set",
     "Take the cancel routine back with IoSetCancelRoutine before the IRP is completed."},
    {0x50, "PAGE_FAULT_IN_NONPAGED_AREA", "a driver touched memory that is not there",
     "Use memory only between its allocation and its free, and check pointers that may be NULL."},
    {0x7C, "BUGCODE_NDIS_DRIVER", "a miniport broke a rule of NDIS",
     "Follow the order of NDIS: give back in MiniportHaltEx what MiniportInitializeEx took, and "
     "answer each call once."},
    {0x7E, "SYSTEM_THREAD_EXCEPTION_NOT_HANDLED", "a system thread raised an unhandled exception",
     "Use memory only between its allocation and its free, and divide by nothing that may be "
     "zero."},
    {0x7F, "UNEXPECTED_KERNEL_MODE_TRAP", "a kernel stack overflowed, or a divide error",
     "Keep large buffers in pool and recursion bounded: a kernel stack is small."},
    {0x96, "INVALID_WORK_QUEUE_ITEM", "a work item was queued while it was queued",
     "Queue a work item again only when its routine has begun."},
    {0x81, "SPIN_LOCK_INIT_FAILURE", "a spin lock was used that nobody initialised",
     "Call KeInitializeSpinLock before the first use of a lock."},
    {0xB8, "ATTEMPTED_SWITCH_FROM_DPC", "a DPC routine waited",
     "Wait in threads and work items only; a DPC hands over what has to wait."},
    {0xBE, "ATTEMPTED_WRITE_TO_READONLY_MEMORY", "a driver wrote to read-only memory",
     "Write to no constant data and to no code."},
    {0xBF, "MUTEX_ALREADY_OWNED", "a fast mutex was acquired by the thread that owns it",
     "Release a fast mutex before the same thread acquires it again."},
    {0xC1, "SPECIAL_POOL_DETECTED_MEMORY_CORRUPTION",
     "a special pool block was overwritten past its bounds",
     "Write no further than the block that was allocated."},
    {0xC2, "BAD_POOL_CALLER", "a pool call with a bad pointer, size, tag or IRQL",
     "Free what the pool gave, once, with its tag, at an IRQL that its kind allows."},
    {0xC3, "DRIVER_INVALID_STACK_ACCESS", "a driver used a stack frame that is gone",
     "Keep what others use later in pool, or wait until they are done with it before the function "
     "returns."},
    {0xC4, "DRIVER_VERIFIER_DETECTED_VIOLATION", "a kernel call broke one of its rules",
     "Call the function as its page says: parameters, IRQL, order."},
    {0xC6, "DRIVER_CAUGHT_MODIFYING_FREED_POOL", "freed pool was written to",
     "Take back every pointer to a block before it is freed; --pool special stops at the line "
     "that writes."},
    {0xC7, "TIMER_OR_DPC_INVALID", "memory was freed or left with a live timer or DPC in it",
     "Cancel timers and flush DPCs before their memory is freed."},
    {0xC8, "IRQL_UNEXPECTED_VALUE", "a routine returned at another IRQL than it was called at",
     "Return at the IRQL of the call; what raises it lowers it on every path."},
    {0xC9, "DRIVER_VERIFIER_IOMANAGER_VIOLATION", "an IRP was mishandled",
     "Complete or forward each IRP once, with a final status, and do not touch it afterwards."},
    {0xCB, "DRIVER_LEFT_LOCKED_PAGES_IN_PROCESS", "a driver left pages locked",
     "Unlock every MDL that was locked, on the failure paths, too."},
    {0xCE, "DRIVER_UNLOADED_WITHOUT_CANCELLING_PENDING_OPERATIONS",
     "a driver was unloaded and something still called it, or would have",
     "Before DriverUnload returns, cancel timers, flush DPCs, wait for work items and threads, and "
     "for all callbacks."},
    {0xD1, "DRIVER_IRQL_NOT_LESS_OR_EQUAL",
     "a driver touched bad or pageable memory at DISPATCH or above",
     "Use memory at DISPATCH_LEVEL only while it is allocated, and only non-paged memory."},
    {0xD5, "DRIVER_PAGE_FAULT_IN_FREED_SPECIAL_POOL", "a driver touched freed pool",
     "Free a block when nobody uses it any more: take back pointers, cancel what is pending, wait "
     "for callbacks."},
    {0xD6, "DRIVER_PAGE_FAULT_BEYOND_END_OF_ALLOCATION", "a driver touched pool past its end",
     "Use no more than the bytes that were allocated."},
    {0xE3, "RESOURCE_NOT_OWNED", "a mutex or resource was released by a thread without it",
     "Let the thread that acquired it release it."},
    {0xE6, "DRIVER_VERIFIER_DMA_VIOLATION",
     "a device moved data to or from memory that is not for it",
     "Let the device have memory only while it is allocated and mapped for it, and take it back "
     "before the free."},
    {0xF7, "DRIVER_OVERRAN_STACK_BUFFER",
     "a function wrote past its variables, up to its return address",
     "Stay inside of each array; a length that comes from elsewhere is compared before it is "
     "used."},
    {0xFC, "ATTEMPTED_EXECUTE_OF_NOEXECUTE_MEMORY", "a call went to memory that is no code",
     "Call through pointers that hold a function's address, and not after the memory that holds "
     "them was freed."},
    {0x1F2, "KASAN_ILLEGAL_ACCESS", "a driver touched bytes that no variable of it has",
     "Stay inside of each array and variable, and use those of a function only until it returns."},
    {0x133, "DPC_WATCHDOG_VIOLATION", "a DPC routine ran too long",
     "Do a bounded amount of work in a DPC and queue it again, or go on in a work item."},
};

/* All that Windows has; a driver may ask for any of them. */
#define KRN_BUGCHECK_NAME(name, value) {value, #name},
static const struct {
    uint32_t code;
    const char *name;
} names[] = {
#include "bugcheck_names.inc"
};

const char *krn_bugcheck_name(uint32_t code) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(names); i++) {
        if (names[i].code == code) {
            return names[i].name;
        }
    }
    return "";
}

const char *krn_bugcheck_meaning(const struct sim_finding *finding) {
    const struct krn_bugcheck_code *known;

    if (finding->verdict != SIM_VERDICT_BUGCHECK) {
        return "";
    }
    known = krn_bugcheck_code_find((uint32_t)strtoul(finding->id, NULL, 16));
    return known != NULL ? known->about : "the driver stopped the machine by this code of its own";
}

const struct krn_bugcheck_code *krn_bugcheck_code_at(size_t index) {
    return index < SIM_ARRAY_COUNT(codes) ? &codes[index] : NULL;
}

const struct krn_bugcheck_code *krn_bugcheck_code_find(uint32_t code) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(codes); i++) {
        if (codes[i].code == code) {
            return &codes[i];
        }
    }
    return NULL;
}
