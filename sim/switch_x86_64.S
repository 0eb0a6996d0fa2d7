/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The task switch for x86-64 (SysV ABI), see switch.h. Only what a call preserves is saved: six
 * registers. The floating-point control words are left out: nothing here or in a driver may change
 * them.
 */
#if defined(__x86_64__) && !defined(SIM_SWITCH_UCONTEXT)

#if defined(__APPLE__)
#define SYMBOL(name) _##name
#else
#define SYMBOL(name) name
#endif

#if defined(__CET__)
#include <cet.h>
#define LANDING _CET_ENDBR
#else
#define LANDING
#endif

    .text

/* void sim_switch(uintptr_t *from, uintptr_t to) */
    .globl SYMBOL(sim_switch)
#if !defined(__APPLE__)
    .type sim_switch, @function
#endif
    .p2align 4
SYMBOL(sim_switch):
    .cfi_startproc
    LANDING
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    /* Not `ret`: its predictor would be wrong each time, which costs more than the switch. */
    popq %rcx
    notrack jmpq *%rcx
    .cfi_endproc
#if !defined(__APPLE__)
    .size sim_switch, . - sim_switch
#endif

/* Where a fresh stack begins: r12 holds the function, r13 its argument. It never returns. */
    .globl SYMBOL(sim_switch_start)
#if !defined(__APPLE__)
    .type sim_switch_start, @function
#endif
    .p2align 4
SYMBOL(sim_switch_start):
    .cfi_startproc
    .cfi_undefined rip
    LANDING
    xorl %ebp, %ebp
    movq %r13, %rdi
    callq *%r12
    ud2
    .cfi_endproc
#if !defined(__APPLE__)
    .size sim_switch_start, . - sim_switch_start
#endif

#endif

#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
