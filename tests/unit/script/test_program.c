/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/program.h"
#include "parse/schema.h"

static struct scn_diagnostics diagnostics;
static struct scn_scenario *scenario;

static const struct script_program *compile(const char *script) {
    static const char *const frame =
        "{\"nodes\": {\"client\": {\"adapters\": {\"nic0\": {\"interface_index\": 9, "
        "\"addresses\": "
        "[\"10.0.0.1/24\", \"fd00::1/64\"]}, \"nic1\": {\"addresses\": [\"10.0.1.1/24\"]}}, "
        "\"drivers\": [{\"as\": \"init\", \"load\": \"script\", \"script\": %s}]}, \"server\": "
        "{\"adapters\": {\"nic0\": {\"addresses\": [\"10.0.0.2/24\"]}}}}}";
    struct scn_document *document;
    char text[8192];

    scn_diagnostics_init(&diagnostics);
    assert_in_range(snprintf(text, sizeof(text), frame, script), 1, sizeof(text) - 1);
    document = scn_document_parse("case.json", text, strlen(text), &diagnostics);
    assert_non_null(document);
    scenario = scn_scenario_build(document, "case.json", &diagnostics);
    if (scenario == NULL) {
        assert_int_not_equal(diagnostics.count, 0);
        return NULL;
    }
    return scenario->drivers[scenario->driver_count - 1].program;
}

static int free_scenario(void **state) {
    (void)state;
    scn_scenario_free(scenario);
    scenario = NULL;
    return 0;
}

static const void *part(const struct script_program *program, uint32_t at) {
    return (const char *)program + at;
}

static const struct script_step *step_at(const struct script_program *program, uint32_t thread,
                                         uint32_t index) {
    const struct script_thread *threads = part(program, program->thread_at);
    const struct script_block *blocks = part(program, program->block_at);
    const struct script_step *steps = part(program, program->step_at);

    assert_in_range(index, 0, blocks[threads[thread].block].step_count - 1);
    return &steps[blocks[threads[thread].block].step_first + index];
}

static const struct script_arg *arg_of(const struct script_program *program,
                                       const struct script_step *step, uint32_t member) {
    const struct script_arg *args = part(program, program->arg_at);

    for (uint32_t i = 0; i < step->arg_count; i++)
        if (args[step->arg_first + i].member == member)
            return &args[step->arg_first + i];
    return NULL;
}

static const char *text_at(const struct script_program *program, uint64_t offset) {
    return (const char *)program + program->text_at + offset;
}

static const char *object_name(const struct script_program *program, uint64_t index) {
    const struct script_object *objects = part(program, program->object_at);

    return text_at(program, objects[index].name);
}

static void a_script_opens_the_first_adapter_by_itself(void **state) {
    const struct script_program *program = compile("{\"threads\": {\"main\": []}}");

    (void)state;
    assert_int_equal(program->magic, SCRIPT_MAGIC);
    assert_int_equal(program->bytes, scenario->drivers[scenario->driver_count - 1].program_bytes);
    assert_int_equal(program->interface_index, 9);
    assert_true(program->flags & SCRIPT_FLAG_OPENS);
    assert_true(program->flags & SCRIPT_FLAG_REGISTERS);
    assert_true(program->flags & SCRIPT_FLAG_CLEANS_AT_END);
    assert_string_equal(object_name(program, program->adapter), "adapter");
    assert_string_equal(text_at(program, program->node), "client");
}

static void another_adapter_has_the_index_that_the_kernel_gives_it(void **state) {
    const struct script_program *program =
        compile("{\"adapter\": \"nic1\", \"version\": \"1.2\", \"threads\": {\"main\": []}}");

    (void)state;
    assert_int_equal(program->interface_index, 1);
    assert_int_equal(program->version, 0x10002);
}

static void a_script_takes_the_newest_version_unless_it_says_one(void **state) {
    static const struct {
        const char *script;
        uint32_t version;
    } cases[] = {
        {"{\"threads\": {\"main\": []}}", SCRIPT_VERSION_OR_2 | 0x10000},
        {"{\"version\": \"1.2+\", \"threads\": {\"main\": []}}", SCRIPT_VERSION_OR_2 | 0x10002},
        {"{\"version\": \"2.0\", \"threads\": {\"main\": []}}", 0x20000},
    };

    for (size_t i = 0; i < SIM_ARRAY_COUNT(cases); i++) {
        assert_int_equal(compile(cases[i].script)->version, cases[i].version);
        free_scenario(state);
    }
}

static void wsk_steps_leave_all_of_it_to_the_script(void **state) {
    const struct script_program *program =
        compile("{\"threads\": {\"main\": [{\"wsk_register\": \"w\"}]}}");

    (void)state;
    assert_false(program->flags & (SCRIPT_FLAG_OPENS | SCRIPT_FLAG_REGISTERS));
    assert_int_equal(program->adapter, SCRIPT_NONE);
}

static void who_listens_cleans_up_when_it_is_unloaded(void **state) {
    const struct script_program *program =
        compile("{\"threads\": {\"main\": [{\"create_listener\": \"l\"}]}}");

    (void)state;
    assert_true(program->flags & SCRIPT_FLAG_CLEANS);
    assert_false(program->flags & SCRIPT_FLAG_CLEANS_AT_END);
}

static void what_is_left_out_is_the_first_of_its_kind(void **state) {
    const struct script_program *program =
        compile("{\"threads\": {\"main\": [{\"create_pd\": \"a\"}, {\"create_pd\": \"b\"}, "
                "{\"create_cq\": \"c\"}, {\"create_cq\": \"d\"}, {\"create_qp\": \"q\", "
                "\"receive_cq\": \"d\"}]}}");
    const struct script_step *step = step_at(program, 0, 4);

    (void)state;
    assert_int_equal(step->verb, SCRIPT_VERB_CREATE_QP);
    assert_string_equal(object_name(program, arg_of(program, step, SCRIPT_MEMBER_PD)->value), "a");
    assert_string_equal(object_name(program, arg_of(program, step, SCRIPT_MEMBER_CQ)->value), "c");
    assert_string_equal(
        object_name(program, arg_of(program, step, SCRIPT_MEMBER_RECEIVE_CQ)->value), "d");
    assert_string_equal(text_at(program, step->path), "threads.main[4]");
    assert_string_equal(text_at(program, step->place), "case.json:1");
}

static void an_sge_gets_the_token_of_what_covers_its_memory(void **state) {
    const struct script_program *program = compile(
        "{\"threads\": {\"main\": [{\"setup\": \"all\"}, {\"allocate\": \"m\"}, {\"create_mr\": "
        "\"r\"}, {\"register_mr\": \"r\", \"memory\": \"m\"}, {\"send\": \"qp\", \"memory\": "
        "\"m\"}]}}");
    const struct script_step *step = step_at(program, 0, 12);
    const struct script_arg *token = arg_of(program, step, SCRIPT_MEMBER_TOKEN);
    const struct script_arg *args = part(program, program->arg_at);

    (void)state;
    assert_int_equal(step->verb, SCRIPT_VERB_SEND);
    assert_int_equal(token->kind, SCRIPT_ARG_LIST);
    assert_int_equal(args[token->value].member, SCRIPT_ELEMENT_LOCAL);
    assert_string_equal(object_name(program, args[token->value].value), "r");
}

static void a_connect_goes_to_the_other_node(void **state) {
    const struct script_program *program =
        compile("{\"threads\": {\"main\": [{\"setup\": \"all\"}, {\"create_connector\": \"conn\"}, "
                "{\"connect\": \"conn\"}]}}");
    const struct script_step *step = step_at(program, 0, 10);
    const struct script_arg *to = arg_of(program, step, SCRIPT_MEMBER_TO);
    const struct script_arg *args = part(program, program->arg_at);

    (void)state;
    assert_int_equal(args[to->value].value, 4);
    assert_int_equal(args[to->value + 1].value, UINT64_C(0x0A00000200000000));
    assert_int_equal(args[to->value + 3].value, SCN_PORT_DEFAULT);
}

static void flags_and_statuses_have_their_values(void **state) {
    const struct script_program *program = compile(
        "{\"threads\": {\"main\": [{\"setup\": \"all\"}, {\"send\": \"qp\", \"flags\": [\"DEFER\", "
        "\"NDK_OP_FLAG_INLINE\", \"0x1000\"], \"status\": [\"STATUS_SUCCESS\", "
        "\"STATUS_CANCELLED\"]}]}}");
    const struct script_step *step = step_at(program, 0, 9);
    const struct script_arg *status = arg_of(program, step, SCRIPT_MEMBER_STATUS);
    const struct script_arg *args = part(program, program->arg_at);

    (void)state;
    assert_int_equal(arg_of(program, step, SCRIPT_MEMBER_FLAGS)->value, 0x1240);
    assert_int_equal(status->count, 2);
    assert_int_equal(args[status->value + 1].value, 0xC0000120);
}

static void serve_brings_a_handler(void **state) {
    const struct script_program *program =
        compile("{\"threads\": {\"main\": [{\"setup\": \"all\"}, {\"serve\": \"l\"}]}}");
    const struct script_handler *handlers = part(program, program->handler_at);
    const struct script_block *blocks = part(program, program->block_at);
    const struct script_step *steps = part(program, program->step_at);

    (void)state;
    assert_int_equal(program->handler_count, 1);
    assert_int_equal(handlers[0].source, SCRIPT_SOURCE_CONNECT);
    assert_string_equal(object_name(program, handlers[0].index), "l");
    assert_int_equal(blocks[handlers[0].block].step_count, 2);
    assert_int_equal(steps[blocks[handlers[0].block].step_first + 1].verb, SCRIPT_VERB_ACCEPT);
}

static void establish_tries_again_as_it_is_told(void **state) {
    const struct script_program *program =
        compile("{\"threads\": {\"main\": [{\"setup\": \"all\"}, {\"establish\": \"a\"}, "
                "{\"establish\": \"b\", \"retry\": \"5ms\", \"tries\": 7}]}}");
    const struct script_step *plain = step_at(program, 0, 10);
    const struct script_step *told = step_at(program, 0, 14);

    (void)state;
    assert_int_equal(plain->verb, SCRIPT_VERB_CONNECT);
    assert_int_equal(arg_of(program, plain, SCRIPT_MEMBER_RETRY)->value, 1000000);
    assert_null(arg_of(program, plain, SCRIPT_MEMBER_TRIES));
    assert_int_equal(told->verb, SCRIPT_VERB_CONNECT);
    assert_int_equal(arg_of(program, told, SCRIPT_MEMBER_RETRY)->value, 5000000);
    assert_int_equal(arg_of(program, told, SCRIPT_MEMBER_TRIES)->value, 7);
}

static void one_script_gives_the_same_bytes_every_time(void **state) {
    static const char *const text =
        "{\"threads\": {\"main\": [{\"setup\": \"all\"}, {\"establish\": \"c\"}], \"b\": "
        "[{\"wait\": "
        "\"thread main\"}]}, \"on\": {\"disconnect c\": [{\"log\": \"over\"}]}}";
    const struct script_program *program = compile(text);
    static char first[65536];
    uint32_t bytes = program->bytes;

    (void)state;
    assert_in_range(bytes, 1, sizeof(first));
    memcpy(first, program, bytes);
    scn_scenario_free(scenario);
    program = compile(text);
    assert_int_equal(program->bytes, bytes);
    assert_memory_equal(program, first, bytes);
}

/* The schema, which editors use, has every word of the language, and none that it lacks. */
static void the_schema_has_every_word(void **state) {
    const struct scn_value *definitions = scn_member(scn_schema()->root, "$defs");
    const struct scn_value *properties =
        scn_member(scn_member(definitions, "script_step"), "properties");
    uint32_t known = 0;

    (void)state;
    for (uint32_t i = 0; i < SCRIPT_VERBS; i++)
        assert_non_null(scn_member(properties, scn_verb_at(i)->word));
    for (uint32_t i = 1; i < SCRIPT_MEMBERS; i++)
        assert_non_null(scn_member(properties, scn_member_kind(i)->word));
    for (const struct scn_value *one = properties->first; one != NULL; one = one->next) {
        static const char *const others[] = {"about", "suffix", "offer"};
        bool found = scn_is_macro(one->key);

        for (uint32_t i = 0; i < SCRIPT_VERBS && !found; i++)
            found = strcmp(scn_verb_at(i)->word, one->key) == 0;
        for (uint32_t i = 1; i < SCRIPT_MEMBERS && !found; i++)
            found = strcmp(scn_member_kind(i)->word, one->key) == 0;
        for (size_t i = 0; i < SIM_ARRAY_COUNT(others) && !found; i++)
            found = strcmp(others[i], one->key) == 0;
        if (!found)
            fail_msg("the schema has \"%s\", which the language has not", one->key);
        known++;
    }
    assert_true(known > SCRIPT_VERBS);
}

/* All tables are whole: each verb and each member has its word from the shared list. */
static void the_tables_follow_the_shared_list(void **state) {
#define WORD(name, word) word,
    static const char *const verbs[] = {SCRIPT_VERB_LIST(WORD)};
    static const char *const members[] = {SCRIPT_MEMBER_LIST(WORD)};
#undef WORD

    (void)state;
    for (uint32_t i = 0; i < SCRIPT_VERBS; i++)
        assert_string_equal(scn_verb_at(i)->word, verbs[i]);
    for (uint32_t i = 1; i < SCRIPT_MEMBERS; i++)
        assert_string_equal(scn_member_kind(i)->word, members[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_script_opens_the_first_adapter_by_itself, free_scenario),
        cmocka_unit_test_teardown(another_adapter_has_the_index_that_the_kernel_gives_it,
                                  free_scenario),
        cmocka_unit_test(a_script_takes_the_newest_version_unless_it_says_one),
        cmocka_unit_test_teardown(wsk_steps_leave_all_of_it_to_the_script, free_scenario),
        cmocka_unit_test_teardown(who_listens_cleans_up_when_it_is_unloaded, free_scenario),
        cmocka_unit_test_teardown(what_is_left_out_is_the_first_of_its_kind, free_scenario),
        cmocka_unit_test_teardown(an_sge_gets_the_token_of_what_covers_its_memory, free_scenario),
        cmocka_unit_test_teardown(a_connect_goes_to_the_other_node, free_scenario),
        cmocka_unit_test_teardown(flags_and_statuses_have_their_values, free_scenario),
        cmocka_unit_test_teardown(serve_brings_a_handler, free_scenario),
        cmocka_unit_test_teardown(establish_tries_again_as_it_is_told, free_scenario),
        cmocka_unit_test_teardown(one_script_gives_the_same_bytes_every_time, free_scenario),
        cmocka_unit_test_teardown(the_schema_has_every_word, free_scenario),
        cmocka_unit_test_teardown(the_tables_follow_the_shared_list, free_scenario),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
