/* SPDX-License-Identifier: Apache-2.0 */
/* `ndksim init`: a small project that builds and passes at once, from scenarios/templates/. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sim/finding.h>

#include "build/driver.h"
#include "build/source.h"
#include "cli/options.h"
#include "report/plural.h"
#include "run/machine.h"

#define MARK "@NAME@"
#define PATH_BYTES 2048u

struct project {
    const char *folder;
    char name[64];
    uint32_t file_count;
};

/* The folder's own name, as a name of C. */
static bool take_name(struct project *project) {
    char path[PATH_BYTES];
    size_t length = strlen(project->folder);
    const char *slash;

    while (length > 1 && project->folder[length - 1] == '/')
        length--;
    snprintf(path, sizeof(path), "%.*s", (int)length, project->folder);
    slash = strrchr(path, '/');
    if ((size_t)snprintf(project->name, sizeof(project->name), "%s",
                         slash != NULL ? slash + 1 : path) >= sizeof(project->name))
        return build_fail("%s: the name of the folder is the driver's; at most %zu characters",
                          project->folder, sizeof(project->name) - 1);
    for (char *at = project->name; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    return isalpha((unsigned char)project->name[0]) ||
           build_fail("%s: the name of the folder is the driver's; it begins with a letter",
                      project->folder);
}

static bool is_free(const char *folder) {
    DIR *directory = opendir(folder);
    struct dirent *entry;
    bool is_empty = true;

    if (directory == NULL)
        return errno == ENOENT || build_fail("%s: cannot be used: %s", folder, strerror(errno));
    while ((entry = readdir(directory)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            is_empty = false;
    closedir(directory);
    return is_empty || build_fail("%s: is not empty; name a new folder", folder);
}

/* `text` with the name for each mark; to be freed. */
static char *named(const char *text, const char *name) {
    size_t marks = 0, length = strlen(name), used = 0;
    char *result;

    for (const char *at = strstr(text, MARK); at != NULL; at = strstr(at + 1, MARK))
        marks++;
    result = malloc(strlen(text) + marks * length + 1);
    SIM_ASSERT(result != NULL);
    while (*text != '\0') {
        if (strncmp(text, MARK, strlen(MARK)) == 0) {
            memcpy(result + used, name, length);
            used += length;
            text += strlen(MARK);
        } else {
            result[used++] = *text++;
        }
    }
    result[used] = '\0';
    return result;
}

static bool copy_file(struct project *project, const char *from, const char *to) {
    struct build_source source;
    char *text;
    bool is_written;

    if (!build_source_read(from, &source))
        return build_fail("%s: cannot be read: %s", from, strerror(errno));
    text = named(source.text, project->name);
    is_written = build_file_write(to, text);
    project->file_count += is_written;
    free(text);
    build_source_free(&source);
    return is_written;
}

static bool copy_folder(struct project *project, const char *from, const char *to) {
    DIR *directory = opendir(from);
    struct dirent *entry;
    bool is_good = directory != NULL;

    if (directory == NULL)
        return build_fail("%s: cannot be read: %s", from, strerror(errno));
    while (is_good && (entry = readdir(directory)) != NULL) {
        char source[PATH_BYTES], copy[PATH_BYTES];
        struct stat about;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(source, sizeof(source), "%.1500s/%s", from, entry->d_name);
        snprintf(copy, sizeof(copy), "%.1500s/%s", to, entry->d_name);
        is_good = stat(source, &about) == 0 && S_ISDIR(about.st_mode)
                      ? copy_folder(project, source, copy)
                      : copy_file(project, source, copy);
    }
    closedir(directory);
    return is_good;
}

int scn_command_init(const struct scn_options *options) {
    struct project project = {.folder = options->operands[0]};
    const char *kind = options->kind != NULL ? options->kind : "consumer";
    char templates[PATH_BYTES];

    snprintf(templates, sizeof(templates), "%.1900s/templates/%s", scn_data_dir(), kind);
    if (!take_name(&project) || !is_free(project.folder) ||
        !copy_folder(&project, templates, project.folder))
        return SIM_VERDICT_USAGE;
    printf("%s: %u file%s of a %s \"%s\"; README.md says how to build and run it\n", project.folder,
           project.file_count, scn_plural(project.file_count), kind, project.name);
    return SIM_VERDICT_HELD;
}
