/* SPDX-License-Identifier: Apache-2.0 */
/* See step_adapter.h. */
#include "run/step_adapter.h"

#include <krn/oid.h>
#include <sim/memory.h>
#include <sim/trace.h>
#include <stdio.h>
#include <string.h>

#include "run/judge.h"

#define NAMES_MAX 64u
#define WRONG_BYTES 400u

/* ---- Names ---- */

static uint32_t number_of(const struct scn_oid *oid) {
    return oid->name != NULL ? krn_oid_by_name(oid->name) : oid->number;
}

static void unknown(const struct scn_value *value, bool at_key, const char *what, const char *name,
                    const char *const *names, size_t count, struct scn_diagnostics *diagnostics) {
    const char *nearest = scn_nearest(name, names, count);

    if (nearest != NULL)
        scn_diagnose_value(diagnostics, value, at_key,
                           "there is no %s \"%s\"; did you mean \"%s\"?", what, name, nearest);
    else
        scn_diagnose_value(diagnostics, value, at_key, "there is no %s \"%s\"", what, name);
}

static void check_members(const struct scn_oid *oid, uint32_t number,
                          struct scn_diagnostics *diagnostics) {
    const char *names[NAMES_MAX];
    size_t count = 0;

    while (count < NAMES_MAX && krn_oid_member_at(number, count) != NULL) {
        names[count] = krn_oid_member_at(number, count);
        count++;
    }
    for (uint32_t i = 0; i < oid->member_count; i++) {
        bool is_known = false;

        for (size_t k = 0; k < count; k++)
            is_known = is_known || strcmp(names[k], oid->members[i].name) == 0;
        if (!is_known)
            unknown(oid->members[i].source, true, "member", oid->members[i].name, names, count,
                    diagnostics);
    }
}

void scn_oid_check(const struct scn_step *step, struct scn_diagnostics *diagnostics) {
    const struct scn_oid *oid = step->oid;
    uint32_t number = number_of(oid);

    if (oid->name != NULL && number == 0) {
        const char *names[NAMES_MAX];
        size_t count = 0;

        while (count < NAMES_MAX && krn_oid_name_at(count) != NULL) {
            names[count] = krn_oid_name_at(count);
            count++;
        }
        unknown(scn_member(oid->source, "oid"), false, "OID", oid->name, names, count, diagnostics);
        return;
    }
    check_members(oid, number, diagnostics);
    if (oid->has_entries && !krn_oid_has_entries(number))
        scn_diagnose_value(diagnostics, scn_member(oid->source, "entries"), true,
                           "the answer of this OID has no entries");
}

/* ---- OID requests ---- */

void scn_oid_start(struct scn_machine *machine, const struct scn_step *step,
                   struct scn_oid_run *run, struct krn_step *done) {
    const struct scn_oid *oid = step->oid;
    uint32_t bytes = oid->is_set ? oid->in_bytes : oid->out_bytes;

    run->oid.oid = number_of(oid);
    run->oid.is_set = oid->is_set;
    run->oid.is_direct = oid->is_direct;
    run->oid.bytes = bytes;
    run->oid.buffer = bytes > 0 ? sim_alloc(machine->world, bytes) : NULL;
    if (oid->is_set && bytes > 0)
        memcpy(run->oid.buffer, oid->in, bytes);
    krn_adapter_oid(machine->adapters[step->target], &run->oid, done);
}

/* Each returns false with a text when the answer is not what was expected. */

static bool members_are_right(struct scn_machine *machine, const struct scn_oid *oid,
                              const struct scn_oid_run *run, uint64_t bytes, char *text) {
    for (uint32_t i = 0; i < oid->member_count; i++) {
        const struct scn_oid_member *member = &oid->members[i];
        uint64_t wanted = member->number, value;

        if (!krn_oid_member(run->oid.oid, member->name, run->oid.buffer, bytes, &value)) {
            snprintf(text, WRONG_BYTES, "the answer (%llu bytes) has no \"%s\"",
                     (unsigned long long)bytes, member->name);
            return false;
        }
        if (member->counter != NULL && !scn_counter_read(machine, member->counter, &wanted)) {
            snprintf(text, WRONG_BYTES, "nobody has a counter \"%s\"", member->counter);
            return false;
        }
        if (value != wanted) {
            snprintf(text, WRONG_BYTES, "\"%s\" is %llu, expected %llu%s%s", member->name,
                     (unsigned long long)value, (unsigned long long)wanted,
                     member->counter != NULL ? " as " : "",
                     member->counter != NULL ? member->counter : "");
            return false;
        }
    }
    return true;
}

/* Takes the first pattern that matches and was not taken. */
static bool entry_take(const struct scn_oid *oid, bool *taken, const char *entry) {
    for (uint32_t i = 0; i < oid->entry_count; i++) {
        if (!taken[i] && sim_text_matches(entry, oid->entries[i])) {
            taken[i] = true;
            return true;
        }
    }
    return false;
}

static bool entries_are_right(struct scn_machine *machine, const struct scn_oid *oid,
                              const struct scn_oid_run *run, uint64_t bytes, char *text) {
    bool *taken = sim_alloc(machine->world, oid->entry_count + 1);
    char entry[KRN_OID_ENTRY_BYTES];

    for (uint32_t i = 0; krn_oid_entry(run->oid.oid, run->oid.buffer, bytes, i, entry); i++) {
        if (!entry_take(oid, taken, entry)) {
            snprintf(text, WRONG_BYTES, "the entry \"%s\" was not expected", entry);
            return false;
        }
    }
    for (uint32_t i = 0; i < oid->entry_count; i++) {
        if (!taken[i]) {
            snprintf(text, WRONG_BYTES, "no entry is \"%s\"", oid->entries[i]);
            return false;
        }
    }
    return true;
}

static bool needed_is_right(const struct scn_oid *oid, const struct scn_oid_run *run, char *text) {
    if (!oid->has_needed || run->oid.bytes_needed == oid->needed)
        return true;
    snprintf(text, WRONG_BYTES, "it needs %u bytes, expected %u", run->oid.bytes_needed,
             oid->needed);
    return false;
}

void scn_oid_judge(struct scn_machine *machine, const struct scn_step *step,
                   struct scn_oid_run *run, const struct krn_step *done) {
    const struct scn_oid *oid = step->oid;
    char text[WRONG_BYTES];
    bool is_right = needed_is_right(oid, run, text);

    if (is_right && done->status == 0)
        is_right =
            members_are_right(machine, oid, run, done->information, text) &&
            (!oid->has_entries || entries_are_right(machine, oid, run, done->information, text));
    else if (is_right && (oid->member_count > 0 || oid->has_entries)) {
        char status[SCN_STATUS_TEXT_BYTES];

        snprintf(text, sizeof(text), "there is no answer: %s",
                 scn_status_text(done->status, status, sizeof(status)));
        is_right = false;
    }
    run->wrong = is_right ? NULL : sim_text_keep(machine->world, text);
}

/* ---- Device events ---- */

void scn_pnp_start(struct scn_machine *machine, const struct scn_step *step,
                   struct krn_step *done) {
    static const enum krn_pnp actions[] = {
        KRN_PNP_HALT,     KRN_PNP_INITIALIZE, KRN_PNP_SURPRISE_REMOVE,
        KRN_PNP_SHUTDOWN, KRN_PNP_POWER_DOWN, KRN_PNP_POWER_UP,
        KRN_PNP_RESET,    KRN_PNP_RESTART,    KRN_PNP_INSERT,
    };
    struct krn_adapter *adapter = machine->adapters[step->target];

    for (uint32_t i = 0; i < step->keywords.count; i++)
        krn_adapter_keyword_set(adapter, step->keywords.entries[i].name,
                                step->keywords.entries[i].text);
    krn_adapter_pnp(adapter, actions[step->pnp], done);
}
