/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inline list functions and the macros over lists, pages and lengths.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ntddk.h"
#include "ws2ipdef.h"

struct item {
    ULONG number;
    LIST_ENTRY link;
    SINGLE_LIST_ENTRY single;
};

static ULONG number_of(PLIST_ENTRY entry) {
    return CONTAINING_RECORD(entry, struct item, link)->number;
}

static void a_fresh_list_is_empty(void **state) {
    LIST_ENTRY head;

    (void)state;
    InitializeListHead(&head);
    assert_true(IsListEmpty(&head));
}

static void tail_insertion_keeps_the_order(void **state) {
    struct item items[3] = {{.number = 1}, {.number = 2}, {.number = 3}};
    LIST_ENTRY head;

    (void)state;
    InitializeListHead(&head);
    for (int i = 0; i < 3; i++) {
        InsertTailList(&head, &items[i].link);
    }
    assert_false(IsListEmpty(&head));
    assert_int_equal(number_of(RemoveHeadList(&head)), 1);
    assert_int_equal(number_of(RemoveTailList(&head)), 3);
    assert_int_equal(number_of(RemoveHeadList(&head)), 2);
    assert_true(IsListEmpty(&head));
}

static void head_insertion_reverses_the_order(void **state) {
    struct item items[2] = {{.number = 1}, {.number = 2}};
    LIST_ENTRY head;

    (void)state;
    InitializeListHead(&head);
    InsertHeadList(&head, &items[0].link);
    InsertHeadList(&head, &items[1].link);
    assert_int_equal(number_of(RemoveHeadList(&head)), 2);
    assert_int_equal(number_of(RemoveHeadList(&head)), 1);
}

static void removal_of_the_last_entry_says_that_the_list_is_empty(void **state) {
    struct item items[2] = {{.number = 1}, {.number = 2}};
    LIST_ENTRY head;

    (void)state;
    InitializeListHead(&head);
    InsertTailList(&head, &items[0].link);
    InsertTailList(&head, &items[1].link);
    assert_false(RemoveEntryList(&items[0].link));
    assert_true(RemoveEntryList(&items[1].link));
}

static void an_appended_list_follows_the_first(void **state) {
    struct item items[4] = {{.number = 1}, {.number = 2}, {.number = 3}, {.number = 4}};
    LIST_ENTRY first;
    LIST_ENTRY second;
    PLIST_ENTRY chain;

    (void)state;
    InitializeListHead(&first);
    InitializeListHead(&second);
    InsertTailList(&first, &items[0].link);
    InsertTailList(&first, &items[1].link);
    InsertTailList(&second, &items[2].link);
    InsertTailList(&second, &items[3].link);
    chain = second.Flink;
    RemoveEntryList(&second);
    AppendTailList(&first, chain);
    for (ULONG wanted = 1; wanted <= 4; wanted++) {
        assert_int_equal(number_of(RemoveHeadList(&first)), wanted);
    }
    assert_true(IsListEmpty(&first));
}

static void a_singly_linked_list_is_a_stack(void **state) {
    struct item items[2] = {{.number = 1}, {.number = 2}};
    SINGLE_LIST_ENTRY head = {NULL};

    (void)state;
    assert_null(PopEntryList(&head));
    PushEntryList(&head, &items[0].single);
    PushEntryList(&head, &items[1].single);
    assert_ptr_equal(PopEntryList(&head), &items[1].single);
    assert_ptr_equal(PopEntryList(&head), &items[0].single);
    assert_null(PopEntryList(&head));
}

static void spanned_pages_count_the_offset_in_the_first_page(void **state) {
    (void)state;
    assert_int_equal(ADDRESS_AND_SIZE_TO_SPAN_PAGES(0, 0), 0);
    assert_int_equal(ADDRESS_AND_SIZE_TO_SPAN_PAGES(0, 1), 1);
    assert_int_equal(ADDRESS_AND_SIZE_TO_SPAN_PAGES(0, 4096), 1);
    assert_int_equal(ADDRESS_AND_SIZE_TO_SPAN_PAGES(4095, 2), 2);
    assert_int_equal(ADDRESS_AND_SIZE_TO_SPAN_PAGES(1, 4096), 2);
    assert_int_equal(BYTES_TO_PAGES(4097), 2);
    assert_int_equal(BYTE_OFFSET(0x12345), 0x345);
    assert_int_equal(ROUND_TO_PAGES(1), 4096);
}

static void an_mdl_describes_address_length_and_room_for_frames(void **state) {
    struct {
        MDL mdl;
        PFN_NUMBER frames[2];
    } block;
    PMDL mdl = &block.mdl;
    PVOID address = (PVOID)(ULONG_PTR)0x10fff;

    (void)state;
    MmInitializeMdl(mdl, address, 2);
    assert_int_equal(mdl->Size, sizeof(MDL) + 2 * sizeof(PFN_NUMBER));
    assert_ptr_equal(MmGetMdlVirtualAddress(mdl), address);
    assert_int_equal(MmGetMdlByteCount(mdl), 2);
    assert_int_equal(MmGetMdlByteOffset(mdl), 0xfff);
    assert_ptr_equal(MmGetMdlPfnArray(mdl), block.frames);
    assert_null(mdl->Next);
}

static void a_stack_location_is_copied_without_its_completion_routine(void **state) {
    struct {
        IRP irp;
        IO_STACK_LOCATION stack[2];
    } block = {0};
    PIRP irp = &block.irp;

    (void)state;
    irp->CurrentLocation = 2;
    irp->Tail.Overlay.CurrentStackLocation = &block.stack[1];
    block.stack[1].MajorFunction = IRP_MJ_DEVICE_CONTROL;
    block.stack[1].Context = irp;
    IoMarkIrpPending(irp);
    IoCopyCurrentIrpStackLocationToNext(irp);
    assert_int_equal(block.stack[0].MajorFunction, IRP_MJ_DEVICE_CONTROL);
    assert_int_equal(block.stack[0].Control, 0);
    assert_null(block.stack[0].Context);
    IoSetNextIrpStackLocation(irp);
    assert_ptr_equal(IoGetCurrentIrpStackLocation(irp), &block.stack[0]);
    assert_int_equal(irp->CurrentLocation, 1);
}

static void control_codes_pack_device_function_method_access(void **state) {
    ULONG code = CTL_CODE(FILE_DEVICE_UNKNOWN, 0x800, METHOD_BUFFERED, FILE_ANY_ACCESS);

    (void)state;
    assert_int_equal(code, 0x222000);
    assert_int_equal(DEVICE_TYPE_FROM_CTL_CODE(code), FILE_DEVICE_UNKNOWN);
    assert_int_equal(METHOD_FROM_CTL_CODE(CTL_CODE(1, 1, METHOD_NEITHER, 0)), METHOD_NEITHER);
}

static void status_severity_is_in_the_two_high_bits(void **state) {
    (void)state;
    assert_true(NT_SUCCESS(STATUS_PENDING));
    assert_true(NT_SUCCESS(STATUS_OBJECT_NAME_EXISTS));
    assert_true(NT_INFORMATION(STATUS_OBJECT_NAME_EXISTS));
    assert_false(NT_SUCCESS(STATUS_BUFFER_OVERFLOW));
    assert_true(NT_WARNING(STATUS_BUFFER_OVERFLOW));
    assert_false(NT_ERROR(STATUS_BUFFER_OVERFLOW));
    assert_true(NT_ERROR(STATUS_UNSUCCESSFUL));
}

static void addresses_are_classified_as_windows_does(void **state) {
    IN6_ADDR address = {{{0xfe, 0x80}}};
    IN6_ADDR mapped = {{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1}}};
    IN6_ADDR none = {{{0}}};

    (void)state;
    assert_true(IN6_IS_ADDR_LINKLOCAL(&address));
    assert_false(IN6_IS_ADDR_UNSPECIFIED(&address));
    assert_true(IN6_IS_ADDR_UNSPECIFIED(&none));
    assert_true(IN6_IS_ADDR_V4MAPPED(&mapped));
    assert_false(IN6_IS_ADDR_MULTICAST(&mapped));
    assert_false(IN6_ADDR_EQUAL(&address, &none));
}

static void bytes_swap_and_bits_are_found(void **state) {
    ULONG index = 0;

    (void)state;
    assert_int_equal(RtlUshortByteSwap(0x1234), 0x3412);
    assert_int_equal(RtlUlongByteSwap(0x12345678), 0x78563412);
    assert_true(BitScanForward(&index, 0x50));
    assert_int_equal(index, 4);
    assert_true(BitScanReverse(&index, 0x50));
    assert_int_equal(index, 6);
    assert_false(BitScanForward(&index, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fresh_list_is_empty),
        cmocka_unit_test(tail_insertion_keeps_the_order),
        cmocka_unit_test(head_insertion_reverses_the_order),
        cmocka_unit_test(removal_of_the_last_entry_says_that_the_list_is_empty),
        cmocka_unit_test(an_appended_list_follows_the_first),
        cmocka_unit_test(a_singly_linked_list_is_a_stack),
        cmocka_unit_test(spanned_pages_count_the_offset_in_the_first_page),
        cmocka_unit_test(an_mdl_describes_address_length_and_room_for_frames),
        cmocka_unit_test(a_stack_location_is_copied_without_its_completion_routine),
        cmocka_unit_test(control_codes_pack_device_function_method_access),
        cmocka_unit_test(status_severity_is_in_the_two_high_bits),
        cmocka_unit_test(addresses_are_classified_as_windows_does),
        cmocka_unit_test(bytes_swap_and_bits_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
