/* SPDX-License-Identifier: Apache-2.0 */
#include <sim/bus.h>

uint32_t ModelVectorCount(const struct sim_bus_device *device) {
    return device->vector_count;
}
