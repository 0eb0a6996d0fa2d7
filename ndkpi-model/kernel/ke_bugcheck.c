/* SPDX-License-Identifier: Apache-2.0 */
/* Bugchecks that a driver asks for: KeBugCheckEx, failed assertions, break points. */
#include <ntddk.h>

#include <krn/bugcheck.h>

#include "call_error.h"

VOID NTAPI KeBugCheckEx(ULONG BugCheckCode, ULONG_PTR BugCheckParameter1,
                        ULONG_PTR BugCheckParameter2, ULONG_PTR BugCheckParameter3,
                        ULONG_PTR BugCheckParameter4) {
    krn_bugcheck(BugCheckCode, BugCheckParameter1, BugCheckParameter2, BugCheckParameter3,
                 BugCheckParameter4, "the driver called KeBugCheckEx");
}

VOID NTAPI KeBugCheck(ULONG BugCheckCode) {
    krn_bugcheck(BugCheckCode, 0, 0, 0, 0, "the driver called KeBugCheck");
}

VOID NTAPI RtlAssert(PVOID FailedAssertion, PVOID FileName, ULONG LineNumber, PSTR Message) {
    krn_bugcheck(0x1E, 0xC0000420, 0, 0, 0, "assertion failed: %s%s%s, %s:%u",
                 (const char *)FailedAssertion, Message != NULL ? ", " : "",
                 Message != NULL ? Message : "", (const char *)FileName, LineNumber);
}

VOID NTAPI DbgBreakPoint(VOID) {
    krn_bugcheck(0x1E, 0x80000003, 0, 0, 0, "the driver ran into a break point of its own");
}

VOID NTAPI DbgBreakPointWithStatus(ULONG Status) {
    krn_bugcheck(0x1E, 0x80000003, Status, 0, 0, "the driver ran into a break point of its own");
}
