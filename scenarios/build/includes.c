/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Includes as Windows finds them: in any case, with backslashes. For each that a case-sensitive
 * file system would not find as it is spelled, a forwarder of that spelling is written, which
 * includes the file that was meant. Headers that are reached are scanned in turn; ndksim's own are
 * not.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "build/driver.h"
#include "build/source.h"

#define PATH_BYTES 2048u

struct include {
    char spelled[512]; /* between the quotes */
    char name[512];    /* with slashes */
    uint32_t line;
    bool is_quoted;
};

/* `#include "x"` or `<x>`; false for other directives, and for includes of a macro. */
static bool include_of(const struct build_token *token, struct include *include) {
    const char *at = token->start + 1, *end = token->start + token->length, *close;
    size_t length;

    while (at < end && isspace((unsigned char)*at))
        at++;
    if (end - at < 7 || memcmp(at, "include", 7) != 0)
        return false;
    at += 7;
    while (at < end && isspace((unsigned char)*at))
        at++;
    if (at >= end || (*at != '"' && *at != '<'))
        return false;
    close = memchr(at + 1, *at == '"' ? '"' : '>', (size_t)(end - at - 1));
    length = close != NULL ? (size_t)(close - at - 1) : 0;
    if (length == 0 || length >= sizeof(include->spelled))
        return false;
    memcpy(include->spelled, at + 1, length);
    include->spelled[length] = '\0';
    for (size_t i = 0; i <= length; i++)
        include->name[i] = include->spelled[i] == '\\' ? '/' : include->spelled[i];
    include->line = token->line;
    include->is_quoted = *at == '"';
    return true;
}

/* An entry of `folder` that is called `name` in any case, the exact one first. */
static bool find_entry(const char *folder, const char *name, char *found, size_t size) {
    DIR *directory;
    struct dirent *entry;
    bool is_found = false;

    directory = opendir(folder[0] != '\0' ? folder : ".");
    if (directory == NULL)
        return false;
    /* The first in the order of names, so that the answer is the same on every machine. */
    while ((entry = readdir(directory)) != NULL) {
        if (strcasecmp(entry->d_name, name) != 0)
            continue;
        if (strcmp(entry->d_name, name) == 0 || !is_found || strcmp(entry->d_name, found) < 0)
            snprintf(found, size, "%s", entry->d_name);
        is_found = true;
        if (strcmp(found, name) == 0)
            break;
    }
    closedir(directory);
    return is_found;
}

/* `name` below `folder`, each part of it in any case. */
static bool find_below(const char *folder, const char *name, char *path, size_t size) {
    char part[256], entry[256];

    if (name[0] == '/')
        snprintf(path, size, "/");
    else
        snprintf(path, size, "%s", folder);
    while (*name != '\0') {
        size_t length, used = strlen(path);

        name += strspn(name, "/");
        length = strcspn(name, "/");
        if (length == 0)
            break;
        if (length >= sizeof(part))
            return false;
        memcpy(part, name, length);
        part[length] = '\0';
        name += length;
        if (strcmp(part, ".") == 0 || strcmp(part, "..") == 0)
            snprintf(entry, sizeof(entry), "%s", part);
        else if (!find_entry(path, part, entry, sizeof(entry)))
            return false;
        snprintf(path + used, size - used, "%s%s", used != 0 && path[used - 1] != '/' ? "/" : "",
                 entry);
    }
    return access(path, R_OK) == 0;
}

static void folder_of(const char *path, char *folder, size_t size) {
    const char *slash = strrchr(path, '/');

    snprintf(folder, size, "%.*s", slash != NULL ? (int)(slash - path) : 1,
             slash != NULL ? path : ".");
}

/* Where the compiler would look, in its order. */
static bool find(const struct build_driver *driver, const char *from, const struct include *include,
                 char *path, bool *is_ours) {
    char folder[PATH_BYTES];

    *is_ours = false;
    folder_of(from, folder, sizeof(folder));
    if (strcmp(folder, ".") == 0)
        folder[0] = '\0';
    if (include->is_quoted && find_below(folder, include->name, path, PATH_BYTES))
        return true;
    for (size_t i = 0; i < driver->folders.count; i++)
        if (find_below(driver->folders.items[i], include->name, path, PATH_BYTES))
            return true;
    *is_ours = true;
    snprintf(folder, sizeof(folder), "%s/wdk", driver->headers);
    if (find_below(folder, include->name, path, PATH_BYTES))
        return true;
    snprintf(folder, sizeof(folder), "%s/wdk/crt", driver->headers);
    return find_below(folder, include->name, path, PATH_BYTES);
}

/* Whether the compiler finds it as it is spelled: `path` ends in the spelling. */
static bool is_found_as_spelled(const struct include *include, const char *path) {
    size_t length = strlen(include->spelled), whole = strlen(path);
    const char *name = include->spelled;

    while (strncmp(name, "./", 2) == 0) {
        name += 2;
        length -= 2;
    }
    return strcmp(include->spelled, include->name) == 0 && whole >= length &&
           strcmp(path + whole - length, name) == 0;
}

static bool put_forwarder(struct build_driver *driver, const char *from,
                          const struct include *include, const char *as, const char *real) {
    char file[PATH_BYTES], text[PATH_BYTES + 32], before[PATH_BYTES + 32] = "";
    FILE *old;

    snprintf(file, sizeof(file), "%s/%s", driver->forwarders, as);
    snprintf(text, sizeof(text), "#include \"%s\"\n", real);
    if (!build_list_has(&driver->made, file))
        return build_made_write(driver, file, text);
    old = fopen(file, "r");
    if (old == NULL)
        return build_file_write(file, text);
    if (fgets(before, sizeof(before), old) != NULL && strcmp(before, text) != 0)
        build_warn(driver, from, include->line,
                   "\"%s\" means another file here than elsewhere: %s is taken everywhere",
                   include->spelled, before + strlen("#include "));
    fclose(old);
    return true;
}

/* With slashes, too, where it is spelled with backslashes: so CMake's makefiles know it. */
static bool write_forwarder(struct build_driver *driver, const char *from,
                            const struct include *include, const char *path) {
    char real[PATH_BYTES];

    if (realpath(path, real) == NULL)
        snprintf(real, sizeof(real), "%s", path);
    return put_forwarder(driver, from, include, include->spelled, real) &&
           (strcmp(include->spelled, include->name) == 0 ||
            put_forwarder(driver, from, include, include->name, real));
}

/* Generated by the trace preprocessor at home; made by build_write_traces here. */
static bool is_trace_header(const struct include *include) {
    size_t length = strlen(include->name);

    return length > 4 && strcasecmp(include->name + length - 4, ".tmh") == 0;
}

static void take_trace_header(struct build_driver *driver, const struct include *include) {
    char file[PATH_BYTES];

    snprintf(file, sizeof(file), "%s/%s", driver->forwarders, include->spelled);
    (void)build_made_write(driver, file, "#include <ndksim_trace_macros.h>\n");
}

static const char *out_of_scope(const char *name) {
    static const struct {
        const char *name;
        const char *what;
    } known[] = {
        {"storport.h", "StorPort"}, {"srb.h", "StorPort"},
        {"scsi.h", "SCSI"},         {"ntddscsi.h", "SCSI"},
        {"strmini.h", "SCSI"},      {"wdf.h", "WDF"},
        {"wdfminiport.h", "WDF"},   {"netadaptercx.h", "NetAdapterCx"},
    };

    for (size_t i = 0; i < SIM_ARRAY_COUNT(known); i++)
        if (strcasecmp(known[i].name, name) == 0)
            return known[i].what;
    return NULL;
}

static void take_include(struct build_driver *driver, const char *from,
                         const struct include *include) {
    char path[PATH_BYTES];
    bool is_ours;

    if (!find(driver, from, include, path, &is_ours)) {
        const char *what = out_of_scope(include->name);

        if (is_trace_header(include))
            take_trace_header(driver, include);
        else if (what != NULL)
            build_warn(driver, from, include->line, "%s: %s is not part of ndksim",
                       include->spelled, what);
        /* Otherwise it may stand behind an #if; if not, the compiler says so. */
        return;
    }
    if (!is_found_as_spelled(include, path) && !write_forwarder(driver, from, include, path))
        driver->error_count++;
    if (!is_ours && !build_list_has(&driver->scanned, path))
        build_list_add(&driver->scanned, "%s", path);
}

bool build_includes(const char *path, const char *header) {
    const char *slash = strrchr(header, '/'), *name = slash != NULL ? slash + 1 : header;
    struct build_source source;
    struct build_token token;
    struct include include;
    struct build_scan scan;
    bool is_there = false;

    if (!build_source_read(path, &source))
        return false;
    build_scan_init(&scan, source.text, source.bytes);
    while (!is_there && build_scan_next(&scan, &token)) {
        if (token.kind != BUILD_DIRECTIVE || !include_of(&token, &include))
            continue;
        slash = strrchr(include.name, '/');
        is_there = strcasecmp(slash != NULL ? slash + 1 : include.name, name) == 0;
    }
    build_source_free(&source);
    return is_there;
}

bool build_path_find(const char *name, char *path, size_t size) {
    char found[PATH_BYTES];
    bool is_found = access(name, R_OK) != 0 && find_below("", name, found, sizeof(found));

    snprintf(path, size, "%s", is_found ? found : name);
    return is_found || access(name, R_OK) == 0;
}

void build_scan_includes(struct build_driver *driver, const struct build_source *source) {
    struct build_scan scan;
    struct build_token token;
    struct include include;

    build_scan_init(&scan, source->text, source->bytes);
    while (build_scan_next(&scan, &token))
        if (token.kind == BUILD_DIRECTIVE && include_of(&token, &include))
            take_include(driver, source->path, &include);
}
