/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See words.h. A form is text with places: %1 %2 %3 objects, %s the status in the first value, %v
 * and %w the values, %f the function whose number is the first value. What has no form is told by
 * its event's name.
 */
#include "report/words.h"

#include <ctype.h>
#include <sim/machine.h>
#include <stdio.h>
#include <string.h>

#include "model/scenario.h"

static const struct {
    const char *event;
    const char *form;
} forms[] = {
    {"adapter.ndk_disabling", "NDK is being disabled on %1"},
    {"adapter.ndk_enabled", "NDK is enabled on %1"},
    {"adapter.removed", "%1 has been removed by surprise"},
    {"cq.arm", "%1 is armed"},
    {"cqe", "a completion of %2 is placed in %1"},
    {"doorbell", "the doorbell of %1 is rung"},
    {"dpc.end", "%1 returns"},
    {"dpc.queue", "%1 is queued"},
    {"dpc.run", "%1 runs"},
    {"event.set", "%1 is set"},
    {"fault.enable", "faults are switched on (1) or off (0): %v"},
    {"fault.fire", "a fault acts on %1"},
    {"irq", "%1 interrupts"},
    {"lock.acquire", "takes %1"},
    {"lock.release", "gives %1 back"},
    {"ndk.adapter.closed", "%1 is closed"},
    {"ndk.adapter.open", "%1 is open"},
    {"ndk.call", "%f of %1 is called"},
    {"ndk.callback.return", "the callback of %1 returns"},
    {"ndk.event.connect", "connect event of %1"},
    {"ndk.event.cq", "notification of %1"},
    {"ndk.event.disconnect", "disconnect event of %1"},
    {"ndk.event.srq", "notification of %1"},
    {"ndk.result", "a result of %1 is read from %2: %s"},
    {"packet.drop", "%1 drops a packet"},
    {"packet.receive", "a packet reaches %1"},
    {"packet.send", "%1 sends a packet"},
    {"pool.allocate", "pool#%v is allocated, %w bytes"},
    {"pool.free", "pool#%v is freed, %w bytes"},
    {"qp.state", "%1 changes its state in the device"},
    {"thread.create", "%1 is created"},
    {"timer.cancel", "%1 is cancelled"},
    {"timer.expire", "%1 expires"},
    {"timer.set", "%1 is set"},
    {"wait.begin", "waits for %1"},
    {"wait.end", "has waited for %1"},
    {"wqe.start", "%1 takes up a work request"},
    {"work.end", "%1 returns"},
    {"work.queue", "%1 is queued"},
    {"work.run", "%1 runs"},
};

struct writer {
    char *text;
    size_t size;
    size_t at;
};

static void put(struct writer *writer, const char *piece) {
    size_t room = writer->size - writer->at;
    int count = snprintf(writer->text + writer->at, room, "%s", piece);

    writer->at += (size_t)count < room ? (size_t)count : room - 1;
}

static void put_number(struct writer *writer, uint64_t number) {
    char text[24];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
    put(writer, text);
}

static void put_object(struct writer *writer, const struct sim_world *world, uint32_t id) {
    char name[SIM_NAME_BYTES];

    put(writer, sim_object_name(sim_object_by_id(world, id), name, sizeof(name)));
}

static void put_status(struct writer *writer, uint64_t value) {
    const char *name = scn_status_name_of((uint32_t)value);
    char text[24];

    snprintf(text, sizeof(text), "0x%08X", (unsigned)(uint32_t)value);
    put(writer, name != NULL ? name : text);
}

/* "ndk.close_cq.done" gives "NdkCloseCq". */
static void put_function(struct writer *writer, const char *event) {
    bool starts = true;

    for (; *event != '\0' && strcmp(event, ".done") != 0; event++) {
        char letter[2] = {starts ? (char)toupper((unsigned char)*event) : *event, '\0'};

        starts = *event == '_' || *event == '.';
        if (!starts)
            put(writer, letter);
    }
}

static void fill(struct writer *writer, const struct sim_world *world,
                 const struct sim_record *record, const char *form) {
    for (; *form != '\0'; form++) {
        char letter[2] = {*form, '\0'};

        if (*form != '%') {
            put(writer, letter);
            continue;
        }
        form++;
        if (*form >= '1' && *form <= '3')
            put_object(writer, world, record->object_id[*form - '1']);
        else if (*form == 's')
            put_status(writer, record->value[0]);
        else if (*form == 'f')
            put_function(writer, sim_trace_type_name(world, (uint16_t)record->value[0]));
        else
            put_number(writer, record->value[*form == 'v' ? 0 : 1]);
    }
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with) {
    size_t length = strlen(text), tail = strlen(with);

    return length >= tail && strcmp(text + length - tail, with) == 0;
}

/* What was called, with the objects that it is about, and what came of it. */
static void fill_call(struct writer *writer, const struct sim_world *world,
                      const struct sim_record *record, const char *event) {
    put_function(writer, event);
    for (size_t i = 0; i < SIM_ARRAY_COUNT(record->object_id); i++) {
        if (record->object_id[i] == 0)
            continue;
        put(writer, " ");
        put_object(writer, world, record->object_id[i]);
    }
    put(writer, ends(event, ".done") ? " completes: " : " answers ");
    put_status(writer, record->value[0]);
}

/* A step of a machine that has said the names of its states; false of anything else. */
static bool fill_step(struct writer *writer, const struct sim_world *world,
                      const struct sim_record *record, const char *event) {
    for (size_t i = 0; i < sim_machine_count(world); i++) {
        const struct sim_machine *machine = sim_machine_at(world, i);
        uint64_t from = machine->is_packed ? record->value[0] >> 8 : record->value[0];
        uint64_t to = machine->is_packed ? record->value[0] & 0xFF : record->value[1];

        if (strcmp(machine->event, event) != 0 || from >= machine->state_count ||
            to >= machine->state_count)
            continue;
        put_object(writer, world, record->object_id[0]);
        put(writer, " goes from ");
        put(writer, machine->states[from]);
        put(writer, " to ");
        put(writer, machine->states[to]);
        return true;
    }
    return false;
}

/* "cm.rep" and "tx.cm.rep": CM REP. */
static void fill_message(struct writer *writer, const struct sim_world *world,
                         const struct sim_record *record, const char *event) {
    bool leaves = begins(event, "tx.");

    for (const char *at = leaves ? event + 3 : event; *at != '\0'; at++) {
        char letter[2] = {*at == '.' ? ' ' : (char)toupper((unsigned char)*at), '\0'};

        put(writer, letter);
    }
    put(writer, leaves ? " leaves " : " of ");
    put_object(writer, world, record->object_id[0]);
}

static void fill_plain(struct writer *writer, const struct sim_world *world,
                       const struct sim_record *record, const char *event) {
    put(writer, event);
    for (size_t i = 0; i < SIM_ARRAY_COUNT(record->object_id); i++) {
        if (record->object_id[i] == 0)
            continue;
        put(writer, " ");
        put_object(writer, world, record->object_id[i]);
    }
    if (record->value[0] == 0 && record->value[1] == 0)
        return;
    put(writer, " ");
    put_number(writer, record->value[0]);
    put(writer, " ");
    put_number(writer, record->value[1]);
}

const char *scn_record_words(const struct sim_world *world, const struct sim_record *record,
                             char *text, size_t size) {
    const char *event = sim_trace_type_name(world, record->type);
    struct writer writer = {text, size, 0};

    text[0] = '\0';
    if (fill_step(&writer, world, record, event))
        return text;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(forms); i++) {
        if (strcmp(forms[i].event, event) != 0)
            continue;
        fill(&writer, world, record, forms[i].form);
        return text;
    }
    if (record->type >= SIM_TRACE_NDK && record->type < SIM_TRACE_SCENARIO)
        fill_call(&writer, world, record, event);
    else if (begins(event, "tx.") || begins(event, "cm."))
        fill_message(&writer, world, record, event);
    else
        fill_plain(&writer, world, record, event);
    return text;
}

uint64_t scn_record_request(const struct sim_world *world, const struct sim_record *record) {
    static const char *const posts[] = {"ndk.call",
                                        "ndk.result",
                                        "ndk.send",
                                        "ndk.receive",
                                        "ndk.bind",
                                        "ndk.invalidate",
                                        "ndk.read",
                                        "ndk.write",
                                        "ndk.fast_register",
                                        "ndk.srq_receive",
                                        "ndk.send_and_invalidate"};
    const char *name;

    if (record->type < SIM_TRACE_NDK || record->type >= SIM_TRACE_SCENARIO)
        return 0;
    name = sim_trace_type_name(world, record->type);
    for (size_t i = 0; i < SIM_ARRAY_COUNT(posts); i++)
        if (strcmp(name, posts[i]) == 0)
            return record->value[1];
    return ends(name, ".done") ? record->value[1] : 0;
}

const char *scn_record_actor(const struct sim_world *world, const struct sim_record *record,
                             char *text, size_t size) {
    const struct sim_object *object = sim_object_by_id(world, record->actor_id);

    if (object == NULL) {
        object = sim_object_by_id(world, record->object_id[0]);
        while (object != NULL && object->owner != NULL)
            object = object->owner;
    }
    if (object == NULL) {
        snprintf(text, size, "world");
        return text;
    }
    return sim_object_name(object, text, size);
}

bool scn_record_is_milestone(const struct sim_world *world, const struct sim_record *record) {
    static const char *const others[] = {"ndk.call",
                                         "ndk.callback.return",
                                         "ndk.result",
                                         "ndk.query_*",
                                         "ndk.get_*",
                                         "pool.*",
                                         "dpc.*",
                                         "timer.*",
                                         "event.*",
                                         "work.*",
                                         "thread.*",
                                         "wait.*",
                                         "lock.*",
                                         "task.*",
                                         "bus.*",
                                         "irq",
                                         "adapter.interrupt",
                                         "wsk.*"};
    const char *event = sim_trace_type_name(world, record->type);

    for (size_t i = 0; i < SIM_ARRAY_COUNT(others); i++)
        if (sim_text_matches(event, others[i]))
            return false;
    return scn_record_tells(world, record);
}

bool scn_record_tells(const struct sim_world *world, const struct sim_record *record) {
    static const char *const below[] = {"lock.", "wait.", "bus.", "task.", "ndk.callback.return"};
    const char *event = sim_trace_type_name(world, record->type);

    if (record->type >= SIM_TRACE_RNIC && record->type < SIM_TRACE_NDK)
        return strcmp(event, "qp.state") == 0 || strcmp(event, "device.fatal") == 0 ||
               strcmp(event, "device.reset") == 0 || strcmp(event, "cq.error") == 0;
    if (record->type >= SIM_TRACE_NET && record->type < SIM_TRACE_RNIC)
        return begins(event, "tx.cm.") || !begins(event, "tx.");
    for (size_t i = 0; i < SIM_ARRAY_COUNT(below); i++)
        if (begins(event, below[i]))
            return false;
    return true;
}
