/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim list checks`: the page "What ndksim checks" in Markdown, from the tables that the program
 * itself uses, with a comparison to what Windows' own verifiers check. docs/checks.md is its
 * output.
 */
#include <krn/bugcheck.h>
#include <sim/base.h>
#include <sim/finding.h>
#include <stdio.h>
#include <string.h>
#include <vrf/verifier.h>

#include "cli/rows.h"
#include "cli/rules.h"

/* One flag of Driver Verifier, or one rule of its NDIS verification. */
struct theirs {
    const char *flag; /* "0x00000001", "" for a rule */
    const char *name;
    const char *state; /* "here", "partly", "not" */
    const char *how;
};

static const struct theirs driver_verifier[] = {
    {"", "Automatic checks", "here",
     "IRQL at every kernel call, spin locks, stack frames that are gone, timers and DPCs in freed "
     "memory, what is left at unload. Always on."},
    {"0x00000001", "Special pool", "here",
     "`--pool special`. Without it writes to freed pool and past a "
     "block's ends are seen at the free and at the end; bad pointers given to calls at once."},
    {"0x00000002", "Force IRQL checking", "partly",
     "Paged pool given to a call at DISPATCH_LEVEL, PAGED_CODE. Pages are never taken away, so "
     "plain reads of paged memory pass."},
    {"0x00000004", "Randomized low resources simulation", "here",
     "Fault points of the resource layer, by probability, count, time or event, of one driver or "
     "of all; `ndksim list faults`."},
    {"0x00000008", "Pool tracking", "here", "Leaked pool with its tag and call sites at unload."},
    {"0x00000010", "I/O verification", "partly",
     "IRPs completed twice, sent on without a stack location, with a cancel routine left, work "
     "items; as far as an IOCTL needs IRPs."},
    {"0x00000020", "Deadlock detection", "partly",
     "Deadlocks that happen are named with their cycle, at once; random orders look for them. A "
     "lock order that never met its opposite is not reported."},
    {"0x00000080", "DMA checking", "partly",
     "A device that touches freed, pageable or unlocked memory stops the run at that access. "
     "Adapters and map registers of the HAL are not modelled."},
    {"0x00000100", "Security checks", "not",
     "There is no user mode and there are no handles to it."},
    {"0x00000200", "Force pending I/O requests", "partly",
     "NDK requests: answer inline, later, or through the callback before the call returns, as "
     "choices. IRPs are not made to pend."},
    {"0x00000400", "IRP logging", "partly",
     "Every run can be written down whole (`--trace`) and replayed; IRPs have no log of their "
     "own."},
    {"0x00000800", "Miscellaneous checks", "partly",
     "Freed memory with live objects in it, drivers that unload with work pending."},
    {"0x00002000", "Invariant MDL checking for stack", "not", "No driver stack passes MDLs on."},
    {"0x00004000", "Invariant MDL checking for driver", "not",
     "An MDL is checked when it is used, not compared in between."},
    {"0x00008000", "Power framework delay fuzzing", "not", "There is no power framework."},
    {"0x00010000", "Port/miniport interface checking", "not",
     "For audio, storage and AVStream ports. What NDIS asks of an NDK miniport is in R-NDIS."},
    {"0x00020000", "DDI compliance checking", "partly",
     "IRQL and lock rules of the calls that are modelled, each with Windows' bugcheck."},
    {"0x00040000", "Systematic low resources simulation", "partly",
     "The n-th allocation of a driver or call can be made to fail; there is no walk over all call "
     "stacks by itself."},
    {"0x00080000", "DDI compliance checking (additional)", "partly", "As above."},
    {"0x00200000", "NDIS/WIFI verification", "partly", "See the next table."},
    {"0x00800000", "Kernel synchronization delay fuzzing", "here",
     "`ndksim fuzz`: every kernel call, lock and interlocked operation is a point where another "
     "CPU may go first; what is found can be replayed."},
    {"0x01000000", "VM switch verification", "not", "There is no extensible switch."},
    {"0x02000000", "Code integrity checks", "not", "Drivers are host code."},
};

static const struct theirs ndis_verification[] = {
    {"", "NdisOidComplete", "here", "A miniport's OID answers are checked as they come."},
    {"", "NdisOidDoubleComplete", "here", "An OID that is completed twice is BUGCODE_NDIS_DRIVER."},
    {"", "NdisOidDoubleRequest", "not", "The model sends OIDs itself, one at a time."},
    {"", "NdisTimedOidComplete", "partly",
     "An OID that is never answered leaves the run stuck and named; there is no limit of 12 s."},
    {"", "NdisTimedDataSend, NdisTimedDataHang", "not",
     "Net buffer lists are not modelled; NDK requests are held to their answers by R-OWN-09."},
    {"", "NdisFilterTimedPauseComplete, NdisFilterTimedDataSend, NdisFilterTimedDataReceive", "not",
     "There are no filter drivers."},
    {"",
     "WlanAssert, WlanAssociation, WlanConnectionRoaming, WlanDisassociation and their timed "
     "forms",
     "not", "There is no wireless LAN."},
};

static void print_rules(const struct vrf_rule_area *area) {
    printf("\n### %s: %s\n\n| Rule | Binds | Held | What must hold | What a correct driver does |\n"
           "|---|---|---|---|---|\n",
           area->name, area->subject);
    for (size_t i = 0; i < area->count; i++) {
        const struct vrf_rule *rule = &area->rows[i];

        printf("| %s | %s | %s%s%s%s%s | %s | %s |\n", rule->id, scn_rule_bound(rule),
               scn_rule_held(rule), rule->seen_as != NULL ? ", seen as " : "",
               rule->seen_as != NULL ? rule->seen_as : "",
               vrf_rule_is_missing(rule) ? ", not yet" : "",
               rule->severity == SIM_SEVERITY_WARN ? ", a warning" : "", rule->sentence,
               rule->remedy);
    }
}

static void print_theirs(const struct theirs *rows, size_t count) {
    for (size_t i = 0; i < count; i++)
        printf("| %s%s%s | %s | %s |\n", rows[i].flag, rows[i].flag[0] != '\0' ? " " : "",
               rows[i].name, rows[i].state, rows[i].how);
}

static void print_counts(void) {
    uint32_t held[VRF_PERMISSION + 1] = {0}, numbered = 0;
    const struct vrf_rule_area *area;

    for (size_t i = 0; (area = vrf_rule_area_at(i)) != NULL; i++) {
        if (strcmp(area->name, "R-OWN") == 0)
            continue;
        for (size_t k = 0; k < area->count; k++)
            held[area->rows[k].held]++;
        numbered += (uint32_t)area->count;
    }
    printf("| Held | Rules | How |\n|---|---|---|\n"
           "| watched | %u | In every run, from the calls, callbacks and results that pass between "
           "consumer and provider: whatever the drivers are. |\n"
           "| tested | %u | By cases of `ndksim conform`, which tries a provider on each. |\n"
           "| construction | %u | By the types of the headers or the kernel's own code: no driver "
           "can break it. |\n"
           "| permission | %u | Advice or allowance: nothing breaks it. |\n\n"
           "Together %u, and rules of our own (R-OWN) for the ledger of what is owed to whom.\n",
           held[VRF_WATCHED], held[VRF_TESTED], held[VRF_CONSTRUCTION], held[VRF_PERMISSION],
           numbered);
}

static void print_bugchecks(void) {
    const struct krn_bugcheck_code *code;

    puts("\n## Misuse of the kernel\n\nBecomes a bugcheck with Windows' name and code, four "
         "parameters, one plain sentence, the call sites and the last steps.\n\n"
         "| Code | Name | When |\n|---|---|---|");
    for (size_t i = 0; (code = krn_bugcheck_code_at(i)) != NULL; i++)
        printf("| 0x%X | %s | %s |\n", code->code, code->name, code->about);
}

static void put_theirs(struct scn_rows *rows, const char *group, const struct theirs *theirs,
                       size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *flag = theirs[i].flag[0] != '\0' ? theirs[i].flag : NULL;

        scn_rows_put(rows, (const char *const[]){group, flag, theirs[i].name, NULL, NULL,
                                                 theirs[i].state, NULL, theirs[i].how});
    }
}

/* The rows of the page; what a group does not have is absent. */
static void print_json(void) {
    struct scn_rows rows = {
        .is_json = true,
        .column_count = 8,
        .keys = {"group", "id", "name", "bound", "held", "state", "about", "how"}};
    const struct vrf_rule_area *area;
    const struct krn_bugcheck_code *code;
    char number[16];

    for (size_t i = 0; (area = vrf_rule_area_at(i)) != NULL; i++) {
        for (size_t k = 0; k < area->count; k++) {
            const struct vrf_rule *rule = &area->rows[k];

            scn_rows_put(&rows, (const char *const[]){"rule", rule->id, NULL, scn_rule_bound(rule),
                                                      scn_rule_held(rule), NULL, rule->sentence,
                                                      rule->remedy});
        }
    }
    for (size_t i = 0; (code = krn_bugcheck_code_at(i)) != NULL; i++) {
        snprintf(number, sizeof(number), "0x%X", code->code);
        scn_rows_put(&rows, (const char *const[]){"bugcheck", number, code->name, NULL, NULL, NULL,
                                                  code->about, NULL});
    }
    put_theirs(&rows, "driver verifier", driver_verifier, SIM_ARRAY_COUNT(driver_verifier));
    put_theirs(&rows, "NDIS verification", ndis_verification, SIM_ARRAY_COUNT(ndis_verification));
    scn_rows_end(&rows);
}

static void print_page(void) {
    const struct vrf_rule_area *area;

    puts("# What ndksim checks\n\n"
         "This page is what `ndksim list checks` prints; it is not edited by hand.\n\n"
         "A finding names the rule, whose fault it is, the objects, the virtual time, both call "
         "sites, the last steps of these objects, what a correct driver does, and the command that "
         "shows it again. `ndksim explain --rule R-CQ-07` tells one rule and what shows it. "
         "`--rule ID=warn:REASON` and `off:REASON` change a level, `--keep-going` collects, "
         "`--blame consumer` or `provider` looks at one side.\n\n"
         "## Rules of NDKPI\n");
    print_counts();
    for (size_t i = 0; (area = vrf_rule_area_at(i)) != NULL; i++)
        print_rules(area);
    print_bugchecks();
    puts("\n## Compared with Driver Verifier\n\n| Flag | Here | How |\n|---|---|---|");
    print_theirs(driver_verifier, SIM_ARRAY_COUNT(driver_verifier));
    puts("\n## Compared with NDIS verification\n\n| Rule | Here | How |\n|---|---|---|");
    print_theirs(ndis_verification, SIM_ARRAY_COUNT(ndis_verification));
}

int scn_list_checks(const struct scn_options *options) {
    if (options->json)
        print_json();
    else
        print_page();
    return SIM_VERDICT_HELD;
}
