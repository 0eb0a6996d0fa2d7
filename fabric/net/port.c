/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A port's life, its owner's wishes (pacing, on and off), and its statistics.
 */
#include "internal.h"

#include <stdio.h>

#include <wire/bytes.h>
#include <wire/roce.h>

#define SLOT_UD_SEND_ONLY 24u
#define SLOT_UD_SEND_ONLY_IMM 25u
#define SLOT_CNP 26u
#define SLOT_OTHER 27u

uint32_t net_opcode_slot(uint8_t opcode) {
    if (opcode < SLOT_UD_SEND_ONLY)
        return opcode;
    switch (opcode) {
    case WIRE_UD_SEND_ONLY:
        return SLOT_UD_SEND_ONLY;
    case WIRE_UD_SEND_ONLY_IMM:
        return SLOT_UD_SEND_ONLY_IMM;
    case WIRE_CNP:
        return SLOT_CNP;
    default:
        return SLOT_OTHER;
    }
}

uint8_t net_opcode_of_slot(uint32_t slot) {
    SIM_ASSERT(slot < SLOT_OTHER);
    switch (slot) {
    case SLOT_UD_SEND_ONLY:
        return WIRE_UD_SEND_ONLY;
    case SLOT_UD_SEND_ONLY_IMM:
        return WIRE_UD_SEND_ONLY_IMM;
    case SLOT_CNP:
        return WIRE_CNP;
    default:
        return (uint8_t)slot;
    }
}

static void pause_over(struct sim_world *world, struct sim_event *event) {
    (void)world;
    net_port_resume(SIM_CONTAINER_OF(event, struct net_port, pause_event));
}

static void link_tell(struct sim_world *world, struct sim_event *event) {
    struct net_port *port = SIM_CONTAINER_OF(event, struct net_port, link_event);
    bool up = net_port_is_up(port);
    (void)world;
    if (up == port->up_told)
        return;
    port->up_told = up;
    if (port->ops->on_link != NULL)
        port->ops->on_link(port->context, up);
}

static void sent_tell(struct sim_world *world, struct sim_event *event) {
    struct net_port *port = SIM_CONTAINER_OF(event, struct net_port, sent_event);
    (void)world;
    /* Others may have come behind in the meantime. */
    if (net_port_backlog_bytes(port) > port->sent_backlog_bytes) {
        net_port_sent_when(port, port->sent_backlog_bytes);
        return;
    }
    port->is_sent_wished = false;
    port->ops->on_sent(port->context);
}

static void mac_make(struct net *net, struct wire_mac *mac) {
    uint32_t number = net->port_count;
    do {
        number++;
        *mac = (struct wire_mac){{0x02}};
        wire_put_u32(mac->bytes + 2, number);
    } while (net_port_by_mac(net->world, mac) != NULL);
}

void net_port_init(struct sim_world *world, struct net_port *port, struct sim_object *owner,
                   const struct wire_mac *mac, const struct net_port_ops *ops, void *context) {
    struct net *net = net_of(world);
    SIM_ASSERT(ops->on_frame != NULL);
    *port = (struct net_port){.net = net, .ops = ops, .context = context};
    sim_object_init(world, &port->object, owner, "port", SIM_NAME_NUMBERED);
    if (mac != NULL) {
        SIM_ASSERT(net_port_by_mac(world, mac) == NULL);
        port->mac = *mac;
    } else {
        mac_make(net, &port->mac);
    }
    port->serial = net->port_count++;
    port->held_last = &port->held_first;
    sim_event_init(&port->pause_event, "port.resume", &port->object, pause_over);
    sim_event_init(&port->link_event, "port.link", &port->object, link_tell);
    sim_event_init(&port->sent_event, "port.sent", &port->object, sent_tell);
    if (net->last_port != NULL)
        net->last_port->next = port;
    else
        net->first_port = port;
    net->last_port = port;
    net->is_routed = false;
}

void net_port_sent_when(struct net_port *port, uint64_t backlog_bytes) {
    struct net *net = port->net;
    uint64_t now_ns = sim_now_ns(net->world);
    uint64_t due_ns = now_ns;
    SIM_ASSERT(port->ops->on_sent != NULL);
    port->is_sent_wished = true;
    port->sent_backlog_bytes = backlog_bytes;
    sim_event_cancel(net->world, &port->sent_event);
    /* What a pause holds back goes on at its end, and asks again then. */
    if (port->held_bytes > backlog_bytes)
        return;
    if (net_port_backlog_bytes(port) > backlog_bytes) {
        due_ns = net_port_low_ns(port, backlog_bytes - port->held_bytes);
        if (due_ns <= now_ns)
            due_ns = now_ns + 1;
    }
    sim_event_schedule_at(net->world, &port->sent_event, due_ns);
}

bool net_port_is_up(const struct net_port *port) {
    return port->link != NULL && port->link->down == 0;
}

void net_port_enable(struct net_port *port, bool on) {
    port->is_off = !on;
    if (port->link != NULL)
        net_link_side_set(port->link, NET_DOWN_PORT, port->side, !on);
}

uint32_t net_port_mtu_bytes(const struct net_port *port) {
    return port->link != NULL ? port->link->config.mtu_bytes : 0;
}

uint64_t net_port_rate_bps(const struct net_port *port) {
    return port->link != NULL ? port->link->rate_bps : 0;
}

struct writer {
    void (*put)(void *context, const char *text);
    void *context;
};

static void put_number(const struct writer *writer, const char *before, const char *name,
                       uint64_t value) {
    char text[96];
    (void)snprintf(text, sizeof text, "%s\"%s\":%llu", before, name, (unsigned long long)value);
    writer->put(writer->context, text);
}

static void put_opcodes(const struct writer *writer, const struct net_port_statistics *s) {
    const char *before = "";
    char name[8];
    writer->put(writer->context, ",\"opcode_out\":{");
    for (uint32_t slot = 0; slot < NET_OPCODE_SLOT_COUNT; slot++) {
        if (s->opcode_out[slot] == 0)
            continue;
        if (slot == SLOT_OTHER)
            (void)snprintf(name, sizeof name, "other");
        else
            (void)snprintf(name, sizeof name, "%u", net_opcode_of_slot(slot));
        put_number(writer, before, name, s->opcode_out[slot]);
        before = ",";
    }
    writer->put(writer->context, "}");
}

static void put_named(const struct writer *writer, const char *title, const uint64_t *values,
                      uint32_t count, const char *(*name)(uint32_t index)) {
    const char *before = "";
    writer->put(writer->context, title);
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] == 0)
            continue;
        put_number(writer, before, name(i), values[i]);
        before = ",";
    }
    writer->put(writer->context, "}");
}

static const char *class_text(uint32_t index) {
    return net_class_name((enum net_frame_class)index);
}

static const char *digit_text(uint32_t index) {
    static const char digits[][2] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    return digits[index];
}

static const char *drop_text(uint32_t index) {
    return net_drop_name((enum net_drop)index);
}

static void put_port(const struct writer *writer, const struct net_port *port) {
    const struct net_port_statistics *s = &port->statistics;
    char name[SIM_NAME_BYTES];
    writer->put(writer->context, "\"");
    writer->put(writer->context, sim_object_name(&port->object, name, sizeof name));
    writer->put(writer->context, "\":{");
    put_number(writer, "", "frames_out", s->frames_out);
    put_number(writer, ",", "bytes_out", s->bytes_out);
    put_number(writer, ",", "frames_in", s->frames_in);
    put_number(writer, ",", "bytes_in", s->bytes_in);
    put_number(writer, ",", "pauses_in", s->pauses_in);
    put_opcodes(writer, s);
    put_named(writer, ",\"class_out\":{", s->class_out, NET_CLASS_COUNT, class_text);
    put_named(writer, ",\"priority_out\":{", s->priority_out, NET_PRIORITY_COUNT, digit_text);
    put_named(writer, ",\"drops\":{", s->drops, NET_DROP_COUNT, drop_text);
    writer->put(writer->context, "}");
}

void net_statistics_write(const struct sim_world *world, void (*put)(void *context, const char *),
                          void *context) {
    const struct writer writer = {put, context};
    const char *before = "{";
    for (const struct net_port *p = net_of(world)->first_port; p != NULL; p = p->next) {
        put(context, before);
        put_port(&writer, p);
        before = ",\n";
    }
    put(context, before[0] == '{' ? "{}\n" : "}\n");
}
