/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bus: register accesses, interrupts and DMA between a device model and a node's kernel, with
 * the faults of each. A removed device answers reads with all ones and swallows the rest.
 */
#include <sim/bus.h>
#include <string.h>

#include "record_types.h"
#include "world.h"

/* How long after the true interrupt a spurious one comes. */
#define SPURIOUS_DELAY_NS UINT64_C(1000)

static struct sim_fault_point interrupt_lost = {
    .name = "bus.interrupt_lost",
    .layer = "device",
    .about = "An interrupt of the device never reaches the kernel.",
};
static struct sim_fault_point interrupt_late = {
    .name = "bus.interrupt_late",
    .layer = "device",
    .about = "An interrupt of the device reaches the kernel later than it was raised.",
    .parameter = "delay_ns",
    .free = true,
};
static struct sim_fault_point interrupt_spurious = {
    .name = "bus.interrupt_spurious",
    .layer = "device",
    .about = "After an interrupt a second one comes on the same vector, with nothing behind it.",
    .free = true,
};
static struct sim_fault_point dma_error = {
    .name = "bus.dma_error",
    .layer = "device",
    .about = "An access of the device to host memory fails and moves nothing.",
};

static struct sim_fault_point *const fault_points[] = {&interrupt_lost, &interrupt_late,
                                                       &interrupt_spurious, &dma_error};

void sim_bus_init(struct sim_world *world) {
    sim_fault_register(world, fault_points, SIM_ARRAY_COUNT(fault_points));
}

void sim_bus_device_init(struct sim_world *world, struct sim_bus_device *device,
                         struct sim_object *owner, const char *label, const struct sim_bus_ops *ops,
                         void *state) {
    memset(device, 0, sizeof(*device));
    sim_object_init(world, &device->object, owner, label, SIM_NAME_PLAIN);
    device->world = world;
    device->ops = ops;
    device->state = state;
    device->present = true;
}

/* ---- Registers ---- */

static bool is_register_access(const struct sim_bus_device *device, uint32_t bar, uint64_t offset,
                               uint32_t bytes) {
    return bar < SIM_BUS_BAR_COUNT && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) &&
           offset % bytes == 0 && offset < device->bar_bytes[bar];
}

/*
 * BAR and offset in one value of a record. What is read or written stays out of it: it may be a DMA
 * address, and those are not the same with special pool as without.
 */
static uint64_t register_value(uint32_t bar, uint64_t offset) {
    return ((uint64_t)bar << 56) | offset;
}

uint64_t sim_bus_read(struct sim_bus_device *device, uint32_t bar, uint64_t offset,
                      uint32_t bytes) {
    uint64_t mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << (bytes * 8)) - 1;
    uint64_t value = mask;
    SIM_ASSERT(is_register_access(device, bar, offset, bytes));
    if (device->present) {
        value = device->ops->bar_read(device, bar, offset, bytes) & mask;
    }
    sim_trace(device->world, SIM_RECORD_BUS_READ, SIM_ACCESS_READ, &device->object, NULL, NULL,
              register_value(bar, offset), bytes);
    return value;
}

void sim_bus_write(struct sim_bus_device *device, uint32_t bar, uint64_t offset, uint32_t bytes,
                   uint64_t value) {
    SIM_ASSERT(is_register_access(device, bar, offset, bytes));
    sim_trace(device->world, SIM_RECORD_BUS_WRITE, SIM_ACCESS_WRITE, &device->object, NULL, NULL,
              register_value(bar, offset), bytes);
    if (device->present) {
        device->ops->bar_write(device, bar, offset, bytes, value);
    }
}

void sim_bus_reset(struct sim_bus_device *device) {
    sim_trace(device->world, SIM_RECORD_BUS_RESET, SIM_ACCESS_WRITE, &device->object, NULL, NULL, 0,
              0);
    if (device->present && device->ops->reset != NULL) {
        device->ops->reset(device);
    }
}

static void presence_set(struct sim_bus_device *device, bool present) {
    void (*told)(struct sim_bus_device * device) =
        present ? device->ops->inserted : device->ops->removed;

    if (device->present == present) {
        return;
    }
    device->present = present;
    if (told != NULL) {
        told(device);
    }
}

void sim_bus_remove(struct sim_bus_device *device) {
    if (device->unplugged) {
        return;
    }
    sim_trace(device->world, SIM_RECORD_BUS_REMOVED, SIM_ACCESS_CLOSE, &device->object, NULL, NULL,
              0, 0);
    device->unplugged = true;
    presence_set(device, false);
}

void sim_bus_insert(struct sim_bus_device *device) {
    if (!device->unplugged) {
        return;
    }
    sim_trace(device->world, SIM_RECORD_BUS_INSERTED, SIM_ACCESS_CREATE, &device->object, NULL,
              NULL, 0, 0);
    device->unplugged = false;
    presence_set(device, true);
}

void sim_bus_power_set(struct sim_bus_device *device, bool on) {
    sim_trace(device->world, SIM_RECORD_BUS_POWER, SIM_ACCESS_WRITE, &device->object, NULL, NULL,
              on, 0);
    presence_set(device, on && !device->unplugged);
}

/* ---- Interrupts ---- */

/* One that comes later than it was raised. */
struct delayed_interrupt {
    struct sim_event event;
    struct sim_bus_device *device;
    uint32_t vector;
};

static void raise_now(struct sim_bus_device *device, uint32_t vector) {
    if (!device->present || device->interrupt == NULL) {
        return;
    }
    sim_trace(device->world, SIM_RECORD_BUS_INTERRUPT, SIM_ACCESS_WRITE, &device->object, NULL,
              NULL, vector, 0);
    device->interrupt(device->interrupt_context, vector);
}

static void on_delayed_interrupt(struct sim_world *world, struct sim_event *event) {
    struct delayed_interrupt *delayed = SIM_CONTAINER_OF(event, struct delayed_interrupt, event);
    struct sim_bus_device *device = delayed->device;
    uint32_t vector = delayed->vector;
    sim_free(world, delayed, sizeof(*delayed));
    raise_now(device, vector);
}

static void raise_later(struct sim_bus_device *device, uint32_t vector, uint64_t delay_ns) {
    struct delayed_interrupt *delayed = sim_alloc(device->world, sizeof(*delayed));
    delayed->device = device;
    delayed->vector = vector;
    sim_event_init(&delayed->event, "interrupt", &device->object, on_delayed_interrupt);
    sim_event_schedule(device->world, &delayed->event, delay_ns);
}

void sim_bus_interrupt(struct sim_bus_device *device, uint32_t vector) {
    struct sim_world *world = device->world;
    uint64_t delay_ns = 0;
    SIM_ASSERT(vector < device->vector_count);
    if (!device->present || sim_fault_hit(world, &interrupt_lost, &device->object, NULL)) {
        return;
    }
    if (sim_fault_hit(world, &interrupt_spurious, &device->object, NULL)) {
        raise_later(device, vector, SPURIOUS_DELAY_NS);
    }
    if (sim_fault_hit(world, &interrupt_late, &device->object, &delay_ns)) {
        raise_later(device, vector, delay_ns);
    } else {
        raise_now(device, vector);
    }
}

/* ---- DMA ---- */

void sim_dma_check_set(struct sim_world *world,
                       bool (*allowed)(struct sim_world *world, struct sim_bus_device *device,
                                       uint64_t frame, bool write)) {
    world->sched.dma_allowed = allowed;
}

void sim_dma_translate_set(struct sim_world *world,
                           void *(*translate)(struct sim_world *world,
                                              struct sim_bus_device *device, uint64_t frame,
                                              bool write)) {
    world->sched.dma_translate = translate;
}

void sim_dma_watch_set(struct sim_world *world, struct sim_dma_watch *watch) {
    world->sched.dma_watch = watch;
}

static void *dma_failed(struct sim_bus_device *device, uint64_t bytes) {
    sim_trace(device->world, SIM_RECORD_BUS_DMA_ERROR, SIM_ACCESS_NONE, &device->object, NULL, NULL,
              bytes, 0);
    return NULL;
}

/* The memory behind a piece that does not cross a page, NULL when the access is refused. */
static unsigned char *dma_piece(struct sim_bus_device *device, uint64_t dma_address, uint64_t bytes,
                                bool write) {
    struct sim_world *world = device->world;
    uint64_t frame = dma_address / SIM_PAGE_BYTES;
    uint64_t offset = dma_address % SIM_PAGE_BYTES;
    unsigned char *page = NULL;
    SIM_ASSERT(offset + bytes <= SIM_PAGE_BYTES);
    if (device->present && (world->sched.dma_allowed == NULL ||
                            world->sched.dma_allowed(world, device, frame, write))) {
        page = world->sched.dma_translate != NULL
                   ? world->sched.dma_translate(world, device, frame, write)
                   : sim_frame_page(world, frame);
    }
    return page != NULL ? page + offset : dma_failed(device, bytes);
}

static uint64_t piece_bytes(uint64_t dma_address, uint64_t bytes) {
    uint64_t room = SIM_PAGE_BYTES - dma_address % SIM_PAGE_BYTES;
    return bytes < room ? bytes : room;
}

bool sim_dma_read(struct sim_bus_device *device, uint64_t dma_address, void *to, uint64_t bytes) {
    unsigned char *at = to;
    if (sim_fault_hit(device->world, &dma_error, &device->object, NULL)) {
        return dma_failed(device, bytes) != NULL;
    }
    while (bytes != 0) {
        uint64_t piece = piece_bytes(dma_address, bytes);
        const unsigned char *from = dma_piece(device, dma_address, piece, false);
        if (from == NULL) {
            return false;
        }
        memcpy(at, from, piece);
        at += piece;
        dma_address += piece;
        bytes -= piece;
    }
    return true;
}

static void write_piece(struct sim_world *world, unsigned char *to, const unsigned char *from,
                        uint64_t bytes) {
    struct sim_dma_watch *watch = world->sched.dma_watch;
    if (watch != NULL)
        watch->wrote(world, watch, to, bytes, false);
    memcpy(to, from, bytes);
    if (watch != NULL)
        watch->wrote(world, watch, to, bytes, true);
}

bool sim_dma_write(struct sim_bus_device *device, uint64_t dma_address, const void *from,
                   uint64_t bytes) {
    const unsigned char *at = from;
    if (sim_fault_hit(device->world, &dma_error, &device->object, NULL)) {
        return dma_failed(device, bytes) != NULL;
    }
    while (bytes != 0) {
        uint64_t piece = piece_bytes(dma_address, bytes);
        unsigned char *to = dma_piece(device, dma_address, piece, true);
        if (to == NULL) {
            return false;
        }
        write_piece(device->world, to, at, piece);
        at += piece;
        dma_address += piece;
        bytes -= piece;
    }
    return true;
}

const void *sim_dma_page(struct sim_bus_device *device, uint64_t dma_address, uint64_t bytes) {
    if (sim_fault_hit(device->world, &dma_error, &device->object, NULL)) {
        return dma_failed(device, bytes);
    }
    return dma_piece(device, dma_address, bytes, false);
}
