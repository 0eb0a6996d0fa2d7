/* SPDX-License-Identifier: Apache-2.0 */
/* Switches and links: every adapter is plugged at most once, every link has two different ends. */
#include "model/build.h"

#include <stdio.h>
#include <string.h>

#define SWITCH_PORT_COUNT_MAX 64u

/* What a link leaves open: 100 Gb/s, 500 ns, 1 MiB, MTU 4200. */
#define LINK_RATE_BPS UINT64_C(100000000000)
#define LINK_DELAY_NS UINT64_C(500)
#define LINK_QUEUE_BYTES (UINT64_C(1) << 20)
#define LINK_MTU_BYTES 4200u
#define SWITCH_LATENCY_NS UINT64_C(300)

/* What in the scenario has this name, NULL for nothing. Names stand beside each other in reports.
 */
static const char *bearer_of(const struct scn_scenario *scenario, const char *name) {
    for (uint32_t i = 0; i < scenario->node_count; i++)
        if (strcmp(scenario->nodes[i].name, name) == 0)
            return "a node";
    for (uint32_t i = 0; i < scenario->driver_count; i++)
        if (strcmp(scenario->drivers[i].as, name) == 0)
            return "a driver";
    for (uint32_t i = 0; i < scenario->switch_count; i++)
        if (strcmp(scenario->switches[i].name, name) == 0)
            return "a switch";
    return NULL;
}

static void add_switch(struct scn_build *build, const struct scn_value *source) {
    struct scn_scenario *scenario = build->scenario;
    const char *bearer = bearer_of(scenario, source->key);
    struct scn_switch *sw = &scenario->switches[scenario->switch_count++];

    scn_build_check_name(build, source, true, source->key);
    if (bearer != NULL)
        scn_diagnose_value(build->diagnostics, source, true,
                           "\"%s\" is %s; a switch needs a name of its own", source->key, bearer);
    sw->name = source->key;
    sw->latency_ns = scn_build_unit(source, "latency", SCN_UNIT_DURATION, SWITCH_LATENCY_NS);
    sw->queue_bytes = scn_build_unit(source, "queue", SCN_UNIT_SIZE, 0);
    sw->source = source;
}

/* Adapters first, then switches, as one list of names. */
static const char **end_names(struct scn_build *build, uint32_t *count) {
    const struct scn_scenario *scenario = build->scenario;
    const char **names;

    *count = scenario->adapter_count + scenario->switch_count;
    names = scn_build_array(build, *count, sizeof(*names));
    for (uint32_t i = 0; i < scenario->adapter_count; i++)
        names[i] = scenario->adapters[i].full_name;
    for (uint32_t i = 0; i < scenario->switch_count; i++)
        names[scenario->adapter_count + i] = scenario->switches[i].name;
    return names;
}

static bool read_end(struct scn_build *build, const struct scn_value *value,
                     struct scn_link_end *end, bool *plugged) {
    struct scn_scenario *scenario = build->scenario;
    uint32_t count, found;
    const char **names = end_names(build, &count);

    found = scn_build_find(build, value, "adapter or switch", names, count);
    if (found == SCN_NONE)
        return false;
    end->adapter = found < scenario->adapter_count ? found : SCN_NONE;
    if (end->adapter != SCN_NONE) {
        if (plugged[found])
            scn_diagnose_value(build->diagnostics, value, false,
                               "%s is plugged in already; an adapter has one port", value->string);
        plugged[found] = true;
        return true;
    }
    end->switch_index = found - scenario->adapter_count;
    end->switch_port = scenario->switches[end->switch_index].port_count++;
    if (end->switch_port >= SWITCH_PORT_COUNT_MAX)
        scn_diagnose_value(build->diagnostics, value, false, "%s has more than %u links",
                           value->string, SWITCH_PORT_COUNT_MAX);
    return true;
}

static void check_link_name(struct scn_build *build, const struct scn_value *name) {
    const char *bearer = bearer_of(build->scenario, name->string);

    scn_build_check_name(build, name, false, name->string);
    if (bearer != NULL)
        scn_diagnose_value(build->diagnostics, name, false,
                           "\"%s\" is %s; a link needs a name of its own", name->string, bearer);
}

static void add_link(struct scn_build *build, const struct scn_value *source, bool *plugged) {
    struct scn_scenario *scenario = build->scenario;
    struct scn_link *link = &scenario->links[scenario->link_count];
    const struct scn_value *first = scn_member(source, "between")->first, *second = first->next;
    const char *name = scn_build_text(source, "name");
    char text[128];

    if (strcmp(first->string, second->string) == 0) {
        scn_diagnose_value(build->diagnostics, second, false, "a link has two different ends");
        return;
    }
    if (!read_end(build, first, &link->ends[0], plugged) ||
        !read_end(build, second, &link->ends[1], plugged))
        return;
    if (name != NULL)
        check_link_name(build, scn_member(source, "name"));
    snprintf(text, sizeof(text), "%s--%s", first->string, second->string);
    link->name = name != NULL ? name : scn_document_keep(build->document, text);
    for (uint32_t i = 0; i < scenario->link_count; i++)
        if (strcmp(scenario->links[i].name, link->name) == 0)
            scn_diagnose_value(build->diagnostics, source, false,
                               "two links are named \"%s\"; give one a \"name\"", link->name);
    link->rate_bps = scn_build_unit(source, "rate", SCN_UNIT_RATE, LINK_RATE_BPS);
    if (link->rate_bps == 0)
        scn_diagnose_value(build->diagnostics, scn_member(source, "rate"), false,
                           "a link of no rate carries nothing; use a link_down step");
    link->delay_ns = scn_build_unit(source, "delay", SCN_UNIT_DURATION, LINK_DELAY_NS);
    link->queue_bytes = scn_build_unit(source, "queue", SCN_UNIT_SIZE, LINK_QUEUE_BYTES);
    link->jitter_ns = scn_build_unit(source, "jitter", SCN_UNIT_DURATION, 0);
    link->mtu_bytes = (uint32_t)scn_build_number(source, "mtu", LINK_MTU_BYTES);
    link->source = source;
    scenario->link_count++;
}

void scn_build_fabric(struct scn_build *build) {
    struct scn_scenario *scenario = build->scenario;
    const struct scn_value *switches = scn_member(build->document->root, "switches");
    const struct scn_value *links = scn_member(build->document->root, "links");
    bool *plugged = scn_build_array(build, scenario->adapter_count, sizeof(*plugged));

    if (switches != NULL) {
        scenario->switches = scn_build_array(build, switches->count, sizeof(*scenario->switches));
        for (const struct scn_value *one = switches->first; one != NULL; one = one->next)
            add_switch(build, one);
    }
    if (links == NULL)
        return;
    scenario->links = scn_build_array(build, links->count, sizeof(*scenario->links));
    for (const struct scn_value *one = links->first; one != NULL; one = one->next)
        add_link(build, one, plugged);
}
