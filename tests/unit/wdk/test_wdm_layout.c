/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout of kernel structures that a driver allocates, embeds or reads: that of x64 Windows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ndis.h"
#include "netioapi.h"
#include "wsk.h"

#define OFFSET_IS(type, member, offset)                                                            \
    _Static_assert(offsetof(type, member) == (offset), #type "." #member)
#define SIZE_IS(type, size) _Static_assert(sizeof(type) == (size), "size of " #type)

static void dispatcher_objects_have_windows_layout(void **state) {
    (void)state;
    SIZE_IS(DISPATCHER_HEADER, 24);
    OFFSET_IS(DISPATCHER_HEADER, SignalState, 4);
    OFFSET_IS(DISPATCHER_HEADER, WaitListHead, 8);
    SIZE_IS(KEVENT, 24);
    SIZE_IS(KSEMAPHORE, 32);
    OFFSET_IS(KSEMAPHORE, Limit, 24);
    SIZE_IS(KMUTEX, 56);
    OFFSET_IS(KMUTEX, OwnerThread, 40);
    SIZE_IS(KTIMER, 64);
    OFFSET_IS(KTIMER, DueTime, 24);
    OFFSET_IS(KTIMER, Dpc, 48);
    OFFSET_IS(KTIMER, Period, 60);
    SIZE_IS(KDPC, 64);
    OFFSET_IS(KDPC, DeferredRoutine, 24);
    OFFSET_IS(KDPC, DeferredContext, 32);
    OFFSET_IS(KDPC, DpcData, 56);
}

static void locks_have_windows_layout(void **state) {
    (void)state;
    SIZE_IS(KSPIN_LOCK, 8);
    SIZE_IS(KLOCK_QUEUE_HANDLE, 24);
    OFFSET_IS(KLOCK_QUEUE_HANDLE, OldIrql, 16);
    SIZE_IS(EX_RUNDOWN_REF, 8);
    SIZE_IS(FAST_MUTEX, 56);
    OFFSET_IS(FAST_MUTEX, Event, 24);
}

static void pool_structures_have_windows_layout(void **state) {
    (void)state;
    SIZE_IS(SLIST_HEADER, 16);
    SIZE_IS(SLIST_ENTRY, 16);
    SIZE_IS(GENERAL_LOOKASIDE, 128);
    OFFSET_IS(GENERAL_LOOKASIDE, Tag, 40);
    OFFSET_IS(GENERAL_LOOKASIDE, Size, 44);
    SIZE_IS(NPAGED_LOOKASIDE_LIST, 128);
    SIZE_IS(LOOKASIDE_LIST_EX, 96);
    SIZE_IS(WORK_QUEUE_ITEM, 32);
    SIZE_IS(POOL_EXTENDED_PARAMETER, 16);
}

static void io_structures_have_windows_layout(void **state) {
    (void)state;
    SIZE_IS(DRIVER_OBJECT, 336);
    OFFSET_IS(DRIVER_OBJECT, DriverUnload, 104);
    OFFSET_IS(DRIVER_OBJECT, MajorFunction, 112);
    SIZE_IS(DEVICE_OBJECT, 336);
    OFFSET_IS(DEVICE_OBJECT, DeviceExtension, 64);
    OFFSET_IS(DEVICE_OBJECT, DeviceType, 72);
    SIZE_IS(FILE_OBJECT, 216);
    OFFSET_IS(FILE_OBJECT, FsContext, 24);
    SIZE_IS(IRP, 208);
    OFFSET_IS(IRP, AssociatedIrp, 24);
    OFFSET_IS(IRP, IoStatus, 48);
    OFFSET_IS(IRP, CancelRoutine, 104);
    OFFSET_IS(IRP, UserBuffer, 112);
    OFFSET_IS(IRP, Tail.Overlay.CurrentStackLocation, 184);
    SIZE_IS(IO_STACK_LOCATION, 72);
    OFFSET_IS(IO_STACK_LOCATION, Parameters.DeviceIoControl.InputBufferLength, 16);
    OFFSET_IS(IO_STACK_LOCATION, Parameters.DeviceIoControl.IoControlCode, 24);
    OFFSET_IS(IO_STACK_LOCATION, DeviceObject, 40);
    SIZE_IS(IO_STATUS_BLOCK, 16);
    SIZE_IS(IO_ERROR_LOG_PACKET, 48);
    SIZE_IS(CM_PARTIAL_RESOURCE_DESCRIPTOR, 20);
    SIZE_IS(CM_PARTIAL_RESOURCE_LIST, 28);
    SIZE_IS(OBJECT_ATTRIBUTES, 48);
    SIZE_IS(UNICODE_STRING, 16);
}

static void ndis_structures_have_windows_layout(void **state) {
    (void)state;
    SIZE_IS(NDIS_MINIPORT_DRIVER_CHARACTERISTICS, 160);
    OFFSET_IS(NDIS_MINIPORT_DRIVER_CHARACTERISTICS, SetOptionsHandler, 16);
    OFFSET_IS(NDIS_MINIPORT_DRIVER_CHARACTERISTICS, DirectOidRequestHandler, 136);
    SIZE_IS(NDIS_MINIPORT_INTERRUPT_CHARACTERISTICS, 96);
    OFFSET_IS(NDIS_MINIPORT_INTERRUPT_CHARACTERISTICS, MessageInterruptHandler, 48);
    SIZE_IS(NDIS_MINIPORT_INIT_PARAMETERS, 64);
    SIZE_IS(NDIS_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES, 32);
    SIZE_IS(NDIS_OID_REQUEST, 248);
    OFFSET_IS(NDIS_OID_REQUEST, DATA, 32);
    SIZE_IS(NET_DEVICE_PNP_EVENT, 48);
    SIZE_IS(NDIS_STATUS_INDICATION, 112);
    SIZE_IS(NDIS_LINK_STATE, 40);
}

static void socket_addresses_have_windows_layout(void **state) {
    (void)state;
    SIZE_IS(SOCKADDR, 16);
    SIZE_IS(SOCKADDR_IN, 16);
    SIZE_IS(SOCKADDR_IN6, 28);
    OFFSET_IS(SOCKADDR_IN6, sin6_addr, 8);
    OFFSET_IS(SOCKADDR_IN6, sin6_scope_id, 24);
    SIZE_IS(SOCKADDR_STORAGE, 128);
    SIZE_IS(NET_LUID, 8);
    SIZE_IS(MIB_IPFORWARD_ROW2, 104);
    SIZE_IS(WSK_REGISTRATION, 24);
    SIZE_IS(WSK_PROVIDER_DISPATCH, 56);
    OFFSET_IS(WSK_PROVIDER_DISPATCH, WskControlClient, 24);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dispatcher_objects_have_windows_layout),
        cmocka_unit_test(locks_have_windows_layout),
        cmocka_unit_test(pool_structures_have_windows_layout),
        cmocka_unit_test(io_structures_have_windows_layout),
        cmocka_unit_test(ndis_structures_have_windows_layout),
        cmocka_unit_test(socket_addresses_have_windows_layout),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
