/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The task switch for arm64 (AAPCS64; ELF and Mach-O), see switch.h. Saves x19 to x30 and the low
 * halves of v8 to v15, which is what a call preserves.
 */
#if defined(__aarch64__) && !defined(SIM_SWITCH_UCONTEXT)

#if defined(__APPLE__)
#define SYMBOL(name) _##name
#else
#define SYMBOL(name) name
#endif

/* `bti c`, written as the hint that older cores and assemblers take for a no-op. */
#define LANDING hint #34

    .text

/* void sim_switch(uintptr_t *from, uintptr_t to) */
    .globl SYMBOL(sim_switch)
#if !defined(__APPLE__)
    .type sim_switch, %function
#endif
    .p2align 4
SYMBOL(sim_switch):
    .cfi_startproc
    LANDING
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .cfi_endproc
#if !defined(__APPLE__)
    .size sim_switch, . - sim_switch
#endif

/* Where a fresh stack begins: x19 holds the function, x20 its argument. It never returns. */
    .globl SYMBOL(sim_switch_start)
#if !defined(__APPLE__)
    .type sim_switch_start, %function
#endif
    .p2align 4
SYMBOL(sim_switch_start):
    .cfi_startproc
    .cfi_undefined x30
    LANDING
    mov x29, #0
    mov x30, #0
    mov x0, x20
    blr x19
    brk #1
    .cfi_endproc
#if !defined(__APPLE__)
    .size sim_switch_start, . - sim_switch_start
#endif

#endif

#if defined(__linux__) && defined(__ELF__)
#if defined(__ARM_FEATURE_BTI_DEFAULT)
    .section .note.gnu.property, "a"
    .p2align 3
    .word 4
    .word 16
    .word 5
    .asciz "GNU"
    .word 0xc0000000
    .word 4
    .word 1
    .word 0
#endif
    .section .note.GNU-stack, "", %progbits
#endif
