/* SPDX-License-Identifier: Apache-2.0 */
/* Compiler and linker as child processes. The flags are those of ndksim_add_driver (CMake). */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "build/driver.h"
#include "build/messages.h"
#include "build/source.h"

extern char **environ;

#define PATH_BYTES 2048u

/*
 * Runs the command with what it writes to `stream` in the file `said`; the exit code, -1 when it
 * could not be started.
 */
static int run(const struct build_list *command, int stream, const char *said) {
    posix_spawn_file_actions_t actions;
    int status = 0;
    pid_t child;
    int error;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    (void)posix_spawn_file_actions_addopen(&actions, stream, said, O_WRONLY | O_CREAT | O_TRUNC,
                                           0666);
    error = posix_spawnp(&child, command->items[0], &actions, NULL, command->items, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        errno = error;
        return -1;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* A guard in a header counts for all: which sources include it is not asked. */
bool build_has_guard(const struct build_driver *driver, const char *source) {
    for (size_t i = 0; i < driver->guarded.count; i++) {
        const char *path = driver->guarded.items[i], *dot = strrchr(path, '.');

        if (strcmp(path, source) == 0 || (dot != NULL && strcmp(dot, ".h") == 0))
            return true;
    }
    return false;
}

/* A shim's header and what it is written in; not twice where the source includes it by itself. */
static void add_includes(const struct build_driver *driver, const char *source,
                         struct build_list *command) {
    for (size_t i = 0; i < driver->includes.count; i++) {
        if (i == 0) {
            build_list_add(command, "-include");
            build_list_add(command, "%s/wdk/ntddk.h", driver->headers);
        }
        if (build_includes(source, driver->includes.items[i]))
            continue;
        build_list_add(command, "-include");
        build_list_add(command, "%s", driver->includes.items[i]);
    }
}

static void compile_command(const struct build_driver *driver, const char *source,
                            const char *object, struct build_list *command) {
    build_list_add_words(command, driver->compiler);
    build_list_add_words(command, NDKSIM_DRIVER_FLAGS);
    build_kind_compile(driver, command);
    if (build_has_guard(driver, source))
        build_list_add_words(command, "-O0"); /* see wdm/exception.h */
    /* What a driver of Windows says freely, and what must not pass. */
    build_list_add_words(command, "-std=gnu11 -Wno-error=incompatible-pointer-types "
                                  "-Werror=implicit-function-declaration -Wno-unknown-pragmas");
    if (driver->is_clang)
        build_list_add(command, "-ferror-limit=0"); /* all names, behind any number of errors */
    if (!driver->is_device) {
        build_list_add(command, "-iquote%s", driver->forwarders);
        build_list_add(command, "-I%s", driver->forwarders);
    }
    for (size_t i = 0; i < driver->folders.count; i++)
        build_list_add(command, "-I%s", driver->folders.items[i]);
    if (!driver->is_device) {
        build_list_add(command, "-I%s/wdk/crt", driver->headers);
        build_list_add(command, "-I%s/wdk", driver->headers);
        build_list_add(command, "-idirafter%s", driver->headers); /* rnic_hw/, for providers */
    } else {
        build_list_add(command, "-I%s", driver->headers);
    }
    for (size_t i = 0; i < driver->defines.count; i++)
        build_list_add(command, "-D%s", driver->defines.items[i]);
    add_includes(driver, source, command);
    if (object != NULL) {
        build_list_add(command, "-c");
        build_list_add(command, "-o");
        build_list_add(command, "%s", object);
    } else {
        build_list_add(command, "-fsyntax-only");
    }
    build_list_add(command, "%s", source);
}

static void print_command(const struct build_list *command) {
    for (size_t i = 0; i < command->count; i++)
        printf("%s%s", i != 0 ? " " : "", command->items[i]);
    printf("\n");
    fflush(stdout);
}

static bool not_run(const struct build_list *command) {
    return build_fail("%s: cannot be run: %s (CC or --compiler names a C compiler)",
                      command->items[0], strerror(errno));
}

bool build_compiler_ask(struct build_driver *driver) {
    struct build_list command = {0};
    struct build_source text;
    char said[PATH_BYTES];
    bool is_good;

    build_list_add_words(&command, driver->compiler);
    build_list_add(&command, "--version");
    snprintf(said, sizeof(said), "%.1000s/said", driver->scratch);
    is_good = run(&command, STDOUT_FILENO, said) != -1 || not_run(&command);
    build_list_free(&command);
    if (!is_good || !build_source_read(said, &text))
        return false;
    driver->is_clang = strstr(text.text, "clang") != NULL;
    build_source_free(&text);
    return true;
}

/* Runs a command and takes what it said; false when it failed without a word that was understood.
 */
static bool act(struct build_driver *driver, const struct build_list *command,
                struct build_messages *messages) {
    char said[PATH_BYTES];
    struct build_source text;
    size_t known = messages->unknown_count, errors = messages->error_count;
    int code;

    if (driver->is_verbose)
        print_command(command);
    snprintf(said, sizeof(said), "%.1000s/said", driver->scratch);
    code = run(command, STDERR_FILENO, said);
    if (code == -1)
        return not_run(command);
    if (!build_source_read(said, &text))
        return build_fail("%s: cannot be read: %s", said, strerror(errno));
    if (code != 0) {
        char *copy = strdup(text.text);

        SIM_ASSERT(copy != NULL);
        build_messages_take(messages, copy);
        free(copy);
        if (messages->unknown_count == known && messages->error_count == errors)
            build_fail("%s failed with exit code %d:\n%s", command->items[0], code, text.text);
    } else {
        build_messages_take(messages, text.text);
    }
    build_source_free(&text);
    return code == 0 || messages->unknown_count != known || messages->error_count != errors;
}

/* compile_commands.json, for editors. */

static void write_text(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static bool write_commands(const struct build_driver *driver, const struct build_list *sources) {
    char folder[PATH_BYTES];
    FILE *file = fopen("compile_commands.json", "w");

    if (file == NULL || getcwd(folder, sizeof(folder)) == NULL)
        return build_fail("compile_commands.json: cannot be written: %s", strerror(errno));
    fprintf(file, "[\n");
    for (size_t i = 0; i < sources->count; i++) {
        struct build_list command = {0};

        compile_command(driver, sources->items[i], "a.o", &command);
        fprintf(file, "  {\"directory\": ");
        write_text(file, folder);
        fprintf(file, ", \"file\": ");
        write_text(file, sources->items[i]);
        fprintf(file, ", \"arguments\": [");
        for (size_t n = 0; n < command.count; n++) {
            fprintf(file, "%s", n != 0 ? ", " : "");
            write_text(file, command.items[n]);
        }
        fprintf(file, "]}%s\n", i + 1 < sources->count ? "," : "");
        build_list_free(&command);
    }
    fprintf(file, "]\n");
    return fclose(file) == 0 ||
           build_fail("compile_commands.json: cannot be written: %s", strerror(errno));
}

/* The module. */

static bool link_module(struct build_driver *driver, const struct build_list *objects,
                        struct build_messages *messages) {
    struct build_list command = {0};
    bool is_good;

    build_list_add_words(&command, driver->compiler);
    build_kind_link(driver, &command);
    build_list_add(&command, "-o");
    build_list_add(&command, "%s", driver->output);
    for (size_t i = 0; i < objects->count; i++)
        build_list_add(&command, "%s", objects->items[i]);
    is_good = act(driver, &command, messages);
    build_list_free(&command);
    return is_good;
}

/*
 * A header that is nowhere ends a compiler's work at once. To list all that is missing, an empty
 * one stands in and the source is tried again.
 */
#define MISSING_HEADERS_MAX 64u

static bool stand_in(struct build_driver *driver, const struct build_messages *messages,
                     size_t known) {
    bool is_any = false;

    for (size_t i = known; i < messages->unknown_count; i++) {
        char file[PATH_BYTES];

        if (strcmp(messages->unknown[i].kind, "header") != 0)
            continue;
        snprintf(file, sizeof(file), "%.1000s/%.128s", driver->forwarders,
                 messages->unknown[i].name);
        is_any = build_file_write(file, "/* Nowhere to be found. */\n") || is_any;
    }
    return is_any;
}

static bool compile_one(struct build_driver *driver, const char *source, const char *object,
                        struct build_messages *messages) {
    struct build_list command = {0};
    bool is_good, is_again = true;

    compile_command(driver, source, object, &command);
    is_good = true;
    for (uint32_t i = 0; is_good && is_again && i < MISSING_HEADERS_MAX; i++) {
        size_t known = messages->unknown_count;

        is_good = act(driver, &command, messages);
        is_again = driver->only_missing && stand_in(driver, messages, known);
    }
    build_list_free(&command);
    return is_good;
}

/* Notes of coverage stand beside the object, by whose name the counters go. */
static const char *object_of(const struct build_driver *driver, size_t index, const char *source,
                             struct build_list *objects) {
    const char *slash = strrchr(source, '/');

    if (driver->kind != BUILD_COVERAGE)
        return build_list_add(objects, "%.1000s/%zu.o", driver->scratch, index);
    return build_list_add(objects, "%s/%s.%zu.o", driver->coverage,
                          slash != NULL ? slash + 1 : source, index);
}

static bool compile_all(struct build_driver *driver, const struct build_list *sources,
                        struct build_list *objects, struct build_messages *messages) {
    for (size_t i = 0; i < sources->count; i++) {
        const char *object = NULL;

        if (!driver->only_missing)
            object = object_of(driver, i, sources->items[i], objects);
        if (!compile_one(driver, sources->items[i], object, messages))
            return false;
    }
    return true;
}

static bool conclude(struct build_driver *driver, const struct build_list *objects,
                     struct build_messages *messages) {
    if (driver->only_missing) {
        build_messages_count(messages, &driver->scanned);
        build_messages_list(messages);
        return true;
    }
    if (!build_messages_print(messages, driver->is_verbose))
        return false;
    build_messages_free(messages);
    memset(messages, 0, sizeof(*messages));
    return link_module(driver, objects, messages) &&
           build_messages_print(messages, driver->is_verbose);
}

bool build_compile(struct build_driver *driver) {
    struct build_messages *messages = calloc(1, sizeof(*messages));
    struct build_list sources = {0}, objects = {0};
    bool is_good;

    SIM_ASSERT(messages != NULL);
    for (size_t i = 0; i < driver->sources.count; i++)
        build_list_add(&sources, "%s", driver->sources.items[i]);
    for (size_t i = 0; i < driver->shims.count; i++)
        build_list_add(&sources, "%s", driver->shims.items[i]);
    setenv("LC_ALL", "C", 1); /* what the compiler says is read here */
    is_good = build_compiler_ask(driver) &&
              (!driver->writes_commands || write_commands(driver, &sources)) &&
              build_kind_source(driver, &sources) &&
              compile_all(driver, &sources, &objects, messages) &&
              conclude(driver, &objects, messages);
    build_list_free(&objects);
    build_list_free(&sources);
    build_messages_free(messages);
    free(messages);
    return is_good;
}
