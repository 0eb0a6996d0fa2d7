/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The task switch for CPUs without a hand-written one: ucontext, dear (it calls the host kernel for
 * the signal mask) but everywhere. A sleeping context is a record on its own stack.
 */
#include "switch.h"

#if !(defined(__x86_64__) || defined(__aarch64__)) || defined(SIM_SWITCH_UCONTEXT)

#include <sim/base.h>
#include <ucontext.h>

/* The rest of sim_switch's frame may lie below the record; it belongs to what must be kept. */
#define FRAME_REST_BYTES 512

struct sleeper {
    ucontext_t registers;
    void (*entry)(void *argument);
    void *argument;
};

void sim_switch(uintptr_t *from, uintptr_t to) {
    struct sleeper self;
    struct sleeper *other = (struct sleeper *)(to + FRAME_REST_BYTES);
    *from = (uintptr_t)&self - FRAME_REST_BYTES;
    SIM_ASSERT(swapcontext(&self.registers, &other->registers) == 0);
}

static void start(unsigned int low_half, unsigned int high_half) {
    uintptr_t bits = (uintptr_t)low_half | (uintptr_t)((uint64_t)high_half << 32);
    struct sleeper *self = (struct sleeper *)bits;
    self->entry(self->argument);
}

uintptr_t sim_switch_prepare(uintptr_t low, uintptr_t high, void (*entry)(void *argument),
                             void *argument) {
    uintptr_t top = (high - sizeof(struct sleeper)) & ~(uintptr_t)63;
    struct sleeper *self = (struct sleeper *)top;
    SIM_ASSERT(getcontext(&self->registers) == 0);
    self->entry = entry;
    self->argument = argument;
    self->registers.uc_stack.ss_sp = (void *)low;
    self->registers.uc_stack.ss_size = top - low;
    self->registers.uc_link = NULL;
    uint64_t bits = (uint64_t)top;
    makecontext(&self->registers, (void (*)(void))(uintptr_t)start, 2, (unsigned int)bits,
                (unsigned int)(bits >> 32));
    return top - FRAME_REST_BYTES;
}

#endif
