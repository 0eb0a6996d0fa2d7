/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include "record_types.h"
#include "world.h"

#define TYPE (SIM_TRACE_NET + 1)

static const char *const net_names[] = {"frame.send", "frame.drop", "frame.deliver"};

static struct sim_object *birth(struct sim_world *world, const char *label) {
    struct sim_object *object = sim_alloc(world, sizeof(*object));

    sim_object_init(world, object, NULL, label, SIM_NAME_INDEXED);
    return object;
}

static uint32_t plain_record(struct sim_world *world, uint16_t type, struct sim_object *object,
                             uint64_t value) {
    return sim_trace(world, type, SIM_ACCESS_WRITE, object, NULL, NULL, value, 0);
}

static void every_field_of_a_record_moves_the_digest(void **state) {
    struct sim_world *world = *state;
    struct sim_object *a = birth(world, "a");
    struct sim_object *b = birth(world, "b");
    uint64_t digests[14];
    uint32_t count = 0;

    sim_world_snapshot(world);
    for (uint32_t i = 0; i < SIM_ARRAY_COUNT(digests); i++) {
        world->now_ns += i == 1;
        world->actor_id = i == 2 ? a->id : 0;
        world->actor_level = i == 3 ? 2 : UINT8_MAX;
        world->choice_count += i == 4;
        sim_cause_begin(world, i == 5 ? 1 : 0);
        sim_trace(world, i == 6 ? TYPE + 1 : TYPE, i == 7 ? SIM_ACCESS_READ : SIM_ACCESS_WRITE,
                  i == 8 ? b : a, i == 9 ? b : a, i == 10 ? b : a, i == 11 ? 9 : 8,
                  i == 12 ? 9 : 8);
        if (i == 13) {
            plain_record(world, TYPE, a, 0);
        }
        digests[count++] = sim_digest(world);
        reset_with_seed(world, 1);
        assert_true(sim_digest(world) == 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            assert_true(digests[i] != digests[j]);
        }
    }
}

static void a_digest_is_the_same_on_every_host(void **state) {
    struct sim_world *world = *state;
    struct sim_object *a = birth(world, "a");

    for (uint32_t i = 0; i < 100; i++) {
        world->now_ns += 1000 + i;
        sim_trace(world, (uint16_t)(TYPE + i % 3), SIM_ACCESS_READ, a, NULL, a, i * i, 7);
    }
    assert_true(sim_digest(world) == UINT64_C(0x53231E03D11F1A63));
}

static void records_carry_time_actor_objects_and_cause(void **state) {
    struct sim_world *world = *state;
    struct sim_object *a = birth(world, "a");
    const struct sim_record *record;
    uint32_t first;

    world->now_ns = 42;
    first = plain_record(world, TYPE, a, 5);
    assert_int_equal(first, 1);
    sim_cause_begin(world, first);
    assert_int_equal(sim_trace_cause(world), first);
    assert_int_equal(sim_trace(world, TYPE, SIM_ACCESS_NONE, NULL, a, NULL, 1, 2), 2);
    record = sim_trace_last(world, 0);
    assert_int_equal(record->time_ns, 42);
    assert_int_equal(record->cause, first);
    assert_int_equal(record->object_id[0], 0);
    assert_int_equal(record->object_id[1], a->id);
    assert_int_equal(record->value[1], 2);
    assert_int_equal(record->level, UINT8_MAX);
    assert_int_equal(sim_trace_count(world), 2);
}

static void on_delivery(struct sim_world *world, struct sim_event *event) {
    (void)world;
    (void)event;
}

static void an_event_remembers_the_record_that_led_to_it(void **state) {
    struct sim_world *world = *state;
    struct sim_event *event = sim_alloc(world, sizeof(*event));

    sim_event_init(event, "timer", NULL, on_delivery);
    plain_record(world, TYPE, NULL, 0);
    sim_cause_begin(world, 1);
    sim_event_schedule(world, event, 5);
    assert_int_equal(event->cause, 1);
    sim_event_cancel(world, event);
    plain_record(world, TYPE, NULL, 0);
    sim_event_schedule(world, event, 5);
    assert_int_equal(event->cause, 2);
}

static void the_ring_holds_the_last_records(void **state) {
    struct sim_world *world = *state;

    assert_null(sim_trace_last(world, 0));
    for (uint32_t i = 1; i <= SIM_TRACE_RING_COUNT + 100; i++) {
        plain_record(world, TYPE, NULL, i);
        assert_int_equal(sim_trace_last(world, 0)->value[0], i);
    }
    assert_int_equal(sim_trace_last(world, SIM_TRACE_RING_COUNT - 1)->value[0], 101);
    assert_null(sim_trace_last(world, SIM_TRACE_RING_COUNT));
}

static void after_a_reset_the_ring_shows_no_record_of_another_run(void **state) {
    struct sim_world *world = *state;

    for (uint32_t i = 1; i <= 100; i++) {
        plain_record(world, TYPE, NULL, i);
    }
    sim_world_snapshot(world);
    for (uint32_t run = 0; run < 3; run++) {
        for (uint32_t i = 0; i < 5000; i++) {
            plain_record(world, TYPE, NULL, 9999);
        }
        reset_with_seed(world, run);
        for (uint32_t back = 0; back < SIM_TRACE_RING_COUNT; back++) {
            const struct sim_record *record = sim_trace_last(world, back);

            assert_true(record == NULL || record->value[0] == 100 - back);
            assert_true(record != NULL || back >= 64);
        }
    }
}

struct counting_watch {
    struct sim_watch watch;
    uint32_t count;
    struct sim_event event;
};

static void count_record(struct sim_world *world, struct sim_watch *watch,
                         const struct sim_record *record) {
    struct counting_watch *counting = SIM_CONTAINER_OF(watch, struct counting_watch, watch);

    (void)record;
    if (counting->count++ == 0) {
        sim_event_init(&counting->event, "watch", NULL, on_delivery);
        sim_event_schedule(world, &counting->event, 10);
    }
}

static struct counting_watch *watch(struct sim_world *world, uint16_t type, const char *pattern) {
    struct counting_watch *counting = sim_alloc(world, sizeof(*counting));

    counting->watch.type = type;
    counting->watch.pattern = pattern;
    counting->watch.seen = count_record;
    sim_watch_add(world, &counting->watch);
    return counting;
}

static void watches_see_their_type_and_their_objects_only(void **state) {
    struct sim_world *world = *state;
    struct sim_object *a = birth(world, "a");
    struct sim_object *b = birth(world, "b");
    struct counting_watch *by_type = watch(world, TYPE, NULL);
    struct counting_watch *by_name = watch(world, TYPE, "b[*]");
    struct counting_watch *neighbour = watch(world, TYPE + SIM_WATCH_LIST_COUNT, NULL);
    struct counting_watch *all = watch(world, SIM_TRACE_TYPE_COUNT, NULL);
    struct counting_watch *all_of_a = watch(world, SIM_TRACE_TYPE_COUNT, "a[0]");

    plain_record(world, TYPE, a, 0);
    plain_record(world, TYPE, NULL, 0);
    sim_trace(world, TYPE, SIM_ACCESS_NONE, a, NULL, b, 0, 0);
    plain_record(world, TYPE + 1, b, 0);
    assert_int_equal(by_type->count, 3);
    assert_int_equal(by_name->count, 1);
    assert_int_equal(neighbour->count, 0);
    assert_int_equal(all->count, 4);
    assert_int_equal(all_of_a->count, 2);
    assert_int_equal(sim_event_count(world), 4);
}

struct text_sink {
    struct sim_sink sink;
    uint32_t record_count;
    char text[64];
};

static void sink_record(struct sim_sink *sink, struct sim_world *world,
                        const struct sim_record *record) {
    (void)world;
    (void)record;
    SIM_CONTAINER_OF(sink, struct text_sink, sink)->record_count++;
}

static void sink_text(struct sim_sink *sink, struct sim_world *world, struct sim_object *who,
                      const char *text) {
    (void)world;
    (void)who;
    snprintf(SIM_CONTAINER_OF(sink, struct text_sink, sink)->text, 64, "%s", text);
}

static void a_sink_sees_all_survives_resets_and_changes_nothing(void **state) {
    struct sim_world *world = *state;
    struct text_sink sink = {.sink = {.record = sink_record, .text = sink_text}};
    uint64_t digest;

    sim_world_snapshot(world);
    plain_record(world, TYPE, NULL, 3);
    digest = sim_digest(world);
    reset_with_seed(world, 1);
    sim_sink_set(world, &sink.sink);
    plain_record(world, TYPE, NULL, 3);
    sim_text(world, NULL, "hello");
    assert_true(digest == sim_digest(world));
    reset_with_seed(world, 1);
    plain_record(world, TYPE, NULL, 3);
    assert_int_equal(sink.record_count, 2);
    assert_string_equal(sink.text, "hello");
    sim_sink_set(world, NULL);
    sim_text(world, NULL, "nobody");
    assert_string_equal(sink.text, "hello");
}

static void names_have_stable_numbers(void **state) {
    struct sim_world *world = *state;
    uint16_t type;
    char name[32];

    sim_trace_register(world, SIM_TRACE_NET, net_names, SIM_ARRAY_COUNT(net_names));
    assert_int_equal(sim_trace_type_of(world, "frame.drop"), TYPE);
    assert_string_equal(sim_trace_type_name(world, TYPE), "frame.drop");
    assert_int_equal(sim_trace_type_of(world, "bus.read"), SIM_RECORD_BUS_READ);
    assert_string_equal(sim_trace_type_name(world, SIM_TRACE_NET + 3), "?");
    assert_string_equal(sim_trace_type_name(world, SIM_TRACE_DRIVER), "?");
    assert_false(sim_trace_type_find(world, "mine.0", &type));
    for (uint32_t i = 0; i < 300; i++) {
        snprintf(name, sizeof(name), "mine.%u", i);
        assert_int_equal(sim_trace_type_of(world, name), SIM_TRACE_DRIVER + i);
    }
    assert_int_equal(sim_trace_type_of(world, "mine.7"), SIM_TRACE_DRIVER + 7);
    assert_true(sim_trace_type_find(world, "mine.7", &type));
    assert_int_equal(type, SIM_TRACE_DRIVER + 7);
    assert_string_equal(sim_trace_type_name(world, SIM_TRACE_DRIVER + 299), "mine.299");
}

static void more_names_than_numbers_share_the_last(void **state) {
    struct sim_world *world = *state;
    uint16_t type = 0;
    char name[32];

    for (uint32_t i = 0; i < 600; i++) {
        snprintf(name, sizeof(name), "mine.%u", i);
        type = sim_trace_type_of(world, name);
        assert_true(type < SIM_TRACE_TYPE_COUNT);
    }
    assert_int_equal(type, SIM_TRACE_TYPE_COUNT - 1);
}

static void a_record_is_one_line_of_text(void **state) {
    struct sim_world *world = *state;
    struct sim_object *a = birth(world, "a");
    char line[128];

    sim_trace_register(world, SIM_TRACE_NET, net_names, SIM_ARRAY_COUNT(net_names));
    world->now_ns = UINT64_C(1204318000);
    world->actor_id = a->id;
    world->actor_level = 2;
    sim_trace(world, TYPE, SIM_ACCESS_WRITE, a, NULL, NULL, 17, 4);
    sim_record_format(world, sim_trace_last(world, 0), line, sizeof(line));
    assert_string_equal(line, "  1204.318000 a[0] L2 frame.drop a[0] write 17 4");
    sim_record_format(world, sim_trace_last(world, 0), line, 12);
    assert_string_equal(line, "  1204.3180");
}

static const char *name_of(uint32_t status) {
    return status == 0x103 ? "STATUS_PENDING" : NULL;
}

static void statuses_are_shown_by_name(void **state) {
    struct sim_world *world = *state;
    char line[100];

    sim_trace_status_types(world, SIM_TRACE_DRIVER + 7, 2);
    sim_trace(world, SIM_TRACE_DRIVER + 7, SIM_ACCESS_NONE, NULL, NULL, NULL, 0x103, 1);
    sim_record_format(world, sim_trace_last(world, 0), line, sizeof(line));
    assert_non_null(strstr(line, " 0x00000103 1"));
    sim_trace_status_namer(world, name_of);
    sim_record_format(world, sim_trace_last(world, 0), line, sizeof(line));
    assert_non_null(strstr(line, " STATUS_PENDING 1"));
    sim_trace(world, SIM_TRACE_DRIVER + 8, SIM_ACCESS_NONE, NULL, NULL, NULL, 0xC0000001, 0);
    sim_record_format(world, sim_trace_last(world, 0), line, sizeof(line));
    assert_non_null(strstr(line, " 0xC0000001 0"));
    sim_trace(world, SIM_TRACE_DRIVER + 9, SIM_ACCESS_NONE, NULL, NULL, NULL, 0x103, 1);
    sim_record_format(world, sim_trace_last(world, 0), line, sizeof(line));
    assert_non_null(strstr(line, " 259 1"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(every_field_of_a_record_moves_the_digest),
        WORLD_TEST(a_digest_is_the_same_on_every_host),
        WORLD_TEST(records_carry_time_actor_objects_and_cause),
        WORLD_TEST(statuses_are_shown_by_name),
        WORLD_TEST(an_event_remembers_the_record_that_led_to_it),
        WORLD_TEST(the_ring_holds_the_last_records),
        WORLD_TEST(after_a_reset_the_ring_shows_no_record_of_another_run),
        WORLD_TEST(watches_see_their_type_and_their_objects_only),
        WORLD_TEST(a_sink_sees_all_survives_resets_and_changes_nothing),
        WORLD_TEST(names_have_stable_numbers),
        WORLD_TEST(more_names_than_numbers_share_the_last),
        WORLD_TEST(a_record_is_one_line_of_text),
    };

    return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
