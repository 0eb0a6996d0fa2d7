/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs that a campaign of a strategy with a focus begins with. Every step for which there is a
 * choice is looked at: which actor makes how many about which object, what is touched on whose
 * behalf. The first one is quiet. There, who goes when all others wait is not seen; so in the
 * second one all that can go on take turns.
 */
#include "profile.h"

#include "actors.h"
#include "hashset.h"
#include "note.h"

struct profile {
    struct sim_strategy strategy;
    struct sim_note_share shares[SIM_NOTE_SHARE_MAX];
    struct sim_note_pair pairs[SIM_NOTE_PAIR_MAX];
    uint32_t share_count;
    uint32_t pair_count;
    struct sim_hashmap share_places; /* by hash of (object, actor): place + 1 */
    struct sim_hashset pairs_seen;
    struct sim_actors actors;
    bool takes_turns;
    uint64_t turn;
};

static struct profile *of(struct sim_strategy *strategy) {
    return SIM_CONTAINER_OF(strategy, struct profile, strategy);
}

static void plan(struct sim_strategy *strategy, const struct sim_plan *plan) {
    struct profile *profile = of(strategy);

    sim_actors_begin(&profile->actors);
    profile->takes_turns = plan->index != 0;
    profile->turn = 0;
    profile->share_count = 0;
    profile->pair_count = 0;
    sim_hashmap_empty(&profile->share_places);
    sim_hashset_empty(&profile->pairs_seen);
}

static uint64_t name_of(const struct sim_world *world, uint32_t id) {
    const struct sim_object *object = sim_object_by_id(world, id);

    return object != NULL ? object->name_hash : 0;
}

static void count_step(struct profile *profile, uint64_t object, uint64_t actor) {
    uint64_t *place = sim_hashmap_at(&profile->share_places, sim_hash_mix(object, actor));

    if (*place == 0) {
        if (profile->share_count == SIM_NOTE_SHARE_MAX) {
            return;
        }
        profile->shares[profile->share_count++] =
            (struct sim_note_share){.object_hash = object, .actor_hash = actor};
        *place = profile->share_count;
    }
    profile->shares[*place - 1].count++;
}

static void count_touch(struct profile *profile, uint64_t touched, uint64_t object) {
    if (profile->pair_count < SIM_NOTE_PAIR_MAX &&
        sim_hashset_add(&profile->pairs_seen, sim_hash_mix(touched, object))) {
        profile->pairs[profile->pair_count++] =
            (struct sim_note_pair){.touched_hash = touched, .object_hash = object};
    }
}

/* Whose last turn is the longest ago; events in their time. */
static uint32_t next_in_turn(struct profile *profile, const struct sim_world *world,
                             const struct sim_choice *choice) {
    struct sim_actor *actor;
    uint64_t least = UINT64_MAX;
    uint32_t chosen = 0;

    for (uint32_t i = 0; i < choice->option_count; i++) {
        actor = sim_actors_of(&profile->actors, world, &choice->options[i], NULL);
        if (choice->options[i].wait_ns == 0 && actor->clock < least) {
            least = actor->clock;
            chosen = i;
        }
    }
    actor = sim_actors_of(&profile->actors, world, &choice->options[chosen], NULL);
    actor->clock = ++profile->turn;
    return chosen;
}

static uint32_t step(struct sim_strategy *strategy, struct sim_world *world,
                     const struct sim_choice *choice, uint64_t draw) {
    struct profile *profile = of(strategy);
    uint32_t chosen = profile->takes_turns ? next_in_turn(profile, world, choice) : 0;
    const struct sim_option *own = &choice->options[chosen];
    uint64_t touched = name_of(world, own->object_id);
    uint64_t object = own->subject_id != 0 ? name_of(world, own->subject_id) : touched;

    (void)draw;
    if (object != 0 && own->actor_id != 0) {
        count_step(profile, object, name_of(world, own->actor_id));
    }
    if (touched != 0 && own->subject_id != 0 && touched != object) {
        count_touch(profile, touched, object);
    }
    return chosen;
}

static uint32_t other(struct sim_strategy *strategy, struct sim_world *world,
                      const struct sim_choice *choice, uint64_t draw) {
    (void)strategy;
    (void)world;
    (void)choice;
    (void)draw;
    return 0;
}

static void fill(struct sim_strategy *strategy, struct sim_world *world,
                 struct sim_note_head *head) {
    struct profile *profile = of(strategy);

    (void)world;
    head->share_count = profile->share_count;
    head->pair_count = profile->pair_count;
    memcpy(sim_note_shares(head), profile->shares,
           profile->share_count * sizeof(profile->shares[0]));
    memcpy(sim_note_pairs(head), profile->pairs, profile->pair_count * sizeof(profile->pairs[0]));
}

static void release(struct sim_strategy *strategy) {
    sim_hashmap_free(&of(strategy)->share_places);
    sim_hashset_free(&of(strategy)->pairs_seen);
    sim_actors_free(&of(strategy)->actors);
}

struct sim_strategy *sim_profile_create(void) {
    struct profile *profile = sim_strategy_alloc(sizeof(*profile));

    profile->strategy.plan = plan;
    profile->strategy.step = step;
    profile->strategy.other = other;
    profile->strategy.fill = fill;
    profile->strategy.release = release;
    sim_strategy_adopt(&profile->strategy, "quiet", 0);
    return &profile->strategy;
}
