/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory. A BAR has physical addresses that depend on the adapter's number only, and virtual
 * ones in a range where nothing is mapped: reading it through a pointer faults.
 */
#ifndef KRN_BAR_H
#define KRN_BAR_H

#include <ntddk.h>

#include "kernel.h"

#define KRN_BAR_PHYSICAL UINT64_C(0x4000000000)
#define KRN_BAR_VIRTUAL UINT64_C(0x300000000000)
#define KRN_BAR_ADAPTER_BYTES (UINT64_C(4) << 30)
#define KRN_BAR_BYTES_MAX (UINT64_C(1) << 30)

struct krn_bar_mapping {
    struct krn_bar_mapping *next;
    uint32_t bar;
    uint64_t offset;
    uint64_t bytes;
    bool is_live;
};

bool krn_bar_holds(const struct sim_world *world, const void *address);
uint64_t krn_bar_physical(const struct krn_adapter *adapter, uint32_t bar);

/* NULL when no BAR of this node's adapters holds the range. */
PVOID krn_bar_map(const struct krn_call *call, PHYSICAL_ADDRESS physical, SIZE_T bytes);
void krn_bar_unmap(const struct krn_call *call, PVOID address, SIZE_T bytes);

#endif
