/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiled into modules that count their coverage, as a source of its own: how the program has the
 * counters of each copy of the module written (a process that leaves without its exit handlers),
 * and begun anew (one that was forked and inherited what is not its own).
 */
#ifndef NDKSIM_COVERAGE_H
#define NDKSIM_COVERAGE_H

#define NDKSIM_COVERAGE_SHOWN __attribute__((visibility("default"), used))

#if defined(__clang__)
int __llvm_profile_write_file(void);
void __llvm_profile_reset_counters(void);
#define NDKSIM_COVERAGE_WRITE() ((void)__llvm_profile_write_file())
#define NDKSIM_COVERAGE_RESET() __llvm_profile_reset_counters()
#else
void __gcov_dump(void);
void __gcov_reset(void);
#define NDKSIM_COVERAGE_WRITE() __gcov_dump()
#define NDKSIM_COVERAGE_RESET() __gcov_reset()
#endif

void NdksimCoverageWrite(void);
void NdksimCoverageReset(void);

NDKSIM_COVERAGE_SHOWN void NdksimCoverageWrite(void) {
    NDKSIM_COVERAGE_WRITE();
}

NDKSIM_COVERAGE_SHOWN void NdksimCoverageReset(void) {
    NDKSIM_COVERAGE_RESET();
}

#endif
