/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fault points of the fabric, and how plans of state faults come to act.
 *
 *   certain plan    begin: an event at from_ns, or right after its trigger; every matching object
 *                   is asked once. Frames do not ask for it.
 *   other plan      frames ask (nth, ppm, free_ppm, class).
 *   both            end: an event at to_ns undoes the point on every matching object.
 */
#include "net/fault.h"

#include "internal.h"

#include <string.h>

#define FLAP_DEFAULT_NS (UINT64_C(5) * SIM_NS_PER_MS)
#define STATE_POINTS                                                                               \
    (1u << NET_POINT_LINK_DOWN | 1u << NET_POINT_LINK_FLAP | 1u << NET_POINT_LINK_RATE |           \
     1u << NET_POINT_SWITCH_DOWN | 1u << NET_POINT_SWITCH_PARTITION |                              \
     1u << NET_POINT_SWITCH_PAUSE_STORM)

#define ALTERATIONS(at, prefix, where)                                                             \
    [(at) + NET_ALTER_DROP] = {prefix ".drop", "packet", "A frame is lost on " where ".",          \
                               NULL,           true,     0,                                        \
                               false},                                                             \
            [(at) + NET_ALTER_DUPLICATE] = {prefix ".duplicate",                                   \
                                            "packet",                                              \
                                            "A frame arrives twice over " where                    \
                                            ", the copy delay_ns later than it could.",            \
                                            "delay_ns",                                            \
                                            true,                                                  \
                                            0,                                                     \
                                            false},                                                \
            [(at) + NET_ALTER_REORDER] = {prefix ".reorder",                                       \
                                          "packet",                                                \
                                          "A frame on " where                                      \
                                          " is overtaken by the next `frames` ones.",              \
                                          "frames",                                                \
                                          true,                                                    \
                                          0,                                                       \
                                          false},                                                  \
            [(at) + NET_ALTER_CORRUPT] = {prefix ".corrupt",                                       \
                                          "packet",                                                \
                                          "A bit of a frame is flipped on " where                  \
                                          "; bit n counts from 1, 0 takes one by the seed.",       \
                                          "bit",                                                   \
                                          false,                                                   \
                                          0,                                                       \
                                          false},                                                  \
            [(at) + NET_ALTER_DELAY] = {prefix ".delay",                                           \
                                        "packet",                                                  \
                                        "A frame on " where                                        \
                                        " is late by delay_ns; others pass it.",                   \
                                        "delay_ns",                                                \
                                        true,                                                      \
                                        0,                                                         \
                                        false},                                                    \
            [(at) + NET_ALTER_TRUNCATE] = {prefix ".truncate",                                     \
                                           "packet",                                               \
                                           "A frame on " where                                     \
                                           " keeps its first bytes only; 0 keeps half.",           \
                                           "bytes",                                                \
                                           false,                                                  \
                                           0,                                                      \
                                           false}

struct sim_fault_point net_points[NET_POINT_COUNT] = {
    ALTERATIONS(NET_POINT_LINK_ALTER, "link", "a link"),
    ALTERATIONS(NET_POINT_FRAME_ALTER, "frame", "its way out of a port"),
    [NET_POINT_LINK_DOWN] = {"link.down", "link", "A link goes down until the fault ends.", NULL,
                             false, 0, false},
    [NET_POINT_LINK_FLAP] = {"link.flap", "link",
                             "A link goes down for down_ns (0: 5 ms) and comes up again.",
                             "down_ns", true, 0, false},
    [NET_POINT_LINK_RATE] =
        {"link.rate", "link",
         "A link runs at rate_bps (0: a tenth of its own) until the fault ends.", "rate_bps", false,
         0, false},
    [NET_POINT_SWITCH_DOWN] = {"switch.down", "switch",
                               "A switch and all its links are down until the fault ends.", NULL,
                               false, 0, false},
    [NET_POINT_SWITCH_PARTITION] =
        {"switch.partition", "switch",
         "The ports whose bits are set (0: the first) no longer reach the others until the fault "
         "ends.",
         "ports", false, 0, false},
    [NET_POINT_SWITCH_PAUSE_STORM] =
        {"switch.pause_storm", "switch",
         "A switch pauses all its neighbours by PFC frames until the fault ends.", NULL, false, 0,
         false},
};

struct net_plan_timer {
    struct sim_event begin;
    struct sim_event end;
    struct sim_watch watch;
    struct net *net;
    struct sim_fault_plan *plan;
    enum net_point point;
};

bool net_fault_is_quiet(const struct net *net) {
    const struct sim_fault_flags *flags = (const struct sim_fault_flags *)(const void *)net->world;
    uint64_t planned[2];
    memcpy(planned, flags->planned + net_points[0].index, sizeof planned);
    return (planned[0] | planned[1]) == 0;
}

void net_fault_register(struct sim_world *world) {
    struct sim_fault_point *points[NET_POINT_COUNT];
    for (unsigned i = 0; i < NET_POINT_COUNT; i++)
        points[i] = &net_points[i];
    sim_fault_register(world, points, NET_POINT_COUNT);
    /* net_fault_is_quiet looks at the flags of 16 points in a row. */
    for (unsigned i = 1; i < NET_POINT_COUNT; i++)
        SIM_ASSERT(net_points[i].index == net_points[0].index + i);
    SIM_ASSERT(net_points[0].index + 16u <= SIM_FAULT_POINT_COUNT_MAX);
}

static void link_act(struct net_link *link, enum net_point point, uint64_t parameter) {
    switch (point) {
    case NET_POINT_LINK_DOWN:
        net_link_down_set(link, NET_DOWN_FAULT);
        break;
    case NET_POINT_LINK_FLAP:
        net_link_flap(link, parameter != 0 ? parameter : FLAP_DEFAULT_NS);
        break;
    default:
        net_link_fault_rate(link, parameter != 0 ? parameter : (link->rate_set_bps + 9) / 10);
        break;
    }
}

static void switch_act(struct net_switch *sw, enum net_point point, uint64_t parameter) {
    switch (point) {
    case NET_POINT_SWITCH_DOWN:
        net_switch_wish_down(sw, NET_WISH_FAULT, true);
        break;
    case NET_POINT_SWITCH_PARTITION:
        net_switch_wish_cut(sw, NET_WISH_FAULT, parameter != 0 ? parameter : 1);
        break;
    default:
        net_switch_wish_storm(sw, NET_WISH_FAULT, true);
        break;
    }
}

static void link_poll(struct net_link *link, enum net_point point, const char *class_name) {
    uint64_t parameter = 0;
    if (sim_fault_hit_class(link->net->world, &net_points[point], &link->object, class_name,
                            &parameter))
        link_act(link, point, parameter);
}

static void switch_poll(struct net_switch *sw, enum net_point point, const char *class_name) {
    uint64_t parameter = 0;
    if (sim_fault_hit_class(sw->net->world, &net_points[point], &sw->object, class_name,
                            &parameter))
        switch_act(sw, point, parameter);
}

static bool is_of_links(enum net_point point) {
    return point < NET_POINT_SWITCH_DOWN;
}

void net_fault_poll_link(struct net_link *link, enum net_frame_class class_id) {
    for (unsigned p = NET_POINT_LINK_DOWN; p < NET_POINT_SWITCH_DOWN; p++)
        if ((link->net->polled_points >> p & 1u) != 0)
            link_poll(link, (enum net_point)p, net_class_name(class_id));
}

void net_fault_poll_switch(struct net_switch *sw, enum net_frame_class class_id) {
    for (unsigned p = NET_POINT_SWITCH_DOWN; p < NET_POINT_COUNT; p++)
        if ((sw->net->polled_points >> p & 1u) != 0)
            switch_poll(sw, (enum net_point)p, net_class_name(class_id));
}

static void link_undo(struct net_link *link, enum net_point point) {
    if (point == NET_POINT_LINK_RATE) {
        net_link_fault_rate(link, 0);
        return;
    }
    sim_event_cancel(link->net->world, &link->flap_event);
    net_link_down_clear(link, NET_DOWN_FAULT);
}

static void switch_undo(struct net_switch *sw, enum net_point point) {
    if (point == NET_POINT_SWITCH_DOWN)
        net_switch_wish_down(sw, NET_WISH_FAULT, false);
    else if (point == NET_POINT_SWITCH_PARTITION)
        net_switch_wish_cut(sw, NET_WISH_FAULT, 0);
    else
        net_switch_wish_storm(sw, NET_WISH_FAULT, false);
}

static bool plan_is_for(const struct sim_fault_plan *plan, const struct sim_object *object) {
    return plan->subject == NULL || sim_object_matches(object, plan->subject);
}

static void timer_begin(struct sim_world *world, struct sim_event *event) {
    struct net_plan_timer *timer = SIM_CONTAINER_OF(event, struct net_plan_timer, begin);
    struct net *net = timer->net;
    (void)world;
    if (is_of_links(timer->point)) {
        for (struct net_link *link = net->first_link; link != NULL; link = link->next)
            if (plan_is_for(timer->plan, &link->object))
                link_poll(link, timer->point, NULL);
    } else {
        for (struct net_switch *sw = net->first_switch; sw != NULL; sw = sw->next)
            if (plan_is_for(timer->plan, &sw->object))
                switch_poll(sw, timer->point, NULL);
    }
}

static void timer_end(struct sim_world *world, struct sim_event *event) {
    struct net_plan_timer *timer = SIM_CONTAINER_OF(event, struct net_plan_timer, end);
    struct net *net = timer->net;
    (void)world;
    if (is_of_links(timer->point)) {
        for (struct net_link *link = net->first_link; link != NULL; link = link->next)
            if (plan_is_for(timer->plan, &link->object))
                link_undo(link, timer->point);
    } else {
        for (struct net_switch *sw = net->first_switch; sw != NULL; sw = sw->next)
            if (plan_is_for(timer->plan, &sw->object))
                switch_undo(sw, timer->point);
    }
}

/* The trigger's event was seen; whether the plan is armed by now is the registry's to say. */
static void timer_triggered(struct sim_world *world, struct sim_watch *watch,
                            const struct sim_record *record) {
    struct net_plan_timer *timer = SIM_CONTAINER_OF(watch, struct net_plan_timer, watch);
    (void)record;
    if (!sim_event_is_scheduled(&timer->begin)) {
        uint64_t due_ns = sim_now_ns(world);
        if (due_ns < timer->plan->from_ns)
            due_ns = timer->plan->from_ns;
        sim_event_schedule_at(world, &timer->begin, due_ns);
    }
}

static uint32_t count_matching(const struct net *net, const struct net_plan_timer *timer) {
    uint32_t count = 0;
    if (is_of_links(timer->point)) {
        for (const struct net_link *link = net->first_link; link != NULL; link = link->next)
            count += plan_is_for(timer->plan, &link->object);
    } else {
        for (const struct net_switch *sw = net->first_switch; sw != NULL; sw = sw->next)
            count += plan_is_for(timer->plan, &sw->object);
    }
    return count;
}

static void arm_begin(struct net *net, struct net_plan_timer *timer) {
    struct sim_world *world = net->world;
    struct sim_fault_plan *plan = timer->plan;
    /* Once per object, although frames may ask on behalf of another plan of the point. */
    if (plan->count_max == 0)
        plan->count_max = count_matching(net, timer);
    sim_event_init(&timer->begin, "fault.begin", NULL, timer_begin);
    if (plan->after_event != NULL) {
        timer->watch = (struct sim_watch){.type = sim_trace_type_of(world, plan->after_event),
                                          .pattern = plan->after_object,
                                          .seen = timer_triggered};
        sim_watch_add(world, &timer->watch);
        return;
    }
    uint64_t now_ns = sim_now_ns(world);
    sim_event_schedule_at(world, &timer->begin, plan->from_ns > now_ns ? plan->from_ns : now_ns);
}

static void plan_arm(struct net *net, struct sim_fault_plan *plan, enum net_point point) {
    struct sim_world *world = net->world;
    struct net_plan_timer *timer = sim_alloc(world, sizeof *timer);
    timer->net = net;
    timer->plan = plan;
    timer->point = point;
    if (plan->nth == 0 && plan->ppm == 0 && plan->free_ppm == 0 && plan->class_pattern == NULL)
        arm_begin(net, timer);
    else
        net->polled_points |= 1u << point;
    if (plan->to_ns != 0 && plan->to_ns != SIM_TIME_NEVER) {
        uint64_t now_ns = sim_now_ns(world);
        sim_event_init(&timer->end, "fault.end", NULL, timer_end);
        sim_event_schedule_at(world, &timer->end, plan->to_ns > now_ns ? plan->to_ns : now_ns);
    }
}

void net_fault_arm(struct sim_world *world) {
    struct net *net = net_of(world);
    size_t count = sim_fault_plan_count(world);
    for (; net->armed_plan_count < count; net->armed_plan_count++) {
        struct sim_fault_plan *plan = sim_fault_plan_at(world, net->armed_plan_count);
        unsigned first = net_points[0].index;
        unsigned index = plan->point->index;
        if (index < first || index - first >= NET_POINT_COUNT ||
            (STATE_POINTS >> (index - first) & 1u) == 0)
            continue;
        plan_arm(net, plan, (enum net_point)(index - first));
    }
}
