/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge of accidents: what Windows would have stopped with when a driver's plain instruction
 * faults. Runs on the signal's stack in the faulting task; only looks.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <krn/bugcheck.h>
#include <krn/state.h>

#include "bugcheck_guilty.h"
#include "driver_state.h"
#include "place.h"
#include "pool.h"

static void judge_trap(const struct sim_accident *accident, struct sim_finding *finding) {
    if (accident->signal == SIGFPE) {
        krn_bugcheck_begin(finding, 0x7E, 0xC0000094, 0, 0, 0);
        sim_finding_say(finding, "a driver divided by zero or overflowed a division");
    } else if (accident->signal == SIGTRAP) {
        krn_bugcheck_begin(finding, 0x1E, 0x80000003, 0, 0, 0);
        sim_finding_say(finding, "the driver ran into a break point of its own");
    } else if (accident->signal == SIGABRT) {
        krn_bugcheck_begin(finding, 0x1E, 0x40000015, 0, 0, 0);
        sim_finding_say(finding,
                        "the host's C library gave up inside a call of the driver (abort)");
    } else {
        krn_bugcheck_begin(finding, 0x7E, 0xC000001D, 0, 0, 0);
        sim_finding_say(finding, "a driver ran an illegal instruction");
    }
}

/* The machine was to go on where there is no code. */
static bool code_is_called(const struct sim_accident *accident) {
    return accident->signal == SIGSEGV && accident->code == accident->address;
}

static bool code_is_bad(struct sim_world *world, const struct sim_accident *accident) {
    return code_is_called(accident) && accident->address != 0 &&
           sim_region_of(world, (const void *)accident->code) != SIM_REGION_COUNT;
}

/* Bytes behind a pointer that may be reached through it: members, elements of small arrays. */
#define REACH_BYTES UINT64_C(0x10000)

/* A pointer whose bytes are all `fill`, or what is reached through it. */
static bool is_of_fill(uint64_t address, unsigned char fill) {
    uint64_t pointer = fill * UINT64_C(0x0101010101010101);

    return address - pointer < REACH_BYTES || pointer - address < REACH_BYTES;
}

/* Nothing is there; what stands in the pointer tells where it was read. */
static void say_nowhere(const struct sim_world *world, uint64_t address, const char *verb,
                        struct sim_finding *finding) {
    bool is_special = sim_world_config(world)->special_pool;

    if (is_of_fill(address, KRN_POOL_FILL_FREED)) {
        sim_finding_say(finding,
                        "a driver %s 0x%llx: the pointer was read from freed memory, which is "
                        "filled with 0xDD%s",
                        verb, (unsigned long long)address,
                        is_special ? "" : "; --pool special shows where it was freed");
    } else if (is_of_fill(address, KRN_POOL_FILL_NEW)) {
        sim_finding_say(finding,
                        "a driver %s 0x%llx: the pointer was read from memory that nobody had "
                        "written since its allocation, which filled it with 0xCD",
                        verb, (unsigned long long)address);
    } else {
        sim_finding_say(
            finding,
            "a driver %s an address with nothing behind it; a pointer read out of freed "
            "or uninitialised memory looks so",
            verb);
    }
}

static void say_access(struct sim_world *world, const struct sim_accident *accident,
                       const struct krn_place *place, struct sim_finding *finding) {
    const char *verb = accident->write ? "wrote to" : "read from";
    char story[KRN_POINTER_TEXT_BYTES];

    krn_pointer_story(world, (const void *)accident->address, story, sizeof(story));
    switch (place->kind) {
    case KRN_PLACE_NULL:
        if (code_is_called(accident)) {
            sim_finding_say(finding, "a driver called a NULL function pointer");
            break;
        }
        sim_finding_say(finding, "a driver %s a NULL pointer, offset 0x%llx", verb,
                        (unsigned long long)place->offset);
        break;
    case KRN_PLACE_DEVICE:
        sim_finding_say(finding,
                        "a driver %s device memory through a pointer; registers are reached with "
                        "READ_REGISTER and WRITE_REGISTER",
                        verb);
        break;
    case KRN_PLACE_NOWHERE:
        say_nowhere(world, accident->address, verb, finding);
        break;
    case KRN_PLACE_POOL:
        sim_finding_say(finding, "a driver %s paged pool at %s: %s", verb,
                        krn_irql_name(sim_cpu_level(sim_task_cpu(sim_task_current()))), story);
        break;
    default:
        sim_finding_say(finding, "a driver %s %s", verb, story);
        break;
    }
}

/* The kernel's own code must not fault, unless a driver's call led it to the bad address. */
static void judge_access(struct sim_world *world, const struct sim_accident *accident,
                         uint8_t level, struct sim_finding *finding) {
    const void *address = (const void *)accident->address;
    struct krn_place place;
    uint32_t code;

    krn_place_of(world, address, &place);
    if (place.kind == KRN_PLACE_POOL && !krn_pool_is_paged_out(world, address)) {
        /* Such a live block is never protected; what lies behind it in special pool is. */
        place.kind = KRN_PLACE_POOL_GUARD;
    }
    code = krn_place_code(&place, level, accident->write);
    krn_bugcheck_begin(finding, code, 0, 0, 0, 0);
    krn_place_parameters(world, &place, address, code, level, accident->write, finding);
    say_access(world, accident, &place, finding);
    krn_pointer_sites(world, address, finding);
}

/* KASAN's code: it watches what this sanitizer does. */
static void judge_asan(const struct sim_accident *accident, struct sim_finding *finding) {
    if (accident->bytes != 0) {
        krn_bugcheck_begin(finding, 0x1F2, 0, accident->bytes, 0, accident->write);
        sim_finding_say(finding, "a driver %s %llu byte%s beside what it has: %s",
                        accident->write ? "wrote" : "read", (unsigned long long)accident->bytes,
                        accident->bytes == 1 ? "" : "s", accident->asan);
    } else {
        krn_bugcheck_begin(finding, 0x1E, 0x40000015, 0, 0, 0);
        sim_finding_say(finding, "the host's C library was called wrongly: %s", accident->asan);
    }
    if (finding->guilty[0] == '\0') {
        krn_bugcheck_blame(finding, krn_task_driver(sim_task_current()));
    }
}

/*
 * UBSan looks before the access or the division is made, which are what is wrong; an index beyond
 * its array is what AddressSanitizer would find next. A value that no variable of its type has may
 * have been read out of memory that is gone.
 */
static void judge_undefined(struct sim_world *world, const struct sim_accident *accident,
                            struct sim_finding *finding) {
    const struct sim_task *task = sim_task_current();
    const char *kind = accident->asan;
    struct krn_place place;

    krn_place_of(world, (const void *)accident->address, &place);
    if (strcmp(kind, "integer-divide-by-zero") == 0) {
        const struct sim_accident trap = {.signal = SIGFPE};

        judge_trap(&trap, finding);
    } else if (strstr(kind, "pointer-use") != NULL || strcmp(kind, "insufficient-object-size") == 0
                   ? !krn_place_is_live(&place)
                   : place.kind == KRN_PLACE_POOL_FREED) {
        judge_access(world, accident, sim_cpu_level(sim_task_cpu(task)), finding);
    } else if (strcmp(kind, "out-of-bounds-index") == 0) {
        krn_bugcheck_begin(finding, 0x1F2, 0, 0, 0, 0);
        sim_finding_say(finding, "a driver's index is beyond its array: %s", kind);
    } else {
        krn_bugcheck_begin(finding, 0x1E, 0xC0000420, 0, 0, 0);
        sim_finding_say(finding, "a driver did what C does not define: %s", kind);
    }
    if (finding->guilty[0] == '\0') {
        krn_bugcheck_blame(finding, krn_task_driver(task));
    }
}

static void judge_fault(struct sim_world *world, const struct sim_accident *accident,
                        struct sim_finding *finding) {
    const struct sim_task *task = sim_task_current();
    uint8_t level = sim_cpu_level(sim_task_cpu(task));
    const void *code = (const void *)accident->code;
    struct krn_driver *runs = krn_driver_of_code(world, code);

    if (accident->is_stack_overflow) {
        krn_bugcheck_begin(finding, 0x7F, 0x08, 0, 0, 0);
        sim_finding_say(finding, "the kernel stack overflowed");
    } else if (runs != NULL && krn_driver_is_gone(runs, code)) {
        krn_bugcheck_begin(finding, 0xCE, 0, 0, 0, 0);
        sim_finding_say(finding, "code of %s ran after the driver was unloaded",
                        krn_driver_name(runs));
        krn_bugcheck_blame(finding, runs);
    } else if (code_is_bad(world, accident)) {
        char text[KRN_POINTER_TEXT_BYTES];

        krn_bugcheck_begin(finding, 0xFC, 0, 0, 0, 0);
        sim_finding_say(finding, "a driver called a function pointer that lies in data: %s",
                        krn_pointer_text(world, code, text, sizeof(text)));
    } else {
        judge_access(world, accident, level, finding);
    }
    if (finding->guilty[0] == '\0') {
        krn_bugcheck_blame(finding, runs != NULL ? runs : krn_task_driver(task));
    }
}

/* Where it went wrong, from the driver's code on; in front of what was said of its memory. */
static void add_code_site(const struct sim_world *world, const struct sim_accident *accident,
                          struct sim_finding *finding) {
    struct sim_site *site = &finding->sites[0];

    if (finding->site_count == 0) {
        return;
    }
    site->what = code_is_called(accident) ? "called" : "used";
    site->frame_count = accident->frame_count;
    memcpy(site->frames, accident->frames, sizeof(site->frames));
    if (krn_driver_of_code(world, (const void *)accident->code) != NULL) {
        /* Of an image that is gone, too: not a call, but what was to go on. */
        site->what = "used";
        site->frames[0] = accident->code + 1;
    }
    if (krn_site_driver(world, site) != NULL) {
        krn_site_begin_with_driver(world, site);
    }
}

/* The driver whose code went wrong, or called a function without a frame that did; or NULL. */
static struct krn_driver *driver_at_fault(const struct sim_world *world,
                                          const struct sim_accident *accident) {
    struct krn_driver *driver = krn_driver_of_code(world, (const void *)accident->code);

    if (driver == NULL && accident->returns_to != 0) {
        driver = krn_driver_of_code(world, (const void *)(accident->returns_to - 1));
    }
    return driver;
}

/* Whose task it is was blamed first: the stack cannot be walked here. */
static void blame_code(struct sim_finding *finding, struct krn_driver *driver,
                       struct krn_driver *task_driver) {
    char caller[sizeof(finding->guilty)];

    if (driver == NULL || driver == task_driver) {
        return;
    }
    snprintf(caller, sizeof(caller), "%s", finding->guilty);
    if (task_driver != NULL && finding->object_count > 0 &&
        finding->objects[0] == krn_driver_object(task_driver)) {
        finding->objects[0] = krn_driver_object(driver);
    }
    krn_bugcheck_blame(finding, driver);
    if (caller[0] != '\0' && strcmp(caller, finding->guilty) != 0) {
        sim_finding_detail(finding, "inside a call of %s", caller);
    }
}

/* A device model's register handlers run in the tasks of drivers, who are not to blame. */
static bool is_of_device(const struct sim_world *world, const struct sim_accident *accident,
                         struct sim_finding *finding) {
    const void *code = (const void *)accident->code;
    const struct krn_image *image = krn_image_of_address(code);

    if (image == NULL || krn_driver_of_code(world, code) != NULL) {
        return false;
    }
    sim_finding_init(finding, SIM_VERDICT_INTERNAL, "device", "");
    sim_finding_say(finding, "the device model %s went wrong (signal %d)", image->path,
                    accident->signal);
    sim_finding_site_here(finding, "used");
    finding->sites[0].frame_count = accident->frame_count;
    memcpy(finding->sites[0].frames, accident->frames, sizeof(finding->sites[0].frames));
    return true;
}

void krn_bugcheck_judge(struct sim_world *world, const struct sim_accident *accident,
                        struct sim_finding *finding) {
    if (is_of_device(world, accident, finding)) {
        return;
    }
    if (accident->is_undefined) {
        judge_undefined(world, accident, finding);
    } else if (accident->asan != NULL) {
        judge_asan(accident, finding);
    } else if (accident->signal == SIGFPE || accident->signal == SIGILL ||
               accident->signal == SIGTRAP || accident->signal == SIGABRT) {
        judge_trap(accident, finding);
    } else {
        judge_fault(world, accident, finding);
    }
    blame_code(finding, driver_at_fault(world, accident), krn_task_driver(sim_task_current()));
    add_code_site(world, accident, finding);
    krn_bugcheck_tell_lock(world, finding);
    krn_ndk_explain(world, finding);
    krn_ndk_judge(world, (const void *)accident->address,
                  krn_driver_of_code(world, (const void *)accident->code), finding);
}
