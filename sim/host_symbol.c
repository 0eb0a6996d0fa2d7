/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File, line and function of a code address, and variables, for reports: the dynamic linker knows
 * the module and perhaps the function, a tool of the host (host_symbolizer.c) knows the line. Its
 * answer is kept.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host_private.h"

#define ANSWER_COUNT 64u
#define ANSWER_BYTES 256u
#define ALIAS_COUNT 64u
#define FUNCTION_COUNT 256u
#define FUNCTION_BYTES 96u
#define PATH_BYTES 512u

struct answer {
    uintptr_t code;
    char text[ANSWER_BYTES];
};

struct alias {
    char loaded[PATH_BYTES];
    char original[PATH_BYTES];
};

static struct answer answers[ANSWER_COUNT];
static size_t answer_count;
static struct alias aliases[ALIAS_COUNT];
static size_t alias_count;

void sim_host_symbol_alias(const char *loaded, const char *original) {
    struct alias *alias = &aliases[alias_count % ALIAS_COUNT];
    alias_count++;
    (void)snprintf(alias->loaded, sizeof(alias->loaded), "%s", loaded);
    (void)snprintf(alias->original, sizeof(alias->original), "%s", original);
}

static const char *file_of(const char *loaded) {
    for (size_t i = 0; i < ALIAS_COUNT && i < alias_count; i++) {
        if (strcmp(aliases[i].loaded, loaded) == 0) {
            return aliases[i].original;
        }
    }
    return loaded;
}

#if defined(__APPLE__)
/* "Function (in module) (file.c:12)" */
static bool read_answer(char *output, char **function, char **place) {
    char *in = strstr(output, " (in ");
    char *open = strrchr(output, '(');
    char *close_at = strrchr(output, ')');
    if (in == NULL || open == NULL || close_at == NULL || strchr(open, ':') == NULL) {
        return false;
    }
    *in = '\0';
    *close_at = '\0';
    *function = output;
    *place = open + 1;
    return true;
}
#else
/* Some tools add the column: "file:line:column". */
static void cut_column(char *place) {
    char *last = strrchr(place, ':');
    char *line = last;
    if (last == NULL || last == place) {
        return;
    }
    while (line > place && line[-1] >= '0' && line[-1] <= '9') {
        line--;
    }
    if (line < last && line > place && line[-1] == ':') {
        *last = '\0';
    }
}

/* Function and file:line on a line each; false at the end. */
static bool read_pair(char **output, char **function, char **place) {
    char *line_end = strchr(*output, '\n');
    char *pair_end;
    if (line_end == NULL) {
        return false;
    }
    *line_end = '\0';
    *function = *output;
    *place = line_end + 1;
    pair_end = *place + strcspn(*place, "\n");
    *output = *pair_end != '\0' ? pair_end + 1 : pair_end;
    *pair_end = '\0';
    (*place)[strcspn(*place, " ")] = '\0';
    cut_column(*place);
    return (*place)[0] != '\0' && (*place)[0] != '?';
}

/*
 * Of functions that the compiler drew into each other, the innermost one that is no header's: a
 * reader looks for a line of a source file.
 */
static bool read_answer(char *output, char **function, char **place) {
    char *outer_function, *outer_place;
    if (!read_pair(&output, function, place)) {
        return false;
    }
    outer_place = *place;
    while (strstr(outer_place, ".h:") != NULL &&
           read_pair(&output, &outer_function, &outer_place)) {
        if (strstr(outer_place, ".h:") == NULL) {
            *function = outer_function;
            *place = outer_place;
        }
    }
    return true;
}
#endif

/* Drops the working folder from the front of a path. */
static const char *shorten(const char *place) {
    char folder[PATH_BYTES];
    if (getcwd(folder, sizeof(folder)) == NULL) {
        return place;
    }
    size_t length = strlen(folder);
    return strncmp(place, folder, length) == 0 && place[length] == '/' ? place + length + 1 : place;
}

/* Our own frames are few words in a report about drivers; no tool is started for them. */
static bool is_program(const Dl_info *module) {
    static void *own;
    Dl_info program;
    if (own == NULL && dladdr((void *)(uintptr_t)sim_host_symbolize, &program) != 0) {
        own = program.dli_fbase;
    }
    return module->dli_fbase == own;
}

static void look_up(uintptr_t code, char *text, size_t size) {
    Dl_info module;
    char output[1024] = "";
    char *function, *place;
    text[0] = '\0';
    if (dladdr((void *)code, &module) == 0 || module.dli_fname == NULL) {
        return;
    }
    const char *file = file_of(module.dli_fname);
    if (is_program(&module)) {
        char name[FUNCTION_BYTES];
        sim_host_function(code, name, sizeof(name));
        (void)snprintf(text, size, name[0] != '\0' ? "ndksim (%s)" : "ndksim", name);
    } else if (sim_symbolizer_ask(file, (uintptr_t)module.dli_fbase, code, output,
                                  sizeof(output)) &&
               read_answer(output, &function, &place)) {
        (void)snprintf(text, size, "%s (%s)", shorten(place), function);
    } else if (module.dli_sname != NULL) {
        const char *slash = strrchr(file, '/');
        (void)snprintf(text, size, "%s (%s)", slash != NULL ? slash + 1 : file, module.dli_sname);
    }
}

void sim_host_symbolize(uintptr_t code, char *buffer, size_t size) {
    struct answer *answer = NULL;
    for (size_t i = 0; i < ANSWER_COUNT && i < answer_count; i++) {
        if (answers[i].code == code) {
            answer = &answers[i];
        }
    }
    if (answer == NULL) {
        answer = &answers[answer_count % ANSWER_COUNT];
        answer_count++;
        answer->code = code;
        look_up(code, answer->text, sizeof(answer->text));
    }
    (void)snprintf(buffer, size, "%s", answer->text);
}

void sim_host_function(uintptr_t code, char *buffer, size_t size) {
    static struct function {
        uintptr_t code;
        char name[FUNCTION_BYTES];
    } known[FUNCTION_COUNT];
    struct function *one = &known[code % FUNCTION_COUNT];
    Dl_info module;
    if (one->code != code && dladdr((void *)code, &module) != 0 && module.dli_fname != NULL) {
        one->code = code;
        sim_host_file_function(file_of(module.dli_fname), code - (uintptr_t)module.dli_fbase,
                               one->name, sizeof(one->name));
        if (one->name[0] == '\0' && module.dli_sname != NULL) {
            (void)snprintf(one->name, sizeof(one->name), "%s", module.dli_sname);
        }
        one->name[strcspn(one->name, ".")] = '\0'; /* ".part.0", ".cold" */
    }
    (void)snprintf(buffer, size, "%s", one->code == code ? one->name : "");
}

/* A static of a function is "Count.2" for one compiler, "Function.Count" for another. */
static void plain_name(char *name) {
    const char *dot = strchr(name, '.');
    if (dot != NULL && (dot[1] < '0' || dot[1] > '9')) {
        memmove(name, dot + 1, strlen(dot));
    }
    name[strcspn(name, ".")] = '\0';
}

void sim_host_variable(uintptr_t address, char *buffer, size_t size, uint64_t *offset) {
    static struct variable {
        uintptr_t address;
        uintptr_t start;
        char name[FUNCTION_BYTES];
    } known[FUNCTION_COUNT];
    struct variable *one = &known[address / 8 % FUNCTION_COUNT];
    Dl_info module;
    if (one->address != address && dladdr((void *)address, &module) != 0 &&
        module.dli_fname != NULL) {
        uintptr_t base = (uintptr_t)module.dli_fbase;
        one->address = address;
        sim_host_file_variable(file_of(module.dli_fname), address - base, one->name,
                               sizeof(one->name), &one->start);
        one->start += base;
        if (one->name[0] == '\0' && module.dli_sname != NULL) {
            (void)snprintf(one->name, sizeof(one->name), "%s", module.dli_sname);
            one->start = (uintptr_t)module.dli_saddr;
        }
        plain_name(one->name);
    }
    *offset = one->address == address ? address - one->start : 0;
    (void)snprintf(buffer, size, "%s", one->address == address ? one->name : "");
}
