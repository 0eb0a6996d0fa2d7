/* SPDX-License-Identifier: Apache-2.0 */
/* See names.h. */
#include "run/names.h"

#include <krn/bugcheck.h>
#include <krn/counter.h>
#include <net/names.h>
#include <net/port.h>
#include <sim/fault.h>
#include <sim/object.h>
#include <stdio.h>
#include <string.h>
#include <vrf/verifier.h>

#include "run/devices.h"

#define NAME_COUNT_MAX 1024u
#define NAME_BYTES 160u

struct names {
    char texts[NAME_COUNT_MAX][NAME_BYTES];
    const char *list[NAME_COUNT_MAX];
    size_t count;
};

static void add(struct names *names, const char *text) {
    if (names->count == NAME_COUNT_MAX)
        return;
    snprintf(names->texts[names->count], NAME_BYTES, "%s", text);
    names->list[names->count] = names->texts[names->count];
    names->count++;
}

static struct names *empty_names(void) {
    static struct names names;

    names.count = 0;
    return &names;
}

/* "there is no WHAT "word"; did you mean ...?", or `otherwise` when nothing is near. */
static void unknown(struct scn_diagnostics *diagnostics, const struct scn_value *value,
                    const char *what, const struct names *names, const char *otherwise) {
    const char *nearest = scn_nearest(value->string, names->list, names->count);

    if (nearest != NULL)
        scn_diagnose_value(diagnostics, value, false, "there is no %s \"%s\"; did you mean \"%s\"?",
                           what, value->string, nearest);
    else
        scn_diagnose_value(diagnostics, value, false, "there is no %s \"%s\"%s", what,
                           value->string, otherwise);
}

/* Classes. */

static bool frames_pass(const struct sim_fault_point *point) {
    return strcmp(point->layer, "packet") == 0 || strcmp(point->layer, "link") == 0 ||
           strcmp(point->layer, "switch") == 0;
}

static void check_class(const struct scn_machine *machine, const struct scn_fault *fault,
                        struct scn_diagnostics *diagnostics) {
    const struct sim_fault_point *point = sim_fault_point_find(machine->world, fault->point);
    const struct scn_value *value = scn_member(fault->source, "class");
    struct names *names = empty_names();
    bool is_known = false;

    if (value == NULL || point == NULL)
        return;
    if (!frames_pass(point)) {
        scn_diagnose_value(diagnostics, value, true,
                           "\"%s\" is not passed by frames and knows no classes", fault->point);
        return;
    }
    for (unsigned id = 0; id < NET_CLASS_COUNT; id++) {
        const char *name = net_class_name((enum net_frame_class)id);

        is_known = is_known || sim_text_matches(name, value->string);
        add(names, name);
    }
    if (!is_known)
        unknown(diagnostics, value, "class of frames", names,
                "; classes are such as \"cm.rep\", \"send\", \"read.response\"");
}

/* Objects. */

/* How much of a pattern is plain text. */
static size_t plain_length(const char *pattern) {
    return strcspn(pattern, "*");
}

/* Whether some name that begins with `name` can match: the plain part says so or ends before. */
static bool may_match(const char *name, const char *pattern) {
    size_t plain = plain_length(pattern), length = strlen(name);

    if (pattern[plain] == '*' && plain <= length)
        return strncmp(name, pattern, plain) == 0;
    return strncmp(name, pattern, length) == 0 &&
           (pattern[length] == '\0' || pattern[length] == '.');
}

static bool is_node(const struct scn_machine *machine, const struct sim_object *object) {
    for (uint32_t i = 0; i < machine->scenario->node_count; i++)
        if (krn_node_object(machine->nodes[i]) == object)
            return true;
    return false;
}

/* A node's own things are all made with it, but for those that are counted: "thread[3]". */
static bool is_made_later(const char *pattern) {
    return pattern[strcspn(pattern, "[*")] != '\0';
}

static void check_object(const struct scn_machine *machine, const struct scn_value *value,
                         const char *what, struct scn_diagnostics *diagnostics) {
    struct names *names = empty_names();
    const struct sim_object *object, *node = NULL;
    bool is_known = false, exists = false;
    char name[SIM_NAME_BYTES];

    if (value == NULL || value->type != SCN_STRING)
        return;
    for (uint32_t id = 1; (object = sim_object_by_id(machine->world, id)) != NULL; id++) {
        sim_object_name(object, name, sizeof(name));
        exists = exists || strcmp(name, value->string) == 0;
        add(names, name);
        if (object->owner != NULL || !may_match(name, value->string))
            continue;
        is_known = true;
        if (is_node(machine, object))
            node = object;
    }
    if (is_known && (node == NULL || exists || is_made_later(value->string)))
        return;
    unknown(diagnostics, value, what, names,
            "; names begin with a node, driver, link or switch, or with *");
}

/* Counters. */

static void add_counters(const struct scn_machine *machine, struct names *names) {
    static const char *const of_ports[] = {"frames_out", "bytes_out", "frames_in", "bytes_in"};
    char name[SIM_NAME_BYTES], full[NAME_BYTES];

    for (uint32_t i = 0; i < machine->scenario->adapter_count; i++) {
        sim_object_name(&scn_device_port(machine, i)->object, name, sizeof(name));
        for (size_t k = 0; k < SIM_ARRAY_COUNT(of_ports); k++) {
            snprintf(full, sizeof(full), "%s.%s", name, of_ports[k]);
            add(names, full);
        }
        for (unsigned k = 0; k < NET_PRIORITY_COUNT; k++) {
            snprintf(full, sizeof(full), "%s.priority%u_out", name, k);
            add(names, full);
        }
        sim_object_name(&scn_device_bus(machine, i)->object, name, sizeof(name));
        for (uint32_t k = 0; scn_device_counter_name(&machine->devices[i], k) != NULL; k++) {
            snprintf(full, sizeof(full), "%s.%s", name,
                     scn_device_counter_name(&machine->devices[i], k));
            add(names, full);
        }
    }
}

static bool is_any(const struct names *names, const char *pattern) {
    for (size_t i = 0; i < names->count; i++)
        if (sim_text_matches(names->list[i], pattern))
            return true;
    return false;
}

static bool is_drivers(const struct scn_machine *machine, const char *pattern) {
    for (uint32_t i = 0; i < machine->scenario->driver_count; i++)
        if (may_match(machine->scenario->drivers[i].as, pattern))
            return true;
    return plain_length(pattern) == 0;
}

static void check_counter(const struct scn_machine *machine, const struct scn_value *value,
                          struct scn_diagnostics *diagnostics) {
    struct names *names = empty_names();
    char driver[NAME_BYTES];

    if (value == NULL || is_drivers(machine, value->string))
        return;
    add_counters(machine, names);
    if (is_any(names, value->string))
        return;
    /* With a driver's name misspelt, the driver is what was meant. */
    for (uint32_t i = 0; i < machine->scenario->driver_count; i++) {
        const char *dot = strchr(value->string, '.');

        snprintf(driver, sizeof(driver), "%s%s", machine->scenario->drivers[i].as,
                 dot != NULL ? dot : "");
        add(names, driver);
    }
    unknown(diagnostics, value, "counter", names,
            "; counters are \"DRIVER.NAME\", \"NODE.ADAPTER.NAME\" or \"NODE.ADAPTER.port0.NAME\"");
    scn_diagnostics_absent(diagnostics);
}

static void add_driver_counter(void *context, struct krn_driver *driver, const char *name,
                               uint64_t value) {
    char full[NAME_BYTES];

    (void)value;
    snprintf(full, sizeof(full), "%s.%s", krn_driver_name(driver), name);
    add(context, full);
}

const char *scn_counter_nearest(const struct scn_machine *machine, const char *counter, char *name,
                                size_t size) {
    struct names *names = empty_names();
    const char *nearest;

    krn_counter_visit(machine->world, add_driver_counter, names);
    add_counters(machine, names);
    nearest = scn_nearest(counter, names->list, names->count);
    if (nearest == NULL)
        return NULL;
    snprintf(name, size, "%s", nearest);
    return name;
}

/* Findings: rules, bugchecks by name or by any code, and the ways to be stuck. */
static void check_finding(const struct scn_value *value, struct scn_diagnostics *diagnostics) {
    static const char *const others[] = {"deadlock", "stuck",     "loop",    "watchdog",
                                         "blocked",  "left-over", "require", "check"};
    struct names *names = empty_names();

    if (value == NULL || strncmp(value->string, "0x", 2) == 0)
        return;
    for (size_t i = 0; vrf_rule_at(i) != NULL; i++)
        add(names, vrf_rule_at(i)->id);
    for (size_t i = 0; krn_bugcheck_code_at(i) != NULL; i++)
        add(names, krn_bugcheck_code_at(i)->name);
    for (size_t i = 0; i < SIM_ARRAY_COUNT(others); i++)
        add(names, others[i]);
    if (!is_any(names, value->string))
        unknown(diagnostics, value, "finding", names,
                "; findings are rules (ndksim list rules), bugchecks (ndksim list bugchecks), "
                "\"deadlock\", \"stuck\", \"loop\"");
}

void scn_check_names(const struct scn_machine *machine, struct scn_diagnostics *diagnostics) {
    const struct scn_scenario *scenario = machine->scenario;

    /* A driver that is not there has no name, which has been said. */
    for (uint32_t i = 0; i < scenario->driver_count; i++)
        if (machine->drivers[i] == NULL)
            return;
    for (uint32_t i = 0; i < scenario->step_count; i++)
        check_object(machine, scn_member(scn_member(scenario->steps[i].source, "after"), "object"),
                     "object", diagnostics);
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct scn_value *source = scenario->faults[i].source;

        check_class(machine, &scenario->faults[i], diagnostics);
        check_object(machine, scn_member(source, "on"), "object", diagnostics);
        check_object(machine, scn_member(scn_member(source, "after"), "object"), "object",
                     diagnostics);
    }
    for (uint32_t i = 0; i < scenario->expect_count; i++) {
        const struct scn_value *source = scenario->expects[i].source;

        check_object(machine, scn_member(source, "object"), "object", diagnostics);
        check_counter(machine, scn_member(source, "counter"), diagnostics);
        check_finding(scn_member(source, "finding"), diagnostics);
    }
}
