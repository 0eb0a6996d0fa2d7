/* SPDX-License-Identifier: Apache-2.0 */
/* DriverEntry and unload of the queues' tests, subject or peer by its parameter "Role". */
#include "queues.h"

DRIVER_INITIALIZE DriverEntry;

static SUBJECT Subject;

#define CASE_ROUTINE(name) name,
static VOID (*const Case[])(PSUBJECT Subject) = {QUEUES_CASES(CASE_ROUTINE)};

static VOID SubjectThread(PVOID Context) {
    PSUBJECT It = Context;

    SubjectOpen(It);
    WatchedCreate(It, &It->Control, 2 * QUEUES_DEPTH, NULL);
    LinkTie(It, &It->ControlLink, QpCreate(It, &It->Control, &It->Control, NULL));
    NdksimCounter("ready", 1);
    Case[It->Case % CaseCount](It);
    LinksClose(It);
    It->Links[0] = It->ControlLink;
    It->LinkCount = 1;
    LinksClose(It);
    WatchedClose(&It->Control);
    SubjectClose(It);
    NdksimCounter("done", 1);
}

static VOID QueuesUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeSetEvent(&Subject.Stop, IO_NO_INCREMENT, FALSE);
    ThreadJoin(Subject.Thread);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    BOOLEAN IsPeer = NdksimRegistryUlong(L"Role", 0) == 0;
    NTSTATUS Status;

    RtlZeroMemory(&Subject, sizeof(Subject));
    DriverObject->DriverUnload = QueuesUnload;
    KeInitializeEvent(&Subject.Stop, NotificationEvent, FALSE);
    Subject.Case = NdksimRegistryUlong(L"Case", 0);
    Subject.Exact = NdksimRegistryUlong(L"Exact", 0);
    Status = SettingsAddress(RegistryPath, L"Local", IsPeer ? QUEUES_PORT : 0, &Subject.Local);
    if (NT_SUCCESS(Status)) {
        Status = SettingsAddress(RegistryPath, L"Peer", QUEUES_PORT, &Subject.Peer);
    }
    if (NT_SUCCESS(Status)) {
        Status = ThreadStart(IsPeer ? PeerThread : SubjectThread, &Subject, &Subject.Thread);
    }
    return Status;
}
