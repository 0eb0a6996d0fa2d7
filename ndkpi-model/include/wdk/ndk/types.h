/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structures, enumerations and flags of the kernel RDMA interface.
 *
 * Objects are made by the provider; its own state surrounds the public part declared here.
 */
#ifndef NDKSIM_WDK_NDK_TYPES_H
#define NDKSIM_WDK_NDK_TYPES_H

#include "../ndkinfo.h"
#include "../ntdef.h"
#include "../ws2def.h"
#include "../ws2ipdef.h"
#include "../wdm/mm.h"

typedef struct _NDK_ADAPTER NDK_ADAPTER;
typedef struct _NDK_ADAPTER_DISPATCH NDK_ADAPTER_DISPATCH;
typedef struct _NDK_CONNECTOR NDK_CONNECTOR;
typedef struct _NDK_CONNECTOR_DISPATCH NDK_CONNECTOR_DISPATCH;
typedef struct _NDK_CQ NDK_CQ;
typedef struct _NDK_CQ_DISPATCH NDK_CQ_DISPATCH;
typedef struct _NDK_LISTENER NDK_LISTENER;
typedef struct _NDK_LISTENER_DISPATCH NDK_LISTENER_DISPATCH;
typedef struct _NDK_MR NDK_MR;
typedef struct _NDK_MR_DISPATCH NDK_MR_DISPATCH;
typedef struct _NDK_MW NDK_MW;
typedef struct _NDK_MW_DISPATCH NDK_MW_DISPATCH;
typedef struct _NDK_PD NDK_PD;
typedef struct _NDK_PD_DISPATCH NDK_PD_DISPATCH;
typedef struct _NDK_QP NDK_QP;
typedef struct _NDK_QP_DISPATCH NDK_QP_DISPATCH;
typedef struct _NDK_SHARED_ENDPOINT NDK_SHARED_ENDPOINT;
typedef struct _NDK_SHARED_ENDPOINT_DISPATCH NDK_SHARED_ENDPOINT_DISPATCH;
typedef struct _NDK_SRQ NDK_SRQ;
typedef struct _NDK_SRQ_DISPATCH NDK_SRQ_DISPATCH;

typedef enum _NDK_OBJECT_TYPE {
    NdkObjectTypeUndefined = 0,
    NdkObjectTypeAdapter = 1,
    NdkObjectTypeQp = 2,
    NdkObjectTypeCq = 3,
    NdkObjectTypeMr = 4,
    NdkObjectTypeMw = 5,
    NdkObjectTypePd = 6,
    NdkObjectTypeSharedEndpoint = 7,
    NdkObjectTypeConnector = 8,
    NdkObjectTypeListener = 9,
    NdkObjectTypeSrq = 10,
    NdkObjectTypeMax = 11
} NDK_OBJECT_TYPE;

/* What a completed request was. ReceiveAndInvalidate contains the bit of Receive. */
typedef enum _NDK_OPERATION_TYPE {
    NdkOperationTypeReceive = 0x1,
    NdkOperationTypeReceiveAndInvalidate = 0x8001,
    NdkOperationTypeSend = 0x2,
    NdkOperationTypeFastRegister = 0x4,
    NdkOperationTypeBind = 0x8,
    NdkOperationTypeInvalidate = 0x10,
    NdkOperationTypeRead = 0x20,
    NdkOperationTypeWrite = 0x40
} NDK_OPERATION_TYPE;

typedef PHYSICAL_ADDRESS NDK_LOGICAL_ADDRESS;

/* Flags of posted requests. ALLOW_REMOTE_WRITE contains ALLOW_LOCAL_WRITE. */
#define NDK_OP_FLAG_SILENT_SUCCESS 0x00000001
#define NDK_OP_FLAG_READ_FENCE 0x00000002
#define NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT 0x00000004
#define NDK_OP_FLAG_ALLOW_REMOTE_READ 0x00000008
#define NDK_OP_FLAG_ALLOW_LOCAL_WRITE 0x00000010
#define NDK_OP_FLAG_ALLOW_REMOTE_WRITE 0x00000030
#define NDK_OP_FLAG_INLINE 0x00000040
#define NDK_OP_FLAG_RDMA_READ_SINK 0x00000080
#define NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE 0x00000100
#define NDK_OP_FLAG_DEFER 0x00000200

/* Rights of a registration. ALLOW_REMOTE_WRITE contains ALLOW_LOCAL_WRITE. */
#define NDK_MR_FLAG_ALLOW_LOCAL_READ 0x00000000
#define NDK_MR_FLAG_ALLOW_LOCAL_WRITE 0x00000001
#define NDK_MR_FLAG_ALLOW_REMOTE_READ 0x00000002
#define NDK_MR_FLAG_ALLOW_REMOTE_WRITE 0x00000005
#define NDK_MR_FLAG_RDMA_READ_SINK 0x00000008

/* Types of an arm: plain values, not bits. */
#define NDK_CQ_NOTIFY_ERRORS 0
#define NDK_CQ_NOTIFY_ANY 1
#define NDK_CQ_NOTIFY_SOLICITED 2

/* Zero at creation; then the provider keeps its hands off until the object is closed. */
typedef struct _NDK_OBJECT_HEADER_RESERVED_BLOCK {
    PVOID rf[4];
} NDK_OBJECT_HEADER_RESERVED_BLOCK;

typedef struct _NDK_OBJECT_HEADER {
    NDK_VERSION Version;
    NDK_OBJECT_TYPE ObjectType;
    NDK_OBJECT_HEADER_RESERVED_BLOCK NdkReserved;
} NDK_OBJECT_HEADER;

/* A piece of local memory. LogicalAddress counts with the privileged token only. */
typedef struct _NDK_SGE {
    union {
        PVOID VirtualAddress;
        NDK_LOGICAL_ADDRESS LogicalAddress;
    };
    ULONG Length;
    UINT32 MemoryRegionToken;
} NDK_SGE;

/* BytesTransferred is meaningful for receives only. */
typedef struct _NDK_RESULT {
    NTSTATUS Status;
    ULONG BytesTransferred;
    PVOID QPContext;
    PVOID RequestContext;
} NDK_RESULT;

/* As NDK_RESULT; TypeSpecificCompletionOutput is the token that a receive invalidated. */
typedef struct _NDK_RESULT_EX {
    NTSTATUS Status;
    ULONG BytesTransferred;
    PVOID QPContext;
    PVOID RequestContext;
    NDK_OPERATION_TYPE Type;
    ULONG ProviderErrorCode;
    ULONG_PTR TypeSpecificCompletionOutput;
} NDK_RESULT_EX;

/* Adapter pages of an MDL range; AdapterContext belongs to the provider. */
typedef struct _NDK_LOGICAL_ADDRESS_MAPPING {
    PVOID AdapterContext;
    ULONG AdapterPageCount;
    NDK_LOGICAL_ADDRESS AdapterPageArray[1];
} NDK_LOGICAL_ADDRESS_MAPPING;

typedef struct _NDK_EXTENSION_INTERFACE {
    CONST VOID *Dispatch;
} NDK_EXTENSION_INTERFACE;

#endif
