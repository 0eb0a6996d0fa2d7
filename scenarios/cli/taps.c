/* SPDX-License-Identifier: Apache-2.0 */
/* See taps.h. A machine's ports are asked one by one whether a tap means them. */
#include "cli/taps.h"

#include <net/topology.h>
#include <stdio.h>
#include <string.h>

#define NAME_COUNT_MAX 1024u

static const struct {
    const char *name;
    uint32_t points;
} moments[] = {
    {"before", NET_TAP_SEND},
    {"after", NET_TAP_RECEIVE},
    {"both", NET_TAP_SEND | NET_TAP_RECEIVE},
};

struct tap {
    char where[SIM_NAME_BYTES]; /* "": the default tap */
    uint32_t points;            /* 0: by kind of what is named */
    const char *file;
};

/* NULL, or what is wrong with the text. */
static const char *parse(const char *text, struct tap *tap) {
    size_t length = strcspn(text, "=/");
    char *colon;

    memset(tap, 0, sizeof(*tap));
    tap->file = text;
    if (text[length] != '=')
        return NULL;
    tap->file = text + length + 1;
    if (*tap->file == '\0')
        return "a file is wanted behind \"=\"";
    if (length == 0 || length >= sizeof(tap->where))
        return "the name of an adapter, port, switch or link is wanted before \"=\"";
    memcpy(tap->where, text, length);
    colon = strchr(tap->where, ':');
    if (colon == NULL)
        return NULL;
    *colon = '\0';
    for (size_t i = 0; i < SIM_ARRAY_COUNT(moments); i++)
        if (strcmp(moments[i].name, colon + 1) == 0)
            tap->points = moments[i].points;
    return tap->points != 0 ? NULL : "expected before, after or both behind \":\"";
}

/* Which frames of the port the tap means; 0: none. */
static uint32_t points_of(const struct scn_machine *machine, const struct net_port *port,
                          const struct tap *tap) {
    char name[SIM_NAME_BYTES], owner[SIM_NAME_BYTES];
    uint32_t points = 0;

    if (tap->where[0] == '\0')
        return NET_TAP_ORIGIN;
    sim_object_name(&port->object, name, sizeof(name));
    sim_object_name(port->object.owner, owner, sizeof(owner));
    if (sim_text_matches(name, tap->where) || sim_text_matches(owner, tap->where))
        points |= tap->points != 0 ? tap->points : NET_TAP_SEND | NET_TAP_RECEIVE;
    for (uint32_t i = 0; i < machine->scenario->link_count; i++)
        if (port->link == machine->links[i] &&
            sim_text_matches(machine->scenario->links[i].name, tap->where))
            points |= tap->points != 0 ? tap->points : NET_TAP_SEND;
    return points;
}

/* Everything that a tap may name, for what was perhaps meant. */
static void unknown(const char *option, const struct scn_machine *machine, const struct tap *tap,
                    struct scn_diagnostics *diagnostics) {
    static char texts[NAME_COUNT_MAX][SIM_NAME_BYTES];
    const char *names[NAME_COUNT_MAX], *nearest;
    struct net_port *port = NULL;
    size_t count = 0;

    for (uint32_t i = 0; i < machine->scenario->link_count && count < NAME_COUNT_MAX; i++)
        names[count++] = machine->scenario->links[i].name;
    while ((port = net_port_next(machine->world, port)) != NULL && count + 2 <= NAME_COUNT_MAX) {
        names[count] = sim_object_name(port->object.owner, texts[count], SIM_NAME_BYTES);
        count++;
        names[count] = sim_object_name(&port->object, texts[count], SIM_NAME_BYTES);
        count++;
    }
    nearest = scn_nearest(tap->where, names, count);
    if (nearest != NULL)
        scn_diagnose(diagnostics, option, 0, 0, NULL,
                     "there is no adapter, port, switch or link \"%s\"; did you mean \"%s\"?",
                     tap->where, nearest);
    else
        scn_diagnose(diagnostics, option, 0, 0, NULL,
                     "there is no adapter, port, switch or link \"%s\"; the first is \"%s\"",
                     tap->where, count > 0 ? names[0] : "missing");
}

void scn_taps_check(const struct scn_options *options, const struct scn_machine *machine,
                    struct scn_diagnostics *diagnostics) {
    for (uint32_t i = 0; i < options->pcap_count; i++) {
        struct net_port *port = NULL;
        bool is_known = false;
        char option[256];
        const char *wrong;
        struct tap tap;

        snprintf(option, sizeof(option), "--pcap %s", options->pcaps[i]);
        wrong = parse(options->pcaps[i], &tap);
        if (wrong != NULL) {
            scn_diagnose(diagnostics, option, 0, 0, NULL, "%s", wrong);
            continue;
        }
        is_known = tap.where[0] == '\0';
        while (!is_known && (port = net_port_next(machine->world, port)) != NULL)
            is_known = points_of(machine, port, &tap) != 0;
        if (!is_known)
            unknown(option, machine, &tap, diagnostics);
    }
}

/* The file of option `index` if no earlier option has it, else NULL. */
static const char *first_mention(const struct scn_options *options, uint32_t index) {
    struct tap tap, earlier;

    (void)parse(options->pcaps[index], &tap);
    for (uint32_t i = 0; i < index; i++) {
        (void)parse(options->pcaps[i], &earlier);
        if (strcmp(earlier.file, tap.file) == 0)
            return NULL;
    }
    return tap.file;
}

const char *scn_taps_file(const struct scn_options *options, uint32_t index) {
    for (uint32_t i = 0; i < options->pcap_count; i++) {
        const char *file = first_mention(options, i);

        if (file != NULL && index-- == 0)
            return file;
    }
    return NULL;
}

void scn_taps_add(const struct scn_options *options, const struct scn_machine *machine,
                  const char *file, struct net_capture *capture) {
    struct net_port *port = NULL;

    while ((port = net_port_next(machine->world, port)) != NULL) {
        uint32_t points = 0;

        for (uint32_t i = 0; i < options->pcap_count; i++) {
            struct tap tap;

            (void)parse(options->pcaps[i], &tap);
            if (strcmp(tap.file, file) == 0)
                points |= points_of(machine, port, &tap);
        }
        if (points != 0)
            net_capture_tap(capture, port, points);
    }
}
