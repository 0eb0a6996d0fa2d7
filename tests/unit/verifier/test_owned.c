/* SPDX-License-Identifier: Apache-2.0 */
/* What posted buffers hold: changed by the device alone, or by somebody else (R-OWN-13). */
#include <ntddk.h>

#include <sim/bus.h>
#include <sim/memory.h>

#include "fixture.h"
#include "owned.h"
#include "shadow.h"

#define CONSUMER "consumer the program"
#define TAG 0x74736554u
#define PAGE_COUNT 4u
#define LARGE_BYTES (1u << 20)
#define OFFSET 4001u /* of the buffer: it begins and ends within words */
#define BYTES 5003u

static const struct sim_bus_ops no_ops;
static struct sim_bus_device device;
static uint8_t *memory; /* PAGE_COUNT pages */
static uint8_t token;
static void *posted;
static NDK_QP *qp;
static enum change { NOTHING, BEFORE, FIRST, MIDDLE, LAST, BEHIND, ALL } change;

static NDK_SGE sge_of(uint8_t *at, ULONG bytes) {
    NDK_SGE sge = {.Length = bytes, .MemoryRegionToken = 5};

    sge.VirtualAddress = at;
    return sge;
}

static void prepare(void) {
    NDK_SGE sge;

    open_adapter();
    qp = open_qp(open_pd(), open_cq(), NULL);
    memory = ExAllocatePoolWithTag(NonPagedPoolNx, PAGE_COUNT * SIM_PAGE_BYTES, TAG);
    memset(memory, 3, PAGE_COUNT * SIM_PAGE_BYTES);
    sge = sge_of(memory + OFFSET, BYTES);
    CHECK(qp->Dispatch->NdkReceive(qp, &token, &sge, 1) == STATUS_SUCCESS);
    posted = FAKE_POINTER(1);
    sim_bus_device_init(fixture.world, &device, NULL, "test", &no_ops, NULL);
    device.present = true;
}

/* The fake device's write: through the bus, page by page. */
static void device_writes(uint32_t offset, uint32_t bytes, uint8_t value) {
    for (uint32_t at = offset; at < offset + bytes; at++) {
        uint64_t frame = sim_frame_of(fixture.world, memory + at);
        uint64_t address = frame * SIM_PAGE_BYTES + (uintptr_t)(memory + at) % SIM_PAGE_BYTES;

        CHECK(sim_dma_write(&device, address, &value, 1));
    }
}

static void take(NTSTATUS status, ULONG bytes) {
    NDK_RESULT result;

    fake_result(status, last_qp_stamp, posted);
    fake.results[0].BytesTransferred = bytes;
    CHECK(fake.cq.Dispatch->NdkGetCqResults(&fake.cq, &result, 1) == 1);
    ExFreePoolWithTag(memory, TAG);
}

static void spoil(enum change what) {
    static const uint32_t at[] = {[BEFORE] = OFFSET - 1,
                                  [FIRST] = OFFSET,
                                  [MIDDLE] = OFFSET + BYTES / 2,
                                  [LAST] = OFFSET + BYTES - 1,
                                  [BEHIND] = OFFSET + BYTES};

    if (what == ALL) {
        memset(memory + OFFSET, 9, BYTES);
    } else if (what != NOTHING) {
        memory[at[what]] ^= 0x80;
    }
}

static void change_and_receive(void *argument) {
    (void)argument;
    prepare();
    spoil(change);
    device_writes(OFFSET + 1, 200, 7);
    take(STATUS_SUCCESS, 201);
}

static void expect_for(enum change what, bool is_found) {
    change = what;
    run(change_and_receive);
    if (is_found) {
        expect_finding("R-OWN-13", CONSUMER);
    } else {
        expect_no_finding();
    }
}

#define CHANGE_TEST(name, what, is_found)                                                          \
    static void name(void **state) {                                                               \
        (void)state;                                                                               \
        expect_for(what, is_found);                                                                \
    }
CHANGE_TEST(what_a_device_writes_is_no_change, NOTHING, false)
CHANGE_TEST(bytes_before_the_buffer_are_nobodys, BEFORE, false)
CHANGE_TEST(bytes_behind_the_buffer_are_nobodys, BEHIND, false)
CHANGE_TEST(its_first_byte_is_the_requests, FIRST, true)
CHANGE_TEST(a_byte_in_the_middle_is_the_requests, MIDDLE, true)
CHANGE_TEST(its_last_byte_is_the_requests, LAST, true)

static void change_what_is_overwritten(void *argument) {
    (void)argument;
    prepare();
    spoil(ALL);
    device_writes(OFFSET, BYTES, 7);
    take(STATUS_SUCCESS, BYTES);
}

static void a_change_shows_when_all_of_it_was_overwritten(void **state) {
    (void)state;
    run(change_what_is_overwritten);
    expect_finding("R-OWN-13", CONSUMER);
}

static void receive_without_device(void *argument) {
    (void)argument;
    prepare();
    spoil(ALL);
    take(STATUS_SUCCESS, BYTES);
}

static void what_a_provider_may_have_placed_itself_is_let_pass(void **state) {
    (void)state;
    run(receive_without_device);
    expect_no_finding();
}

static void cancel(void *argument) {
    (void)argument;
    prepare();
    spoil(MIDDLE);
    take(STATUS_CANCELLED, 0);
}

static void a_cancelled_receive_owns_its_buffer_too(void **state) {
    (void)state;
    run(cancel);
    expect_finding("R-OWN-13", CONSUMER);
}

static void change_after_close(void *argument) {
    (void)argument;
    prepare();
    close_object(qp);
    spoil(ALL);
    take(STATUS_CANCELLED, 0);
}

static void after_the_qps_close_buffers_are_free(void **state) {
    (void)state;
    run(change_after_close);
    expect_no_finding();
}

/* ---- Large ones ---- */

#define COUNT_MAX (LARGE_BYTES / SIM_PAGE_BYTES)
static uint32_t chosen[2][COUNT_MAX];
static uint32_t chosen_count[2];

static void note_pieces(const uint8_t *start, uint32_t which) {
    const struct vrf_shadow *shadow = vrf_shadow_find(vrf_world_of(fixture.world), qp);
    const struct vrf_piece *piece = shadow->part.qp.initiator->last->pieces;

    for (chosen_count[which] = 0; piece != NULL; piece = piece->next_of_work) {
        CHECK(chosen_count[which] < COUNT_MAX);
        chosen[which][chosen_count[which]++] = (uint32_t)((piece->at - start) / SIM_PAGE_BYTES);
    }
}

static void send_large(void *argument) {
    uint8_t *large;

    (void)argument;
    open_adapter();
    qp = open_qp(open_pd(), open_cq(), NULL);
    large = ExAllocatePoolWithTag(NonPagedPoolNx, LARGE_BYTES, TAG);
    for (uint32_t i = 0; i < 2; i++) {
        NDK_SGE sge = sge_of(large, LARGE_BYTES);

        CHECK(qp->Dispatch->NdkSend(qp, NULL, &sge, 1, 0) == STATUS_SUCCESS);
        note_pieces(large, i);
    }
}

static void some_pieces_of_large_requests_are_chosen_by_their_names(void **state) {
    uint32_t before[COUNT_MAX];

    (void)state;
    run(send_large);
    for (uint32_t i = 0; i < 2; i++) {
        assert_in_range(chosen_count[i], 40, 90);
        assert_int_equal(chosen[i][0], COUNT_MAX - 1);
        assert_int_equal(chosen[i][chosen_count[i] - 1], 0);
    }
    assert_memory_not_equal(chosen[0], chosen[1], 20 * sizeof(chosen[0][0]));
    memcpy(before, chosen[0], sizeof(before));
    fixture_end();
    fixture_make(NULL, false);
    run(send_large);
    assert_memory_equal(chosen[0], before, sizeof(before));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        VRF_TEST(what_a_device_writes_is_no_change),
        VRF_TEST(bytes_before_the_buffer_are_nobodys),
        VRF_TEST(bytes_behind_the_buffer_are_nobodys),
        VRF_TEST(its_first_byte_is_the_requests),
        VRF_TEST(a_byte_in_the_middle_is_the_requests),
        VRF_TEST(its_last_byte_is_the_requests),
        VRF_TEST(a_change_shows_when_all_of_it_was_overwritten),
        VRF_TEST(what_a_provider_may_have_placed_itself_is_let_pass),
        VRF_TEST(a_cancelled_receive_owns_its_buffer_too),
        VRF_TEST(after_the_qps_close_buffers_are_free),
        VRF_TEST(some_pieces_of_large_requests_are_chosen_by_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
