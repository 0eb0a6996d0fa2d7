/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See campaign_place.h. The lock is of a file ".NAME.lock" beside the campaign's; it ends with the
 * process, however that ends, and the file is removed by whoever has it. Who opened a file that
 * has been removed meanwhile has the lock of nothing, and tries again.
 */
#include "cli/campaign_place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sim/base.h>

#include "parse/complain.h"
#include "parse/diagnostic.h"

struct place {
    struct place *next;
    int file;
    char path[PATH_MAX];
    char lock[PATH_MAX];
};

static struct place *places;
static pid_t owner;

static void name_lock(const char *path, char *lock, size_t size) {
    const char *slash = strrchr(path, '/');
    int folder = slash != NULL ? (int)(slash - path) + 1 : 0;

    snprintf(lock, size, "%.*s.%s.lock", folder, path, path + folder);
}

static bool is_still_there(int file, const char *lock) {
    struct stat own, named;

    return fstat(file, &own) == 0 && stat(lock, &named) == 0 && own.st_ino == named.st_ino &&
           own.st_dev == named.st_dev;
}

#define CANNOT_LOCK (-1) /* a file system without locks has none to refuse */
#define IS_TAKEN (-2)

/* The descriptor, or one of the above. */
static int lock_file(const char *lock) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    for (;;) {
        int file = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        bool is_taken;

        if (file < 0)
            return CANNOT_LOCK;
        if (fcntl(file, F_SETLK, &whole) == 0) {
            if (is_still_there(file, lock))
                return file;
            close(file);
            continue;
        }
        is_taken = errno == EAGAIN || errno == EACCES;
        close(file);
        return is_taken ? IS_TAKEN : CANNOT_LOCK;
    }
}

/* May run in a signal handler. */
static void remove_locks(void) {
    for (const struct place *place = places; place != NULL && owner == getpid();
         place = place->next)
        if (place->file >= 0)
            unlink(place->lock);
}

bool scn_place_take(const char *path) {
    struct place *place;

    for (const struct place *one = places; one != NULL; one = one->next) {
        if (strcmp(one->path, path) == 0) {
            scn_complain("%s: this command has written that campaign already; a scenario of the "
                         "same name wants another --out",
                         scn_shown(path));
            return false;
        }
    }
    place = calloc(1, sizeof(*place));
    SIM_ASSERT(place != NULL);
    snprintf(place->path, sizeof(place->path), "%s", path);
    name_lock(path, place->lock, sizeof(place->lock));
    place->file = lock_file(place->lock);
    if (place->file == IS_TAKEN) {
        scn_complain("%s: another campaign writes here; give this one its own --out",
                     scn_shown(path));
        free(place);
        return false;
    }
    if (places == NULL) {
        owner = getpid();
        (void)atexit(scn_places_leave);
        sim_leave_hook_add(remove_locks);
    }
    place->next = places;
    places = place;
    return true;
}

void scn_places_leave(void) {
    while (places != NULL && owner == getpid()) {
        struct place *place = places;

        places = place->next;
        if (place->file >= 0) {
            unlink(place->lock);
            close(place->file);
        }
        free(place);
    }
}

bool scn_place_operands_differ(const struct scn_options *options) {
    char one[PATH_MAX], other[PATH_MAX];

    for (uint32_t i = 1; i < options->operand_count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (realpath(options->operands[i], one) != NULL &&
                realpath(options->operands[k], other) != NULL && strcmp(one, other) == 0) {
                scn_complain("fuzz %s: that scenario is named twice",
                             scn_shown(options->operands[i]));
                return false;
            }
        }
    }
    return true;
}
