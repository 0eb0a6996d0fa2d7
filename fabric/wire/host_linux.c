/* SPDX-License-Identifier: Apache-2.0 */
/* Linux alone: asking the kernel for what the CPU can do. */
#include "crc_tables.h"

#if defined(__linux__) && defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>

bool wire_cpu_has_crc32(void) {
    return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
}
#else
bool wire_cpu_has_crc32(void) {
    /* Every Apple CPU has them, and the compiler then says so. */
#ifdef __ARM_FEATURE_CRC32
    return true;
#else
    return false;
#endif
}
#endif
