/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of a connect8 run goes: the program is interrupted each few milliseconds of its
 * CPU time, and what it was doing is counted by the name of the function, or by the module for
 * drivers and libraries.
 *
 *     bench_where SCENARIO DRIVER_DIR [SECONDS]
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "host_private.h"
#include "loaded.h"

#define SAMPLE_US 1000
#define SAMPLES_MAX 65536u
#define SECONDS_DEFAULT 5u
#define ROW_COUNT_MAX 32u
#define SYMBOL_COUNT_MAX 32768u

struct place {
    const char *prefix; /* of the function's name, or of the module's */
    const char *name;
};

/* The first that fits. */
static const struct place modules[] = {
    {"ndksim-rnic", "provider"},
    {"ndkping", "consumers"},
    {"libc", "C library: copies, fills, compares"},
};
static const struct place functions[] = {
    {"sim_trace", "sim: trace and digest"},
    {"sim_record", "sim: trace and digest"},
    {"sim_point", "sim: schedule points"},
    {"sim_step", "sim: steps and tasks"},
    {"sim_run", "sim: steps and tasks"},
    {"sim_sched", "sim: steps and tasks"},
    {"sim_task", "sim: steps and tasks"},
    {"sim_cpu", "sim: steps and tasks"},
    {"sim_call", "sim: steps and tasks"},
    {"sim_switch", "sim: steps and tasks"},
    {"sim_spin", "sim: steps and tasks"},
    {"sim_choose", "sim: choices"},
    {"sim_choice", "sim: choices"},
    {"sim_counter", "sim: choices"},
    {"sim_event", "sim: event queue"},
    {"sim_memory", "sim: memory and reset"},
    {"sim_region", "sim: memory and reset"},
    {"sim_room", "sim: memory and reset"},
    {"sim_stack", "sim: memory and reset"},
    {"sim_world", "sim: memory and reset"},
    {"sim_raw", "sim: memory and reset"},
    {"sim_bus", "sim: bus"},
    {"sim_dma", "sim: bus"},
    {"sim_frame", "sim: bus"},
    {"sim_site", "sim: call paths"},
    {"sim_path", "sim: call paths"},
    {"sim_", "sim: the rest"},
    {"krn_", "kernel"},
    {"Ke", "kernel"},
    {"Ex", "kernel"},
    {"Io", "kernel"},
    {"Mm", "kernel"},
    {"Ndis", "kernel"},
    {"Ndksim", "kernel"},
    {"Ps", "kernel"},
    {"Ob", "kernel"},
    {"Rtl", "kernel"},
    {"Interlocked", "kernel"},
    {"READ_", "kernel"},
    {"WRITE_", "kernel"},
    {"Zw", "kernel"},
    {"Dbg", "kernel"},
    {"vrf_", "verifier"},
    {"rnic_", "device"},
    {"net_", "net"},
    {"wire_", "wire"},
    {"scn_", "scenarios"},
};

static uintptr_t samples[SAMPLES_MAX];
static volatile sig_atomic_t sample_count;

static void on_sample(int signal, siginfo_t *info, void *context) {
    struct sim_host_context interrupted;

    (void)signal;
    if (sample_count < (sig_atomic_t)SAMPLES_MAX) {
        sim_host_context_read(info, context, &interrupted);
        samples[sample_count] = interrupted.code;
        sample_count = sample_count + 1;
    }
}

static void sampling(bool on) {
    const long us = on ? SAMPLE_US : 0;
    const struct itimerval every = {.it_interval = {.tv_usec = us}, .it_value = {.tv_usec = us}};
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};

    /* Not on the stack of a task: what lies below its frames must stay what it is. */
    sim_host_signal_stack();
    action.sa_sigaction = on_sample;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGPROF, &action, NULL) != 0 || setitimer(ITIMER_PROF, &every, NULL) != 0) {
        perror("no samples");
        exit(1);
    }
}

static const char *find(const struct place *places, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (strncmp(name, places[i].prefix, strlen(places[i].prefix)) == 0) {
            return places[i].name;
        }
    }
    return NULL;
}

/* ---- The program's functions ---- */

/* Falling out of a table of fixed size costs a name, not a sample. */
struct symbol {
    uintptr_t start;
    const char *place; /* NULL: its name says nothing */
};
static struct symbol symbols[SYMBOL_COUNT_MAX];
static size_t symbol_count;

int main(int count, char **words);

/* By address. What is where comes from `nm`, which knows functions that no other file sees. */
static void symbols_read(const char *program) {
    const char *place = NULL;
    uintptr_t main_at = 0;
    char command[512], line[512], name[256];
    unsigned long long at;
    FILE *file;

    snprintf(command, sizeof(command), "nm -n '%s'", program);
    file = popen(command, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        const char *bare = name;

        if (sscanf(line, "%llx %*c %255s", &at, name) != 2 || symbol_count == SYMBOL_COUNT_MAX) {
            continue;
        }
        bare += *bare == '_';
        if (strcmp(bare, "main") == 0) {
            main_at = (uintptr_t)at;
        }
        /* A name of one file only counts as its neighbour's: mostly they are of one file. */
        if (find(functions, SIM_ARRAY_COUNT(functions), bare) != NULL) {
            place = find(functions, SIM_ARRAY_COUNT(functions), bare);
        }
        symbols[symbol_count++] = (struct symbol){(uintptr_t)at, place};
    }
    if (file == NULL || pclose(file) != 0 || main_at == 0) {
        fprintf(stderr, "nm does not say what is where in %s\n", program);
        exit(2);
    }
    for (size_t i = 0; i < symbol_count; i++) {
        symbols[i].start += (uintptr_t)main - main_at;
    }
}

static const char *program_place(uintptr_t code) {
    size_t low = 0, high = symbol_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (symbols[middle].start <= code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low != 0 ? symbols[low - 1].place : NULL;
}

static const char *place_of(uintptr_t code) {
    const char *found = NULL;
    Dl_info about, own;

    if (dladdr((const void *)code, &about) != 0 &&
        dladdr((const void *)(uintptr_t)main, &own) != 0) {
        const char *file = strrchr(about.dli_fname, '/');

        found = about.dli_fbase == own.dli_fbase ? program_place(code)
                                                 : find(modules, SIM_ARRAY_COUNT(modules),
                                                        file != NULL ? file + 1 : about.dli_fname);
    }
    return found != NULL ? found : "elsewhere";
}

struct row {
    const char *name;
    uint64_t count;
};

static int by_count(const void *a, const void *b) {
    const struct row *one = a, *other = b;

    return (one->count < other->count) - (one->count > other->count);
}

static void print(uint64_t run_ns) {
    struct row rows[ROW_COUNT_MAX] = {0};
    uint64_t total = (uint64_t)sample_count;
    size_t count = 0;

    for (uint64_t i = 0; i < total; i++) {
        const char *name = place_of(samples[i]);
        size_t at = 0;

        while (at < count && strcmp(rows[at].name, name) != 0) {
            at++;
        }
        if (at == count) {
            rows[count++].name = name;
        }
        rows[at].count++;
    }
    qsort(rows, count, sizeof(rows[0]), by_count);
    for (size_t i = 0; i < count; i++) {
        printf("  %-36s %8llu ns  %3llu.%llu %%\n", rows[i].name,
               (unsigned long long)(run_ns * rows[i].count / total),
               (unsigned long long)(rows[i].count * 100 / total),
               (unsigned long long)(rows[i].count * 1000 / total % 10));
    }
}

int main(int count, char **words) {
    const struct scn_run_options options = {.seed = 1, .until_ns = SIM_TIME_NEVER};
    uint64_t limit_ns = SECONDS_DEFAULT * SIM_NS_PER_S;
    uint64_t start_ns, spent_ns = 0, runs = 0;
    struct scn_outcome outcome;
    struct loaded loaded;

    if (count > 3) {
        limit_ns = strtoull(words[3], NULL, 10) * SIM_NS_PER_S;
    }
    loaded_open(&loaded, count > 1 ? words[1] : CONNECT8_JSON, count > 2 ? words[2] : DRIVER_DIR,
                NULL, 0);
    symbols_read(words[0]);
    sampling(true);
    start_ns = sim_host_cpu_ns();
    for (; spent_ns < limit_ns; runs++) {
        loaded_run(&loaded, &options, &outcome);
        spent_ns = sim_host_cpu_ns() - start_ns;
    }
    sampling(false);
    printf("connect8: %llu ns a run (%llu samples), of which\n",
           (unsigned long long)(spent_ns / runs), (unsigned long long)sample_count);
    print(spent_ns / runs);
    loaded_close(&loaded);
    return 0;
}
