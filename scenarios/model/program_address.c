/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of scripts: literal ones, and those of nodes and adapters by name. */
#include "model/program.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t number_of(const uint8_t *bytes) {
    uint64_t number = 0;

    for (uint32_t i = 0; i < 8; i++)
        number = number << 8 | bytes[i];
    return number;
}

static void emit_ip(struct scn_program *program, const struct scn_ip *ip,
                    const struct script_arg *port, struct script_arg *arg) {
    struct script_arg elements[] = {
        {SCRIPT_ELEMENT_FAMILY, SCRIPT_ARG_NUMBER, 0, ip->version},
        {SCRIPT_ELEMENT_HIGH, SCRIPT_ARG_NUMBER, 0, number_of(ip->bytes)},
        {SCRIPT_ELEMENT_LOW, SCRIPT_ARG_NUMBER, 0, number_of(ip->bytes + 8)},
        *port,
    };

    elements[3].member = SCRIPT_ELEMENT_PORT;
    scn_emit_list(program, elements, SIM_ARRAY_COUNT(elements), arg);
}

/* The first address of that family (0: any) that an adapter of these has. */
static const struct scn_ip *find_ip(const struct scn_scenario *scenario, uint32_t node,
                                    uint32_t adapter, uint32_t family) {
    for (uint32_t i = 0; i < scenario->adapter_count; i++) {
        const struct scn_adapter *one = &scenario->adapters[i];

        if ((adapter != SCN_NONE && i != adapter) || one->node != node)
            continue;
        for (uint32_t k = 0; k < one->address_count; k++)
            if (family == 0 || one->addresses[k].version == family)
                return &one->addresses[k];
    }
    return NULL;
}

static void no_place(struct scn_program *program, const struct scn_value *value, const char *name) {
    const struct scn_scenario *scenario = program->build->scenario;
    const char *words[SCN_DRIVER_COUNT_MAX], *nearest;
    uint32_t count = 0;

    for (uint32_t i = 0; i < scenario->node_count && count < SCN_DRIVER_COUNT_MAX; i++)
        words[count++] = scenario->nodes[i].name;
    for (uint32_t i = 0; i < scenario->adapter_count && count < SCN_DRIVER_COUNT_MAX; i++)
        words[count++] = scenario->adapters[i].full_name;
    nearest = scn_nearest(name, words, count);
    if (nearest != NULL)
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "there is no node or adapter \"%s\"; did you mean \"%s\"?", name,
                           nearest);
    else
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "\"%s\" is no address; expected one such as \"10.0.0.1:5445\", "
                           "\"[fd00::1]:5445\", a node, or \"node.adapter\"",
                           name);
}

/* A node or an adapter by name, "/6" behind it for IPv6. */
static const struct scn_ip *named_ip(struct scn_program *program, const struct scn_value *value,
                                     const char *text) {
    const struct scn_scenario *scenario = program->build->scenario;
    const char *slash = strchr(text, '/');
    const struct scn_ip *found = NULL;
    uint32_t family = 0;
    bool known = false;
    char name[96];

    snprintf(name, sizeof(name), "%.*s", slash != NULL ? (int)(slash - text) : 90, text);
    if (slash != NULL)
        family = strcmp(slash, "/6") == 0 ? 6 : 4;
    for (uint32_t i = 0; i < scenario->node_count && !known; i++) {
        if (strcmp(scenario->nodes[i].name, name) != 0)
            continue;
        known = true;
        found = find_ip(scenario, i, SCN_NONE, family);
    }
    for (uint32_t i = 0; i < scenario->adapter_count && !known; i++) {
        if (strcmp(scenario->adapters[i].full_name, name) != 0)
            continue;
        known = true;
        found = find_ip(scenario, scenario->adapters[i].node, i, family);
    }
    if (!known)
        no_place(program, value, name);
    else if (found == NULL)
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "\"%s\" has no address of this kind", name);
    return found;
}

/* Not only unicast ones: wrong addresses can be said too. */
static bool literal_ip(const char *text, struct scn_ip *ip) {
    memset(ip, 0, sizeof(*ip));
    ip->version = 4;
    if (inet_pton(AF_INET, text, ip->bytes) == 1)
        return true;
    ip->version = 6;
    return inet_pton(AF_INET6, text, ip->bytes) == 1;
}

/* Cuts ":port" off; false when what stands there is none. */
static bool cut_port(char *text, struct script_arg *port) {
    char *colon = strrchr(text, ':'), *close = strchr(text, ']');
    unsigned long number;
    char *end;

    if (text[0] == '[' && close != NULL) {
        colon = close[1] == ':' ? close + 1 : NULL;
        *close = '\0';
        memmove(text, text + 1, strlen(text));
    } else if (colon != NULL && strchr(text, ':') != colon) {
        return true; /* an IPv6 address without a port */
    }
    if (colon == NULL)
        return true;
    number = strtoul(colon + 1, &end, 10);
    if (colon[1] < '0' || colon[1] > '9' || *end != '\0' || number > 65535)
        return false;
    port->value = number;
    if (*colon == ':')
        *colon = '\0';
    return true;
}

static void emit_text_address(struct scn_program *program, const struct scn_value *value,
                              const char *string, struct script_arg *port, struct script_arg *arg) {
    const struct scn_ip *named;
    struct scn_ip ip;
    char text[128];

    snprintf(text, sizeof(text), "%s", string);
    if (!cut_port(text, port)) {
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "\"%s\": a port is a number up to 65535", string);
        return;
    }
    if (literal_ip(text, &ip)) {
        emit_ip(program, &ip, port, arg);
        return;
    }
    named = named_ip(program, value, text);
    if (named != NULL)
        emit_ip(program, named, port, arg);
}

void scn_emit_address(struct scn_program *program, const struct scn_value *value, uint32_t port,
                      struct script_arg *arg) {
    struct script_arg number = {SCRIPT_ELEMENT_PORT, SCRIPT_ARG_NUMBER, 0, port};
    const struct scn_value *of = scn_member(value, "of"), *given = scn_member(value, "port");

    if (value->type == SCN_STRING && strcmp(value->string, "none") == 0) {
        arg->kind = SCRIPT_ARG_NOTHING;
        return;
    }
    if (value->type == SCN_STRING) {
        emit_text_address(program, value, value->string, &number, arg);
        return;
    }
    if (given != NULL)
        scn_emit_number(program, given, &number);
    if (value->type == SCN_OBJECT && of != NULL && of->type == SCN_STRING)
        emit_text_address(program, of, of->string, &number, arg);
    else if (value->type == SCN_OBJECT && of == NULL && given != NULL)
        emit_ip(program, find_ip(program->build->scenario, program->driver->node, SCN_NONE, 0),
                &number, arg);
    else
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "expected an address such as \"10.0.0.1:5445\", a node, or {\"of\": "
                           "NODE, \"port\": 5445}");
}

void scn_emit_own_address(struct scn_program *program, uint32_t family, uint32_t port,
                          struct script_arg *arg) {
    struct script_arg number = {SCRIPT_ELEMENT_PORT, SCRIPT_ARG_NUMBER, 0, port};
    const struct scn_scenario *scenario = program->build->scenario;
    const struct scn_ip *ip =
        find_ip(scenario, program->driver->node, program->own_adapter, family);

    if (ip == NULL)
        ip = find_ip(scenario, program->driver->node, SCN_NONE, 0);
    if (ip != NULL)
        emit_ip(program, ip, &number, arg);
}

/* The one other node with an adapter; the own one when there is no other. */
void scn_emit_peer_address(struct scn_program *program, const struct scn_value *step,
                           struct script_arg *arg) {
    struct script_arg number = {SCRIPT_ELEMENT_PORT, SCRIPT_ARG_NUMBER, 0, SCN_PORT_DEFAULT};
    const struct scn_scenario *scenario = program->build->scenario;
    uint32_t peer = SCN_NONE, count = 0;

    for (uint32_t i = 0; i < scenario->node_count; i++) {
        if (i == program->driver->node || find_ip(scenario, i, SCN_NONE, 0) == NULL)
            continue;
        peer = i;
        count++;
    }
    if (count == 1)
        emit_ip(program, find_ip(scenario, peer, SCN_NONE, 0), &number, arg);
    else
        scn_diagnose_value(program->build->diagnostics, step, false,
                           "\"to\" is missing: there is not exactly one other node");
}

uint32_t scn_own_adapter(const struct scn_program *program, const char *name) {
    const struct scn_scenario *scenario = program->build->scenario;

    for (uint32_t i = 0; i < scenario->adapter_count; i++)
        if (scenario->adapters[i].node == program->driver->node &&
            (strcmp(scenario->adapters[i].name, name) == 0 ||
             strcmp(scenario->adapters[i].full_name, name) == 0))
            return i;
    return SCN_NONE;
}

static bool index_is_taken(const struct scn_scenario *scenario, uint32_t node, uint32_t before,
                           const uint32_t *given, uint32_t index) {
    for (uint32_t i = 0; i < before; i++)
        if (scenario->adapters[i].node == node && given[i] == index)
            return true;
    return false;
}

/* As the kernel gives them: what the scenario says, else the least that is free. */
uint32_t scn_interface_index(const struct scn_scenario *scenario, uint32_t adapter) {
    uint32_t given[SCN_DRIVER_COUNT_MAX] = {0};

    for (uint32_t i = 0; i <= adapter; i++) {
        uint32_t node = scenario->adapters[i].node, index = 1;

        given[i] = scenario->adapters[i].interface_index;
        if (given[i] != 0)
            continue;
        while (index_is_taken(scenario, node, i, given, index))
            index++;
        given[i] = index;
    }
    return given[adapter];
}
