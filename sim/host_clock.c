/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The real clocks and the memory of the process, for benches, pacing and reports.
 */
#include <sys/resource.h>
#include <time.h>

#include <sim/host.h>

static uint64_t read_clock(clockid_t clock) {
    struct timespec now;
    SIM_ASSERT(clock_gettime(clock, &now) == 0);
    return (uint64_t)now.tv_sec * SIM_NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t sim_host_wall_ns(void) {
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t sim_host_cpu_ns(void) {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t sim_host_peak_bytes(void) {
    struct rusage usage;
    SIM_ASSERT(getrusage(RUSAGE_SELF, &usage) == 0);
#if defined(__APPLE__)
    return (uint64_t)usage.ru_maxrss;
#else
    return (uint64_t)usage.ru_maxrss * 1024;
#endif
}
