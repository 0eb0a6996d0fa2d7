/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See twin.h. Which modules a command will load is read from the texts of its operands (scenarios,
 * what they extend, records, folders of records) and of --driver and --set: every string with a
 * path to a module in it. Nothing has been opened or printed yet, so that the twin starts anew.
 */
#include "cli/twin.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sim/host.h>

#include "build/list.h"
#include "build/source.h"
#include "parse/complain.h"
#include "run/machine.h"

#define PATH_BYTES 2048u
#define DEPTH_MAX 8u

struct search {
    struct build_list seen; /* files whose text has been looked at */
    char module[PATH_BYTES];
};

#if defined(__SANITIZE_ADDRESS__)
#define IS_TWIN true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_TWIN true
#endif
#endif
#ifndef IS_TWIN
#define IS_TWIN false
#endif

static bool ends_in(const char *text, size_t length, const char *end) {
    size_t bytes = strlen(end);

    return length > bytes && memcmp(text + length - bytes, end, bytes) == 0;
}

/* Whether the file's code calls the sanitizer's run-time; false for what is no file. */
static bool is_sanitised(const char *path) {
    static const char sign[] = "__asan_init";
    struct stat about;
    FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    size_t matched = 0;
    int byte;

    while (file != NULL && matched < sizeof(sign) - 1 && (byte = getc(file)) != EOF)
        matched = byte == sign[matched] ? matched + 1 : byte == sign[0];
    if (file != NULL)
        fclose(file);
    return matched == sizeof(sign) - 1;
}

static void look_at_text(struct search *search, const char *folder, const char *text,
                         uint32_t depth);

static void look_at_file(struct search *search, const char *path, uint32_t depth) {
    struct build_source file;
    char folder[PATH_BYTES];
    const char *slash = strrchr(path, '/');

    if (depth == DEPTH_MAX || build_list_has(&search->seen, path) ||
        !build_source_read(path, &file))
        return;
    build_list_add(&search->seen, "%s", path);
    snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(slash - path) : 1,
             slash != NULL ? path : ".");
    look_at_text(search, folder, file.text, depth + 1);
    build_source_free(&file);
}

/* A path in a text: of a module, or of another file with such. */
static void look_at_path(struct search *search, const char *folder, const char *word, size_t length,
                         uint32_t depth) {
    char path[PATH_BYTES];
    bool is_module = ends_in(word, length, ".so") && memchr(word, '/', length) != NULL;

    if (search->module[0] != '\0' || (!is_module && !ends_in(word, length, ".json")) ||
        strlen(folder) + length + 2 > sizeof(path))
        return;
    snprintf(path, sizeof(path), "%s%s%.*s", word[0] != '/' ? folder : "",
             word[0] != '/' ? "/" : "", (int)length, word);
    if (!is_module)
        look_at_file(search, path, depth);
    else if (is_sanitised(path))
        snprintf(search->module, sizeof(search->module), "%s", path);
}

static void look_at_text(struct search *search, const char *folder, const char *text,
                         uint32_t depth) {
    for (const char *at = text; (at = strchr(at, '"')) != NULL; at++) {
        size_t length = strcspn(++at, "\"\n");

        look_at_path(search, folder, at, length, depth);
        at += length;
        if (*at == '\0')
            break;
    }
}

/* A file, or a folder of records. */
static void look_at_operand(struct search *search, const char *operand) {
    DIR *directory = opendir(operand);
    struct dirent *entry;

    if (directory == NULL) {
        look_at_file(search, operand, 0);
        return;
    }
    while (search->module[0] == '\0' && (entry = readdir(directory)) != NULL) {
        char path[PATH_BYTES];

        snprintf(path, sizeof(path), "%.1500s/%s", operand, entry->d_name);
        if (ends_in(path, strlen(path), ".ndkrun"))
            look_at_file(search, path, 0);
    }
    closedir(directory);
}

static void look_at_value(struct search *search, const char *value) {
    if (value != NULL)
        look_at_path(search, ".", value, strlen(value), 0);
}

static void look(struct search *search, const struct scn_options *options) {
    for (uint32_t i = 0; i < options->operand_count && search->module[0] == '\0'; i++)
        look_at_operand(search, options->operands[i]);
    for (uint32_t i = 0; i < options->driver_count; i++) {
        const char *equals = strchr(options->drivers[i], '=');

        look_at_value(search, equals != NULL ? equals + 1 : NULL);
    }
    look_at_value(search, options->module);
}

/* Where the twin is, in `path`; false: nowhere. */
static bool find_twin(char *path, size_t size) {
    const char *given = getenv("NDKSIM_ASAN");
    char program[PATH_BYTES], *slash;

    if (given != NULL && *given != '\0') {
        snprintf(path, size, "%s", given);
        return true;
    }
    sim_host_program(program, sizeof(program));
    slash = strrchr(program, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    snprintf(path, size, "%.*s/ndksim-asan", (int)size - 16, program);
    return access(path, X_OK) == 0;
}

bool scn_twin_become(const struct scn_options *options, char **words) {
    static struct search search;
    char twin[PATH_BYTES];

    if (IS_TWIN || options->command == SCN_BUILD_DRIVER || options->command == SCN_INIT ||
        options->command == SCN_LIST)
        return true;
    look(&search, options);
    build_list_free(&search.seen);
    if (search.module[0] == '\0')
        return true;
    if (!find_twin(twin, sizeof(twin))) {
        scn_complain(
            "%s is built with AddressSanitizer, and this program is not. Build ndksim "
            "with -DNDKSIM_SANITIZE=ON too and install it to the same prefix: its program is "
            "ndksim-asan, which this one then becomes; or name such a program in NDKSIM_ASAN",
            search.module);
        return false;
    }
    fflush(NULL);
    words[0] = twin;
    execv(twin, words);
    scn_complain("%s: the sanitised program for %s cannot be started: %s", twin, search.module,
                 strerror(errno));
    return false;
}
