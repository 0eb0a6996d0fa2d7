/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scenario's world, put together: the topology, devices, nodes and drivers, with the miniports
 * (and drivers that ask for it) loaded. This is the prelude: it runs undisturbed (quiet, no faults)
 * and ends in a snapshot, so that every run of the scenario, plain or explored, starts from the
 * same state and has the same digest for the same choices.
 */
#ifndef SCN_RUN_MACHINE_H
#define SCN_RUN_MACHINE_H

#include <krn/driver.h>
#include <krn/node.h>
#include <net/link.h>
#include <net/port.h>
#include <net/switch.h>
#include <sim/bus.h>
#include <sim/run.h>

#include "model/scenario.h"

struct scn_script;
struct scn_device;

struct scn_machine {
    const struct scn_scenario *scenario;
    struct sim_world *world;
    struct krn_node **nodes;    /* all arrays parallel to the scenario's; host memory */
    struct scn_device *devices; /* see run/devices.h */
    struct krn_adapter **adapters;
    struct krn_driver **drivers;
    char **loads; /* by driver: what to load to have the same module again */
    struct net_switch **switches;
    struct net_link **links;
    uint64_t expected_seen; /* bit i % 64: a finding came that expectation i asks for */
    uint64_t counters_seen; /* krn_counter_changes when the drivers were last asked, plus 1 */
    bool drivers_are_done;
    struct scn_script *script; /* PRIVATE memory: progress of the steps */
    /* --rule and --blame, as they were applied; for records. */
    const char *const *rules;
    uint32_t rule_count;
    const char *blame;
    struct sim_finding *early; /* what the prelude found and let pass */
    size_t early_count;
    bool has_failed_prelude; /* a finding came before the first run: there is no snapshot */
    bool was_interrupted;    /* before the first run: no snapshot either */
};

struct scn_machine_options {
    const char *module_dir; /* where shipped drivers are; NULL: beside the program */
    bool special_pool;
    bool keep_going;
    /* When the world has its verifier and nothing has run: severities of rules. NULL: nothing. */
    void (*on_start)(struct sim_world *world, void *context, struct scn_diagnostics *diagnostics);
    void *context;
    /* "node.driver=module" changes, from --driver. */
    const char *const *driver_overrides;
    size_t driver_override_count;
    /* "node.adapter=module" changes, from --device. */
    const char *const *device_overrides;
    size_t device_override_count;
};

/*
 * Builds and preludes. NULL after an error: `diagnostics` has what is wrong with the scenario (a
 * module that cannot be loaded, an unknown fault point). A finding of the prelude (a miniport that
 * broke a rule) stays in the world, and is what every run of the machine comes to.
 */
struct scn_machine *scn_machine_create(const struct scn_scenario *scenario,
                                       const struct scn_machine_options *options,
                                       struct scn_diagnostics *diagnostics);
void scn_machine_destroy(struct scn_machine *machine);

/* Port and bus device of the scenario's adapter of that index. */
struct net_port *scn_device_port(const struct scn_machine *machine, uint32_t index);
struct sim_bus_device *scn_device_bus(const struct scn_machine *machine, uint32_t index);

/*
 * The file of a module: a shipped name, or a path relative to the scenario (NULL: to the working
 * folder). Returns `path`.
 */
const char *scn_module_path(const struct scn_scenario *scenario, const char *module_dir,
                            const char *load, char *path, size_t size);
/*
 * What to load to have the module at `path` again from anywhere: `load`, which the scenario says,
 * or the whole path of an override. The caller frees it.
 */
char *scn_module_load_again(const char *override, const char *load, const char *path);
/* Shipped names, in order; the caller frees them. */
size_t scn_module_list(const char *folder, char **names, size_t count_max);
void scn_module_free(char **names, size_t count);
/* Folder of shipped modules: NDKSIM_DRIVER_DIR of the environment, else relative to the program. */
const char *scn_module_dir(void);
/* Folder of shipped data: NDKSIM_DATA_DIR of the environment, else relative to the program. */
const char *scn_data_dir(void);
/* The folder of the headers that drivers and device models see: wdk/, sim/, rnic_hw/. */
const char *scn_include_dir(void);

#endif
