/* SPDX-License-Identifier: Apache-2.0 */
/* Who stands in a door; see doors.h. In the scheduler, but for vrf_door_broken. */
#include "doors.h"

#include <stdio.h>
#include <string.h>

#include <krn/ndk.h>
#include <krn/state.h>
#include <vrf/verifier.h>

#include "find.h"

/* VRF_RULE_COUNT: no row of that id. */
static enum vrf_rule_number rule_number(const char *id) {
    enum vrf_rule_number number = (enum vrf_rule_number)0;

    while (number < VRF_RULE_COUNT && strcmp(vrf_rule_at(number)->id, id) != 0) {
        number++;
    }
    return number;
}

static void guilty_driver(struct sim_finding *finding, const struct krn_driver *driver) {
    snprintf(finding->guilty, sizeof(finding->guilty), "%s %s",
             krn_driver_is_provider(driver) ? "provider" : "consumer", krn_driver_name(driver));
}

static enum vrf_bound side_of(enum vrf_rule_number rule, const struct krn_driver *driver) {
    enum vrf_bound bound = vrf_rule_at(rule)->bound;

    if (bound != VRF_BOTH) {
        return bound;
    }
    return krn_driver_is_provider(driver) ? VRF_PROVIDER : VRF_CONSUMER;
}

/* Where the subject was closed, if it is an NDK object that was. */
static void closed_site(struct vrf_world *verifier, struct sim_finding *finding,
                        const struct sim_object *subject) {
    const struct vrf_shadow *shadow = verifier->shadow_first;

    while (shadow != NULL && &shadow->object != subject) {
        shadow = shadow->next;
    }
    if (shadow != NULL && shadow->phase != VRF_OPEN) {
        vrf_find_site(verifier, finding, "closed", &shadow->closed);
    }
}

void vrf_door_broken(struct sim_world *world, const char *rule, struct krn_driver *by,
                     struct sim_object *subject, const struct sim_kept_site *made,
                     const char *sentence) {
    struct vrf_world *verifier = vrf_world_of(world);
    enum vrf_rule_number number = rule_number(rule);
    struct sim_finding finding;

    if (!verifier->is_judging || number == VRF_RULE_COUNT ||
        !vrf_find_begin_by(verifier, &finding, number, NULL, side_of(number, by))) {
        return;
    }
    guilty_driver(&finding, by);
    sim_finding_say(&finding, "%s", sentence);
    sim_finding_object(&finding, subject);
    if (made != NULL) {
        vrf_find_site(verifier, &finding, "made", made);
    }
    closed_site(verifier, &finding, subject);
    vrf_find_here(verifier, &finding, "called");
}

void vrf_door_raced(struct sim_world *world, const struct krn_race *race) {
    struct vrf_world *verifier = vrf_world_of(world);
    struct sim_finding finding;
    char word[SIM_NAME_BYTES], now[SIM_NAME_BYTES], before[SIM_NAME_BYTES];

    if (!verifier->is_judging || race->driver == NULL ||
        !vrf_find_begin_by(verifier, &finding, VRF_RULE_OWN_20, NULL,
                           side_of(VRF_RULE_OWN_20, race->driver))) {
        return;
    }
    guilty_driver(&finding, race->driver);
    sim_finding_say(
        &finding, "%s %s %s, which %s %s, and nothing orders the two",
        sim_object_name(sim_task_object(sim_task_current()), now, sizeof(now)), race->now,
        sim_object_name(race->word, word, sizeof(word)),
        sim_object_name(sim_object_by_id(world, race->site.actor_id), before, sizeof(before)),
        race->earlier);
    sim_finding_object(&finding, race->word);
    vrf_find_site(verifier, &finding, race->earlier, &race->site);
    vrf_find_here(verifier, &finding, race->now);
}

void vrf_list_open(const struct vrf_world *verifier, const struct vrf_client *client, char *text,
                   size_t size) {
    size_t length = 0;
    uint32_t left_out = 0;

    text[0] = '\0';
    for (const struct vrf_shadow *shadow = verifier->shadow_first; shadow != NULL;
         shadow = shadow->next) {
        if (shadow->client != client || shadow->phase != VRF_OPEN) {
            continue;
        }
        if (length + 48 > size) {
            left_out++;
            continue;
        }
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s[%u]", length == 0 ? "" : ", ",
                             shadow->object.label, shadow->object.index);
    }
    if (left_out != 0) {
        snprintf(text + length, size - length, " and %u more", left_out);
    }
}

/* ---- Waits in a call of WSK ---- */

struct wait {
    const struct krn_driver *driver;
    const char *call; /* part of why it waits */
    const struct sim_object *task;
    struct sim_blocked blocked;
};

static void see_thread(void *context, const struct krn_thread_state *thread) {
    struct wait *wait = context;

    if (thread->driver == wait->driver && thread->waits_why != NULL &&
        strcmp(thread->waits_why, wait->call) == 0) {
        wait->task = thread->object;
    }
}

static void see_blocked(void *context, const struct sim_blocked *blocked) {
    struct wait *wait = context;

    if (blocked->task == wait->task) {
        wait->blocked = *blocked;
    }
}

/* False: no thread of the driver waits in that call, or not for so long. */
static bool wait_find(struct vrf_world *verifier, struct wait *wait, uint64_t patience_ns) {
    krn_thread_visit(krn_driver_node(wait->driver), see_thread, wait);
    if (wait->task == NULL) {
        return false;
    }
    sim_blocked_visit(verifier->world, see_blocked, wait);
    return sim_now_ns(verifier->world) - wait->blocked.since_ns >= patience_ns;
}

static void say_wait(struct vrf_world *verifier, struct sim_finding *finding,
                     const struct wait *wait) {
    char task[SIM_NAME_BYTES];
    char since[32];

    sim_finding_detail(finding, "%s waits in %s since %s",
                       sim_object_name(wait->task, task, sizeof(task)), wait->call,
                       vrf_time_text(wait->blocked.since_ns, since, sizeof(since)));
    sim_finding_object(finding, (struct sim_object *)(uintptr_t)wait->task);
    if (finding->site_count < SIM_ARRAY_COUNT(finding->sites)) {
        struct sim_site *site = &finding->sites[finding->site_count++];

        sim_site_of_blocked(site, "waits", &wait->blocked);
        krn_site_begin_with_driver(verifier->world, site);
    }
}

static struct vrf_client *client_of(const struct vrf_world *verifier,
                                    const struct krn_driver *driver) {
    struct vrf_client *client = verifier->clients;

    while (client != NULL && client->driver != driver) {
        client = client->next;
    }
    return client;
}

static bool blame_wait(struct vrf_world *verifier, enum vrf_rule_number rule,
                       const struct wait *wait, const struct sim_kept_site *made,
                       const char *sentence) {
    const struct vrf_client *client = client_of(verifier, wait->driver);
    struct sim_finding finding;
    char open[400];

    if (!vrf_find_begin(verifier, &finding, rule, NULL)) {
        return false;
    }
    guilty_driver(&finding, wait->driver);
    sim_finding_say(&finding, "%s waits in %s for ever: %s", krn_driver_name(wait->driver),
                    wait->call, sentence);
    say_wait(verifier, &finding, wait);
    if (made != NULL) {
        vrf_find_site(verifier, &finding, "made", made);
    }
    if (client != NULL) {
        vrf_list_open(verifier, client, open, sizeof(open));
        sim_finding_detail(&finding, "open: %s", open[0] != '\0' ? open : "nothing");
    }
    vrf_say_owed(verifier->world, &finding);
    return vrf_find(verifier, &finding);
}

struct release {
    struct vrf_world *verifier;
    uint64_t patience_ns;
    bool found;
};

static void see_client(void *context, const struct krn_wsk_state *state) {
    struct release *release = context;
    struct vrf_world *verifier = release->verifier;
    struct wait in_release = {.driver = state->driver, .call = "WskReleaseProviderNPI"};
    struct wait in_deregister = {.driver = state->driver, .call = "WskDeregister"};

    if (release->found || state->driver == NULL ||
        krn_node_is_off(krn_driver_node(state->driver))) {
        return;
    }
    if (state->ndk_adapters != 0 && wait_find(verifier, &in_release, release->patience_ns)) {
        release->found = blame_wait(verifier, VRF_RULE_WSK_07, &in_release, state->made,
                                    "it has NDK adapters open, and nobody closes them");
    } else if (state->is_deregistering && state->ndk_adapters != 0 &&
               wait_find(verifier, &in_deregister, release->patience_ns)) {
        release->found = blame_wait(verifier, VRF_RULE_WSK_07, &in_deregister, state->made,
                                    "it has NDK adapters open, and nobody closes them");
    } else if (state->is_deregistering && state->captures != 0 &&
               wait_find(verifier, &in_deregister, release->patience_ns)) {
        release->found = blame_wait(verifier, VRF_RULE_WSK_02, &in_deregister, state->made,
                                    "it has captured the provider NPI and not released it");
    }
}

bool vrf_blame_release(struct vrf_world *verifier, uint64_t patience_ns) {
    struct release release = {.verifier = verifier, .patience_ns = patience_ns};
    struct krn_node *node = krn_node_at(verifier->world, 0);

    for (size_t i = 1; node != NULL && !release.found; i++) {
        krn_wsk_visit(node, see_client, &release);
        node = krn_node_at(verifier->world, i);
    }
    return release.found;
}

/* ---- Closes that the system waits for ---- */

struct awaited {
    struct krn_ndk_open open;
    uint64_t until_ns; /* who is waited for only since later has time left */
    bool found;
};

static void see_open(void *context, const struct krn_ndk_open *open) {
    struct awaited *awaited = context;

    if (!awaited->found && open->is_awaited && !open->is_closing && open->client != NULL &&
        open->awaited_ns <= awaited->until_ns && !krn_node_is_off(krn_driver_node(open->client))) {
        awaited->open = *open;
        awaited->found = true;
    }
}

bool vrf_blame_awaited(struct vrf_world *verifier, uint64_t patience_ns) {
    uint64_t now_ns = sim_now_ns(verifier->world);
    struct awaited awaited = {.until_ns = now_ns - (now_ns < patience_ns ? now_ns : patience_ns)};
    struct vrf_shadow *shadow;
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];
    char open[400];

    krn_ndk_open_visit(verifier->world, see_open, &awaited);
    shadow = awaited.found ? vrf_shadow_find(verifier, awaited.open.ndk_adapter) : NULL;
    if (shadow == NULL ||
        !vrf_find_begin_by(verifier, &finding, VRF_RULE_NDIS_14, shadow, VRF_CONSUMER)) {
        return false;
    }
    vrf_guilty_consumer(shadow->client, finding.guilty, sizeof(finding.guilty));
    sim_finding_say(&finding,
                    "%s keeps an NDK adapter open on %s, which waits for its close; it was told so",
                    vrf_client_name(shadow->client),
                    sim_object_name(krn_adapter_object(awaited.open.adapter), name, sizeof(name)));
    vrf_list_open(verifier, shadow->client, open, sizeof(open));
    sim_finding_detail(&finding, "open: %s", open);
    vrf_find_site(verifier, &finding, "opened", &shadow->made);
    vrf_say_owed(verifier->world, &finding);
    return vrf_find(verifier, &finding);
}
