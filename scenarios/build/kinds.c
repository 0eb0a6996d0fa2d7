/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a module of each kind is compiled and linked with, by the family of the compiler.
 *
 *   optimised    as the project's own release build
 *   debug        nothing is moved or left out
 *   coverage     gcc: --coverage, notes and counters beside the module; clang: instrumented
 *                profile, merged into one file for each module
 *   asan         AddressSanitizer and UBSan; their run-time is the program's, so that the module
 *                is linked without
 *
 * Each of them may be instrumented besides: each load and store calls the program (krn/race.h).
 */
#include <stdio.h>
#include <string.h>

#include "build/driver.h"

static const char *coverage_flags(const struct build_driver *driver) {
    return driver->is_clang ? "-O0 -fcoverage-mapping" : "-O0 --coverage";
}

static const char *compile_flags(const struct build_driver *driver) {
    switch (driver->kind) {
    case BUILD_OPTIMISED:
        return NDKSIM_DRIVER_OPTIMISED;
    case BUILD_DEBUG:
        return "-O0";
    case BUILD_COVERAGE:
        return coverage_flags(driver);
    case BUILD_ASAN:
        return "-O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined";
    }
    return "";
}

const char *build_kind_name(enum build_kind kind) {
    static const char *const names[] = {"optimised", "debug", "coverage", "asan"};

    return names[kind];
}

bool build_kind_take(const char *text, enum build_kind *kind) {
    for (int i = BUILD_OPTIMISED; i <= BUILD_ASAN; i++) {
        if (strcmp(text, build_kind_name((enum build_kind)i)) == 0) {
            *kind = (enum build_kind)i;
            return true;
        }
    }
    return build_fail("--kind %s: expected \"optimised\", \"debug\", \"coverage\" or \"asan\"",
                      text);
}

/* Counters of all copies in all processes add up in one file: the name has %m. */
static void add_profile(const struct build_driver *driver, struct build_list *command) {
    if (driver->kind == BUILD_COVERAGE && driver->is_clang)
        build_list_add(command, "-fprofile-instr-generate=%s/%s-%%m.profraw", driver->coverage,
                       driver->name);
}

void build_kind_compile(const struct build_driver *driver, struct build_list *command) {
    build_list_add_words(command, compile_flags(driver));
    add_profile(driver, command);
    if (driver->is_instrumented)
        build_list_add_words(command, driver->is_clang ? NDKSIM_DRIVER_INSTRUMENT_CLANG
                                                       : NDKSIM_DRIVER_INSTRUMENT_GCC);
}

void build_kind_link(const struct build_driver *driver, struct build_list *command) {
#if defined(__APPLE__)
    build_list_add_words(command, "-bundle -undefined dynamic_lookup");
#else
    build_list_add_words(command, "-shared -Wl,-z,now");
#endif
    if (driver->kind == BUILD_COVERAGE && !driver->is_clang)
        build_list_add_words(command, "--coverage");
    add_profile(driver, command);
}

bool build_kind_prepare(struct build_driver *driver) {
    char whole[sizeof(driver->coverage)];
    const char *slash = strrchr(driver->output, '/'), *base = driver->output, *dot;

    if (slash != NULL)
        base = slash + 1;
    dot = strrchr(base, '.');
    snprintf(driver->name, sizeof(driver->name), "%.*s",
             dot != NULL ? (int)(dot - base) : (int)strlen(base), base);
    if (driver->kind != BUILD_COVERAGE)
        return true;
    snprintf(whole, sizeof(whole), "%.*s%s.coverage", (int)(base - driver->output), driver->output,
             driver->name);
    return build_path_whole(whole, driver->coverage, sizeof(driver->coverage));
}

/* A line of code that is the program's door to the counters. */
bool build_kind_source(struct build_driver *driver, struct build_list *sources) {
    char file[sizeof(driver->coverage) + 16];

    if (driver->kind != BUILD_COVERAGE)
        return true;
    snprintf(file, sizeof(file), "%s/door.c", driver->coverage);
    build_list_add(sources, "%s", file);
    return build_file_write(file, "#include <ndksim_coverage.h>\n");
}
