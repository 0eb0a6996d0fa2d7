/* SPDX-License-Identifier: Apache-2.0 */
/* A device model that is wrong in the one thing that its build says. */
#include <device/device.h>

#include <stdio.h>

#ifdef WRONG_NAME
#define NAME "wrong device"
#else
#define NAME "wrong"
#endif
#ifdef WRONG_SETTING
#define SETTING "Ring Entries"
#else
#define SETTING "ring_entries"
#endif
#ifdef WRONG_EVENT
#define EVENT "begin"
#else
#define EVENT "wrong.begin"
#endif
#ifdef WRONG_FAULT
#define LAYER "packet"
#else
#define LAYER "device"
#endif
#ifdef WRONG_BARS
#define BAR_BYTES 100
#else
#define BAR_BYTES SIM_PAGE_BYTES
#endif

#ifdef WRONG_ACCESS
static volatile uint64_t *volatile nowhere = (volatile uint64_t *)(uintptr_t)8;
#endif
static struct sim_bus_device bus;
static struct sim_fault_point point = {.name = "wrong.fails", .layer = LAYER, .about = "Fails."};
static struct sim_fault_point *const points[] = {&point};
static const struct device_setting settings[] = {
    {SETTING, "Entries of the ring.", DEVICE_SETTING_POWER, 16, 256, 64}};
static const char *const events[] = {EVENT};

static uint64_t bar_read(struct sim_bus_device *device, uint32_t bar, uint64_t offset,
                         uint32_t bytes) {
    (void)device;
    (void)bar;
    (void)offset;
    (void)bytes;
#ifdef WRONG_ACCESS
    return *nowhere;
#endif
    return 0;
}

static void bar_write(struct sim_bus_device *device, uint32_t bar, uint64_t offset, uint32_t bytes,
                      uint64_t value) {
    (void)device;
    (void)bar;
    (void)offset;
    (void)bytes;
    (void)value;
}

static void reset(struct sim_bus_device *device) {
    (void)device;
}

static const struct sim_bus_ops ops = {.bar_read = bar_read,
                                       .bar_write = bar_write,
                                       .reset = reset,
                                       .removed = reset,
                                       .inserted = reset};

/* Its bus device lies in the module: that is restored too. */
static bool create(const struct device_config *config, struct device *device) {
#ifdef WRONG_CREATE
    char text[64];

    snprintf(text, sizeof(text), "a ring of %u entries is no good",
             (unsigned)config->settings[0].number);
    config->complain(config, text);
    return false;
#endif
    sim_bus_device_init(config->world, &bus, config->owner, config->label, &ops, NULL);
    bus.bar_bytes[0] = BAR_BYTES;
    device->bus = &bus;
    return true;
}

static bool check(const struct device *device, char *text, size_t size) {
#ifdef WRONG_CHECK
    snprintf(text, size, "nothing holds");
    return device == NULL;
#else
    (void)text;
    (void)size;
    return device != NULL;
#endif
}

static const struct device_model model = {
#ifdef WRONG_VERSION
    .interface_version = DEVICE_INTERFACE_VERSION + 1,
    .model_bytes = sizeof(struct device_model),
    .layout = DEVICE_LAYOUT,
#elif defined(WRONG_LAYOUT)
    .interface_version = DEVICE_INTERFACE_VERSION,
    .model_bytes = sizeof(struct device_model),
    .layout = DEVICE_LAYOUT + 1,
#else
    DEVICE_MODEL_HEAD,
#endif
    .name = NAME,
    .version = "1",
    .about = "Is wrong.",
    .settings = settings,
    .setting_count = 1,
    .event_names = events,
    .event_count = 1,
    .faults = points,
    .fault_count = 1,
    .create = create,
    .check = check,
};
DEVICE_EXPORT(model)
