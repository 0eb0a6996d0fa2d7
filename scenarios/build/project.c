/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a build takes from files: response files (words, with quotes) and Visual Studio projects
 * (sources, include folders, definitions; of groups with a condition those for x64 and Debug).
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build/driver.h"
#include "build/source.h"

#define WORD_BYTES 2048u

static void folder_of(const char *path, char *folder, size_t size) {
    const char *slash = strrchr(path, '/');

    snprintf(folder, size, "%.*s", slash != NULL ? (int)(slash - path) : 1,
             slash != NULL ? path : ".");
}

/* The next word of a response file; quotes keep blanks in it. */
static const char *take_word(const char *at, char *word, size_t size) {
    size_t used = 0;
    char quote = 0;

    while (isspace((unsigned char)*at))
        at++;
    for (; *at != '\0' && (quote != 0 || !isspace((unsigned char)*at)); at++) {
        if (quote == 0 && (*at == '"' || *at == '\''))
            quote = *at;
        else if (*at == quote)
            quote = 0;
        else if (used + 1 < size)
            word[used++] = *at;
    }
    word[used] = '\0';
    return at;
}

static bool take_response(struct build_driver *driver, const char *path, const char *word,
                          const char *next) {
    if (strncmp(word, "-I", 2) == 0)
        build_list_add(&driver->folders, "%s", word[2] != '\0' ? word + 2 : next);
    else if (strncmp(word, "-D", 2) == 0)
        build_list_add(&driver->defines, "%s", word[2] != '\0' ? word + 2 : next);
    else if (word[0] == '-')
        return build_fail("%s: %s is none of -I, -D and sources", path, word);
    else
        build_list_add(&driver->sources, "%s", word);
    return true;
}

bool build_response_read(struct build_driver *driver, const char *path) {
    struct build_source file;
    char word[WORD_BYTES], next[WORD_BYTES];
    const char *at;
    bool is_good = true;

    if (!build_source_read(path, &file))
        return build_fail("%s: cannot be read: %s", path, strerror(errno));
    for (at = take_word(file.text, word, sizeof(word)); word[0] != '\0' && is_good;
         at = take_word(at, word, sizeof(word))) {
        next[0] = '\0';
        if (strcmp(word, "-I") == 0 || strcmp(word, "-D") == 0)
            at = take_word(at, next, sizeof(next));
        is_good = take_response(driver, path, word, next);
    }
    build_source_free(&file);
    return is_good;
}

/* Projects. */

struct project {
    struct build_driver *driver;
    const char *path;
    char folder[WORD_BYTES];
    const char *skip_end; /* the end of a group that is for something else */
};

/* The text between the quotes of `name="..."` in the tag that begins at `tag`. */
static bool attribute(const char *tag, const char *name, char *value, size_t size) {
    const char *end = strchr(tag, '>'), *at = strstr(tag, name), *close;
    size_t length = strlen(name);

    if (end == NULL || at == NULL || at > end || strncmp(at + length, "=\"", 2) != 0)
        return false;
    at += length + 2;
    close = strchr(at, '"');
    if (close == NULL || (size_t)(close - at) >= size)
        return false;
    snprintf(value, size, "%.*s", (int)(close - at), at);
    return true;
}

static bool is_tag(const char *at, const char *name) {
    size_t length = strlen(name);

    return at[0] == '<' && strncmp(at + 1, name, length) == 0 &&
           (isspace((unsigned char)at[length + 1]) || at[length + 1] == '>');
}

static void replace(char *text, size_t size, const char *what, const char *with) {
    char after[WORD_BYTES];
    char *at;

    while ((at = strstr(text, what)) != NULL) {
        snprintf(after, sizeof(after), "%s", at + strlen(what));
        snprintf(at, size - (size_t)(at - text), "%s%s", with, after);
    }
}

/* A path of Windows, relative to the project and in any case. */
static void to_path(const struct project *project, const char *text, char *path, size_t size) {
    char name[WORD_BYTES], spelled[WORD_BYTES + 1024];

    snprintf(name, sizeof(name), "%s", text);
    replace(name, sizeof(name), "$(ProjectDir)", "");
    replace(name, sizeof(name), "$(MSBuildProjectDirectory)", ".");
    replace(name, sizeof(name), "$(MSBuildThisFileDirectory)", "");
    for (char *at = name; *at != '\0'; at++)
        if (*at == '\\')
            *at = '/';
    if (name[0] == '/' || strcmp(project->folder, ".") == 0)
        snprintf(spelled, sizeof(spelled), "%s", name);
    else
        snprintf(spelled, sizeof(spelled), "%.1000s/%.1000s", project->folder, name);
    build_path_find(spelled, path, size);
}

/* "a;b;%(Inherited)" */
static void take_values(struct project *project, const char *at, const char *end, bool is_path) {
    while (at < end) {
        const char *next = memchr(at, ';', (size_t)(end - at));
        size_t length = (size_t)((next != NULL ? next : end) - at);
        char value[WORD_BYTES], path[WORD_BYTES];

        snprintf(value, sizeof(value), "%.*s", (int)length, at);
        if (length != 0 && value[0] != '%' && strstr(value, "$(DDK") == NULL) {
            to_path(project, value, path, sizeof(path));
            if (is_path)
                build_list_add(&project->driver->folders, "%s", path);
            else
                build_list_add(&project->driver->defines, "%s", value);
        }
        at += length + 1;
    }
}

static void take_list(struct project *project, const char *tag, const char *name, bool is_path) {
    const char *at = strchr(tag, '>'), *end = at != NULL ? strchr(at, '<') : NULL;

    if (is_tag(tag, name) && end != NULL)
        take_values(project, at + 1, end, is_path);
}

/* A group for another platform or configuration is passed over. */
static bool is_for_others(const char *tag) {
    char condition[512];

    if (!attribute(tag, "Condition", condition, sizeof(condition)))
        return false;
    return (strstr(condition, "Platform)") != NULL && strstr(condition, "x64") == NULL) ||
           (strstr(condition, "Configuration)") != NULL && strstr(condition, "Debug") == NULL);
}

static void take_tag(struct project *project, const char *tag) {
    static const char *const groups[] = {"ItemDefinitionGroup", "ItemGroup", "PropertyGroup"};
    char value[WORD_BYTES], path[WORD_BYTES], close[64];

    for (size_t i = 0; i < SIM_ARRAY_COUNT(groups); i++) {
        if (is_tag(tag, groups[i]) && is_for_others(tag)) {
            snprintf(close, sizeof(close), "</%s>", groups[i]);
            project->skip_end = strstr(tag, close);
        }
    }
    take_list(project, tag, "AdditionalIncludeDirectories", true);
    take_list(project, tag, "PreprocessorDefinitions", false);
    if (is_tag(tag, "ClCompile") && attribute(tag, "Include", value, sizeof(value))) {
        to_path(project, value, path, sizeof(path));
        build_list_add(&project->driver->sources, "%s", path);
    }
}

bool build_project_read(struct build_driver *driver, const char *path) {
    struct project project = {.driver = driver, .path = path};
    size_t before = driver->sources.count;
    struct build_source file;

    if (!build_source_read(path, &file))
        return build_fail("%s: cannot be read: %s", path, strerror(errno));
    folder_of(path, project.folder, sizeof(project.folder));
    build_list_add(&driver->folders, "%s", project.folder);
    for (const char *tag = strchr(file.text, '<'); tag != NULL; tag = strchr(tag + 1, '<')) {
        if (project.skip_end != NULL && tag < project.skip_end)
            continue;
        take_tag(&project, tag);
    }
    build_source_free(&file);
    return driver->sources.count > before ||
           build_fail("%s: no <ClCompile Include=\"...\"/> in it: no sources to build", path);
}
