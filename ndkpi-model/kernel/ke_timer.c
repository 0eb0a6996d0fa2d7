/* SPDX-License-Identifier: Apache-2.0 */
/* Timers. They expire exactly at their due time; the world's clock has no ticks. */
#include "timer.h"

#include <krn/bugcheck.h>

#include "bugcheck_guilty.h"
#include "call_error.h"
#include "dpc.h"
#include "wait.h"

bool krn_timer_is_set(const struct krn_timer *timer) {
    return sim_event_is_scheduled(&timer->event);
}

struct krn_timer *krn_timer_of(const struct krn_record *record) {
    SIM_ASSERT(record->kind == KRN_KIND_TIMER);
    return (struct krn_timer *)(uintptr_t)record;
}

static void memory_gone(struct sim_world *world, struct krn_timer *timer) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    krn_bugcheck_begin(&finding, 0xC7, 0, 0, 0, 0);
    sim_finding_say(&finding, "%s expired, but the memory it lies in is gone",
                    sim_object_name(&timer->duty.record.object, name, sizeof(name)));
    krn_bugcheck_blame(&finding, krn_record_driver(&timer->duty.record));
    sim_finding_object(&finding, &timer->duty.record.object);
    krn_kept_site_add(world, &timer->duty.made, "made", &finding);
    sim_find(world, &finding);
}

static void timer_expire(struct sim_world *world, struct sim_event *event) {
    struct krn_timer *timer = SIM_CONTAINER_OF(event, struct krn_timer, event);
    PKTIMER ktimer = (PKTIMER)(uintptr_t)timer->duty.record.address;

    if (timer->cpu->node->is_off) {
        return;
    }
    if (!krn_record_memory_is_live(NULL, &timer->duty.record) ||
        (timer->dpc != NULL && !krn_record_memory_is_live(NULL, &timer->dpc->duty.record))) {
        memory_gone(world, timer);
        return;
    }
    sim_trace(world, KRN_TRACE_TIMER_EXPIRE, SIM_ACCESS_WRITE, &timer->duty.record.object, NULL,
              NULL, 0, 0);
    ktimer->Header.SignalState = 1;
    if (timer->period_ns != 0) {
        sim_event_schedule(world, event, timer->period_ns);
    } else {
        ktimer->Header.Signalling = 0;
    }
    krn_signal(&timer->duty.record);
    if (timer->dpc != NULL) {
        (void)krn_dpc_queue(timer->dpc, timer->cpu);
    }
}

static void timer_initialize(const struct krn_call *call, PKTIMER Timer, TIMER_TYPE type) {
    struct krn_record *record = krn_record_make(call, Timer, sizeof(*Timer), KRN_KIND_TIMER);
    struct krn_timer *timer = krn_timer_of(record);

    sim_event_init(&timer->event, "timer", &record->object, timer_expire);
    timer->dpc = NULL;
    timer->period_ns = 0;
    RtlZeroMemory(Timer, sizeof(*Timer));
    Timer->Header.Type = type == SynchronizationTimer ? KRN_HEADER_TIMER_SYNCHRONIZATION
                                                      : KRN_HEADER_TIMER_NOTIFICATION;
    InitializeListHead(&Timer->Header.WaitListHead);
    krn_call_point(call, &record->object, SIM_ACCESS_CREATE);
}

VOID NTAPI KeInitializeTimer(PKTIMER Timer) {
    KRN_CALL(DISPATCH_LEVEL);
    timer_initialize(&call, Timer, NotificationTimer);
}

VOID NTAPI KeInitializeTimerEx(PKTIMER Timer, TIMER_TYPE Type) {
    KRN_CALL(DISPATCH_LEVEL);
    timer_initialize(&call, Timer, Type);
}

static BOOLEAN timer_set(const struct krn_call *call, PKTIMER Timer, LARGE_INTEGER due,
                         LONG period_ms, PKDPC Dpc) {
    struct krn_timer *timer = krn_timer_of(krn_record_use(call, Timer, KRN_KIND_TIMER));
    struct krn_dpc *dpc = NULL;
    bool was_set;

    if (Dpc != NULL) {
        dpc = krn_dpc_of(krn_record_use(call, Dpc, KRN_KIND_DPC));
    }
    krn_call_point(call, &timer->duty.record.object, SIM_ACCESS_WRITE);
    timer = krn_timer_of(krn_record_use(call, Timer, KRN_KIND_TIMER));
    was_set = sim_event_cancel(call->world, &timer->event);
    timer->dpc = dpc;
    timer->cpu = krn_cpu_of(sim_task_cpu(call->task));
    timer->period_ns = period_ms > 0 ? (uint64_t)period_ms * SIM_NS_PER_MS : 0;
    Timer->Header.SignalState = 0;
    Timer->Header.Signalling = 1;
    Timer->Dpc = Dpc;
    Timer->Period = period_ms;
    sim_trace(call->world, KRN_TRACE_TIMER_SET, SIM_ACCESS_WRITE, &timer->duty.record.object, NULL,
              NULL, was_set, timer->period_ns);
    sim_event_schedule_at(call->world, &timer->event, krn_deadline_ns(call->node, due.QuadPart));
    return was_set;
}

BOOLEAN NTAPI KeSetTimer(PKTIMER Timer, LARGE_INTEGER DueTime, PKDPC Dpc) {
    KRN_CALL(DISPATCH_LEVEL);
    return timer_set(&call, Timer, DueTime, 0, Dpc);
}

BOOLEAN NTAPI KeSetTimerEx(PKTIMER Timer, LARGE_INTEGER DueTime, LONG Period, PKDPC Dpc) {
    KRN_CALL(DISPATCH_LEVEL);
    return timer_set(&call, Timer, DueTime, Period, Dpc);
}

BOOLEAN NTAPI KeSetCoalescableTimer(PKTIMER Timer, LARGE_INTEGER DueTime, ULONG Period,
                                    ULONG TolerableDelay, PKDPC Dpc) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(TolerableDelay);
    return timer_set(&call, Timer, DueTime, (LONG)Period, Dpc);
}

BOOLEAN NTAPI KeCancelTimer(PKTIMER Timer) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_timer *timer = krn_timer_of(krn_record_use(&call, Timer, KRN_KIND_TIMER));
    bool was_set;

    krn_call_point(&call, &timer->duty.record.object, SIM_ACCESS_WRITE);
    timer = krn_timer_of(krn_record_use(&call, Timer, KRN_KIND_TIMER));
    was_set = sim_event_cancel(call.world, &timer->event);
    Timer->Header.Signalling = 0;
    sim_trace(call.world, KRN_TRACE_TIMER_CANCEL, SIM_ACCESS_WRITE, &timer->duty.record.object,
              NULL, NULL, was_set, 0);
    return was_set;
}

BOOLEAN NTAPI KeReadStateTimer(PKTIMER Timer) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_record *record = krn_record_use(&call, Timer, KRN_KIND_TIMER);

    krn_call_point(&call, &record->object, SIM_ACCESS_READ);
    return Timer->Header.SignalState > 0;
}
