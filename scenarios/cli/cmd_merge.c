/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim merge DIR...`: campaigns that were run apart, as shards or with other seeds, as one.
 * Every folder must hold campaigns of the same scenarios, drivers and options; a run counts once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/campaign_place.h"
#include "cli/folders.h"
#include "cli/known.h"
#include "cli/session.h"
#include "cli/tally.h"
#include "parse/complain.h"
#include "report/file.h"

/* Sums of one scenario's cell each. */
struct sums {
    struct scn_tally **entries;
    const char **from;    /* the folder of the first */
    size_t *folder_count; /* how many folders have it */
    size_t count;
};

static struct scn_tally *find(const struct sums *sums, const struct scn_tally *tally, size_t *at) {
    const struct scn_identity *one = &tally->identity;

    for (*at = 0; *at < sums->count; ++*at) {
        const struct scn_identity *other = &sums->entries[*at]->identity;

        if (strcmp(one->name, other->name) == 0 && one->cell == other->cell)
            return sums->entries[*at];
    }
    return NULL;
}

static void *grown(void *entries, size_t count, size_t bytes) {
    entries = realloc(entries, count * bytes);
    SIM_ASSERT(entries != NULL);
    return entries;
}

static void add_sum(struct sums *sums, struct scn_tally *tally, const char *folder) {
    size_t count = ++sums->count;

    sums->entries = grown(sums->entries, count, sizeof(struct scn_tally *));
    sums->from = grown(sums->from, count, sizeof(const char *));
    sums->folder_count = grown(sums->folder_count, count, sizeof(size_t));
    sums->entries[count - 1] = tally;
    sums->from[count - 1] = folder;
    sums->folder_count[count - 1] = 0;
}

/* Takes the tally. */
static bool add(struct sums *sums, struct scn_tally *tally, const char *folder, const char *path) {
    char text[4096];
    size_t at;
    struct scn_tally *sum = find(sums, tally, &at);
    const char *wrong = NULL;

    if (sum == NULL) {
        add_sum(sums, tally, folder);
        return true;
    }
    wrong = scn_tally_differ(sum, tally, text, sizeof(text));
    if (wrong == NULL)
        wrong = scn_tally_overlap(sum, tally, text, sizeof(text));
    if (wrong == NULL)
        scn_tally_merge(sum, tally);
    else
        scn_complain("%s: cannot be added to the campaign of %s: %s", path, sums->from[at], wrong);
    scn_tally_free(tally);
    free(tally);
    return wrong == NULL;
}

static bool add_folder(struct sums *sums, const char *folder) {
    size_t count, at;
    char **paths = scn_folder_list("merge", folder, ".ndkcampaign", &count);
    bool *has = calloc(sums->count + count + 1, sizeof(*has));
    bool is_good = paths != NULL;

    SIM_ASSERT(has != NULL);
    if (is_good && count == 0) {
        scn_complain("merge %s: there is no campaign in it (fuzz --out leaves one)", folder);
        is_good = false;
    }
    for (size_t i = 0; is_good && i < count; i++) {
        struct scn_tally *tally = scn_tally_read(paths[i]);

        is_good = tally != NULL;
        if (is_good && find(sums, tally, &at) == NULL)
            at = sums->count;
        is_good = is_good && add(sums, tally, folder, paths[i]);
        if (is_good)
            has[at] = true;
    }
    for (size_t i = 0; i < sums->count; i++)
        sums->folder_count[i] += has[i];
    scn_folder_free(paths, count);
    free(has);
    return is_good;
}

/* A scenario that some of the folders lack: they are not campaigns of the same thing. */
static bool are_alike(const struct sums *sums, size_t folder_count) {
    for (size_t i = 0; i < sums->count; i++)
        if (sums->folder_count[i] != folder_count) {
            scn_complain("merge: %zu of %zu folders have a campaign of the scenario %s, cell %u "
                         "(%s is the first); all must",
                         sums->folder_count[i], folder_count, sums->entries[i]->identity.name,
                         sums->entries[i]->identity.cell, sums->from[i]);
            return false;
        }
    return true;
}

static bool copy(const char *from, const char *to) {
    char buffer[16384];
    struct scn_file file;
    FILE *stream = fopen(from, "rb");
    size_t got;
    int error;

    if (stream == NULL || !scn_file_open(&file, to)) {
        scn_complain("%s: %s", stream == NULL ? from : to, strerror(errno));
        if (stream != NULL)
            fclose(stream);
        return false;
    }
    while ((got = fread(buffer, 1, sizeof(buffer), stream)) > 0)
        fwrite(buffer, 1, got, file.stream);
    error = ferror(stream) != 0 ? EIO : 0;
    fclose(stream);
    if (error == 0)
        error = scn_file_close(&file);
    else
        scn_file_close(&file);
    if (error != 0)
        scn_complain("%s: %s", to, strerror(error));
    return error == 0;
}

/* The campaign and the records of its failures, in a folder of their own. */
static bool write_out(struct scn_tally *tally, const char *folder) {
    char path[SCN_PATH_BYTES];
    bool is_whole = true;

    if (!scn_place_take(scn_tally_path(tally, folder, path, sizeof(path))))
        return false;
    for (size_t i = 0; i < tally->distinct_count; i++) {
        struct scn_distinct *one = &tally->distinct[i];
        const char *slash = strrchr(one->file, '/');
        char to[SCN_PATH_BYTES];

        if (one->file[0] == '\0')
            continue;
        snprintf(to, sizeof(to), "%s/%s", folder, slash != NULL ? slash + 1 : one->file);
        is_whole = copy(one->file, to) && is_whole;
        snprintf(one->file, sizeof(one->file), "%.511s", to);
    }
    return scn_tally_write(tally, folder) && is_whole;
}

static int conclude(const struct scn_options *options, const struct sums *sums) {
    const struct scn_tally_said said = {.options = options};
    struct scn_results results = {.is_array = sums->count > 1};
    int exit_code = SIM_VERDICT_HELD;
    bool is_whole = options->out_dir == NULL || scn_folder_make("--out", options->out_dir);
    char suffix[32] = "";
    bool has_run;

    for (size_t i = 0; i < sums->count; i++) {
        struct scn_tally *tally = sums->entries[i];

        if (options->out_dir != NULL)
            is_whole = is_whole && write_out(tally, options->out_dir);
        if (sums->count > 1)
            snprintf(suffix, sizeof(suffix), "-%zu", i);
        scn_tally_report(tally, &said, &results);
        is_whole = scn_coverage_files(tally, options, suffix) && is_whole;
        exit_code = scn_exit_worse(exit_code, (int)scn_tally_worst(tally));
    }
    has_run = scn_results_have_run(&results);
    is_whole = scn_results_end(&results, options) && is_whole;
    scn_places_leave();
    return scn_say_error(options, has_run, is_whole ? exit_code : SIM_VERDICT_USAGE);
}

int scn_command_merge(const struct scn_options *options) {
    struct sums sums = {NULL, NULL, NULL, 0};
    int exit_code = SIM_VERDICT_USAGE;
    bool is_good = true;

    for (uint32_t i = 0; i < options->operand_count && is_good; i++)
        is_good = add_folder(&sums, options->operands[i]);
    if (is_good && are_alike(&sums, options->operand_count))
        exit_code = conclude(options, &sums);
    for (size_t i = 0; i < sums.count; i++) {
        scn_tally_free(sums.entries[i]);
        free(sums.entries[i]);
    }
    free(sums.entries);
    free((void *)sums.from);
    free(sums.folder_count);
    return exit_code;
}
