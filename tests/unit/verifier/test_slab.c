/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"
#include "slab.h"

struct item {
    struct vrf_slot slot;
    uint64_t value;
};

static void a_handle_finds_its_record(void **state) {
    struct vrf_slab slab;
    struct item *items[100];

    (void)state;
    vrf_slab_init(&slab, fixture.world, 3, sizeof(struct item));
    for (uint32_t i = 0; i < 100; i++) {
        items[i] = vrf_slab_take(&slab);
        items[i]->value = i;
    }
    for (uint32_t i = 0; i < 100; i++) {
        assert_ptr_equal(vrf_slab_find(&slab, vrf_handle(&slab, items[i]), NULL), items[i]);
        assert_int_equal(items[i]->value, i);
    }
}

static void a_handle_of_a_given_back_record_still_tells_of_it(void **state) {
    struct vrf_slab slab;
    struct item *item;
    void *handle;
    bool is_old;

    (void)state;
    vrf_slab_init(&slab, fixture.world, 3, sizeof(struct item));
    item = vrf_slab_take(&slab);
    item->value = 7;
    handle = vrf_handle(&slab, item);
    vrf_slab_give(&slab, item);
    item = vrf_slab_find(&slab, handle, &is_old);
    assert_non_null(item);
    assert_false(item->slot.is_live);
    assert_int_equal(item->value, 7);
}

static void a_record_used_again_makes_its_old_handles_old(void **state) {
    struct vrf_slab slab;
    struct item *item;
    void *handle;
    bool is_old;

    (void)state;
    vrf_slab_init(&slab, fixture.world, 3, sizeof(struct item));
    item = vrf_slab_take(&slab);
    handle = vrf_handle(&slab, item);
    vrf_slab_give(&slab, item);
    for (uint32_t i = 0; i < 3 * VRF_SLAB_KEPT_COUNT; i++) {
        vrf_slab_give(&slab, vrf_slab_take(&slab));
    }
    assert_null(vrf_slab_find(&slab, handle, &is_old));
    assert_true(is_old);
    assert_true(slab.count <= VRF_SLAB_KEPT_COUNT + 2);
}

static void what_is_no_handle_finds_nothing(void **state) {
    struct vrf_slab slab;
    struct vrf_slab other;
    struct item *item;
    uint64_t word = 0;
    bool is_old;

    (void)state;
    vrf_slab_init(&slab, fixture.world, 3, sizeof(struct item));
    vrf_slab_init(&other, fixture.world, 4, sizeof(struct item));
    item = vrf_slab_take(&slab);
    assert_null(vrf_slab_find(&slab, NULL, &is_old));
    assert_null(vrf_slab_find(&slab, &word, &is_old));
    assert_null(vrf_slab_find(&slab, item, &is_old));
    assert_false(is_old);
    assert_null(vrf_slab_find(&other, vrf_handle(&slab, item), &is_old));
    assert_null(vrf_slab_find(&slab, (void *)UINTPTR_MAX, &is_old));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        VRF_TEST(a_handle_finds_its_record),
        VRF_TEST(a_handle_of_a_given_back_record_still_tells_of_it),
        VRF_TEST(a_record_used_again_makes_its_old_handles_old),
        VRF_TEST(what_is_no_handle_finds_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
