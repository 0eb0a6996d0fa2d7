/* SPDX-License-Identifier: Apache-2.0 */
/* `ndksim build-driver`: a module from the sources of somebody's Windows driver. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <krn/driver.h>
#include <sim/finding.h>

#include "build/driver.h"
#include "cli/options.h"
#include "report/plural.h"
#include "run/devices.h"

static bool take_kind(const struct scn_options *options, enum build_kind *kind) {
    return options->build.kind == NULL || build_kind_take(options->build.kind, kind);
}

static void take_list(struct build_list *list, const char *const *texts, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        build_list_add(list, "%s", texts[i]);
}

static bool take_operands(const struct scn_options *options, struct build_driver *driver) {
    for (uint32_t i = 0; i < options->operand_count; i++) {
        const char *word = options->operands[i];

        if (word[0] == '@') {
            if (!build_response_read(driver, word + 1))
                return false;
        } else {
            build_list_add(&driver->sources, "%s", word);
        }
    }
    return options->build.project == NULL || build_project_read(driver, options->build.project);
}

/*
 * A shim's own header, if it has one, says what the driver's sources need to see of it. It stands
 * in front of them, so that nobody has included what it says it with.
 */
static void take_shims(const struct scn_options *options, struct build_driver *driver) {
    take_list(&driver->shims, options->build.shims, options->build.shim_count);
    for (size_t i = 0; i < driver->shims.count; i++) {
        char header[2048];
        char *dot;

        snprintf(header, sizeof(header), "%s", driver->shims.items[i]);
        dot = strrchr(header, '.');
        if (dot == NULL)
            continue;
        snprintf(dot, sizeof(header) - (size_t)(dot - header), ".h");
        if (access(header, R_OK) == 0)
            build_list_add(&driver->includes, "%s", header);
    }
}

/* "src/nvmf.c" gives "nvmf.so". */
static const char *default_output(const struct build_driver *driver, char *name, size_t size) {
    const char *source = driver->sources.items[0], *slash = strrchr(source, '/');
    const char *base = slash != NULL ? slash + 1 : source, *dot = strrchr(base, '.');

    snprintf(name, size, "%.*s.so", dot != NULL ? (int)(dot - base) : (int)strlen(base), base);
    return name;
}

static bool are_sources_files(const struct build_driver *driver) {
    if (driver->sources.count == 0)
        return build_fail("no sources: name .c files, @FILE or --vcxproj FILE");
    for (size_t i = 0; i < driver->sources.count; i++) {
        const char *dot = strrchr(driver->sources.items[i], '.');

        if (dot == NULL || (strcmp(dot, ".c") != 0 && strcmp(dot, ".C") != 0))
            return build_fail("%s: expected a C source (.c)", driver->sources.items[i]);
    }
    return true;
}

/* What compile_commands.json refers to stays there. */
#define COMMANDS_FOLDER "ndksim-build"

static bool make_scratch(const struct scn_options *options, struct build_driver *driver) {
    const char *folder = getenv("TMPDIR");

    if (options->build.prepare != NULL || options->build.writes_commands) {
        driver->only_prepare = options->build.prepare != NULL;
        driver->keeps_scratch = true;
        return build_path_whole(driver->only_prepare ? options->build.prepare : COMMANDS_FOLDER,
                                driver->scratch, sizeof(driver->scratch));
    }
    snprintf(driver->scratch, sizeof(driver->scratch), "%.900s/ndksim-build-XXXXXX",
             folder != NULL && *folder != '\0' ? folder : "/tmp");
    return mkdtemp(driver->scratch) != NULL ||
           build_fail("%s: cannot be made: %s", driver->scratch, strerror(errno));
}

static void no_fault(void *context, const char *name, const char *about) {
    (void)context;
    (void)name;
    (void)about;
}

/* Whether this program would load it: every name it needs is here. */
static bool is_loadable(const struct build_driver *driver) {
    struct krn_image *image;
    char error[512];

    if (driver->kind == BUILD_ASAN || driver->kind == BUILD_COVERAGE)
        return true; /* what it needs comes with the program that runs it */
    if (driver->is_device)
        return scn_device_model(NULL, driver->output, &image, error, sizeof(error)) != NULL ||
               build_fail("%s", error);
    return krn_module_faults(driver->output, no_fault, NULL, error, sizeof(error)) ||
           build_fail("%s", error);
}

/* How to read what runs of it leave. */
static void say_coverage(const struct build_driver *driver) {
    if (driver->kind != BUILD_COVERAGE)
        return;
    if (driver->is_clang)
        printf("its runs count in %s/%s-*.profraw: llvm-profdata merge, llvm-cov show %s\n",
               driver->coverage, driver->name, driver->output);
    else
        printf("its runs count in %s: gcov -o %s/FILE.gcda FILE, gcovr, lcov\n", driver->coverage,
               driver->coverage);
}

static bool build(struct build_driver *driver) {
    if (!driver->is_device && !build_prepare(driver))
        return false;
    if (driver->only_prepare) {
        if (!build_keep(driver))
            return false;
        if (!driver->is_quiet)
            printf("%s\n", driver->forwarders);
        return true;
    }
    if (!driver->only_missing && !build_folders_make(driver->output))
        return false;
    if (!build_compile(driver))
        return false;
    if (driver->only_missing)
        return true;
    if (!is_loadable(driver))
        return false;
    if (driver->is_quiet)
        return true;
    printf("%s: built from %zu source%s, %u warning%s about widths and includes\n", driver->output,
           driver->sources.count + driver->shims.count,
           scn_plural(driver->sources.count + driver->shims.count), driver->warning_count,
           scn_plural(driver->warning_count));
    if (driver->writes_commands)
        printf("compile_commands.json is written; the headers that it needs are in %s/\n",
               COMMANDS_FOLDER);
    say_coverage(driver);
    return true;
}

static const char *compiler_of(const struct scn_options *options) {
    const char *given = getenv("CC");

    if (options->build.compiler != NULL)
        return options->build.compiler;
    return given != NULL && *given != '\0' ? given : "cc";
}

int scn_command_build_driver(const struct scn_options *options) {
    struct build_driver driver = {
        .compiler = compiler_of(options),
        .headers = scn_include_dir(),
        .is_verbose = options->verbosity > 1,
        .is_quiet = options->verbosity == 0,
        .is_device = options->build.is_device,
        .only_missing = options->build.only_missing,
        .writes_commands = options->build.writes_commands,
        .is_instrumented = options->build.instruments,
        .output = options->build.output,
    };
    char name[512];
    bool is_good;

    take_list(&driver.folders, options->build.folders, options->build.folder_count);
    take_list(&driver.defines, options->build.defines, options->build.define_count);
    take_shims(options, &driver);
    is_good = take_kind(options, &driver.kind) && take_operands(options, &driver) &&
              are_sources_files(&driver) && make_scratch(options, &driver);
    if (is_good && driver.output == NULL)
        driver.output = default_output(&driver, name, sizeof(name));
    is_good = is_good && build_kind_prepare(&driver) && build(&driver);
    if (driver.scratch[0] != '\0' && !driver.keeps_scratch)
        build_folder_drop(driver.scratch);
    build_driver_free(&driver);
    return is_good ? SIM_VERDICT_HELD : SIM_VERDICT_USAGE;
}
