/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bus between a device model and a kernel. A device plugs in BARs, a DMA master and interrupt
 * vectors; the kernel of a node takes them, maps them for the driver and routes its interrupts.
 * Device models (ours and a user's: <device/device.h>) include this header and nothing of the
 * kernel.
 *
 * A BAR is never dereferenced: the kernel gives the driver an address that faults, and
 * READ_REGISTER and WRITE_REGISTER come here. DMA addresses are page frame * SIM_PAGE_BYTES +
 * offset, never virtual. A DMA access touches one or more frames; one with nothing behind it, or
 * that the IOMMU of the node does not map, is a DMA error: it returns false and moves nothing of
 * that page.
 */
#ifndef SIM_BUS_H
#define SIM_BUS_H

#include <sim/base.h>
#include <sim/object.h>

#define SIM_BUS_BAR_COUNT 3u
#define SIM_BUS_VECTOR_COUNT_MAX 64u

struct sim_bus_device;

struct sim_bus_ops {
    /* `bytes` is 1, 2, 4 or 8. Called in the task that touches the register; must not wait. */
    uint64_t (*bar_read)(struct sim_bus_device *device, uint32_t bar, uint64_t offset,
                         uint32_t bytes);
    void (*bar_write)(struct sim_bus_device *device, uint32_t bar, uint64_t offset, uint32_t bytes,
                      uint64_t value);
    void (*reset)(struct sim_bus_device *device);    /* function-level reset */
    void (*removed)(struct sim_bus_device *device);  /* it is gone or has no power */
    void (*inserted)(struct sim_bus_device *device); /* it is back, as after a reset */
};

struct sim_bus_device {
    struct sim_object object;
    struct sim_world *world;
    const struct sim_bus_ops *ops;
    void *state;                           /* the device's own */
    uint64_t bar_bytes[SIM_BUS_BAR_COUNT]; /* multiples of SIM_PAGE_BYTES; 0: none */
    uint32_t vector_count;
    uint16_t vendor_id;
    uint16_t device_id;
    /* Filled by the kernel when a driver connects the vector; called from any context. */
    void (*interrupt)(void *context, uint32_t vector);
    void *interrupt_context;
    bool present;   /* plugged in, with power: it answers */
    bool unplugged; /* removed: power does not bring it back */
};

void sim_bus_device_init(struct sim_world *world, struct sim_bus_device *device,
                         struct sim_object *owner, const char *label, const struct sim_bus_ops *ops,
                         void *state);

/* The kernel's side. Both trace "bus.read" / "bus.write" and are free of schedule points. */
uint64_t sim_bus_read(struct sim_bus_device *device, uint32_t bar, uint64_t offset, uint32_t bytes);
void sim_bus_write(struct sim_bus_device *device, uint32_t bar, uint64_t offset, uint32_t bytes,
                   uint64_t value);

/*
 * Function-level reset; surprise removal, after which reads give all ones and writes are lost, and
 * its end; power, whose lack is a removal without a word to the node.
 */
void sim_bus_reset(struct sim_bus_device *device);
void sim_bus_remove(struct sim_bus_device *device);
void sim_bus_insert(struct sim_bus_device *device);
void sim_bus_power_set(struct sim_bus_device *device, bool on);

/* The device's side. Interrupt faults (lost, late, spurious) act here. */
void sim_bus_interrupt(struct sim_bus_device *device, uint32_t vector);
bool sim_dma_read(struct sim_bus_device *device, uint64_t dma_address, void *to, uint64_t bytes);
bool sim_dma_write(struct sim_bus_device *device, uint64_t dma_address, const void *from,
                   uint64_t bytes);
/*
 * The host memory behind [dma_address, dma_address + bytes), which must not cross a page, to read
 * without a copy within the current step. NULL on a DMA error.
 */
const void *sim_dma_page(struct sim_bus_device *device, uint64_t dma_address, uint64_t bytes);

/* The kernel's IOMMU check: NULL lets every frame with memory behind it through. */
void sim_dma_check_set(struct sim_world *world,
                       bool (*allowed)(struct sim_world *world, struct sim_bus_device *device,
                                       uint64_t frame, bool write));

/*
 * The kernel's IOMMU: what stands behind a frame number, instead of sim_frame_page. It may know
 * frames of its own (memory that a driver wants contiguous) and refuse others with NULL.
 */
void sim_dma_translate_set(struct sim_world *world,
                           void *(*translate)(struct sim_world *world,
                                              struct sim_bus_device *device, uint64_t frame,
                                              bool write));

/*
 * Who looks on when devices write to memory: called before and after each piece, which does not
 * cross a page; `to` is the host's memory. It only looks. One per world; NULL takes it away.
 */
struct sim_dma_watch {
    void (*wrote)(struct sim_world *world, struct sim_dma_watch *watch, const void *to,
                  uint64_t bytes, bool is_done);
};
void sim_dma_watch_set(struct sim_world *world, struct sim_dma_watch *watch);

#endif
