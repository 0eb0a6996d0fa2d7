/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The task switch. A context that is not running is one pointer into its own stack, below which
 * nothing of it lies: [pointer, stack high) is all there is to keep of it.
 */
#ifndef SIM_SWITCH_H
#define SIM_SWITCH_H

#include <stddef.h>
#include <stdint.h>

#if defined(__SANITIZE_ADDRESS__)
#define SIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIM_ASAN 1
#endif
#endif
#ifndef SIM_ASAN
#define SIM_ASAN 0
#endif

/* For functions that read or write stacks word by word, frames' red zones included. */
#define SIM_UNCHECKED __attribute__((no_sanitize("address"), noinline))

/* Leaves this context, which `*from` will name, for `to`. */
void sim_switch(uintptr_t *from, uintptr_t to);

/*
 * Makes a context on the stack [low, high) that runs entry(argument) at the first switch to it.
 * `entry` must never return.
 */
uintptr_t sim_switch_prepare(uintptr_t low, uintptr_t high, void (*entry)(void *argument),
                             void *argument);

#endif
