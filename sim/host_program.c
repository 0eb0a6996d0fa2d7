/* SPDX-License-Identifier: Apache-2.0 */
/* Where the running program's file is. */
#include <uv.h>

#include <sim/host.h>

void sim_host_program(char *path, size_t size) {
    size_t length = size;

    SIM_ASSERT(size > 0);
    if (uv_exepath(path, &length) != 0)
        path[0] = '\0';
}

uint32_t sim_host_cpu_count(void) {
    uv_cpu_info_t *infos;
    int count;

    if (uv_cpu_info(&infos, &count) != 0)
        return 1;
    uv_free_cpu_info(infos, count);
    return count > 0 ? (uint32_t)count : 1;
}
