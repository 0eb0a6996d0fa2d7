/* SPDX-License-Identifier: Apache-2.0 */
/* DPCs. */
#include "dpc.h"

#include <krn/bugcheck.h>

#include "bugcheck_guilty.h"
#include "call_error.h"
#include "race.h"
#include "thread.h"
#include "wait.h"

/* Numbers at and above this one name a target CPU, as in Windows' KDPC. */
#define TARGET_BASE 0x500u

bool krn_dpc_is_queued(const struct krn_dpc *dpc) {
    return dpc->call.queued_on != NULL;
}

struct krn_dpc *krn_dpc_of(const struct krn_record *record) {
    SIM_ASSERT(record->kind == KRN_KIND_DPC);
    return (struct krn_dpc *)(uintptr_t)record;
}

void krn_dpc_begin(struct krn_cpu *cpu, struct krn_driver *driver, struct krn_dpc *dpc) {
    cpu->dpc_running = dpc;
    cpu->dpc_since_ns = sim_now_ns(cpu->node->world);
    cpu->dpc_late_ns = sim_cpu_late_ns(cpu->cpu);
    cpu->dpc_limit_ns = cpu->dpc_since_ns + cpu->node->dpc_limit_ns;
    cpu->driver[SIM_LAYER_DPC] = driver;
}

void krn_dpc_end(struct krn_cpu *cpu) {
    cpu->dpc_running = NULL;
    cpu->dpc_limit_ns = SIM_TIME_NEVER;
    cpu->driver[SIM_LAYER_DPC] = NULL;
}

SIM_NORETURN static void dpc_null(const struct krn_dpc *dpc) {
    struct sim_world *world = krn_record_node(&dpc->duty.record)->world;
    struct sim_finding finding;

    krn_bugcheck_begin(&finding, 0xD1, 0, DISPATCH_LEVEL, 8, 0);
    sim_finding_say(&finding, "the kernel was about to call a NULL DPC routine");
    krn_kept_site_add(world, &dpc->duty.made, "made", &finding);
    krn_bugcheck_raise(world, &finding);
}

static void dpc_run(struct sim_call *queued) {
    struct krn_dpc *dpc = SIM_CONTAINER_OF(queued, struct krn_dpc, call);
    struct krn_cpu *cpu = krn_cpu_of(sim_task_cpu(sim_task_current()));
    struct sim_world *world = cpu->node->world;
    PKDPC kdpc = (PKDPC)(uintptr_t)dpc->duty.record.address;
    struct krn_routine routine;
    PKDEFERRED_ROUTINE code;
    PVOID arguments[3];

    if (!krn_record_memory_is_live(NULL, &dpc->duty.record)) {
        struct krn_call call;

        krn_call_begin(&call, "the DPC dispatcher", HIGH_LEVEL, NULL);
        krn_record_use(&call, kdpc, KRN_KIND_DPC);
    }
    code = kdpc->DeferredRoutine;
    arguments[0] = kdpc->DeferredContext;
    arguments[1] = kdpc->SystemArgument1;
    arguments[2] = kdpc->SystemArgument2;
    kdpc->DpcData = NULL;
    krn_dpc_begin(cpu, krn_record_driver(&dpc->duty.record), dpc);
    sim_trace(world, KRN_TRACE_DPC_RUN, SIM_ACCESS_NONE, &dpc->duty.record.object, NULL, NULL,
              cpu->index, 0);
    sim_point(&dpc->duty.record.object, SIM_ACCESS_READ, SIM_POINT_COST_NS);
    if (code == NULL) {
        dpc_null(dpc);
    }
    krn_race_after(cpu->node->krn, &dpc->duty.record);
    krn_race_after(cpu->node->krn, krn_race_dispatch(cpu));
    krn_routine_begin(&routine, (const void *)code, "DPC routine");
    code(kdpc, arguments[0], arguments[1], arguments[2]);
    krn_routine_end(&routine);
    krn_race_before(cpu->node->krn, &dpc->duty.record);
    krn_race_before(cpu->node->krn, krn_race_dispatch(cpu));
    krn_dpc_end(cpu);
    sim_trace(world, KRN_TRACE_DPC_END, SIM_ACCESS_NONE, &dpc->duty.record.object, NULL, NULL,
              cpu->index, 0);
}

bool krn_dpc_queue(struct krn_dpc *dpc, struct krn_cpu *cpu) {
    struct krn_node *node = cpu->node;

    if (dpc->target >= 0) {
        cpu = &node->cpus[dpc->target];
    }
    krn_race_before(node->krn, &dpc->duty.record);
    if (!sim_call_queue(cpu->cpu, SIM_LAYER_DPC, &dpc->call, dpc->is_urgent)) {
        return false;
    }
    sim_trace(node->world, KRN_TRACE_DPC_QUEUE, SIM_ACCESS_WRITE, &dpc->duty.record.object, NULL,
              NULL, cpu->index, 0);
    return true;
}

static void dpc_initialize(const struct krn_call *call, PRKDPC Dpc, PKDEFERRED_ROUTINE routine,
                           PVOID context) {
    struct krn_record *record = krn_record_make(call, Dpc, sizeof(*Dpc), KRN_KIND_DPC);
    struct krn_dpc *dpc = krn_dpc_of(record);

    dpc->target = -1;
    dpc->is_urgent = false;
    dpc->call.run = dpc_run;
    dpc->call.subject = &record->object;
    dpc->call.label = "dpc";
    dpc->call.level = SIM_LEVEL_DISPATCH;
    RtlZeroMemory(Dpc, sizeof(*Dpc));
    Dpc->Type = 19;
    Dpc->Importance = MediumImportance;
    Dpc->DeferredRoutine = routine;
    Dpc->DeferredContext = context;
}

VOID NTAPI KeInitializeDpc(PRKDPC Dpc, PKDEFERRED_ROUTINE DeferredRoutine, PVOID DeferredContext) {
    KRN_CALL(HIGH_LEVEL);
    dpc_initialize(&call, Dpc, DeferredRoutine, DeferredContext);
}

VOID NTAPI KeInitializeThreadedDpc(PRKDPC Dpc, PKDEFERRED_ROUTINE DeferredRoutine,
                                   PVOID DeferredContext) {
    KRN_CALL(HIGH_LEVEL);
    /* Threaded DPCs may run at DISPATCH too; a driver must be ready for both. */
    dpc_initialize(&call, Dpc, DeferredRoutine, DeferredContext);
}

BOOLEAN NTAPI KeInsertQueueDpc(PRKDPC Dpc, PVOID SystemArgument1, PVOID SystemArgument2) {
    KRN_CALL(HIGH_LEVEL);
    struct krn_dpc *dpc = krn_dpc_of(krn_record_use(&call, Dpc, KRN_KIND_DPC));

    if (krn_call_point(&call, &dpc->duty.record.object, SIM_ACCESS_WRITE)) {
        dpc = krn_dpc_of(krn_record_use(&call, Dpc, KRN_KIND_DPC));
    }
    if (krn_dpc_is_queued(dpc)) {
        return FALSE;
    }
    Dpc->SystemArgument1 = SystemArgument1;
    Dpc->SystemArgument2 = SystemArgument2;
    return krn_dpc_queue(dpc, krn_cpu_of(sim_task_cpu(call.task)));
}

BOOLEAN NTAPI KeRemoveQueueDpc(PRKDPC Dpc) {
    KRN_CALL(HIGH_LEVEL);
    struct krn_dpc *dpc = krn_dpc_of(krn_record_use(&call, Dpc, KRN_KIND_DPC));

    krn_call_point(&call, &dpc->duty.record.object, SIM_ACCESS_WRITE);
    dpc = krn_dpc_of(krn_record_use(&call, Dpc, KRN_KIND_DPC));
    return sim_call_remove(&dpc->call);
}

VOID NTAPI KeSetImportanceDpc(PRKDPC Dpc, KDPC_IMPORTANCE Importance) {
    KRN_CALL(HIGH_LEVEL);
    struct krn_dpc *dpc = krn_dpc_of(krn_record_use(&call, Dpc, KRN_KIND_DPC));

    Dpc->Importance = (UCHAR)Importance;
    dpc->is_urgent = Importance == HighImportance;
}

static NTSTATUS set_target(const struct krn_call *call, PRKDPC Dpc, uint32_t number) {
    struct krn_dpc *dpc = krn_dpc_of(krn_record_use(call, Dpc, KRN_KIND_DPC));

    if (number >= call->node->cpu_count) {
        return STATUS_INVALID_PARAMETER;
    }
    dpc->target = (int32_t)number;
    Dpc->Number = (USHORT)(TARGET_BASE + number);
    return STATUS_SUCCESS;
}

VOID NTAPI KeSetTargetProcessorDpc(PRKDPC Dpc, CCHAR Number) {
    KRN_CALL(HIGH_LEVEL);
    if (!NT_SUCCESS(set_target(&call, Dpc, (uint32_t)Number))) {
        krn_call_error(&call, 0xC4, 0xE0, 0, "the node has no CPU of that number");
    }
}

NTSTATUS NTAPI KeSetTargetProcessorDpcEx(PKDPC Dpc, PPROCESSOR_NUMBER ProcNumber) {
    KRN_CALL(HIGH_LEVEL);
    if (ProcNumber->Group != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    return set_target(&call, Dpc, ProcNumber->Number);
}

/* One call per CPU at the end of its queue; the last one lets the flusher go on. */
struct flush {
    struct sim_call call;
    struct sim_task *task;
    uint32_t *left;
};

static void flush_run(struct sim_call *queued) {
    struct flush *flush = SIM_CONTAINER_OF(queued, struct flush, call);
    const struct krn_world *krn = krn_cpu_of(sim_task_cpu(flush->task))->node->krn;

    krn_race_before(krn, flush->task);
    if (--*flush->left == 0 && sim_task_state(flush->task) == SIM_TASK_WAITING) {
        sim_task_wake(flush->task, 0);
    }
}

void krn_dpc_flush(const struct krn_call *call) {
    struct krn_node *node = call->node;
    uint64_t bytes = node->cpu_count * sizeof(struct flush);
    struct flush *flushes = sim_alloc(call->world, bytes);
    uint32_t left = node->cpu_count;

    for (uint32_t i = 0; i < node->cpu_count; i++) {
        flushes[i].task = call->task;
        flushes[i].left = &left;
        flushes[i].call.run = flush_run;
        flushes[i].call.subject = &node->object;
        flushes[i].call.label = "dpc flush";
        flushes[i].call.level = SIM_LEVEL_DISPATCH;
        (void)sim_call_queue(node->cpus[i].cpu, SIM_LAYER_DPC, &flushes[i].call, false);
    }
    while (left != 0) {
        (void)sim_task_wait(&node->object, "KeFlushQueuedDpcs", SIM_TIME_NEVER);
    }
    krn_race_woken(call->krn);
    sim_free(call->world, flushes, bytes);
}

VOID NTAPI KeFlushQueuedDpcs(VOID) {
    KRN_CALL(PASSIVE_LEVEL);
    krn_dpc_flush(&call);
}
