/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses from the registry and as text; see settings.h. */
#include "settings.h"

#include <ip2string.h>
#include <ntstrsafe.h>

#define VALUE_CHARS 64

/* Absent: an empty text. */
static NTSTATUS SettingsText(PUNICODE_STRING RegistryPath, PCWSTR Name, WCHAR Text[VALUE_CHARS]) {
    RTL_QUERY_REGISTRY_TABLE Table[3];
    UNICODE_STRING Value;
    NTSTATUS Status;

    Value.Buffer = Text;
    Value.Length = 0;
    Value.MaximumLength = (VALUE_CHARS - 1) * sizeof(WCHAR);
    RtlZeroMemory(Table, sizeof(Table));
    Table[0].Flags = RTL_QUERY_REGISTRY_SUBKEY;
    Table[0].Name = (PWSTR)(ULONG_PTR)L"Parameters";
    Table[1].Flags = RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_TYPECHECK;
    Table[1].Name = (PWSTR)(ULONG_PTR)Name;
    Table[1].EntryContext = &Value;
    Table[1].DefaultType = (REG_SZ << RTL_QUERY_REGISTRY_TYPECHECK_SHIFT) | REG_NONE;
    Status = RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE, RegistryPath->Buffer, Table, NULL, NULL);
    if (Status == STATUS_OBJECT_NAME_NOT_FOUND) {
        Value.Length = 0;
        Status = STATUS_SUCCESS;
    }
    Text[Value.Length / sizeof(WCHAR)] = 0;
    return Status;
}

NTSTATUS SettingsAddress(PUNICODE_STRING RegistryPath, PCWSTR Name, USHORT Port,
                         PRDMA_ADDRESS Address) {
    WCHAR Text[VALUE_CHARS];
    PCWSTR End = NULL;
    NTSTATUS Status;

    PAGED_CODE();
    RtlZeroMemory(Address, sizeof(*Address));
    Text[0] = 0;
    Status = SettingsText(RegistryPath, Name, Text);
    if (!NT_SUCCESS(Status) || Text[0] == 0) {
        return Status;
    }
    Status = RtlIpv4StringToAddressW(Text, TRUE, &End, &Address->Inet.Ipv4.sin_addr);
    if (NT_SUCCESS(Status) && *End == 0) {
        Address->Inet.Ipv4.sin_family = AF_INET;
        Address->Inet.Ipv4.sin_port = RtlUshortByteSwap(Port);
        Address->Bytes = sizeof(SOCKADDR_IN);
        return STATUS_SUCCESS;
    }
    Status = RtlIpv6StringToAddressW(Text, &End, &Address->Inet.Ipv6.sin6_addr);
    if (NT_SUCCESS(Status) && *End == 0) {
        Address->Inet.Ipv6.sin6_family = AF_INET6;
        Address->Inet.Ipv6.sin6_port = RtlUshortByteSwap(Port);
        Address->Bytes = sizeof(SOCKADDR_IN6);
        return STATUS_SUCCESS;
    }
    return STATUS_INVALID_ADDRESS;
}

PSTR AddressText(const RDMA_ADDRESS *Address, PSTR Text) {
    CHAR Host[48];
    USHORT Port;

    if (Address->Inet.si_family == AF_INET6) {
        RtlIpv6AddressToStringA(&Address->Inet.Ipv6.sin6_addr, Host);
        Port = RtlUshortByteSwap(Address->Inet.Ipv6.sin6_port);
        RtlStringCbPrintfA(Text, ADDRESS_TEXT_CHARS, "[%s]:%u", Host, Port);
    } else {
        RtlIpv4AddressToStringA(&Address->Inet.Ipv4.sin_addr, Host);
        Port = RtlUshortByteSwap(Address->Inet.Ipv4.sin_port);
        RtlStringCbPrintfA(Text, ADDRESS_TEXT_CHARS, "%s:%u", Host, Port);
    }
    return Text;
}
