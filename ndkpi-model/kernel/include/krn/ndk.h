/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The door between NDK consumers and NDK providers: WskOpenNdkAdapter finds the adapter by
 * interface index and calls its miniport's open handler; the verifier stands in between.
 */
#ifndef KRN_NDK_H
#define KRN_NDK_H

#include <krn/driver.h>
#include <krn/node.h>
#include <krn/race.h>
#include <sim/finding.h>

/*
 * All are called in the consumer's thread at PASSIVE, once per open or close. Any may be NULL.
 * NDK pointers are `NDK_ADAPTER *` and friends as wdk declares them.
 */
struct krn_ndk_interposer {
    /* After the provider's open handler succeeded, before the consumer sees the adapter. */
    void (*opened)(struct krn_adapter *adapter, struct krn_driver *client, void *ndk_adapter);
    /* Before the provider's close handler is called: give back what `opened` changed. */
    void (*closing)(struct krn_adapter *adapter, struct krn_driver *client, void *ndk_adapter);
    /* After the close handler returned: the pointer is dead. */
    void (*closed)(struct krn_adapter *adapter, struct krn_driver *client, void *ndk_adapter);
    /* A driver's DriverUnload has returned; nothing of it is checked yet. */
    void (*unloaded)(struct krn_driver *driver);
    /*
     * Names an NDK object for reports, NdksimTrace, NdksimChoose and NdksimFault. NULL when it
     * does not know the pointer. Never dereferences it.
     */
    struct sim_object *(*name)(struct sim_world *world, const void *ndk_object);
    /*
     * A bugcheck for touched memory is about to be raised: `address` is what was touched as far as
     * it is known (else NULL), `by` whose code did it (or NULL). May turn the finding into one of
     * its rules, since a rule wins over a bugcheck. Only looks; may run on a signal's stack.
     */
    void (*judge)(struct sim_world *world, const void *address, struct krn_driver *by,
                  struct sim_finding *finding);
    /* A block of pool that begins there was freed, and is within reach. May inscribe it. */
    void (*freed)(struct sim_world *world, void *start);
    /* A bugcheck is about to be raised: adds what a reader should know. As `judge`, only looks. */
    void (*explain)(struct sim_world *world, struct sim_finding *finding);
    /*
     * A driver broke a rule of NDIS or WSK that the kernel watches: its id ("R-NDIS-12"), who,
     * about what, where that was made (NULL: it is not known), and a sentence that says what. In
     * the task of the deed, so that its stack tells where.
     */
    void (*broken)(struct sim_world *world, const char *rule, struct krn_driver *by,
                   struct sim_object *subject, const struct sim_kept_site *made,
                   const char *sentence);
    /* Nothing orders two accesses of instrumented modules. In the task of the later one. */
    void (*raced)(struct sim_world *world, const struct krn_race *race);
};
/* One per world, in PRIVATE memory or static; NULL takes it away. */
void krn_ndk_interposer_set(struct sim_world *world, const struct krn_ndk_interposer *interposer);

/* The interposer's name of an NDK object, or NULL. */
struct sim_object *krn_ndk_name(struct sim_world *world, const void *ndk_object);

/* NDK adapters that are open now, in opening order. */
struct krn_ndk_open {
    struct krn_adapter *adapter;
    struct krn_driver *client; /* NULL: opened by the program itself (tests) */
    void *ndk_adapter;
    uint16_t version_major;
    uint16_t version_minor;
    uint32_t serial; /* n-th open of the world, from 1 */
    uint64_t opened_ns;
    bool is_closing;
    bool is_awaited;     /* a disable event, a halt or a loss of power waits for its close ... */
    uint64_t awaited_ns; /* ... since then */
};
void krn_ndk_open_visit(struct sim_world *world,
                        void (*visit)(void *context, const struct krn_ndk_open *open),
                        void *context);

/* WSK's registered clients of a node, in the order of registration. */
struct krn_wsk_state {
    struct sim_object *object;
    struct krn_driver *driver;
    uint32_t captures;
    uint32_t ndk_adapters;            /* open, being opened or closed */
    bool is_deregistering;            /* WskDeregister waits */
    const struct sim_kept_site *made; /* of WskRegister */
};
void krn_wsk_visit(struct krn_node *node,
                   void (*visit)(void *context, const struct krn_wsk_state *state), void *context);

/* The provider driver behind an adapter, NULL until a miniport registered NDK handlers for it. */
struct krn_driver *krn_ndk_provider(const struct krn_adapter *adapter);

/* The NDK capabilities (`NDIS_NDK_CAPABILITIES *`) that the miniport gave for it, or NULL. */
const void *krn_ndk_capabilities(const struct krn_adapter *adapter);

/* The last NetEventNDKEnable / NetEventNDKDisable of its miniport. */
bool krn_ndk_is_enabled(const struct krn_adapter *adapter);

/*
 * The miniport has answered NDIS_STATUS_BAD_VERSION to an open and has opened nothing since the run
 * began. Stores the version that was asked for last.
 */
bool krn_ndk_offers_others_only(const struct krn_adapter *adapter, uint16_t *major,
                                uint16_t *minor);

#endif
