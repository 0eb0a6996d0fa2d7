/* SPDX-License-Identifier: Apache-2.0 */
/* The bugcheck codes that this kernel raises, by Windows' names. */
#include <krn/bugcheck.h>

static const struct krn_bugcheck_code codes[] = {
    {0x01, "APC_INDEX_MISMATCH",
     "a critical or guarded region was left more or less often than "
     "it was entered"},
    {0x0A, "IRQL_NOT_LESS_OR_EQUAL",
     "kernel code touched bad memory at DISPATCH or above, or was called above its highest IRQL"},
    {0x0C, "MAXIMUM_WAIT_OBJECTS_EXCEEDED", "a wait names more objects than it has wait blocks"},
    {0x0F, "SPIN_LOCK_ALREADY_OWNED", "a CPU acquired a spin lock that it holds already"},
    {0x10, "SPIN_LOCK_NOT_OWNED", "a spin lock was released by a context that does not hold it"},
    {0x11, "THREAD_NOT_MUTEX_OWNER", "a mutex was released by a thread that does not own it"},
    {0x18, "REFERENCE_BY_POINTER", "a reference was given back that nobody holds"},
    {0x19, "BAD_POOL_HEADER", "the bytes before or after a pool block were overwritten"},
    {0x1E, "KMODE_EXCEPTION_NOT_HANDLED", "a driver raised an exception that nobody handled"},
    {0x20, "KERNEL_APC_PENDING_DURING_EXIT",
     "a thread ended inside a critical region or while it holds a mutex"},
    {0x35, "NO_MORE_IRP_STACK_LOCATIONS", "an IRP was sent on without a stack location left"},
    {0x36, "DEVICE_REFERENCE_COUNT_NOT_ZERO", "a device was deleted while it was in use"},
    {0x40, "TARGET_MDL_TOO_SMALL", "a partial MDL does not fit the MDL that was given for it"},
    {0x44, "MULTIPLE_IRP_COMPLETE_REQUESTS", "an IRP was completed twice"},
    {0x48, "CANCEL_STATE_IN_COMPLETED_IRP", "an IRP was completed with its cancel routine set"},
    {0x50, "PAGE_FAULT_IN_NONPAGED_AREA", "a driver touched memory that is not there"},
    {0x7C, "BUGCODE_NDIS_DRIVER", "a miniport broke a rule of NDIS"},
    {0x7E, "SYSTEM_THREAD_EXCEPTION_NOT_HANDLED", "a system thread raised an unhandled exception"},
    {0x7F, "UNEXPECTED_KERNEL_MODE_TRAP", "a kernel stack overflowed, or a divide error"},
    {0x96, "INVALID_WORK_QUEUE_ITEM", "a work item was queued while it was queued"},
    {0x81, "SPIN_LOCK_INIT_FAILURE", "a spin lock was used that nobody initialised"},
    {0xB8, "ATTEMPTED_SWITCH_FROM_DPC", "a DPC routine waited"},
    {0xBE, "ATTEMPTED_WRITE_TO_READONLY_MEMORY", "a driver wrote to read-only memory"},
    {0xBF, "MUTEX_ALREADY_OWNED", "a fast mutex was acquired by the thread that owns it"},
    {0xC1, "SPECIAL_POOL_DETECTED_MEMORY_CORRUPTION",
     "a special pool block was overwritten past its bounds"},
    {0xC2, "BAD_POOL_CALLER", "a pool call with a bad pointer, size, tag or IRQL"},
    {0xC3, "DRIVER_INVALID_STACK_ACCESS", "a driver used a stack frame that is gone"},
    {0xC4, "DRIVER_VERIFIER_DETECTED_VIOLATION", "a kernel call broke one of its rules"},
    {0xC6, "DRIVER_CAUGHT_MODIFYING_FREED_POOL", "freed pool was written to"},
    {0xC7, "TIMER_OR_DPC_INVALID", "memory was freed or left with a live timer or DPC in it"},
    {0xC8, "IRQL_UNEXPECTED_VALUE", "a routine returned at another IRQL than it was called at"},
    {0xC9, "DRIVER_VERIFIER_IOMANAGER_VIOLATION", "an IRP was mishandled"},
    {0xCB, "DRIVER_LEFT_LOCKED_PAGES_IN_PROCESS", "a driver left pages locked"},
    {0xCE, "DRIVER_UNLOADED_WITHOUT_CANCELLING_PENDING_OPERATIONS",
     "a driver was unloaded and something still called it, or would have"},
    {0xD1, "DRIVER_IRQL_NOT_LESS_OR_EQUAL",
     "a driver touched bad or pageable memory at DISPATCH or above"},
    {0xD5, "DRIVER_PAGE_FAULT_IN_FREED_SPECIAL_POOL", "a driver touched freed pool"},
    {0xD6, "DRIVER_PAGE_FAULT_BEYOND_END_OF_ALLOCATION", "a driver touched pool past its end"},
    {0xE3, "RESOURCE_NOT_OWNED", "a mutex or resource was released by a thread without it"},
    {0xE6, "DRIVER_VERIFIER_DMA_VIOLATION",
     "a device moved data to or from memory that is not for it"},
    {0xFC, "ATTEMPTED_EXECUTE_OF_NOEXECUTE_MEMORY", "a call went to memory that is no code"},
    {0x133, "DPC_WATCHDOG_VIOLATION", "a DPC routine ran too long"},
};

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
