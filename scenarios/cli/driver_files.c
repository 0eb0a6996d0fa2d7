/* SPDX-License-Identifier: Apache-2.0 */
/* Files of drivers on the disk; see driver_files.h. */
#include "cli/driver_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <krn/file.h>

#include "cli/folders.h"
#include "parse/complain.h"

#define PATH_BYTES 4096u

struct writing {
    const char *folder;
    const char *node;
    bool is_whole;
};

static bool complain(struct writing *writing, const char *path) {
    scn_complain("--files %s: %s", path, strerror(errno));
    writing->is_whole = false;
    return false;
}

static bool make_folder(struct writing *writing, const char *path) {
    return mkdir(path, 0777) == 0 || errno == EEXIST || complain(writing, path);
}

/* A name of Windows as one of any host; its length. Names that lead elsewhere become "_". */
static size_t put_name(char *to, size_t room, const char *name, size_t length) {
    size_t used = 0;

    for (size_t i = 0; i < length && used + 1 < room; i++) {
        unsigned char c = (unsigned char)name[i];

        if (c == ':' && i + 1 == length)
            continue;
        to[used++] = c < 0x20 || strchr("/:*?\"<>|", c) != NULL ? '_' : (char)c;
    }
    if (strspn(name, ".") >= length && room > 1) {
        to[0] = '_';
        used = 1;
    }
    to[used] = '\0';
    return used;
}

static bool is_namespace(const char *name, size_t length) {
    return (length == 2 && memcmp(name, "??", 2) == 0) ||
           (length == 10 && memcmp(name, "DosDevices", 10) == 0);
}

/* Makes the folders of a path on the way. False: too long, or a folder could not be made. */
static bool put_path(struct writing *writing, const char *path, char *to, size_t room) {
    size_t used = (size_t)snprintf(to, room, "%s/%s", writing->folder, writing->node);

    while (used + 2 < room) {
        size_t length;

        path += strspn(path, "\\");
        length = strcspn(path, "\\");
        if (length == 0)
            return true;
        if (!is_namespace(path, length)) {
            if (!make_folder(writing, to))
                return false;
            to[used++] = '/';
            used += put_name(to + used, room - used, path, length);
        }
        path += length;
    }
    errno = ENAMETOOLONG;
    return complain(writing, to);
}

static void write_file(void *context, const char *path, const void *bytes, uint64_t count) {
    struct writing *writing = context;
    char to[PATH_BYTES];
    FILE *stream;
    bool is_whole;

    if (!put_path(writing, path, to, sizeof(to)))
        return;
    stream = fopen(to, "wb");
    if (stream == NULL) {
        (void)complain(writing, to);
        return;
    }
    is_whole = count == 0 || fwrite(bytes, 1, (size_t)count, stream) == count;
    if (fclose(stream) != 0 || !is_whole)
        (void)complain(writing, to);
}

bool scn_driver_files_write(const struct scn_machine *machine, const char *folder) {
    struct writing writing = {.folder = folder, .is_whole = true};

    if (!scn_folder_make("--files", folder))
        return false;
    for (uint32_t i = 0; i < machine->scenario->node_count; i++) {
        writing.node = machine->scenario->nodes[i].name;
        krn_file_visit(machine->nodes[i], write_file, &writing);
    }
    return writing.is_whole;
}
