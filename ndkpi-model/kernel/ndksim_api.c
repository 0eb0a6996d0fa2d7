/* SPDX-License-Identifier: Apache-2.0 */
/* What drivers may say to the simulation (ndksim.h), and the counters they publish. */
#include <ntddk.h>

#include <ndksim.h>

#include <string.h>

#include <krn/bugcheck.h>
#include <krn/counter.h>
#include <krn/ndk.h>
#include <sim/fault.h>

#include "call_error.h"
#include "driver_faults.h"
#include "driver_state.h"
#include "pool.h"
#include "registry.h"
#include "wide.h"

#define LABELS_MAX 64u

static struct sim_object *subject_of(const struct krn_call *call, const void *ndk_object) {
    struct sim_object *named = krn_ndk_name(call->world, ndk_object);

    return named != NULL ? named : krn_call_owner(call);
}

/* Topics must be static: those of drivers are kept once per name. */
static const char *topic_keep(const struct krn_call *call, const char *text) {
    return sim_trace_name_keep(call->world, text);
}

ULONG NdksimChoose(PCSTR Kind, PVOID NdkObjectOrNull, PCSTR const *Labels, ULONG Count) {
    KRN_CALL(DISPATCH_LEVEL);
    struct sim_option options[LABELS_MAX];
    struct sim_choice choice;

    krn_check_memory(&call, Labels, Count * sizeof(Labels[0]), "label array");
    if (Count == 0 || Count > LABELS_MAX) {
        krn_call_error(&call, 0xC4, 0xE4, 0, "between 1 and 64 options may be given");
    }
    for (ULONG i = 0; i < Count; i++) {
        options[i] = (struct sim_option){.label = topic_keep(&call, Labels[i])};
    }
    choice = (struct sim_choice){
        .kind = SIM_CHOICE_DRIVER,
        .topic = topic_keep(&call, Kind),
        .subject = subject_of(&call, NdkObjectOrNull),
        .options = options,
        .option_count = Count,
    };
    return sim_choose(call.world, &choice);
}

VOID NdksimTrace(PCSTR Event, PVOID NdkObjectOrNull, ULONG64 A, ULONG64 B) {
    KRN_CALL(DISPATCH_LEVEL);
    struct sim_object *named = krn_ndk_name(call.world, NdkObjectOrNull);
    struct sim_object *owner = krn_call_owner(&call);

    (void)sim_trace(call.world, sim_trace_type_of(call.world, Event), SIM_ACCESS_NONE,
                    named != NULL ? named : owner, named != NULL ? owner : NULL, NULL, A, B);
}

BOOLEAN NdksimFault(PCSTR Point, PVOID NdkObjectOrNull) {
    KRN_CALL(DISPATCH_LEVEL);
    const struct sim_fault_point *point = krn_fault_declared(krn_call_driver(&call), Point);

    if (point == NULL) {
        krn_bugcheck(
            0xC4, 0xE5, 0, 0, 0,
            "NdksimFault names \"%s\", which NdksimFaultPoints of its module does not hold", Point);
    }
    return sim_fault_planned(call.world, point) &&
           sim_fault_hit(call.world, point, subject_of(&call, NdkObjectOrNull), NULL);
}

ULONG NdksimRegistryUlong(PCWSTR Name, ULONG Default) {
    KRN_CALL(HIGH_LEVEL);
    const struct krn_driver *driver = krn_call_driver(&call);
    const struct krn_registry_value *value;
    size_t count = 0;
    char name[KRN_REGISTRY_NAME_BYTES];

    if (driver == NULL) {
        return Default;
    }
    while (Name[count] != 0) {
        count++;
    }
    krn_wide_buffer_text(Name, count, name, sizeof(name));
    value = krn_registry_value(krn_registry_parameters(call.node, driver->name), name);
    if (value == NULL || value->type != REG_DWORD || value->bytes != sizeof(ULONG)) {
        return Default;
    }
    return *(const ULONG *)(const void *)value->data;
}

VOID NdksimRequire(BOOLEAN Condition, PCSTR Text) {
    KRN_CALL(HIGH_LEVEL);
    struct sim_finding finding;
    const struct krn_driver *driver;

    if (Condition) {
        return;
    }
    driver = krn_call_driver(&call);
    sim_finding_init(&finding, SIM_VERDICT_EXPECTATION, "require", "");
    sim_finding_say(&finding, "%s: %s", driver != NULL ? driver->name : "the program", Text);
    sim_finding_object(&finding, krn_call_owner(&call));
    sim_finding_site_here(&finding, "called");
    sim_find(call.world, &finding);
}

VOID NdksimCounter(PCSTR Name, ULONG64 Value) {
    KRN_CALL(HIGH_LEVEL);
    struct krn_driver *driver = krn_call_driver(&call);
    struct krn_counter *counter;

    if (driver == NULL) {
        return;
    }
    counter = driver->counter_first;
    while (counter != NULL && strcmp(counter->name, Name) != 0) {
        counter = counter->next;
    }
    if (counter == NULL) {
        counter = sim_alloc(call.world, sizeof(*counter));
        counter->name = sim_text_keep(call.world, Name);
        if (driver->counter_last != NULL) {
            driver->counter_last->next = counter;
        } else {
            driver->counter_first = counter;
        }
        driver->counter_last = counter;
    }
    counter->value = Value;
    krn_world_of(call.world)->counter_changes++;
}

bool krn_counter_get(const struct krn_driver *driver, const char *name, uint64_t *value) {
    const struct krn_counter *counter = driver->counter_first;

    while (counter != NULL && strcmp(counter->name, name) != 0) {
        counter = counter->next;
    }
    if (counter != NULL) {
        *value = counter->value;
    }
    return counter != NULL;
}

uint64_t krn_counter_changes(const struct sim_world *world) {
    return krn_world_of(world)->counter_changes;
}

void krn_counter_visit(const struct sim_world *world,
                       void (*visit)(void *context, struct krn_driver *driver, const char *name,
                                     uint64_t value),
                       void *context) {
    for (struct krn_driver *driver = krn_world_of(world)->driver_first; driver != NULL;
         driver = driver->next) {
        for (const struct krn_counter *counter = driver->counter_first; counter != NULL;
             counter = counter->next) {
            visit(context, driver, counter->name, counter->value);
        }
    }
}
