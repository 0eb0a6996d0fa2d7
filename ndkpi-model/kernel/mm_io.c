/* SPDX-License-Identifier: Apache-2.0 */
/* Mapping BARs, and the register calls that go to the device. */
#include <ntddk.h>

#include <krn/bugcheck.h>

#include "adapter.h"
#include "bar.h"
#include "call_error.h"
#include "fault_points.h"
#include "race.h"

struct place {
    struct krn_adapter *adapter;
    uint32_t bar;
    uint64_t offset;
};

bool krn_bar_holds(const struct sim_world *world, const void *address) {
    const struct krn_world *krn = krn_world_of(world);
    uintptr_t at = (uintptr_t)address;

    return at >= KRN_BAR_VIRTUAL &&
           at < KRN_BAR_VIRTUAL + (krn->adapter_serial + 1) * KRN_BAR_ADAPTER_BYTES;
}

uint64_t krn_bar_physical(const struct krn_adapter *adapter, uint32_t bar) {
    return KRN_BAR_PHYSICAL + adapter->serial * KRN_BAR_ADAPTER_BYTES + bar * KRN_BAR_BYTES_MAX;
}

/* Finds the BAR behind `at`, an address relative to the base of all BARs. */
static bool place_find(const struct krn_node *node, uint64_t at, struct place *place) {
    uint64_t serial = at / KRN_BAR_ADAPTER_BYTES;
    struct krn_adapter *adapter = node->adapter_first;

    while (adapter != NULL && adapter->serial != serial) {
        adapter = adapter->next;
    }
    if (adapter == NULL || adapter->device == NULL) {
        return false;
    }
    place->adapter = adapter;
    place->bar = (uint32_t)(at % KRN_BAR_ADAPTER_BYTES / KRN_BAR_BYTES_MAX);
    place->offset = at % KRN_BAR_BYTES_MAX;
    return place->bar < SIM_BUS_BAR_COUNT && place->offset < adapter->device->bar_bytes[place->bar];
}

PVOID krn_bar_map(const struct krn_call *call, PHYSICAL_ADDRESS physical, SIZE_T bytes) {
    uint64_t at = (uint64_t)physical.QuadPart - KRN_BAR_PHYSICAL;
    struct krn_bar_mapping *mapping;
    struct place place;

    if ((uint64_t)physical.QuadPart < KRN_BAR_PHYSICAL || bytes == 0 ||
        !place_find(call->node, at, &place) ||
        place.offset + bytes > place.adapter->device->bar_bytes[place.bar]) {
        return NULL;
    }
    mapping = sim_alloc(call->world, sizeof(*mapping));
    mapping->bar = place.bar;
    mapping->offset = place.offset;
    mapping->bytes = bytes;
    mapping->is_live = true;
    mapping->next = place.adapter->mapping_first;
    place.adapter->mapping_first = mapping;
    return (PVOID)(uintptr_t)(KRN_BAR_VIRTUAL + at);
}

void krn_bar_unmap(const struct krn_call *call, PVOID address, SIZE_T bytes) {
    uint64_t at = (uintptr_t)address - KRN_BAR_VIRTUAL;
    struct krn_bar_mapping *mapping = NULL;
    struct place place;

    if (krn_bar_holds(call->world, address) && place_find(call->node, at, &place)) {
        mapping = place.adapter->mapping_first;
        while (mapping != NULL && (!mapping->is_live || mapping->bar != place.bar ||
                                   mapping->offset != place.offset || mapping->bytes != bytes)) {
            mapping = mapping->next;
        }
    }
    if (mapping == NULL) {
        krn_call_error(call, 0xC4, 0x96, 0, "there is no mapping of that address and length");
    }
    mapping->is_live = false;
}

PVOID NTAPI MmMapIoSpace(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes,
                         MEMORY_CACHING_TYPE CacheType) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(CacheType);
    krn_call_point(&call, NULL, SIM_ACCESS_CREATE);
    if (sim_fault_hit(call.world, &krn_fault_map, krn_call_owner(&call), NULL)) {
        return NULL;
    }
    return krn_bar_map(&call, PhysicalAddress, NumberOfBytes);
}

PVOID NTAPI MmMapIoSpaceEx(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes, ULONG Protect) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(Protect);
    krn_call_point(&call, NULL, SIM_ACCESS_CREATE);
    if (sim_fault_hit(call.world, &krn_fault_map, krn_call_owner(&call), NULL)) {
        return NULL;
    }
    return krn_bar_map(&call, PhysicalAddress, NumberOfBytes);
}

VOID NTAPI MmUnmapIoSpace(PVOID BaseAddress, SIZE_T NumberOfBytes) {
    KRN_CALL(DISPATCH_LEVEL);
    krn_call_point(&call, NULL, SIM_ACCESS_CLOSE);
    krn_bar_unmap(&call, BaseAddress, NumberOfBytes);
}

/* The register at an address that the driver has mapped; else a bugcheck. */
static struct place reg(const struct krn_call *call, const volatile void *address, uint32_t bytes) {
    uint64_t at = (uintptr_t)address - KRN_BAR_VIRTUAL;
    const struct krn_bar_mapping *mapping = NULL;
    struct place place = {0};

    if (krn_bar_holds(call->world, (const void *)(uintptr_t)address) &&
        place_find(call->node, at, &place)) {
        mapping = place.adapter->mapping_first;
        while (mapping != NULL &&
               (!mapping->is_live || mapping->bar != place.bar || place.offset < mapping->offset ||
                place.offset + bytes > mapping->offset + mapping->bytes)) {
            mapping = mapping->next;
        }
    }
    if (mapping == NULL) {
        krn_call_error(call, call->level >= DISPATCH_LEVEL ? 0xD1 : 0x50, 0, call->level,
                       "the address is no mapped register");
    }
    if (place.offset % bytes != 0) {
        krn_call_error(call, 0x1E, (ULONG)STATUS_DATATYPE_MISALIGNMENT, 0,
                       "the register is not aligned to its size");
    }
    return place;
}

static uint64_t read(const struct krn_call *call, const volatile void *address, uint32_t bytes) {
    struct place place = reg(call, address, bytes);

    krn_call_point(call, &place.adapter->device->object, SIM_ACCESS_READ);
    krn_race_after(call->krn, krn_race_device(call->node));
    return sim_bus_read(place.adapter->device, place.bar, place.offset, bytes);
}

static void write(const struct krn_call *call, const volatile void *address, uint32_t bytes,
                  uint64_t value) {
    struct place place = reg(call, address, bytes);

    krn_call_point(call, &place.adapter->device->object, SIM_ACCESS_WRITE);
    krn_race_before(call->krn, krn_race_device(call->node));
    sim_bus_write(place.adapter->device, place.bar, place.offset, bytes, value);
}

#define REGISTER_CALLS(suffix, type)                                                               \
    type NTAPI READ_REGISTER_##suffix(volatile type *Register) {                                   \
        KRN_CALL(HIGH_LEVEL);                                                                      \
        return (type)read(&call, Register, sizeof(type));                                          \
    }                                                                                              \
    VOID NTAPI WRITE_REGISTER_##suffix(volatile type *Register, type Value) {                      \
        KRN_CALL(HIGH_LEVEL);                                                                      \
        write(&call, Register, sizeof(type), Value);                                               \
    }                                                                                              \
    VOID NTAPI READ_REGISTER_BUFFER_##suffix(volatile type *Register, type *Buffer, ULONG Count) { \
        KRN_CALL(HIGH_LEVEL);                                                                      \
        for (ULONG i = 0; i < Count; i++) {                                                        \
            Buffer[i] = (type)read(&call, Register + i, sizeof(type));                             \
        }                                                                                          \
    }                                                                                              \
    VOID NTAPI WRITE_REGISTER_BUFFER_##suffix(volatile type *Register, type *Buffer,               \
                                              ULONG Count) {                                       \
        KRN_CALL(HIGH_LEVEL);                                                                      \
        for (ULONG i = 0; i < Count; i++) {                                                        \
            write(&call, Register + i, sizeof(type), Buffer[i]);                                   \
        }                                                                                          \
    }

REGISTER_CALLS(UCHAR, UCHAR)
REGISTER_CALLS(USHORT, USHORT)
REGISTER_CALLS(ULONG, ULONG)
REGISTER_CALLS(ULONG64, ULONG64)
