/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device model: the hardware below somebody's driver, as a loadable module. This header, and what
 * it includes, is all that a model needs; nothing of the kernel, of NDK or of the built-in device.
 *
 * The module hides every symbol but one, `ndksim_device_model` (DEVICE_EXPORT), and resolves
 * against the program's exports. An adapter of a scenario names it: "device": "./mydevice.so".
 * Every adapter gets a copy of the module's file, so that its globals are that device's alone.
 *
 *   load: version and layout compared, settings of the scenario checked, events, faults, machines
 *     |   and counters made known
 *   create() -> create() of the next adapter ... -> drivers start -> the world's snapshot
 *     |
 *   [ a run; then the world's reset: world memory and the module's writable data are as they were
 *     |   at the snapshot; reset() ]*
 *   destroy()
 *
 * What a model has, and where it is described:
 *
 *   <sim/bus.h>      BARs with handlers, DMA by DMA address, interrupt vectors, removal and power
 *   <sim/event.h>    the clock (virtual ns) and events; <sim/object.h> birth names
 *   <net/port.h>     the port: send, on_frame, on_link, MTU, rate; <net/frame.h> frames;
 *                    <net/topology.h> addresses and who is reachable; <net/names.h> classes
 *   <wire/...>       codecs of Ethernet, IP, UDP, RoCE, CM, for models that want them
 *   <sim/choice.h>   sim_choose: whatever could have gone otherwise. Kinds ANSWER, DELAY (due times
 *                    only ever move later) and DRIVER are open to a model
 *   <sim/fault.h>    fault points; a model lists its own in the table below
 *   <sim/trace.h>    records, part of the digest; sim_text, a line in the log
 *   <sim/memory.h>   sim_alloc, sim_free: the world's memory, the only one there is after create
 *   <sim/machine.h>  state machines, for coverage
 *
 * Laws. A run is a function of scenario, drivers and choices: no clock, no random number, no
 * environment, no thread, no malloc after create, no address that is traced, compared or used to
 * order anything. Nothing waits: handlers run in the task that touches the register, events and
 * frames in the scheduler. Virtual time passes in the event queue alone. A SIM_ASSERT that fails is
 * a fault of the model: exit 134. What a driver does wrong is for the model to answer as hardware
 * does: an error in a completion, a fatal state, an interrupt.
 */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include <net/frame.h>
#include <net/port.h>
#include <net/topology.h>
#include <sim/base.h>
#include <sim/bus.h>
#include <sim/choice.h>
#include <sim/event.h>
#include <sim/fault.h>
#include <sim/machine.h>
#include <sim/memory.h>
#include <sim/object.h>
#include <sim/trace.h>

/* Grows with every change of this header, or of one that it includes, that a module must know. */
#define DEVICE_INTERFACE_VERSION 1u

/*
 * The sizes of what program and module share, so that a module built against headers of another
 * build is refused with a sentence and never runs.
 */
#define DEVICE_LAYOUT                                                                              \
    (sizeof(struct device_model) + sizeof(struct device_config) * UINT64_C(3) +                    \
     sizeof(struct device) * UINT64_C(5) + sizeof(struct sim_object) * UINT64_C(0x101) +           \
     sizeof(struct sim_event) * UINT64_C(0x1003) +                                                 \
     sizeof(struct sim_bus_device) * UINT64_C(0x10001) +                                           \
     sizeof(struct sim_bus_ops) * UINT64_C(0x80003) +                                              \
     sizeof(struct net_port) * UINT64_C(0x100003) +                                                \
     sizeof(struct net_frame) * UINT64_C(0x1000003) +                                              \
     sizeof(struct sim_fault_point) * UINT64_C(0x1000000F) +                                       \
     sizeof(struct sim_choice) * UINT64_C(0x100000007) +                                           \
     sizeof(struct sim_machine) * UINT64_C(0x100000000B))

enum device_setting_kind {
    DEVICE_SETTING_NUMBER, /* 12 */
    DEVICE_SETTING_POWER,  /* 4096: a power of two */
    DEVICE_SETTING_FLAG,   /* true or 1, false or 0; bounds are not looked at */
    DEVICE_SETTING_TIME,   /* "2us", in ns */
    DEVICE_SETTING_BYTES,  /* "64KiB" or 65536 */
    DEVICE_SETTING_TEXT,   /* "..."; bounds are of its length */
};

/*
 * Something that a scenario may set: {"device": {"load": "./mydevice.so", "settings": {"ring":
 * 64}}} or, numbers, powers and flags, in the adapter's "limits". Names are lower case letters,
 * digits and
 * _. A name that the table has not, or a value out of bounds, is an error of the scenario, with its
 * line; the model never sees it.
 */
struct device_setting {
    const char *name;
    const char *about; /* one sentence, for `ndksim list devices` and `list limits` */
    enum device_setting_kind kind;
    uint64_t least; /* both included; in ns, bytes, characters or plainly */
    uint64_t most;
    uint64_t otherwise; /* when the scenario says nothing; a text is then NULL */
};

/* What it was set to. */
struct device_value {
    uint64_t number;
    const char *text; /* of a TEXT, else NULL; lives as long as the world */
    bool is_given;    /* by the scenario */
};

/* One of the adapter's keywords ("*NetworkDirect": "1"), for models that have a flash. */
struct device_keyword {
    const char *name;
    const char *text;
};

/*
 * What create() is told. It and what it points to is the loader's, and lives as long as the world.
 */
struct device_config {
    struct sim_world *world;
    struct sim_object *owner;             /* the node */
    const char *label;                    /* the adapter's name, unique below the node */
    const struct wire_mac *mac;           /* of the scenario; NULL: net_port_init makes one */
    const struct wire_ip_addr *addresses; /* net_port_address_at has the same, after create */
    uint32_t address_count;
    const struct device_keyword *keywords;
    uint32_t keyword_count;
    const struct device_value *settings; /* by index of the model's table */
    const uint16_t *events;              /* trace types, by index of the model's event_names */
    /*
     * Says why create() answers false, as a sentence without its full stop; it stands behind the
     * scenario's line. The last one counts.
     */
    void (*complain)(const struct device_config *config, const char *text);
};

/* A device, filled by create(); the loader's, alive as long as the world. */
struct device {
    struct sim_bus_device *bus; /* initialised, with BARs and vector count */
    struct net_port *port; /* initialised and not plugged in; NULL: one that drops all frames */
    void *state;           /* the model's own */
};

/* The table. Everything in static storage of the module; what is not used stays 0. */
struct device_model {
    /* DEVICE_MODEL_HEAD fills these three. Their places never change. */
    uint32_t interface_version;
    uint32_t model_bytes;
    uint64_t layout;
    const char *name;    /* "mydevice": letters, digits, - and _ */
    const char *version; /* "1.2", for reports */
    const char *about;   /* one sentence */
    const struct device_setting *settings;
    uint32_t setting_count;
    /*
     * Names of its trace records, dotted lower case ("mydevice.dma"); a scenario may wait for
     * them. config->events has their numbers.
     */
    const char *const *event_names;
    uint32_t event_count;
    /*
     * Fault points, layers "device" and "resource" (what fails for want of something: the failure
     * sweep tries these). `ndksim list faults` shows those of a scenario's or a named module. The
     * same name in two models is one point.
     */
    struct sim_fault_point *const *faults;
    uint32_t fault_count;
    const struct sim_machine *machines;
    uint32_t machine_count;
    /* Counters that expectations read as "node.adapter.name"; the device must not change in it. */
    const char *const *counter_names;
    uint32_t counter_count;
    uint64_t (*counter)(const struct device *device, uint32_t index);
    /*
     * Makes the device: present, disabled, with its bus device (sim_bus_device_init, named
     * config->owner, config->label) and its port (net_port_init below the bus device's object).
     * False after complain(). May allocate from the world; it is set-up, no run.
     */
    bool (*create)(const struct device_config *config, struct device *device);
    /*
     * The world has been set back for another run, and everything in it with the module's data. For
     * what lies outside of both, of which there should be nothing. May be NULL.
     */
    void (*reset)(struct device *device);
    /* The world ends; its memory goes by itself. May be NULL; half-built devices do not come. */
    void (*destroy)(struct device *device);
    /*
     * What must hold between steps, looked at by `--checks`, in fuzz and at the end of a run. It
     * changes nothing. False, with what was found instead in `text`, is exit 134. May be NULL.
     */
    bool (*check)(const struct device *device, char *text, size_t size);
};

#define DEVICE_MODEL_HEAD                                                                          \
    .interface_version = DEVICE_INTERFACE_VERSION, .model_bytes = sizeof(struct device_model),     \
    .layout = DEVICE_LAYOUT

/*
 * The module's one visible symbol:
 *
 *     static const struct device_model model = {DEVICE_MODEL_HEAD, .name = "mydevice", ...};
 *     DEVICE_EXPORT(model)
 */
#define DEVICE_EXPORT(model)                                                                       \
    extern __attribute__((visibility("default")))                                                  \
    const struct device_model *const ndksim_device_model;                                          \
    const struct device_model *const ndksim_device_model = &(model);

#define DEVICE_EXPORT_NAME "ndksim_device_model"

#endif
