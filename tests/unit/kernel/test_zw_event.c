/* SPDX-License-Identifier: Apache-2.0 */
/* Events by handle: names, references, what use after the last one is. */
#include <ntddk.h>

#include "node.h"

static UNICODE_STRING event_name;

static void named(void *argument) {
    OBJECT_ATTRIBUTES attributes;
    LARGE_INTEGER at_once = {.QuadPart = 0};
    HANDLE first;
    HANDLE second;
    LONG before;
    PKEVENT event = IoCreateNotificationEvent(&event_name, &first);

    (void)argument;
    assert_non_null(event);
    assert_ptr_equal(IoCreateNotificationEvent(&event_name, &second), event);
    assert_int_equal(KeReadStateEvent(event), 1);
    assert_int_equal(ZwResetEvent(first, &before), 0);
    assert_int_equal(before, 1);
    assert_int_equal(ZwWaitForSingleObject(second, FALSE, &at_once), STATUS_TIMEOUT);
    assert_int_equal(ZwSetEvent(second, &before), 0);
    assert_int_equal(before, 0);
    assert_int_equal(ZwWaitForSingleObject(first, FALSE, &at_once), STATUS_SUCCESS);
    InitializeObjectAttributes(&attributes, &event_name, 0, NULL, NULL);
    assert_int_equal(ZwClose(first), 0);
    assert_int_equal(ZwOpenEvent(&first, EVENT_ALL_ACCESS, &attributes), 0);
    assert_int_equal(ZwCreateEvent(&first, 0, &attributes, NotificationEvent, FALSE),
                     STATUS_OBJECT_NAME_COLLISION);
    attributes.Attributes = OBJ_OPENIF;
    ZwClose(first);
    assert_int_equal(ZwCreateEvent(&first, 0, &attributes, NotificationEvent, FALSE),
                     STATUS_OBJECT_NAME_EXISTS);
    ZwClose(first);
    ZwClose(second);
    assert_int_equal(ZwOpenEvent(&first, EVENT_ALL_ACCESS, &attributes),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(ZwSetEvent(second, NULL), STATUS_INVALID_HANDLE);
}

static void a_name_leads_to_one_event(void **state) {
    (void)state;
    RtlInitUnicodeString(&event_name, u"\\BaseNamedObjects\\Ready");
    in_thread(named, NULL);
}

static void referenced(void *argument) {
    PVOID object;
    HANDLE event;

    (void)argument;
    assert_int_equal(ZwCreateEvent(&event, 0, NULL, SynchronizationEvent, FALSE), 0);
    assert_int_equal(ObReferenceObjectByHandle(event, 0, *PsThreadType, KernelMode, &object, NULL),
                     STATUS_OBJECT_TYPE_MISMATCH);
    assert_int_equal(
        ObReferenceObjectByHandle(event, 0, *ExEventObjectType, KernelMode, &object, NULL), 0);
    ZwClose(event);
    KeSetEvent(object, IO_NO_INCREMENT, FALSE);
    assert_int_equal(KeWaitForSingleObject(object, Executive, KernelMode, FALSE, NULL), 0);
    assert_int_equal(ObDereferenceObject(object), 0);
    if (argument != NULL) {
        KeSetEvent(object, IO_NO_INCREMENT, FALSE);
    }
}

static void a_reference_keeps_the_event(void **state) {
    (void)state;
    in_thread(referenced, NULL);
}

static void an_event_after_its_last_reference_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(referenced, &event_name, "0xA", "no initialised event");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(a_name_leads_to_one_event),
        KERNEL_TEST(a_reference_keeps_the_event),
        KERNEL_TEST(an_event_after_its_last_reference_is_a_bugcheck),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
