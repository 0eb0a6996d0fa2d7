/* SPDX-License-Identifier: Apache-2.0 */
/* The miniport of tests/drivers/miniport.c on a device, and the client of client.c. */
#ifndef TESTS_UNIT_KERNEL_MINI_H
#define TESTS_UNIT_KERNEL_MINI_H

#include <sim/bus.h>

#include <krn/counter.h>
#include <krn/ndk.h>

#include "node.h"

#define OPEN 0x222000u
#define CLOSE 0x222004u
#define LEAVE 0x222008u
#define FORGET 0x22200Cu
#define OID_NDK_SET_STATE 0xFC040201u
#define OID_PENDS 0xFF000001u
#define OID_EVENT 0xFF000002u

static struct sim_bus_device device;
static uint64_t shared_address;
static struct krn_adapter *adapter;
static struct krn_driver *miniport;
static struct krn_driver *client;
static struct krn_step step;

static inline uint64_t bar_read(struct sim_bus_device *of, uint32_t bar, uint64_t offset,
                                uint32_t count) {
    (void)of;
    (void)bar;
    (void)offset;
    (void)count;
    return 0;
}

static inline void bar_write(struct sim_bus_device *of, uint32_t bar, uint64_t offset,
                             uint32_t count, uint64_t value) {
    (void)bar;
    (void)offset;
    (void)count;
    shared_address = value;
    sim_bus_interrupt(of, 0);
}

static const struct sim_bus_ops ops = {.bar_read = bar_read, .bar_write = bar_write};

static inline struct krn_driver *make_driver(const char *name, const char *module) {
    struct krn_driver_config config = {.name = name, .module = module};
    char error[256] = "";
    struct krn_driver *driver = krn_driver_create(node, &config, error, sizeof(error));

    if (driver == NULL) {
        fail_msg("%s", error);
    }
    return driver;
}

static inline bool step_done(struct sim_world *in, void *which) {
    (void)in;
    return ((struct krn_step *)which)->is_done;
}

static inline int32_t finish(struct krn_step *which) {
    enum sim_run_end end = sim_run(world, step_done, which, SIM_TIME_NEVER);

    if (end == SIM_RUN_FINDING) {
        fail_msg("%s %s", sim_finding_at(world, 0)->id, sim_finding_at(world, 0)->sentence);
    }
    assert_int_equal(end, SIM_RUN_UNTIL);
    return which->status;
}

static inline int32_t load(struct krn_driver *driver) {
    krn_driver_load(driver, &step);
    return finish(&step);
}

static inline int32_t unload(struct krn_driver *driver) {
    krn_driver_unload(driver, &step);
    return finish(&step);
}

static inline struct krn_ioctl *send(uint32_t code, uint32_t major, uint32_t index) {
    static uint32_t input[3];
    static struct krn_ioctl ioctl;

    input[0] = major;
    input[1] = 0;
    input[2] = index;
    memset(&ioctl, 0, sizeof(ioctl));
    ioctl.device = "Client";
    ioctl.code = code;
    ioctl.in = input;
    ioctl.in_bytes = sizeof(input);
    krn_ioctl_send(node, &ioctl);
    return &ioctl;
}

static inline int32_t control(uint32_t code, uint32_t major, uint32_t index) {
    return finish(&send(code, major, index)->step);
}

static inline uint64_t counter(struct krn_driver *driver, const char *name) {
    uint64_t value = UINT64_MAX;

    (void)krn_counter_get(driver, name, &value);
    return value;
}

static inline int setup(void **state) {
    static const struct krn_keyword keywords[] = {{"*NetworkDirect", "1"}};
    struct krn_adapter_config config = {.name = "nic0",
                                        .driver = "mini",
                                        .interface_index = 7,
                                        .device = &device,
                                        .keywords = keywords,
                                        .keyword_count = 1};

    make_node(state);
    memset(&device, 0, sizeof(device));
    sim_bus_device_init(world, &device, krn_node_object(node), "nic0", &ops, NULL);
    device.bar_bytes[0] = 4096;
    device.vector_count = 2;
    adapter = krn_adapter_add(node, &config);
    miniport = make_driver("mini", TEST_DRIVER_DIR "/test_miniport.so");
    client = make_driver("client", TEST_DRIVER_DIR "/test_client.so");
    return 0;
}

static inline int32_t oid(uint32_t number, bool is_set, uint32_t value, uint32_t *answer) {
    static struct krn_oid request;
    static uint32_t buffer;
    int32_t status;

    buffer = value;
    memset(&request, 0, sizeof(request));
    request.oid = number;
    request.is_set = is_set;
    request.buffer = &buffer;
    request.bytes = sizeof(buffer);
    krn_adapter_oid(adapter, &request, &step);
    status = finish(&step);
    if (answer != NULL) {
        *answer = buffer;
    }
    return status;
}

static inline int32_t pnp(enum krn_pnp action) {
    krn_adapter_pnp(adapter, action, &step);
    return finish(&step);
}

#define NDIS_TEST(name) cmocka_unit_test_setup_teardown(name, setup, end_node)

#endif
