/* SPDX-License-Identifier: Apache-2.0 */
/* See signature.h. */
#include "run/signature.h"

#include <krn/driver.h>
#include <sim/host.h>
#include <string.h>

#define FUNCTION_BYTES 96u

/* "consumer init" is init's. */
bool scn_is_guilty(const struct sim_finding *finding, const struct krn_driver *driver) {
    const char *space = strchr(finding->guilty, ' ');

    return space == NULL || strcmp(space + 1, krn_driver_name(driver)) == 0;
}

static uint64_t site_hash(const struct sim_world *world, const struct sim_finding *finding,
                          const struct sim_site *site) {
    char function[FUNCTION_BYTES];

    for (uint32_t i = 0; i < site->frame_count; i++) {
        uintptr_t code = site->frames[i] - 1;
        struct krn_driver *driver = krn_driver_of_code(world, (const void *)code);

        if (driver == NULL || !scn_is_guilty(finding, driver))
            continue;
        sim_host_function(code, function, sizeof(function));
        return sim_hash_mix(sim_hash_text(site->what), sim_hash_text(function));
    }
    return 0;
}

uint64_t scn_signature(const struct sim_world *world, const struct sim_finding *finding) {
    uint64_t hash = finding->signature;

    if (finding->site_count > 0)
        krn_images_readable(); /* of drivers that are unloaded, too */
    for (uint32_t i = 0; i < finding->site_count; i++)
        hash = sim_hash_mix(hash, site_hash(world, finding, &finding->sites[i]));
    return hash;
}

uint64_t scn_signature_of_text(const char *text) {
    uint64_t hash = 0;

    for (; *text != '\0'; text++)
        if (*text < '0' || *text > '9')
            hash = sim_hash_mix(hash, (unsigned char)*text);
    return hash;
}
