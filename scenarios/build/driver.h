/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building somebody's driver from its sources: what `ndksim build-driver` does.
 *
 *   gather (command line, response files, a .vcxproj) -> scan (includes, trace macros, widths)
 *     -> forwarders (a folder of headers with the spelling that the sources use) -> compile -> link
 *
 * The user's files are read only. Forwarders and objects stand in a scratch folder that goes at the
 * end, or in one that the caller names and keeps.
 */
#ifndef SCN_BUILD_DRIVER_H
#define SCN_BUILD_DRIVER_H

#include <sim/base.h>

#include "build/list.h"

enum build_kind { BUILD_OPTIMISED, BUILD_DEBUG, BUILD_COVERAGE, BUILD_ASAN };

struct build_driver {
    /* What is asked for. */
    struct build_list sources;
    struct build_list shims;    /* sources of the user that stand in for what is missing */
    struct build_list folders;  /* -I, in order */
    struct build_list defines;  /* -D without the -D */
    struct build_list includes; /* headers in front of each source */
    const char *output;         /* NULL: beside the first source, its folder's name */
    const char *compiler;       /* a command: cc, gcc-12, clang */
    enum build_kind kind;
    bool is_instrumented; /* loads and stores call the program */
    bool is_verbose;
    bool is_quiet;
    bool only_prepare; /* scan and write forwarders into `scratch`, compile nothing */
    bool is_device;    /* a device model: the host's headers, nothing of Windows */
    bool only_missing; /* list what ndksim does not know, build nothing */
    bool writes_commands;

    /* Where things are. */
    const char *headers; /* ndksim's include folder: wdk/ is in it */
    char scratch[1024];
    char forwarders[1100]; /* headers that forward, below the scratch folder */
    bool keeps_scratch;
    char coverage[1200]; /* KIND coverage: where notes and counters stay; whole path */
    char name[256];      /* the module's, without folder and .so */
    bool is_clang;       /* of the compiler */

    /* What was found. */
    struct build_list scanned; /* every file of the driver that an include reaches */
    struct build_list traces;  /* generated macros of its trace functions, a line each */
    bool has_guards;           /* set when a source that is scanned has a __try */
    struct build_list guarded; /* the sources that have one */
    struct build_list made;    /* forwarders and generated headers, as spelled and whole */
    uint32_t warning_count;
    uint32_t error_count;
};

void build_driver_free(struct build_driver *driver);

/* Reads a response file or Visual Studio project into `driver`; false with a message. */
bool build_response_read(struct build_driver *driver, const char *path);
bool build_project_read(struct build_driver *driver, const char *path);

/* Scans everything and writes the forwarders; false with a message. */
bool build_prepare(struct build_driver *driver);
/* `--prepare`: what a build system needs besides (kept.c); false with a message. */
bool build_keep(const struct build_driver *driver);
/* Compiles and links what was prepared; false with messages. */
bool build_compile(struct build_driver *driver);

/* "coverage"; false with a message for what is no kind. */
const char *build_kind_name(enum build_kind kind);
bool build_kind_take(const char *text, enum build_kind *kind);

/* For the parts of this room. */
void build_kind_compile(const struct build_driver *driver, struct build_list *command);
void build_kind_link(const struct build_driver *driver, struct build_list *command);
bool build_kind_prepare(struct build_driver *driver);
bool build_kind_source(struct build_driver *driver, struct build_list *sources);
/* It is compiled without optimisation: it has a guarded block, or may include one. */
bool build_has_guard(const struct build_driver *driver, const char *source);
/* Whether `compiler` is of clang's family; false with a message when it cannot be run. */
bool build_compiler_ask(struct build_driver *driver);
struct build_source;
void build_scan_includes(struct build_driver *driver, const struct build_source *source);
/* Whether a source includes a header of that name; what its headers include is not asked. */
bool build_includes(const char *path, const char *header);
/* A file or folder as Windows finds it, in any case. False: there is none, `path` is `name`. */
bool build_path_find(const char *name, char *path, size_t size);
void build_scan_traces(struct build_driver *driver, const struct build_source *source);
void build_scan_widths(struct build_driver *driver, const struct build_source *source);
void build_scan_guards(struct build_driver *driver, const struct build_source *source);
bool build_write_traces(struct build_driver *driver);
/* "ndksim: path:line: text" to stderr, counted as a warning. */
void build_warn(struct build_driver *driver, const char *path, uint32_t line, const char *format,
                ...) SIM_PRINTF(4, 5);
bool build_fail(const char *format, ...) SIM_PRINTF(1, 2);
/* The whole path of one that is relative to the working folder; false with a message. */
bool build_path_whole(const char *path, char *whole, size_t size);
/* Makes the folders above a file; false with a message. */
bool build_folders_make(const char *path);
/* Writes a text file unless it is there, with folders above it; false with a message. */
bool build_file_write(const char *path, const char *text);
/* The same for what this build makes: known to be no leftover of an earlier one. */
bool build_made_write(struct build_driver *driver, const char *path, const char *text);
/* Removes a folder and all in it; links are not followed. */
void build_folder_drop(const char *path);

#endif
