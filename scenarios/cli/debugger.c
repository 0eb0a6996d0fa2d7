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

#define FIXED_WORDS 12u

__attribute__((noinline)) void scn_debugger_stop(void) {
    __asm__ volatile("" ::: "memory");
}

/* The debugger's own words up to the program's path. Returns how many. */
static size_t put_debugger(const char **words, const char *function, char *command, size_t size) {
    size_t count = 0;

#if defined(__APPLE__)
    snprintf(command, size, "breakpoint set --name %s", function);
    words[count++] = "lldb";
    words[count++] = "-o";
    words[count++] = command;
    words[count++] = "-o";
    words[count++] = "run";
    words[count++] = "--";
#else
    snprintf(command, size, "break %s", function);
    words[count++] = "gdb";
    words[count++] = "-q";
    words[count++] = "-iex";
    words[count++] = "set debuginfod enabled off";
    words[count++] = "-ex";
    words[count++] = command;
    words[count++] = "-ex";
    words[count++] = "run";
    words[count++] = "--args";
#endif
    return count;
}

int scn_debugger_become(const struct scn_options *options, const char *function) {
    const char **words = calloc((size_t)options->word_count + FIXED_WORDS + 2, sizeof(*words));
    char program[4096], command[256];
    size_t count;

    SIM_ASSERT(words != NULL);
    sim_host_program(program, sizeof(program));
    count = put_debugger(words, function, command, sizeof(command));
    words[count++] = program;
    words[count++] = scn_command_of(options->command)->name;
    for (int i = 0; i < options->word_count; i++)
        if (strcmp(options->words[i], "--gdb") != 0)
            words[count++] = options->words[i];
    execvp(words[0], (char *const *)(uintptr_t)words);
    fprintf(stderr, "ndksim: --gdb: %s cannot be started: %s\n", words[0], strerror(errno));
    free(words);
    return SIM_VERDICT_USAGE;
}
