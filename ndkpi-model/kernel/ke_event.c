/* SPDX-License-Identifier: Apache-2.0 */
/* Events: notification (stays set) and synchronisation (lets one through). */
#include "call_error.h"
#include "wait.h"

VOID NTAPI KeInitializeEvent(PRKEVENT Event, EVENT_TYPE Type, BOOLEAN State) {
    KRN_CALL(HIGH_LEVEL);
    struct krn_record *record = krn_record_make(&call, Event, sizeof(*Event), KRN_KIND_EVENT);

    Event->Header.Lock = 0;
    Event->Header.Type = Type == SynchronizationEvent ? KRN_HEADER_EVENT_SYNCHRONIZATION
                                                      : KRN_HEADER_EVENT_NOTIFICATION;
    Event->Header.Size = sizeof(*Event) / sizeof(ULONG);
    Event->Header.SignalState = State ? 1 : 0;
    InitializeListHead(&Event->Header.WaitListHead);
    krn_call_point(&call, &record->object, SIM_ACCESS_CREATE);
}

LONG NTAPI KeSetEvent(PRKEVENT Event, KPRIORITY Increment, BOOLEAN Wait) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_record *record = krn_record_use(&call, Event, KRN_KIND_EVENT);
    LONG old;

    UNREFERENCED_PARAMETER(Increment);
    if (Wait) {
        krn_wait_check(&call);
    }
    if (krn_call_point(&call, &record->object, SIM_ACCESS_WRITE)) {
        record = krn_record_use(&call, Event, KRN_KIND_EVENT);
    }
    old = Event->Header.SignalState;
    Event->Header.SignalState = 1;
    sim_trace(call.world, KRN_TRACE_EVENT_SET, SIM_ACCESS_WRITE, &record->object, NULL, NULL,
              (uint64_t)old, 0);
    krn_signal(record);
    return old;
}

static LONG event_reset(const struct krn_call *call, PRKEVENT event) {
    struct krn_record *record = krn_record_use(call, event, KRN_KIND_EVENT);
    LONG old;

    krn_call_point(call, &record->object, SIM_ACCESS_WRITE);
    record = krn_record_use(call, event, KRN_KIND_EVENT);
    old = event->Header.SignalState;
    event->Header.SignalState = 0;
    sim_trace(call->world, KRN_TRACE_EVENT_RESET, SIM_ACCESS_WRITE, &record->object, NULL, NULL,
              (uint64_t)old, 0);
    return old;
}

VOID NTAPI KeClearEvent(PRKEVENT Event) {
    KRN_CALL(DISPATCH_LEVEL);
    (void)event_reset(&call, Event);
}

LONG NTAPI KeResetEvent(PRKEVENT Event) {
    KRN_CALL(DISPATCH_LEVEL);
    return event_reset(&call, Event);
}

LONG NTAPI KeReadStateEvent(PRKEVENT Event) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_record *record = krn_record_use(&call, Event, KRN_KIND_EVENT);

    krn_call_point(&call, &record->object, SIM_ACCESS_READ);
    return Event->Header.SignalState;
}
