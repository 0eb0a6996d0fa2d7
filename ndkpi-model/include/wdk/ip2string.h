/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses as text. Ports are in network byte order, as in socket addresses. */
#ifndef NDKSIM_WDK_IP2STRING_H
#define NDKSIM_WDK_IP2STRING_H

#include "ntdef.h"
#include "ws2ipdef.h"

NTSTATUS NTAPI RtlIpv4StringToAddressA(_In_ PCSTR S, _In_ BOOLEAN Strict, _Out_ PCSTR *Terminator,
                                       _Out_ IN_ADDR *Addr);
NTSTATUS NTAPI RtlIpv4StringToAddressW(_In_ PCWSTR S, _In_ BOOLEAN Strict, _Out_ PCWSTR *Terminator,
                                       _Out_ IN_ADDR *Addr);
NTSTATUS NTAPI RtlIpv4StringToAddressExA(_In_ PCSTR AddressString, _In_ BOOLEAN Strict,
                                         _Out_ IN_ADDR *Address, _Out_ PUSHORT Port);
NTSTATUS NTAPI RtlIpv4StringToAddressExW(_In_ PCWSTR AddressString, _In_ BOOLEAN Strict,
                                         _Out_ IN_ADDR *Address, _Out_ PUSHORT Port);
NTSTATUS NTAPI RtlIpv6StringToAddressA(_In_ PCSTR S, _Out_ PCSTR *Terminator, _Out_ IN6_ADDR *Addr);
NTSTATUS NTAPI RtlIpv6StringToAddressW(_In_ PCWSTR S, _Out_ PCWSTR *Terminator,
                                       _Out_ IN6_ADDR *Addr);
NTSTATUS NTAPI RtlIpv6StringToAddressExA(_In_ PCSTR AddressString, _Out_ IN6_ADDR *Address,
                                         _Out_ PULONG ScopeId, _Out_ PUSHORT Port);
NTSTATUS NTAPI RtlIpv6StringToAddressExW(_In_ PCWSTR AddressString, _Out_ IN6_ADDR *Address,
                                         _Out_ PULONG ScopeId, _Out_ PUSHORT Port);
/* S has room for 16 characters (IPv4) or 46 (IPv6); the answer points at the terminating NUL. */
PSTR NTAPI RtlIpv4AddressToStringA(_In_ const IN_ADDR *Addr, _Out_ PSTR S);
PWSTR NTAPI RtlIpv4AddressToStringW(_In_ const IN_ADDR *Addr, _Out_ PWSTR S);
PSTR NTAPI RtlIpv6AddressToStringA(_In_ const IN6_ADDR *Addr, _Out_ PSTR S);
PWSTR NTAPI RtlIpv6AddressToStringW(_In_ const IN6_ADDR *Addr, _Out_ PWSTR S);
/* The length counts the NUL; too small: STATUS_INVALID_PARAMETER and the length that is needed. */
NTSTATUS NTAPI RtlIpv4AddressToStringExA(_In_ const IN_ADDR *Address, _In_ USHORT Port,
                                         _Out_ PSTR AddressString,
                                         _Inout_ PULONG AddressStringLength);
NTSTATUS NTAPI RtlIpv6AddressToStringExA(_In_ const IN6_ADDR *Address, _In_ ULONG ScopeId,
                                         _In_ USHORT Port, _Out_ PSTR AddressString,
                                         _Inout_ PULONG AddressStringLength);
NTSTATUS NTAPI RtlIpv4AddressToStringExW(_In_ const IN_ADDR *Address, _In_ USHORT Port,
                                         _Out_ PWSTR AddressString,
                                         _Inout_ PULONG AddressStringLength);
NTSTATUS NTAPI RtlIpv6AddressToStringExW(_In_ const IN6_ADDR *Address, _In_ ULONG ScopeId,
                                         _In_ USHORT Port, _Out_ PWSTR AddressString,
                                         _Inout_ PULONG AddressStringLength);

#endif
