/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka, and the kernel calls that the pure parts make. */
#ifndef TEST_SMB_DIRECT_SUPPORT_H
#define TEST_SMB_DIRECT_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ntddk.h>

VOID NTAPI RtlAssert(PVOID FailedAssertion, PVOID FileName, ULONG LineNumber, PSTR Message) {
    (void)Message;
    print_error("%s:%u: %s\n", (const char *)FileName, LineNumber, (const char *)FailedAssertion);
    fail();
}

PVOID NTAPI ExAllocatePoolWithTag(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag) {
    (void)PoolType;
    (void)Tag;
    return malloc(NumberOfBytes);
}

VOID NTAPI ExFreePoolWithTag(PVOID P, ULONG Tag) {
    (void)Tag;
    free(P);
}

#endif
