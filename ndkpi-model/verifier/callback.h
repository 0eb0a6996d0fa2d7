/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the provider calls in place of the consumer's routines. The context is the handle of a
 * request or a subscription. Each entry and each exit is a schedule point and leaves a record.
 */
#ifndef VRF_CALLBACK_H
#define VRF_CALLBACK_H

#include <ndkpi.h>

void vrf_on_create(PVOID context, NTSTATUS status, NDK_OBJECT_HEADER *object);
void vrf_on_request(PVOID context, NTSTATUS status);
void vrf_on_close(PVOID context);
void vrf_on_cq_event(PVOID context, NTSTATUS status);
void vrf_on_srq_event(PVOID context, NTSTATUS status);
void vrf_on_connect_event(PVOID context, NDK_CONNECTOR *connector);
void vrf_on_disconnect_event(PVOID context);
void vrf_on_disconnect_event_ex(PVOID context, ULONG reason);

#endif
