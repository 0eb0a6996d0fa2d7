/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making devices from their models: find the table, take the settings, make what it declares known,
 * create. See devices.h.
 */
#include "run/devices.h"

#include <rnic/model.h>
#include <sim/check.h>
#include <sim/run.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/settings.h"

/* Behind SIM_SLOT_DEVICES. */
struct devices {
    struct scn_machine *machine;
};

static void *host_array(size_t count, size_t bytes) {
    void *array = calloc(count + 1, bytes);

    SIM_ASSERT(array != NULL);
    return array;
}

/* The value that names the device; the adapter, when it is the default. */
static const struct scn_value *source_of(const struct scn_adapter *adapter) {
    const struct scn_value *device = scn_member(adapter->source, "device");
    const struct scn_value *load = scn_member(device, "load");

    if (load != NULL)
        return load;
    return device != NULL ? device : adapter->source;
}

/* The module that --device gives it, NULL for none. The last one counts. */
static const char *override_of(const struct scn_machine_options *options,
                               const struct scn_adapter *adapter) {
    size_t length = strlen(adapter->full_name);
    const char *module = NULL;

    for (size_t i = 0; i < options->device_override_count; i++)
        if (strncmp(options->device_overrides[i], adapter->full_name, length) == 0 &&
            options->device_overrides[i][length] == '=')
            module = options->device_overrides[i] + length + 1;
    return module;
}

/* "node.adapter" must be one. */
static void check_override(const struct scn_scenario *scenario, const char *text,
                           struct scn_diagnostics *diagnostics) {
    const char **names = host_array(scenario->adapter_count, sizeof(*names)), *nearest;
    int length = (int)(strchr(text, '=') - text);
    char name[96], shown[256];
    bool is_known = false;

    snprintf(name, sizeof(name), "%.*s", length, text);
    for (uint32_t i = 0; i < scenario->adapter_count; i++) {
        names[i] = scenario->adapters[i].full_name;
        is_known = is_known || strcmp(names[i], name) == 0;
    }
    snprintf(shown, sizeof(shown), "--device %s", text);
    nearest = scn_nearest(name, names, scenario->adapter_count);
    if (!is_known && nearest != NULL)
        scn_diagnose(diagnostics, shown, 0, 0, NULL,
                     "there is no adapter \"%s\"; did you mean \"%s\"?", name, nearest);
    else if (!is_known)
        scn_diagnose(diagnostics, shown, 0, 0, NULL,
                     "there is no adapter \"%s\"; expected NODE.ADAPTER=MODULE", name);
    free(names);
}

/* Finds the adapter's model; false after an error. */
static bool find_model(struct scn_machine *machine, uint32_t index,
                       const struct scn_machine_options *options,
                       struct scn_diagnostics *diagnostics) {
    const struct scn_adapter *adapter = &machine->scenario->adapters[index];
    const char *override = override_of(options, adapter);
    const char *load = override != NULL ? override : adapter->device;
    struct scn_device *device = &machine->devices[index];
    char path[4096], error[512] = "";

    if (strcmp(load, SCN_BUILT_IN_DEVICE) == 0) {
        device->model = &rnic_model;
        return true;
    }
    scn_module_path(override != NULL ? NULL : machine->scenario, options->module_dir, load, path,
                    sizeof(path));
    device->load = scn_module_load_again(override, load, path);
    if (strchr(load, '/') == NULL && access(path, F_OK) != 0) {
        scn_diagnose_value(diagnostics, source_of(adapter), false,
                           "there is no device \"%s\"; expected \"rnic\", the built-in one, or a "
                           "module's path, which has a / in it, as in \"./%s.so\"",
                           load, load);
        return false;
    }
    device->model = scn_device_model(machine->world, path, &device->image, error, sizeof(error));
    if (device->model == NULL)
        scn_diagnose_value(diagnostics, source_of(adapter), false, "cannot be loaded: %s", error);
    return device->model != NULL;
}

/* What the model declares, made known to the world. NULL, or what is wrong. */
static const char *declare(struct sim_world *world, struct scn_device *device) {
    const struct device_model *model = device->model;

    device->events = host_array(model->event_count, sizeof(*device->events));
    for (uint32_t i = 0; i < model->event_count; i++)
        device->events[i] = sim_trace_type_of(world, model->event_names[i]);
    for (uint32_t i = 0; i < model->fault_count; i++) {
        struct sim_fault_point *mine = model->faults[i];
        const struct sim_fault_point *known = sim_fault_point_find(world, mine->name);

        /* Every image has a table of its own: what another one brought is this one's too. */
        if (known != NULL && strcmp(known->layer, mine->layer) != 0)
            return "a fault point of its has the name of one of the simulation";
        if (known == NULL && sim_fault_point_count(world) == SIM_FAULT_POINT_COUNT_MAX)
            return "there are too many fault points in all";
        if (known == NULL)
            sim_fault_register(world, &model->faults[i], 1);
        else
            mine->index = known->index;
    }
    for (uint32_t i = 0; i < model->machine_count; i++)
        sim_machine_register(world, &model->machines[i]);
    return NULL;
}

static void complain(const struct device_config *config, const char *text) {
    struct scn_device *device =
        (struct scn_device *)(uintptr_t)SIM_CONTAINER_OF(config, const struct scn_device, config);

    snprintf(device->complaint, sizeof(device->complaint), "%s", text);
}

static void fill_config(struct scn_machine *machine, uint32_t index) {
    const struct scn_adapter *adapter = &machine->scenario->adapters[index];
    struct scn_device *device = &machine->devices[index];
    struct device_config *config = &device->config;

    config->world = machine->world;
    config->owner = krn_node_object(machine->nodes[adapter->node]);
    config->label = adapter->name;
    if (adapter->has_mac) {
        memcpy(device->mac.bytes, adapter->mac, sizeof(device->mac.bytes));
        config->mac = &device->mac;
    }
    device->addresses = host_array(adapter->address_count, sizeof(*device->addresses));
    for (uint32_t i = 0; i < adapter->address_count; i++)
        device->addresses[i] = scn_wire_address(&adapter->addresses[i]);
    config->addresses = device->addresses;
    config->address_count = adapter->address_count;
    device->keywords = host_array(adapter->keywords.count, sizeof(*device->keywords));
    for (uint32_t i = 0; i < adapter->keywords.count; i++)
        device->keywords[i] = (struct device_keyword){adapter->keywords.entries[i].name,
                                                      adapter->keywords.entries[i].text};
    config->keywords = device->keywords;
    config->keyword_count = adapter->keywords.count;
    config->settings = device->values;
    config->events = device->events;
    config->complain = complain;
}

static void idle_frame(void *context, struct net_frame *frame) {
    (void)context;
    net_frame_put(frame);
}

static const struct net_port_ops idle_port = {.on_frame = idle_frame};

/* What create() has made, looked over. NULL, or what is wrong. */
static const char *complete(struct scn_device *device) {
    const struct sim_bus_device *bus = device->device->bus;

    if (bus == NULL || bus->ops == NULL || bus->ops->bar_read == NULL ||
        bus->ops->bar_write == NULL || bus->ops->reset == NULL)
        return "its create made no bus device with bar_read, bar_write and reset";
    for (uint32_t i = 0; i < SIM_BUS_BAR_COUNT; i++)
        if (bus->bar_bytes[i] % SIM_PAGE_BYTES != 0)
            return "a BAR of its is no multiple of 4096 bytes";
    if (bus->vector_count > SIM_BUS_VECTOR_COUNT_MAX)
        return "it has more than 64 interrupt vectors";
    if (device->device->port == NULL) {
        device->device->port = sim_alloc(device->config.world, sizeof(struct net_port));
        net_port_init(device->config.world, device->device->port, &device->device->bus->object,
                      device->config.mac, &idle_port, NULL);
    }
    return NULL;
}

static void make_device(struct scn_machine *machine, uint32_t index,
                        struct scn_diagnostics *diagnostics) {
    const struct scn_adapter *adapter = &machine->scenario->adapters[index];
    struct scn_device *device = &machine->devices[index];
    uint32_t before = diagnostics->count;
    const char *wrong;

    device->values = host_array(device->model->setting_count, sizeof(*device->values));
    scn_settings_take(device->model, adapter, device->values, diagnostics);
    if (diagnostics->count > before)
        return;
    wrong = declare(machine->world, device);
    if (wrong == NULL) {
        fill_config(machine, index);
        device->device = sim_alloc(machine->world, sizeof(*device->device));
        if (!device->model->create(&device->config, device->device))
            wrong = device->complaint[0] != '\0' ? device->complaint : "it could not be made";
        else
            wrong = complete(device);
    }
    if (wrong != NULL) {
        device->device = NULL;
        scn_diagnose_value(diagnostics, source_of(adapter), false, "device \"%s\": %s",
                           device->model->name, wrong);
        return;
    }
    for (uint32_t i = 0; i < adapter->address_count; i++)
        net_port_address_add(device->device->port, &device->addresses[i]);
}

static bool models_hold(struct sim_world *world, char *text, size_t size) {
    const struct devices *devices = sim_world_slot(world, SIM_SLOT_DEVICES);

    for (uint32_t i = 0; i < devices->machine->scenario->adapter_count; i++) {
        const struct scn_device *device = &devices->machine->devices[i];
        char said[160] = "";

        if (device->model->check == NULL ||
            device->model->check(device->device, said, sizeof(said)))
            continue;
        snprintf(text, size, "%s: %s", devices->machine->scenario->adapters[i].full_name, said);
        return false;
    }
    return true;
}

static const struct sim_check check = {.name = "device.models",
                                       .about = "What device models say of themselves holds.",
                                       .holds = models_hold};

static void reset_all(void *context) {
    const struct scn_machine *machine = context;

    for (uint32_t i = 0; i < machine->scenario->adapter_count; i++)
        if (machine->devices[i].model->reset != NULL)
            machine->devices[i].model->reset(machine->devices[i].device);
}

/* After the images: what a model sees in its reset is as it was. */
static void watch_all(struct scn_machine *machine) {
    const struct sim_world_hook hook = {NULL, reset_all, machine};
    struct devices *devices = sim_alloc(machine->world, sizeof(*devices));
    bool has_check = false, has_reset = false;

    devices->machine = machine;
    sim_world_slot_set(machine->world, SIM_SLOT_DEVICES, devices);
    for (uint32_t i = 0; i < machine->scenario->adapter_count; i++) {
        has_check = has_check || machine->devices[i].model->check != NULL;
        has_reset = has_reset || machine->devices[i].model->reset != NULL;
    }
    if (has_check)
        sim_check_register(machine->world, &check, 1);
    if (has_reset)
        sim_world_hook_add(machine->world, &hook);
}

void scn_make_devices(struct scn_machine *machine, const struct scn_machine_options *options,
                      struct scn_diagnostics *diagnostics) {
    for (size_t i = 0; i < options->device_override_count; i++)
        check_override(machine->scenario, options->device_overrides[i], diagnostics);
    for (uint32_t i = 0; i < machine->scenario->adapter_count; i++)
        if (find_model(machine, i, options, diagnostics))
            make_device(machine, i, diagnostics);
    if (diagnostics->count == 0)
        watch_all(machine);
}

void scn_destroy_devices(struct scn_machine *machine) {
    for (uint32_t i = 0; machine->devices != NULL && i < machine->scenario->adapter_count; i++) {
        struct scn_device *device = &machine->devices[i];

        if (device->device != NULL && device->model->destroy != NULL)
            device->model->destroy(device->device);
        free(device->load);
        free(device->values);
        free(device->addresses);
        free(device->keywords);
        free(device->events);
    }
}

struct net_port *scn_device_port(const struct scn_machine *machine, uint32_t index) {
    return machine->devices[index].device->port;
}

struct sim_bus_device *scn_device_bus(const struct scn_machine *machine, uint32_t index) {
    return machine->devices[index].device->bus;
}

const char *scn_device_counter_name(const struct scn_device *device, uint32_t index) {
    return index < device->model->counter_count ? device->model->counter_names[index] : NULL;
}

struct wire_ip_addr scn_wire_address(const struct scn_ip *ip) {
    struct wire_ip_addr address;

    if (ip->version == 4)
        return wire_ip_addr_from_v4((uint32_t)ip->bytes[0] << 24 | (uint32_t)ip->bytes[1] << 16 |
                                    (uint32_t)ip->bytes[2] << 8 | ip->bytes[3]);
    memcpy(address.bytes, ip->bytes, sizeof(address.bytes));
    return address;
}

const char *scn_device_build_id(const struct scn_device *device) {
    return device->image != NULL ? krn_image_build_id(device->image) : "built in";
}
