/* SPDX-License-Identifier: Apache-2.0 */
/* Opening driver modules, one copied file per image, and their writable bytes. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* dladdr */
#endif
#include "loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <krn/bugcheck.h>
#include <krn/driver.h>
#include <sim/host.h>
#include <sim/memory.h>
#include <sim/run.h>

#include "instrument.h"

/* Read and written at once; a whole number of words. */
#define COPY_BYTES 65536u

static struct krn_image *images;
static bool has_exit_handler;

/* A copy is removed by the process that made it, be it a forked one, and by no other. */
static void copies_remove(void) {
    for (struct krn_image *image = images; image != NULL; image = image->next) {
        if (getpid() == image->copy_owner) {
            (void)unlink(image->copy_path);
        }
    }
    sim_host_scratch_leave();
}

/* The host's loader visits every image once more after this, unloaded drivers' too. */
static void images_leave(void) {
    for (struct krn_image *image = images; image != NULL; image = image->next) {
        krn_image_map(image);
    }
    copies_remove();
}

/*
 * Counters of coverage (ndksim_coverage.h) are written by the modules' own exit handlers. A process
 * that leaves without, calls this.
 */
static void counters_write(void) {
    for (struct krn_image *image = images; image != NULL; image = image->next) {
        if (image->counters_write != NULL) {
            krn_image_map(image);
            image->counters_write();
        }
    }
}

/* What a forked process inherits is its parent's to write. */
static void counters_begin(void) {
    for (struct krn_image *image = images; image != NULL; image = image->next) {
        if (image->counters_begin != NULL) {
            krn_image_map(image);
            image->counters_begin();
        }
    }
}

static char *text_copy(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);

    SIM_ASSERT(copy != NULL);
    memcpy(copy, text, bytes);
    return copy;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* Word by word, for modules have megabytes; the last word is filled up with zeros. */
static uint64_t hash_words(uint64_t hash, unsigned char *bytes, size_t count) {
    memset(bytes + count, 0, sizeof(uint64_t));
    for (size_t i = 0; i < count; i += sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, bytes + i, sizeof(word));
        hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    return hash;
}

/* As many bytes as there are, up to `count`; -1 for an error. */
static ssize_t read_whole(int from, unsigned char *to, size_t count) {
    size_t done = 0;
    ssize_t got = 1;

    while (done < count && got > 0) {
        got = read(from, to + done, count - done);
        done += got > 0 ? (size_t)got : 0;
    }
    return got < 0 ? -1 : (ssize_t)done;
}

/* Copies the file; its bytes' hash is the build id. */
static bool file_copy(const char *from_path, int to, char build_id[17]) {
    static unsigned char buffer[COPY_BYTES + sizeof(uint64_t)];
    int from = open(from_path, O_RDONLY | O_CLOEXEC);
    uint64_t hash = SIM_HASH_TEXT_START;
    bool good = from >= 0;
    ssize_t count = 1;

    while (good && count > 0) {
        count = read_whole(from, buffer, COPY_BYTES);
        good = count >= 0 && write(to, buffer, (size_t)count) == count;
        if (good) {
            hash = hash_words(hash, buffer, (size_t)count);
        }
    }
    if (from >= 0) {
        (void)close(from);
    }
    (void)snprintf(build_id, 17, "%016llx", (unsigned long long)hash);
    return good;
}

static bool copy_make(struct krn_image *image, char *error, size_t error_bytes) {
    const char *folder = sim_host_scratch();
    struct stat status;
    char path[1024];
    int file;
    bool good;

    if (stat(image->path, &status) != 0 || !S_ISREG(status.st_mode)) {
        (void)snprintf(error, error_bytes, "%s: no such module", image->path);
        return false;
    }
    if (folder == NULL) {
        (void)snprintf(error, error_bytes, "%s: no folder for its copy (TMPDIR): %s", image->path,
                       strerror(errno));
        return false;
    }
    (void)snprintf(path, sizeof(path), "%s/%s.XXXXXX", folder, base_name(image->path));
    file = mkstemp(path);
    good = file >= 0 && file_copy(image->path, file, image->build_id);
    if (file >= 0) {
        image->copy_path = text_copy(path);
        image->copy_owner = getpid();
        (void)close(file);
    }
    if (!good) {
        (void)snprintf(error, error_bytes, "%s: cannot be copied to %s: %s", image->path, path,
                       strerror(errno));
    }
    return good;
}

static void spans_copy_out(const struct krn_image *image, unsigned char *to) {
    for (uint32_t i = 0; i < image->span_count; i++) {
        sim_raw_copy(to, image->spans[i].start, image->spans[i].bytes);
        to += image->spans[i].bytes;
    }
}

static void spans_copy_in(const struct krn_image *image, const unsigned char *from) {
    for (uint32_t i = 0; i < image->span_count; i++) {
        sim_raw_copy(image->spans[i].start, from, image->spans[i].bytes);
        from += image->spans[i].bytes;
    }
}

static bool span_put(struct krn_image *image, uintptr_t start, uintptr_t end) {
    if (start >= end) {
        return true;
    }
    if (image->span_count == KRN_IMAGE_SPANS_MAX) {
        return false;
    }
    image->spans[image->span_count].start = (unsigned char *)start;
    image->spans[image->span_count].bytes = end - start;
    image->span_count++;
    return true;
}

bool krn_image_span_add(struct krn_image *image, uintptr_t start, uintptr_t end) {
    return span_put(image, start, end);
}

bool krn_image_span_cut(struct krn_image *image, uintptr_t start, uintptr_t end) {
    uint32_t count = image->span_count;

    for (uint32_t i = 0; i < count; i++) {
        uintptr_t low = (uintptr_t)image->spans[i].start;
        uintptr_t high = low + image->spans[i].bytes;

        if (start >= high || end <= low) {
            continue;
        }
        image->spans[i].bytes = start > low ? start - low : 0;
        if (end < high && !span_put(image, end, high)) {
            return false;
        }
    }
    return true;
}

static void spans_finish(struct krn_image *image) {
    image->span_bytes = 0;
    for (uint32_t i = 0; i < image->span_count; i++) {
        image->span_bytes += image->spans[i].bytes;
    }
    image->pristine = malloc(image->span_bytes + 1);
    image->saved = malloc(image->span_bytes + 1);
    SIM_ASSERT(image->pristine != NULL && image->saved != NULL);
    spans_copy_out(image, image->pristine);
    memcpy(image->saved, image->pristine, image->span_bytes);
}

/* dlerror speaks of the copy; people know the module. */
static void say_dlerror(const struct krn_image *image, char *error, size_t error_bytes) {
    const char *text = dlerror();
    size_t copy = strlen(image->copy_path);

    if (text == NULL) {
        text = "cannot be opened";
    } else if (strncmp(text, image->copy_path, copy) == 0) {
        text += copy;
        text += strspn(text, ": ");
    }
    (void)snprintf(error, error_bytes, "%s: %s", image->path, text);
}

static void image_destroy(struct krn_image *image) {
    if (image->handle != NULL) {
        (void)dlclose(image->handle);
    }
    if (image->copy_path != NULL) {
        (void)unlink(image->copy_path);
        free(image->copy_path);
    }
    free(image->path);
    free(image);
}

/* Which door it was made for, when it is not this one. */
static void say_wrong_kind(const struct krn_image *image, const char *entry, char *error,
                           size_t error_bytes) {
    const char *kind = "";

    if (krn_image_symbol(image, "DriverEntry") != NULL) {
        kind = ": it is a driver";
    } else if (krn_image_symbol(image, "ndksim_device_model") != NULL) {
        kind = ": it is a device model, for the \"device\" of an adapter";
    }
    (void)snprintf(error, error_bytes, "%s: shows no %s%s", image->path, entry, kind);
}

static bool image_load(struct krn_image *image, const char *entry, char *error,
                       size_t error_bytes) {
    if (!copy_make(image, error, error_bytes)) {
        return false;
    }
    (void)krn_instrument_take();
    image->handle = dlopen(image->copy_path, RTLD_NOW | RTLD_LOCAL);
    image->is_instrumented = krn_instrument_take();
    if (image->handle == NULL) {
        say_dlerror(image, error, error_bytes);
        return false;
    }
    if (krn_image_symbol(image, entry) == NULL) {
        say_wrong_kind(image, entry, error, error_bytes);
        return false;
    }
    image->counters_write =
        (void (*)(void))(uintptr_t)krn_image_symbol(image, "NdksimCoverageWrite");
    image->counters_begin =
        (void (*)(void))(uintptr_t)krn_image_symbol(image, "NdksimCoverageReset");
    return krn_host_image_map(image, error, error_bytes);
}

static struct krn_image *image_create(const char *path, const char *entry, char *error,
                                      size_t error_bytes) {
    struct krn_image *image = calloc(1, sizeof(*image));

    SIM_ASSERT(image != NULL);
    image->path = text_copy(path);
    image->entry = entry;
    if (!image_load(image, entry, error, error_bytes)) {
        image_destroy(image);
        return NULL;
    }
    spans_finish(image);
    if (!has_exit_handler) {
        has_exit_handler = true;
        (void)atexit(images_leave);
        (void)pthread_atfork(NULL, NULL, counters_begin);
        sim_leave_hook_add(copies_remove);
        sim_finish_hook_set(counters_write);
    }
    image->next = images;
    images = image;
    return image;
}

static bool is_image_of(const struct krn_image *image, const char *path, const char *entry) {
    return strcmp(image->path, path) == 0 && strcmp(image->entry, entry) == 0;
}

struct krn_image *krn_image_open(const char *path, const char *entry, char *error,
                                 size_t error_bytes) {
    struct krn_image *image = images;

    /* Not asked for its symbols: one that a driver was unloaded from cannot be read. */
    while (image != NULL && (image->in_use || !is_image_of(image, path, entry))) {
        image = image->next;
    }
    if (image == NULL) {
        image = image_create(path, entry, error, error_bytes);
    }
    if (image == NULL) {
        return NULL;
    }
    krn_image_map(image);
    spans_copy_in(image, image->pristine);
    image->saved_is_unmapped = false;
    image->in_use = true;
    return image;
}

const struct krn_image *krn_image_peek(const char *path, const char *entry, char *error,
                                       size_t error_bytes) {
    struct krn_image *image = images;

    while (image != NULL && (image->is_unmapped || !is_image_of(image, path, entry))) {
        image = image->next;
    }
    return image != NULL ? image : image_create(path, entry, error, error_bytes);
}

struct krn_image *krn_image_take(struct sim_world *world, const char *path, const char *entry,
                                 char *error, size_t error_bytes) {
    struct krn_image *image = krn_image_open(path, entry, error, error_bytes);
    const struct sim_world_hook hook = {krn_image_save, krn_image_restore, image};

    if (image != NULL) {
        sim_world_hook_add(world, &hook);
    }
    return image;
}

const struct krn_image *krn_image_of_address(const void *address) {
    const struct krn_image *image = images;

    while (image != NULL && (!image->in_use || !krn_image_holds(image, address))) {
        image = image->next;
    }
    return image;
}

static bool is_code(const struct krn_image *image, uintptr_t address) {
    for (uint32_t i = 0; i < image->segment_count; i++) {
        if ((image->segments[i].protection & PROT_EXEC) != 0 &&
            address - (uintptr_t)image->segments[i].start < image->segments[i].bytes) {
            return true;
        }
    }
    return false;
}

bool krn_is_driver_code(uintptr_t address) {
    const struct krn_image *image = krn_image_of_address((const void *)address);

    return image != NULL && strcmp(image->entry, "DriverEntry") == 0 && is_code(image, address);
}

const char *krn_image_build_id(const struct krn_image *image) {
    return image->build_id;
}

bool krn_image_has(const struct krn_image *image, const void *address) {
    return krn_image_holds(image, address);
}

void krn_images_release(void) {
    for (struct krn_image *image = images; image != NULL; image = image->next) {
        image->in_use = false;
    }
}

void krn_images_save(void *unused) {
    (void)unused;
    for (struct krn_image *image = images; image != NULL; image = image->next) {
        image->saved_in_use = image->in_use;
    }
}

void krn_images_restore(void *unused) {
    (void)unused;
    for (struct krn_image *image = images; image != NULL; image = image->next) {
        image->in_use = image->saved_in_use;
    }
}

/* Of the piece that was found last: what was made read-only after relocation comes behind. */
int krn_image_protection(const struct krn_image *image, const void *address) {
    const unsigned char *at = address;
    uint32_t i = image->segment_count;

    while (i > 0 && (at < image->segments[i - 1].start ||
                     at >= image->segments[i - 1].start + image->segments[i - 1].bytes)) {
        i--;
    }
    return i > 0 ? image->segments[i - 1].protection : PROT_READ | PROT_WRITE;
}

bool krn_program_holds(const void *address) {
    Dl_info found;

    return dladdr(address, &found) != 0;
}

void *krn_program_symbol(const char *name) {
    return dlsym(RTLD_DEFAULT, name);
}

void *krn_image_symbol(const struct krn_image *image, const char *name) {
    return dlsym(image->handle, name);
}

/* Neighbours go out of reach at once: each call makes all CPUs forget their translations. */
static void close_segments(const struct krn_image *image) {
    uint32_t i = 0;

    while (i < image->segment_count) {
        unsigned char *start = image->segments[i].start;
        unsigned char *end = start;

        for (; i < image->segment_count && image->segments[i].start >= start &&
               image->segments[i].start <= end;
             i++) {
            unsigned char *own_end = image->segments[i].start + image->segments[i].bytes;

            end = own_end > end ? own_end : end;
        }
        (void)mprotect(start, (size_t)(end - start), PROT_NONE);
    }
}

static void open_segments(const struct krn_image *image) {
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const struct krn_segment *segment = &image->segments[i];

        (void)mprotect(segment->start, segment->bytes, segment->protection);
    }
}

void krn_image_unmap(struct krn_image *image) {
    if (!image->is_unmapped) {
        image->is_unmapped = true;
        close_segments(image);
    }
}

void krn_image_map(struct krn_image *image) {
    if (image->is_unmapped) {
        image->is_unmapped = false;
        open_segments(image);
    }
}

void krn_images_readable(void) {
    for (struct krn_image *image = images; image != NULL; image = image->next) {
        krn_image_map(image);
    }
}

void krn_image_save(void *context) {
    struct krn_image *image = context;

    image->saved_is_unmapped = image->is_unmapped;
    if (!image->is_unmapped) {
        spans_copy_out(image, image->saved);
    }
}

void krn_image_restore(void *context) {
    struct krn_image *image = context;

    krn_image_map(image);
    spans_copy_in(image, image->saved);
    if (image->saved_is_unmapped) {
        krn_image_unmap(image);
    }
}
