/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a signal interrupted, on macOS.
 */
#if defined(__APPLE__)

#include <string.h>
#include <sys/sysctl.h>
#include <sys/ucontext.h>
#include <unistd.h>

#include "host_private.h"

#if defined(__x86_64__)
#define PAGE_FAULT_WRITE 2u

static void machine_read(const ucontext_t *from, struct sim_host_context *context) {
    context->code = (uintptr_t)from->uc_mcontext->__ss.__rip;
    context->frame = (uintptr_t)from->uc_mcontext->__ss.__rbp;
    context->stack = (uintptr_t)from->uc_mcontext->__ss.__rsp;
    context->write = (from->uc_mcontext->__es.__err & PAGE_FAULT_WRITE) != 0;
}
#else
#define ESR_WRITE (1u << 6)

static void machine_read(const ucontext_t *from, struct sim_host_context *context) {
    context->code = (uintptr_t)__darwin_arm_thread_state64_get_pc(from->uc_mcontext->__ss);
    context->frame = (uintptr_t)__darwin_arm_thread_state64_get_fp(from->uc_mcontext->__ss);
    context->stack = (uintptr_t)__darwin_arm_thread_state64_get_sp(from->uc_mcontext->__ss);
    context->write = (from->uc_mcontext->__es.__esr & ESR_WRITE) != 0;
}
#endif

void sim_host_context_read(const siginfo_t *info, const void *ucontext,
                           struct sim_host_context *context) {
    const ucontext_t *from = ucontext;
    memset(context, 0, sizeof(*context));
    if (info->si_signo == SIGSEGV || info->si_signo == SIGBUS) {
        context->address = (uintptr_t)info->si_addr;
    }
    context->mask = from->uc_sigmask;
    machine_read(from, context);
}

bool sim_host_is_traced(void) {
    int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, getpid()};
    struct kinfo_proc process;
    size_t bytes = sizeof(process);
    memset(&process, 0, sizeof(process));
    return sysctl(name, SIM_ARRAY_COUNT(name), &process, &bytes, NULL, 0) == 0 &&
           (process.kp_proc.p_flag & P_TRACED) != 0;
}

#else
typedef int sim_host_darwin_is_not_built;
#endif
