/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an opened module lies, on Linux: program headers give the segments; the section headers and
 * symbols of the file give the counters of coverage and profiles, which no reset may touch.
 */
#ifdef __linux__

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host_calls.h"
#include "loader.h"

#if defined(__x86_64__)
#define IS_FUNCTION(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)
#elif defined(__aarch64__)
#define IS_FUNCTION(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT)
#else
#define IS_FUNCTION(type) false
#endif

struct search {
    struct krn_image *image;
    uintptr_t base;
    bool found;
    bool fits;
};

static int protection_of(ElfW(Word) flags) {
    return ((flags & PF_R) != 0 ? PROT_READ : 0) | ((flags & PF_W) != 0 ? PROT_WRITE : 0) |
           ((flags & PF_X) != 0 ? PROT_EXEC : 0);
}

static bool segment_add(struct krn_image *image, uintptr_t start, uintptr_t end, int protection) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    struct krn_segment *segment;

    start &= ~(page - 1);
    end = (end + page - 1) & ~(page - 1);
    if (image->segment_count == KRN_IMAGE_SEGMENTS_MAX) {
        return false;
    }
    segment = &image->segments[image->segment_count++];
    segment->start = (unsigned char *)start;
    segment->bytes = end - start;
    segment->protection = protection;
    if (image->low == 0 || start < image->low) {
        image->low = start;
    }
    if (end > image->high) {
        image->high = end;
    }
    return true;
}

static bool take_header(struct search *search, const ElfW(Phdr) * header) {
    struct krn_image *image = search->image;
    uintptr_t start = search->base + header->p_vaddr;
    uintptr_t end = start + header->p_memsz;

    if (header->p_type == PT_LOAD) {
        bool good = segment_add(image, start, end, protection_of(header->p_flags));

        return good && ((header->p_flags & PF_W) == 0 || krn_image_span_add(image, start, end));
    }
    return true;
}

static bool cut_relro(struct search *search, const ElfW(Phdr) * header) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = search->base + header->p_vaddr;
    uintptr_t end = start + header->p_memsz;

    if (header->p_type != PT_GNU_RELRO) {
        return true;
    }
    /* Whole pages became read-only; so they come back after krn_image_map too. */
    return segment_add(search->image, start, end & ~(page - 1), PROT_READ) &&
           krn_image_span_cut(search->image, start, end);
}

static int seen(struct dl_phdr_info *info, size_t bytes, void *context) {
    struct search *search = context;

    (void)bytes;
    if (info->dlpi_addr != search->base) {
        return 0;
    }
    search->found = true;
    search->fits = true;
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        search->fits = search->fits && take_header(search, &info->dlpi_phdr[i]);
    }
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        search->fits = search->fits && cut_relro(search, &info->dlpi_phdr[i]);
    }
    return 1;
}

static bool is_counter_section(const char *name) {
    return strncmp(name, "__llvm_prf", 10) == 0 || strncmp(name, "__llvm_cov", 10) == 0 ||
           strncmp(name, "__sancov", 8) == 0 || strncmp(name, ".gcda", 5) == 0;
}

static bool is_counter_symbol(const char *name) {
    return strncmp(name, "__gcov", 6) == 0 || strncmp(name, "__llvm_gcov", 11) == 0 ||
           strncmp(name, "__llvm_prf", 10) == 0;
}

/* The file, whole; NULL when it cannot be read. */
static unsigned char *file_read(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    unsigned char *text = NULL;
    long size = -1;

    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        size = ftell(file);
        rewind(file);
    }
    if (size > 0) {
        text = malloc((size_t)size);
    }
    if (text != NULL && fread(text, 1, (size_t)size, file) != (size_t)size) {
        free(text);
        text = NULL;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    *bytes = text != NULL ? (size_t)size : 0;
    return text;
}

static bool cut_symbols(struct krn_image *image, uintptr_t base, const unsigned char *file,
                        const ElfW(Shdr) * sections, const ElfW(Shdr) * table) {
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)(const void *)(file + table->sh_offset);
    const char *names = (const char *)file + sections[table->sh_link].sh_offset;
    size_t count = table->sh_size / sizeof(symbols[0]);

    for (size_t i = 0; i < count; i++) {
        uintptr_t start = base + symbols[i].st_value;

        if (symbols[i].st_size != 0 && is_counter_symbol(names + symbols[i].st_name) &&
            !krn_image_span_cut(image, start, start + symbols[i].st_size)) {
            return false;
        }
    }
    return true;
}

static bool cut_counters(struct krn_image *image, uintptr_t base, const unsigned char *file) {
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)(const void *)file;
    const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(const void *)(file + header->e_shoff);
    const char *names;

    if (header->e_shnum == 0) {
        return true;
    }
    names = (const char *)file + sections[header->e_shstrndx].sh_offset;
    for (ElfW(Half) i = 0; i < header->e_shnum; i++) {
        uintptr_t start = base + sections[i].sh_addr;
        bool good = true;

        if (sections[i].sh_type == SHT_SYMTAB) {
            good = cut_symbols(image, base, file, sections, &sections[i]);
        } else if ((sections[i].sh_flags & SHF_WRITE) != 0 &&
                   is_counter_section(names + sections[i].sh_name)) {
            good = krn_image_span_cut(image, start, start + sections[i].sh_size);
        }
        if (!good) {
            return false;
        }
    }
    return true;
}

/* ---- Calls of the host's own functions, see host_calls.h ---- */

static void slot_set(const struct krn_image *image, uintptr_t *slot, uintptr_t value) {
    uintptr_t bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)((uintptr_t)slot & ~(bytes - 1));

    if (mprotect(page, bytes, PROT_READ | PROT_WRITE) == 0) {
        *slot = value;
        (void)mprotect(page, bytes, krn_image_protection(image, page));
    }
}

/* Some loaders leave addresses of this table as they are in the file. */
static uintptr_t dynamic_find(const struct link_map *map, ElfW(Sxword) tag, bool is_address) {
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == tag) {
            return entry->d_un.d_ptr +
                   (is_address && entry->d_un.d_ptr < map->l_addr ? map->l_addr : 0);
        }
    }
    return 0;
}

static void divert(const struct krn_image *image, const struct link_map *map, uintptr_t table,
                   size_t bytes) {
    const ElfW(Rela) *relocations = (const ElfW(Rela) *)table;
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)dynamic_find(map, DT_SYMTAB, true);
    const char *names = (const char *)dynamic_find(map, DT_STRTAB, true);

    for (size_t i = 0; table != 0 && i < bytes / sizeof(relocations[0]); i++) {
        const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(relocations[i].r_info)];
        uintptr_t *slot = (uintptr_t *)(map->l_addr + relocations[i].r_offset);
        uintptr_t stub = 0;

        if (IS_FUNCTION(ELF64_R_TYPE(relocations[i].r_info)) && symbol->st_shndx == SHN_UNDEF &&
            *slot != 0) {
            stub = krn_host_call_stub(names + symbol->st_name, *slot);
        }
        if (stub != 0) {
            slot_set(image, slot, stub);
        }
    }
}

/* A device model is a part of the host, and may call what it likes. */
static void divert_host_calls(const struct krn_image *image, const struct link_map *map) {
    if (strcmp(image->entry, "DriverEntry") == 0) {
        divert(image, map, dynamic_find(map, DT_JMPREL, true),
               dynamic_find(map, DT_PLTRELSZ, false));
        divert(image, map, dynamic_find(map, DT_RELA, true), dynamic_find(map, DT_RELASZ, false));
    }
}

bool krn_host_image_map(struct krn_image *image, char *error, size_t error_bytes) {
    struct search search = {.image = image};
    struct link_map *map = NULL;
    unsigned char *file;
    size_t bytes;
    bool good;

    if (dlinfo(image->handle, RTLD_DI_LINKMAP, &map) == 0 && map != NULL) {
        search.base = map->l_addr;
        (void)dl_iterate_phdr(seen, &search);
    }
    file = file_read(image->copy_path, &bytes);
    good = search.found && search.fits && file != NULL && cut_counters(image, search.base, file);
    free(file);
    if (good) {
        divert_host_calls(image, map);
    }
    if (!good) {
        (void)snprintf(error, error_bytes, "%s: its segments cannot be found", image->path);
    }
    return good;
}

#else
typedef int krn_host_linux_is_empty;
#endif
