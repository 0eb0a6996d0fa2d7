/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an opened module lies, on macOS: load commands give segments and sections. Data sections
 * are the driver's; pointer tables that the linker fills and counters are not.
 */
#ifdef __APPLE__

#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "loader.h"

static const struct mach_header_64 *header_of(const char *path, intptr_t *slide) {
    const char *base = strrchr(path, '/');

    base = base != NULL ? base : path;
    for (uint32_t i = 0; i < _dyld_image_count(); i++) {
        const char *name = _dyld_get_image_name(i);
        const char *end = name != NULL ? strrchr(name, '/') : NULL;

        /* Copies have names of their own; the folder may be spelled through a link. */
        if (end != NULL && strcmp(end, base) == 0) {
            *slide = _dyld_get_image_vmaddr_slide(i);
            return (const struct mach_header_64 *)(const void *)_dyld_get_image_header(i);
        }
    }
    return NULL;
}

static bool is_drivers_data(const struct section_64 *section) {
    uint32_t type = section->flags & SECTION_TYPE;

    if (type != S_REGULAR && type != S_ZEROFILL && type != S_LITERAL_POINTERS) {
        return false;
    }
    return strncmp(section->sectname, "__llvm_prf", 10) != 0 &&
           strncmp(section->sectname, "__sancov", 8) != 0 &&
           strncmp(section->sectname, "__got", 5) != 0 &&
           strncmp(section->sectname, "__gcov", 6) != 0;
}

static bool take_segment(struct krn_image *image, const struct segment_command_64 *command,
                         intptr_t slide) {
    const struct section_64 *sections = (const struct section_64 *)(const void *)(command + 1);
    uintptr_t start = (uintptr_t)command->vmaddr + (uintptr_t)slide;

    if (command->vmsize == 0 || strcmp(command->segname, SEG_LINKEDIT) == 0) {
        return true;
    }
    if (image->low == 0 || start < image->low) {
        image->low = start;
    }
    if (start + command->vmsize > image->high) {
        image->high = start + (uintptr_t)command->vmsize;
    }
    if ((command->initprot & PROT_WRITE) == 0 || strcmp(command->segname, "__DATA_CONST") == 0) {
        return true;
    }
    for (uint32_t i = 0; i < command->nsects; i++) {
        uintptr_t at = (uintptr_t)sections[i].addr + (uintptr_t)slide;

        if (is_drivers_data(&sections[i]) &&
            !krn_image_span_add(image, at, at + (uintptr_t)sections[i].size)) {
            return false;
        }
    }
    return true;
}

/* Segments are left out: code pages of this host cannot be taken away and brought back. */
bool krn_host_image_map(struct krn_image *image, char *error, size_t error_bytes) {
    intptr_t slide = 0;
    const struct mach_header_64 *header = header_of(image->copy_path, &slide);
    const unsigned char *at = (const unsigned char *)(header + 1);
    bool good = header != NULL;

    for (uint32_t i = 0; good && i < header->ncmds; i++) {
        const struct load_command *command = (const struct load_command *)(const void *)at;

        if (command->cmd == LC_SEGMENT_64) {
            good = take_segment(image, (const struct segment_command_64 *)(const void *)at, slide);
        }
        at += command->cmdsize;
    }
    if (!good) {
        (void)snprintf(error, error_bytes, "%s: its segments cannot be found", image->path);
    }
    return good;
}

#else
typedef int krn_host_darwin_is_empty;
#endif
