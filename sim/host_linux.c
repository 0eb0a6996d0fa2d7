/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a signal interrupted, on Linux.
 */
#if defined(__linux__)
#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "host_private.h"

#if defined(__x86_64__)

#define TRAP_BREAK_POINT 3
#define TRAP_GENERAL_PROTECTION 13
#define PAGE_FAULT_WRITE 2u

static bool is_canonical(uintptr_t address) {
    uintptr_t high = address >> 47;
    return high == 0 || high == 0x1FFFF;
}

/*
 * An address that is no address (the pattern of freed pool is one) raises a general protection
 * fault, for which the machine tells no address: it must be in some register.
 */
static uintptr_t address_in_registers(const greg_t *registers) {
    static const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI,
                                REG_RDI, REG_RBP, REG_R8,  REG_R9,  REG_R10,
                                REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    for (size_t i = 0; i < SIM_ARRAY_COUNT(order); i++) {
        uintptr_t value = (uintptr_t)registers[order[i]];
        if (!is_canonical(value)) {
            return value;
        }
    }
    return 0;
}

static void machine_read(const ucontext_t *from, struct sim_host_context *context) {
    const greg_t *registers = from->uc_mcontext.gregs;
    context->code = (uintptr_t)registers[REG_RIP];
    context->frame = (uintptr_t)registers[REG_RBP];
    context->stack = (uintptr_t)registers[REG_RSP];
    context->write = ((unsigned long long)registers[REG_ERR] & PAGE_FAULT_WRITE) != 0;
    if (registers[REG_TRAPNO] == TRAP_BREAK_POINT) {
        context->code--; /* the machine is behind the instruction */
    }
    if (registers[REG_TRAPNO] == TRAP_GENERAL_PROTECTION) {
        context->address = address_in_registers(registers);
        context->write = false;
    }
}

#elif defined(__aarch64__)

#define ESR_RECORD_MAGIC 0x45535201u
#define ESR_WRITE (UINT64_C(1) << 6)

struct record_head {
    uint32_t magic;
    uint32_t size;
};

static bool is_write(const ucontext_t *from) {
    const unsigned char *at = (const unsigned char *)from->uc_mcontext.__reserved;
    const unsigned char *end = at + sizeof(from->uc_mcontext.__reserved);
    while (at + sizeof(struct record_head) + sizeof(uint64_t) <= end) {
        struct record_head head;
        uint64_t esr;
        memcpy(&head, at, sizeof(head));
        if (head.magic == 0 || head.size < sizeof(head)) {
            return false;
        }
        if (head.magic == ESR_RECORD_MAGIC) {
            memcpy(&esr, at + sizeof(head), sizeof(esr));
            return (esr & ESR_WRITE) != 0;
        }
        at += head.size;
    }
    return false;
}

static void machine_read(const ucontext_t *from, struct sim_host_context *context) {
    context->code = (uintptr_t)from->uc_mcontext.pc;
    context->frame = (uintptr_t)from->uc_mcontext.regs[29];
    context->stack = (uintptr_t)from->uc_mcontext.sp;
    context->write = is_write(from);
}

#else

static void machine_read(const ucontext_t *from, struct sim_host_context *context) {
    (void)from;
    (void)context;
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
    static const char field[] = "TracerPid:";
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    bool is_traced = false;
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, field, sizeof(field) - 1) == 0) {
            is_traced = strtol(line + sizeof(field) - 1, NULL, 10) != 0;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return is_traced;
}

#else
typedef int sim_host_linux_is_not_built;
#endif
