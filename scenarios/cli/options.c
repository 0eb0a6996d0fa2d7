/* SPDX-License-Identifier: Apache-2.0 */
/* One table of options and one of commands. See options.h. */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#include "cli/strategies.h"
#include "parse/complain.h"
#include "parse/units.h"

static const struct scn_option table[] = {
    {"--seed", NULL, "N", SCN_RUNNING,
     "Seed of all random draws (fuzz: of the first run; replay: instead of what is recorded)."},
    {"--set", NULL, "PATH=VALUE", SCN_RUNNING | SCN_CHECK | SCN_RECORDED | SCN_REGRESS,
     "Change the scenario, as in nodes.client.cpus=1. Repeatable."},
    {"--rule", NULL, "ID=LEVEL:REASON", SCN_RUNNING | SCN_SHRINK | SCN_REGRESS,
     "Severity of a verifier rule: error, warn or off. Repeatable."},
    {"--rule", NULL, "ID", SCN_CONFORM | SCN_EXPLAIN, "This rule only. Repeatable."},
    {"--driver", NULL, "NAME=MODULE", SCN_RUNNING | SCN_RECORDED | SCN_REGRESS,
     "Load another module for a driver (node.driver or driver). Repeatable."},
    {"--device", NULL, "NODE.ADAPTER=MODULE", SCN_RUNNING | SCN_RECORDED | SCN_REGRESS,
     "Give an adapter another device: a device model's module, or rnic. Repeatable."},
    {"--driver", NULL, "MODULE", SCN_CONFORM, "The provider: a shipped driver or a path."},
    {"--device", NULL, "MODULE", SCN_CONFORM, "The provider's hardware: a device model's module."},
    {"--claims", NULL, "FILE", SCN_CONFORM,
     "The rules that the provider is held to, and why not the others; without it all are."},
    {"--log", NULL, "FILE", SCN_RUNNING | SCN_SHRINK,
     "Write the drivers' own output and the NDK calls, with time, CPU, IRQL and place (fuzz: of "
     "the "
     "first run that failed; shrink: of the last run)."},
    {"--trace", NULL, "FILE", SCN_RUNNING | SCN_SHRINK,
     "Write every trace record as a line (fuzz: as for --log)."},
    {"--pcap", NULL, "[TAP=]FILE", SCN_RUNNING | SCN_SHRINK,
     "Write what crosses the wire as pcapng (fuzz: as for --log). Repeatable. TAP is an adapter, "
     "port, switch or link, with :before or :after the faults; without one: each frame once, where "
     "it was made."},
    {"--ports", NULL, "FILE", SCN_RUNNING | SCN_SHRINK,
     "Write the ports' counters as JSON (fuzz: as for --log)."},
    {"--files", NULL, "DIR", SCN_RUN,
     "Write the files that drivers wrote (ZwWriteFile) below DIR/NODE when the run is over."},
    {"--junit", NULL, "FILE", SCN_RUNNING | SCN_CONFORM | SCN_MERGE | SCN_REGRESS,
     "Write results as JUnit XML: a case for each scenario and cell, in fuzz for each distinct "
     "failure too."},
    {"--json", NULL, NULL,
     SCN_RUNNING | SCN_CHECK | SCN_LIST | SCN_CONFORM | SCN_MERGE | SCN_RECORDED | SCN_REGRESS,
     "Print the result as JSON, and nothing else on standard output. An object; an array of "
     "objects by list, regress and explain --rule, and by run, check, fuzz and merge where there "
     "is more than one result. docs/json.md names the members."},
    {"--until", NULL, "TIME", SCN_RUNNING, "Stop at this virtual time, as in 1.5ms."},
    {"--checks", NULL, "N", SCN_RUNNING,
     "Look at the simulation's own invariants every N steps (fuzz: 4096 unless given; run, replay: "
     "only when it ends)."},
    {"--pool", NULL, "special", SCN_RUNNING,
     "Give each pool block pages of its own, protected once freed."},
    {"--keep-going", NULL, NULL, SCN_RUNNING, "Collect all findings instead of ending at one."},
    {"--blame", NULL, "consumer|provider", SCN_RUNNING,
     "Only rules that this side broke count; others are warnings."},
    {"--twice", NULL, NULL, SCN_RUN, "Run twice and compare the digests."},
    {"--record", NULL, "FILE", SCN_RUN, "Write the run as .ndkrun, whatever came of it."},
    {"--runs", NULL, "N", SCN_FUZZ, "How many runs; 1000 unless the scenario says."},
    {"--time", NULL, "TIME", SCN_FUZZ, "Stop after this much real time, as in 10min."},
    {"--jobs", NULL, "N", SCN_FUZZ | SCN_CONFORM, "Worker processes; one per CPU when absent."},
    {"--output", "-o", "FILE", SCN_SHRINK,
     "Write the smaller record there; \"-small\" is added to the name when absent."},
    {"--runs", NULL, "N", SCN_SHRINK, "How many trials at most; 20000 unless given."},
    {"--time", NULL, "TIME", SCN_SHRINK, "Stop after this much real time with the best so far."},
    {"--strategy", NULL, "NAME[:N]", SCN_FUZZ,
     "Which orders the runs try (ndksim list strategies); portfolio when absent. Where sweep lets "
     "something fail, statuses and expectations are not judged, but those with \"in\": \"every\"."},
    {"--focus", NULL, "PATTERN", SCN_FUZZ,
     "Whose steps are reordered most, as in 'init.qp[*]'; \"none\": nobody's more than others'. "
     "Objects that come and go when absent."},
    {"--output", "-o", "FILE", SCN_BUILD_DRIVER,
     "The module; the first source's name with .so, here, when absent."},
    {"--device", NULL, NULL, SCN_BUILD_DRIVER,
     "The sources are a device model's (<device/device.h>), not a driver's."},
    {"--consumer", NULL, NULL, SCN_INIT, "Of a consumer; so it is when none of these is given."},
    {"--provider", NULL, NULL, SCN_INIT, "Of a provider over the built-in device."},
    {"--device", NULL, NULL, SCN_INIT, "Of a device model and a driver of it."},
    {"--include-dir", "-I", "DIR", SCN_BUILD_DRIVER, "Look for headers here. Repeatable."},
    {"--define", "-D", "NAME[=VALUE]", SCN_BUILD_DRIVER, "Define a macro. Repeatable."},
    {"--vcxproj", NULL, "FILE", SCN_BUILD_DRIVER,
     "Take sources, include folders and definitions from a Visual Studio project."},
    {"--shim", NULL, "FILE", SCN_BUILD_DRIVER,
     "A source of yours for what is missing; its header of the same name goes in front of each "
     "source, behind <ntddk.h>. Repeatable."},
    {"--kind", NULL, "KIND", SCN_BUILD_DRIVER, "optimised (when absent), debug, coverage or asan."},
    {"--instrument", NULL, NULL, SCN_BUILD_DRIVER,
     "Loads and stores are schedule points, and data races are found (R-OWN-20)."},
    {"--compiler", NULL, "COMMAND", SCN_BUILD_DRIVER, "The C compiler; else $CC, else cc."},
    {"--missing", NULL, NULL, SCN_BUILD_DRIVER,
     "Build nothing; list the names that neither the driver nor ndksim has, with their uses."},
    {"--compile-commands", NULL, NULL, SCN_BUILD_DRIVER,
     "Write compile_commands.json for editors too, and the headers it needs in ndksim-build/."},
    {"--prepare", NULL, "DIR", SCN_BUILD_DRIVER,
     "Compile nothing; keep the folder of forwarding headers in DIR and print it (for build "
     "systems)."},
    {"--annotate", NULL, "github", SCN_RUN | SCN_REPLAY | SCN_REGRESS,
     "Print each failure as an annotation at its place in the source."},
    {"--stop-after", NULL, "N", SCN_FUZZ, "Stop at the N-th distinct failure that is not known."},
    {"--shard", NULL, "I/N", SCN_FUZZ,
     "Do the I-th of N parts of the runs, as in 2/8; ndksim merge adds the parts up. The runs are "
     "as many as in one campaign, and other ones."},
    {"--known", NULL, "DIR", SCN_FUZZ,
     "Failures that a record in DIR shows are counted and do not fail the campaign. Repeatable."},
    {"--coverage", NULL, "FILE", SCN_FUZZ | SCN_MERGE, "Write what the runs have seen as JSON."},
    {"--coverage-report", NULL, "FILE|-", SCN_FUZZ | SCN_MERGE,
     "Write what the runs have never seen: states, transitions, events, faults, orders."},
    {"--out", NULL, "DIR", SCN_FUZZ,
     "Where failing runs and the campaign are kept, made with the folders above it; out when "
     "absent."},
    {"--out", "-o", "DIR", SCN_MERGE, "Write the sum and the records of its failures here."},
    {"--at", NULL, "TIME", SCN_DUMP,
     "The virtual time to look at, as in 1.5ms; else the run's end."},
    {"--step", NULL, "N", SCN_DUMP, "The step to look at (--verbose and dump say their numbers)."},
    {"--back", NULL, "N", SCN_DUMP, "So many steps before that."},
    {"--gdb", NULL, NULL, SCN_RUN | SCN_REPLAY | SCN_DUMP,
     "Under a debugger (lldb on macOS): stops at the finding (run, replay) or the moment (dump). "
     "gdb knows `ndksim tasks` and `ndksim bt N` there."},
    {"--break", NULL, "FILE:LINE", SCN_RUN | SCN_REPLAY | SCN_DUMP,
     "With --gdb: stop there too, in each node's copy of the module. Repeatable."},
    {"--bisect", NULL, NULL, SCN_REPLAY,
     "Exit as `git bisect run` asks: 1 it recurs, 0 it does not, 125 cannot be told."},
    {"--object", NULL, "NAME", SCN_EXPLAIN,
     "All that happened to objects of that name or pattern."},
    {"--request", NULL, "N", SCN_EXPLAIN, "The path of that request, from its call to its result."},
    {"--runs", NULL, "N", SCN_LIKELIHOOD, "How often the run goes on from each point; 64."},
    {"--verbose", "-v", NULL, SCN_RUNNING | SCN_CHECK | SCN_MERGE | SCN_BUILD_DRIVER, "Say more."},
    {"--quiet", "-q", NULL,
     SCN_RUNNING | SCN_CHECK | SCN_CONFORM | SCN_MERGE | SCN_SHRINK | SCN_REGRESS |
         SCN_BUILD_DRIVER,
     "Print results only."},
    {"--help", "-h", NULL, ~0u, "Show this."},
};

static const struct scn_command commands[] = {
    {"run", SCN_RUN, "SCENARIO...", 1, SCN_OPERAND_MAX, "Run scenarios once each and judge them.",
     scn_command_run},
    {"check", SCN_CHECK, "SCENARIO...", 1, SCN_OPERAND_MAX,
     "Say what is wrong with scenario files, without running them.", scn_command_check},
    {"fuzz", SCN_FUZZ, "SCENARIO...", 1, SCN_OPERAND_MAX,
     "Run scenarios many times in random orders; keep what fails.", scn_command_fuzz},
    {"regress", SCN_REGRESS, "DIR...", 1, SCN_OPERAND_MAX,
     "Run all records of a folder again; say which failures are there.", scn_command_regress},
    {"merge", SCN_MERGE, "DIR...", 1, SCN_OPERAND_MAX,
     "Add up campaigns that fuzz left in folders.", scn_command_merge},
    {"replay", SCN_REPLAY, "RUN", 1, 1, "Run a recorded run again.", scn_command_replay},
    {"shrink", SCN_SHRINK, "RUN", 1, 1, "Cut a recorded failure down to what matters.",
     scn_command_shrink},
    {"conform", SCN_CONFORM, "--driver MODULE", 0, 0,
     "Try an NDK provider on every rule that binds providers.", scn_command_conform},
    {"explain", SCN_EXPLAIN, "[RUN]", 0, 1,
     "Tell what matters of a recorded run, or what a rule wants.", scn_command_explain},
    {"dump", SCN_DUMP, "RUN [WHAT...]", 1, SCN_OPERAND_MAX,
     "Show a moment of a recorded run: irql, stacks, locks, pool, objects, or by name.",
     scn_command_dump},
    {"diff", SCN_DIFF, "RUN RUN", 2, 2, "Show where two recorded runs part, and what followed.",
     scn_command_diff},
    {"likelihood", SCN_LIKELIHOOD, "RUN", 1, 1,
     "Show how probable a recorded failure is, from points along its run.", scn_command_likelihood},
    {"init", SCN_INIT, "DIR", 1, 1, "Make a small project that builds and passes.",
     scn_command_init},
    {"build-driver", SCN_BUILD_DRIVER, "SOURCE... [@FILE]", 0, SCN_OPERAND_MAX,
     "Build a module from a driver's C sources, as they are.", scn_command_build_driver},
    {"list", SCN_LIST,
     "drivers|consumers|devices|checks|faults|classes|objects|quirks|rules|statuses|events|"
     "bugchecks|limits|invariants|strategies [MODULE...]",
     1, SCN_OPERAND_MAX, "List what scenarios can name.", scn_command_list},
};

const char *scn_out_dir(const struct scn_options *options) {
    return options->out_dir != NULL ? options->out_dir : "out";
}

const struct scn_option *scn_option_at(size_t index) {
    return index < SIM_ARRAY_COUNT(table) ? &table[index] : NULL;
}

const struct scn_command *scn_command_at(size_t index) {
    return index < SIM_ARRAY_COUNT(commands) ? &commands[index] : NULL;
}

const struct scn_command *scn_command_find(const char *name) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(commands); i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

const struct scn_command *scn_command_of(enum scn_command_bit bit) {
    size_t index = 0;

    while (commands[index].bit != bit)
        index++;
    return &commands[index];
}

void scn_options_help(enum scn_command_bit command) {
    const struct scn_command *self = scn_command_of(command);
    char left[64];

    printf("usage: ndksim %s %s [options]\n%s\n\noptions:\n", self->name, self->operands,
           self->about);
    for (size_t i = 0; i < SIM_ARRAY_COUNT(table); i++) {
        if ((table[i].commands & (uint32_t)command) == 0)
            continue;
        snprintf(left, sizeof(left), "%s%s%s%s%s", table[i].brief != NULL ? table[i].brief : "",
                 table[i].brief != NULL ? ", " : "", table[i].name,
                 table[i].value != NULL ? " " : "", table[i].value != NULL ? table[i].value : "");
        printf("  %-26s%s%s\n", left, strlen(left) > 26 ? "\n                             " : " ",
               table[i].about);
    }
    if (command == SCN_LIST)
        fputs("\nwhat they are for:\n"
              "  drivers, consumers  \"load\" of drivers, --driver\n"
              "  devices             \"device\" of adapters and its settings; MODULE: of that one\n"
              "  limits, quirks      \"limits\" and \"quirks\" of adapters; MODULE: that driver's\n"
              "  faults              \"point\" of faults; MODULE: those of that driver or device\n"
              "  classes             \"class\" of faults: what kinds of frames there are\n"
              "  objects             \"on\" and \"object\", --focus, --object: how objects are "
              "named;\n"
              "                      which ones a run had: ndksim dump RUN objects\n"
              "  events              \"event\" of triggers and expectations\n"
              "  rules, bugchecks    \"finding\" of expectations, --rule, explain --rule\n"
              "  strategies          --strategy\n"
              "  statuses            which shipped scenario shows a status\n"
              "  checks, invariants  what Driver Verifier checks, and where; what --checks looks "
              "at\n",
              stdout);
    if (command == SCN_DIFF)
        printf(
            "\nexit: 0 the runs do not part, 1 they do, 2 wrong usage, or records that cannot be "
            "compared\n");
    if (command == SCN_CONFORM)
        printf("\nexit: 0 no rule is broken, 3 one is, 2 wrong usage, or the module is no NDK "
               "provider or does\n      not load, 130 interrupted\n");
}

static bool wrong(const char *option, const char *value, const char *what) {
    scn_complain("%s %s: %s", option, scn_shown(value), scn_shown(what));
    return false;
}

static bool append(const char *option, const char *value, const char **list, uint32_t *count) {
    if (*count == SCN_OPTION_LIST_MAX)
        return wrong(option, value, "given too often");
    list[(*count)++] = value;
    return true;
}

static bool take_unit(const char *option, const char *value, enum scn_unit unit, uint64_t *number) {
    const char *reason = scn_unit_parse(unit, value, number);
    char text[256];

    if (reason == NULL)
        return true;
    if (unit == SCN_UNIT_COUNT)
        return wrong(option, value, reason);
    snprintf(text, sizeof(text), "%s; expected %s", reason, scn_unit_example(unit));
    return wrong(option, value, text);
}

static bool take_positive(const char *option, const char *value, uint64_t *number) {
    if (!take_unit(option, value, SCN_UNIT_COUNT, number))
        return false;
    return *number > 0 || wrong(option, value, "at least 1");
}

static bool take_text(const char *name, const char *value, struct scn_options *options) {
    const struct {
        const char *name;
        const char **slot;
    } slots[] = {
        {"--log", &options->log_file},          {"--trace", &options->trace_file},
        {"--ports", &options->ports_file},      {"--files", &options->files_dir},
        {"--junit", &options->junit_file},      {"--out", &options->out_dir},
        {"--record", &options->record_file},    {"--coverage", &options->coverage_file},
        {"--output", &options->build.output},   {"--vcxproj", &options->build.project},
        {"--kind", &options->build.kind},       {"--compiler", &options->build.compiler},
        {"--prepare", &options->build.prepare}, {"--coverage-report", &options->coverage_report},
        {"--object", &options->object},
    };
    size_t at = 0;

    if (*value == '\0')
        return wrong(name, value, "a path is wanted");
    if (options->command == SCN_SHRINK && strcmp(name, "--output") == 0) {
        options->output_file = value;
        return true;
    }
    while (strcmp(slots[at].name, name) != 0)
        at++;
    *slots[at].slot = value;
    return true;
}

static bool take_jobs(const char *name, const char *value, struct scn_options *options) {
    uint64_t number;

    if (!take_positive(name, value, &number))
        return false;
    if (number > 256)
        return wrong(name, value, "at most 256");
    options->jobs = (uint32_t)number;
    return true;
}

/* "2/8" */
static bool take_shard(const char *name, const char *value, struct scn_options *options) {
    const char *slash = strchr(value, '/');
    uint64_t shard, count;
    char first[16];

    if (slash == NULL || slash - value >= (ptrdiff_t)sizeof(first))
        return wrong(name, value, "expected I/N, as in 2/8");
    snprintf(first, sizeof(first), "%.*s", (int)(slash - value), value);
    if (scn_unit_parse(SCN_UNIT_COUNT, first, &shard) != NULL ||
        scn_unit_parse(SCN_UNIT_COUNT, slash + 1, &count) != NULL || shard == 0 || shard > count ||
        count > 65536)
        return wrong(name, value, "expected I/N with 1 <= I <= N <= 65536, as in 2/8");
    options->shard = (uint32_t)shard;
    options->shard_count = (uint32_t)count;
    return true;
}

static bool take_set(const char *name, const char *value, struct scn_options *options) {
    if (options->set_count == SCN_OPTION_LIST_MAX)
        return wrong(name, value, "given too often");
    options->sets[options->set_count++].text = value;
    return true;
}

static bool take_module(const char *name, const char *value, struct scn_options *options) {
    options->module = value;
    return *value != '\0' || wrong(name, value, "a module is wanted");
}

static bool take_strategy(const char *name, const char *value, struct scn_options *options) {
    char error[256];

    options->strategy = value;
    return scn_strategy_check(value, error, sizeof(error)) || wrong(name, value, error);
}

static bool take_focus(const char *name, const char *value, struct scn_options *options) {
    options->focus = value;
    return *value != '\0' || wrong(name, value, "a pattern on names of objects, or none");
}

static bool take_annotate(const char *name, const char *value, struct scn_options *options) {
    options->annotate = value;
    return strcmp(value, "github") == 0 || wrong(name, value, "expected \"github\"");
}

static bool take_blame(const char *name, const char *value, struct scn_options *options) {
    options->blame = value;
    return strcmp(value, "consumer") == 0 || strcmp(value, "provider") == 0 ||
           wrong(name, value, "expected \"consumer\" or \"provider\"");
}

/* conform: what it is about. */
static bool is_of_provider(const char *name) {
    return strcmp(name, "--driver") == 0 || strcmp(name, "--device") == 0 ||
           strcmp(name, "--claims") == 0;
}

static bool take_provider(const char *name, const char *value, struct scn_options *options) {
    if (strcmp(name, "--driver") == 0)
        return take_module(name, value, options);
    if (strcmp(name, "--device") == 0)
        options->device_module = value;
    else
        options->claims_file = value;
    return *value != '\0' || wrong(name, value, "a path is wanted");
}

/* A module in the place of what the scenario names. */
static bool take_replacement(const char *name, const char *value, struct scn_options *options) {
    bool is_driver = strcmp(name, "--driver") == 0;

    if (strchr(value, '=') == NULL)
        return wrong(name, value,
                     is_driver ? "expected NAME=MODULE" : "expected NODE.ADAPTER=MODULE");
    return is_driver ? append(name, value, options->drivers, &options->driver_count)
                     : append(name, value, options->devices, &options->device_count);
}

static bool take_value(const char *name, const char *value, struct scn_options *options) {
    if (strcmp(name, "--seed") == 0) {
        options->has_seed = true;
        return take_unit(name, value, SCN_UNIT_COUNT, &options->seed);
    }
    if (strcmp(name, "--set") == 0)
        return take_set(name, value, options);
    if (strcmp(name, "--rule") == 0)
        return append(name, value, options->rules, &options->rule_count);
    if (options->command == SCN_CONFORM && is_of_provider(name))
        return take_provider(name, value, options);
    if (strcmp(name, "--driver") == 0 || strcmp(name, "--device") == 0)
        return take_replacement(name, value, options);
    if (strcmp(name, "--pcap") == 0)
        return *value != '\0' ? append(name, value, options->pcaps, &options->pcap_count)
                              : wrong(name, value, "a path is wanted");
    if (strcmp(name, "--include-dir") == 0)
        return append(name, value, options->build.folders, &options->build.folder_count);
    if (strcmp(name, "--define") == 0)
        return append(name, value, options->build.defines, &options->build.define_count);
    if (strcmp(name, "--break") == 0)
        return append(name, value, options->breaks, &options->break_count);
    if (strcmp(name, "--shim") == 0)
        return append(name, value, options->build.shims, &options->build.shim_count);
    if (strcmp(name, "--until") == 0)
        return take_unit(name, value, SCN_UNIT_MOMENT, &options->until_ns);
    if (strcmp(name, "--pool") == 0) {
        options->special_pool = true;
        return strcmp(value, "special") == 0 || wrong(name, value, "expected \"special\"");
    }
    if (strcmp(name, "--checks") == 0)
        return take_positive(name, value, &options->check_steps);
    if (strcmp(name, "--runs") == 0)
        return take_positive(name, value, &options->runs);
    if (strcmp(name, "--time") == 0)
        return take_unit(name, value, SCN_UNIT_DURATION, &options->time_ns) &&
               (options->time_ns > 0 || wrong(name, value, "more than no time is wanted"));
    if (strcmp(name, "--at") == 0) {
        options->has_at = true;
        return take_unit(name, value, SCN_UNIT_MOMENT, &options->at_ns);
    }
    if (strcmp(name, "--step") == 0)
        return take_positive(name, value, &options->step);
    if (strcmp(name, "--stop-after") == 0)
        return take_positive(name, value, &options->stop_after);
    if (strcmp(name, "--back") == 0)
        return take_positive(name, value, &options->back_steps);
    if (strcmp(name, "--request") == 0)
        return take_positive(name, value, &options->request);
    if (strcmp(name, "--strategy") == 0)
        return take_strategy(name, value, options);
    if (strcmp(name, "--focus") == 0)
        return take_focus(name, value, options);
    if (strcmp(name, "--blame") == 0)
        return take_blame(name, value, options);
    if (strcmp(name, "--jobs") == 0)
        return take_jobs(name, value, options);
    if (strcmp(name, "--annotate") == 0)
        return take_annotate(name, value, options);
    if (strcmp(name, "--shard") == 0)
        return take_shard(name, value, options);
    if (strcmp(name, "--known") == 0)
        return append(name, value, options->knowns, &options->known_count);
    return take_text(name, value, options);
}

static void take_flag(const char *name, struct scn_options *options) {
    if (strcmp(name, "--json") == 0)
        options->json = true;
    else if (strcmp(name, "--keep-going") == 0)
        options->keep_going = true;
    else if (strcmp(name, "--twice") == 0)
        options->twice = true;
    else if (strcmp(name, "--verbose") == 0)
        options->verbosity = 2;
    else if (strcmp(name, "--quiet") == 0)
        options->verbosity = 0;
    else if (strcmp(name, "--missing") == 0)
        options->build.only_missing = true;
    else if (strcmp(name, "--instrument") == 0)
        options->build.instruments = true;
    else if (strcmp(name, "--compile-commands") == 0)
        options->build.writes_commands = true;
    else if (strcmp(name, "--bisect") == 0)
        options->bisect = true;
    else if (strcmp(name, "--gdb") == 0)
        options->debug = true;
    else if (strcmp(name, "--device") == 0 && options->command == SCN_BUILD_DRIVER)
        options->build.is_device = true;
    else if (strcmp(name, "--consumer") == 0 || strcmp(name, "--provider") == 0 ||
             strcmp(name, "--device") == 0)
        options->kind = name + 2;
    else if (strcmp(name, "--help") == 0)
        options->help = true;
}

static const struct scn_option *find(const char *word, enum scn_command_bit command) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(table); i++)
        if ((table[i].commands & (uint32_t)command) != 0 &&
            (strcmp(table[i].name, word) == 0 ||
             (table[i].brief != NULL && strcmp(table[i].brief, word) == 0)))
            return &table[i];
    return NULL;
}

static bool unknown_option(const char *word, enum scn_command_bit command) {
    const char *names[SIM_ARRAY_COUNT(table)], *nearest;
    const char *name = scn_command_of(command)->name;
    size_t count = 0;

    for (size_t i = 0; i < SIM_ARRAY_COUNT(table); i++)
        if ((table[i].commands & (uint32_t)command) != 0)
            names[count++] = table[i].name;
    nearest = scn_nearest(word, names, count);
    if (nearest != NULL)
        scn_complain("%s does not know %s; did you mean %s?", name, scn_shown(word), nearest);
    else
        scn_complain("%s does not know %s (see ndksim %s --help)", name, scn_shown(word), name);
    return false;
}

/* A brief option that takes a value, with the value in the same word, as in -Iinc. */
static bool is_joined(const char *word, enum scn_command_bit command) {
    for (size_t i = 0; word[1] != '-' && word[2] != '\0' && i < SIM_ARRAY_COUNT(table); i++)
        if ((table[i].commands & (uint32_t)command) != 0 && table[i].brief != NULL &&
            table[i].value != NULL && strncmp(table[i].brief, word, 2) == 0)
            return true;
    return false;
}

/* "--name=value" becomes name and value; NULL when there is no value in the word. */
static const char *split(const char *word, enum scn_command_bit command, char *name, size_t size) {
    const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;

    if (is_joined(word, command)) {
        snprintf(name, size, "%.2s", word);
        return word + 2;
    }
    snprintf(name, size, "%.*s", equals != NULL ? (int)(equals - word) : (int)size - 1, word);
    return equals != NULL ? equals + 1 : NULL;
}

/* One option at words[*at]; takes the next word too when that is its value. */
static bool take_option(enum scn_command_bit command, int count, char **words, int *at,
                        struct scn_options *options) {
    const struct scn_option *option;
    const char *value;
    char name[64];

    value = split(words[*at], command, name, sizeof(name));
    option = find(name, command);
    if (option == NULL)
        return unknown_option(name, command);
    if (option->value == NULL) {
        if (value != NULL)
            return wrong(name, value, "takes no value");
        take_flag(option->name, options);
        return true;
    }
    if (value == NULL && *at + 1 < count)
        value = words[++*at];
    if (value == NULL)
        return wrong(name, option->value, "a value is wanted");
    return take_value(option->name, value, options);
}

/* Seeds of a campaign count up; the last one is 2^64 - 1. */
static bool has_room_for_seeds(const struct scn_options *options) {
    uint64_t runs = options->runs > 0 ? options->runs : options->time_ns > 0 ? UINT64_MAX / 2 : 1;
    char text[32];

    if (options->command != SCN_FUZZ || options->seed <= UINT64_MAX - (runs - 1))
        return true;
    snprintf(text, sizeof(text), "%llu", (unsigned long long)options->seed);
    return wrong("--seed", text, "the last run's seed would not fit in 64 bits");
}

bool scn_options_parse(enum scn_command_bit command, int count, char **words,
                       struct scn_options *options) {
    const struct scn_command *self = scn_command_of(command);
    bool only_operands = false;

    memset(options, 0, sizeof(*options));
    options->command = command;
    options->word_count = count;
    options->words = words;
    options->verbosity = 1;
    options->until_ns = SIM_TIME_NEVER;
    for (int i = 0; i < count; i++) {
        if (!only_operands && strcmp(words[i], "--") == 0)
            only_operands = true;
        else if (only_operands || words[i][0] != '-' || words[i][1] == '\0') {
            if (options->operand_count == SCN_OPERAND_MAX)
                return wrong("operand", words[i], "one too many");
            options->operands[options->operand_count++] = words[i];
        } else if (!take_option(command, count, words, &i, options)) {
            return false;
        }
    }
    if (options->help)
        return true;
    if (options->operand_count < self->operands_min ||
        options->operand_count > self->operands_max) {
        scn_complain("usage: ndksim %s %s (see ndksim %s --help)", self->name, self->operands,
                     self->name);
        return false;
    }
    return has_room_for_seeds(options);
}
