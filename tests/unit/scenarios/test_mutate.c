/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shipped scenarios, broken at random: whatever a file holds, loading it ends, with a scenario or
 * with errors, never with both or neither. The seeds and the count are fixed.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/scenario.h"

#define RUNS_PER_FILE 1000u
#define TEXT_BYTES_MAX ((size_t)64 * 1024)
#define SECONDS_MAX 120u /* the test has hung */

/* Something of everything, so that the test is worth its time without a library too. */
static const char everything[] =
    "{\"about\": [\"a\", \"b\"], \"name\": \"all\",\n"
    "\"nodes\": {\"a\": {\"cpus\": 2, \"workers\": 3, \"pool_limit\": \"4MiB\", \"adapters\": {\n"
    "  \"nic0\": {\"addresses\": [\"10.0.0.1/24\", \"fd00::1/64\"], \"mac\": "
    "\"06:00:00:00:00:01\",\n"
    "    \"technology\": \"roce2\", \"keywords\": {\"*NetworkDirect\": \"1\"}, \"quirks\": {\"q\": "
    "true},\n"
    "    \"limits\": {\"qp_count_max\": 64}, \"registry\": {\"x\": 1}}},\n"
    "  \"drivers\": [{\"as\": \"init\", \"load\": \"ndkping\", \"registry\": {\"Role\": "
    "\"client\"}}]},\n"
    " \"b\": {\"adapters\": {\"nic0\": {\"addresses\": [\"10.0.0.2/24\"]}},\n"
    "  \"drivers\": [{\"as\": \"target\", \"load\": \"ndkping\"}]}},\n"
    "\"switches\": {\"sw\": {\"latency\": \"300ns\", \"queue\": \"1MiB\"}},\n"
    "\"links\": [{\"between\": [\"a.nic0\", \"sw\"], \"rate\": \"25Gbps\", \"delay\": \"1us\"},\n"
    "  {\"name\": \"far\", \"between\": [\"b.nic0\", \"sw\"], \"mtu\": 4200, \"jitter\": "
    "\"5ns\"}],\n"
    "\"steps\": [{\"do\": \"link_down\", \"link\": \"far\", \"at\": \"1ms\", \"for\": \"5ms\"},\n"
    "  {\"do\": \"load\", \"driver\": \"target\", \"then\": true, \"delay\": \"1us\"},\n"
    "  {\"do\": \"ioctl\", \"driver\": \"init\", \"code\": \"0x222000\", \"in_ulongs\": [1, -2],\n"
    "   \"expect_out\": \"00 ff\", \"after\": {\"event\": \"cm.rep\", \"object\": \"init.*\", "
    "\"nth\": 2}},\n"
    "  {\"do\": \"partition\", \"switch\": \"sw\", \"apart\": [\"b.nic0\"], \"for\": \"1s\"},\n"
    "  {\"do\": \"pnp\", \"adapter\": \"a.nic0\", \"action\": \"surprise_remove\", \"status\": "
    "\"any\"}],\n"
    "\"faults\": [{\"point\": \"link.drop\", \"class\": \"cm.*\", \"probability\": \"0.1%\"},\n"
    "  {\"point\": \"link.delay\", \"value\": \"5us\", \"nth\": 3, \"from\": \"1ms\", \"to\": "
    "\"never\"}],\n"
    "\"expect\": [{\"counter\": \"init.done\", \"equals\": 1},\n"
    "  {\"finding\": \"R-OWN-01\", \"guilty\": \"consumer init\"}, {\"log\": \"x\", \"before\": "
    "\"1s\"}],\n"
    "\"rules\": {\"R-LIFE-15\": \"warn: known\"}, \"matrix\": {\"nodes.a.cpus\": [1, 2]},\n"
    "\"set\": {\"links[1].rate\": \"10Gbps\"}, \"explore\": {\"steps\": \"2%\", \"runs\": 10},\n"
    "\"end\": {\"limit\": \"never\", \"unload\": true, \"wait_for\": [\"init\"]}}\n";

static const char *const tokens[] = {
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\"\"",
    "null",
    "true",
    "-1",
    "0",
    "1e9",
    "0.5",
    "\\u0000",
    "\\",
    "\"never\"",
    "\"0ns\"",
    "\"1h\"",
    "[]",
    "{}",
    "\"a\"",
    "\xff",
    "\"nodes\"",
    "\"*\"",
    "\"sw\"",
    "4294967296",
    "9223372036854775807",
    "\"18446744073709551615ns\"",
    "\"set\": {\"nodes\": 1}, ",
    "\"extends\": \"mutant.json\", ",
    "\"matrix\": {\"links\": [[], 1]}, ",
    "\"nodes.a.cpus[0]\": 1, ",
};

struct text {
    char bytes[TEXT_BYTES_MAX];
    size_t count;
};

static uint64_t random_state;

static uint64_t draw(uint64_t below) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return below > 0 ? random_state % below : 0;
}

static void remove_at(struct text *text, size_t at, size_t count) {
    if (count > text->count - at)
        count = text->count - at;
    memmove(text->bytes + at, text->bytes + at + count, text->count - at - count);
    text->count -= count;
}

static void insert_at(struct text *text, size_t at, const char *bytes, size_t count) {
    if (text->count + count > sizeof(text->bytes))
        return;
    memmove(text->bytes + at + count, text->bytes + at, text->count - at);
    memcpy(text->bytes + at, bytes, count);
    text->count += count;
}

/* A place where a value or a key begins or ends, most of the time. */
static size_t draw_place(const struct text *text) {
    size_t at = (size_t)draw(text->count + 1);

    if (draw(4) == 0)
        return at;
    while (at < text->count && strchr("{}[],:\" ", text->bytes[at]) == NULL)
        at++;
    return at;
}

static void mutate(struct text *text) {
    size_t at = draw_place(text), count = (size_t)draw(24) + 1;
    const char *token = tokens[draw(SIM_ARRAY_COUNT(tokens))];
    char copy[64];

    switch (draw(6)) {
    case 0:
        if (at < text->count)
            text->bytes[at] = (char)draw(256);
        break;
    case 1:
        remove_at(text, at, count);
        break;
    case 2: /* the same again */
        count = count < text->count - at ? count : text->count - at;
        memcpy(copy, text->bytes + at, count);
        insert_at(text, draw_place(text), copy, count);
        break;
    case 3:
        insert_at(text, at, token, strlen(token));
        break;
    case 4: /* one word for another */
        for (count = at; count < text->count && strchr(",}] \n", text->bytes[count]) == NULL;)
            count++;
        remove_at(text, at, count - at);
        insert_at(text, at, token, strlen(token));
        break;
    default:
        if (draw(8) == 0)
            text->count = at;
        break;
    }
}

static char folder[256];

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/ndksim-mutate-XXXXXX");
    alarm(SECONDS_MAX);
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state) {
    char command[320];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

static void put(const char *name, const struct text *text) {
    char path[512];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    /* A file that is cut and written again is waited for by some file systems, a new one is not. */
    remove(path);
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text->bytes, 1, text->count, file), text->count);
    assert_int_equal(fclose(file), 0);
}

static void check_line(void *context, const char *line) {
    uint32_t *lines = context;

    assert_true(*line != '\0');
    ++*lines;
}

/* True when it is a scenario. */
static bool load(const char *name) {
    static struct scn_diagnostics diagnostics;
    struct scn_scenario *scenario;
    uint32_t cell_count = 1, lines = 0;
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    scn_diagnostics_init(&diagnostics);
    scenario = scn_scenario_load(path, NULL, 0, 0, &cell_count, &diagnostics);
    scn_diagnostics_print(&diagnostics, check_line, &lines);
    assert_int_equal(scenario != NULL, lines == 0);
    assert_true(cell_count >= 1);
    scn_scenario_free(scenario);
    return scenario != NULL;
}

/* Each mutant is a few changes away from the original. Some are still good: the aim is close by. */
static void break_it(const struct text *original) {
    static struct text mutant;
    uint32_t good = 0;

    for (uint32_t run = 0; run < RUNS_PER_FILE; run++) {
        mutant = *original;
        random_state = UINT64_C(0x9E3779B97F4A7C15) * (run + 1);
        for (uint64_t changes = draw(4) + 1; changes > 0; changes--)
            mutate(&mutant);
        put("mutant.json", &mutant);
        good += load("mutant.json");
    }
    assert_in_range(good, 1, RUNS_PER_FILE / 2);
}

static void a_scenario_with_everything_in_it_can_be_broken_anywhere(void **state) {
    static struct text text;

    (void)state;
    memcpy(text.bytes, everything, sizeof(everything) - 1);
    text.count = sizeof(everything) - 1;
    put("all.json", &text);
    assert_true(load("all.json"));
    break_it(&text);
}

static bool read_file(const char *library, const char *name, struct text *text) {
    char path[1024];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", library, name);
    file = fopen(path, "rb");
    if (file == NULL)
        return false;
    text->count = fread(text->bytes, 1, sizeof(text->bytes), file);
    fclose(file);
    return text->count > 0;
}

static bool is_scenario(const char *name) {
    size_t length = strlen(name);

    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

static void visit_folder(const char *library,
                         void (*visit)(const char *name, const struct text *text)) {
    static struct text text;
    DIR *directory = opendir(library);
    struct dirent *entry;

    while (directory != NULL && (entry = readdir(directory)) != NULL)
        if (is_scenario(entry->d_name) && read_file(library, entry->d_name, &text))
            visit(entry->d_name, &text);
    if (directory != NULL)
        closedir(directory);
}

static void visit_library(void (*visit)(const char *name, const struct text *text)) {
    visit_folder(NDKSIM_LIBRARY, visit);
    visit_folder(NDKSIM_LIBRARY "/field", visit);
}

static void break_shipped(const char *name, const struct text *text) {
    (void)name;
    break_it(text);
}

static void every_shipped_scenario_can_be_broken_anywhere(void **state) {
    (void)state;
    visit_library(put); /* what they extend stands beside them */
    visit_library(break_shipped);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scenario_with_everything_in_it_can_be_broken_anywhere),
        cmocka_unit_test(every_shipped_scenario_can_be_broken_anywhere),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
