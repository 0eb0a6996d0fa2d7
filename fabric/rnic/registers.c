/* SPDX-License-Identifier: Apache-2.0 */
/* BAR 0, and the door to BAR 1. Unknown offsets read 0 and ignore writes. */
#include "device.h"

static uint32_t sizes_0(const struct rnic_config *config) {
    return rnic_log2(config->qp_count_max) | rnic_log2(config->cq_count_max) << 8 |
           rnic_log2(config->mkey_count_max) << 16 | rnic_log2(config->eq_count_max) << 24;
}

static uint32_t ceil_log2(uint32_t value) {
    uint32_t log2 = 0;
    while (1u << log2 < value)
        log2++;
    return log2;
}

static uint32_t sizes_1(const struct rnic_config *config) {
    return rnic_log2(config->srq_count_max) | rnic_log2(config->pd_count_max) << 8 |
           ceil_log2(config->vector_count) << 16 | ceil_log2(config->address_count_max) << 24;
}

static uint32_t status_read(const struct rnic_device *device) {
    return (device->state == RNIC_DEVICE_READY ? RNIC_STATUS_READY : 0) |
           (device->state == RNIC_DEVICE_FATAL ? RNIC_STATUS_FATAL : 0);
}

static uint32_t mac_read(const struct rnic_device *device, uint32_t first, uint32_t count) {
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; i++)
        value |= (uint32_t)device->port.mac.bytes[first + i] << 8 * i;
    return value;
}

static uint32_t vector_read(const struct rnic_device *device, uint32_t offset) {
    uint32_t index = offset / RNIC_VECTOR_STRIDE;
    if (index >= device->config.vector_count)
        return 0;
    const struct rnic_vector *vector = &device->vectors[index];
    switch (offset % RNIC_VECTOR_STRIDE) {
    case RNIC_VECTOR_MASK:
        return vector->masked;
    case RNIC_VECTOR_PENDING:
        return vector->pending;
    case RNIC_VECTOR_CAUSE:
        return vector->cause;
    default:
        return 0;
    }
}

static uint64_t link_read(const struct rnic_device *device, uint64_t offset) {
    switch (offset) {
    case RNIC_REG_LINK_STATE:
        return net_port_is_up(&device->port);
    case RNIC_REG_LINK_RATE_MBPS:
        return net_port_rate_bps(&device->port) / 1000000;
    case RNIC_REG_LINK_MTU:
        return net_port_mtu_bytes(&device->port);
    case RNIC_REG_MAC_0:
        return mac_read(device, 0, 4);
    case RNIC_REG_MAC_1:
        return mac_read(device, 4, 2);
    default:
        return 0;
    }
}

/* Whole registers; 64-bit ones too. */
static uint64_t register_read(const struct rnic_device *device, uint64_t offset) {
    const struct rnic_firmware *firmware = &device->firmware;
    switch (offset) {
    case RNIC_REG_MAGIC:
        return RNIC_MAGIC;
    case RNIC_REG_INTERFACE_VERSION:
    case RNIC_REG_FIRMWARE_VERSION:
        return RNIC_INTERFACE_MAJOR << 16 | RNIC_INTERFACE_MINOR;
    case RNIC_REG_CAP_SIZES_0:
        return sizes_0(&device->config);
    case RNIC_REG_CAP_SIZES_1:
        return sizes_1(&device->config);
    case RNIC_REG_CONTROL:
        return device->state == RNIC_DEVICE_OFF ? 0 : RNIC_CONTROL_ENABLE;
    case RNIC_REG_STATUS:
        return status_read(device);
    case RNIC_REG_FIRMWARE_STATE:
        return firmware->state;
    case RNIC_REG_HEALTH_SYNDROME:
        return device->health;
    case RNIC_REG_HEALTH_COUNTER:
        return rnic_firmware_counter(device);
    case RNIC_REG_RING_BASE:
        return firmware->ring_base;
    case RNIC_REG_RING_SIZE_LOG2:
        return firmware->ring_size_log2;
    case RNIC_REG_RING_DOORBELL:
        return firmware->ring_producer;
    case RNIC_REG_RING_CONSUMER:
        return firmware->ring_consumer;
    case RNIC_REG_MAILBOX_ADDRESS:
        return firmware->mailbox_address;
    case RNIC_REG_MAILBOX_STATUS:
        return firmware->mailbox_status;
    case RNIC_REG_CLOCK_NS:
        return rnic_now_ns(device);
    case RNIC_REG_CAUSE_ALL:
        return rnic_vectors_cause(device);
    case RNIC_REG_REPEAT_US:
        return device->repeat_ns / SIM_NS_PER_US;
    default:
        return offset >= RNIC_REG_VECTORS ? vector_read(device, (uint32_t)offset - RNIC_REG_VECTORS)
                                          : link_read(device, offset);
    }
}

static bool is_wide(uint64_t offset) {
    return offset == RNIC_REG_RING_BASE || offset == RNIC_REG_MAILBOX_ADDRESS ||
           offset == RNIC_REG_CLOCK_NS || offset == RNIC_REG_CAUSE_ALL;
}

uint64_t rnic_bar_read(struct sim_bus_device *bus, uint32_t bar, uint64_t offset, uint32_t bytes) {
    struct rnic_device *device = rnic_device_of(bus);
    if (bar != RNIC_BAR_REGISTERS || (bytes != 4 && bytes != 8) || offset % bytes != 0)
        return 0;
    if (bytes == 8 && !is_wide(offset))
        return register_read(device, offset) | register_read(device, offset + 4) << 32;
    if (bytes == 4 && offset >= 4 && is_wide(offset - 4))
        return register_read(device, offset - 4) >> 32;
    uint64_t value = register_read(device, offset);
    return bytes == 4 ? (uint32_t)value : value;
}

static void control_write(struct rnic_device *device, uint32_t value) {
    if ((value & RNIC_CONTROL_RESET) != 0)
        rnic_device_reset(device);
    if ((value & RNIC_CONTROL_ENABLE) != 0 && device->state == RNIC_DEVICE_OFF)
        rnic_device_enable(device);
    else if ((value & (RNIC_CONTROL_ENABLE | RNIC_CONTROL_RESET)) == 0 &&
             device->state != RNIC_DEVICE_OFF)
        rnic_device_reset(device);
}

static void vector_write(struct rnic_device *device, uint32_t offset, uint32_t value) {
    uint32_t index = offset / RNIC_VECTOR_STRIDE;
    if (index >= device->config.vector_count)
        return;
    if (offset % RNIC_VECTOR_STRIDE == RNIC_VECTOR_MASK)
        rnic_vector_mask(device, index, (value & 1) != 0);
    else if (offset % RNIC_VECTOR_STRIDE == RNIC_VECTOR_CAUSE)
        rnic_vector_clear(device, index, value);
}

/* `bytes` of a 64-bit register at byte `at` of it. */
static uint64_t part_replace(uint64_t old, uint32_t at, uint32_t bytes, uint64_t value) {
    if (bytes == 8)
        return value;
    uint64_t mask = UINT64_C(0xFFFFFFFF) << 8 * at;
    return (old & ~mask) | (value << 8 * at & mask);
}

static void register_write(struct rnic_device *device, uint64_t offset, uint32_t bytes,
                           uint64_t value) {
    struct rnic_firmware *firmware = &device->firmware;
    uint32_t at = (uint32_t)offset & 4;
    switch (offset) {
    case RNIC_REG_CONTROL:
        control_write(device, (uint32_t)value);
        return;
    case RNIC_REG_RING_BASE:
    case RNIC_REG_RING_BASE + 4:
        firmware->ring_base = part_replace(firmware->ring_base, at, bytes, value);
        return;
    case RNIC_REG_RING_SIZE_LOG2:
        if (value <= RNIC_COMMAND_RING_LOG2_MAX)
            firmware->ring_size_log2 = (uint32_t)value;
        return;
    case RNIC_REG_RING_DOORBELL:
        rnic_firmware_ring(device, (uint32_t)value);
        return;
    case RNIC_REG_MAILBOX_ADDRESS:
    case RNIC_REG_MAILBOX_ADDRESS + 4:
        firmware->mailbox_address = part_replace(firmware->mailbox_address, at, bytes, value);
        return;
    case RNIC_REG_MAILBOX_GO:
        if ((value & 1) != 0)
            rnic_firmware_mailbox(device);
        return;
    case RNIC_REG_REPEAT_US:
        rnic_vectors_repeat(device, (uint32_t)value);
        return;
    default:
        if (offset >= RNIC_REG_VECTORS)
            vector_write(device, (uint32_t)offset - RNIC_REG_VECTORS, (uint32_t)value);
        return;
    }
}

void rnic_bar_write(struct sim_bus_device *bus, uint32_t bar, uint64_t offset, uint32_t bytes,
                    uint64_t value) {
    struct rnic_device *device = rnic_device_of(bus);
    if (bar == RNIC_BAR_DOORBELLS && bytes == 8)
        rnic_doorbell(device, (uint32_t)(offset % RNIC_DOORBELL_PAGE_BYTES), value);
    else if (bar == RNIC_BAR_REGISTERS && (bytes == 4 || bytes == 8) && offset % bytes == 0)
        register_write(device, offset, bytes, value);
}
