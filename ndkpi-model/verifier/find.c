/* SPDX-License-Identifier: Apache-2.0 */
/* Making findings; see find.h. */
#include "find.h"

#include <stdio.h>
#include <string.h>

#include "excuse.h"

void vrf_guilty_consumer(const struct vrf_client *client, char *text, size_t size) {
    snprintf(text, size, "consumer %s", vrf_client_name(client));
}

void vrf_guilty_provider(const struct vrf_shadow *shadow, char *text, size_t size) {
    const struct krn_adapter *adapter = shadow->adapter->part.adapter.adapter;
    const struct krn_driver *provider = adapter != NULL ? krn_ndk_provider(adapter) : NULL;

    if (provider != NULL) {
        snprintf(text, size, "provider %s", krn_driver_name(provider));
    } else {
        snprintf(text, size, "provider");
    }
}

/* The first driver on the stack: who called the wrong thing. */
static void guilty_here(struct vrf_world *verifier, const char *role, char *text, size_t size) {
    uintptr_t frames[SIM_FINDING_FRAMES];
    uint8_t count =
        sim_site_walk((uintptr_t)__builtin_frame_address(0), frames, SIM_FINDING_FRAMES);

    for (uint8_t i = 0; i < count; i++) {
        struct krn_driver *driver =
            krn_driver_of_code(verifier->world, (const void *)(frames[i] - 1));

        if (driver != NULL) {
            snprintf(text, size, "%s %s", role, krn_driver_name(driver));
            return;
        }
    }
    snprintf(text, size, "%s", role);
}

static void set_guilty(struct vrf_world *verifier, struct sim_finding *finding, enum vrf_bound side,
                       const struct vrf_shadow *shadow) {
    if (shadow == NULL) {
        guilty_here(verifier, side == VRF_CONSUMER ? "consumer" : "provider", finding->guilty,
                    sizeof(finding->guilty));
    } else if (side == VRF_CONSUMER) {
        vrf_guilty_consumer(shadow->client, finding->guilty, sizeof(finding->guilty));
    } else {
        vrf_guilty_provider(shadow, finding->guilty, sizeof(finding->guilty));
    }
}

bool vrf_find_begin(struct vrf_world *verifier, struct sim_finding *finding,
                    enum vrf_rule_number number, struct vrf_shadow *shadow) {
    return vrf_find_begin_by(verifier, finding, number, shadow, vrf_rule_at(number)->bound);
}

bool vrf_find_begin_by(struct vrf_world *verifier, struct sim_finding *finding,
                       enum vrf_rule_number number, struct vrf_shadow *shadow,
                       enum vrf_bound side) {
    const struct vrf_rule *rule = vrf_rule_at(number);
    const char *reason;
    enum sim_severity severity = vrf_rule_severity(number, side, &reason);

    SIM_ASSERT(side != VRF_BOTH && (rule->bound == VRF_BOTH || rule->bound == side));
    if (shadow != NULL && vrf_is_off(shadow)) {
        return false;
    }
    if (severity == SIM_SEVERITY_OFF) {
        vrf_excuse_others(shadow, number, side);
        return false;
    }
    sim_finding_init(finding, SIM_VERDICT_RULE, rule->id, NULL);
    finding->severity = severity;
    verifier->begun = (struct vrf_begun){shadow, (uint16_t)number, (uint8_t)side};
    snprintf(finding->remedy, sizeof(finding->remedy), "%s", rule->remedy);
    set_guilty(verifier, finding, side, shadow);
    if (shadow != NULL) {
        sim_finding_object(finding, vrf_subject(shadow));
    }
    snprintf(finding->rule, sizeof(finding->rule), "%s", rule->sentence);
    snprintf(finding->reason, sizeof(finding->reason), "%s", reason != NULL ? reason : "");
    if (vrf_excuse(verifier, finding, shadow, side) ||
        (verifier->is_waiting && vrf_excuse_lost(verifier, finding))) {
        verifier->begun.shadow = NULL; /* what is excused excuses nothing */
    }
    return true;
}

bool vrf_find_begin_hint(struct vrf_world *verifier, struct sim_finding *finding,
                         enum vrf_rule_number number, struct vrf_shadow *shadow) {
    const char *reason;

    if (vrf_rule_severity(number, vrf_rule_at(number)->bound, &reason) == SIM_SEVERITY_OFF ||
        !vrf_find_begin(verifier, finding, number, shadow)) {
        return false;
    }
    finding->severity = SIM_SEVERITY_WARN;
    verifier->begun.shadow = NULL;
    return true;
}

static struct sim_site *add_site(struct sim_finding *finding, const char *what) {
    struct sim_site *site;

    if (finding->site_count == SIM_ARRAY_COUNT(finding->sites)) {
        return NULL;
    }
    site = &finding->sites[finding->site_count++];
    memset(site, 0, sizeof(*site));
    site->what = what;
    return site;
}

void vrf_find_site(struct vrf_world *verifier, struct sim_finding *finding, const char *what,
                   const struct sim_kept_site *from) {
    struct sim_site *site =
        from->time_ns != 0 || from->path_level != 0 ? add_site(finding, what) : NULL;

    if (site != NULL) {
        sim_site_expand(verifier->world, from, what, site);
        krn_site_begin_with_driver(verifier->world, site);
    }
}

void vrf_find_work_site(struct vrf_world *verifier, struct sim_finding *finding, const char *what,
                        const struct vrf_work *work) {
    struct sim_site *site = add_site(finding, what);

    if (site != NULL) {
        sim_site_expand(verifier->world, &work->site, what, site);
    }
}

bool vrf_find(struct vrf_world *verifier, struct sim_finding *finding) {
    const struct vrf_begun *begun = &verifier->begun;

    if (finding->verdict == SIM_VERDICT_RULE &&
        (finding->severity == SIM_SEVERITY_WARN || sim_world_config(verifier->world)->keep_going)) {
        vrf_excuse_others(begun->shadow, (enum vrf_rule_number)begun->rule,
                          (enum vrf_bound)begun->side);
    }
    sim_find(verifier->world, finding);
    return finding->severity == SIM_SEVERITY_ERROR;
}

void vrf_find_here(struct vrf_world *verifier, struct sim_finding *finding, const char *what) {
    uint32_t count = finding->site_count;

    sim_finding_site_here(finding, what);
    if (finding->site_count > count) {
        krn_site_begin_with_driver(verifier->world, &finding->sites[count]);
    }
    (void)vrf_find(verifier, finding);
}

const char *vrf_name(struct vrf_shadow *shadow, char *text, size_t size) {
    return sim_object_name(vrf_subject(shadow), text, size);
}

const char *vrf_request_text(const struct vrf_request *request, char *text, size_t size) {
    char name[SIM_NAME_BYTES];

    snprintf(text, size, "%s of %s (request %u)", vrf_functions[request->function].name,
             vrf_name(request->shadow, name, sizeof(name)), request->serial);
    return text;
}

const char *vrf_work_text(const struct vrf_work *work, char *text, size_t size) {
    char name[SIM_NAME_BYTES];

    snprintf(text, size, "%s of %s (request %u)", vrf_functions[work->function].name,
             vrf_name(work->queue->owner, name, sizeof(name)), work->serial);
    return text;
}

const char *vrf_time_text(uint64_t time_ns, char *text, size_t size) {
    snprintf(text, size, "%llu.%06llu ms", (unsigned long long)(time_ns / SIM_NS_PER_MS),
             (unsigned long long)(time_ns % SIM_NS_PER_MS));
    return text;
}
