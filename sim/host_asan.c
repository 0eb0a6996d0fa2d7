/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What AddressSanitizer finds in a task is an accident as any other: when it has written its report
 * and is about to end the process, the accident is judged and the task left. The sanitizer is in
 * the middle of its report then, so the process takes no further run, and it is not asked for
 * leaks.
 */
#include <string.h>

#include <sim/cpu.h>

#include "host_private.h"
#include "switch.h"

#if SIM_ASAN
#include <sanitizer/asan_interface.h>

/* Its frames and ours on top of what was found; the report's are the driver's. */
bool sim_host_asan_accident(struct sim_accident *accident, struct sim_host_context *context) {
    if (sim_task_current() == NULL || __asan_report_present() == 0) {
        return false;
    }
    memset(accident, 0, sizeof(*accident));
    memset(context, 0, sizeof(*context));
    context->code = (uintptr_t)__asan_get_report_pc();
    context->frame = (uintptr_t)__asan_get_report_bp();
    context->stack = (uintptr_t)__asan_get_report_sp();
    context->address = (uintptr_t)__asan_get_report_address();
    context->write = __asan_get_report_access_type() != 0;
    accident->asan = __asan_get_report_description();
    accident->bytes = __asan_get_report_access_size();
    accident->code = context->code;
    accident->address = context->address;
    accident->write = context->write;
    return true;
}
#else
bool sim_host_asan_accident(struct sim_accident *accident, struct sim_host_context *context) {
    (void)accident;
    (void)context;
    return false;
}
#endif
