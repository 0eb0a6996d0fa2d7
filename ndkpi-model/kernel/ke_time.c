/* SPDX-License-Identifier: Apache-2.0 */
/* Time: all clocks of Windows, from the world's virtual nanoseconds. */
#include <ntddk.h>

#include "call_error.h"

#define TICK_100NS 156250u

LARGE_INTEGER NTAPI KeQueryPerformanceCounter(PLARGE_INTEGER PerformanceFrequency) {
    KRN_CALL(HIGH_LEVEL);
    LARGE_INTEGER now;

    if (PerformanceFrequency != NULL) {
        PerformanceFrequency->QuadPart = 10000000;
    }
    now.QuadPart = (LONGLONG)krn_interrupt_time(call.node);
    return now;
}

VOID NTAPI KeQuerySystemTimePrecise(PLARGE_INTEGER CurrentTime) {
    KRN_CALL(HIGH_LEVEL);
    CurrentTime->QuadPart = (LONGLONG)krn_system_time(call.node);
}

VOID NTAPI KeQuerySystemTime(PLARGE_INTEGER CurrentTime) {
    KRN_CALL(HIGH_LEVEL);
    CurrentTime->QuadPart = (LONGLONG)krn_system_time(call.node);
}

VOID NTAPI KeQueryTickCount(PLARGE_INTEGER CurrentCount) {
    KRN_CALL(HIGH_LEVEL);
    CurrentCount->QuadPart = (LONGLONG)(krn_interrupt_time(call.node) / TICK_100NS);
}

ULONGLONG NTAPI KeQueryInterruptTime(VOID) {
    KRN_CALL(HIGH_LEVEL);
    return krn_interrupt_time(call.node);
}

ULONGLONG NTAPI KeQueryInterruptTimePrecise(PULONG64 QpcTimeStamp) {
    KRN_CALL(HIGH_LEVEL);
    *QpcTimeStamp = krn_interrupt_time(call.node);
    return *QpcTimeStamp;
}

ULONGLONG NTAPI KeQueryUnbiasedInterruptTime(VOID) {
    KRN_CALL(HIGH_LEVEL);
    return krn_interrupt_time(call.node);
}

ULONG NTAPI KeQueryTimeIncrement(VOID) {
    KRN_CALL(HIGH_LEVEL);
    return TICK_100NS;
}

VOID NTAPI KeStallExecutionProcessor(ULONG MicroSeconds) {
    KRN_CALL(HIGH_LEVEL);
    sim_point(&call.node->object, SIM_ACCESS_NONE, MicroSeconds * SIM_NS_PER_US);
}
