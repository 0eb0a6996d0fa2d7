/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bus: registers, DMA across pages and the IOMMU's refusal, interrupts and their faults,
 * surprise removal.
 */
#include <sim/bus.h>
#include <sim/fault.h>
#include <sim/memory.h>
#include <sim/trace.h>

#include "fixture.h"

static struct sim_bus_device device;
static uint64_t registers[8];
static uint32_t interrupt_counts[2];
static uint64_t interrupt_ns;
static int inserted_count, removed_count, reset_count;

static uint64_t bar_read(struct sim_bus_device *of, uint32_t bar, uint64_t offset, uint32_t bytes) {
    (void)of;
    (void)bar;
    (void)bytes;
    return registers[offset / 8];
}

static void bar_write(struct sim_bus_device *of, uint32_t bar, uint64_t offset, uint32_t bytes,
                      uint64_t value) {
    (void)of;
    (void)bar;
    (void)bytes;
    registers[offset / 8] = value;
}

static void on_reset(struct sim_bus_device *of) {
    (void)of;
    reset_count++;
}

static void on_removed(struct sim_bus_device *of) {
    (void)of;
    removed_count++;
}

static void on_inserted(struct sim_bus_device *of) {
    assert_ptr_equal(of, &device);
    inserted_count++;
}

static const struct sim_bus_ops ops = {bar_read, bar_write, on_reset, on_removed, on_inserted};

static void on_interrupt(void *context, uint32_t vector) {
    interrupt_counts[vector]++;
    interrupt_ns = sim_now_ns(context);
}

static int bus_setup(void **state) {
    int result = world_setup(state);
    sim_bus_device_init(*state, &device, NULL, "nic", &ops, NULL);
    device.bar_bytes[0] = SIM_PAGE_BYTES;
    device.vector_count = 2;
    device.interrupt = on_interrupt;
    device.interrupt_context = *state;
    memset(registers, 0, sizeof(registers));
    memset(interrupt_counts, 0, sizeof(interrupt_counts));
    inserted_count = removed_count = reset_count = 0;
    return result;
}

static struct sim_fault_plan *plan(struct sim_world *world, const char *point, uint64_t parameter) {
    const struct sim_fault_plan wanted = {
        .point = sim_fault_point_find(world, point),
        .to_ns = SIM_TIME_NEVER,
        .nth = 1,
        .parameter = parameter,
        .source = "test",
    };
    assert_non_null(wanted.point);
    return sim_fault_plan_add(world, &wanted);
}

static void registers_are_reached_through_the_device(void **state) {
    (void)state;
    sim_bus_write(&device, 0, 16, 4, 0x12345678);
    assert_int_equal(registers[2], 0x12345678);
    registers[1] = UINT64_C(0x1122334455667788);
    assert_true(sim_bus_read(&device, 0, 8, 8) == UINT64_C(0x1122334455667788));
    assert_int_equal(sim_bus_read(&device, 0, 8, 2), 0x7788);
    assert_string_equal(sim_trace_type_name(*state, sim_trace_last(*state, 0)->type), "bus.read");
    assert_string_equal(sim_trace_type_name(*state, sim_trace_last(*state, 2)->type), "bus.write");
}

static void a_removed_device_reads_all_ones_and_swallows_writes(void **state) {
    (void)state;
    sim_bus_reset(&device);
    assert_int_equal(reset_count, 1);
    sim_bus_remove(&device);
    sim_bus_remove(&device);
    assert_int_equal(removed_count, 1);
    sim_bus_write(&device, 0, 0, 4, 1);
    assert_int_equal(registers[0], 0);
    assert_int_equal(sim_bus_read(&device, 0, 0, 4), UINT32_MAX);
    assert_int_equal(sim_bus_read(&device, 0, 0, 1), UINT8_MAX);
    sim_bus_interrupt(&device, 0);
    assert_int_equal(interrupt_counts[0], 0);
}

static void a_device_comes_back_when_it_is_plugged_in_and_has_power(void **state) {
    (void)state;
    registers[0] = 7;
    sim_bus_power_set(&device, false);
    assert_int_equal(removed_count, 1);
    assert_int_equal(sim_bus_read(&device, 0, 0, 4), UINT32_MAX);
    sim_bus_remove(&device);
    sim_bus_power_set(&device, true);
    assert_int_equal(inserted_count, 0);
    assert_int_equal(sim_bus_read(&device, 0, 0, 4), UINT32_MAX);
    sim_bus_insert(&device);
    sim_bus_insert(&device);
    assert_int_equal(removed_count, 1);
    assert_int_equal(inserted_count, 1);
    assert_int_equal(sim_bus_read(&device, 0, 0, 4), 7);
    sim_bus_power_set(&device, true);
    assert_int_equal(inserted_count, 1);
}

static uint64_t dma_address_of(struct sim_world *world, const void *address) {
    return sim_frame_of(world, address) * SIM_PAGE_BYTES + (uintptr_t)address % SIM_PAGE_BYTES;
}

static void dma_moves_bytes_within_pages(void **state) {
    unsigned char *memory = sim_region_take(*state, SIM_REGION_DRIVER, 2 * SIM_PAGE_BYTES, 4096);
    unsigned char bytes[64], back[64];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (unsigned char)i;
    }
    uint64_t dma_address = dma_address_of(*state, memory + 100);
    assert_true(sim_dma_write(&device, dma_address, bytes, sizeof(bytes)));
    assert_memory_equal(memory + 100, bytes, sizeof(bytes));
    assert_true(sim_dma_read(&device, dma_address, back, sizeof(back)));
    assert_memory_equal(back, bytes, sizeof(bytes));
    assert_ptr_equal(sim_dma_page(&device, dma_address, 64), memory + 100);
    assert_true(sim_dma_read(&device, dma_address, back, 0));
}

static struct {
    struct sim_dma_watch watch;
    const void *to;
    uint64_t bytes;
    uint32_t before;
    uint32_t after;
    unsigned char seen[2]; /* of the memory at `to`, before and after */
} looker;

static void look(struct sim_world *world, struct sim_dma_watch *watch, const void *to,
                 uint64_t bytes, bool is_done) {
    assert_ptr_equal(world, device.world);
    assert_ptr_equal(watch, &looker.watch);
    looker.to = to;
    looker.bytes = bytes;
    looker.before += !is_done;
    looker.after += is_done;
    looker.seen[is_done] = *(const unsigned char *)to;
}

static void who_watches_sees_each_piece_before_and_after_it_is_written(void **state) {
    unsigned char *memory = sim_region_take(*state, SIM_REGION_DRIVER, SIM_PAGE_BYTES, 4096);
    uint64_t dma_address = dma_address_of(*state, memory + 40);
    unsigned char bytes[3] = {7, 8, 9};
    memset(&looker, 0, sizeof(looker));
    looker.watch.wrote = look;
    memory[40] = 5;
    sim_dma_watch_set(*state, &looker.watch);
    assert_true(sim_dma_write(&device, dma_address, bytes, sizeof(bytes)));
    assert_ptr_equal(looker.to, memory + 40);
    assert_int_equal(looker.bytes, 3);
    assert_int_equal(looker.before, 1);
    assert_int_equal(looker.after, 1);
    assert_int_equal(looker.seen[0], 5);
    assert_int_equal(looker.seen[1], 7);
    assert_true(sim_dma_read(&device, dma_address, bytes, sizeof(bytes)));
    sim_dma_watch_set(*state, NULL);
    assert_true(sim_dma_write(&device, dma_address, bytes, sizeof(bytes)));
    assert_int_equal(looker.after, 1);
}

static uint64_t allowed_frame;

static bool allow_one_frame(struct sim_world *world, struct sim_bus_device *of, uint64_t frame,
                            bool write) {
    (void)world;
    (void)of;
    return frame == allowed_frame && !write;
}

static void the_iommu_refuses_what_is_not_mapped(void **state) {
    unsigned char *memory = sim_region_take(*state, SIM_REGION_DRIVER, 2 * SIM_PAGE_BYTES, 4096);
    unsigned char byte = 7;
    allowed_frame = sim_frame_of(*state, memory);
    sim_dma_check_set(*state, allow_one_frame);
    assert_true(sim_dma_read(&device, dma_address_of(*state, memory), &byte, 1));
    assert_false(sim_dma_write(&device, dma_address_of(*state, memory), &byte, 1));
    assert_false(sim_dma_read(&device, dma_address_of(*state, memory + SIM_PAGE_BYTES), &byte, 1));
    assert_null(sim_dma_page(&device, dma_address_of(*state, memory + SIM_PAGE_BYTES), 8));
    assert_string_equal(sim_trace_type_name(*state, sim_trace_last(*state, 0)->type),
                        "bus.dma_error");
}

static void dma_to_nowhere_is_an_error(void **state) {
    unsigned char byte = 7;
    (void)state;
    assert_false(sim_dma_write(&device, UINT64_C(0xFFFFFFFFFFFF) * SIM_PAGE_BYTES, &byte, 1));
}

static void a_planned_dma_error_moves_nothing(void **state) {
    unsigned char *memory = sim_region_take(*state, SIM_REGION_DRIVER, SIM_PAGE_BYTES, 4096);
    unsigned char byte = 7;
    plan(*state, "bus.dma_error", 0);
    assert_false(sim_dma_write(&device, dma_address_of(*state, memory), &byte, 1));
    assert_int_equal(memory[0], 0);
    assert_true(sim_dma_write(&device, dma_address_of(*state, memory), &byte, 1));
    assert_int_equal(memory[0], 7);
}

static void an_interrupt_reaches_its_vector(void **state) {
    (void)state;
    sim_bus_interrupt(&device, 1);
    assert_int_equal(interrupt_counts[0], 0);
    assert_int_equal(interrupt_counts[1], 1);
}

static void an_interrupt_can_be_lost(void **state) {
    struct sim_fault_plan *lost = plan(*state, "bus.interrupt_lost", 0);
    sim_bus_interrupt(&device, 0);
    assert_int_equal(interrupt_counts[0], 0);
    sim_bus_interrupt(&device, 0);
    assert_int_equal(interrupt_counts[0], 1);
    assert_int_equal(lost->fired_count, 1);
}

static void an_interrupt_can_be_late(void **state) {
    plan(*state, "bus.interrupt_late", 5000);
    sim_bus_interrupt(&device, 0);
    assert_int_equal(interrupt_counts[0], 0);
    assert_int_equal(sim_run(*state, NULL, NULL, SIM_TIME_NEVER), SIM_RUN_IDLE);
    assert_int_equal(interrupt_counts[0], 1);
    assert_int_equal(interrupt_ns, 5000);
}

static void a_spurious_interrupt_follows_a_true_one(void **state) {
    plan(*state, "bus.interrupt_spurious", 0);
    sim_bus_interrupt(&device, 0);
    assert_int_equal(interrupt_counts[0], 1);
    assert_int_equal(sim_run(*state, NULL, NULL, SIM_TIME_NEVER), SIM_RUN_IDLE);
    assert_int_equal(interrupt_counts[0], 2);
    assert_int_equal(interrupt_ns, 1000);
}

static void a_late_interrupt_of_a_removed_device_is_gone(void **state) {
    plan(*state, "bus.interrupt_late", 5000);
    sim_bus_interrupt(&device, 0);
    sim_bus_remove(&device);
    assert_int_equal(sim_run(*state, NULL, NULL, SIM_TIME_NEVER), SIM_RUN_IDLE);
    assert_int_equal(interrupt_counts[0], 0);
}

#define BUS_TEST(function) cmocka_unit_test_setup_teardown(function, bus_setup, world_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        BUS_TEST(registers_are_reached_through_the_device),
        BUS_TEST(a_removed_device_reads_all_ones_and_swallows_writes),
        BUS_TEST(a_device_comes_back_when_it_is_plugged_in_and_has_power),
        BUS_TEST(dma_moves_bytes_within_pages),
        BUS_TEST(who_watches_sees_each_piece_before_and_after_it_is_written),
        BUS_TEST(the_iommu_refuses_what_is_not_mapped),
        BUS_TEST(dma_to_nowhere_is_an_error),
        BUS_TEST(a_planned_dma_error_moves_nothing),
        BUS_TEST(an_interrupt_reaches_its_vector),
        BUS_TEST(an_interrupt_can_be_lost),
        BUS_TEST(an_interrupt_can_be_late),
        BUS_TEST(a_spurious_interrupt_follows_a_true_one),
        BUS_TEST(a_late_interrupt_of_a_removed_device_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
