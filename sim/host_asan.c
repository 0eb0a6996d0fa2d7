/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What AddressSanitizer or UBSan finds in a task is an accident as any other: when it has written
 * its report and is about to end the process, the accident is judged and the task left. The
 * sanitizer is in the middle of its report then, so the process takes no further run, and it is not
 * asked for leaks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/cpu.h>

#include "host_private.h"
#include "switch.h"

#if SIM_ASAN
#include <sanitizer/asan_interface.h>

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

/* The sanitizer's own frames, its interceptors' and ours are among them. */
#define STACK_FRAMES 48

/*
 * UBSan does not say where in the code, and AddressSanitizer means its interceptors where those
 * were called: the accident begins with the first code of a driver, by the unwinder, for their code
 * keeps no frame pointers.
 */
static void begin_with_driver(struct sim_accident *accident, struct sim_host_context *context) {
#if __has_include(<execinfo.h>)
    void *frames[STACK_FRAMES];
    int count = backtrace(frames, STACK_FRAMES);
    int first = 0;
    while (first < count && !sim_host_is_driver_code((uintptr_t)frames[first] - 1)) {
        first++;
    }
    if (first == count) {
        return;
    }
    for (int i = first; i < count && accident->frame_count < SIM_FINDING_FRAMES; i++) {
        accident->frames[accident->frame_count++] = (uintptr_t)frames[i];
    }
    context->code = accident->frames[0] - 1;
    accident->code = context->code;
#else
    (void)accident;
    (void)context;
#endif
}

/* What UBSan has just reported: its word for it, and the data address that it is about. */
static char undefined[64];
static uintptr_t undefined_address;
static bool undefined_is_store;

/* Of UBSan's interface, for which there is no header. */
void __ubsan_on_report(void);
void __ubsan_get_current_report_data(const char **kind, const char **message, const char **file,
                                     unsigned *line, unsigned *column, char **address)
    __attribute__((weak));

void __ubsan_on_report(void) {
    const char *kind = "", *message = "", *file = "";
    unsigned line = 0, column = 0;
    char *address = NULL;
    if (__ubsan_get_current_report_data != NULL) {
        __ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &address);
        (void)snprintf(undefined, sizeof(undefined), "%s", kind);
        undefined_address = (uintptr_t)address;
        if (strstr(message, " address 0x") != NULL) {
            undefined_address = strtoull(strstr(message, " address 0x") + 9, NULL, 16);
        }
        undefined_is_store = strncmp(message, "store to", 8) == 0;
    }
}

static bool read_undefined(struct sim_accident *accident, struct sim_host_context *context) {
    if (undefined[0] == '\0') {
        return false;
    }
    accident->asan = undefined;
    accident->is_undefined = true;
    accident->write = undefined_is_store;
    accident->address = undefined_address;
    begin_with_driver(accident, context);
    return true;
}

/* Its frames and ours on top of what was found; the report's are the driver's. */
bool sim_host_asan_accident(struct sim_accident *accident, struct sim_host_context *context) {
    memset(accident, 0, sizeof(*accident));
    memset(context, 0, sizeof(*context));
    if (sim_task_current() == NULL) {
        return false;
    }
    if (__asan_report_present() == 0) {
        return read_undefined(accident, context);
    }
    context->code = (uintptr_t)__asan_get_report_pc() - 1; /* it is where the call would return */
    context->frame = (uintptr_t)__asan_get_report_bp();
    context->stack = (uintptr_t)__asan_get_report_sp();
    context->address = (uintptr_t)__asan_get_report_address();
    context->write = __asan_get_report_access_type() != 0;
    accident->asan = __asan_get_report_description();
    accident->bytes = __asan_get_report_access_size();
    accident->code = context->code;
    accident->address = context->address;
    accident->write = context->write;
    if (!sim_host_is_driver_code(context->code)) {
        begin_with_driver(accident, context);
    }
    return true;
}
#else
bool sim_host_asan_accident(struct sim_accident *accident, struct sim_host_context *context) {
    (void)accident;
    (void)context;
    return false;
}
#endif
