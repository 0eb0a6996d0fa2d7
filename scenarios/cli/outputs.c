/* SPDX-License-Identifier: Apache-2.0 */
/* See outputs.h. */
#include "cli/outputs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/folders.h"
#include "cli/taps.h"
#include "parse/complain.h"

#define OUTPUT_COUNT_MAX (SCN_OPTION_LIST_MAX + 8u)

struct output {
    const char *option;
    const char *file;
};

/* "folder/name" with the folder's real path; the file itself need not be there yet. */
static void real_name(const char *file, char *name, size_t size) {
    const char *slash = strrchr(file, '/');
    char folder[PATH_MAX], real[PATH_MAX];

    if (realpath(file, real) != NULL) {
        snprintf(name, size, "%s", real);
        return;
    }
    snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(slash - file) + 1 : 1,
             slash != NULL ? file : ".");
    if (realpath(folder, real) != NULL)
        snprintf(name, size, "%s/%s", real, slash != NULL ? slash + 1 : file);
    else
        snprintf(name, size, "%s", file);
}

/* A device, a pipe: writing there overwrites nothing. */
static bool is_special(const char *file) {
    struct stat about;

    return stat(file, &about) == 0 && !S_ISREG(about.st_mode);
}

static bool is_same(const char *one, const char *other) {
    char name[2 * PATH_MAX], other_name[2 * PATH_MAX];

    if (is_special(one))
        return false;
    real_name(one, name, sizeof(name));
    real_name(other, other_name, sizeof(other_name));
    return strcmp(name, other_name) == 0;
}

static size_t collect(const struct scn_options *options, struct output *outputs) {
    const struct output files[] = {
        {"--log", options->log_file},       {"--trace", options->trace_file},
        {"--ports", options->ports_file},   {"--junit", options->junit_file},
        {"--record", options->record_file}, {"--coverage", options->coverage_file},
        {"--output", options->output_file}, {"--coverage-report", options->coverage_report},
    };
    size_t count = 0;

    for (size_t i = 0; i < SIM_ARRAY_COUNT(files); i++)
        if (files[i].file != NULL && strcmp(files[i].file, "-") != 0)
            outputs[count++] = files[i];
    for (uint32_t i = 0; scn_taps_file(options, i) != NULL; i++)
        outputs[count++] = (struct output){"--pcap", scn_taps_file(options, i)};
    return count;
}

/* Below the folder of --out, which is made later. */
static bool is_in_out(const struct scn_options *options, const char *file) {
    const char *folder = options->command == SCN_FUZZ ? scn_out_dir(options) : options->out_dir;
    size_t length = folder != NULL ? strlen(folder) : 0;

    while (length > 1 && folder[length - 1] == '/')
        length--;
    return length > 0 && strncmp(file, folder, length) == 0 && file[length] == '/' &&
           strchr(file + length + 1, '/') == NULL;
}

bool scn_outputs_check(const struct scn_options *options) {
    struct output outputs[OUTPUT_COUNT_MAX];
    size_t count = collect(options, outputs);

    for (size_t i = 0; i < count; i++) {
        if (!is_in_out(options, outputs[i].file) &&
            !scn_folder_of_file_check(outputs[i].option, outputs[i].file))
            return false;
        for (size_t k = 0; k < i; k++) {
            if (is_same(outputs[i].file, outputs[k].file)) {
                scn_complain("%s %s: %s writes that file, too; give each its own",
                             outputs[i].option, outputs[i].file, outputs[k].option);
                return false;
            }
        }
        for (uint32_t k = 0; k < options->operand_count; k++) {
            if (is_same(outputs[i].file, options->operands[k])) {
                scn_complain("%s %s: that file is read; write to another", outputs[i].option,
                             outputs[i].file);
                return false;
            }
        }
    }
    return true;
}
