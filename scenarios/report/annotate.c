/* SPDX-License-Identifier: Apache-2.0 */
/* See annotate.h. Percent signs and line ends are escaped, in properties also what ends them. */
#include "report/annotate.h"

#include <krn/driver.h>
#include <sim/host.h>
#include <string.h>

#include "run/signature.h"

#define PLACE_BYTES 512u

static void put_escaped(FILE *stream, const char *text, bool is_property) {
    for (; *text != '\0'; text++) {
        bool is_end = is_property && (*text == ':' || *text == ',');

        if (*text == '%' || *text == '\r' || *text == '\n' || is_end)
            fprintf(stream, "%%%02X", (unsigned char)*text);
        else
            fputc(*text, stream);
    }
}

void scn_annotate(FILE *stream, const char *file, const char *line, const char *title,
                  const char *text) {
    fputs("::error file=", stream);
    put_escaped(stream, file, true);
    if (line[0] != '\0') {
        fputs(",line=", stream);
        put_escaped(stream, line, true);
    }
    fputs(",title=", stream);
    put_escaped(stream, title, true);
    fputs("::", stream);
    put_escaped(stream, text, false);
    fputc('\n', stream);
}

/* Cuts "file:12..." into "file" and "12"; false when it is no place. */
static bool cut_place(char *place, const char **line) {
    char *colon = strchr(place, ':');
    size_t digits = colon != NULL ? strspn(colon + 1, "0123456789") : 0;

    if (digits == 0)
        return false;
    *colon = '\0';
    colon[1 + digits] = '\0';
    *line = colon + 1;
    return true;
}

/* Of a site: the place of its innermost frame in the guilty driver, or in any. */
static bool place_of(const struct sim_world *world, const struct sim_finding *finding,
                     bool in_guilty, char *place, const char **line) {
    for (uint32_t i = finding->site_count; i-- > 0;) {
        const struct sim_site *site = &finding->sites[i];

        for (uint32_t k = 0; k < site->frame_count; k++) {
            uintptr_t code = site->frames[k] - 1;
            struct krn_driver *driver = krn_driver_of_code(world, (const void *)code);

            if (driver == NULL || (in_guilty && !scn_is_guilty(finding, driver)))
                continue;
            sim_host_symbolize(code, place, PLACE_BYTES);
            if (cut_place(place, line))
                return true;
        }
    }
    return false;
}

void scn_annotate_run(FILE *stream, const struct scn_machine *machine,
                      const struct scn_outcome *outcome) {
    const struct sim_finding *finding = NULL;
    char place[PLACE_BYTES], title[192];
    const char *line = "";

    if (outcome->verdict == SIM_VERDICT_HELD || outcome->verdict == SIM_VERDICT_INTERRUPTED)
        return;
    if (outcome->first_finding < outcome->finding_count)
        finding = sim_finding_at(machine->world, outcome->first_finding);
    krn_images_readable();
    snprintf(place, sizeof(place), "%.511s", outcome->reason);
    if ((finding == NULL || (!place_of(machine->world, finding, true, place, &line) &&
                             !place_of(machine->world, finding, false, place, &line))) &&
        (finding != NULL || !cut_place(place, &line))) {
        snprintf(place, sizeof(place), "%.511s", machine->scenario->file);
        line = "";
    }
    if (finding != NULL)
        snprintf(title, sizeof(title), "%s %s%s%s", sim_verdict_name(outcome->verdict), finding->id,
                 finding->guilty[0] != '\0' ? ", " : "", finding->guilty);
    else
        snprintf(title, sizeof(title), "%s", sim_verdict_name(outcome->verdict));
    scn_annotate(stream, place, line, title, outcome->reason);
}
