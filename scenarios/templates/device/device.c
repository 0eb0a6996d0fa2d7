/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device to start from: it copies memory. A driver writes source, target and length, then GO;
 * some time later the device reads the source by DMA, writes the target, sets STATUS and
 * interrupts.
 *
 *   IDLE --GO--> BUSY --the event comes--> IDLE          (GO while BUSY fails the copy that runs)
 *
 * Everything waits in the event queue: nothing here sleeps, and there is no clock but the world's.
 */
#include <device/device.h>

#include <string.h>

#include "registers.h"

enum { SETTING_LATENCY, SETTING_COUNT };
static const struct device_setting settings[SETTING_COUNT] = {
    [SETTING_LATENCY] = {"latency", "From GO to the end of the copy.", DEVICE_SETTING_TIME, 1,
                         SIM_NS_PER_S, 2 * SIM_NS_PER_US},
};

enum { EVENT_BEGIN, EVENT_END, EVENT_COUNT };
static const char *const event_names[EVENT_COUNT] = {"copier.begin", "copier.end"};

static struct sim_fault_point copy_fails = {
    .name = "copier.copy_fails",
    .layer = "device",
    .about = "A copy moves nothing and ends as failed.",
    .free = true,
};
static struct sim_fault_point *const faults[] = {&copy_fails};

enum { COUNTER_COPIES, COUNTER_FAILURES, COUNTER_COUNT };
static const char *const counter_names[COUNTER_COUNT] = {"copies", "failures"};

struct copier {
    struct sim_bus_device bus;
    const struct device_config *config;
    struct sim_event done;
    uint64_t source;
    uint64_t target;
    uint32_t length;
    uint32_t status;
    bool goes_wrong; /* what runs fails */
    uint64_t counters[COUNTER_COUNT];
};

static void trace(struct copier *copier, uint32_t event, uint64_t value) {
    sim_trace(copier->config->world, copier->config->events[event], SIM_ACCESS_WRITE,
              &copier->bus.object, NULL, NULL, value, 0);
}

static bool copy(struct copier *copier) {
    unsigned char bytes[COPY_BYTES_MAX];

    if (copier->goes_wrong || copier->length > sizeof(bytes) ||
        sim_fault_hit(copier->config->world, &copy_fails, &copier->bus.object, NULL))
        return false;
    return sim_dma_read(&copier->bus, copier->source, bytes, copier->length) &&
           sim_dma_write(&copier->bus, copier->target, bytes, copier->length);
}

static void on_done(struct sim_world *world, struct sim_event *event) {
    struct copier *copier = SIM_CONTAINER_OF(event, struct copier, done);
    bool is_good = copy(copier);

    (void)world;
    copier->status |= COPY_DONE | (is_good ? 0 : COPY_FAILED);
    copier->counters[is_good ? COUNTER_COPIES : COUNTER_FAILURES]++;
    trace(copier, EVENT_END, is_good);
    /* Status first: whoever is interrupted finds it. */
    sim_bus_interrupt(&copier->bus, 0);
}

/* How long a copy takes is the world's choice; the quiet one is the setting. */
static uint64_t latency_ns(struct copier *copier) {
    static const struct sim_option options[] = {{.label = "plain"}, {.label = "slow"}};
    const struct sim_choice choice = {.kind = SIM_CHOICE_DELAY,
                                      .topic = "copier.latency",
                                      .subject = &copier->bus.object,
                                      .options = options,
                                      .option_count = SIM_ARRAY_COUNT(options)};
    uint64_t plain = copier->config->settings[SETTING_LATENCY].number;

    return sim_choose(copier->config->world, &choice) == 0 ? plain : 10 * plain;
}

static void go(struct copier *copier) {
    if (sim_event_is_scheduled(&copier->done)) {
        copier->goes_wrong = true;
        return;
    }
    copier->goes_wrong = false;
    trace(copier, EVENT_BEGIN, copier->length);
    sim_event_schedule(copier->config->world, &copier->done, latency_ns(copier));
}

static uint64_t bar_read(struct sim_bus_device *bus, uint32_t bar, uint64_t offset,
                         uint32_t bytes) {
    const struct copier *copier = bus->state;

    (void)bar;
    (void)bytes;
    switch (offset) {
    case COPY_ID:
        return COPY_ID_VALUE;
    case COPY_STATUS:
        return copier->status;
    case COPY_SOURCE:
        return copier->source;
    case COPY_TARGET:
        return copier->target;
    case COPY_LENGTH:
        return copier->length;
    default:
        return 0;
    }
}

static void bar_write(struct sim_bus_device *bus, uint32_t bar, uint64_t offset, uint32_t bytes,
                      uint64_t value) {
    struct copier *copier = bus->state;

    (void)bar;
    (void)bytes;
    if (offset == COPY_STATUS)
        copier->status &= ~(uint32_t)value;
    else if (offset == COPY_SOURCE)
        copier->source = value;
    else if (offset == COPY_TARGET)
        copier->target = value;
    else if (offset == COPY_LENGTH)
        copier->length = (uint32_t)value;
    else if (offset == COPY_GO)
        go(copier);
}

static void reset(struct sim_bus_device *bus) {
    struct copier *copier = bus->state;

    sim_event_cancel(copier->config->world, &copier->done);
    copier->source = copier->target = 0;
    copier->length = copier->status = 0;
}

static const struct sim_bus_ops ops = {.bar_read = bar_read,
                                       .bar_write = bar_write,
                                       .reset = reset,
                                       .removed = reset,
                                       .inserted = reset};

static bool create(const struct device_config *config, struct device *device) {
    struct copier *copier = sim_alloc(config->world, sizeof(*copier));

    copier->config = config;
    sim_bus_device_init(config->world, &copier->bus, config->owner, config->label, &ops, copier);
    copier->bus.bar_bytes[0] = COPY_BAR_BYTES;
    copier->bus.vector_count = COPY_VECTOR_COUNT;
    sim_event_init(&copier->done, "copy", &copier->bus.object, on_done);
    device->bus = &copier->bus;
    device->state = copier;
    return true;
}

static uint64_t counter(const struct device *device, uint32_t index) {
    return ((const struct copier *)device->state)->counters[index];
}

static bool check(const struct device *device, char *text, size_t size) {
    static const char wrong[] = "a copy has failed that is not done";
    const struct copier *copier = device->state;

    if ((copier->status & COPY_FAILED) == 0 || (copier->status & COPY_DONE) != 0)
        return true;
    strncpy(text, wrong, size - 1);
    return false;
}

static const struct device_model model = {
    DEVICE_MODEL_HEAD,
    .name = "@NAME@",
    .version = "1",
    .about = "Copies memory by DMA.",
    .settings = settings,
    .setting_count = SETTING_COUNT,
    .event_names = event_names,
    .event_count = EVENT_COUNT,
    .faults = faults,
    .fault_count = SIM_ARRAY_COUNT(faults),
    .counter_names = counter_names,
    .counter_count = COUNTER_COUNT,
    .counter = counter,
    .create = create,
    .check = check,
};
DEVICE_EXPORT(model)
