/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images: opened copies of driver modules. They belong to the process, not to a world: dlopen is
 * slow and a world is made often. A world that begins finds all images free and in their pristine
 * state; a driver takes one. Host memory throughout.
 */
#ifndef KRN_LOADER_H
#define KRN_LOADER_H

#include <sys/types.h>

#include <krn/image.h>
#include <sim/base.h>

#define KRN_IMAGE_SEGMENTS_MAX 16u
#define KRN_IMAGE_SPANS_MAX 64u

/* A mapped piece of an image. */
struct krn_segment {
    unsigned char *start;
    size_t bytes;
    int protection; /* PROT_... of mmap, as mapped */
};

/* Writable bytes that belong to the driver: to be saved and restored. */
struct krn_span {
    unsigned char *start;
    size_t bytes;
};

struct krn_image {
    struct krn_image *next;
    char *path;        /* of the module */
    const char *entry; /* what it was opened for; static */
    char *copy_path;   /* of this copy */
    pid_t copy_owner;
    void *handle;
    uintptr_t low; /* [low, high): all segments */
    uintptr_t high;
    struct krn_segment segments[KRN_IMAGE_SEGMENTS_MAX];
    uint32_t segment_count;
    struct krn_span spans[KRN_IMAGE_SPANS_MAX];
    uint32_t span_count;
    size_t span_bytes;
    unsigned char *pristine; /* all spans, one after the other */
    unsigned char *saved;    /* at the world's snapshot */
    bool saved_is_unmapped;
    char build_id[17];
    void (*counters_write)(void); /* of a module that counts its coverage; else NULL */
    void (*counters_begin)(void);
    bool is_instrumented; /* its loads and stores call the program */
    bool in_use;
    bool saved_in_use;
    bool is_unmapped; /* unloaded: any access faults */
};

/* The image in use that holds the address, a driver's or a device model's; NULL: none does. */
const struct krn_image *krn_image_of_address(const void *address);
/* All images are free from now on: a new world begins. */
void krn_images_release(void);

/* PROT_... of the piece that holds the address; between pieces: to read and write. */
int krn_image_protection(const struct krn_image *image, const void *address);
/* Code or data of the program or of a library that it is linked to. */
bool krn_program_holds(const void *address);
/* An exported name of the program itself, or NULL. */
void *krn_program_symbol(const char *name);
static inline bool krn_image_holds(const struct krn_image *image, const void *address) {
    return (uintptr_t)address >= image->low && (uintptr_t)address < image->high;
}

/* After unload, and back: code and data become inaccessible where the host can do so. */
void krn_image_unmap(struct krn_image *image);
void krn_image_map(struct krn_image *image);

/* A world's snapshot and reset; `image` is the hook's context. */
void krn_images_save(void *unused); /* which ones are in use: one hook for all */
void krn_images_restore(void *unused);
void krn_image_save(void *image);
void krn_image_restore(void *image);

/*
 * The host's part: fills segments, spans (without relocated read-only data and counters), low and
 * high from an opened handle. False with a sentence in `error`.
 */
bool krn_host_image_map(struct krn_image *image, char *error, size_t error_bytes);
/* Adds writable bytes, leaving out every part of [start, start + bytes) that was cut out. */
bool krn_image_span_add(struct krn_image *image, uintptr_t start, uintptr_t end);
/* Cuts [start, end) out of the spans added so far. */
bool krn_image_span_cut(struct krn_image *image, uintptr_t start, uintptr_t end);

#endif
