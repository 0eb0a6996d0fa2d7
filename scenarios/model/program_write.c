/* SPDX-License-Identifier: Apache-2.0 */
/* One block of memory from all parts of a compiled script. */
#include "model/program.h"

#include <string.h>

#include "model/status_facts.h"

/* Where the kernel starts its clock when a scenario does not say. */
#define BOOT_NS (10 * SIM_NS_PER_S)

#define SIZE_STEP_BYTES 4096u

struct writer {
    char *bytes; /* NULL: only counted */
    uint32_t at;
};

static uint32_t write_bytes(struct writer *writer, const void *data, size_t bytes) {
    uint32_t at = writer->at;

    if (writer->bytes != NULL && bytes > 0)
        memcpy(writer->bytes + at, data, bytes);
    writer->at = (uint32_t)((at + bytes + 7) & ~(size_t)7);
    return at;
}

static uint32_t write_list(struct writer *writer, const struct scn_list *list) {
    return write_bytes(writer, list->data, (size_t)list->count * list->element_bytes);
}

/* Names become (kind, text) or (text) records. */
static void collect_names(struct scn_program *program, const struct scn_list *names,
                          struct scn_list *records) {
    for (uint32_t i = 0; i < names->count; i++) {
        const struct scn_name *name = scn_list_at(names, i);
        struct script_name *record = scn_list_add(records);

        record->name = scn_emit_text(program, name->text);
    }
}

static void collect_objects(struct scn_program *program, struct scn_list *records) {
    for (uint32_t i = 0; i < program->objects.count; i++) {
        const struct scn_name *name = scn_list_at(&program->objects, i);
        struct script_object *record = scn_list_add(records);

        record->kind = name->kind;
        record->name = scn_emit_text(program, name->text);
    }
}

static bool has_status(const struct scn_list *records, uint32_t value) {
    for (uint32_t i = 0; i < records->count; i++)
        if (((const struct script_status *)scn_list_at(records, i))->value == value)
            return true;
    return false;
}

static void collect_status(struct scn_program *program, struct scn_list *records,
                           const char *name) {
    struct script_status *record;
    int32_t status;

    if (!scn_status_parse(name, &status) || has_status(records, (uint32_t)status))
        return;
    record = scn_list_add(records);
    record->value = (uint32_t)status;
    record->name = scn_emit_text(program, name);
}

/* Those that NDK's functions answer with: a driver need not know more, reports do. */
static void collect_statuses(struct scn_program *program, struct scn_list *records) {
    const struct scn_status_fact *fact;

    for (size_t i = 0; (fact = scn_status_fact_at(i)) != NULL; i++)
        collect_status(program, records, fact->status);
    collect_status(program, records, "STATUS_DEVICE_BUSY"); /* our answer where pages are silent */
}

struct parts {
    struct scn_list objects, labels, variables, statuses, threads;
};

static void collect_threads(struct scn_program *program, struct scn_list *records) {
    for (uint32_t i = 0; i < program->threads.count; i++) {
        const struct scn_name *thread = scn_list_at(&program->threads, i);
        struct script_thread *record = scn_list_add(records);

        record->name = scn_emit_text(program, thread->text);
        record->block = thread->kind;
    }
}

static void write_all(struct scn_program *program, const struct parts *parts,
                      struct script_program *header, struct writer *writer) {
    writer->at = 0;
    write_bytes(writer, header, sizeof(*header));
    header->arg_at = write_list(writer, &program->args);
    header->step_at = write_list(writer, &program->steps);
    header->block_at = write_list(writer, &program->blocks);
    header->object_at = write_list(writer, &parts->objects);
    header->label_at = write_list(writer, &parts->labels);
    header->variable_at = write_list(writer, &parts->variables);
    header->thread_at = write_list(writer, &parts->threads);
    header->handler_at = write_list(writer, &program->handlers);
    header->status_at = write_list(writer, &parts->statuses);
    header->text_at = write_list(writer, &program->texts);
    /* In steps, so that a line more or a longer name changes no run: the driver's pool shows sizes.
     */
    header->bytes = (writer->at + SIZE_STEP_BYTES - 1) & ~(SIZE_STEP_BYTES - 1);
}

static void fill_header(struct scn_program *program, const struct parts *parts,
                        struct script_program *header) {
    const struct scn_scenario *scenario = program->build->scenario;

    header->magic = SCRIPT_MAGIC;
    header->format = SCRIPT_FORMAT;
    header->flags = program->flags;
    header->node = scn_emit_text(program, scenario->nodes[program->driver->node].name);
    header->driver = scn_emit_text(program, program->driver->as);
    header->adapter = program->adapter;
    header->interface_index = program->interface_index;
    header->version = program->version;
    header->unload_block = program->unload_block;
    header->boot_ns = BOOT_NS;
    header->arg_count = program->args.count;
    header->step_count = program->steps.count;
    header->block_count = program->blocks.count;
    header->object_count = program->objects.count;
    header->label_count = program->labels.count;
    header->variable_count = program->variables.count;
    header->signal_count = program->signals.count;
    header->lock_count = program->locks.count;
    header->thread_count = program->threads.count;
    header->handler_count = program->handlers.count;
    header->status_count = parts->statuses.count;
    header->text_bytes = program->texts.count;
}

void scn_program_write(struct scn_program *program, struct scn_driver *driver) {
    struct parts parts = {
        .objects = {.element_bytes = sizeof(struct script_object)},
        .labels = {.element_bytes = sizeof(struct script_name)},
        .variables = {.element_bytes = sizeof(struct script_name)},
        .statuses = {.element_bytes = sizeof(struct script_status)},
        .threads = {.element_bytes = sizeof(struct script_thread)},
    };
    struct script_program header = {0};
    struct writer writer = {NULL, 0};

    collect_objects(program, &parts.objects);
    collect_names(program, &program->labels, &parts.labels);
    collect_names(program, &program->variables, &parts.variables);
    collect_statuses(program, &parts.statuses);
    collect_threads(program, &parts.threads);
    fill_header(program, &parts, &header);
    write_all(program, &parts, &header, &writer);
    writer.bytes = scn_document_take(program->build->document, header.bytes);
    write_all(program, &parts, &header, &writer); /* all offsets are known now */
    driver->program = writer.bytes;
    driver->program_bytes = header.bytes;
    scn_list_free(&parts.objects);
    scn_list_free(&parts.labels);
    scn_list_free(&parts.variables);
    scn_list_free(&parts.statuses);
    scn_list_free(&parts.threads);
}
