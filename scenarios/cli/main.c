/* SPDX-License-Identifier: Apache-2.0 */
/* The program `ndksim`: finds the command, parses its options, acts. */
#include <fcntl.h>
#include <signal.h>
#include <sim/finding.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/options.h"
#include "cli/outputs.h"
#include "cli/results.h"
#include "cli/twin.h"
#include "parse/complain.h"
#include "parse/diagnostic.h"
#include "report/report.h"

#ifndef NDKSIM_VERSION
#define NDKSIM_VERSION "unknown"
#endif

static void help(FILE *stream) {
    fprintf(stream, "ndksim: kernel RDMA drivers in a deterministic simulation\n"
                    "usage: ndksim COMMAND ... (ndksim COMMAND --help)\n\ncommands:\n");
    for (size_t i = 0; scn_command_at(i) != NULL; i++) {
        const struct scn_command *command = scn_command_at(i);

        fprintf(stream, "  %-12s %-17s %s\n", command->name,
                command->bit == SCN_LIST ? "WHAT" : command->operands, command->about);
    }
    fprintf(stream, "\nexit: 0 held, 1 expectation failed, 2 usage or input, 3 rule broken, "
                    "4 stuck,\n      5 runs differed, 6 bugcheck, 7 did not recur, "
                    "130 interrupted, 134 internal\n");
}

static int unknown_command(const char *word) {
    const char *names[SCN_OPTION_LIST_MAX], *nearest;
    size_t known = 0;

    for (size_t i = 0; scn_command_at(i) != NULL; i++)
        names[known++] = scn_command_at(i)->name;
    nearest = scn_nearest(word, names, known);
    if (nearest != NULL)
        scn_complain("there is no command \"%s\"; did you mean \"%s\"?", scn_shown(word), nearest);
    else
        scn_complain("there is no command \"%s\" (see ndksim --help)", scn_shown(word));
    return SIM_VERDICT_USAGE;
}

/* Who reads JSON gets some, whatever was wrong. */
static int tell_error(bool is_json, int exit_code) {
    if (exit_code != SIM_VERDICT_USAGE || !is_json || scn_json_has_begun())
        return exit_code;
    printf("{\n  \"verdict\": \"%s\", \"exit\": %d,\n  \"reason\": ",
           sim_verdict_name((enum sim_verdict)exit_code), exit_code);
    scn_json_string(stdout, scn_first_complaint());
    fputs("\n}\n", stdout);
    return exit_code;
}

static bool asks_json(int count, char **words) {
    for (int i = 2; i < count; i++)
        if (strcmp(words[i], "--json") == 0)
            return true;
    return false;
}

/* What was printed may be all that is left of a run: a full disk is no success. */
static int with_output(int exit_code) {
    return scn_output_flush() || exit_code != SIM_VERDICT_HELD ? exit_code : SIM_VERDICT_USAGE;
}

/*
 * A descriptor that the caller has closed would be the next file's, and be written to as output.
 * What was to go to standard output is then lost, and an error as on a full disk.
 */
static void open_standard(void) {
    for (int file = 0; file <= 2; file++)
        if (fcntl(file, F_GETFD) < 0)
            (void)open("/dev/null", file == 1 ? O_RDONLY : O_RDWR);
}

/* What the program's own stack may need; drivers have stacks of their own. */
#define STACK_BYTES ((rlim_t)1024 * 1024)

/* A stack limit that is too low is raised as far as the host allows; it holds at once. */
static bool make_stack(void) {
    struct rlimit limit;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_BYTES)
        return true;
    if (limit.rlim_max < STACK_BYTES)
        limit.rlim_max = STACK_BYTES;
    limit.rlim_cur = STACK_BYTES;
    return setrlimit(RLIMIT_STACK, &limit) == 0;
}

static int act(int count, char **words) {
    const struct scn_command *command = scn_command_find(words[1]);
    struct scn_options options;

    if (command == NULL)
        return unknown_command(words[1]);
    if (!scn_options_parse(command->bit, count - 2, words + 2, &options))
        return SIM_VERDICT_USAGE;
    if (options.help) {
        scn_options_help(command->bit);
        return SIM_VERDICT_HELD;
    }
    if (!scn_outputs_check(&options) || !scn_twin_become(&options, words))
        return SIM_VERDICT_USAGE;
    return command->act(&options);
}

int main(int count, char **words) {
    open_standard();
    if (!make_stack()) {
        fprintf(stderr,
                "ndksim: the limit of the stack (ulimit -s) is below %u KiB, and may not "
                "be raised\n",
                (unsigned)(STACK_BYTES / 1024));
        return SIM_VERDICT_USAGE;
    }
    /* A limit on the size of files is an error of the write, as a full disk is. */
    signal(SIGXFSZ, SIG_IGN);
    if (count < 2) {
        help(stderr);
        return SIM_VERDICT_USAGE;
    }
    if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0 ||
        strcmp(words[1], "help") == 0) {
        help(stdout);
        return with_output(0);
    }
    if (strcmp(words[1], "--version") == 0) {
        printf("ndksim %s\n", NDKSIM_VERSION);
        return with_output(0);
    }
    return with_output(tell_error(asks_json(count, words), act(count, words)));
}
