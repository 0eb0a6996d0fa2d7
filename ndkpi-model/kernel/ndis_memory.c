/* SPDX-License-Identifier: Apache-2.0 */
/* A miniport's registers and DMA memory. Shared memory has contiguous device addresses. */
#include "adapter.h"
#include "bar.h"
#include "call_error.h"
#include "fault_points.h"
#include "pool.h"
#include "window.h"

#define SHARED_TAG 0x684D444Eu /* NDMh */

NDIS_STATUS NdisMMapIoSpace(PVOID *VirtualAddress, NDIS_HANDLE MiniportAdapterHandle,
                            NDIS_PHYSICAL_ADDRESS PhysicalAddress, UINT Length) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_adapter *adapter = krn_adapter_of_handle(&call, MiniportAdapterHandle);

    krn_check_memory(&call, VirtualAddress, sizeof(*VirtualAddress), "address pointer");
    krn_call_point(&call, &adapter->object, SIM_ACCESS_CREATE);
    *VirtualAddress = NULL;
    if (sim_fault_hit(call.world, &krn_fault_map, &adapter->object, NULL)) {
        return NDIS_STATUS_RESOURCES;
    }
    *VirtualAddress = krn_bar_map(&call, PhysicalAddress, Length);
    return *VirtualAddress != NULL ? NDIS_STATUS_SUCCESS : NDIS_STATUS_RESOURCE_CONFLICT;
}

VOID NdisMUnmapIoSpace(NDIS_HANDLE MiniportAdapterHandle, PVOID VirtualAddress, UINT Length) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_adapter *adapter = krn_adapter_of_handle(&call, MiniportAdapterHandle);

    krn_call_point(&call, &adapter->object, SIM_ACCESS_CLOSE);
    krn_bar_unmap(&call, VirtualAddress, Length);
}

NDIS_STATUS NdisMRegisterScatterGatherDma(NDIS_HANDLE MiniportAdapterHandle,
                                          PNDIS_SG_DMA_DESCRIPTION DmaDescription,
                                          PNDIS_HANDLE NdisMiniportDmaHandle) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_adapter *adapter = krn_adapter_of_handle(&call, MiniportAdapterHandle);

    krn_check_memory(&call, DmaDescription, sizeof(*DmaDescription), "DMA description");
    krn_check_memory(&call, NdisMiniportDmaHandle, sizeof(NDIS_HANDLE), "handle");
    krn_call_point(&call, &adapter->object, SIM_ACCESS_CREATE);
    if (adapter->has_dma) {
        return NDIS_STATUS_RESOURCES;
    }
    adapter->has_dma = true;
    DmaDescription->ScatterGatherListSize = 4096;
    *NdisMiniportDmaHandle = &adapter->has_dma;
    return NDIS_STATUS_SUCCESS;
}

VOID NdisMDeregisterScatterGatherDma(NDIS_HANDLE NdisMiniportDmaHandle) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_adapter *adapter = call.node->adapter_first;

    while (adapter != NULL && (NDIS_HANDLE)&adapter->has_dma != NdisMiniportDmaHandle) {
        adapter = adapter->next;
    }
    if (adapter == NULL || !adapter->has_dma) {
        krn_call_error(&call, 0x7C, 0, 0, "the handle is none of a registered DMA channel");
    }
    adapter->has_dma = false;
}

VOID NdisMAllocateSharedMemory(NDIS_HANDLE MiniportAdapterHandle, ULONG Length, BOOLEAN Cached,
                               PVOID *VirtualAddress, PNDIS_PHYSICAL_ADDRESS PhysicalAddress) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_adapter *adapter = krn_adapter_of_handle(&call, MiniportAdapterHandle);
    struct krn_pool_request request = {
        .node = call.node,
        .driver = krn_call_driver(&call),
        .bytes = Length,
        .align = PAGE_SIZE,
        .tag = SHARED_TAG,
        .kind = KRN_POOL_SHARED,
        .zero = true,
    };
    struct krn_chunk *chunk;

    UNREFERENCED_PARAMETER(Cached);
    krn_check_memory(&call, VirtualAddress, sizeof(*VirtualAddress), "address pointer");
    krn_check_memory(&call, PhysicalAddress, sizeof(*PhysicalAddress), "physical address");
    krn_call_point(&call, &adapter->object, SIM_ACCESS_CREATE);
    *VirtualAddress = NULL;
    PhysicalAddress->QuadPart = 0;
    if (Length == 0 ||
        sim_fault_hit(call.world, &krn_fault_shared_memory, &adapter->object, NULL)) {
        return;
    }
    *VirtualAddress = krn_pool_take(&request);
    if (*VirtualAddress == NULL) {
        return;
    }
    adapter->shared_blocks++;
    chunk = krn_chunk_of(call.krn, *VirtualAddress);
    krn_window_open(call.krn, chunk);
    PhysicalAddress->QuadPart = (LONGLONG)(krn_window_frame(chunk) * PAGE_SIZE);
}

VOID NdisMFreeSharedMemory(NDIS_HANDLE MiniportAdapterHandle, ULONG Length, BOOLEAN Cached,
                           PVOID VirtualAddress, NDIS_PHYSICAL_ADDRESS PhysicalAddress) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_adapter *adapter = krn_adapter_of_handle(&call, MiniportAdapterHandle);
    const struct krn_chunk *chunk = krn_chunk_live_at(call.krn, VirtualAddress);

    UNREFERENCED_PARAMETER(Cached);
    if (chunk == NULL || chunk->kind != KRN_POOL_SHARED) {
        krn_bad_pointer(&call, VirtualAddress, "shared memory block");
    }
    if (chunk->bytes != Length ||
        krn_window_frame(chunk) * PAGE_SIZE != (uint64_t)PhysicalAddress.QuadPart) {
        krn_call_error(&call, 0xC2, 0x46, 0, "length or physical address are not the block's");
    }
    krn_call_point(&call, &adapter->object, SIM_ACCESS_CLOSE);
    adapter->shared_blocks--;
    krn_pool_give(&call, VirtualAddress);
}

PVOID NdisAllocateMemoryWithTagPriority(NDIS_HANDLE NdisHandle, UINT Length, ULONG Tag,
                                        EX_POOL_PRIORITY Priority) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(NdisHandle);
    UNREFERENCED_PARAMETER(Priority);
    return krn_pool_allocate(&call, NonPagedPoolNx, Length, Tag);
}

VOID NdisFreeMemory(PVOID VirtualAddress, UINT Length, UINT MemoryFlags) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(Length);
    UNREFERENCED_PARAMETER(MemoryFlags);
    krn_pool_free(&call, VirtualAddress, 0);
}

VOID NdisFreeMemoryWithTagPriority(NDIS_HANDLE NdisHandle, PVOID VirtualAddress, ULONG Tag) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(NdisHandle);
    krn_pool_free(&call, VirtualAddress, Tag);
}
