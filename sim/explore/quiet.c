/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quiet chooser: nothing is disturbed. Planned draws are not its business.
 */
#include <stdlib.h>

#include <sim/choice.h>

static void begin(struct sim_chooser *chooser, uint64_t seed) {
    (void)chooser;
    (void)seed;
}

static uint32_t choose(struct sim_chooser *chooser, struct sim_world *world,
                       const struct sim_choice *choice, const struct sim_choice_key *key) {
    (void)chooser;
    (void)world;
    (void)choice;
    (void)key;
    return 0;
}

static void end(struct sim_chooser *chooser) {
    (void)chooser;
}

static void destroy(struct sim_chooser *chooser) {
    free(chooser);
}

struct sim_chooser *sim_chooser_quiet_create(void) {
    struct sim_chooser *chooser = calloc(1, sizeof(*chooser));

    SIM_ASSERT(chooser != NULL);
    *chooser = (struct sim_chooser){
        .name = "quiet", .begin = begin, .choose = choose, .end = end, .destroy = destroy};
    return chooser;
}
