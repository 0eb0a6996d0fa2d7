/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First frames of the hand-written switches: what sim_switch pops when it enters a fresh stack.
 */
#include "switch.h"

#include <string.h>

#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(SIM_SWITCH_UCONTEXT)

void sim_switch_start(void);

#if defined(__x86_64__)
/* In the order of the pops. Two words above keep the stack aligned for the first call. */
struct first_frame {
    uint64_t r15, r14, r13, r12, rbx, rbp;
    uint64_t start;
    uint64_t end[2];
};
#else
struct first_frame {
    uint64_t x19, x20, x21_x28[8], x29, x30;
    uint64_t d8_d15[8];
};
#endif

uintptr_t sim_switch_prepare(uintptr_t low, uintptr_t high, void (*entry)(void *argument),
                             void *argument) {
    struct first_frame first;
    uintptr_t frame = (high & ~(uintptr_t)15) - sizeof(first);
    (void)low;
    memset(&first, 0, sizeof(first));
#if defined(__x86_64__)
    first.r12 = (uint64_t)(uintptr_t)entry;
    first.r13 = (uint64_t)(uintptr_t)argument;
    first.start = (uint64_t)(uintptr_t)sim_switch_start;
#else
    first.x19 = (uint64_t)(uintptr_t)entry;
    first.x20 = (uint64_t)(uintptr_t)argument;
    first.x30 = (uint64_t)(uintptr_t)sim_switch_start;
#endif
    memcpy((void *)frame, &first, sizeof(first));
    return frame;
}

#endif
