/* SPDX-License-Identifier: Apache-2.0 */
/* How keys and values are told to drivers: the information structures of the Zw calls. */
#ifndef KRN_REGISTRY_ANSWER_H
#define KRN_REGISTRY_ANSWER_H

#include <ntddk.h>

#include "registry.h"

/* The key behind a handle, or NULL. */
struct krn_registry_key *krn_registry_key_of(const struct krn_call *call, HANDLE handle);

/* Head, then data, as much as fits; `*needed` is the whole. */
NTSTATUS krn_registry_answer(PVOID to, ULONG length, PULONG needed, const void *head,
                             ULONG head_bytes, const void *data, ULONG bytes);

/* A value in the structure of its class. */
NTSTATUS krn_registry_answer_value(const struct krn_registry_value *value, PCUNICODE_STRING name,
                                   KEY_VALUE_INFORMATION_CLASS information_class, PVOID to,
                                   ULONG length, PULONG needed);

#endif
