/* SPDX-License-Identifier: Apache-2.0 */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static volatile int Zero;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

static VOID Deep(ULONG Depth) {
    if (Depth == 0)
        ExRaiseStatus(STATUS_INSUFFICIENT_RESOURCES);
    Deep(Depth - 1);
}

static LONG Filter(NTSTATUS Code, NTSTATUS Wanted) {
    return Code == Wanted ? EXCEPTION_EXECUTE_HANDLER : EXCEPTION_CONTINUE_SEARCH;
}

static ULONG Returns(VOID) {
    ULONG Local = 1;

    __try {
        Local = 2;
        return Local;
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        Local = 3;
    }
    return Local;
}

static VOID Raised(VOID) {
    ULONG Steps = 0;

    __try {
        __try {
            Steps = 1;
            Deep(3);
            Steps = 100;
        } __finally {
            DbgPrint("finally, abnormal %d\n", AbnormalTermination());
            Steps += 10;
        }
        Steps = 200;
    } __except (Filter(GetExceptionCode(), STATUS_INSUFFICIENT_RESOURCES)) {
        DbgPrint("code %x after %u steps\n", GetExceptionCode(), Steps);
    }
}

static VOID Searched(VOID) {
    __try {
        __try {
            ExRaiseAccessViolation();
        } __except (Filter(GetExceptionCode(), STATUS_TIMEOUT)) {
            DbgPrint("not here\n");
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        DbgPrint("outer takes %x\n", GetExceptionCode());
    }
}

static VOID Left(VOID) {
    ULONG Count = 0;

    __try {
        for (;;) {
            Count++;
            if (Count == 3)
                __leave;
        }
    } __finally {
        DbgPrint("left after %u, abnormal %d\n", Count, AbnormalTermination());
    }
}

static VOID Machine(VOID) {
    __try {
        *(volatile ULONG *)0x10 = 1;
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        DbgPrint("write at %u: %x, writes %u\n",
                 (ULONG)GetExceptionInformation()->ExceptionRecord->ExceptionInformation[1],
                 GetExceptionCode(),
                 (ULONG)GetExceptionInformation()->ExceptionRecord->ExceptionInformation[0]);
    }
    __try {
        Zero = 100 / Zero;
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        DbgPrint("division: %x\n", GetExceptionCode());
    }
}

static VOID Probed(VOID) {
    __try {
        ProbeForRead((PVOID)(ULONG_PTR)0x1000, 16, 1);
        DbgPrint("not here\n");
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        DbgPrint("probe: %x\n", GetExceptionCode());
    }
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Raised();
    Searched();
    Left();
    Machine();
    Probed();
    DbgPrint("returned %u\n", Returns());
    for (ULONG i = 0; i < 2; i++) {
        __try {
            switch (i) {
            case 0:
                break;
            default:
                ExRaiseStatus(STATUS_TIMEOUT);
            }
            while (i < 2)
                break;
        } __except (EXCEPTION_EXECUTE_HANDLER) {
            DbgPrint("round %u\n", i);
        }
    }
    return STATUS_SUCCESS;
}
