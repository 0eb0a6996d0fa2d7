/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WSK clients of a node.
 *
 *   REGISTERED -capture-> captured n times -release-> ... -deregister (waits for n = 0)-> GONE
 */
#ifndef KRN_WSK_STATE_H
#define KRN_WSK_STATE_H

#include <wskndk.h>

#include <sim/path.h>

#include "kernel.h"
#include "wait.h"

struct krn_wsk_client {
    struct krn_wsk_client *next; /* of the node, by registration */
    struct sim_object object;
    struct krn_node *node;
    struct krn_driver *driver;
    const WSK_REGISTRATION *registration;
    struct sim_kept_site made;
    WSK_CLIENT_NPI npi;
    uint32_t captures;
    uint32_t ndk_adapters; /* open, being opened or closed */
    uint32_t events_running;
    bool is_deregistering;
    bool is_gone;
    struct krn_gate released;
    struct krn_gate adapters_closed;
};

struct krn_wsk {
    struct krn_wsk_client *client_first;
    struct krn_wsk_client *client_last;
};

/* An NDK adapter that is open. */
struct krn_ndk_opening {
    struct krn_ndk_opening *next;
    struct krn_adapter *adapter;
    struct krn_wsk_client *client;
    void *ndk_adapter;
    uint16_t version_major;
    uint16_t version_minor;
    uint32_t serial;
    uint64_t opened_ns;
    bool is_closing;
    bool was_off; /* opened, and NDK has not been announced as enabled since */
};

/* The client of a pointer that WskCaptureProviderNPI gave and that is still captured, else 0xC4. */
struct krn_wsk_client *krn_wsk_client_use(const struct krn_call *call, PWSK_CLIENT client);
/* Tells every client with an event callback that something changed. PASSIVE. */
void krn_wsk_notify(struct krn_node *node);
uint32_t krn_wsk_count(const struct krn_driver *driver);
/* The first registration that the driver has not undone, or NULL. */
struct krn_wsk_client *krn_wsk_left(const struct krn_driver *driver);
/* NDK was announced as enabled: what was opened before that is in order. */
void krn_ndk_opened_on(struct krn_adapter *adapter);
uint32_t krn_ndk_open_count(const struct krn_driver *driver);

extern const WSK_PROVIDER_NDK_DISPATCH krn_wsk_ndk_dispatch;

#endif
