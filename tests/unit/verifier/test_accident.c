/* SPDX-License-Identifier: Apache-2.0 */
/* A provider that touches an object after it started the completion: R-LIFE-15. */
#include <ntddk.h>

#include "callback.h"
#include "fixture.h"

#define TAG 0x74736554u

static const struct sockaddr address = {.sa_family = AF_INET};
static NDK_LISTENER *listener;
static struct sim_finding judged;

static void no_event(PVOID context, NDK_CONNECTOR *connector) {
    (void)context;
    (void)connector;
}

/* The consumer closes in the completion, the provider frees the object's memory at once. */
static void close_and_free(PVOID context, NTSTATUS status) {
    void *handle;

    (void)context;
    (void)status;
    listener->Dispatch->NdkCloseListener(&listener->Header, hear_close, NULL);
    handle = FAKE_POINTER(2);
    vrf_on_close(handle);
    ExFreePoolWithTag(listener, TAG);
}

static void judge(const void *address_touched) {
    sim_finding_init(&judged, SIM_VERDICT_BUGCHECK, "0xD5", "DRIVER_PAGE_FAULT");
    sim_finding_say(&judged, "a driver read from freed pool");
    vrf_interposer.judge(fixture.world, address_touched, NULL, &judged);
}

static bool completes;
static const void *touched;

/* Inside the provider's NdkListen: completes, then touches. */
static void complete_and_touch(void) {
    void *context = FAKE_POINTER(4);

    fake.inside = NULL;
    if (completes) {
        vrf_on_request(context, STATUS_TOO_MANY_ADDRESSES);
    }
    judge(touched);
}

static void listen_on(void *argument) {
    (void)argument;
    open_adapter();
    fake.object = ExAllocatePoolWithTag(NonPagedPoolNx, 256, TAG);
    fake_object(fake.object, NdkObjectTypeListener);
    listener = open_listener(no_event, NULL);
    touched = touched == NULL ? (char *)listener + 128 : touched;
    fake.status = STATUS_PENDING;
    fake.inside = complete_and_touch;
    listener->Dispatch->NdkListen(listener, &address, sizeof(address), close_and_free, NULL);
}

static void the_object_touched_after_its_completion_is_r_life_15(void **state) {
    (void)state;
    completes = true;
    touched = NULL;
    vrf_rule_set(fixture.world, "R-OWN-07", SIM_SEVERITY_OFF, "the fake closes under the callback");
    run(listen_on);
    assert_string_equal(judged.id, "R-LIFE-15");
    assert_int_equal(judged.verdict, SIM_VERDICT_RULE);
    assert_string_equal(judged.guilty, "provider");
    assert_non_null(strstr(judged.sentence, "listener[0]"));
    assert_non_null(strstr(judged.sentence, "inside listen of"));
    assert_non_null(strstr(judged.detail, "seen as: 0xD5"));
}

static void a_pointer_out_of_the_freed_object_is_r_life_15(void **state) {
    (void)state;
    completes = true;
    touched = (const void *)(uintptr_t)UINT64_C(0xDDDDDDDDDDDDDDDD);
    vrf_rule_set(fixture.world, "R-OWN-07", SIM_SEVERITY_OFF, "the fake closes under the callback");
    run(listen_on);
    assert_string_equal(judged.id, "R-LIFE-15");
}

/* Without special pool a plain write is seen in the freed block's fill when the call returns. */
static void complete_and_write(void) {
    void *context = FAKE_POINTER(4);
    volatile unsigned char *object = (unsigned char *)listener;

    fake.inside = NULL;
    vrf_on_request(context, STATUS_TOO_MANY_ADDRESSES);
    object[100] = 1;
}

static void listen_and_write(void *argument) {
    (void)argument;
    open_adapter();
    fake.object = ExAllocatePoolWithTag(NonPagedPoolNx, 256, TAG);
    fake_object(fake.object, NdkObjectTypeListener);
    listener = open_listener(no_event, NULL);
    fake.status = STATUS_PENDING;
    fake.inside = complete_and_write;
    listener->Dispatch->NdkListen(listener, &address, sizeof(address), close_and_free, NULL);
    CHECK(false);
}

static void a_write_to_the_freed_object_inside_the_call_is_r_life_15(void **state) {
    (void)state;
    vrf_rule_set(fixture.world, "R-OWN-07", SIM_SEVERITY_OFF, "the fake closes under the callback");
    run(listen_and_write);
    expect_finding("R-LIFE-15", "provider");
}

static void an_accident_elsewhere_stays_what_it_is(void **state) {
    (void)state;
    completes = false;
    touched = (const void *)(uintptr_t)UINT64_C(0xDDDDDDDDDDDDDDDD);
    run(listen_on);
    assert_string_equal(judged.id, "0xD5");
    assert_int_equal(judged.verdict, SIM_VERDICT_BUGCHECK);
}

static void touch_other_pool(void *argument) {
    void *block = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);

    (void)argument;
    open_adapter();
    ExFreePoolWithTag(block, TAG);
    judge(block);
    judge(NULL);
}

static void freed_pool_that_held_no_object_stays_a_bugcheck(void **state) {
    (void)state;
    run(touch_other_pool);
    assert_string_equal(judged.id, "0xD5");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        VRF_TEST(the_object_touched_after_its_completion_is_r_life_15),
        VRF_TEST(a_pointer_out_of_the_freed_object_is_r_life_15),
        VRF_TEST(a_write_to_the_freed_object_inside_the_call_is_r_life_15),
        VRF_TEST(an_accident_elsewhere_stays_what_it_is),
        VRF_TEST(freed_pool_that_held_no_object_stays_a_bugcheck),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
