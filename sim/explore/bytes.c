/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a fuzzer as choices. Pairs: how many choices to let pass (below 128: as many; above:
 * 128 times as many as is beyond), then which of the other options is taken. Quiet once they are
 * used up, so that no bytes at all are the quiet run, and more bytes only change what comes later.
 */
#include <stdlib.h>

#include <sim/choice.h>

#define FAR 128u

struct bytes_chooser {
    struct sim_chooser chooser;
    const unsigned char *bytes;
    size_t count;
    size_t at;    /* of the next pair */
    uint64_t gap; /* choices to let pass before its option */
    bool has_pair;
};

static struct bytes_chooser *of(struct sim_chooser *chooser) {
    return SIM_CONTAINER_OF(chooser, struct bytes_chooser, chooser);
}

static void next_pair(struct bytes_chooser *bytes) {
    bytes->has_pair = bytes->count - bytes->at >= 2;
    if (bytes->has_pair) {
        uint64_t gap = bytes->bytes[bytes->at];

        bytes->gap = gap < FAR ? gap : (gap - FAR + 1) * FAR;
    }
}

static void begin(struct sim_chooser *chooser, uint64_t seed) {
    struct bytes_chooser *bytes = of(chooser);

    (void)seed;
    bytes->at = 0;
    next_pair(bytes);
}

static uint32_t choose(struct sim_chooser *chooser, struct sim_world *world,
                       const struct sim_choice *choice, const struct sim_choice_key *key) {
    struct bytes_chooser *bytes = of(chooser);
    uint32_t taken;

    (void)world;
    (void)key;
    if (!bytes->has_pair) {
        return 0;
    }
    if (bytes->gap != 0) {
        bytes->gap--;
        return 0;
    }
    taken = 1 + bytes->bytes[bytes->at + 1] % (choice->option_count - 1);
    bytes->at += 2;
    next_pair(bytes);
    return taken;
}

static bool goes_on(struct sim_chooser *chooser, const struct sim_world *world,
                    const struct sim_choice_key *key, const struct sim_option *own) {
    struct bytes_chooser *bytes = of(chooser);

    (void)world;
    (void)key;
    (void)own;
    if (!bytes->has_pair) {
        return true;
    }
    if (bytes->gap == 0) {
        return false;
    }
    bytes->gap--;
    return true;
}

static void destroy(struct sim_chooser *chooser) {
    free(of(chooser));
}

struct sim_chooser *sim_chooser_bytes_create(void) {
    struct bytes_chooser *bytes = calloc(1, sizeof(*bytes));

    SIM_ASSERT(bytes != NULL);
    bytes->chooser = (struct sim_chooser){
        .name = "bytes", .begin = begin, .choose = choose, .destroy = destroy, .goes_on = goes_on};
    return &bytes->chooser;
}

void sim_chooser_bytes_set(struct sim_chooser *chooser, const void *bytes, size_t count) {
    of(chooser)->bytes = bytes;
    of(chooser)->count = count;
}
