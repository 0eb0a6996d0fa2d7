/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

static void a_frame_has_the_room_that_was_asked_for(void **state) {
    static const uint32_t sizes[] = {
        1, 448, 449, 1126, 2200, 4198, 4224, 4225, NET_FRAME_BYTES_MAX};
    struct sim_world *world = world_make();
    (void)state;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(sizes); i++) {
        struct net_frame *frame = net_frame_get(world, sizes[i]);
        assert_true(frame->capacity >= sizes[i]);
        assert_int_equal(frame->length, 0);
        memset(frame->bytes, 0xAA, frame->capacity);
        net_frame_put(frame);
    }
    world_end(world);
}

static void frames_are_reused_last_first_with_new_ids(void **state) {
    struct sim_world *world = world_make();
    (void)state;
    struct net_frame *a = net_frame_get(world, 100);
    struct net_frame *b = net_frame_get(world, 100);
    assert_ptr_not_equal(a, b);
    assert_int_equal(a->id, 1);
    assert_int_equal(b->id, 2);
    assert_int_equal(net_frame_live_count(world), 2);
    net_frame_put(a);
    net_frame_put(b);
    assert_ptr_equal(net_frame_get(world, 1), b);
    assert_int_equal(b->id, 3);
    net_frame_put(b);
    world_end(world);
}

static void a_reused_frame_remembers_no_fault(void **state) {
    struct sim_world *world = world_make();
    (void)state;
    struct net_frame *frame = net_frame_get(world, 64);
    frame->touched = NET_TOUCH_CORRUPT;
    net_frame_put(frame);
    frame = net_frame_get(world, 64);
    assert_int_equal(frame->touched, 0);
    net_frame_put(frame);
    world_end(world);
}

static void a_copy_has_the_bytes_and_its_own_id(void **state) {
    struct sim_world *world = world_make();
    (void)state;
    struct net_frame *frame = net_frame_get(world, 2000);
    frame->length = 2000;
    memset(frame->bytes, 0x5A, 2000);
    frame->touched = NET_TOUCH_DELAY;
    struct net_frame *copy = net_frame_copy(frame);
    assert_int_equal(copy->length, 2000);
    assert_memory_equal(copy->bytes, frame->bytes, 2000);
    assert_int_equal(copy->touched, NET_TOUCH_DELAY);
    assert_int_not_equal(copy->id, frame->id);
    net_frame_put(copy);
    net_frame_put(frame);
    world_end(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_has_the_room_that_was_asked_for),
        cmocka_unit_test(frames_are_reused_last_first_with_new_ids),
        cmocka_unit_test(a_reused_frame_remembers_no_fault),
        cmocka_unit_test(a_copy_has_the_bytes_and_its_own_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
