/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The firmware: boots, then executes commands from the ring (one after the other, command_ns each,
 * answered with an EQE) and from the mailbox (at once, inside the register write).
 *
 *   OFF --enable--> BOOTING --boot_ns--> RUNNING --fault--> HUNG     reset: any -> OFF
 *                                           |-- device fatal --> FATAL
 */
#include "command.h"
#include "device.h"
#include "eq.h"

static bool has_commands(const struct rnic_firmware *firmware) {
    return firmware->ring_consumer != firmware->ring_producer;
}

static void schedule(struct rnic_device *device, uint64_t delay_ns) {
    if (!sim_event_is_scheduled(&device->firmware.event))
        sim_event_schedule(device->world, &device->firmware.event, delay_ns);
}

/* False when the firmware or the device does not survive the command. */
static bool faults_passed(struct rnic_device *device) {
    if (rnic_fault_hit(device, RNIC_FAULT_FIRMWARE_HANG, &device->bus.object, NULL)) {
        rnic_firmware_stop(device, RNIC_FIRMWARE_HUNG);
        return false;
    }
    if (rnic_fault_hit(device, RNIC_FAULT_RESET, &device->bus.object, NULL)) {
        rnic_device_fail(device, RNIC_HEALTH_INJECTED);
        return false;
    }
    return true;
}

static bool execute(struct rnic_device *device, uint64_t address, struct rnic_command *command) {
    if (!rnic_dma_read(device, address, command, sizeof *command))
        return false;
    rnic_command_execute(device, command);
    command->done = 1;
    return rnic_dma_write(device, address, command, sizeof *command);
}

static void ring_step(struct rnic_device *device) {
    struct rnic_firmware *firmware = &device->firmware;
    if (!has_commands(firmware) || !faults_passed(device))
        return;
    uint32_t index = firmware->ring_consumer & ((1u << firmware->ring_size_log2) - 1);
    struct rnic_command command;
    if (!execute(device, firmware->ring_base + index * RNIC_COMMAND_BYTES, &command)) {
        rnic_device_fail(device, RNIC_HEALTH_COMMAND_DMA);
        return;
    }
    firmware->ring_consumer++;
    const struct rnic_event event = {.number = index,
                                     .type = RNIC_EVENT_COMMAND_DONE,
                                     .status = command.status,
                                     .data = {command.tag}};
    rnic_event_post(device, &event);
    if (has_commands(firmware) && firmware->state == RNIC_FIRMWARE_RUNNING)
        schedule(device, device->config.latency.command_ns);
}

static void firmware_deliver(struct sim_world *world, struct sim_event *event) {
    struct rnic_device *device = SIM_CONTAINER_OF(event, struct rnic_device, firmware.event);
    struct rnic_firmware *firmware = &device->firmware;
    if (firmware->state == RNIC_FIRMWARE_BOOTING) {
        firmware->state = RNIC_FIRMWARE_RUNNING;
        firmware->boot_ns = sim_now_ns(world);
        rnic_device_ready(device);
    } else if (firmware->state == RNIC_FIRMWARE_RUNNING) {
        ring_step(device);
    }
}

void rnic_firmware_init(struct rnic_device *device) {
    sim_event_init(&device->firmware.event, "firmware", &device->bus.object, firmware_deliver);
}

void rnic_firmware_boot(struct rnic_device *device) {
    device->firmware.state = RNIC_FIRMWARE_BOOTING;
    schedule(device, device->config.latency.boot_ns);
}

void rnic_firmware_stop(struct rnic_device *device, enum rnic_firmware_state state) {
    struct rnic_firmware *firmware = &device->firmware;
    if (firmware->state == RNIC_FIRMWARE_RUNNING)
        firmware->stood_ns = rnic_now_ns(device) - firmware->boot_ns;
    firmware->state = state;
    sim_event_cancel(device->world, &firmware->event);
    if (state != RNIC_FIRMWARE_OFF)
        return;
    firmware->is_init = false;
    firmware->stood_ns = 0;
    firmware->ring_base = 0;
    firmware->ring_size_log2 = 0;
    firmware->ring_producer = 0;
    firmware->ring_consumer = 0;
    firmware->mailbox_address = 0;
    firmware->mailbox_status = RNIC_STATUS_OK;
}

uint32_t rnic_firmware_counter(const struct rnic_device *device) {
    const struct rnic_firmware *firmware = &device->firmware;
    uint64_t ran_ns = firmware->stood_ns;
    if (firmware->state == RNIC_FIRMWARE_RUNNING)
        ran_ns = rnic_now_ns(device) - firmware->boot_ns;
    return (uint32_t)(ran_ns / SIM_NS_PER_MS);
}

void rnic_firmware_ring(struct rnic_device *device, uint32_t producer) {
    struct rnic_firmware *firmware = &device->firmware;
    uint32_t count = 1u << firmware->ring_size_log2;
    if (firmware->state != RNIC_FIRMWARE_RUNNING)
        return;
    if (producer - firmware->ring_consumer > count) {
        rnic_device_fail(device, RNIC_HEALTH_COMMAND_RING);
        return;
    }
    firmware->ring_producer = producer;
    if (has_commands(firmware))
        schedule(device, device->config.latency.command_ns);
}

void rnic_firmware_mailbox(struct rnic_device *device) {
    struct rnic_firmware *firmware = &device->firmware;
    struct rnic_command command;
    firmware->mailbox_status = RNIC_STATUS_TIMEOUT;
    if (firmware->state == RNIC_FIRMWARE_HUNG)
        return;
    firmware->mailbox_status = RNIC_STATUS_NOT_READY;
    if (firmware->state != RNIC_FIRMWARE_RUNNING)
        return;
    if (!faults_passed(device)) {
        firmware->mailbox_status = RNIC_STATUS_TIMEOUT;
        return;
    }
    bool executed = execute(device, firmware->mailbox_address, &command);
    firmware->mailbox_status = executed ? command.status : RNIC_STATUS_DMA_ERROR;
}
