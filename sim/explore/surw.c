/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Focus: an order of the steps about one object, all orders being about equally likely (as in
 * SURW). The actor of the next such step is drawn by how many it has left; an actor that comes to
 * such a step before its turn is held there, while all others go on as in a quiet run, until the
 * drawn one has made its step, nobody else can go on, or the run's patience is over.
 */
#include "focus.h"
#include "pick.h"
#include "strategy.h"

#include <sim/run.h>

#define ACTOR_MAX SIM_KNOWN_SHARE_MAX
#define OPTION_MAX 128u
#define STRAY_PPM 200u             /* a step that is not about the object goes to another actor */
#define STRAY_PPM_UNFOCUSED 20000u /* without an object, on average */

struct surw {
    struct sim_strategy strategy;
    struct sim_focus focus;
    /* Of this run: */
    struct share {
        uint64_t actor; /* name hash */
        uint32_t left;  /* steps about the object, as far as known */
        uint32_t made;
    } shares[ACTOR_MAX];
    uint32_t share_count;
    uint64_t drawn; /* whose turn it is; 0: to be drawn */
    uint32_t draws;
    uint32_t stray_ppm;
    uint64_t patience_ns;
    uint64_t held_since_ns; /* SIM_TIME_NEVER: nobody is held */
};

static struct surw *of(struct sim_strategy *strategy) {
    return SIM_CONTAINER_OF(strategy, struct surw, strategy);
}

static void plan(struct sim_strategy *strategy, const struct sim_plan *plan) {
    struct surw *surw = of(strategy);
    const struct sim_known_object *object;

    sim_focus_plan(&surw->focus, plan);
    object = sim_knowledge_object(plan->knowledge, surw->focus.target);
    surw->share_count = 0;
    for (uint32_t i = 0; object != NULL && i < object->share_count; i++) {
        surw->shares[surw->share_count++] =
            (struct share){.actor = object->shares[i].actor_hash, .left = object->shares[i].count};
    }
    surw->drawn = 0;
    surw->draws = 0;
    surw->held_since_ns = SIM_TIME_NEVER;
    surw->patience_ns = SIM_NS_PER_US << sim_draw_below(sim_hash_mix(plan->hash, 7), 13);
    surw->stray_ppm = surw->focus.target != 0
                          ? STRAY_PPM
                          : sim_draw_spread(plan->hash, STRAY_PPM_UNFOCUSED, 4, 500000);
}

static uint64_t name_of(const struct sim_world *world, const struct sim_option *option) {
    const struct sim_object *actor = sim_object_by_id(world, sim_actor_id(option));

    return actor != NULL ? actor->name_hash : 0;
}

/* An actor's share, made when it is not known; NULL when there are too many. */
static struct share *share_of(struct surw *surw, uint64_t actor) {
    for (uint32_t i = 0; i < surw->share_count; i++) {
        if (surw->shares[i].actor == actor) {
            return &surw->shares[i];
        }
    }
    if (surw->share_count == ACTOR_MAX) {
        return NULL;
    }
    surw->shares[surw->share_count] = (struct share){.actor = actor, .left = 1};
    return &surw->shares[surw->share_count++];
}

static void draw_turn(struct surw *surw) {
    uint32_t weights[ACTOR_MAX];
    uint64_t sum = 0;

    for (uint32_t i = 0; i < surw->share_count; i++) {
        weights[i] = surw->shares[i].left;
        sum += weights[i];
    }
    if (sum != 0) {
        uint64_t draw = sim_hash_mix(sim_hash_mix(surw->strategy.hash, 11), ++surw->draws);

        surw->drawn = surw->shares[sim_draw_weighted(draw, weights, surw->share_count, sum)].actor;
    }
}

/* A step about the object is made. */
static void count_step(struct surw *surw, uint64_t actor) {
    struct share *share = share_of(surw, actor);

    surw->focus.step_count++;
    surw->held_since_ns = SIM_TIME_NEVER;
    surw->drawn = 0;
    if (share != NULL) {
        share->made++;
        share->left -= share->left != 0;
    }
}

/*
 * The first option that is not held; events last, those beyond the patience not at all. Without
 * any: whoever is held, by lot.
 */
static uint32_t first_free(struct surw *surw, const struct sim_world *world,
                           const struct sim_choice *choice, uint64_t draw, bool *is_on) {
    uint32_t held[OPTION_MAX];
    uint32_t held_count = 0;
    uint64_t now_ns = sim_now_ns(world);
    uint64_t end_ns;

    SIM_ASSERT(choice->option_count <= OPTION_MAX);
    for (uint32_t i = 0; i < choice->option_count; i++) {
        const struct sim_option *option = &choice->options[i];

        *is_on = option->actor_id != 0 && sim_focus_is_on(&surw->focus, world, option);
        if (*is_on && share_of(surw, name_of(world, option)) != NULL && surw->drawn == 0) {
            draw_turn(surw);
        }
        if (*is_on && name_of(world, option) != surw->drawn) {
            held[held_count++] = i;
        }
    }
    if (held_count != 0 && surw->held_since_ns == SIM_TIME_NEVER) {
        surw->held_since_ns = now_ns;
    }
    end_ns = held_count != 0 ? surw->held_since_ns + surw->patience_ns : SIM_TIME_NEVER;
    for (uint32_t i = 0, at = 0; i < choice->option_count; i++) {
        const struct sim_option *option = &choice->options[i];

        if (at < held_count && held[at] == i) {
            at++;
        } else if (now_ns < end_ns && option->wait_ns <= end_ns - now_ns) {
            *is_on = option->actor_id != 0 && sim_focus_is_on(&surw->focus, world, option);
            return i;
        }
    }
    *is_on = true;
    return held[sim_draw_below(draw, held_count)];
}

static uint32_t step(struct sim_strategy *strategy, struct sim_world *world,
                     const struct sim_choice *choice, uint64_t draw) {
    struct surw *surw = of(strategy);
    bool is_on;
    uint32_t chosen;

    if (sim_draw_ppm(draw, surw->stray_ppm)) {
        return sim_draw_below(sim_hash_mix(draw, 1), choice->option_count);
    }
    chosen = first_free(surw, world, choice, draw, &is_on);
    if (is_on) {
        count_step(surw, name_of(world, &choice->options[chosen]));
    }
    return chosen;
}

static bool goes_on(struct sim_chooser *chooser, const struct sim_world *world,
                    const struct sim_choice_key *key, const struct sim_option *own) {
    struct surw *surw = SIM_CONTAINER_OF(chooser, struct surw, strategy.chooser);

    if (sim_draw_ppm(sim_hash_mix(surw->strategy.hash, sim_choice_key_hash(key)),
                     surw->stray_ppm)) {
        return false;
    }
    if (surw->held_since_ns != SIM_TIME_NEVER &&
        sim_now_ns(world) >= surw->held_since_ns + surw->patience_ns) {
        return false;
    }
    return !sim_focus_is_on(&surw->focus, world, own);
}

static void fill(struct sim_strategy *strategy, struct sim_world *world,
                 struct sim_note_head *head) {
    const struct surw *surw = of(strategy);
    struct sim_note_share *shares = sim_note_shares(head);

    (void)world;
    sim_focus_fill(&surw->focus, head);
    for (uint32_t i = 0; i < surw->share_count; i++) {
        if (surw->shares[i].made != 0) {
            shares[head->share_count++] =
                (struct sim_note_share){.object_hash = surw->focus.target,
                                        .actor_hash = surw->shares[i].actor,
                                        .count = surw->shares[i].made};
        }
    }
}

static void release(struct sim_strategy *strategy) {
    sim_focus_free(&of(strategy)->focus);
}

static struct sim_strategy *create(const struct sim_strategy_options *options) {
    struct surw *surw = sim_strategy_alloc(sizeof(*surw));

    sim_focus_init(&surw->focus, options->focus);
    surw->strategy.plan = plan;
    surw->strategy.step = step;
    surw->strategy.fill = fill;
    surw->strategy.release = release;
    surw->strategy.chooser.goes_on = goes_on;
    surw->strategy.wants_objects = true;
    return &surw->strategy;
}

const struct sim_strategy_kind sim_strategy_focus = {
    .about = {.name = "focus",
              .about = "A random order of the steps about one object that is created, connected, "
                       "disconnected or closed; else quiet."},
    .create = create,
};
