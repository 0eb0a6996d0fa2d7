/* SPDX-License-Identifier: Apache-2.0 */
/* See establish.h. What one side was told is compared with what the other side did. */
#include "establish.h"

#include <string.h>

#include "find.h"
#include "judge.h"

/* A socket address without its length: family, port, then IPv4 at 4 or IPv6 at 8. */
static size_t ip_of(const uint8_t *address, size_t *bytes) {
    uint16_t family;

    memcpy(&family, address, sizeof(family));
    *bytes = family == AF_INET6 ? 16 : 4;
    return family == AF_INET6 ? 8 : 4;
}

bool vrf_address_reaches(const uint8_t *destination, const uint8_t *listening) {
    static const uint8_t any[16];
    size_t bytes;
    size_t at = ip_of(listening, &bytes);

    if (memcmp(destination, listening, 4) != 0) {
        return false;
    }
    return memcmp(listening + at, any, bytes) == 0 ||
           memcmp(listening + at, destination + at, bytes) == 0;
}

static bool has_port(const uint8_t *address) {
    return address[2] != 0 || address[3] != 0;
}

/* ---- R-EP-05 ---- */

/* A close that is still in its call may have been answered already. */
static bool is_surely_open(const struct vrf_shadow *shadow) {
    return shadow->phase == VRF_OPEN || (shadow->phase == VRF_CLOSING && shadow->closing != NULL &&
                                         !shadow->closing->is_in_call);
}

static bool is_same_address(const struct vrf_shadow *one, const struct vrf_shadow *other) {
    const uint8_t *a = one->part.listener.address;
    const uint8_t *b = other->part.listener.address;

    return one->adapter->part.adapter.adapter == other->adapter->part.adapter.adapter &&
           has_port(a) && (vrf_address_reaches(a, b) || vrf_address_reaches(b, a));
}

static void judge_listening(struct vrf_world *verifier, struct vrf_request *request) {
    struct vrf_shadow *listener = request->shadow;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];
    char old_name[SIM_NAME_BYTES];
    char name[SIM_NAME_BYTES];

    for (struct vrf_shadow *holder = verifier->shadow_first; holder != NULL;
         holder = holder->next) {
        struct vrf_shadow *old = holder->relied[0];

        if (holder->type != NdkObjectTypeConnector || !holder->part.connector.is_accepted ||
            old == NULL || old == listener || old->type != NdkObjectTypeListener ||
            !is_surely_open(holder) || !is_same_address(listener, old) ||
            !vrf_find_begin(verifier, &finding, VRF_RULE_EP_05, listener)) {
            continue;
        }
        sim_finding_say(&finding,
                        "%s succeeded on the address of %s, over which %s, still open, "
                        "was accepted",
                        vrf_request_text(request, text, sizeof(text)),
                        vrf_name(old, old_name, sizeof(old_name)),
                        vrf_name(holder, name, sizeof(name)));
        sim_finding_object(&finding, vrf_subject(old));
        sim_finding_object(&finding, vrf_subject(holder));
        vrf_find_site(verifier, &finding, "accepted", &request->site);
        vrf_find_here(verifier, &finding, "now");
        return;
    }
}

/* ---- R-OWN-17 ---- */

/* Whether anybody we know has ever listened there, and whether one has accepted since `since_ns`.
 */
static bool was_listening(const struct vrf_world *verifier, const uint8_t *destination,
                          uint64_t since_ns, bool *was_accepted) {
    bool was_there = false;

    *was_accepted = false;
    for (const struct vrf_shadow *shadow = verifier->shadow_first; shadow != NULL;
         shadow = shadow->next) {
        const struct vrf_shadow *listener =
            shadow->type == NdkObjectTypeConnector ? shadow->relied[0] : shadow;

        if (listener == NULL || listener->type != NdkObjectTypeListener ||
            !vrf_address_reaches(destination, listener->part.listener.address)) {
            continue;
        }
        was_there = true;
        if (shadow != listener && shadow->part.connector.accept_called_ns >= since_ns) {
            *was_accepted = true;
        }
    }
    return was_there;
}

static void judge_connected(struct vrf_world *verifier, struct vrf_request *request) {
    const uint8_t *destination = request->shadow->part.connector.address;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];
    bool was_accepted;

    if (!was_listening(verifier, destination, request->site.time_ns, &was_accepted) ||
        was_accepted || !vrf_find_begin(verifier, &finding, VRF_RULE_OWN_17, request->shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s succeeded, but nobody has accepted since it was asked for",
                    vrf_request_text(request, text, sizeof(text)));
    vrf_find_site(verifier, &finding, "accepted", &request->site);
    vrf_find_here(verifier, &finding, "now");
}

void vrf_judge_established(struct vrf_world *verifier, struct vrf_request *request) {
    switch (request->function) {
    case VRF_FN_LISTEN:
        judge_listening(verifier, request);
        break;
    case VRF_FN_CONNECT:
    case VRF_FN_CONNECT_WITH_SHARED_ENDPOINT:
        judge_connected(verifier, request);
        break;
    default:
        break;
    }
}
