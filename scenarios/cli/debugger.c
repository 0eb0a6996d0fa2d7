/* SPDX-License-Identifier: Apache-2.0 */
/* See debugger.h. */
#include "cli/debugger.h"

#include <errno.h>
#include <sim/finding.h>
#include <sim/host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/list.h"
#include "parse/complain.h"
#include "run/machine.h"

#define COMMAND_BYTES 4200u

__attribute__((noinline)) void scn_debugger_stop(void) {
    __asm__ volatile("" ::: "memory");
}

/* The debugger's own words up to the program's path. */
static void put_debugger(struct build_list *words, const struct scn_options *options,
                         const char *function) {
#if defined(__APPLE__)
    build_list_add_words(words, "lldb -o");
    build_list_add(words, "breakpoint set --name %s", function);
    for (uint32_t i = 0; i < options->break_count; i++) {
        const char *colon = strrchr(options->breaks[i], ':');

        build_list_add(words, "-o");
        build_list_add(words, "breakpoint set --file %.*s --line %s",
                       colon != NULL ? (int)(colon - options->breaks[i]) : 0, options->breaks[i],
                       colon != NULL ? colon + 1 : "0");
    }
    build_list_add_words(words, "-o run --");
#else
    char file[COMMAND_BYTES];

    build_list_add_words(words, "gdb -q -iex");
    build_list_add(words, "set debuginfod enabled off");
    /* Modules come later than breakpoints. */
    build_list_add(words, "-iex");
    build_list_add(words, "set breakpoint pending on");
    snprintf(file, sizeof(file), "%.4000s/debugger/ndksim-gdb.py", scn_data_dir());
    if (access(file, R_OK) == 0) {
        build_list_add(words, "-ix");
        build_list_add(words, "%s", file);
    }
    build_list_add(words, "-ex");
    build_list_add(words, "break %s", function);
    for (uint32_t i = 0; i < options->break_count; i++) {
        build_list_add(words, "-ex");
        build_list_add(words, "break %s", options->breaks[i]);
    }
    build_list_add_words(words, "-ex run --args");
#endif
}

/* Words of the command line that are the debugger's. */
static bool is_ours(const struct scn_options *options, int at) {
    const char *word = options->words[at];

    return strcmp(word, "--gdb") == 0 || strncmp(word, "--break=", 8) == 0 ||
           strcmp(word, "--break") == 0 ||
           (at > 0 && strcmp(options->words[at - 1], "--break") == 0);
}

int scn_debugger_become(const struct scn_options *options, const char *function) {
    struct build_list words = {0};
    char program[4096];

    if (options->json) {
        scn_complain("--gdb --json: a debugger's output is no JSON; give one of them");
        return SIM_VERDICT_USAGE;
    }
    put_debugger(&words, options, function);
    sim_host_program(program, sizeof(program));
    build_list_add(&words, "%s", program);
    build_list_add(&words, "%s", scn_command_of(options->command)->name);
    for (int i = 0; i < options->word_count; i++)
        if (!is_ours(options, i))
            build_list_add(&words, "%s", options->words[i]);
    execvp(words.items[0], words.items);
    scn_complain("--gdb: %s cannot be started: %s", words.items[0], strerror(errno));
    build_list_free(&words);
    return SIM_VERDICT_USAGE;
}
