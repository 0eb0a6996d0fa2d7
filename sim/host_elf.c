/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The function or variable that a place in a module's file belongs to, from the file's own symbols
 * (ELF): the dynamic linker knows exported ones only, and drivers export almost nothing. On macOS
 * it knows all.
 */
#define _GNU_SOURCE
#include <string.h>

#include "host_private.h"

#if defined(__linux__)
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct view {
    const unsigned char *bytes;
    size_t size;
};

/* `count` entries of `bytes` at `offset`, NULL when the file is shorter. */
static const void *part(const struct view *view, uint64_t offset, uint64_t count, size_t bytes) {
    if (offset > view->size || count > (view->size - offset) / bytes) {
        return NULL;
    }
    return view->bytes + offset;
}

/* What is looked for, and what was found. */
struct symbol {
    unsigned kind; /* STT_FUNC, STT_OBJECT */
    uintptr_t offset;
    char *name;
    size_t name_bytes;
    uintptr_t start;
};

static const ElfW(Sym) *
    best_of(const ElfW(Sym) * symbols, size_t count, const struct symbol *wanted) {
    const ElfW(Sym) *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const ElfW(Sym) *one = &symbols[i];
        if ((one->st_info & 0xFu) == wanted->kind && one->st_shndx != SHN_UNDEF &&
            wanted->offset >= one->st_value && wanted->offset - one->st_value < one->st_size &&
            (best == NULL || one->st_value > best->st_value)) {
            best = one;
        }
    }
    return best;
}

static void look_up(const struct view *view, struct symbol *wanted) {
    const ElfW(Ehdr) *head = part(view, 0, 1, sizeof(*head));
    const ElfW(Shdr) *sections = NULL;
    if (head != NULL && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0) {
        sections = part(view, head->e_shoff, head->e_shnum, sizeof(*sections));
    }
    for (size_t i = 0; sections != NULL && i < head->e_shnum; i++) {
        const ElfW(Shdr) *one = &sections[i];
        size_t count = one->sh_size / sizeof(ElfW(Sym));
        const ElfW(Sym) * symbols;
        if (one->sh_type != SHT_SYMTAB || one->sh_link >= head->e_shnum) {
            continue;
        }
        symbols = part(view, one->sh_offset, count, sizeof(*symbols));
        symbols = symbols != NULL ? best_of(symbols, count, wanted) : NULL;
        if (symbols != NULL) {
            const ElfW(Shdr) *texts = &sections[one->sh_link];
            const char *text = part(view, texts->sh_offset + symbols->st_name, 1, 1);
            wanted->start = symbols->st_value;
            (void)snprintf(wanted->name, wanted->name_bytes, "%.*s", (int)wanted->name_bytes - 1,
                           text != NULL ? text : "");
        }
    }
}

static void look_up_in(const char *file, struct symbol *wanted) {
    struct stat status;
    struct view view;
    int descriptor = open(file, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return;
    }
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
        view.size = (size_t)status.st_size;
        void *memory = mmap(NULL, view.size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (memory != MAP_FAILED) {
            view.bytes = memory;
            look_up(&view, wanted);
            (void)munmap(memory, view.size);
        }
    }
    (void)close(descriptor);
}

void sim_host_file_function(const char *file, uintptr_t offset, char *name, size_t size) {
    struct symbol wanted = {STT_FUNC, offset, name, size, 0};
    name[0] = '\0';
    look_up_in(file, &wanted);
}

void sim_host_file_variable(const char *file, uintptr_t offset, char *name, size_t size,
                            uintptr_t *start) {
    struct symbol wanted = {STT_OBJECT, offset, name, size, offset};
    name[0] = '\0';
    look_up_in(file, &wanted);
    *start = wanted.start;
}
#else
void sim_host_file_function(const char *file, uintptr_t offset, char *name, size_t size) {
    (void)file;
    (void)offset;
    (void)size;
    name[0] = '\0';
}

void sim_host_file_variable(const char *file, uintptr_t offset, char *name, size_t size,
                            uintptr_t *start) {
    sim_host_file_function(file, offset, name, size);
    *start = offset;
}
#endif
