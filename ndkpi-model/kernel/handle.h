/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of a node: small numbers, multiples of four, never used again within a run. */
#ifndef KRN_HANDLE_H
#define KRN_HANDLE_H

#include <ntddk.h>

#include "kernel.h"

enum krn_handle_kind {
    KRN_HANDLE_NONE,
    KRN_HANDLE_THREAD,
    KRN_HANDLE_KEY,
    KRN_HANDLE_FILE,
    KRN_HANDLE_EVENT,
};

struct krn_handle_entry {
    enum krn_handle_kind kind; /* NONE: closed */
    void *object;
    struct krn_driver *driver; /* who opened it, or NULL */
};

HANDLE krn_handle_make(const struct krn_call *call, enum krn_handle_kind kind, void *object);
/* NULL: no open handle. */
struct krn_handle_entry *krn_handle_find(const struct krn_node *node, HANDLE handle);

/* Events by handle. One reference for each handle and each ObReferenceObject; NULL: no such. */
struct krn_event_object;
struct krn_event_object *krn_event_object_of(const void *object);
LONG_PTR krn_event_reference(struct krn_event_object *event);
LONG_PTR krn_event_dereference(const struct krn_call *call, struct krn_event_object *event);
/* What a request with an event by handle does at its begin and at its end. False: none such. */
bool krn_event_handle_put(const struct krn_call *call, HANDLE handle, bool set);
uint32_t krn_handle_count(const struct krn_driver *driver);

#endif
