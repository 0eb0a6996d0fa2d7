/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include "world.h"

static struct sim_object *birth(struct sim_world *world, struct sim_object *owner,
                                const char *label, enum sim_object_naming naming) {
    struct sim_object *object = sim_alloc(world, sizeof(*object));

    sim_object_init(world, object, owner, label, naming);
    return object;
}

static void assert_name(const struct sim_object *object, const char *expected) {
    char name[SIM_NAME_BYTES];

    assert_string_equal(sim_object_name(object, name, sizeof(name)), expected);
    assert_true(object->name_hash == sim_hash_text(expected));
}

static void names_are_owner_label_and_number(void **state) {
    struct sim_world *world = *state;
    struct sim_object *host = birth(world, NULL, "host", SIM_NAME_PLAIN);
    struct sim_object *init = birth(world, NULL, "init", SIM_NAME_PLAIN);
    struct sim_object *cpu = birth(world, host, "cpu", SIM_NAME_NUMBERED);
    struct sim_object *qp = NULL;

    assert_name(host, "host");
    assert_name(cpu, "host.cpu0");
    assert_name(birth(world, host, "cpu", SIM_NAME_NUMBERED), "host.cpu1");
    for (uint32_t i = 0; i <= 1234; i++) {
        qp = birth(world, init, "qp", SIM_NAME_INDEXED);
    }
    assert_name(qp, "init.qp[1234]");
    assert_name(birth(world, qp, "send", SIM_NAME_INDEXED), "init.qp[1234].send[0]");
    assert_name(birth(world, NULL, "port", SIM_NAME_INDEXED), "port[0]");
    assert_name(birth(world, NULL, "port", SIM_NAME_INDEXED), "port[1]");
    assert_name(birth(world, init, "Count", SIM_NAME_USUAL), "init.Count");
    assert_name(birth(world, init, "Count", SIM_NAME_USUAL), "init.Count[1]");
}

static void a_birth_elsewhere_moves_no_number(void **state) {
    struct sim_world *world = *state;
    struct sim_object *first = birth(world, NULL, "first", SIM_NAME_PLAIN);
    struct sim_object *second = birth(world, NULL, "second", SIM_NAME_PLAIN);

    birth(world, first, "qp", SIM_NAME_INDEXED);
    birth(world, second, "cq", SIM_NAME_INDEXED);
    assert_name(birth(world, second, "qp", SIM_NAME_INDEXED), "second.qp[0]");
    assert_name(birth(world, first, "qp", SIM_NAME_INDEXED), "first.qp[1]");
}

static void ids_are_serial_and_find_their_objects(void **state) {
    struct sim_world *world = *state;
    struct sim_object *objects[300];

    for (uint32_t i = 0; i < 300; i++) {
        objects[i] = birth(world, NULL, "thing", SIM_NAME_INDEXED);
        assert_int_equal(objects[i]->id, i + 1);
    }
    for (uint32_t i = 0; i < 300; i++) {
        assert_ptr_equal(sim_object_by_id(world, i + 1), objects[i]);
    }
    assert_null(sim_object_by_id(world, 0));
    assert_null(sim_object_by_id(world, 301));
    assert_int_equal(sim_object_count(world), 300);
}

static void unseen_objects_take_no_number_and_no_id(void **state) {
    struct sim_world *world = *state;
    struct sim_object *owner = birth(world, NULL, "init", SIM_NAME_PLAIN);
    struct sim_object shadow;

    sim_object_init_unseen(&shadow, owner, "qp", 4);
    assert_int_equal(shadow.id, 0);
    assert_name(&shadow, "init.qp[4]");
    assert_name(birth(world, owner, "qp", SIM_NAME_INDEXED), "init.qp[0]");
    assert_int_equal(sim_object_count(world), 2);
}

static void long_names_are_cut_and_none_is_a_dash(void **state) {
    struct sim_world *world = *state;
    struct sim_object *object = NULL;
    char name[10];

    for (uint32_t i = 0; i < 20; i++) {
        object = birth(world, object, "node", SIM_NAME_INDEXED);
    }
    assert_string_equal(sim_object_name(object, name, sizeof(name)), "node[0].n");
    assert_string_equal(sim_object_name(object, name, 1), "");
    assert_string_equal(sim_object_name(NULL, name, sizeof(name)), "-");
}

static void patterns_match_whole_names(void **state) {
    struct sim_world *world = *state;
    struct sim_object *init = birth(world, NULL, "init", SIM_NAME_PLAIN);
    struct sim_object *qp = birth(world, init, "qp", SIM_NAME_INDEXED);
    struct sim_object *send = birth(world, qp, "send", SIM_NAME_INDEXED);

    assert_true(sim_object_matches(qp, "init.qp[0]"));
    assert_false(sim_object_matches(qp, "init.qp"));
    assert_true(sim_object_matches(qp, "*"));
    assert_true(sim_object_matches(qp, "init.*"));
    assert_true(sim_object_matches(qp, "*.qp[*]"));
    assert_false(sim_object_matches(qp, "*.cq[*]"));
    assert_true(sim_object_matches(send, "init.*.send[*]"));
    assert_true(sim_object_matches(send, "i*t*qp*[0]*"));
    assert_false(sim_object_matches(send, "*.qp[0]"));
    assert_false(sim_object_matches(init, ""));
    assert_true(sim_text_matches("", "**"));
    assert_true(sim_text_matches("aaab", "*ab"));
    assert_false(sim_text_matches("aaab", "*a"));
}

static void births_begin_anew_after_a_reset(void **state) {
    struct sim_world *world = *state;
    struct sim_object *init = birth(world, NULL, "init", SIM_NAME_PLAIN);

    birth(world, init, "qp", SIM_NAME_INDEXED);
    sim_world_snapshot(world);
    for (uint32_t run = 0; run < 3; run++) {
        for (uint32_t i = 0; i < 500; i++) {
            struct sim_object *qp = birth(world, init, "qp", SIM_NAME_INDEXED);

            assert_int_equal(qp->index, i + 1);
            assert_int_equal(qp->id, i + 3);
        }
        reset_with_seed(world, run);
    }
}

static void kept_text_is_a_copy(void **state) {
    char text[] = "label";
    const char *kept = sim_text_keep(*state, text);

    text[0] = 'x';
    assert_string_equal(kept, "label");
    assert_int_equal(sim_region_of(*state, kept), SIM_REGION_PRIVATE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(names_are_owner_label_and_number),
        WORLD_TEST(a_birth_elsewhere_moves_no_number),
        WORLD_TEST(ids_are_serial_and_find_their_objects),
        WORLD_TEST(unseen_objects_take_no_number_and_no_id),
        WORLD_TEST(long_names_are_cut_and_none_is_a_dash),
        WORLD_TEST(patterns_match_whole_names),
        WORLD_TEST(births_begin_anew_after_a_reset),
        WORLD_TEST(kept_text_is_a_copy),
    };

    return cmocka_run_group_tests_name("object", tests, NULL, NULL);
}
