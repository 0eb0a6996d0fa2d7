/* SPDX-License-Identifier: Apache-2.0 */
/* Stories: what a chronicle keeps, records in words, decisions in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sim/memory.h>
#include <sim/object.h>
#include <sim/run.h>
#include <sim/trace.h>

#include "report/decision.h"
#include "report/words.h"

static const char *const kernel_names[] = {"lock.acquire", "pool.free"};
static const char *const ndk_names[] = {"ndk.close_qp", "ndk.close_qp.done", "ndk.call",
                                        "ndk.event.disconnect"};
enum { LOCK = SIM_TRACE_KERNEL, POOL_FREE };
enum { CLOSE_QP = SIM_TRACE_NDK, CLOSE_QP_DONE, CALL, DISCONNECT };

static struct sim_world *world;
static struct scn_chronicle *chronicle;

static struct sim_object *birth(struct sim_object *owner, const char *label) {
    struct sim_object *object = sim_alloc(world, sizeof(*object));

    sim_object_init(world, object, owner, label, owner == NULL ? SIM_NAME_PLAIN : SIM_NAME_INDEXED);
    return object;
}

static int setup(void **state) {
    const struct sim_config config = {0};

    (void)state;
    world = sim_world_create(&config);
    sim_trace_register(world, SIM_TRACE_KERNEL, kernel_names, 2);
    sim_trace_register(world, SIM_TRACE_NDK, ndk_names, 4);
    chronicle = scn_chronicle_create(8);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    scn_chronicle_destroy(chronicle);
    sim_world_destroy(world);
    return 0;
}

static uint32_t note(struct sim_object *actor, uint16_t type, struct sim_object *object,
                     uint64_t value0, uint64_t value1, uint32_t choice) {
    uint32_t sequence = sim_trace(world, type, SIM_ACCESS_NONE, object, NULL, NULL, value0, value1);
    struct sim_record record = *sim_trace_last(world, 0);

    record.actor_id = actor != NULL ? actor->id : 0;
    record.choice = choice;
    scn_chronicle_record(chronicle, world, &record);
    return sequence;
}

static const char *words_of_last(void) {
    static char text[SCN_WORDS_BYTES];

    return scn_record_words(world, sim_trace_last(world, 0), text, sizeof(text));
}

static void the_oldest_moments_make_room(void **state) {
    struct sim_object *lock = birth(birth(NULL, "driver"), "lock");
    uint32_t first = note(NULL, LOCK, lock, 0, 0, 0), last = first;

    (void)state;
    for (int i = 0; i < 20; i++)
        last = note(NULL, LOCK, lock, 0, 0, 0);
    assert_null(scn_chronicle_at(chronicle, first));
    assert_null(scn_chronicle_at(chronicle, last - 8));
    assert_int_equal(scn_chronicle_at(chronicle, last - 7)->record.sequence, last - 7);
    assert_null(scn_chronicle_at(chronicle, last + 1));
    scn_chronicle_clear(chronicle);
    assert_null(scn_chronicle_at(chronicle, last));
}

static void lines_are_kept_with_where_they_were_said(void **state) {
    struct sim_object *driver = birth(NULL, "driver");
    uint32_t at = note(NULL, LOCK, birth(driver, "lock"), 0, 0, 0);

    (void)state;
    scn_chronicle_text(chronicle, world, driver, "one");
    scn_chronicle_text(chronicle, world, driver, "two");
    assert_string_equal(scn_chronicle_saying(chronicle, 0)->text, "two");
    assert_string_equal(scn_chronicle_saying(chronicle, 1)->text, "one");
    assert_int_equal(scn_chronicle_saying(chronicle, 1)->sequence, at);
    assert_int_equal(scn_chronicle_saying(chronicle, 1)->who_id, driver->id);
    assert_null(scn_chronicle_saying(chronicle, 2));
}

static void calls_answers_and_events_have_words(void **state) {
    struct sim_object *qp = birth(birth(NULL, "init"), "qp");

    (void)state;
    note(NULL, CALL, qp, CLOSE_QP, 7, 0);
    assert_string_equal(words_of_last(), "NdkCloseQp of init.qp[0] is called");
    note(NULL, CLOSE_QP, qp, 0x103, 7, 0);
    assert_string_equal(words_of_last(), "NdkCloseQp init.qp[0] answers STATUS_PENDING");
    note(NULL, CLOSE_QP_DONE, qp, 0, 7, 0);
    assert_string_equal(words_of_last(), "NdkCloseQp init.qp[0] completes: STATUS_SUCCESS");
    note(NULL, DISCONNECT, qp, 0, 0, 0);
    assert_string_equal(words_of_last(), "disconnect event of init.qp[0]");
    note(NULL, POOL_FREE, qp, 12, 80, 0);
    assert_string_equal(words_of_last(), "pool#12 is freed, 80 bytes");
    note(NULL, sim_trace_type_of(world, "cm.rep"), qp, 0, 0, 0);
    assert_string_equal(words_of_last(), "CM REP of init.qp[0]");
    note(NULL, sim_trace_type_of(world, "my.event"), qp, 3, 4, 0);
    assert_string_equal(words_of_last(), "my.event init.qp[0] 3 4");
}

static void words_are_cut_to_their_buffer(void **state) {
    char text[12];

    (void)state;
    note(NULL, DISCONNECT, birth(NULL, "somebody"), 0, 0, 0);
    assert_string_equal(scn_record_words(world, sim_trace_last(world, 0), text, sizeof(text)),
                        "disconnect ");
}

static void a_decision_is_what_came_before_what(void **state) {
    struct sim_object *init = birth(NULL, "init"), *qp = birth(init, "qp");
    struct sim_object *one = birth(init, "one"), *two = birth(init, "two");
    const struct sim_deviation deviation = {.kind = SIM_CHOICE_STEP,
                                            .topic = "",
                                            .subject = "init.one[0]",
                                            .label = "init.two[0]",
                                            .ordinal = 3,
                                            .choice = 10};
    struct scn_decision *decisions;
    uint32_t shows;

    (void)state;
    note(one, CALL, qp, CLOSE_QP, 7, 9);
    note(two, LOCK, qp, 0, 0, 10);
    shows = note(two, DISCONNECT, qp, 0, 0, 10);
    note(one, CLOSE_QP, qp, 0x103, 7, 11);
    decisions = scn_decisions_tell(world, chronicle, &deviation, 1);
    assert_string_equal(decisions[0].words,
                        "init.two[0]: disconnect event of init.qp[0], before init.one[0]: "
                        "NdkCloseQp init.qp[0] answers STATUS_PENDING");
    assert_int_equal(decisions[0].sequence, shows);
    assert_string_equal(decisions[0].other, "");
    free(decisions);
}

static void whoever_does_nothing_more_goes_on_from_what_it_did(void **state) {
    struct sim_object *init = birth(NULL, "init"), *qp = birth(init, "qp");
    struct sim_object *one = birth(init, "one"), *two = birth(init, "two");
    const struct sim_deviation deviation = {.kind = SIM_CHOICE_STEP,
                                            .topic = "",
                                            .subject = "init.one[0]",
                                            .label = "init.two[0]",
                                            .choice = 10};
    struct scn_decision *decisions;

    (void)state;
    note(one, CALL, qp, CLOSE_QP, 7, 9);
    note(two, DISCONNECT, qp, 0, 0, 10);
    decisions = scn_decisions_tell(world, chronicle, &deviation, 1);
    assert_string_equal(decisions[0].words,
                        "init.two[0]: disconnect event of init.qp[0], before init.one[0] goes on "
                        "from \"NdkCloseQp of init.qp[0] is called\"");
    free(decisions);
}

static void other_kinds_say_what_they_chose(void **state) {
    const struct sim_deviation deviations[] = {
        {.kind = SIM_CHOICE_FAULT, .topic = "frame.drop", .subject = "a.port0", .label = "fire"},
        {.kind = SIM_CHOICE_DRIVER,
         .topic = "answer.close",
         .subject = "b.mr[1]",
         .label = "inline"},
        {.kind = SIM_CHOICE_SCENARIO, .topic = "order", .subject = "c", .label = "backwards"},
    };
    struct scn_decision *decisions = scn_decisions_tell(world, chronicle, deviations, 3);
    char text[128];

    (void)state;
    assert_string_equal(decisions[0].words, "the fault frame.drop acts on a.port0");
    assert_string_equal(decisions[1].words, "close of b.mr[1] is answered inline");
    assert_string_equal(decisions[2].words, "order of c is \"backwards\"");
    assert_string_equal(scn_deviation_text(&deviations[0], text, sizeof(text)),
                        "fault frame.drop of a.port0, number 0, takes \"fire\"");
    free(decisions);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_oldest_moments_make_room, setup, teardown),
        cmocka_unit_test_setup_teardown(lines_are_kept_with_where_they_were_said, setup, teardown),
        cmocka_unit_test_setup_teardown(calls_answers_and_events_have_words, setup, teardown),
        cmocka_unit_test_setup_teardown(words_are_cut_to_their_buffer, setup, teardown),
        cmocka_unit_test_setup_teardown(a_decision_is_what_came_before_what, setup, teardown),
        cmocka_unit_test_setup_teardown(whoever_does_nothing_more_goes_on_from_what_it_did, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(other_kinds_say_what_they_chose, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
