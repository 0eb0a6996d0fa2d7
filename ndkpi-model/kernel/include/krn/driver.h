/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver modules. Each node gets its own copy of the module's file, so that globals are separate;
 * writable segments are saved at the world's snapshot and restored at its reset (relocated
 * read-only data, coverage and profile counters left alone). Images are kept by the process and
 * used again by later worlds from their pristine state.
 *
 *   CREATED -load-> ENTERING -STATUS_SUCCESS-> LOADED -unload-> UNLOADING -> UNLOADED
 *                 |    '------ failure ------> FAILED          |
 *                 '----------------- load again ---------------'
 *
 * An unloaded image counts as unmapped: running it, or touching its data, is bugcheck 0xCE.
 */
#ifndef KRN_DRIVER_H
#define KRN_DRIVER_H

#include <krn/node.h>
#include <sim/finding.h>

enum krn_driver_state {
    KRN_DRIVER_CREATED,
    KRN_DRIVER_ENTERING,
    KRN_DRIVER_LOADED,
    KRN_DRIVER_UNLOADING,
    KRN_DRIVER_UNLOADED,
    KRN_DRIVER_FAILED,
};

/* A registry value of bytes (REG_BINARY). */
struct krn_binary {
    const char *name;
    const void *data;
    uint32_t bytes;
};

struct krn_driver_config {
    const char *name;                 /* the `as` name: root of all birth names of what it makes */
    const char *module;               /* path of the module's file */
    const struct krn_keyword *values; /* registry values below its Parameters key */
    size_t value_count;
    const struct krn_binary *binaries; /* more of them */
    size_t binary_count;
    uint32_t load_count;  /* how often it can be loaded, each time in a fresh image; 0: once */
    bool is_for_adapters; /* meant as a miniport, whether it comes to register one or not */
};

/*
 * Opens the module (host work, no virtual time; before sim_run or between runs). Returns NULL and
 * fills `error` when it cannot: no file, not a module, no DriverEntry, a name that nothing exports,
 * fault points that cannot be. Those that the module declares are known to the world from here on.
 */
struct krn_driver *krn_driver_create(struct krn_node *node, const struct krn_driver_config *config,
                                     char *error, size_t error_bytes);

/*
 * Fault points that a module's file declares, in its order; nothing of it runs. Texts are valid
 * during the visit. False with a sentence in `error`.
 */
typedef void krn_fault_visit(void *context, const char *name, const char *about);
bool krn_module_faults(const char *module, krn_fault_visit *visit, void *context, char *error,
                       size_t error_bytes);

/* A value that a driver reads from its adapter's keywords or its registry (NDKSIM_SETTING). */
struct krn_setting {
    const char *name;
    const char *about;
    uint32_t value; /* what an absent one counts as */
    uint32_t value_min;
    uint32_t value_max;
};

/*
 * What a module's file declares of them, in its order; nothing of it runs, texts are valid during
 * the visit. A module without a table declares none. False with a sentence in `error`.
 */
typedef void krn_setting_visit(void *context, const struct krn_setting *setting);
bool krn_module_settings(const char *module, krn_setting_visit *visit, void *context, char *error,
                         size_t error_bytes);

/*
 * Runs DriverEntry in a system thread; when it answers success and registered a miniport, the
 * adapters that name this driver are initialised one after the other. step->status: DriverEntry's,
 * or the first failed initialisation's; STATUS_IMAGE_ALREADY_LOADED when it is loaded, or was as
 * often as it can be.
 */
void krn_driver_load(struct krn_driver *driver, struct krn_step *step);

/*
 * Halts its adapters, runs DriverUnload in a system thread, then checks what it leaves behind
 * (pool, devices, threads, timers, DPCs, work items, registrations). step->status is
 * STATUS_INVALID_DEVICE_REQUEST when the driver has no DriverUnload.
 */
void krn_driver_unload(struct krn_driver *driver, struct krn_step *step);

/*
 * Between runs, before code addresses are looked up: unloaded drivers' images, which nobody may
 * read, hold their names. The next reset makes everything as it was.
 */
void krn_images_readable(void);

/*
 * What Windows does when it shuts down while the driver stays loaded: nothing is checked. For
 * scenarios that end without unloading, the runner asks krn_driver_leftovers for its report.
 */
struct krn_driver *krn_driver_find(const struct krn_node *node, const char *name);
struct krn_driver *krn_driver_at(const struct krn_node *node, size_t index); /* or NULL */
struct krn_driver *krn_driver_of_code(const struct sim_world *world,
                                      const void *code); /* or NULL */
/* Leaves out the kernel's own frames: a site begins with the driver that called, if any did. */
void krn_site_begin_with_driver(const struct sim_world *world, struct sim_site *site);
struct sim_object *krn_driver_object(struct krn_driver *driver);
struct krn_driver *krn_driver_of_object(const struct sim_world *world,
                                        const struct sim_object *object); /* walks owners */
struct krn_node *krn_driver_node(const struct krn_driver *driver);
enum krn_driver_state krn_driver_state(const struct krn_driver *driver);
/* It has registered a miniport. */
bool krn_driver_is_provider(const struct krn_driver *driver);
/* It has handed in NDK provider characteristics, whatever became of them. */
bool krn_driver_offers_ndk(const struct krn_driver *driver);
const char *krn_driver_name(const struct krn_driver *driver);
const char *krn_driver_module(const struct krn_driver *driver);
/* GNU build id or Mach-O UUID in hex, or the hash of the file's bytes. */
const char *krn_driver_build_id(const struct krn_driver *driver);
/* Its loads and stores are schedule points: what was recorded holds for this build only. */
bool krn_driver_is_instrumented(const struct krn_driver *driver);

/* Devices, by the name given to IoCreateDevice, with or without "\\Device\\", "\\DosDevices\\". */
struct krn_handle;
struct krn_handle *krn_handle_open(struct krn_node *node, const char *device,
                                   struct krn_step *step); /* IRP_MJ_CREATE; NULL: no such device */
void krn_handle_close(struct krn_handle *handle, struct krn_step *step); /* CLEANUP, CLOSE */

/*
 * Sends IRP_MJ_DEVICE_CONTROL from a thread of the node. `handle` may be NULL: then the device by
 * name, with a create before and a close after. Buffers are the asker's, alive until done; the
 * transfer method is the code's (buffered, in direct, out direct, neither).
 */
struct krn_ioctl {
    struct krn_handle *handle;
    const char *device;
    uint32_t code;
    const void *in;
    uint32_t in_bytes;
    void *out;
    uint32_t out_bytes;
    struct krn_step step;
    void *internal; /* the kernel's */
};
/* The name of the driver's first device that has one, else the driver's. */
const char *krn_driver_device(const struct krn_driver *driver);
void krn_ioctl_send(struct krn_node *node, struct krn_ioctl *ioctl);
/* Cancels the pending IRP as IoCancelIrp does; no-op when it is done. */
void krn_ioctl_cancel(struct krn_ioctl *ioctl);

#endif
