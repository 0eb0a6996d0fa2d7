/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/scenario.h"

/* A folder of its own per program; every file in it is small, so names are reused. */
static char folder[256];
static struct scn_diagnostics diagnostics;
static char printed[16384];

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/ndksim-load-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state) {
    char command[320];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

static const char *path_of(const char *name) {
    static char paths[4][512];
    static unsigned turn;
    char *path = paths[turn++ % 4];

    snprintf(path, 512, "%s/%s", folder, name);
    return path;
}

static void put_bytes(const char *name, const void *bytes, size_t count) {
    FILE *file = fopen(path_of(name), "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void put(const char *name, const char *text) {
    put_bytes(name, text, strlen(text));
}

/* Lines without the folder's name. */
static void collect(void *context, const char *line) {
    size_t used = strlen(printed), length = strlen(folder) + 1;
    const char *at = line;

    (void)context;
    if (strncmp(line, folder, length - 1) == 0)
        at += length;
    snprintf(printed + used, sizeof(printed) - used, "%s\n", at);
}

static struct scn_scenario *load_with(const char *name, const char *override, uint32_t cell,
                                      uint32_t *cell_count) {
    const struct scn_override overrides[] = {{override}};
    struct scn_scenario *scenario;

    scn_diagnostics_init(&diagnostics);
    printed[0] = '\0';
    scenario = scn_scenario_load(path_of(name), overrides, override != NULL, cell, cell_count,
                                 &diagnostics);
    scn_diagnostics_print(&diagnostics, collect, NULL);
    assert_int_equal(scenario == NULL, diagnostics.count > 0);
    return scenario;
}

static struct scn_scenario *load(const char *name) {
    return load_with(name, NULL, 0, NULL);
}

static void expect_errors(const char *text, const char *wanted) {
    put("bad.json", text);
    assert_null(load("bad.json"));
    assert_string_equal(printed, wanted);
}

static void expect_override_error(const char *override, const char *wanted) {
    assert_null(load_with("good.json", override, 0, NULL));
    assert_string_equal(printed, wanted);
}

#define PAIR                                                                                       \
    "{\"nodes\": {\n"                                                                              \
    "  \"a\": {\"adapters\": {\"nic0\": {\"addresses\": [\"10.0.0.1/24\", \"fd00::1/64\"]}},\n"    \
    "        \"drivers\": [{\"as\": \"init\", \"load\": \"ndkping\",\n"                            \
    "                     \"registry\": {\"Role\": \"client\", \"Count\": 3}}]},\n"                \
    "  \"b\": {\"cpus\": 4, \"adapters\": {\"nic0\": {\"addresses\": [\"10.0.0.2/24\"]}},\n"       \
    "        \"drivers\": [{\"as\": \"target\", \"load\": \"./own.so\"}]}},\n"                     \
    " \"switches\": {\"sw\": {}},\n"                                                               \
    " \"links\": [{\"between\": [\"a.nic0\", \"sw\"], \"rate\": \"25Gbps\"},\n"                    \
    "            {\"between\": [\"b.nic0\", \"sw\"], \"name\": \"far\"}]"

static void a_whole_scenario_is_resolved(void **state) {
    struct scn_scenario *scenario;

    (void)state;
    put("good.json", PAIR ",\n \"steps\": [{\"do\": \"link_down\", \"link\": \"far\", \"at\": "
                          "\"1ms\", \"for\": \"5ms\"},\n"
                          "  {\"do\": \"unload\", \"driver\": \"target\", \"then\": true}],\n"
                          " \"faults\": [{\"point\": \"link.drop\", \"probability\": \"0.1%\"}],\n"
                          " \"expect\": [{\"counter\": \"init.done\", \"equals\": 1}]}");
    scenario = load("good.json");
    assert_non_null(scenario);
    assert_string_equal(scenario->name, "good");
    assert_int_equal(scenario->node_count, 2);
    assert_int_equal(scenario->nodes[0].cpu_count, 2);
    assert_int_equal(scenario->nodes[1].cpu_count, 4);
    assert_int_equal(scenario->driver_count, 4);
    assert_true(scenario->drivers[0].is_miniport);
    assert_string_equal(scenario->drivers[0].as, "a-nic0");
    assert_string_equal(scenario->drivers[2].as, "init");
    assert_int_equal(scenario->drivers[2].registry.count, 2);
    assert_int_equal(scenario->adapters[0].address_count, 2);
    assert_int_equal(scenario->adapters[0].addresses[1].version, 6);
    assert_int_equal(scenario->links[0].rate_bps, UINT64_C(25000000000));
    assert_string_equal(scenario->links[0].name, "a.nic0--sw");
    assert_int_equal(scenario->steps[0].target, 1);
    assert_int_equal(scenario->steps[0].for_ns, 5000000);
    assert_true(scenario->steps[1].follows);
    assert_true(scenario->drivers[3].has_unload_step);
    assert_int_equal(scenario->faults[0].ppm, 1000);
    assert_true(scenario->unload_at_end);
    scn_scenario_free(scenario);
}

static void files_extend_each_other_and_errors_name_the_right_one(void **state) {
    struct scn_scenario *scenario;

    (void)state;
    put("base.json", "{\"nodes\": {\"a\": {\"cpus\": 1}}}");
    put("more.json", "{\"extends\": \"base.json\",\n \"nodes\": {\"b\": {}},\n"
                     " \"set\": {\"nodes.a.cpus\": 3}}");
    scenario = load("more.json");
    assert_non_null(scenario);
    assert_int_equal(scenario->node_count, 2);
    assert_int_equal(scenario->nodes[0].cpu_count, 3);
    scn_scenario_free(scenario);

    put("base.json", "{\"nodes\": {\"a\": {\"cpus\": 17}}}");
    expect_errors("{\"extends\": \"base.json\",\n \"nodes\": {\"b\": {\"cpus\": 0}}}",
                  "base.json:1:26: $.nodes.a.cpus: 17 is too large; at most 16\n"
                  "bad.json:2:26: $.nodes.b.cpus: 0 is too small; at least 1\n");
}

static void a_circle_of_extends_is_named(void **state) {
    (void)state;
    put("one.json", "{\"extends\": \"two.json\"}");
    put("two.json", "{\"extends\": \"./one.json\"}");
    assert_null(load("one.json"));
    assert_non_null(strstr(printed, "two.json:1:13: $.extends: a circle: "));
    assert_non_null(strstr(printed, "one.json extends this file already\n"));
    assert_null(load("nowhere.json"));
    assert_string_equal(printed, "nowhere.json: cannot be opened: No such file or directory\n");
}

static void every_cell_of_a_matrix_has_its_values(void **state) {
    static const char text[] = "{\"nodes\": {\"a\": {}},\n"
                               " \"matrix\": {\"nodes.a.cpus\": [1, 2],\n"
                               "            \"nodes.a.workers\": [3, 4, 5]}}";
    uint32_t count;

    (void)state;
    put("matrix.json", text);
    for (uint32_t cell = 0; cell < 6; cell++) {
        struct scn_scenario *scenario = load_with("matrix.json", NULL, cell, &count);

        assert_non_null(scenario);
        assert_int_equal(count, 6);
        assert_int_equal(scenario->nodes[0].cpu_count, 1 + cell / 3);
        assert_int_equal(scenario->nodes[0].worker_count, 3 + cell % 3);
        scn_scenario_free(scenario);
    }
    expect_errors("{\"nodes\": {\"a\": {}}, \"matrix\": {\"nodes.b.cpus\": [1]}}",
                  "bad.json:1:33: $.matrix[\"nodes.b.cpus\"]: the path leads nowhere: there is no "
                  "\"b\"; did you mean \"a\"?\n");
}

static void a_change_from_the_command_line_is_named_in_its_errors(void **state) {
    struct scn_scenario *scenario;

    (void)state;
    put("good.json", PAIR "}");
    scenario = load_with("good.json", "nodes.a.drivers[0].registry.Role=server", 0, NULL);
    assert_non_null(scenario);
    assert_string_equal(scenario->drivers[2].registry.entries[0].text, "server");
    scn_scenario_free(scenario);
    scenario = load_with("good.json", "nodes.a.drivers[0].load=\"x\"", 0, NULL);
    assert_non_null(scenario);
    assert_string_equal(scenario->drivers[2].load, "x");
    scn_scenario_free(scenario);

    expect_override_error("nodes.a.cpus=99",
                          "--set nodes.a.cpus=99: $.nodes.a.cpus: 99 is too large; at most 16\n");
    expect_override_error("nodes.a.cpu=9", "--set nodes.a.cpu=9: $.nodes.a.cpu: unknown key "
                                           "\"cpu\"; did you mean \"cpus\"?\n");
    expect_override_error("nodes.c.cpus=1", "--set nodes.c.cpus=1: the path leads nowhere: there "
                                            "is no \"c\"; did you mean \"a\"?\n");
    expect_override_error("links[2].rate=1bps", "--set links[2].rate=1bps: the path leads nowhere: "
                                                "[2] of an array of 2 elements\n");
    expect_override_error("links[x].rate=1bps",
                          "--set links[x].rate=1bps: the path leads nowhere: \"[x].rate\" is no "
                          "index\n");
    expect_override_error("nodes", "--set nodes: expected path=value, as in "
                                   "nodes.client.cpus=1\n");
    expect_override_error("name=\xff", "--set name=\\xff: the value is not UTF-8\n");
}

static void what_is_no_json_is_said_with_its_place(void **state) {
    static const char with_nul[] = "{\"nodes\": \0{}}";
    struct stat status;

    (void)state;
    expect_errors("", "bad.json: is empty; a JSON object is wanted\n");
    expect_errors("{\"nodes\": {\"a\": {}},\n \"nodes\": {}}",
                  "bad.json:2:8: not valid JSON: duplicate object key near '\"nodes\"'\n");
    expect_errors("\xEF\xBB\xBF{}", "bad.json:1:1: starts with a byte order mark; save it as UTF-8 "
                                    "without one\n");
    expect_errors("[1]", "bad.json:1:1: $: expected object, got an array\n");
    put_bytes("bad.json", with_nul, sizeof(with_nul) - 1);
    assert_null(load("bad.json"));
    assert_non_null(strstr(printed, "not valid JSON: "));
    put_bytes("bad.json", "{\"name\": \"\xff\"}", 13);
    assert_null(load("bad.json"));
    assert_non_null(strstr(printed, "bad.json:1:10: not valid JSON: unable to decode byte 0xff"));
    assert_int_equal(stat(folder, &status), 0);
    assert_null(load("."));
    assert_non_null(strstr(printed, "cannot be read: Is a directory\n"));
}

static void deep_and_huge_files_are_refused_in_little_memory(void **state) {
    size_t bytes = (size_t)SCN_FILE_BYTES_MAX + 1;
    char *text = malloc(bytes);

    (void)state;
    assert_non_null(text);
    memset(text, '[', bytes);
    put_bytes("bad.json", text, 100000);
    assert_null(load("bad.json"));
    assert_non_null(strstr(printed, "not valid JSON: maximum parsing depth reached"));
    put_bytes("bad.json", text, bytes - 1);
    assert_null(load("bad.json"));
    assert_string_equal(printed, "bad.json: holds more than 1000000 values\n");
    put_bytes("bad.json", text, bytes);
    assert_null(load("bad.json"));
    assert_string_equal(printed, "bad.json: larger than 16 MiB; split it (\"extends\")\n");
    memset(text, ' ', bytes);
    memcpy(text, "{\"nodes\":{\"a\":{}}}", 19);
    text[18] = ' ';
    put_bytes("bad.json", text, bytes - 1);
    scn_scenario_free(load("bad.json"));
    assert_string_equal(printed, "");
    free(text);
}

static void too_many_of_anything_is_one_error(void **state) {
    char *text = malloc(4000000), *at = text;

    (void)state;
    assert_non_null(text);
    at += sprintf(at, "{\"nodes\": {");
    for (uint32_t i = 0; i < 2000; i++)
        at += sprintf(at, "%s\"n%u\": {}", i > 0 ? ", " : "", i);
    sprintf(at, "}}");
    expect_errors(text, "bad.json:1:11: $.nodes: has 2000 members; at most 1024\n");
    at = text + sprintf(text, "{\"nodes\": {\"a\": {}}, \"steps\": [");
    for (uint32_t i = 0; i < 150000; i++)
        at += sprintf(at, "%s{\"at\": \"1\"}", i > 0 ? ", " : "");
    sprintf(at, "]}");
    expect_errors(text, "bad.json: holds 300004 values; at most 200000 in a scenario\n");
    at = text + sprintf(text, "{\"nodes\": {\"a\": {}}, \"steps\": [");
    for (uint32_t i = 0; i < 50000; i++)
        at += sprintf(at, "%s{\"at\": \"1\"}", i > 0 ? ", " : "");
    sprintf(at, "]}");
    expect_errors(text, "bad.json:1:31: $.steps: has 50000 elements; at most 1024\n");
    at = text + sprintf(text, "{\"nodes\": {\"a\": {}}, \"steps\": [");
    for (uint32_t i = 0; i < 1000; i++)
        at += sprintf(at, "%s{\"at\": \"1\"}", i > 0 ? ", " : "");
    sprintf(at, "]}");
    put("bad.json", text);
    assert_null(load("bad.json"));
    assert_int_equal(diagnostics.count, SCN_DIAGNOSTIC_COUNT_MAX);
    assert_non_null(strstr(printed, "936 more errors are not shown\n"));
    free(text);
}

static void names_with_escapes_are_placed_and_shown_harmlessly(void **state) {
    (void)state;
    expect_errors("{\"nodes\": {},\n \"\\u006eodez\": 1}",
                  "bad.json:1:11: $.nodes: has 0 members; at least 1\n"
                  "bad.json:2:2: $.nodez: unknown key \"nodez\"; did you mean \"nodes\"?\n");
    expect_errors("{\"nodes\": {\"a\\u001b[2J\": {}}}",
                  "bad.json:1:12: $.nodes[\"a\\x1b[2J\"]: \"a\\x1b[2J\" is no name: letters, "
                  "digits, - and _ only, at most 31\n");
}

static void times_that_never_come_are_refused_where_they_make_no_sense(void **state) {
    (void)state;
    put("good.json", PAIR ", \"end\": {\"limit\": \"never\"}}");
    scn_scenario_free(load("good.json"));
    assert_string_equal(printed, "");
    expect_errors(PAIR
                  ",\n\"steps\": [{\"do\": \"heal\", \"switch\": \"sw\", \"at\": \"never\"},\n"
                  "{\"do\": \"heal\", \"switch\": \"sw\", \"at\": \"1s\", \"delay\": \"1s\"},\n"
                  "{\"do\": \"heal\", \"switch\": \"sw\", \"at\": \"876001h\"}]}",
                  "bad.json:10:48: $.steps[0].at: \"never\": a duration starts with a number, as "
                  "in \"2us\"; expected a duration such as \"2us\" (ns, us, ms, s, min, h)\n"
                  "bad.json:12:38: $.steps[2].at: \"876001h\": the duration is longer than 100 "
                  "years; expected a duration such as \"2us\" (ns, us, ms, s, min, h)\n");
    expect_errors(PAIR ",\n\"steps\": [\n{\"do\": \"heal\", \"switch\": \"sw\", \"at\": \"1s\", "
                       "\"delay\": \"1s\"}]}",
                  "bad.json:11:44: $.steps[0].delay: \"delay\" goes with \"after\" or \"then\"; a "
                  "time of its own is \"at\"\n");
}

static void expectations_refuse_keys_of_other_kinds(void **state) {
    (void)state;
    expect_errors(PAIR ",\n\"expect\": [\n{\"counter\": \"x\", \"before\": \"1s\"},\n"
                       "{\"finding\": \"deadlock\", \"equals\": 1},\n"
                       "{\"log\": \"x\", \"event\": \"cm.rep\"},\n"
                       "{\"event\": \"cm.rep\", \"at_least\": 3, \"at_most\": 2}]}",
                  "bad.json:11:18: $.expect[0].before: \"before\" goes with \"event\" or \"log\"\n"
                  "bad.json:12:25: $.expect[1].equals: \"equals\" goes with \"counter\", \"event\" "
                  "or \"log\"\n"
                  "bad.json:13:1: $.expect[2]: expected exactly one of \"counter\", \"event\", "
                  "\"finding\", \"log\"\n"
                  "bad.json:14:1: $.expect[3]: \"at_least\" is above \"at_most\": it could never "
                  "hold\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_scenario_is_resolved),
        cmocka_unit_test(files_extend_each_other_and_errors_name_the_right_one),
        cmocka_unit_test(a_circle_of_extends_is_named),
        cmocka_unit_test(every_cell_of_a_matrix_has_its_values),
        cmocka_unit_test(a_change_from_the_command_line_is_named_in_its_errors),
        cmocka_unit_test(what_is_no_json_is_said_with_its_place),
        cmocka_unit_test(deep_and_huge_files_are_refused_in_little_memory),
        cmocka_unit_test(too_many_of_anything_is_one_error),
        cmocka_unit_test(names_with_escapes_are_placed_and_shown_harmlessly),
        cmocka_unit_test(times_that_never_come_are_refused_where_they_make_no_sense),
        cmocka_unit_test(expectations_refuse_keys_of_other_kinds),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
